package main

import (
	"bufio"
	"os"
	"os/exec"
	"regexp"
	"syscall"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
)

// A client uses the program over standard input and output, and over HTTP.
func TestMCP(t *testing.T) {
	testenv.Slow(t)
	stdio, web := toolCommand(t, t.TempDir(), "mcp"), toolCommand(t, t.TempDir(), "mcp", "--http", ":0")
	stderr, err := web.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, web.Start())
	line, err := bufio.NewReader(stderr).ReadString('\n')
	require.NoError(t, err)
	endpoint := regexp.MustCompile(`http://\S+`).FindString(line)

	client := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil)
	for _, transport := range []sdk.Transport{&sdk.CommandTransport{Command: stdio}, &sdk.StreamableClientTransport{Endpoint: endpoint}} {
		session, err := client.Connect(t.Context(), transport, nil)
		require.NoError(t, err)
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "create_qr_code", Arguments: map[string]any{"target": "@jane.doe"}})
		require.NoError(t, err)
		require.False(t, result.IsError)
		image, ok := result.Content[0].(*sdk.ImageContent)
		require.True(t, ok)
		require.Contains(t, string(image.Data[:8]), "PNG")
		require.NoError(t, session.Close())
	}
	require.True(t, stdio.ProcessState.Success())

	require.NoError(t, web.Process.Signal(syscall.SIGTERM))
	require.NoError(t, web.Wait())

	// A signal ends the program even if it's waiting for a request.
	stdio = exec.Command(stdio.Path, "mcp")
	stdio.Env = append(os.Environ(), "HAILMARK_TEST_RUN_MAIN=1")
	in, err := stdio.StdinPipe()
	require.NoError(t, err)
	out, err := stdio.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, stdio.Start())
	_, err = in.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"))
	require.NoError(t, err)
	_, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, stdio.Process.Signal(os.Interrupt))
	require.NoError(t, stdio.Wait())
}
