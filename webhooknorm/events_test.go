package webhooknorm_test

import (
	"bytes"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/webhooknorm"
)

// many returns an array of n elements.
func many(n int, element string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
}

// Payloads with so many events that Events does not gather them.
func TestEventsOfLargePayloads(t *testing.T) {
	const contact = `"contacts":[{"wa_id":"491","profile":{"name":"Ada"}}]`
	for _, payload := range []string{
		`{"messages":` + many(1024, `{}`) + `}`,
		`{"messages":` + many(1025, `{}`) + `}`,
		`{"statuses":` + many(5000, `{"recipient_id":"491"}`) + `,"standby":{"messages":` + many(257, `{"from":"491"}`) + `},"messages":` + many(256, `{"id":1}`) + `,` + contact + `}`,
		`{"messages":` + many(5000, `{"from":"491","system":{"user_id":"US.1"}}`) + `,` + contact + `,"metadata":{"phone_number_id":"1"}}`,
		`{"entry":[{"changes":` + many(5000, `{"value":{`+contact+`,"messages":[{"id":"m"}],"calls":[{}]}}`) + `}]}`,
		`{"entry":[{"changes":` + many(3000, `{"value":{`+contact+`,"messages":[{"id":"m"}],"statuses":[{},1]}}`) + `}]}`,
		`{"entry":[{"changes":[{"value":{` + contact + `,"messages":[{"id":"m"}]}},{"value":{"messages":` + many(5000, `{}`) + `}},{"value":{` + contact + `,"statuses":[{"id":"m"}]}},{"value":{}}]}]}`,
		`{"messages":` + many(5000, `{}`) + `,"entry":[{"changes":[{"value":{"messages":[{"id":"m"}]}}]}]}`,
	} {
		checkAgainstReference(t, []byte(payload))
	}
	_, err := webhooknorm.Events([]byte(`{"messages":` + many(5000, `{}`)))
	require.ErrorIs(t, err, webhooknorm.CodeInvalidJSON)
	_, err = webhooknorm.Events([]byte(`{"messages":` + many(5000, `{}`) + `,"entry":[]}`))
	require.ErrorIs(t, err, webhooknorm.CodeUnrecognizedShape)
}

// A loop can end at any event.
func TestEventsStop(t *testing.T) {
	payload := []byte(`{"entry":[{"changes":` + many(3, `{"value":{"messages":`+many(2000, `{"id":"m"}`)+`}}`) + `}]}`)
	for _, n := range []int{1, 2, 255, 256, 257, 2000, 2001, 5999, 6000} {
		events, err := webhooknorm.Events(payload)
		require.NoError(t, err)
		seen := 0
		for range events {
			if seen++; seen == n {
				break
			}
		}
		require.Equal(t, n, seen)
	}
}

// Lists that are longer than guessed are counted first, whatever makes the events.
func TestCountedLists(t *testing.T) {
	handover := `{"value":{"sender":{"wa_id":"491"},"control_passed":{}}}`
	group := `{"type":"t","added_participants":[{"wa_id":"491"},{}],"wa_id":"492"}`
	for _, payload := range []string{
		`{"messages":` + many(8191, `{}`) + `}`,
		`{"messages":` + many(8192, `{}`) + `}`,
		`{"messages":` + many(5000, `{}`) + `,"sender":{"wa_id":"491"}}`,
		`{"messages":` + many(5000, `{"system":{"user_id":"US.1"}}`) + `,"statuses":` + many(5000, `{}`) + `}`,
		`{"statuses":` + many(5000, `{}`) + `,"messages":` + many(5000, `{"system":{"user_id":"US.1"}}`) + `}`,
		`{"contacts":[{"wa_id":"491"}],"messages":` + many(5000, `{"from":"491"}`) + `,"groups":` + many(5000, group) + `,"metadata":{"phone_number_id":"1"}}`,
		`{"entry":[{"changes":` + many(6000, handover) + `}]}`,
		`{"entry":[{"changes":[{"value":{"user_id_update":` + many(6000, `{"wa_id":"1","user_id":{"current":"US.1"}}`) + `}}]}]}`,
		`{"messages":` + many(20_000, `{}`) + `,"entry":[{"changes":[{"value":{"messages":` + many(10_000, `{}`) + `}}]}]}`,
		`{"messages":` + many(10, `{}`) + `,"entry":[{"changes":[{"value":{"messages":` + many(10_000, `{}`) + `}}]}]}`,
		`{"messages":` + many(10_000, `{}`) + `,"entry":[{"changes":[{}]}]}`,
	} {
		text := []byte(payload)
		for _, all := range []bool{false, true} {
			want, _ := referenceRead(text, all)
			got, err := webhooknorm.Read(text)
			if !all {
				got = webhooknorm.Webhook{}
				got.Events, err = webhooknorm.Normalize(text)
			}
			require.NoError(t, err)
			require.True(t, reflect.DeepEqual(want, got), "%.100s", payload)
			if len(got.Events) > 8192 {
				require.Equal(t, len(got.Events), cap(got.Events), "no spare capacity: %.100s", payload)
			}
		}
	}
}

// What Events allocates is bounded by the size of the payload, whatever is in it.
func TestEventsMemory(t *testing.T) {
	const size = 1 << 20
	for _, element := range []string{`{}`, `{"id":1}`, `{"from":"491","id":"m"}`, `{"system":{"user_id":"a"}}`, `[]`, `"\u00e9"`} {
		payload := []byte(`{"messages":` + many(size/(len(element)+1), element) + `}`)
		events, err := webhooknorm.Events(payload)
		require.NoError(t, err)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for range events {
			runtime.ReadMemStats(&after)
			break
		}
		require.Less(t, after.HeapAlloc, before.HeapAlloc+2*size, element)
	}
}

// A contact for every few bytes takes about ten times the size of the payload, in all functions.
func TestContactsMemory(t *testing.T) {
	var b strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&b, `,{"wa_id":%d},{"wa_id":%d}`, i, i)
	}
	payload := []byte(`{"contacts":[` + b.String()[1:] + `],"messages":[{"from":1}]}`)
	for name, read := range map[string]func() error{
		"Normalize": func() error { _, err := webhooknorm.Normalize(payload); return err },
		"Read":      func() error { _, err := webhooknorm.Read(payload); return err },
		"Events":    func() error { _, err := webhooknorm.Events(payload); return err },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		require.NoError(t, read())
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, 12*uint64(len(payload)), name)
	}
}

func ExampleEvents() {
	payload := bytes.Repeat([]byte(`{"from":"16505551234"},`), 100_000)
	payload = append(append([]byte(`{"messages":[`), payload[:len(payload)-1]...), "]}"...)
	events, err := webhooknorm.Events(payload)
	if err != nil {
		fmt.Println(err)
		return
	}
	n := 0
	for e := range events {
		if e.Phone != "" {
			n++
		}
	}
	fmt.Println(n)
	// Output: 100000
}
