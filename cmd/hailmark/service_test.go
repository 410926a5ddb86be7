package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi"
)

// With --json, a command prints all members of the HTTP API's response, with the same values.
// Members in own are specific to the output, and those in served depend on the server's
// configuration.
func TestJSONOfService(t *testing.T) {
	service, err := httpapi.New(httpapi.Config{BaseURL: "https://example.com"})
	require.NoError(t, err)
	respond := func(method, path, body string) map[string]any {
		w := httptest.NewRecorder()
		service.ServeHTTP(w, httptest.NewRequest(method, "/api/v1"+path, strings.NewReader(body)))
		require.Equal(t, http.StatusOK, w.Code, "%s %s", path, w.Body)
		return object(t, w.Body.String())
	}
	print := func(stdin string, args ...string) map[string]any {
		_, stdout, stderr := runTool(t, stdin, args...)
		require.Empty(t, stderr)
		return object(t, stdout)
	}
	compare := func(want, got map[string]any, own []string, served ...string) {
		t.Helper()
		for _, name := range own {
			require.NotContains(t, want, name)
			delete(got, name)
		}
		for _, name := range served {
			require.Contains(t, want, name)
			delete(want, name)
		}
		require.Equal(t, want, got)
	}
	post := func(path string, body any) map[string]any {
		text, err := json.Marshal(body)
		require.NoError(t, err)
		return respond(http.MethodPost, "/business/"+path, string(text))
	}

	for _, text := range []string{"", "Hi <&> ü"} {
		query := "&text=" + url.QueryEscape(text)
		compare(respond(http.MethodGet, "/username-link?username=jane.doe"+query, ""), print("", "link", "jane.doe", "--json", "--text", text), nil, "shortLink", "notice")
		compare(respond(http.MethodGet, "/phone-link?phone=16505551234"+query, ""), print("", "link", "+1 650 555 1234", "--json", "--text", text), nil)
	}

	for kind, values := range map[string][]string{
		"username": {"jane.doe", "x", "Jane Doe", "wwwjane", "12345", "message", "日本"},
		"key":      {"1234", "12345", "abcd", "0000"},
		"phone":    {"+16505551234", "0171 123", "1", "phone"},
	} {
		for _, value := range values {
			own := []string{"kind", "value", "warnings"}
			compare(respond(http.MethodGet, "/validate/"+kind+"?"+kind+"="+url.QueryEscape(value), ""), print("", "validate", kind, value, "--json"), own)
		}
	}
	for _, value := range []string{"jane.doe", "x", "Jane Doe", "www.jane", "wwwjane", "12345", "jane.com", "日本", "a..b", ".ab"} {
		compare(post("username/validate", map[string]string{"username": value}), print("", "validate", "business-username", value, "--json"), []string{"kind", "value", "errors"})
	}
	for _, value := range []string{"US.12", "US.ENT.12", "us.12", "x"} {
		compare(post("bsuid/validate", map[string]string{"bsuid": value}), print("", "validate", "bsuid", value, "--json"), []string{"kind", "value", "errors", "countryCode", "countryKnown", "id"})
	}
	for _, value := range []string{"US.12", "XX.ENT.12"} {
		compare(post("bsuid/parse", map[string]string{"bsuid": value}), print("", "validate", "bsuid", value, "--json"), []string{"kind", "value", "valid", "errors", "countryKnown"})
	}
	for name, value := range map[string]string{"bsuid": "US.ENT.12", "username": "jane.doe", "phone": "+1 650 555 1234"} {
		compare(post("contact/resolve", map[string]string{name: value}), print("", "validate", "identifier", value, "--json"), []string{"kind", "value", "valid", "errors"},
			"username", "phone", "bsuid", "displayName", "phoneKnown", "bsuidKnown")
	}

	payload := exampleFiles["webhook.json"]
	events, _ := respond(http.MethodPost, "/business/webhook/read", payload)["events"].([]any)
	require.Len(t, events, 1)
	event, _ := events[0].(map[string]any)
	for _, args := range [][]string{{"normalize"}, {"normalize", "--all"}} {
		compare(event, print(payload, args...), nil)
	}
}

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	var members map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &members), text)
	return members
}
