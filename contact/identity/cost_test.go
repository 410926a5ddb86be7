package identity

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact/identity/internal/rules"
	"github.com/hailmark/hailmark/contact/identity/store"
	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/webhooknorm"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest/lives"
)

// counted counts the statements of transactions that write, and the rows that they read.
type counted struct {
	store.Store
	statements, rows *int
}

func (c counted) Update(ctx context.Context, f func(store.Tx) error) error {
	return c.Store.Update(ctx, func(tx store.Tx) error { return f(countedTx{tx, c.statements, c.rows}) })
}

type countedTx struct {
	store.Tx
	statements, rows *int
}

func (c countedTx) Lock(ctx context.Context, aliases []string) (bool, error) {
	*c.statements++
	return c.Tx.Lock(ctx, aliases)
}

func (c countedTx) Load(ctx context.Context, aliases []string, wide bool, others []string) (store.Rows, error) {
	*c.statements++
	rows, err := c.Tx.Load(ctx, aliases, wide, others)
	*c.rows += countRows(&rows)
	return rows, err
}

func (c countedTx) Holdings(ctx context.Context, aliases []string) ([]store.Holding, error) {
	*c.statements++
	rows, err := c.Tx.Holdings(ctx, aliases)
	*c.rows += len(rows)
	return rows, err
}

func (c countedTx) Write(ctx context.Context, remove, put *store.Rows) error {
	*c.statements++
	return c.Tx.Write(ctx, remove, put)
}

// TestCost prints the rows that a webhook reads in each of ten years, and the statements that it
// runs, which take most of the time in a database. People change their numbers three times as often
// as usual, and a third of the new numbers belonged to somebody else. The variable IDENTITY_PEOPLE
// is the number of people, and IDENTITY_IMAGE a file for the rows as an SVG image.
func TestCost(t *testing.T) {
	testenv.Slow(t)
	const years, year = 10, 365 * 86_400
	people := 300
	if n := peopleFromEnv(t); n > 0 {
		people = n
	}
	world := lives.NewWorld(1, people, years*year*time.Second)
	world.Change = 0.2
	var rows, statements [years][]int
	now, n, read := 0, 0, 0
	engine := NewEngine(counted{store.NewMemory(), &n, &read}, Config{})
	first := int64(0)
	for hook := range world.Webhooks() {
		webhook, err := webhooknorm.Read(hook)
		require.NoError(t, err)
		facts := FactsOf(webhook, time.Time{}, nil)
		if len(facts) == 0 {
			continue
		}
		for _, f := range facts {
			first = cmp.Or(first, f.At())
			now = min(max(now, int((f.At()-first)/year)), years-1)
		}
		n, read = 0, 0
		_, _, err = engine.ObserveWebhook(t.Context(), webhook, time.Time{})
		require.NoError(t, err)
		rows[now], statements[now] = append(rows[now], read), append(statements[now], n)
	}
	for i := range years {
		slices.Sort(rows[i])
		slices.Sort(statements[i])
		t.Logf("year %2d: %6d webhooks, %4.1f rows (median %3d, p99 %4d, most %4d), %.1f statements (p99 %d, most %d)",
			i+1, len(rows[i]), mean(rows[i]), at(rows[i], 50), at(rows[i], 99), at(rows[i], 100),
			mean(statements[i]), at(statements[i], 99), at(statements[i], 100))
	}
	if name := os.Getenv("IDENTITY_IMAGE"); name != "" {
		require.NoError(t, os.WriteFile(name, []byte(drawCost(rows[:])), 0o644))
	}
	last := years - 1
	require.LessOrEqual(t, mean(rows[last]), 2*mean(rows[0])) // 7.4 in the first year, 13.0 in the tenth
	require.LessOrEqual(t, at(rows[last], 99), 20*at(rows[last], 50))
	require.LessOrEqual(t, mean(statements[last]), 2*mean(statements[0]))
	require.LessOrEqual(t, at(statements[last], 99), 3*at(statements[last], 50))
}

// drawCost draws the median, the mean and the 99th percentile by year on a logarithmic scale.
func drawCost(rows [][]int) string {
	x := func(year int) int { return 60 + 46*year }
	y := func(rows float64) int { return 290 - int(80*math.Log10(rows)) }
	var b strings.Builder
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 340" font-family="sans-serif" font-size="14">
<rect width="640" height="340" fill="#fff"/>
<text x="20" y="24" font-size="16">Rows that a webhook reads</text>
`)
	for n := 1; n <= 1000; n *= 10 {
		fmt.Fprintf(&b, `<path d="M60 %[1]dH474" stroke="#ccc"/><text x="52" y="%[1]d" dy="5" text-anchor="end">%[2]d</text>`+"\n", y(float64(n)), n)
	}
	for year := range rows {
		fmt.Fprintf(&b, `<text x="%d" y="312" text-anchor="middle">%d</text>`+"\n", x(year), year+1)
	}
	b.WriteString(`<text x="267" y="332" text-anchor="middle">year</text>` + "\n")
	for _, line := range []struct {
		name, color string
		value       func([]int) float64
	}{
		{"99th percentile", "#b35900", func(list []int) float64 { return float64(at(list, 99)) }},
		{"mean", "#0b6e4f", mean},
		{"median", "#1f4e9c", func(list []int) float64 { return float64(at(list, 50)) }},
	} {
		var points []string
		for year, list := range rows {
			points = append(points, fmt.Sprintf("%d,%d", x(year), y(line.value(list))))
		}
		last := line.value(rows[len(rows)-1])
		fmt.Fprintf(&b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="3"/>`+"\n", strings.Join(points, " "), line.color)
		fmt.Fprintf(&b, `<text x="484" y="%d" dy="5" fill="%s">%s %.0f</text>`+"\n", y(last), line.color, line.name, last)
	}
	return b.String() + "</svg>\n"
}

func mean(list []int) float64 {
	sum := 0
	for _, n := range list {
		sum += n
	}
	return float64(sum) / float64(len(list))
}

// at returns a percentile of a sorted list.
func at(list []int, percent int) int { return list[(len(list)-1)*percent/100] }

func peopleFromEnv(t *testing.T) int {
	n, err := strconv.Atoi("0" + os.Getenv("IDENTITY_PEOPLE"))
	require.NoError(t, err)
	return n
}

// A person who writes for years has as many rows as in the first month, because all months of a
// combination of IDs are in one row.
func TestRowsDontGrow(t *testing.T) {
	e, m := newTestEngine()
	for month := range int64(120) {
		observe(t, e, seen(t, start+month*rules.Period, "US.1", number.Value()), seen(t, start+month*rules.Period, "US.1", ""))
	}
	require.Len(t, allRows(m).Facts, 2)
}
