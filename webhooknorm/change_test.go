package webhooknorm_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/webhooknorm"
)

// announce reads a system message.
func announce(t *testing.T, kind string, message, system map[string]string) (webhooknorm.Event, *webhooknorm.IdentityChange) {
	system["type"] = kind
	m := map[string]any{"id": "A", "type": "system", "system": system}
	for name, id := range message {
		m[name] = id
	}
	payload, err := json.Marshal(map[string]any{"messages": []any{m}})
	require.NoError(t, err)
	w := mustRead(t, payload)
	require.Len(t, w.Events, 1)
	return w.Events[0], w.Events[0].Change
}

const (
	bsuidChange  = "user_changed_user_id"
	numberChange = "user_changed_number"
)

// Each kind of announcement with its members. old and new are BSUIDs, 491 is the sender's number and
// 492 another.
func TestAnnouncements(t *testing.T) {
	const (
		o, n = "US.1", "US.2"
		p, q = "491", "492"
	)
	type ids = contact.IDs
	for _, c := range []struct {
		kind                     string
		from, user               string // of the message
		previous, current, phone string // in system: previous_user_id, user_id and wa_id
		event                    ids
		before, after            ids // both empty: no change
		unknown                  string
	}{
		// Only a BSUID changes, as the platform documents it.
		{bsuidChange, "", "", o, n, "", ids{BSUID: o}, ids{BSUID: o}, ids{BSUID: n}, ""},
		{bsuidChange, "", o, "", n, "", ids{BSUID: o}, ids{BSUID: o}, ids{BSUID: n}, ""},
		{bsuidChange, "", n, o, n, "", ids{BSUID: n}, ids{BSUID: o}, ids{BSUID: n}, ""},
		{bsuidChange, "", "", "", n, "", ids{BSUID: n}, ids{}, ids{}, ""},
		{bsuidChange, "", n, "", n, "", ids{BSUID: n}, ids{}, ids{}, ""},
		{bsuidChange, "", "", n, n, "", ids{BSUID: n}, ids{}, ids{}, ""},
		// With the sender's number, which is the current one.
		{bsuidChange, p, "", "", n, p, ids{Phone: p}, ids{}, ids{}, ""},
		{bsuidChange, p, "", o, n, p, ids{Phone: p}, ids{BSUID: o}, ids{BSUID: n, Phone: p}, ""},
		{bsuidChange, p, o, "", n, p, ids{BSUID: o}, ids{BSUID: o}, ids{BSUID: n, Phone: p}, ""},
		{bsuidChange, p, n, "", n, p, ids{BSUID: n, Phone: p}, ids{}, ids{}, ""},
		{bsuidChange, p, n, o, n, p, ids{BSUID: n, Phone: p}, ids{BSUID: o}, ids{BSUID: n, Phone: p}, ""},
		// With the sender's number, which isn't the current one.
		{bsuidChange, p, "", "", n, q, ids{Phone: p}, ids{Phone: p}, ids{BSUID: n, Phone: q}, ""},
		{bsuidChange, p, "", o, n, q, ids{Phone: p}, ids{BSUID: o, Phone: p}, ids{BSUID: n, Phone: q}, ""},
		{bsuidChange, p, o, "", n, q, ids{BSUID: o, Phone: p}, ids{BSUID: o, Phone: p}, ids{BSUID: n, Phone: q}, ""},
		{bsuidChange, p, n, "", n, q, ids{BSUID: n}, ids{Phone: p}, ids{BSUID: n, Phone: q}, ""},
		// With the sender's number, and without the current one.
		{bsuidChange, p, "", "", n, "", ids{Phone: p}, ids{}, ids{}, ""},
		{bsuidChange, p, "", o, n, "", ids{Phone: p}, ids{BSUID: o}, ids{BSUID: n}, p},
		{bsuidChange, p, o, "", n, "", ids{BSUID: o, Phone: p}, ids{BSUID: o, Phone: p}, ids{BSUID: n}, ""},
		{bsuidChange, p, n, "", n, "", ids{BSUID: n}, ids{}, ids{}, ""},
		{bsuidChange, p, n, o, n, "", ids{BSUID: n}, ids{BSUID: o}, ids{BSUID: n}, p},

		// A number changes, as the platform documents it.
		{numberChange, p, "", "", "", q, ids{Phone: p}, ids{Phone: p}, ids{Phone: q}, ""},
		{numberChange, p, o, "", n, q, ids{BSUID: o, Phone: p}, ids{BSUID: o, Phone: p}, ids{BSUID: n, Phone: q}, ""},
		{numberChange, p, "", o, n, q, ids{Phone: p}, ids{BSUID: o, Phone: p}, ids{BSUID: n, Phone: q}, ""},
		{numberChange, p, o, "", o, q, ids{BSUID: o}, ids{Phone: p}, ids{BSUID: o, Phone: q}, ""},
		// The new number is hidden.
		{numberChange, p, "", "", n, "", ids{Phone: p}, ids{Phone: p}, ids{BSUID: n}, ""},
		{numberChange, p, o, "", n, "", ids{BSUID: o, Phone: p}, ids{BSUID: o, Phone: p}, ids{BSUID: n}, ""},
		{numberChange, p, n, "", n, "", ids{BSUID: n}, ids{}, ids{}, ""},
		// The old number is hidden.
		{numberChange, "", o, "", n, q, ids{BSUID: o}, ids{BSUID: o}, ids{BSUID: n, Phone: q}, ""},
		{numberChange, "", o, "", "", q, ids{BSUID: o}, ids{BSUID: o}, ids{Phone: q}, ""},
		{numberChange, "", "", "", n, q, ids{BSUID: n, Phone: q}, ids{}, ids{}, ""},
		// The sender's number is the current one.
		{numberChange, p, "", "", "", p, ids{Phone: p}, ids{}, ids{}, ""},
		{numberChange, p, "", "", n, p, ids{Phone: p}, ids{}, ids{}, ""},
		{numberChange, p, "", o, n, p, ids{Phone: p}, ids{BSUID: o}, ids{BSUID: n, Phone: p}, ""},
		{numberChange, p, o, "", n, p, ids{BSUID: o}, ids{BSUID: o}, ids{BSUID: n, Phone: p}, ""},
		{numberChange, p, n, "", n, p, ids{BSUID: n, Phone: p}, ids{}, ids{}, ""},
		// Nothing is new.
		{numberChange, p, "", o, "", "", ids{Phone: p}, ids{}, ids{}, ""},
	} {
		event, change := announce(t, c.kind,
			map[string]string{"from": c.from, "from_user_id": c.user},
			map[string]string{"previous_user_id": c.previous, "user_id": c.current, "wa_id": c.phone})
		require.Equal(t, c.event, event.IDs, "%+v", c)
		if c.before == (ids{}) {
			require.Nil(t, change, "%+v", c)
			continue
		}
		require.NotNil(t, change, "%+v", c)
		require.Equal(t, []any{c.before, c.after, c.unknown}, []any{change.Previous, change.Current, change.Phone}, "%+v", c)
	}
}

// An announcement never joins the previous holder of a number with its next one, whatever it contains.
func TestAnnouncementsNeverJoinTwoPeople(t *testing.T) {
	numbers, bsuids := []string{"", "491", "492"}, []string{"", "US.1", "US.2"}
	n := 0
	every(3, 3, 2, 3, 3, 3, 2, 2)(func(i []int) {
		message := map[string]string{"from": numbers[i[0]], "from_user_id": bsuids[i[1]]}
		system := map[string]string{
			"wa_id": numbers[2*i[2]], "user_id": bsuids[i[3]], "previous_user_id": bsuids[i[4]], "customer": numbers[i[5]],
			"new_user_id": []string{"", "US.3"}[i[6]],
		}
		event, c := announce(t, []string{bsuidChange, numberChange}[i[7]], message, system)
		if number := system["wa_id"]; event.Phone != "" && event.BSUID != "" && number != "" && i[6] == 0 && event.BSUID == system["user_id"] {
			require.Equal(t, number, event.Phone, "%v %v: a new BSUID with an old number", message, system)
		}
		if c == nil {
			return
		}
		n++
		require.NotZero(t, c.Previous, "%v %v", message, system)
		require.NotZero(t, c.Current, "%v %v", message, system)
		require.NotEqual(t, c.Previous, c.Current, "%v %v", message, system)
		if system["wa_id"] != "" {
			require.NotEqual(t, system["wa_id"], c.Previous.Phone, "%v %v: the current number isn't the previous one", message, system)
			require.Equal(t, system["wa_id"], c.Current.Phone)
		}
		if c.Previous.BSUID == c.Current.BSUID && c.Current.BSUID != "" {
			require.Empty(t, c.Previous.Phone, "%v %v: an old number with a BSUID that stays", message, system)
		}
		if system["new_user_id"] != "" {
			require.Equal(t, "US.3", c.Current.BSUID)
		}
	})
	require.Greater(t, n, 100)
}

// every calls a function with every tuple of numbers below the limits.
func every(limits ...int) func(func([]int)) {
	return func(f func([]int)) {
		tuple := make([]int, len(limits))
		for {
			f(tuple)
			i := 0
			for ; i < len(limits); i++ {
				if tuple[i]++; tuple[i] < limits[i] {
					break
				}
				tuple[i] = 0
			}
			if i == len(limits) {
				return
			}
		}
	}
}
