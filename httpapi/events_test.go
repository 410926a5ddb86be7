package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/vectors"
	"github.com/hailmark/hailmark/webhooknorm"
)

// requireSameResponse compares the response that is encoded from a list of events with
// the one that is encoded from the events.
func requireSameResponse(t testing.TB, payload []byte) *eventList {
	t.Helper()
	events, err := webhooknorm.Normalize(payload)
	if err != nil {
		return nil
	}
	var want, got bytes.Buffer
	wantErr := writeNormalizedWebhook(&want, slices.Values(events))
	list := newEventList(payload, events)
	require.Equal(t, wantErr, writeNormalizedWebhook(&got, list.all))
	require.Equal(t, want.String(), got.String())
	require.LessOrEqual(t, list.memory(), 3*len(payload)+16)
	return list
}

func webhookPayloads(t testing.TB) (payloads [][]byte) {
	file, err := vectors.Load[map[string]json.RawMessage, json.RawMessage]("webhook_normalize.json")
	require.NoError(t, err)
	for _, v := range file.Vectors {
		payloads = append(payloads, v.Input["payload"])
	}
	return payloads
}

func TestEventListOfVectors(t *testing.T) {
	lists := 0
	for _, payload := range webhookPayloads(t) {
		if list := requireSameResponse(t, payload); list != nil && len(list.rows) > 0 {
			lists++
		}
	}
	require.Greater(t, lists, 50)
}

// Statuses come after messages in a response, wherever they are in the payload.
func TestEventListOutOfOrder(t *testing.T) {
	requireSameResponse(t, []byte(`{"statuses":[{"recipient_id":"2"},{"recipient_id":"3"}],"messages":[{"from":"1"},{"from":"2"}]}`))
}

// The names of one contact, however long, are kept once.
func TestEventListKeepsTextsOnce(t *testing.T) {
	name := strings.Repeat("n", 10_000)
	payload := `{"contacts":[{"wa_id":"1","profile":{"name":"` + name + `","username":"jane"}}],"messages":[{"from":"1"}` + strings.Repeat(`,{"from":"1"}`, 999) + `]}`
	list := requireSameResponse(t, []byte(payload))
	require.Equal(t, "1jane"+name, list.texts)
	require.Len(t, list.ends, 3)
}

func TestEventListOfEmptyMessages(t *testing.T) {
	list := requireSameResponse(t, []byte(webhookOf(10_000)))
	require.Len(t, list.rows, 30_000)
	require.Empty(t, list.texts)
}

func TestEventListOfRandomWebhooks(t *testing.T) {
	for range 300 {
		list := requireSameResponse(t, randomWebhook())
		require.NotNil(t, list)
	}
}

func randomWebhook() []byte {
	var b bytes.Buffer
	b.WriteString(`{"entry":[{"changes":[`)
	for i := range 1 + rand.N(4) {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"value":{"contacts":[{"wa_id":"%d","user_id":"US.%d","profile":{"name":"é%d","username":"u%d"}}]`, rand.N(9), rand.N(9), rand.N(300), rand.N(300))
		for _, array := range []string{"statuses", "messages"} {
			fmt.Fprintf(&b, `,%q:[{}`, array)
			for range rand.N(200) {
				fmt.Fprintf(&b, `,{"from":"%d","recipient_id":"%d","from_user_id":"US.%d","x":%q}`, rand.N(9), rand.N(200), rand.N(9), strings.Repeat("x", rand.N(300)))
			}
			b.WriteByte(']')
		}
		b.WriteString(`}}`)
	}
	b.WriteString(`]}]}`)
	return b.Bytes()
}

// A consumer may stop early.
func TestEventListStops(t *testing.T) {
	list := requireSameResponse(t, []byte(webhookOf(10)))
	seen := 0
	for range list.all {
		if seen++; seen == 3 {
			break
		}
	}
	require.Equal(t, 3, seen)
}

func FuzzEventList(f *testing.F) {
	for _, payload := range webhookPayloads(f) {
		f.Add([]byte(payload))
	}
	f.Fuzz(func(t *testing.T, payload []byte) { requireSameResponse(t, payload) })
}
