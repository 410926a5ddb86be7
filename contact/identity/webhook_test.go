package identity

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/internal/check/vectors"
	"github.com/hailmark/hailmark/webhooknorm"
)

type factsInput struct {
	Payload json.RawMessage  `json:"payload"`
	Scopes  map[string]Scope `json:"scopes,omitempty"` // by phone number ID
}

func factsOf(t testing.TB, in factsInput) []Fact {
	webhook, err := webhooknorm.Read(in.Payload)
	require.NoError(t, err)
	return FactsOf(webhook, time.Time{}, func(number string) Scope { return in.Scopes[number] })
}

func TestFactsOfVectors(t *testing.T) {
	file, err := vectors.Load[factsInput, []Fact]("identity_facts.json")
	require.NoError(t, err)
	for _, v := range file.Vectors {
		t.Run(v.ID, func(t *testing.T) {
			require.ElementsMatch(t, *v.Output, factsOf(t, v.Input))
		})
	}
}

func TestFactsOfNilSource(t *testing.T) {
	webhook, err := webhooknorm.Read([]byte(`{"entry":[{"changes":[{"value":{"messages":[{"from_user_id":"US.1","timestamp":"1786000000"}]}}]}]}`))
	require.NoError(t, err)
	require.Equal(t, []Fact{seenFact(t, 1786000000, contact.IDs{BSUID: "US.1"})}, FactsOf(webhook, time.Time{}, nil))
}

// A webhook gives the same facts after it went through a queue, and without its payload.
func TestFactsOfStoredWebhook(t *testing.T) {
	check := func(id string, payload []byte) {
		webhook, err := webhooknorm.Read(payload)
		if err != nil {
			return // a vector of what Read rejects
		}
		want := FactsOf(webhook, time.Time{}, nil)
		var queued webhooknorm.Webhook
		text, err := json.Marshal(webhook)
		require.NoError(t, err, id)
		require.NoError(t, json.Unmarshal(text, &queued), id)
		require.Equal(t, want, FactsOf(queued, time.Time{}, nil), id)
		bare := webhooknorm.Webhook{Events: slices.Clone(webhook.Events)}
		for i := range bare.Events {
			bare.Events[i].Raw = nil
		}
		require.Equal(t, want, FactsOf(bare, time.Time{}, nil), id)
	}
	facts, err := vectors.Load[factsInput, []Fact]("identity_facts.json")
	require.NoError(t, err)
	for _, v := range facts.Vectors {
		check(v.ID, v.Input.Payload)
	}
}

func seenFact(t testing.TB, at int64, ids contact.IDs) Fact {
	f, err := Seen(at, Scope{}, contact.Person{IDs: ids})
	require.NoError(t, err)
	return f
}

// BenchmarkFactsOf measures FactsOf against Read on the same payload.
func BenchmarkFactsOf(b *testing.B) {
	payload := []byte(`{"object":"whatsapp_business_account","entry":[{"id":"1","changes":[{"value":{"messaging_product":"whatsapp","metadata":{"display_phone_number":"15550783881","phone_number_id":"106540352242922"},"contacts":[{"profile":{"name":"Jane Doe","username":"jane.doe"},"wa_id":"16505551234","user_id":"US.13491208655302741918"}],"messages":[{"from":"16505551234","from_user_id":"US.13491208655302741918","id":"wamid.HBgLMTY1MDM4Nzk0MzkVAgASGBQzQTRBNjU5OUFFRTAzODEwMTQ0RgA=","timestamp":"1749416383","type":"text","text":{"body":"Does it come in another color?"}}]},"field":"messages"}]}]}`)
	webhook, err := webhooknorm.Read(payload)
	require.NoError(b, err)
	b.Run("Read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = webhooknorm.Read(payload)
		}
	})
	b.Run("FactsOf", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			FactsOf(webhook, time.Time{}, nil)
		}
	})
}

// A server whose clock is wrong loses no facts.
func TestArrivalOutOfRange(t *testing.T) {
	event := webhooknorm.Event{Kind: webhooknorm.KindMessage}
	event.BSUID, event.Timestamp = "US.1", "1786000000"
	webhook := webhooknorm.Webhook{Events: []webhooknorm.Event{event}}
	for _, arrived := range []time.Time{{}, time.Unix(0, 0), time.Unix(-1, 0), time.Unix(math.MaxInt64, 0)} {
		facts := FactsOf(webhook, arrived, nil)
		require.Len(t, facts, 1)
		require.EqualValues(t, 1_786_000_000, facts[0].At())
	}
}
