package lives

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func troubled(t Trouble) World {
	w := NewWorld(1, 20, 2*year)
	w.Change, w.Trouble = 2, t
	return w
}

// TestTrouble requires that each kind of trouble changes the webhooks, and that equal worlds stay
// equal.
func TestTrouble(t *testing.T) {
	bodies := func(trouble Trouble) (list []string) {
		for body := range troubled(trouble).Webhooks() {
			list = append(list, string(body))
		}
		return list
	}
	usual := bodies(Trouble{})
	for _, trouble := range []Trouble{
		{Numbers: year},
		{Recycle: 0.9},
		{Leave: 1},
		{Family: 0.5},
		{LoseChange: 0.5},
		{DropPrevious: 0.5},
		{Retell: 0.5},
		{LateStatus: 0.5},
		{Zombie: 1, Leave: 1},
		{DropBSUID: 0.5},
		{WrongBSUID: 0.5},
		{PlaceholderBSUID: 0.5},
		{PlaceholderNumber: 0.5},
	} {
		got := bodies(trouble)
		require.NotEqual(t, usual, got, "%+v", trouble)
		require.True(t, slices.Equal(got, bodies(trouble)), "%+v", trouble)
	}
	require.NotEqual(t, bodies(Trouble{Leave: 1}), bodies(Trouble{Leave: 1, Zombie: 1}))
}

// TestCount counts the mistakes of three receivers: one knows the truth, one has a single contact,
// and one has a contact for each message.
func TestCount(t *testing.T) {
	w := troubled(Trouble{Retell: 0.5})
	truth := map[string]string{}
	var sent []Sent
	for d := range w.Story(nil).Deliveries() {
		for _, e := range d.Events {
			truth[e.ID] = strconv.Itoa(e.Person)
		}
		for _, s := range d.Answers() {
			truth[s.ID] = strconv.Itoa(s.To.Person)
			sent = append(sent, s)
		}
	}
	knowing := w.Count(func(id string) string { return truth[id] }, sent)
	require.Equal(t, Tally{People: 20, Messages: knowing.Messages, Sent: len(sent)}, knowing)
	require.Greater(t, knowing.Messages, 100)

	one := w.Count(func(string) string { return "all" }, sent)
	require.Equal(t, 1, one.Mixed)
	require.Zero(t, one.Split)
	require.Greater(t, one.Foreign, one.Messages/2)
	require.Greater(t, one.Replies, one.Sent/2)

	each := w.Count(func(id string) string { return id }, sent)
	require.Zero(t, each.Mixed+each.Foreign+each.Replies)
	require.Greater(t, each.Split, 15)
	require.Equal(t, Tally{40, one.Messages * 2, 2 * len(sent), each.Split, 1, 0, one.Foreign, one.Replies}, one.Add(each))
}
