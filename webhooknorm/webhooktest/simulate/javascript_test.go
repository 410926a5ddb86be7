package simulate

import (
	"bufio"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
)

// The verdicts about receivers in JavaScript, in a process of their own, are those about receivers in Go.
func TestReceiversInJavaScript(t *testing.T) {
	testenv.Slow(t)
	node := testenv.Needs(t, "node", "Debian package nodejs")
	for _, way := range []string{"phone only", "phone first", "BSUID only", "BSUID, else phone", "upsert both", "right"} {
		t.Run(way, func(t *testing.T) {
			stage := NewStage(Rehearsal{Story: fifteen(), Secret: "secret", Wait: 200 * time.Millisecond})
			graph := httptest.NewServer(stage.Graph())
			defer graph.Close()
			program := exec.CommandContext(t.Context(), node, "testdata/receiver.mjs")
			program.Env = append(program.Environ(), "WAY="+way, "GRAPH="+graph.URL, "SECRET=secret")
			out, err := program.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, program.Start())
			defer func() {
				_ = program.Process.Kill()
				_ = program.Wait()
			}()
			url, err := bufio.NewReader(out).ReadString('\n')
			require.NoError(t, err)
			stage.Webhook, stage.Ask = strings.TrimSpace(url)+"/webhook", strings.TrimSpace(url)+"/contact-of"
			result, err := stage.Run(t.Context())
			require.NoError(t, err)
			require.ElementsMatch(t, verdicts[way], result.Kinds(), "%v", result.Mistakes)
		})
	}
}
