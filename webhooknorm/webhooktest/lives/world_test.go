package lives

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/webhooknorm"
)

const year = 365 * 24 * time.Hour

// harsh returns a small world in which everything goes wrong often.
func harsh(seed uint64, people int) World {
	w := NewWorld(seed, people, 2*year)
	w.Change, w.rates.leave, w.rates.recycle = 0.5, 0.2, 0.8
	return w.withFaults(0.3, 0.1)
}

// withFaults returns a world with other probabilities for faults.
func (w World) withFaults(all, lose float64) World {
	w.Duplicate, w.Delay, w.Batch, w.Loss = all, all, all, lose
	w.faults = faults{unknownFields: all, omitContacts: all, emptyIDs: all}
	return w
}

// checkWebhook checks what holds for every webhook.
func checkWebhook(t *testing.T, w Delivery) {
	t.Helper()
	require.True(t, json.Valid(w.Body), "%s", w.Body)
	require.Equal(t, -1, bytes.IndexFunc(w.Body, func(r rune) bool { return r < ' ' || r > '~' }), "the platform escapes what is not ASCII")
	require.NotEmpty(t, w.Events)
	for _, e := range w.Events {
		require.False(t, e.Lost)
		require.Contains(t, string(w.Body), strings.ReplaceAll(e.ID, "/", `\/`))
		require.False(t, w.At.Before(e.At), "no webhook arrives before what it reports")
	}
	mac := hmac.New(sha256.New, []byte("secret"))
	mac.Write(w.Body)
	require.Equal(t, "sha256="+hex.EncodeToString(mac.Sum(nil)), Sign(w.Body, "secret"))
}

// checkWorld checks what holds for every world, and returns what was delivered.
func checkWorld(t *testing.T, w World) (bodies []string) {
	t.Helper()
	delivered := map[int]int{}
	var last time.Time
	for hook := range w.Story(nil).Deliveries() {
		checkWebhook(t, hook)
		require.False(t, hook.At.Before(last), "webhooks come in the order of their arrival")
		last = hook.At
		for _, e := range hook.Events {
			delivered[e.Seq]++
		}
		require.Equal(t, hook.Repeat, slices.Contains(bodies, string(hook.Body)))
		bodies = append(bodies, string(hook.Body))
	}
	next := 0
	ids := map[string]bool{}
	last = time.Time{}
	for e := range w.Story(nil).events(newTruth()) {
		require.Equal(t, next, e.Seq)
		require.True(t, e.At.After(last))
		last = e.At
		next++
		require.Equal(t, e.Lost, delivered[e.Seq] == 0, "an event is delivered unless it is lost")
		if e.Kind == KindMessage || e.Kind == KindChange {
			require.False(t, ids[e.ID], "message IDs differ")
			ids[e.ID] = true
		}
		require.True(t, e.Kind == KindUpdate || e.Shown.Phone+e.Shown.BSUID+e.Shared != "", "every other event names somebody")
		for shown, truth := range map[string]string{
			e.Shown.Phone: e.True.Phone, e.Shown.Username: e.True.Username, e.Shared: e.True.Phone, e.Shown.BSUID: e.True.BSUID,
		} {
			if shown != "" && e.Type != "read" { // a receipt can have the previous ids
				require.Equal(t, truth, shown)
			}
		}
	}
	return bodies
}

func TestWorld(t *testing.T) {
	bodies := checkWorld(t, harsh(1, 30))
	require.Equal(t, bodies, checkWorld(t, harsh(1, 30)), "equal seeds give equal bytes")
	require.NotEqual(t, bodies, checkWorld(t, harsh(2, 30)))
}

func TestWorldWithoutFaults(t *testing.T) {
	w := harsh(1, 30).withFaults(0, 0)
	seq := 0
	for hook := range w.Story(nil).Deliveries() {
		require.Len(t, hook.Events, 1)
		require.Equal(t, seq, hook.Events[0].Seq, "in order and once")
		require.Equal(t, hook.At, hook.Events[0].At)
		seq++
	}
	require.NotZero(t, seq)
}

func TestStopEarly(t *testing.T) {
	n := 0
	for range harsh(1, 30).Story(nil).Deliveries() {
		if n++; n == 5 {
			break
		}
	}
	for range harsh(1, 30).Story(nil).events(newTruth()) {
		break
	}
	require.Equal(t, 5, n)
}

func TestRequest(t *testing.T) {
	for hook := range harsh(1, 2).Story(nil).Deliveries() {
		r, err := Request("https://example.com/webhook", "secret", hook.Body)
		require.NoError(t, err)
		body, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		require.Equal(t, hook.Body, body)
		require.True(t, webhooknorm.VerifySignature(body, r.Header.Get(SignatureHeader), []byte("secret")))
		require.False(t, webhooknorm.VerifySignature(body, r.Header.Get(SignatureHeader), []byte("other")))
		_, err = Request(":", "secret", hook.Body)
		require.Error(t, err)
	}
}

// The events of a webhook are what webhooknorm reads out of it.
func TestWebhooknormReadsWhatIsShown(t *testing.T) {
	for hook := range harsh(3, 150).Story(nil).Deliveries() {
		got, err := webhooknorm.Read(hook.Body)
		require.NoError(t, err)
		events := map[string]webhooknorm.Event{}
		for _, e := range got.Events {
			var element struct{ ID, Status, Event string }
			require.NoError(t, json.Unmarshal(e.Raw, &element))
			if element.Event != "" {
				element.Status = "" // the outcome of a call
			}
			events[element.ID+element.Status+element.Event] = e
		}
		handovers := 0
		for _, want := range hook.Events {
			if want.Kind == KindHandover {
				handovers++
			}
		}
		got.Events = slices.DeleteFunc(got.Events, func(e webhooknorm.Event) bool { return e.Handover == nil })
		require.Len(t, got.Events, handovers, "%s", hook.Body)
		bare := !bytes.Contains(hook.Body, []byte(`"contacts":[{"profile"`))
		for _, want := range hook.Events {
			key := want.ID
			switch want.Kind {
			case KindChange, KindParticipant, KindPreference, KindHandover, KindUpdate, KindSent:
				continue
			case KindStatus, KindCall, KindCallToUser:
				key += want.Type
			case KindMessage, KindEcho, KindHistory, KindHistoryEcho:
			}
			e, found := events[key]
			require.True(t, found, "%s of %s", key, hook.Body)
			require.Equal(t, want.Standby, e.Standby, "%s of %s", key, hook.Body)
			if want.Shared == "" { // what the answer to a contact request says of its sender is webhooknorm's choice
				require.Equal(t, want.Shown.Phone, e.Phone, "%s of %s", key, hook.Body)
			}
			if want.Shown.BSUID != "" || len(hook.Events) == 1 { // otherwise a contact of a later event can have it
				require.Equal(t, want.Shown.BSUID, e.BSUID, "%s of %s", key, hook.Body)
				require.Equal(t, want.Shown.Parent, e.ParentBSUID, "%s of %s", key, hook.Body)
			}
			if len(hook.Events) == 1 && !bare && want.Kind == KindMessage {
				require.Equal(t, want.Shown.Username, e.Username)
				require.Equal(t, want.Shown.Name, e.DisplayName)
			}
		}
	}
}

// An announced change has the ids that webhooknorm reads as previous and current.
func TestWebhooknormReadsAnnouncedChanges(t *testing.T) {
	announced, silent := 0, 0
	for hook := range harsh(3, 150).Story(nil).Deliveries() {
		got, err := webhooknorm.Read(hook.Body)
		require.NoError(t, err)
		changes := map[string]webhooknorm.IdentityChange{}
		for _, e := range got.Events {
			if e.Change != nil {
				changes[e.MessageID] = *e.Change
			}
		}
		for _, want := range hook.Events {
			c, found := changes[want.ID]
			if want.Kind != KindChange {
				require.False(t, found, "%s", hook.Body)
				continue
			}
			require.True(t, found, "%s of %s", want.ID, hook.Body)
			announced++
			require.Equal(t, want.Previous.BSUID, c.Previous.BSUID, "%s", hook.Body)
			require.Equal(t, want.Previous.Phone, c.Previous.Phone, "%s", hook.Body)
			require.Equal(t, want.Shown.BSUID, c.Current.BSUID, "%s", hook.Body)
			require.Equal(t, want.Shown.Phone, c.Current.Phone, "%s", hook.Body)
		}
		if len(changes) == 0 {
			silent++
		}
	}
	require.NotZero(t, announced)
	require.NotZero(t, silent)
}

func FuzzWorld(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint8(100), 0.5, 0.5)
	f.Add(uint64(0), uint8(0), uint8(0), 0.0, 1.0)
	f.Add(uint64(1<<63), uint8(20), uint8(255), 1.0, 0.1)
	f.Fuzz(func(t *testing.T, seed uint64, people, days uint8, fault, rate float64) {
		if !(fault >= 0 && fault <= 1 && rate > 0 && rate <= 20) || people > 20 {
			return
		}
		w := NewWorld(seed, int(people), time.Duration(days)*24*time.Hour)
		w.Change, w.rates.leave, w.rates.recycle = rate, rate, fault
		w = w.withFaults(fault, fault/2)
		require.Equal(t, checkWorld(t, w), checkWorld(t, w))
		require.Empty(t, judged(w.Story(nil), right).Findings, "the truth has no faults")
	})
}
