package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/webhooknorm"
	"github.com/hailmark/hailmark/webhooknorm/webhookhttp"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest/lives"
)

// The variables that make the test binary a receiver.
const (
	childAddr = "RECEIVER_TEST_ADDR"
	childFile = "RECEIVER_TEST_FILE"
)

func TestMain(m *testing.M) {
	addr := os.Getenv(childAddr)
	if addr == "" {
		os.Exit(m.Run())
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends with the parent process
		os.Exit(0)
	}()
	c := config{addr: addr, file: os.Getenv(childFile), secrets: split("secret"), verifyToken: "token", now: noLimit}
	if err := c.serve(context.Background(), io.Discard); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// noLimit lets simulated lives reach into the future.
func noLimit() time.Time { return time.Time{} }

func newInbox(t *testing.T, file string) *inbox {
	b, err := openInbox(t.Context(), file, identity.Config{})
	require.NoError(t, err)
	t.Cleanup(b.close)
	b.now = noLimit
	return b
}

// query returns the texts of a query with one column.
func (b *inbox) query(t *testing.T, query string, args ...any) (texts []string) {
	rows, err := b.db.Query(query, args...)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var text string
		require.NoError(t, rows.Scan(&text))
		texts = append(texts, text)
	}
	require.NoError(t, rows.Err())
	return texts
}

// contactsOf returns a function that returns the people who have a message.
func contactsOf(t *testing.T, b *inbox) func(messageID string) []string {
	byID := map[string][]string{}
	load := sync.OnceFunc(func() {
		for _, line := range b.query(t, "SELECT json_extract(event, '$.messageId') || ' ' || person FROM message") {
			id, person, _ := strings.Cut(line, " ")
			byID[id] = append(byID[id], person)
		}
	})
	return func(id string) []string {
		load()
		return byID[id]
	}
}

func newHandler(t *testing.T, b *inbox) http.Handler {
	t.Helper()
	handler, err := webhookhttp.New(webhookhttp.Config{AppSecrets: split("secret"), VerifyToken: "token", Receive: b.receive})
	require.NoError(t, err)
	return handler
}

// The receiver finds the right person for each message of simulated people.
func TestPeople(t *testing.T) {
	for name, change := range map[string]func(c *webhooktest.Config){
		"usual":   func(*webhooktest.Config) {},
		"late":    func(c *webhooktest.Config) { c.Delay, c.Batch = 0.4, 0.2 },
		"moving":  func(c *webhooktest.Config) { c.Change = 1 },
		"at once": func(c *webhooktest.Config) { c.Parallel, c.Duplicate = 8, 0.3 },
	} {
		t.Run(name, func(t *testing.T) {
			b := newInbox(t, filepath.Join(t.TempDir(), "people.db"))
			handler := newHandler(t, b)
			c := webhooktest.NewConfig(3, 20, 365*24*time.Hour)
			change(&c)
			c.Run(t, webhooktest.Receiver{Handler: handler, AppSecret: "secret", ContactsOf: contactsOf(t, b)})
			require.NotEmpty(t, b.query(t, "SELECT person FROM message"))
		})
	}
}

// The receiver is tested as webhooktest suggests: with all its worlds, while they run.
func TestRun(t *testing.T) {
	testenv.Slow(t)
	b := newInbox(t, filepath.Join(t.TempDir(), "people.db"))
	_, err := b.db.Exec("CREATE INDEX message_id ON message (json_extract(event, '$.messageId'))")
	require.NoError(t, err)
	handler := newHandler(t, b)
	webhooktest.Run(t, webhooktest.Receiver{Handler: handler, AppSecret: "secret", ContactsOf: func(id string) []string {
		return b.query(t, "SELECT person FROM message WHERE json_extract(event, '$.messageId') = ?", id)
	}})
}

// The list of contacts stays one line for each person.
func TestContacts(t *testing.T) {
	b := newInbox(t, filepath.Join(t.TempDir(), "people.db"))
	list := func() []string {
		var out strings.Builder
		require.NoError(t, b.contacts(t.Context(), &out))
		return strings.Split(strings.TrimSpace(out.String()), "\n")
	}
	receive := func(at int64, contact, ids, element string) {
		webhook, err := webhooknorm.Read(fmt.Appendf(nil, `{"entry":[{"changes":[{"value":{"contacts":[%s],"messages":[{"id":"wamid.%d","timestamp":"%[2]d",%s,%s}]}}]}]}`, contact, at, ids, element))
		require.NoError(t, err)
		require.NoError(t, b.receive(t.Context(), webhook))
	}
	const text = `"type":"text","text":{"body":"Hello!"}`
	receive(1772366400, `{"profile":{"name":"Jane"},"wa_id":"16505551234"}`, `"from":"16505551234"`, text)
	first := list()
	require.Len(t, first, 1)
	require.Contains(t, first[0], "Jane +16505551234")
	id := first[0][strings.LastIndexByte(first[0], ' ')+1:]

	both := `{"profile":{"name":"Jane"},"wa_id":"16505551234","user_id":"US.1"}`
	receive(1793966400, both, `"from":"16505551234","from_user_id":"US.1"`, text)
	receive(1797422400, `{"profile":{"name":"Jane","username":"jane.doe"},"user_id":"US.1"}`, `"from_user_id":"US.1"`, text)
	receive(1797422401, "", `"type":"system"`, `"system":{"type":"user_changed_user_id","user_id":"US.2","previous_user_id":"US.1"}`)
	receive(1797422402, `{"profile":{"name":"Jane","username":"jane.doe"},"user_id":"US.2"}`, `"from_user_id":"US.2"`, text)
	receive(1797422403, `{"profile":{"name":"Jane"},"wa_id":"16505559999","user_id":"US.9"}`, `"from":"16505559999","from_user_id":"US.9"`, text)
	last := list()
	require.Len(t, last, 2, last)
	require.Contains(t, last[1], "Jane @jane.doe US.2")
	require.True(t, strings.HasSuffix(last[1], "  4  "+id), last)
}

// An announcement that arrives late shows that old messages came from the previous holder
// of a number.
func TestLateAnnouncement(t *testing.T) {
	b := newInbox(t, filepath.Join(t.TempDir(), "people.db"))
	persons := func() []string { return b.query(t, "SELECT person FROM message ORDER BY at") }
	receive := func(messages string) {
		webhook, err := webhooknorm.Read([]byte(`{"entry":[{"changes":[{"value":{"messages":[` + messages + `]}}]}]}`))
		require.NoError(t, err)
		require.NoError(t, b.receive(t.Context(), webhook))
	}
	receive(`{"id":"wamid.1","timestamp":"1786000100","from":"16505551234","text":{"body":"by the first holder"}}`)
	receive(`{"id":"wamid.2","timestamp":"1786000300","from":"16505551234","from_user_id":"US.1","text":{"body":"by the second"}}`)
	together := persons()
	require.Equal(t, together[0], together[1])

	receive(`{"id":"wamid.3","timestamp":"1786000200","from":"16505551234","type":"system","system":{"type":"user_changed_number","wa_id":"16505559999"}}`)
	apart := persons()
	require.Len(t, apart, 2)
	require.NotEqual(t, apart[0], apart[1])
	require.Equal(t, together[0], apart[1], "the part with the BSUID keeps the id")
	var out strings.Builder
	require.NoError(t, b.contacts(t.Context(), &out))
	require.Equal(t, 2, strings.Count(out.String(), "\n"), out.String())
	require.Contains(t, out.String(), "+16505559999")
}

// A message that arrives live, in standby or in the history is one message, and a file replaces its placeholder.
func TestLiveAndHistory(t *testing.T) {
	b := newInbox(t, filepath.Join(t.TempDir(), "people.db"))
	const person = `"from":"16505551234","timestamp":"1786000100"`
	const live = `{"messages":[{"id":"wamid.1",` + person + `,"type":"text"}]}`
	values := []string{
		`"field":"messages","value":` + live,
		`"field":"standby","value":{"standby":` + live + `}`,
		`"field":"history","value":{"history":[{"threads":[{"id":"16505551234","messages":[{"id":"wamid.1",` + person + `,"type":"text"},{"id":"wamid.2",` + person + `,"type":"media_placeholder"}]}]}]}`,
		`"field":"history","value":{"messages":[{"id":"wamid.2",` + person + `,"type":"image","image":{"id":"1"}}]}`,
		`"field":"messages","value":{"messages":[{"id":"wamid.3",` + person + `,"type":"system","system":{"type":"customer_identity_changed"}}]}`,
	}
	slices.Reverse(values)
	for range 2 {
		slices.Reverse(values)
		for _, value := range values {
			webhook, err := webhooknorm.Read([]byte(`{"entry":[{"changes":[{` + value + `}]}]}`))
			require.NoError(t, err)
			require.NoError(t, b.receive(t.Context(), webhook))
		}
		require.Equal(t, []string{"wamid.1 text", "wamid.2 image"},
			b.query(t, "SELECT json_extract(event, '$.messageId') || ' ' || json_extract(event, '$.type') AS m FROM message ORDER BY m"))
	}
}

// A message without an id, a time or a sender is stored.
func TestIncompleteMessages(t *testing.T) {
	b := newInbox(t, filepath.Join(t.TempDir(), "people.db"))
	webhook, err := webhooknorm.Read([]byte(`{"entry":[{"changes":[{"value":{"messages":[
		{"from_user_id":"US.1"}, {"from_user_id":"US.1"}, {"id":"wamid.1"}, {"id":"wamid.1"}]}}]}]}`))
	require.NoError(t, err)
	reported := 0
	b.stored = func(webhooknorm.Event) { reported++ }
	require.NoError(t, b.receive(t.Context(), webhook))
	require.Equal(t, 3, reported)
	var n int
	require.NoError(t, b.db.QueryRow("SELECT count(*) FROM message WHERE person = ''").Scan(&n))
	require.Equal(t, 3, n)
	var out strings.Builder
	require.NoError(t, b.contacts(t.Context(), &out))
	require.Empty(t, out.String())
}

// A receiver is killed at random moments while webhooks arrive, some of them twice. No
// message is lost or doubled, and the people are those of all facts together.
func TestKill(t *testing.T) {
	testenv.Slow(t)
	file := filepath.Join(t.TempDir(), "people.db")
	addr := fmt.Sprintf("127.0.0.1:%d", testenv.FreePort())

	world := lives.NewWorld(5, 60, 2*365*24*time.Hour)
	world.Duplicate, world.Delay = 0.3, 0.2
	webhooks := make(chan []byte)
	delivered := make(chan struct{})
	var facts []identity.Fact
	go func() {
		defer close(webhooks)
		for w := range world.Webhooks() {
			webhook, err := webhooknorm.Read(w)
			if err != nil {
				t.Error(err)
				return
			}
			facts = append(facts, identity.FactsOf(webhook, time.Time{}, nil)...)
			webhooks <- w
		}
	}()
	// Like the platform, a sender repeats a webhook until it gets status 200.
	var senders sync.WaitGroup
	var repeated atomic.Int64
	received := make(chan struct{}, 1) // holds a value if a webhook was received
	for range 4 {
		senders.Go(func() {
			for w := range webhooks {
				for !post(w, "http://"+addr+"/webhook") {
					repeated.Add(1)
					time.Sleep(2 * time.Millisecond)
				}
				select {
				case received <- struct{}{}:
				default:
				}
			}
		})
	}
	go func() { senders.Wait(); close(delivered) }()

	const maxKills = 20
	kills := 0
	for done := false; !done; {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childAddr+"="+addr, childFile+"="+file)
		_, err := child.StdinPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		lives := received
		if kills == maxKills {
			lives = nil // it may live until everything is delivered
		}
		select {
		case <-lives:
			time.Sleep(rand.N(20 * time.Millisecond))
			kills++
		case <-delivered:
			done = true
		}
		require.NoError(t, child.Process.Kill())
		_ = child.Wait()
	}
	t.Logf("%d kills, %d repetitions, %d facts", kills, repeated.Load(), len(facts))
	require.NotZero(t, kills)

	b := newInbox(t, file)
	contacts := contactsOf(t, b)
	avoidable, _ := world.Compare(contacts)
	require.Empty(t, avoidable)
	want, got := map[string]bool{}, map[string]bool{}
	people, _ := identity.Partition(facts)
	for _, p := range people {
		want[fmt.Sprint(p.Aliases)] = true
	}
	for id, err := range b.engine.Persons(t.Context()) {
		require.NoError(t, err)
		p, _, err := b.engine.Person(t.Context(), id)
		require.NoError(t, err)
		got[fmt.Sprint(p.Aliases)] = true
	}
	require.Equal(t, want, got)
	lines, err := b.lines(t.Context())
	require.NoError(t, err)
	for _, l := range lines {
		profile, found, err := b.engine.Person(t.Context(), l.person)
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, l.person, profile.ID, "each line is a person")
	}
}

// post reports whether a webhook got status 200.
func post(body []byte, url string) bool {
	request, err := lives.Request(url, "secret", body)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode == http.StatusOK
}
