package identity

import (
	"cmp"
	"context"
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

// counted counts the statements of transactions that write.
type counted struct {
	store.Store
	statements *int
}

func (c counted) Update(ctx context.Context, f func(store.Tx) error) error {
	return c.Store.Update(ctx, func(tx store.Tx) error { return f(countedTx{tx, c.statements}) })
}

type countedTx struct {
	store.Tx
	statements *int
}

func (c countedTx) Lock(ctx context.Context, aliases []string) (bool, error) {
	*c.statements++
	return c.Tx.Lock(ctx, aliases)
}

func (c countedTx) Load(ctx context.Context, aliases []string, wide bool, others []string) (store.Rows, error) {
	*c.statements++
	return c.Tx.Load(ctx, aliases, wide, others)
}

func (c countedTx) Holdings(ctx context.Context, aliases []string) ([]store.Holding, error) {
	*c.statements++
	return c.Tx.Holdings(ctx, aliases)
}

func (c countedTx) Write(ctx context.Context, remove, put *store.Rows) error {
	*c.statements++
	return c.Tx.Write(ctx, remove, put)
}

// TestCost prints the rows that a webhook reads in each of ten years, and the statements that it
// runs, which take most of the time in a database. People change their numbers three times as often
// as usual, and a third of the new numbers belonged to somebody else. The variable IDENTITY_PEOPLE
// is the number of people.
func TestCost(t *testing.T) {
	testenv.Slow(t)
	const years, year = 10, 365 * 86_400
	people := 300
	if n := peopleFromEnv(t); n > 0 {
		people = n
	}
	world := webhooktest.NewWorld(1, people, years*year*time.Second)
	world.Change = 0.2
	var rows, statements [years][]int
	now, n := 0, 0
	engine := NewEngine(counted{store.NewMemory(), &n}, Config{Done: func(_, read, _ int) {
		rows[now], statements[now] = append(rows[now], read), append(statements[now], n)
	}})
	first := int64(0)
	for hook := range world.Webhooks() {
		webhook, err := webhooknorm.Read(hook)
		require.NoError(t, err)
		facts := FactsOf(webhook, time.Time{}, nil)
		if len(facts) == 0 {
			continue
		}
		for _, f := range facts {
			first = cmp.Or(first, f.at)
			now = min(max(now, int((f.at-first)/year)), years-1)
		}
		n = 0
		_, _, err = engine.ObserveWebhook(t.Context(), webhook, time.Time{})
		require.NoError(t, err)
	}
	mean := func(list []int) float64 {
		sum := 0
		for _, n := range list {
			sum += n
		}
		return float64(sum) / float64(len(list))
	}
	for i := range years {
		slices.Sort(rows[i])
		slices.Sort(statements[i])
		t.Logf("year %2d: %6d webhooks, %4.1f rows (median %3d, p99 %4d, most %4d), %.1f statements (p99 %d, most %d)",
			i+1, len(rows[i]), mean(rows[i]), at(rows[i], 50), at(rows[i], 99), at(rows[i], 100),
			mean(statements[i]), at(statements[i], 99), at(statements[i], 100))
	}
	last := years - 1
	require.LessOrEqual(t, mean(rows[last]), 2*mean(rows[0]))
	require.LessOrEqual(t, at(rows[last], 99), 20*at(rows[last], 50))
	require.LessOrEqual(t, mean(statements[last]), 2*mean(statements[0]))
	require.LessOrEqual(t, at(statements[last], 99), 3*at(statements[last], 50))
}

// at returns a percentile of a sorted list.
func at(list []int, percent int) int { return list[(len(list)-1)*percent/100] }

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
