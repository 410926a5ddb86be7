package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact/identity"
)

// testConfig returns settings with a database of its own.
func testConfig(t *testing.T, addr string) config {
	return config{addr: addr, file: filepath.Join(t.TempDir(), "people.db"), secrets: split(" old,\tsecret\n"), verifyToken: "token"}
}

// A webhook that has begun to arrive when the end comes is answered and handled.
func TestShutdownWaits(t *testing.T) {
	lines, w := io.Pipe()
	defer log.SetOutput(log.Writer())
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(w, nil)))
	var out bytes.Buffer
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- testConfig(t, "127.0.0.1:0").serve(ctx, &out) }()
	line, err := bufio.NewReader(lines).ReadString('\n')
	require.NoError(t, err)
	_, url, found := strings.Cut(strings.TrimSpace(line), "msg=listening url=")
	require.True(t, found, line)
	require.NoError(t, lines.Close()) // discards later lines

	const payload = `{"entry":[{"changes":[{"value":{
		"contacts":[{"profile":{"name":"Jane"},"user_id":"US.13491208655302741918"}],
		"messages":[{"from_user_id":"US.13491208655302741918","id":"wamid.1"}]}}]}]}`
	mac := hmac.New(sha256.New, []byte("secret"))
	mac.Write([]byte(payload))
	body, send := io.Pipe()
	req, err := http.NewRequest(http.MethodPost, url, body)
	require.NoError(t, err)
	req.ContentLength = int64(len(payload))
	req.Header.Set("X-Hub-Signature-256", fmt.Sprintf("sha256=%x", mac.Sum(nil)))
	req.Header.Set("Expect", "100-continue") // so that the body is sent when the handler reads it
	client := http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute}}
	statuses := make(chan int, 1)
	go func() {
		res, err := client.Do(req)
		if err != nil {
			statuses <- 0
			return
		}
		_ = res.Body.Close()
		statuses <- res.StatusCode
	}()
	_, err = io.WriteString(send, payload[:20])
	require.NoError(t, err)
	stop()
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", req.URL.Host)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	}, time.Minute, time.Millisecond)
	_, err = io.WriteString(send, payload[20:])
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, <-statuses)
	require.NoError(t, <-ended)
	require.Equal(t, "message of \"Jane\", reply: \"recipient\" \"US.13491208655302741918\"\n", out.String())
}

func TestSettings(t *testing.T) {
	for _, tt := range [][2]string{{"", "token"}, {"secret", ""}, {" , ", "token"}} {
		c := config{addr: "127.0.0.1:0", secrets: split(tt[0]), verifyToken: tt[1]}
		require.ErrorContains(t, c.serve(t.Context(), io.Discard), "is missing")
	}
	require.Equal(t, "[a b]", fmt.Sprintf("%s", split(" a ,b\n")))
	require.ErrorContains(t, testConfig(t, "nonsense").serve(t.Context(), io.Discard), "nonsense")

	c := config{portfolios: map[string]string{}}
	require.NoError(t, c.addPortfolio("106540352242922=shop"))
	require.Equal(t, identity.Scope{Portfolio: "shop"}, c.scope("106540352242922"))
	require.Zero(t, c.scope("1"))
	for _, text := range []string{"", "shop", "=shop", "1="} {
		require.Error(t, c.addPortfolio(text), text)
	}
	c.file = filepath.Join(t.TempDir(), "people.db")
	require.ErrorIs(t, c.list(t.Context(), io.Discard), os.ErrNotExist)
	require.NoFileExists(t, c.file)
}
