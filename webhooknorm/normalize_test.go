package webhooknorm_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/internal/check/vectors"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/webhooknorm"
)

type (
	input struct {
		Payload json.RawMessage `json:"payload"`
		Text    *string         `json:"text"`
		Hex     *string         `json:"hex"`
	}
	output struct {
		At string `json:"at"` // where Raw is: a JSON Pointer
		webhooknorm.Event
		methods
	}

	// methods are the members that methods of an event return.
	methods struct {
		UTC            string                `json:"time,omitempty"`
		Repeated       string                `json:"key,omitempty"`
		Shown          string                `json:"text,omitempty"`
		Chosen         string                `json:"choice,omitempty"`
		Entered        json.RawMessage       `json:"flowResponse,omitempty"`
		Advertisement  webhooknorm.Referral  `json:"referral,omitzero"`
		File           webhooknorm.Media     `json:"media,omitzero"`
		Emoji          webhooknorm.Reaction  `json:"reaction,omitzero"`
		Place          *webhooknorm.Location `json:"location,omitempty"`
		Asks           bool                  `json:"wantsReply,omitempty"`
		Person         contact.Address       `json:"address,omitzero"`
		ReplyRecipient contact.Address       `json:"reply,omitzero"`
	}
)

// methodsOf calls an event's methods.
func methodsOf(e webhooknorm.Event) (m methods) {
	if at, ok := e.Time(); ok {
		m.UTC = at.Format(time.RFC3339Nano)
	}
	m.Repeated, m.Shown, m.Asks = e.Key(), e.Text(), e.WantsReply()
	m.Chosen, _ = e.Choice()
	m.Entered, _ = e.FlowResponse()
	m.Advertisement, _ = e.Referral()
	m.Emoji, _ = e.Reaction()
	if place, ok := e.Location(); ok {
		m.Place = &place
	}
	m.File, _ = e.Media()
	m.Person, _ = e.Address()
	m.ReplyRecipient, _ = e.Reply()
	return m
}

// requireMethods requires that an event's methods return what a vector says.
func (want output) requireMethods(t *testing.T, e webhooknorm.Event) {
	t.Helper()
	got := methodsOf(e)
	if want.Entered != nil {
		require.JSONEq(t, string(want.Entered), string(got.Entered))
		want.Entered = got.Entered
	}
	require.Equal(t, want.methods, got, "%s", e.Raw)
}

// compactContext removes the layout of a vector, in which the context has another depth.
func compactContext(events []webhooknorm.Event) {
	for i := range events {
		if c := &events[i].ConversationContext; *c != nil {
			var b bytes.Buffer
			_ = json.Compact(&b, *c)
			*c = b.Bytes()
		}
	}
}

func (want output) event(t testing.TB, payload []byte) webhooknorm.Event {
	want.Raw = resolve(t, payload, want.At)
	return want.Event
}

func (in input) bytes(t testing.TB) []byte {
	switch {
	case in.Text != nil:
		return []byte(*in.Text)
	case in.Hex != nil:
		b, err := hex.DecodeString(*in.Hex)
		require.NoError(t, err)
		return b
	default:
		require.NotEmpty(t, in.Payload, "a vector without input")
		return in.Payload
	}
}

func loadVectors(t testing.TB) []vectors.Vector[input, []output] {
	file, err := vectors.Load[input, []output]("webhook_normalize.json")
	require.NoError(t, err)
	return file.Vectors
}

func TestNormalizeVectors(t *testing.T) {
	for _, v := range loadVectors(t) {
		t.Run(v.ID, func(t *testing.T) {
			payload := v.Input.bytes(t)
			events, err := webhooknorm.Normalize(payload)
			if v.Output == nil {
				require.Equal(t, v.Codes, problem.All(err).Codes())
				require.Empty(t, events)
				return
			}
			require.NoError(t, err)
			require.Len(t, events, len(*v.Output))
			wanted := []webhooknorm.Event{}
			for _, want := range *v.Output {
				wanted = append(wanted, want.event(t, payload))
			}
			compactContext(events)
			compactContext(wanted)
			for i, want := range wanted {
				require.Equal(t, want, events[i], "event %d", i)
				(*v.Output)[i].requireMethods(t, events[i])
			}
		})
	}
}

// resolve returns the bytes at a JSON Pointer.
func resolve(t testing.TB, text json.RawMessage, pointer string) []byte {
	for step := range strings.SplitSeq(pointer, "/") {
		if step == "" { // before the first slash
			continue
		}
		if i, err := strconv.Atoi(step); err == nil {
			var array []json.RawMessage
			require.NoError(t, json.Unmarshal(text, &array))
			text = array[i]
		} else {
			var object map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(text, &object))
			text = object[step]
		}
	}
	return text
}

func TestErrors(t *testing.T) {
	for payload, want := range map[string]string{
		"":                                 "found the end of the text at byte 0",
		`{"messages":[`:                    "found the end of the text at byte 13",
		`{"messages":[]} {}`:               "found something after the first value at byte 16",
		`{"messages":[],"x":"` + "\xff\"}": "found bytes that are not UTF-8 at byte 20",
		`{"a":1,"a":2}`:                    "found a duplicate name at byte 7",
		`{"a":}`:                           "found invalid character '}' at start of value at byte 5",
		strings.Repeat("[", 129):           "found deeper nesting at byte 128",
		`[]`:                               "webhook payload is an array",
	} {
		_, err := webhooknorm.Normalize([]byte(payload))
		require.ErrorContains(t, err, want)
		codes := problem.All(fmt.Errorf("wrapped: %w", err)).Codes()
		require.Len(t, codes, 1)
		require.Contains(t, []problem.Code{webhooknorm.CodeInvalidJSON, webhooknorm.CodeUnrecognizedShape}, codes[0])
	}
}

// A connection can break anywhere. No part of a payload is a payload.
func TestEveryTruncationIsRejected(t *testing.T) {
	payload := batch(3)
	for n := range len(payload) {
		events, err := webhooknorm.Normalize(payload[:n])
		require.ErrorIs(t, err, webhooknorm.CodeInvalidJSON, "%d bytes", n)
		require.Empty(t, events)
	}
}

// More contacts than events, and more events than contacts, in one value. If either
// were searched for the other, this would take minutes.
func TestHostileBatchFinishes(t *testing.T) {
	const n = 8_000
	var b strings.Builder
	b.WriteString(`{"contacts":[{}`)
	for i := range n {
		fmt.Fprintf(&b, `,{"user_id":"US.%d","parent_user_id":"US.ENT.1","wa_id":"1%d","profile":{"name":"N%d"}}`, i, i, i)
	}
	b.WriteString(`],"messages":[{}`)
	for i := range n {
		if i%2 == 0 {
			fmt.Fprintf(&b, `,{"from_user_id":"AA.%d","from_parent_user_id":"AA.ENT.1","from":"1%d"}`, i, n-i)
		} else {
			fmt.Fprintf(&b, `,{"from":"1%d"}`, n-i)
		}
	}
	b.WriteString(`],"statuses":[{}`)
	for range n {
		b.WriteString(`,{"recipient_parent_user_id":"US.ENT.1"}`)
	}
	b.WriteString(`]}`)
	events, err := webhooknorm.Normalize([]byte(b.String()))
	require.NoError(t, err)
	require.Len(t, events, 2*n+2)
	require.Equal(t, "N7999", events[2].DisplayName)
	require.Empty(t, events[1].DisplayName, "nobody has that number")
	require.Empty(t, events[3].DisplayName, "somebody with another BSUID has that number")
	require.Equal(t, "US.ENT.1", events[2*n].BSUID)
	require.Empty(t, events[2*n].DisplayName, "eight thousand people share that parent")
}

// batch returns a payload of n changes like those that arrive.
func batch(n int) []byte {
	b := []byte(`{"object":"whatsapp_business_account","entry":[{"id":"102290129340398","changes":[`)
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"value":{"messaging_product":"whatsapp",`+
			`"metadata":{"display_phone_number":"15550783881","phone_number_id":"106540352242922"},`+
			`"contacts":[{"profile":{"name":"Ada Lovelace","username":"ada.l"},"wa_id":"4915100%06d","user_id":"DE.%016d"}],`+
			`"messages":[{"from":"4915100%06d","from_user_id":"DE.%016d","id":"wamid.HBgLNDkxNTEwMDAwMDAVAgASGBQz%06d",`+
			`"timestamp":"1763700000","context":{"from":"15550783881","id":"wamid.HBgLMTY1MDM4Nzk0MzkVAgARGA=="},`+
			`"text":{"body":"Gr\u00fc\u00dfe, \ud83d\ude00 and a line of text that is as long as people write."},"type":"text"}]},"field":"messages"}`,
			i, i, i, i, i)
	}
	return append(b, `]}]}`...)
}

func BenchmarkNormalize(b *testing.B) {
	for _, n := range []int{1, 100, 1000} {
		payload := batch(n)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.SetBytes(int64(len(payload)))
			b.ReportAllocs()
			for b.Loop() {
				if events, err := webhooknorm.Normalize(payload); err != nil || len(events) != n {
					b.Fatal(len(events), err)
				}
			}
		})
	}
}
