package simulate

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/webhooknorm"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest/lives"
)

// fifteen are the default lives of the command.
func fifteen() lives.Story { return lives.Scenarios(0, lives.Conditions{Repeat: 0.2}, nil) }

// rehearse rehearses a receiver that gets the base URL of the stand-in.
func rehearse(t *testing.T, r Rehearsal, newReceiver func(graph string) (webhook, ask http.HandlerFunc)) Result {
	t.Helper()
	return rehearseUntil(t, "", r, newReceiver)
}

// rehearseUntil is like rehearse, but fails unless the rehearsal ends with an error, if that's not "".
func rehearseUntil(t *testing.T, failure string, r Rehearsal, newReceiver func(graph string) (webhook, ask http.HandlerFunc)) Result {
	t.Helper()
	var handler http.ServeMux
	server := httptest.NewServer(&handler)
	t.Cleanup(server.Close)
	r.Webhook, r.Secret, r.Wait = server.URL+"/webhook", "secret", cmp.Or(r.Wait, 200*time.Millisecond)
	stage := NewStage(r)
	graph := httptest.NewServer(stage.Graph())
	t.Cleanup(graph.Close)
	webhook, ask := newReceiver(graph.URL)
	handler.Handle("/webhook", webhook)
	if ask != nil {
		stage.Ask = server.URL + "/ask"
		handler.Handle("/ask", ask)
	}
	result, err := stage.Run(t.Context())
	if failure != "" {
		require.ErrorContains(t, err, failure)
		return result
	}
	require.NoError(t, err)
	return result
}

// verdicts are the mistakes that each wrong receiver must make in the fifteen lives, at least, and none else.
var verdicts = map[string][]lives.Mistake{
	"phone only":        {lives.Lost, lives.Mixed, lives.Split, lives.Unanswered},
	"phone first":       {lives.Mixed, lives.Split},
	"BSUID only":        {lives.Lost, lives.Split, lives.Unanswered},
	"BSUID, else phone": {lives.Split},
	"upsert both":       {lives.Mixed, lives.Split},
}

func TestWrongReceivers(t *testing.T) {
	for name, keys := range wrongReceivers {
		t.Run(name, func(t *testing.T) {
			result := rehearse(t, Rehearsal{Story: fifteen()}, func(graph string) (http.HandlerFunc, http.HandlerFunc) {
				r := &receiver{t: t, graph: graph, keys: keys, contacts: map[string]string{}, messages: map[string]string{}}
				return r.webhook, r.ask
			})
			require.ElementsMatch(t, verdicts[name], result.Kinds())
			for _, m := range result.Mistakes {
				require.NotEmpty(t, m.Life)
				for _, message := range m.Messages {
					require.NotEmpty(t, message.Payload, m.Text)
				}
			}
		})
	}
}

func TestRightReceiver(t *testing.T) {
	for name, story := range map[string]lives.Story{
		"fifteen lives": fifteen(),
		"other people":  lives.Scenarios(7, lives.Conditions{Repeat: 0.5}, nil),
		"disorder":      lives.Scenarios(3, lives.Conditions{Repeat: 0.2, Shuffle: 0.3, Lose: 0.05}, nil),
		"a world":       lives.NewWorld(2, 20, 365*24*time.Hour).Story(nil),
	} {
		t.Run(name, func(t *testing.T) {
			result := rehearse(t, Rehearsal{Story: story}, func(graph string) (http.HandlerFunc, http.HandlerFunc) {
				r := newRight(t, graph)
				if name == "disorder" { // in which the receiver splits people, so only its replies count
					return r.webhook, nil
				}
				return r.webhook, r.ask
			})
			for _, m := range result.Mistakes {
				t.Error(m.Text)
			}
			require.NotZero(t, result.Replies)
		})
	}
}

// A receiver that answers the webhook before it handles it is judged alike.
func TestAsynchronousReceiver(t *testing.T) {
	var handled sync.WaitGroup
	queue := make(chan []byte, 1000)
	result := rehearse(t, Rehearsal{Story: fifteen()}, func(graph string) (http.HandlerFunc, http.HandlerFunc) {
		r := newRight(t, graph)
		go func() {
			for body := range queue {
				r.receive(body)
				handled.Done()
			}
		}()
		webhook := func(w http.ResponseWriter, q *http.Request) {
			body, err := io.ReadAll(q.Body)
			require.NoError(t, err)
			if !webhooknorm.VerifySignature(body, q.Header.Get(lives.SignatureHeader), []byte("secret")) {
				http.Error(w, "bad signature", http.StatusForbidden)
				return
			}
			handled.Add(1)
			queue <- body
		}
		return webhook, func(w http.ResponseWriter, q *http.Request) {
			handled.Wait()
			r.ask(w, q)
		}
	})
	close(queue)
	for _, m := range result.Mistakes {
		t.Error(m.Text)
	}
}

func TestReadContacts(t *testing.T) {
	for answer, want := range map[string][]string{
		`{"contact":"7"}`: {"7"}, `{"contact":7}`: {"7"}, `{}`: nil, `{"contact":["a","b"]}`: {"a", "b"}, `{"contact":[]}`: nil,
		`{"contact":null}`: {nameless}, `{"contact":""}`: {nameless}, `{"contact":[null,""]}`: {nameless, nameless},
	} {
		got, err := readContacts([]byte(answer))
		require.NoError(t, err, answer)
		require.Equal(t, want, got, answer)
	}
	for _, answer := range []string{``, `7`, `{"contact":{}}`, `{"contact":[[]]}`, `{"contact":true}`} {
		_, err := readContacts([]byte(answer))
		require.Error(t, err, answer)
	}
}

// A receiver that answers everything with an address, in the worst way, makes the mistakes that the
// stand-in sees.
func TestWrongReplies(t *testing.T) {
	for name, test := range map[string]struct {
		reply func(graph string, e *webhooknorm.Event)
		want  lives.Mistake
	}{
		"answers everything": {func(graph string, e *webhooknorm.Event) {
			if e.BSUID != "" || e.Phone != "" {
				e.Kind, e.Type, e.Standby, e.Field, e.GroupID = webhooknorm.KindMessage, "text", false, "messages", ""
				sendText(t, graph, e)
			}
		}, lives.Replied},
		"answers twice": {func(graph string, e *webhooknorm.Event) {
			if e.WantsReply() {
				sendText(t, graph, e)
				sendText(t, graph, e)
			}
		}, lives.Repeated},
		"puts BSUIDs into to": {func(graph string, e *webhooknorm.Event) {
			if e.WantsReply() {
				send(t, graph, e.PhoneNumberID, "to", cmp.Or(e.BSUID, e.Phone))
			}
		}, bsuidInTo},
		"puts numbers into recipient": {func(graph string, e *webhooknorm.Event) {
			if e.WantsReply() {
				send(t, graph, e.PhoneNumberID, "recipient", cmp.Or(e.Phone, e.BSUID))
			}
		}, misdirected},
		"answers somebody else": {func(graph string, e *webhooknorm.Event) {
			if e.WantsReply() && e.Phone != "" {
				send(t, graph, e.PhoneNumberID, "to", "15005550199")
			}
		}, misdirected},
	} {
		t.Run(name, func(t *testing.T) {
			result := rehearse(t, Rehearsal{Story: fifteen()}, func(graph string) (http.HandlerFunc, http.HandlerFunc) {
				return func(_ http.ResponseWriter, q *http.Request) {
					for _, e := range readAll(t, q) {
						test.reply(graph, &e)
					}
				}, nil
			})
			require.Contains(t, result.Kinds(), test.want)
		})
	}
}

func readAll(t *testing.T, q *http.Request) []webhooknorm.Event {
	body, err := io.ReadAll(q.Body)
	require.NoError(t, err)
	webhook, err := webhooknorm.Read(body)
	require.NoError(t, err)
	return webhook.Events
}

// Silent receivers can only be judged by their own data.
func TestReceiverThatDoesNotReply(t *testing.T) {
	stage := NewStage(Rehearsal{Story: fifteen(), Wait: time.Millisecond})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	stage.Webhook = server.URL
	_, err := stage.Run(t.Context())
	require.ErrorContains(t, err, "the receiver has sent no reply to the stand-in")

	result := rehearse(t, Rehearsal{Story: fifteen(), Wait: time.Millisecond}, func(string) (http.HandlerFunc, http.HandlerFunc) {
		r := newRight(t, "")
		r.isSilent = true
		return r.webhook, r.ask
	})
	require.Equal(t, []Mistake{}, result.Mistakes)
}

// Without webhooks there's nothing to check.
func TestAllEventsAreLost(t *testing.T) {
	rehearseUntil(t, "all events are lost", Rehearsal{Story: lives.Scenarios(0, lives.Conditions{Lose: 1}, nil)}, func(string) (http.HandlerFunc, http.HandlerFunc) {
		return http.NotFound, nil
	})
}

// Whichever webhooks a receiver rejects, the rehearsal goes on, and says what they have in common.
func TestReceiverThatRejectsSome(t *testing.T) {
	for what, rejects := range map[string]func(body string) bool{
		"with the field messaging_handovers": func(body string) bool { return strings.Contains(body, `"field":"messaging_handovers"`) },
		"with messages[].type system":        func(body string) bool { return strings.Contains(body, `"type":"system"`) },
		"with value without contacts":        func(body string) bool { return !strings.Contains(body, `"contacts":[{`) },
		"with contacts[] without wa_id": func(body string) bool {
			return strings.Contains(body, `"contacts":[{`) && !strings.Contains(body, `"wa_id"`)
		},
		"with statuses":                        func(body string) bool { return strings.Contains(body, `"statuses":`) },
		"with contacts[].profile without name": func(body string) bool { return strings.Contains(body, `"profile":{"username"`) },
	} {
		t.Run(what, func(t *testing.T) {
			total := 0
			result := rehearse(t, Rehearsal{Story: fifteen(), Wait: time.Millisecond}, func(graph string) (http.HandlerFunc, http.HandlerFunc) {
				r := newRight(t, graph)
				return func(w http.ResponseWriter, q *http.Request) {
					body, err := io.ReadAll(q.Body)
					require.NoError(t, err)
					if rejects(string(body)) {
						total++
						http.Error(w, "tea", http.StatusTeapot)
						return
					}
					q.Body = io.NopCloser(bytes.NewReader(body))
					r.webhook(w, q)
				}, r.ask
			})
			require.NotZero(t, total)
			require.Equal(t, rejected, result.Causes[0].Mistake)
			require.Contains(t, result.Causes[0].Text, `rejected: the receiver answers 418 I'm a teapot "tea\n" to `)
			require.Contains(t, result.Causes[0].Text, what)
			for _, c := range result.Causes[1:] {
				require.NotEqual(t, rejected, c.Mistake, c.Text)
				require.NotEqual(t, lives.Lost, c.Mistake, "what's lost follows from the rejected webhooks: %s", c.Text)
			}
		})
	}
}

// A receiver that rejects all webhooks can't be tested, which the result shows.
func TestReceiverThatRejects(t *testing.T) {
	result := rehearseUntil(t, `the receiver accepted no webhook; it answered the first one with 404 Not Found`, Rehearsal{Story: fifteen()}, func(string) (http.HandlerFunc, http.HandlerFunc) {
		return http.NotFound, http.NotFound
	})
	require.Equal(t, result.Webhooks, len(result.Mistakes)-countRepetitions(fifteen()))
	require.Len(t, result.Causes, 1)
	require.Contains(t, result.Causes[0].Text, "webhooks whatever they contain")
}

func countRepetitions(story lives.Story) (n int) {
	for d := range story.Deliveries() {
		if d.Repeat {
			n++
		}
	}
	return n
}

// A crashing receiver stops at each message that contains no number, and is started again, unless that's too late.
func TestReceiverThatCrashes(t *testing.T) {
	for name, restarts := range map[string]bool{"is started again": true, "stays down": false} {
		t.Run(name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			address := listener.Addr().String()
			stage := NewStage(Rehearsal{Story: fifteen(), Webhook: "http://" + address + "/webhook", Ask: "http://" + address + "/ask", Secret: "secret", Wait: time.Millisecond})
			graph := httptest.NewServer(stage.Graph())
			defer graph.Close()
			r := newRight(t, graph.URL)
			var server *http.Server
			start := func(listener net.Listener) {
				var handler http.ServeMux
				process := &http.Server{Handler: &handler}
				server = process
				handler.HandleFunc("/ask", r.ask)
				handler.HandleFunc("/webhook", func(w http.ResponseWriter, q *http.Request) {
					body, err := io.ReadAll(q.Body)
					require.NoError(t, err)
					if bytes.Contains(body, []byte(`"messages":[{"from_user_id"`)) {
						_ = process.Close() // as if the process had ended
						return
					}
					q.Body = io.NopCloser(bytes.NewReader(body))
					r.webhook(w, q)
				})
				go func() { _ = process.Serve(listener) }()
			}
			start(listener)
			defer func() { _ = server.Close() }()
			var crashes []int
			stage.Crashed = func(webhook int) {
				crashes = append(crashes, webhook)
				if restarts {
					listener, err := net.Listen("tcp", address)
					require.NoError(t, err)
					start(listener)
				}
			}
			result, err := stage.Run(t.Context())
			require.NotEmpty(t, crashes)
			require.Equal(t, crashed, result.Causes[0].Mistake)
			require.Equal(t, crashes[0], result.Causes[0].Webhook)
			require.Regexp(t, "^crashed: the receiver stops at [0-9]+ webhooks? with (messages|contacts)\\[] ", result.Causes[0].Text)
			for _, m := range result.Mistakes {
				if m.Mistake == crashed {
					require.Contains(t, crashes, m.Messages[0].Webhook)
					require.NotEmpty(t, m.Messages[0].Payload)
				}
			}
			if !restarts {
				require.ErrorContains(t, err, fmt.Sprintf("the receiver stopped while it handled webhook %d and didn't run again", crashes[0]))
				require.Len(t, crashes, 1)
				require.Equal(t, crashes[0], result.Webhooks)
				return
			}
			require.NoError(t, err)
			require.Greater(t, len(crashes), 5)
			for _, m := range result.Mistakes {
				if m.Mistake == lives.Lost || m.Mistake == lives.Unanswered {
					require.Contains(t, m.Text, "because the receiver crashed at webhook ")
				}
			}
		})
	}
}

// An interrupted rehearsal tells what it has found.
func TestInterruptedRehearsal(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	posts := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if posts++; posts == 2 {
			http.Error(w, "", http.StatusInternalServerError)
		}
	}))
	defer server.Close()
	stage := NewStage(Rehearsal{Story: fifteen(), Webhook: server.URL, Ask: server.URL, Wait: time.Millisecond, Progress: func(n int) {
		if n == 5 {
			cancel()
		}
	}})
	result, err := stage.Run(ctx)
	require.ErrorIs(t, err, errInterrupted)
	require.LessOrEqual(t, result.Webhooks, 6)
	require.LessOrEqual(t, result.Messages, 6)
	require.NotZero(t, result.Messages)
}

// A rejection shows the response's text, but not the markup of an error page.
func TestResponses(t *testing.T) {
	for contentType, want := range map[string]string{
		"text/plain":               `with 500 Internal Server Error "<p>out of memory"`,
		"text/html; charset=utf-8": `with 500 Internal Server Error`,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(http.StatusInternalServerError)
			_, err := io.WriteString(w, "<p>out of memory")
			assert.NoError(t, err)
		}))
		_, err := NewStage(Rehearsal{Story: fifteen(), Webhook: server.URL, Wait: time.Millisecond}).Run(t.Context())
		server.Close()
		require.Error(t, err)
		require.Regexp(t, regexp.QuoteMeta(want)+"$", err.Error())
	}
}

// One answer that can't be read doesn't end the rehearsal: the message is lost, and the mistake says why.
func TestUnreadableAnswers(t *testing.T) {
	result := rehearse(t, Rehearsal{Story: fifteen(), Wait: time.Millisecond}, func(graph string) (http.HandlerFunc, http.HandlerFunc) {
		r, n := newRight(t, graph), 0
		return r.webhook, func(w http.ResponseWriter, q *http.Request) {
			if n++; n == 3 {
				http.Error(w, "", http.StatusInternalServerError)
				return
			}
			r.ask(w, q)
		}
	})
	require.Len(t, result.Mistakes, 1)
	require.Equal(t, lives.Lost, result.Mistakes[0].Mistake)
	require.Contains(t, result.Mistakes[0].Text, "/ask answered 500 Internal Server Error; 200 or 404 is expected")
	require.Contains(t, result.Causes[0].Text, "lost: 1 message because ")

	rehearseUntil(t, "the receiver answered no question for a contact", Rehearsal{Story: fifteen(), Wait: time.Millisecond}, func(graph string) (http.HandlerFunc, http.HandlerFunc) {
		return newRight(t, graph).webhook, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }
	})
}

// Messages that a receiver leaves out are grouped by what they have in common.
func TestCausesOfLostMessages(t *testing.T) {
	for what, loses := range map[string]func(e *webhooknorm.Event) bool{
		"in the history":   func(e *webhooknorm.Event) bool { return e.Kind == webhooknorm.KindHistory },
		"in standby":       func(e *webhooknorm.Event) bool { return e.Standby },
		"of the type edit": func(e *webhooknorm.Event) bool { return e.Type == "edit" },
	} {
		t.Run(what, func(t *testing.T) {
			result := rehearse(t, Rehearsal{Story: fifteen(), Wait: time.Millisecond}, func(graph string) (http.HandlerFunc, http.HandlerFunc) {
				r, lost := newRight(t, graph), map[string]bool{}
				return func(w http.ResponseWriter, q *http.Request) {
						body, err := io.ReadAll(q.Body)
						require.NoError(t, err)
						q.Body = io.NopCloser(bytes.NewReader(body))
						for _, e := range readAll(t, q) {
							lost[e.MessageID] = lost[e.MessageID] || loses(&e)
						}
						q.Body = io.NopCloser(bytes.NewReader(body))
						r.webhook(w, q)
					}, func(w http.ResponseWriter, q *http.Request) {
						answer(t, w, q, func(id string) string {
							if lost[id] {
								return ""
							}
							return r.contacts.Messages[id]
						})
					}
			})
			require.Regexp(t, "^lost: [0-9]+ messages? "+what+"$", result.Causes[0].Text)
			require.Greater(t, 2*result.Causes[0].Count, len(result.Mistakes))
		})
	}
}

// A receiver that accepts forged webhooks makes one mistake, and none otherwise.
func TestForgedWebhooks(t *testing.T) {
	for name, test := range map[string]struct {
		accepts func(signature string) bool
		want    string
	}{
		"any":           {func(string) bool { return true }, "with a wrong signature, with an empty signature, with no signature;"},
		"none required": {func(signature string) bool { return signature == "" }, "to a webhook with no signature;"},
		"all verified":  {func(string) bool { return false }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			result := rehearse(t, Rehearsal{Story: fifteen()}, func(graph string) (http.HandlerFunc, http.HandlerFunc) {
				r := newRight(t, graph)
				return func(w http.ResponseWriter, q *http.Request) {
					body, err := io.ReadAll(q.Body)
					require.NoError(t, err)
					signature := q.Header.Get(lives.SignatureHeader)
					if !test.accepts(signature) && !webhooknorm.VerifySignature(body, signature, []byte("secret")) {
						http.Error(w, "bad signature", http.StatusForbidden)
						return
					}
					r.receive(body)
				}, r.ask
			})
			if test.want == "" {
				require.Equal(t, []Mistake{}, result.Mistakes)
				return
			}
			require.Len(t, result.Mistakes, 1)
			require.Equal(t, forged, result.Mistakes[0].Mistake)
			require.Contains(t, result.Mistakes[0].Text, test.want)
			require.Equal(t, 1, result.Mistakes[0].Messages[0].Webhook)
		})
	}
}

// A test number refuses the number that the webhook contains. The message is answered once the receiver sends to the
// other form, and a receiver that doesn't leaves it unanswered.
func TestReplyToATestNumber(t *testing.T) {
	const refused, allowed = "5215555550100", "525555550100"
	for name, answers := range map[string]bool{"tries again": true, "gives up": false} {
		t.Run(name, func(t *testing.T) {
			result := rehearse(t, Rehearsal{Story: fifteen(), TestNumber: true}, func(graph string) (http.HandlerFunc, http.HandlerFunc) {
				seen := map[string]bool{}
				return func(_ http.ResponseWriter, q *http.Request) {
					for _, e := range readAll(t, q) {
						if !e.WantsReply() || seen[e.Key()] {
							continue
						}
						seen[e.Key()] = true
						if sendText(t, graph, &e) == "" && e.Phone == refused && answers {
							require.NotEmpty(t, send(t, graph, e.PhoneNumberID, "to", allowed))
						}
					}
				}, nil
			})
			kinds := []lives.Mistake{forged}
			if !answers {
				kinds = append(kinds, lives.Unanswered)
			}
			require.ElementsMatch(t, kinds, result.Kinds())
			for _, m := range result.Mistakes {
				if m.Mistake == lives.Unanswered {
					require.Contains(t, m.Text, "because the stand-in refused it with the error 131030")
				}
			}
		})
	}
}

// A receiver that replies from the wrong business number doesn't reach people who have never written to it.
func TestReplyFromTheWrongNumber(t *testing.T) {
	result := rehearse(t, Rehearsal{Story: fifteen()}, func(graph string) (http.HandlerFunc, http.HandlerFunc) {
		return func(_ http.ResponseWriter, q *http.Request) {
			for _, e := range readAll(t, q) {
				if e.WantsReply() {
					e.PhoneNumberID = "106540352242923"
					sendText(t, graph, &e)
				}
			}
		}, nil
	})
	require.Contains(t, result.Kinds(), lives.Unanswered)
	for _, m := range result.Mistakes {
		if m.Mistake == lives.Unanswered {
			require.Contains(t, m.Text, "because the stand-in refused it with the error 131047")
		}
	}
}

// A receiver whose messages aren't recognized learns why.
func TestUnrecognizedMessages(t *testing.T) {
	rehearseUntil(t, "it answered the last one with 404, error 100: Unsupported request (POST /api/v24.0/messages/messages)", Rehearsal{Story: fifteen(), Wait: time.Millisecond}, func(graph string) (http.HandlerFunc, http.HandlerFunc) {
		return func(_ http.ResponseWriter, q *http.Request) {
			for _, e := range readAll(t, q) {
				if e.WantsReply() {
					e.PhoneNumberID = "messages"
					sendText(t, graph+"/api", &e)
				}
			}
		}, http.NotFound
	})
}
