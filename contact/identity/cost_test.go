package identity

import (
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact/identity/store"
	"github.com/hailmark/hailmark/internal/testenv"
	"github.com/hailmark/hailmark/webhooknorm"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest"
)

// TestCost prints the rows that a webhook reads in each of ten years. People change their numbers
// three times as often as usual, and a third of the new numbers belonged to somebody else.
// The variable IDENTITY_PEOPLE is the number of people.
func TestCost(t *testing.T) {
	testenv.Slow(t)
	const years, year = 10, 365 * 86_400
	people := 300
	if n := peopleFromEnv(t); n > 0 {
		people = n
	}
	world := webhooktest.NewWorld(1, people, years*year*time.Second)
	world.Change = 0.2
	var rows [years][]int
	now := 0
	engine := NewEngine(store.NewMemory(), Config{Done: func(_, read, _ int) { rows[now] = append(rows[now], read) }})
	first := int64(0)
	for hook := range world.Webhooks() {
		webhook, err := webhooknorm.Read(hook)
		require.NoError(t, err)
		for _, f := range FactsOf(webhook, time.Time{}, nil) {
			if first == 0 {
				first = f.at
			}
			now = min(max(now, int((f.at-first)/year)), years-1)
		}
		_, _, err = engine.ObserveWebhook(t.Context(), webhook, time.Time{})
		require.NoError(t, err)
	}
	var mean, median, p99 [years]int
	for i, n := range rows {
		slices.Sort(n)
		sum := 0
		for _, rows := range n {
			sum += rows
		}
		mean[i], median[i], p99[i] = sum/len(n), n[len(n)/2], n[len(n)*99/100]
		t.Logf("year %2d: %6d webhooks, mean %3d rows, median %3d, p99 %4d, most %4d", i+1, len(n), mean[i], median[i], p99[i], n[len(n)-1])
	}
	require.LessOrEqual(t, mean[years-1], 6*mean[0])
	require.LessOrEqual(t, p99[years-1], 20*median[years-1])
}

func peopleFromEnv(t *testing.T) int {
	n, err := strconv.Atoi("0" + os.Getenv("IDENTITY_PEOPLE"))
	require.NoError(t, err)
	return n
}

// A person who writes for years costs no more than in the first month, unless their number is all
// that is known of them.
func TestRowsDontGrow(t *testing.T) {
	e, m := newTestEngine()
	var read, written int
	e.config.Done = func(_, r, w int) { read, written = r, w }
	for month := range int64(120) {
		observe(t, e, seen(t, start+month*period, "US.1", number.value), seen(t, start+month*period, "US.1", ""))
		if month > 0 {
			require.Equal(t, []int{5, 2}, []int{read, written}, month)
		}
	}
	require.Len(t, allRows(m).Facts, 2)
}
