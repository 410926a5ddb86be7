package webhooktest

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func truth(e event) []string { return []string{fmt.Sprint(e.Person)} }

func TestCompareOfSimpleReceivers(t *testing.T) {
	w := harsh(1, 200)
	for _, test := range []struct {
		name       string
		contactsOf func(event) []string
		mistake    mistake // the only avoidable one
	}{
		{"the truth", truth, ""},
		{"the truth twice", func(e event) []string { return append(truth(e), truth(e)...) }, mistakeDuplicate},
		{"nothing at all", func(event) []string { return nil }, mistakeLost},
		{"one contact for all", func(event) []string { return []string{"all"} }, mistakeMixed},
		{"a contact for each message", func(e event) []string { return []string{e.ID} }, mistakeSplit},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := compare(w.events(), test.contactsOf, nil)
			if test.mistake != mistakeLost {
				require.Equal(t, 200, r.people+lostPeople(w))
			}
			require.Equal(t, test.mistake == "", len(r.avoidable()) == 0)
			for _, f := range r.avoidable() {
				require.Equal(t, test.mistake, f.mistake)
				require.NotEmpty(t, f.String())
			}
			for _, f := range r.findings {
				require.NotEmpty(t, f.a.ID)
				require.False(t, f.a.Lost)
				switch f.mistake {
				case mistakeMixed:
					require.NotEqual(t, f.a.Person, f.b.Person)
				case mistakeSplit:
					require.Equal(t, f.a.Person, f.b.Person)
					require.NotEqual(t, f.contact, f.other)
				case mistakeLost, mistakeDuplicate, mistakeReplied:
					require.Zero(t, f.b)
				}
			}
		})
	}
}

// lostPeople counts the people whose messages are all lost.
func lostPeople(w World) int {
	heard := map[int]bool{}
	for e := range w.events() {
		if e.Kind == kindMessage && !e.Lost {
			heard[e.Person] = true
		}
	}
	return w.people - len(heard)
}

const daySeconds = 24 * 60 * 60

// On day0 webhooks have phone numbers only, in summer BSUIDs and hidden numbers as well.
var (
	day0   = time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
	summer = time.Date(2026, time.September, 1, 0, 0, 0, 0, time.UTC)
)

func TestCompareFindsTheCause(t *testing.T) {
	byNumber := func(e event) []string { return []string{cmp.Or(e.Shown.Phone, e.Shown.BSUID)} }
	bySender := func(e event) []string { return []string{cmp.Or(e.Shown.BSUID, e.Shown.Phone)} }
	for _, test := range []struct {
		name       string
		start      time.Time
		play       func(p *platform)
		contactsOf func(event) []string
		mistake    mistake
		cause      cause
	}{
		{"a number changes hands before BSUIDs", day0, func(p *platform) {
			a := p.Add(profile{})
			a.Write(0, "")
			a.GiveUpNumber()
			p.Wait(90 * 24 * time.Hour)
			p.Add(profile{Phone: a.Phone()}).Write(0, "")
		}, byNumber, mistakeMixed, silence},
		{"a number changes hands, and both have a BSUID", summer, func(p *platform) {
			a := p.Add(profile{})
			a.Write(0, "")
			a.GiveUpNumber()
			p.Wait(90 * 24 * time.Hour)
			p.Add(profile{Phone: a.Phone()}).Write(0, "")
		}, byNumber, mistakeMixed, noCause},
		{"an announcement says that a number changes hands", day0, func(p *platform) {
			a := p.Add(profile{})
			a.Write(0, "")
			number := a.Phone()
			a.ChangeNumber("")
			p.Wait(90 * 24 * time.Hour)
			p.Add(profile{Phone: number}).Write(0, "")
		}, byNumber, mistakeMixed, noCause},
		{"that announcement is lost", day0, func(p *platform) {
			a := p.Add(profile{})
			a.Write(0, "")
			number := a.Phone()
			p.Lose(func() { a.ChangeNumber("") })
			p.Wait(90 * 24 * time.Hour)
			p.Add(profile{Phone: number}).Write(0, "")
		}, byNumber, mistakeMixed, webhookLost},
		{"the number hides before the first BSUID", day0, func(p *platform) {
			a := p.Add(profile{})
			a.Write(0, "")
			p.Wait(180 * 24 * time.Hour)
			a.AdoptUsername("jane")
			a.HideNumber()
			a.Write(0, "")
		}, bySender, mistakeSplit, apart},
		{"only an echo in standby has the number and the BSUID", day0, func(p *platform) {
			a := p.Add(profile{})
			a.Write(0, "")
			a.TakeOver(0)
			p.Wait(60 * 24 * time.Hour)
			a.ReceiveEcho(0)
			a.PassBack(0)
			a.AdoptUsername("jane")
			a.HideNumber()
			p.Wait(60 * 24 * time.Hour)
			a.Write(0, "")
		}, bySender, mistakeSplit, apart},
		{"one webhook has the number and the BSUID", day0, func(p *platform) {
			a := p.Add(profile{})
			a.Write(0, "")
			p.Wait(60 * 24 * time.Hour)
			a.Write(0, "")
		}, bySender, mistakeSplit, noCause},
		{"the BSUIDs rotate", summer, func(p *platform) {
			a := p.Add(profile{Hidden: true})
			a.Write(0, "")
			a.Rotate()
			a.Write(0, "")
		}, bySender, mistakeSplit, noCause},
		{"the BSUIDs rotate between a number alone and the first BSUID with it", day0, func(p *platform) {
			a := p.Add(profile{})
			a.Write(0, "")
			p.Wait(60 * 24 * time.Hour)
			a.Rotate()
			p.Wait(24 * time.Hour)
			a.Write(0, "")
		}, bySender, mistakeSplit, apart},
		{"the announcement of a rotation is lost", summer, func(p *platform) {
			a := p.Add(profile{Hidden: true})
			a.Write(0, "")
			p.Lose(a.Rotate)
			a.Write(0, "")
		}, bySender, mistakeSplit, webhookLost},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newRecording(1, test.start)
			test.play(p)
			r := compare(p.Events(), test.contactsOf, nil)
			require.Len(t, r.findings, 1)
			require.Equal(t, 1, r.count(test.mistake, test.cause), "%v", r.findings)
			require.Empty(t, compare(p.Events(), truth, nil).findings)
		})
	}
}

// A batch finds people in all webhooks at once. It uses only what the webhooks show: ids
// in one webhook belong to one person; a number belongs to one person between two
// announcements that it changes hands; a number without a BSUID belongs to its last owner
// or else to its next one.
type batch struct {
	parent map[string]string
	marks  map[string][]batchMark // by number, in order of time
}

type batchMark struct {
	at    int64 // twice the seconds, plus one for a cut after an event, minus one for a cut before it
	cut   bool
	owner string // the BSUID in the same webhook, if any
}

func newBatch(events iter.Seq[event]) *batch {
	b := &batch{parent: map[string]string{}, marks: map[string][]batchMark{}}
	var changes []event
	announced := map[[2]string]int64{} // by the two numbers; the platform announces a change to each business
	for e := range events {
		addressed := e.Kind == kindStatus || e.Kind == kindEcho || e.Kind == kindCallToUser
		phone := cmp.Or(e.Shown.Phone, e.Shared)
		if e.Lost || addressed && (e.Shown.BSUID == "" || phone == "") {
			continue
		}
		at := 2 * e.At.Unix()
		b.join(e.Shown.BSUID, e.Shown.Parent)
		b.mark(phone, batchMark{at: at, owner: e.Shown.BSUID})
		if e.Kind == kindChange {
			b.join(e.Previous.BSUID, e.Previous.Parent)
			b.join(e.Previous.BSUID, e.Shown.BSUID)
			b.mark(e.Previous.Phone, batchMark{at: at, owner: e.Previous.BSUID})
			numbers := [2]string{e.Previous.Phone, phone}
			if before, ok := announced[numbers]; ok && at-before < 2*daySeconds {
				continue
			}
			announced[numbers] = at
			changes = append(changes, e)
			if e.Previous.Phone != phone {
				b.mark(e.Previous.Phone, batchMark{at: at + 1, cut: true})
				b.mark(phone, batchMark{at: at - 1, cut: true})
			}
		}
	}
	for _, marks := range b.marks {
		slices.SortStableFunc(marks, func(x, y batchMark) int { return cmp.Compare(x.at, y.at) })
	}
	for _, e := range changes {
		if e.Previous.BSUID == "" && e.Shown.BSUID == "" {
			b.join(b.holder(e.Previous.Phone, 2*e.At.Unix()), b.holder(e.Shown.Phone, 2*e.At.Unix()))
		}
	}
	return b
}

func (b *batch) mark(phone string, m batchMark) {
	if phone != "" {
		b.marks[phone] = append(b.marks[phone], m)
	}
}

func (b *batch) find(id string) string {
	for b.parent[id] != "" {
		id = b.parent[id]
	}
	return id
}

func (b *batch) join(x, y string) {
	if x == "" || y == "" {
		return
	}
	if x, y = b.find(x), b.find(y); x != y {
		b.parent[x] = y
	}
}

// holder returns the person who has a number at a time: a BSUID, or a name for the time
// between two cuts if the number has no BSUID there.
func (b *batch) holder(phone string, at int64) string {
	before, after, segment := "", "", 0
	for _, m := range b.marks[phone] {
		switch {
		case m.cut && m.at <= at:
			before, segment = "", segment+1
		case m.cut:
			return b.find(cmp.Or(before, after, fmt.Sprint(phone, "#", segment)))
		case m.owner != "" && m.at <= at:
			before = m.owner
		case after == "":
			after = m.owner
		}
	}
	return b.find(cmp.Or(before, after, fmt.Sprint(phone, "#", segment)))
}

func (b *batch) contactsOf(e event) []string {
	if e.Shown.BSUID != "" {
		return []string{b.find(e.Shown.BSUID)}
	}
	return []string{b.holder(e.Shown.Phone, 2*e.At.Unix())}
}

// Compare finds no avoidable mistake in a batch, which uses only what the webhooks show.
func TestCompareOfABatch(t *testing.T) {
	for seed := range uint64(12) {
		w := harsh(seed, 200)
		w.start = day0
		w.length = year
		w.Loss = float64(seed%4) * 0.1
		b := newBatch(w.events())
		r := compare(w.events(), b.contactsOf, nil)
		for _, f := range r.avoidable() {
			t.Errorf("seed %d: %s", seed, f)
		}
	}
}

// BSUIDs of two portfolios are connected by a parent BSUID only.
func TestCompareAcrossPortfolios(t *testing.T) {
	bySender := func(e event) []string { return []string{e.Shown.BSUID} }
	for group, cause := range map[string]cause{"": apart, "group": noCause} {
		p := newRecording(1, summer, business{Portfolio: "a", Group: group}, business{Portfolio: "b", Group: group})
		a := p.Add(profile{})
		a.Write(0, "Hello!")
		a.Write(1, "Hello!")
		r := compare(p.Events(), bySender, nil)
		require.Len(t, r.findings, 1)
		require.Equal(t, 1, r.count(mistakeSplit, cause), "group %q", group)
	}
}
