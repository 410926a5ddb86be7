package webhooktest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/webhooknorm/webhooktest/internal/plain"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest/lives"
)

// A recorder keeps the errors of a test that is expected to fail.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func (r *recorder) all() string { return strings.Join(r.errors, "\n") }

func TestRunReportsWhatAReceiverDoes(t *testing.T) {
	for _, test := range []struct {
		name  string
		want  string // what one of the errors contains
		serve func(r *plain.Receiver) http.HandlerFunc
	}{
		{"accepts any signature", "accepted a webhook with a wrong signature: 200 OK", func(r *plain.Receiver) http.HandlerFunc {
			return func(_ http.ResponseWriter, q *http.Request) {
				var hook plain.Webhook
				if json.NewDecoder(q.Body).Decode(&hook) == nil {
					hook.Each(r.Message, r.Change)
				}
			}
		}},
		{"rejects everything", "didn't accept 20", func(*plain.Receiver) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusInternalServerError) }
		}},
		{"panics", "no response", func(*plain.Receiver) http.HandlerFunc {
			return func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
		}},
		{"stores nothing", "lost: no contact has the message", func(*plain.Receiver) http.HandlerFunc {
			return func(http.ResponseWriter, *http.Request) {}
		}},
		{"ignores standby", "text in standby, ", func(r *plain.Receiver) http.HandlerFunc {
			return func(_ http.ResponseWriter, q *http.Request) {
				var hook plain.Webhook
				if json.NewDecoder(q.Body).Decode(&hook) == nil {
					hook.EachValue(func(v *plain.Value) { v.Standby = plain.Section{} })
					hook.Each(r.Message, r.Change)
				}
			}
		}},
		{"reads only the first message of a thread", "text of the history, ", func(r *plain.Receiver) http.HandlerFunc {
			return func(_ http.ResponseWriter, q *http.Request) {
				var hook plain.Webhook
				if json.NewDecoder(q.Body).Decode(&hook) == nil {
					hook.EachValue(func(v *plain.Value) {
						for i := range v.History {
							v.History[i].Threads[0].Messages = v.History[i].Threads[0].Messages[:1]
						}
					})
					hook.Each(r.Message, r.Change)
				}
			}
		}},
		{"ignores announcements", "split: one person is contact", func(r *plain.Receiver) http.HandlerFunc {
			return func(_ http.ResponseWriter, q *http.Request) {
				var hook plain.Webhook
				if json.NewDecoder(q.Body).Decode(&hook) == nil {
					hook.Each(r.Message, func(string, string, *plain.IDs) {})
				}
			}
		}},
		{"believes in numbers", `"a number passes to another person without an announcement": mixed: contact`, func(r *plain.Receiver) http.HandlerFunc {
			return func(_ http.ResponseWriter, q *http.Request) {
				var hook plain.Webhook
				if json.NewDecoder(q.Body).Decode(&hook) == nil {
					hook.Each(func(id, bsuid, phone string) {
						if phone != "" {
							bsuid = ""
						}
						r.Message(id, bsuid, phone)
					}, r.Change)
				}
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, failed := plain.New(), &recorder{TB: t}
			Run(failed, Receiver{Handler: test.serve(r), AppSecret: "app secret", ContactsOf: r.ContactsOf})
			require.Contains(t, failed.all(), test.want)
			require.LessOrEqual(t, len(failed.errors), 50, "a failing receiver does not flood the log")
		})
	}
}

func TestRunReportsMessagesThatAreStoredTwice(t *testing.T) {
	stored := map[string][]string{}
	receiver := http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		var hook plain.Webhook
		if json.NewDecoder(q.Body).Decode(&hook) == nil {
			hook.Each(func(id, bsuid, _ string) { stored[id] = append(stored[id], bsuid) }, func(string, string, *plain.IDs) {})
		}
	})
	failed := &recorder{TB: t}
	Run(failed, Receiver{Handler: receiver, ContactsOf: func(id string) []string { return stored[id] }})
	require.Contains(t, failed.all(), "duplicate: contact")
}

func TestRunReportsStoredSystemMessages(t *testing.T) {
	r, failed := plain.New(), &recorder{TB: t}
	Run(failed, Receiver{Handler: r, AppSecret: "app secret", ContactsOf: func(id string) []string {
		if contacts := r.ContactsOf(id); contacts != nil {
			return contacts
		}
		return []string{"platform"} // it stores everything
	}})
	require.Contains(t, failed.all(), "system: contact \"platform\" has a message that nobody wrote: wamid.")
}

// Run retries a webhook that the receiver rejects.
func TestRunRepeatsWhatIsRejected(t *testing.T) {
	r, n := plain.New(), 0
	Run(t, Receiver{Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if n++; n%3 == 0 {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		r.ServeHTTP(w, q)
	}), AppSecret: "app secret", ContactsOf: r.ContactsOf})
}

func TestConfigRunInParallel(t *testing.T) {
	var mu sync.Mutex
	r := plain.New()
	c := NewConfig(3, 50, year/2)
	c.Parallel = 8
	c.Run(&recorder{TB: t}, Receiver{Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		r.ServeHTTP(w, q)
	}), AppSecret: "app secret", ContactsOf: r.ContactsOf})
	report := c.story(nil).Judge(lives.Results{ContactsOf: r.ContactsOf})
	require.Equal(t, 50, report.People)
	require.Zero(t, report.Count(lives.Lost))
}
