package simulate

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/webhooknorm/webhooktest/lives"
)

// A client that trusts the authority reaches the stand-in as graph.facebook.com, and no other host.
func TestProxy(t *testing.T) {
	stage := NewStage(Rehearsal{Story: fifteen()})
	defer stage.stop()
	file := filepath.Join(t.TempDir(), "ca.pem")
	for range 2 { // the second authority replaces the first
		proxy, err := NewProxy(file, stage.Graph())
		require.NoError(t, err)
		server := httptest.NewServer(proxy)
		defer server.Close()
		authority, err := os.ReadFile(file)
		require.NoError(t, err)
		roots := x509.NewCertPool()
		require.True(t, roots.AppendCertsFromPEM(authority))
		address, err := url.Parse(server.URL)
		require.NoError(t, err)
		transport := &http.Transport{Proxy: http.ProxyURL(address), TLSClientConfig: &tls.Config{RootCAs: roots}}
		defer transport.CloseIdleConnections()
		client := http.Client{Transport: transport}
		for range 2 { // over one connection
			response, err := client.Get("https://graph.facebook.com/v24.0/123?access_token=any")
			require.NoError(t, err)
			body, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			require.Contains(t, string(body), `"url":"https://graph.facebook.com/v24.0/123/file"`)
		}
		_, err = client.Get("https://example.com/")
		require.ErrorContains(t, err, "Forbidden")
	}
}

func TestGraphErrors(t *testing.T) {
	stage := NewStage(Rehearsal{Story: fifteen(), TestNumber: true})
	defer stage.stop()
	for range 3 { // until the person with a Mexican number has written
		d, ok := stage.advance()
		require.True(t, ok)
		stage.conversation.deliver(d)
	}
	bsuid := "US.1000000000000000"
	const path = "/v24.0/106540352242922/messages"
	for name, test := range map[string]struct {
		path, body string
		want       string
	}{
		"unknown number ID": {"/v24.0/1/messages", `{"messaging_product":"whatsapp","to":"525555550100"}`, `"code":100`},
		"no product":        {path, `{"to":"525555550100"}`, `"code":100`},
		"no JSON":           {path, `to=1`, `"code":100`},
		"no recipient":      {path, `{"messaging_product":"whatsapp"}`, `"code":100`},
		"BSUID in to":       {path, `{"messaging_product":"whatsapp","to":"` + bsuid + `"}`, `"code":100`},
		"unknown BSUID":     {path, `{"messaging_product":"whatsapp","recipient":"` + bsuid + `"}`, `"code":131026`},
		"unknown number":    {path, `{"messaging_product":"whatsapp","to":"15005550199"}`, `"code":131026`},
		"form":              {path, `{"messaging_product":"whatsapp","to":"5215555550100"}`, `"code":131030`},
		"other form":        {path, `{"messaging_product":"whatsapp","to":"+52 55 5555 0100"}`, `"wa_id":"525555550100"`},
		"no version":        {"/106540352242922/messages", `{"messaging_product":"whatsapp","to":"525555550100"}`, `"wa_id":"525555550100"`},
		"read":              {path, `{"messaging_product":"whatsapp","status":"read","message_id":"x","typing_indicator":{"type":"text"}}`, `"success":true`},
		"unknown path":      {"/nothing", ``, `"code":100`},
	} {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodPost, test.path, strings.NewReader(test.body))
			r.Header.Set("Authorization", "Bearer any")
			stage.Graph().ServeHTTP(w, r)
			require.Contains(t, w.Body.String(), test.want)
		})
	}
	w := httptest.NewRecorder()
	stage.Graph().ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, nil))
	require.Contains(t, w.Body.String(), `"code":190`)
}

// A parent BSUID is an address, too.
func TestReplyToParentBSUID(t *testing.T) {
	stage := NewStage(Rehearsal{Story: fifteen()})
	defer stage.stop()
	for {
		d, ok := stage.advance()
		require.True(t, ok)
		stage.conversation.deliver(d)
		if parent := d.Events[0].Shown.Parent; parent != "" && d.Events[0].Answer() == lives.AnswerWanted {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodPost, "/v24.0/106540352242922/messages", strings.NewReader(`{"messaging_product":"whatsapp","recipient":"`+parent+`"}`))
			r.Header.Set("Authorization", "Bearer any")
			stage.Graph().ServeHTTP(w, r)
			require.Contains(t, w.Body.String(), `"user_id":"`+parent+`"`)
			require.Empty(t, stage.conversation.strays)
			return
		}
	}
}

// Only a template opens a conversation after 24 hours.
func TestWindow(t *testing.T) {
	stage := NewStage(Rehearsal{Story: fifteen()})
	defer stage.stop()
	d, ok := stage.advance()
	require.True(t, ok)
	stage.conversation.deliver(d)
	to := d.Events[0].Shown.Phone
	send := func(typ string) string {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, "/v24.0/106540352242922/messages", strings.NewReader(`{"messaging_product":"whatsapp","to":"`+to+`","type":"`+typ+`"}`))
		r.Header.Set("Authorization", "Bearer any")
		stage.Graph().ServeHTTP(w, r)
		return w.Body.String()
	}
	stage.conversation.now = d.At.Add(window)
	require.Contains(t, send("text"), `"messages":[{"id":`)
	stage.conversation.now = d.At.Add(window + 1)
	require.Contains(t, send("text"), `"code":131047`)
	require.Contains(t, send("template"), `"messages":[{"id":`)
}
