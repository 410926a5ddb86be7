package main

import (
	"bufio"
	"os"
	"os/exec"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
)

// A client uses the program over standard input and output.
func TestMCP(t *testing.T) {
	testenv.Slow(t)
	stdio := toolCommand(t, t.TempDir(), "mcp")
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: stdio}, nil)
	require.NoError(t, err)
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "create_qr_code", Arguments: map[string]any{"target": "@jane.doe"}})
	require.NoError(t, err)
	require.False(t, result.IsError)
	image, ok := result.Content[0].(*sdk.ImageContent)
	require.True(t, ok)
	require.Contains(t, string(image.Data[:8]), "PNG")
	require.NoError(t, session.Close())
	require.True(t, stdio.ProcessState.Success())

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
