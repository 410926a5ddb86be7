package webhooktest_test

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/webhooknorm/webhooktest"
)

func truth(e webhooktest.Event) []string { return []string{fmt.Sprint(e.Person)} }

func TestCompareOfSimpleReceivers(t *testing.T) {
	w := harsh(1, 200)
	for _, test := range []struct {
		name       string
		contactsOf func(webhooktest.Event) []string
		mistake    webhooktest.Mistake // the only avoidable one
	}{
		{"the truth", truth, ""},
		{"the truth twice", func(e webhooktest.Event) []string { return append(truth(e), truth(e)...) }, webhooktest.Double},
		{"nothing at all", func(webhooktest.Event) []string { return nil }, webhooktest.Lost},
		{"one contact for all", func(webhooktest.Event) []string { return []string{"all"} }, webhooktest.Mixed},
		{"a contact for each message", func(e webhooktest.Event) []string { return []string{e.ID} }, webhooktest.Split},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := webhooktest.Compare(w.Events(), test.contactsOf)
			if test.mistake != webhooktest.Lost {
				require.Equal(t, 200, r.People+lostPeople(w))
			}
			require.Equal(t, test.mistake == "", len(r.Evident()) == 0)
			for _, f := range r.Evident() {
				require.Equal(t, test.mistake, f.Mistake)
				require.NotEmpty(t, f.String())
			}
			for _, f := range r.Findings {
				require.NotEmpty(t, f.A.ID)
				require.False(t, f.A.Lost)
				switch f.Mistake {
				case webhooktest.Mixed:
					require.NotEqual(t, f.A.Person, f.B.Person)
				case webhooktest.Split:
					require.Equal(t, f.A.Person, f.B.Person)
					require.NotEqual(t, f.Contact, f.Other)
				case webhooktest.Lost, webhooktest.Double:
					require.Zero(t, f.B)
				}
			}
		})
	}
}

// lostPeople counts the people whose messages are all lost.
func lostPeople(w webhooktest.World) int {
	heard := map[int]bool{}
	for e := range w.Events() {
		if e.Kind == webhooktest.KindMessage && !e.Lost {
			heard[e.Person] = true
		}
	}
	return w.People - len(heard)
}

const day = 24 * 60 * 60

// On day0 webhooks have phone numbers only, in summer BSUIDs and hidden numbers as well.
var (
	day0   = time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
	summer = time.Date(2026, time.September, 1, 0, 0, 0, 0, time.UTC)
)

func TestCompareFindsTheCause(t *testing.T) {
	byNumber := func(e webhooktest.Event) []string { return []string{cmp.Or(e.Shown.Phone, e.Shown.BSUID)} }
	bySender := func(e webhooktest.Event) []string { return []string{cmp.Or(e.Shown.BSUID, e.Shown.Phone)} }
	for _, test := range []struct {
		name       string
		start      time.Time
		play       func(p *webhooktest.Platform)
		contactsOf func(webhooktest.Event) []string
		mistake    webhooktest.Mistake
		cause      webhooktest.Cause
	}{
		{"a number changes hands before BSUIDs", day0, func(p *webhooktest.Platform) {
			a := p.Add(webhooktest.Profile{})
			a.Write(0, "")
			a.GiveUpNumber()
			p.Wait(90 * 24 * time.Hour)
			p.Add(webhooktest.Profile{Phone: a.Phone()}).Write(0, "")
		}, byNumber, webhooktest.Mixed, webhooktest.Silence},
		{"a number changes hands, and both have a BSUID", summer, func(p *webhooktest.Platform) {
			a := p.Add(webhooktest.Profile{})
			a.Write(0, "")
			a.GiveUpNumber()
			p.Wait(90 * 24 * time.Hour)
			p.Add(webhooktest.Profile{Phone: a.Phone()}).Write(0, "")
		}, byNumber, webhooktest.Mixed, webhooktest.Evident},
		{"an announcement says that a number changes hands", day0, func(p *webhooktest.Platform) {
			a := p.Add(webhooktest.Profile{})
			a.Write(0, "")
			number := a.Phone()
			a.ChangeNumber("")
			p.Wait(90 * 24 * time.Hour)
			p.Add(webhooktest.Profile{Phone: number}).Write(0, "")
		}, byNumber, webhooktest.Mixed, webhooktest.Evident},
		{"that announcement is lost", day0, func(p *webhooktest.Platform) {
			a := p.Add(webhooktest.Profile{})
			a.Write(0, "")
			number := a.Phone()
			p.Lose(func() { a.ChangeNumber("") })
			p.Wait(90 * 24 * time.Hour)
			p.Add(webhooktest.Profile{Phone: number}).Write(0, "")
		}, byNumber, webhooktest.Mixed, webhooktest.WebhookLost},
		{"the number hides before the first BSUID", day0, func(p *webhooktest.Platform) {
			a := p.Add(webhooktest.Profile{})
			a.Write(0, "")
			p.Wait(180 * 24 * time.Hour)
			a.AdoptUsername("jane")
			a.HideNumber()
			a.Write(0, "")
		}, bySender, webhooktest.Split, webhooktest.Apart},
		{"one webhook has the number and the BSUID", day0, func(p *webhooktest.Platform) {
			a := p.Add(webhooktest.Profile{})
			a.Write(0, "")
			p.Wait(60 * 24 * time.Hour)
			a.Write(0, "")
		}, bySender, webhooktest.Split, webhooktest.Evident},
		{"the BSUIDs rotate", summer, func(p *webhooktest.Platform) {
			a := p.Add(webhooktest.Profile{Hidden: true})
			a.Write(0, "")
			a.Rotate()
			a.Write(0, "")
		}, bySender, webhooktest.Split, webhooktest.Evident},
		{"the BSUIDs rotate between a number alone and the first BSUID with it", day0, func(p *webhooktest.Platform) {
			a := p.Add(webhooktest.Profile{})
			a.Write(0, "")
			p.Wait(60 * 24 * time.Hour)
			a.Rotate()
			p.Wait(24 * time.Hour)
			a.Write(0, "")
		}, bySender, webhooktest.Split, webhooktest.Apart},
		{"the announcement of a rotation is lost", summer, func(p *webhooktest.Platform) {
			a := p.Add(webhooktest.Profile{Hidden: true})
			a.Write(0, "")
			p.Lose(a.Rotate)
			a.Write(0, "")
		}, bySender, webhooktest.Split, webhooktest.WebhookLost},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := webhooktest.NewPlatform(1, test.start)
			test.play(p)
			r := webhooktest.Compare(p.Events(), test.contactsOf)
			require.Len(t, r.Findings, 1)
			require.Equal(t, 1, r.Count(test.mistake, test.cause), "%v", r.Findings)
			require.Empty(t, webhooktest.Compare(p.Events(), truth).Findings)
		})
	}
}

// A batch finds people in all webhooks at once. It uses only what the webhooks show: ids
// in one webhook belong to one person; a number belongs to one person between two
// announcements that it changes hands; a number without a BSUID belongs to its last owner
// or else to its next one.
type batch struct {
	parent map[string]string
	marks  map[string][]mark // by number, in order of time
}

type mark struct {
	at    int64 // twice the seconds, plus one for a cut after an event, minus one for a cut before it
	cut   bool
	owner string // the BSUID in the same webhook, if any
}

func newBatch(events iter.Seq[webhooktest.Event]) *batch {
	b := &batch{parent: map[string]string{}, marks: map[string][]mark{}}
	var changes []webhooktest.Event
	announced := map[[2]string]int64{} // by the two numbers; the platform announces a change to each business
	for e := range events {
		addressed := e.Kind == webhooktest.KindStatus || e.Kind == webhooktest.KindEcho || e.Kind == webhooktest.KindCallToUser
		phone := cmp.Or(e.Shown.Phone, e.Shared)
		if e.Lost || addressed && (e.Shown.BSUID == "" || phone == "") {
			continue
		}
		at := 2 * e.At.Unix()
		b.join(e.Shown.BSUID, e.Shown.Parent)
		b.mark(phone, mark{at: at, owner: e.Shown.BSUID})
		if e.Kind == webhooktest.KindChange {
			b.join(e.Previous.BSUID, e.Previous.Parent)
			b.join(e.Previous.BSUID, e.Shown.BSUID)
			b.mark(e.Previous.Phone, mark{at: at, owner: e.Previous.BSUID})
			numbers := [2]string{e.Previous.Phone, phone}
			if before, ok := announced[numbers]; ok && at-before < 2*day {
				continue
			}
			announced[numbers] = at
			changes = append(changes, e)
			if e.Previous.Phone != phone {
				b.mark(e.Previous.Phone, mark{at: at + 1, cut: true})
				b.mark(phone, mark{at: at - 1, cut: true})
			}
		}
	}
	for _, marks := range b.marks {
		slices.SortStableFunc(marks, func(x, y mark) int { return cmp.Compare(x.at, y.at) })
	}
	for _, e := range changes {
		if e.Previous.BSUID == "" && e.Shown.BSUID == "" {
			b.join(b.holder(e.Previous.Phone, 2*e.At.Unix()), b.holder(e.Shown.Phone, 2*e.At.Unix()))
		}
	}
	return b
}

func (b *batch) mark(phone string, m mark) {
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

func (b *batch) contactsOf(e webhooktest.Event) []string {
	if e.Shown.BSUID != "" {
		return []string{b.find(e.Shown.BSUID)}
	}
	return []string{b.holder(e.Shown.Phone, 2*e.At.Unix())}
}

// Compare finds no avoidable mistake in a batch, which uses only what the webhooks show.
func TestCompareOfABatch(t *testing.T) {
	for seed := range uint64(20) {
		w := harsh(seed, 200)
		w.Start = day0
		w.Length = year
		w.Faults.Lost = float64(seed%4) * 0.1
		b := newBatch(w.Events())
		r := webhooktest.Compare(w.Events(), b.contactsOf)
		for _, f := range r.Evident() {
			t.Errorf("seed %d: %s", seed, f)
		}
	}
}

// BSUIDs of two portfolios are connected by a parent BSUID only.
func TestCompareAcrossPortfolios(t *testing.T) {
	bySender := func(e webhooktest.Event) []string { return []string{e.Shown.BSUID} }
	for group, cause := range map[string]webhooktest.Cause{"": webhooktest.Apart, "group": webhooktest.Evident} {
		p := webhooktest.NewPlatform(1, summer, webhooktest.Business{Portfolio: "a", Group: group}, webhooktest.Business{Portfolio: "b", Group: group})
		a := p.Add(webhooktest.Profile{})
		a.Write(0, "Hello!")
		a.Write(1, "Hello!")
		r := webhooktest.Compare(p.Events(), bySender)
		require.Len(t, r.Findings, 1)
		require.Equal(t, 1, r.Count(webhooktest.Split, cause), "group %q", group)
	}
}
