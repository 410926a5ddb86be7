package identity

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// loads counts the calls of Load within Update.
type loads struct {
	*Memory
	n int
}

func (s *loads) Update(ctx context.Context, f func(Tx) error) error {
	return s.Memory.Update(ctx, func(tx Tx) error { return f(loadsTx{tx, s}) })
}

type loadsTx struct {
	Tx
	store *loads
}

func (tx loadsTx) Load(ctx context.Context, clusters []int64) (Cluster, error) {
	tx.store.n++
	return tx.Tx.Load(ctx, clusters)
}

// A household is a few people who write, rotate and change their numbers, mostly in order
// of time.
type household struct {
	*rand.Rand
	now    int64
	step   int64
	people []IDs
	lost   []IDs // ids that were used before
	next   int   // the next new id
	past   []Fact
}

func newHousehold(seed uint64) *household {
	h := &household{Rand: rand.New(rand.NewPCG(seed, 2)), now: period - 500}
	h.step = []int64{2, 100, sameNotice, period}[h.IntN(4)]
	for range 1 + h.IntN(3) {
		ids := IDs{BSUID: h.id("US.")}
		if h.IntN(3) > 0 {
			ids.Phone = h.id("1650555")
		}
		if h.one(8) {
			ids.Phone = h.id("5511912") + "34"
		}
		if h.IntN(4) == 0 {
			ids.Parent = h.id("US.ENT.")
		}
		h.people = append(h.people, ids)
	}
	return h
}

func (h *household) id(prefix string) string {
	h.next++
	return fmt.Sprintf("%s%04d", prefix, h.next)
}

// one is true once in n times.
func (h *household) one(n int) bool { return h.IntN(n) == 0 }

// respelled returns a phone number in the other form if it is a Brazilian one.
func respelled(phone string) string {
	if rest, is := strings.CutPrefix(phone, "55119"); is {
		return "5511" + rest
	}
	if rest, is := strings.CutPrefix(phone, "5511"); is {
		return "55119" + rest
	}
	return phone
}

// some returns ids without some of them, and a Brazilian number in its other form.
func (h *household) some(ids IDs) IDs {
	ids.Phone = respelled(ids.Phone)
	if h.one(6) {
		ids.BSUID = ""
	}
	if h.one(3) {
		ids.Parent = ""
	}
	if h.one(3) {
		ids.Phone = ""
	}
	return ids
}

func (h *household) fact() (Fact, error) {
	h.now += h.Int64N(h.step)
	at := h.now
	if h.one(8) {
		at -= h.Int64N(2 * h.step)
	}
	if h.one(40) {
		at -= h.Int64N(8 * h.step)
	}
	p := &h.people[h.IntN(len(h.people))]
	switch n := h.IntN(24); {
	case n < 11:
		ids := *p
		if h.one(4) {
			ids = h.some(ids)
		}
		if h.one(10) && len(h.lost) > 0 {
			ids = h.some(h.lost[h.IntN(len(h.lost))])
		}
		return Seen(at, Scope{}, ids, Labels{})
	case n < 20:
		old := *p
		h.lost = append(h.lost, old)
		p.BSUID = h.id("US.")
		switch h.IntN(6) {
		case 0:
			p.Phone = h.id("1650555")
		case 1:
			p.Phone = h.people[h.IntN(len(h.people))].Phone
		case 2:
			p.Parent = h.id("US.ENT.")
		case 3:
			p.BSUID = h.lost[h.IntN(len(h.lost))].BSUID
		}
		previous, current := old, *p
		if h.one(2) {
			previous.Phone, current.Phone = "", ""
		}
		switch h.IntN(8) {
		case 0, 1:
			previous, current = h.some(previous), h.some(current)
		case 2:
			p.BSUID = old.BSUID
			previous, current = IDs{Phone: old.Phone}, IDs{Phone: p.Phone}
		}
		return Changed(at, Scope{}, previous, current)
	case n < 21 && len(h.past) > 0: // told again, perhaps at another time
		f := h.past[h.IntN(len(h.past))]
		if h.one(2) {
			f.at += h.Int64N(9) - 3
		}
		if h.one(5) {
			f.at += h.Int64N(h.step)
		}
		if h.one(2) {
			f.a.received, f.b.received = respelled(f.a.received), respelled(f.b.received)
		}
		return f, nil
	case n < 22:
		p.Phone = h.people[h.IntN(len(h.people))].Phone
		return Seen(at, Scope{}, *p, Labels{})
	case n < 23:
		return newHandover(at, "", "16505550002", h.one(5))
	case h.one(2) && len(h.lost) > 0: // perhaps two BSUIDs of one rotation
		a, b := h.lost[len(h.lost)-1].BSUID, p.BSUID
		return newVerdict(FactJoined+FactKind(h.IntN(2)), max(1, at-h.Int64N(20*h.step)), MustAlias(KindBSUID, "", a), MustAlias(KindBSUID, "", b))
	default:
		return newVerdict(FactJoined+FactKind(h.IntN(2)), at, h.alias(), h.alias())
	}
}

func (h *household) alias() Alias {
	ids := h.people[h.IntN(len(h.people))]
	if h.one(2) && len(h.lost) > 0 {
		ids = h.lost[h.IntN(len(h.lost))]
	}
	switch {
	case ids.Phone != "" && h.one(2):
		return MustAlias(KindPhone, "", ids.Phone)
	case ids.Parent != "" && h.one(2):
		return MustAlias(KindParent, "", ids.Parent)
	default:
		return MustAlias(KindBSUID, "", ids.BSUID)
	}
}

func (h *household) facts(n int) []Fact {
	for len(h.past) < n {
		if f, err := h.fact(); err == nil {
			h.past = append(h.past, f)
		}
	}
	return h.past
}

// An engine gives the same results, changes and rows whether or not it loads the cluster
// for rotations.
func TestRotationEqualsRecompute(t *testing.T) {
	rotations, fast := 0, 0
	for seed := range streams(t, 300) {
		r, n := testHousehold(t, uint64(seed))
		rotations, fast = rotations+r, fast+n
	}
	t.Logf("%d of %d rotations without loading the cluster", fast, rotations)
	require.Greater(t, 4*fast, rotations)
}

func testHousehold(t testing.TB, seed uint64) (rotations, fast int) {
	ctx := context.Background()
	h := newHousehold(seed)
	n := 3 + h.IntN(30)
	if seed%50 == 0 {
		n = 200
	}
	facts := h.facts(n)
	e, m := newTestEngine()
	counted := &loads{Memory: m}
	e.store = counted
	slow, slowStore := newTestEngine()
	slow.slowly = true
	state, forgot := new(State), false
	for i, f := range facts {
		before := counted.n
		got, err := e.Observe(ctx, f)
		require.NoError(t, err)
		want, err := slow.Observe(ctx, f)
		require.NoError(t, err)
		if !reflect.DeepEqual(want, got) {
			require.Equal(t, want, got, "seed %d, fact %d", seed, i)
		}
		if !sameRows(slowStore, m) {
			requireSameRows(t, slowStore, m, "seed %d, fact %d", seed, i)
		}
		if state.Add(f) && f.Kind() == FactChanged {
			rotations++
			if counted.n == before {
				fast++
			}
		}
		if h.one(40) && len(got.Persons) > 0 && !got.Persons[0].IsZero() {
			gone, changes, err := e.Forget(ctx, got.Persons[0])
			require.NoError(t, err)
			slowGone, slowChanges, err := slow.Forget(ctx, got.Persons[0])
			require.NoError(t, err)
			require.Equal(t, slowChanges, changes)
			require.Equal(t, slowGone, gone)
			requireSameRows(t, slowStore, m, "seed %d, fact %d", seed, i)
			forgot = true
		}
	}
	stored(t, m, "seed %d", seed)
	if !forgot {
		got, _ := stored(t, m, "seed %d", seed)
		if want := Partition(state); !equalPeople(want, got) {
			require.Equal(t, want, got, "seed %d", seed)
		}
	}
	return rotations, fast
}

func sameRows(a, b *Memory) bool {
	return reflect.DeepEqual(a.cells, b.cells) && reflect.DeepEqual(a.changes, b.changes) &&
		reflect.DeepEqual(a.verdicts, b.verdicts) && reflect.DeepEqual(a.handovers, b.handovers) &&
		reflect.DeepEqual(a.aliases, b.aliases) && reflect.DeepEqual(a.persons, b.persons)
}

func requireSameRows(t testing.TB, want, got *Memory, what ...any) {
	require.Equal(t, want.aliases, got.aliases, what...)
	require.Equal(t, want.persons, got.persons, what...)
	require.True(t, sameRows(want, got), what...)
}
