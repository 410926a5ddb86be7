package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSimulateUsage(t *testing.T) {
	url := "--webhook=http://127.0.0.1:1/webhook"
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "--webhook is required"},
		{[]string{"--webhook=localhost:3000"}, "--webhook isn't a URL"},
		{[]string{url, "--ask=ftp://x"}, "--ask isn't a URL"},
		{[]string{url, "--lose=2"}, "--lose is 2; 0 to 1 is allowed"},
		{[]string{url, "--shuffle=NaN"}, "--shuffle is NaN"},
		{[]string{url, "--proxy=127.0.0.1:0"}, "--proxy and --ca-file go together"},
		{[]string{url, "--years=3"}, "--years needs --people"},
		{[]string{url, "--people=-1"}, "--people is -1"},
		{[]string{url, "--wait=0s"}, "--wait is 0s"},
	} {
		status, _, stderr := runTool(t, "", append([]string{"simulate"}, test.args...)...)
		require.Equal(t, 2, status, test.args)
		require.Contains(t, stderr, test.want)
	}
}

// Without a receiver nothing can be tested, which differs from a mistake.
func TestSimulateWithoutReceiver(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	status, _, stderr := runTool(t, "", "simulate", "--webhook", server.URL, "--graph=127.0.0.1:0", "--start-timeout=1ms")
	require.Equal(t, 2, status)
	require.Contains(t, stderr, "no receiver is running: ")
}

// A receiver that forgets everything loses each message.
func TestSimulateReportsMistakes(t *testing.T) {
	var handler http.ServeMux
	handler.HandleFunc("/webhook", func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
	handler.HandleFunc("/ask", http.NotFound)
	server := httptest.NewServer(&handler)
	defer server.Close()
	args := []string{"simulate", "--webhook", server.URL + "/webhook", "--ask", server.URL + "/ask", "--graph=127.0.0.1:0", "--wait=1ms"}
	status, stdout, stderr := runTool(t, "", args...)
	require.Equal(t, 1, status, stderr)
	require.Contains(t, stdout, "lost: no contact has the message ")
	require.Contains(t, stdout, `  webhook 1: {"object":"whatsapp_business_account"`)

	status, stdout, _ = runTool(t, "", append(args, "--json")...)
	require.Equal(t, 1, status)
	var result struct {
		Messages int
		Mistakes []struct{ Mistake string }
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &result))
	require.Len(t, result.Mistakes, result.Messages)
	require.Equal(t, "lost", result.Mistakes[0].Mistake)
}

func TestSimulateKeepsAForeignFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(file, []byte("something else"), 0o600))
	status, _, stderr := runTool(t, "", "simulate", "--webhook=http://127.0.0.1:1", "--graph=127.0.0.1:0", "--proxy=127.0.0.1:0", "--ca-file", file)
	require.Equal(t, 2, status)
	require.Contains(t, stderr, "contains something else")
}
