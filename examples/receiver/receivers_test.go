package main

import (
	"bufio"
	"bytes"
	"database/sql"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest/lives"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest/simulate"
)

// foreign are the receivers in other languages: the programs that they need, and how to find out what they stored.
var foreign = map[string]struct {
	program, packages string
	contacts          func(t *testing.T, dir, database string) map[string][]string // by message ID
}{
	"python":     {"python3", "python3", contactsInSQLite},
	"php":        {"php", "php-cli, php-sqlite3 and php-curl", contactsInSQLite},
	"ruby":       {"ruby", "ruby, ruby-sqlite3 and ruby-webrick", contactsInSQLite},
	"javascript": {"node", "nodejs", contactsByCommand},
}

// Each receiver in another language passes the rehearsal without a mistake, answers Meta's check of the URL, and
// responds as webhookhttp does.
func TestForeignReceivers(t *testing.T) {
	testenv.Slow(t)
	limiter, err := httpapi.NewMemoryLimiter(httpapi.Limits{JSON: -1})
	require.NoError(t, err)
	api, err := httpapi.New(httpapi.Config{BaseURL: "https://hi.example.com", Limiter: limiter})
	require.NoError(t, err)
	hailmark := httptest.NewServer(api)
	defer hailmark.Close()
	for language, receiver := range foreign {
		t.Run(language, func(t *testing.T) {
			testenv.Needs(t, receiver.program, "Debian packages "+receiver.packages)
			dir, err := filepath.Abs("../receivers/" + language)
			require.NoError(t, err)
			source, err := filepath.Glob(dir + "/receiver.*")
			require.NoError(t, err)
			require.Len(t, source, 1)
			text, err := os.ReadFile(source[0])
			require.NoError(t, err)
			require.LessOrEqual(t, bytes.Count(text, []byte("\n")), 100)

			database, port := filepath.Join(t.TempDir(), "receiver.db"), freePort(t)
			stage := simulate.NewStage(simulate.Rehearsal{
				Story: lives.Scenarios(0, lives.Conditions{Repeat: 0.2}, nil), Secret: "secret",
				Webhook: "http://127.0.0.1:" + port + "/webhook", Start: 20 * time.Second, Wait: 3 * time.Second,
			})
			graph := httptest.NewServer(stage.Graph())
			defer graph.Close()
			env := append(os.Environ(), "PORT="+port, "GRAPH_URL="+graph.URL, "GRAPH_VERSION=v25.0", "PHONE_NUMBER_ID=106540352242922", "ACCESS_TOKEN=token",
				"APP_SECRET=secret", "VERIFY_TOKEN=token", "HAILMARK_URL="+hailmark.URL, "DATABASE="+database)
			start(t, filepath.Join(dir, "run"), env)

			load := sync.OnceValue(func() map[string][]string { return receiver.contacts(t, dir, database) })
			ask := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var question struct{ Message string }
				if err := json.NewDecoder(r.Body).Decode(&question); err != nil {
					t.Error(err)
				}
				contacts := load()[question.Message]
				if contacts == nil {
					http.NotFound(w, r)
					return
				}
				if err := json.NewEncoder(w).Encode(map[string]any{"contact": contacts}); err != nil {
					t.Error(err)
				}
			}))
			defer ask.Close()
			stage.Ask = ask.URL
			result, err := stage.Run(t.Context())
			require.NoError(t, err)
			for _, m := range result.Mistakes {
				t.Error(m.Text)
			}
			require.Positive(t, result.Replies)
			checkResponses(t, stage.Webhook)
		})
	}
}

// checkResponses compares the responses that the rehearsal doesn't check with those of webhookhttp.
func checkResponses(t *testing.T, url string) {
	get := func(query string) (int, string) {
		response, err := http.Get(url + query)
		require.NoError(t, err)
		defer response.Body.Close()
		line, _ := bufio.NewReader(response.Body).ReadString(0)
		return response.StatusCode, line
	}
	status, challenge := get("?hub.mode=subscribe&hub.verify_token=token&hub.challenge=1158201444")
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "1158201444", challenge)
	for _, query := range []string{"", "?hub.mode=subscribe&hub.verify_token=other&hub.challenge=1", "?hub.verify_token=token&hub.challenge=1"} {
		status, _ = get(query)
		require.Equal(t, http.StatusForbidden, status, query)
	}
	for body, want := range map[string]int{
		`{"x":1}`:                   http.StatusOK, // it's signed, but no webhook
		`{"x":`:                     http.StatusBadRequest,
		string(make([]byte, 5<<20)): http.StatusRequestEntityTooLarge,
	} {
		r, err := lives.Request(url, "secret", []byte(body))
		require.NoError(t, err)
		response, err := http.DefaultClient.Do(r)
		if want == http.StatusRequestEntityTooLarge && err != nil {
			continue // the receiver closed the connection while the body was on its way
		}
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, want, response.StatusCode, "%.20q", body)
	}
}

func freePort(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
}

// start runs a program until the test ends, and logs what it prints if the test fails.
func start(t *testing.T, program string, env []string) {
	var output bytes.Buffer
	cmd := exec.Command(program)
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = env, &output, &output, 5*time.Second
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		done := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait() // it was interrupted
		done.Stop()
		if t.Failed() {
			t.Logf("%.4000s", output.String())
		}
	})
}

func contactsInSQLite(t *testing.T, _, database string) map[string][]string {
	db, err := sql.Open("sqlite", "file:"+database+"?mode=ro")
	require.NoError(t, err)
	defer db.Close()
	return byMessage((&inbox{db: db}).query(t, "SELECT id || ' ' || contact FROM message WHERE id IS NOT NULL"))
}

func contactsByCommand(t *testing.T, dir, database string) map[string][]string {
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "run"), "contacts")
	cmd.Env = append(os.Environ(), "DATABASE="+database)
	out, err := cmd.Output()
	require.NoError(t, err)
	return byMessage(strings.Split(strings.TrimSpace(string(out)), "\n"))
}

// byMessage reads lines with a message ID and a contact.
func byMessage(lines []string) map[string][]string {
	contacts := map[string][]string{}
	for _, line := range lines {
		id, contact, _ := strings.Cut(line, " ")
		contacts[id] = append(contacts[id], contact)
	}
	return contacts
}
