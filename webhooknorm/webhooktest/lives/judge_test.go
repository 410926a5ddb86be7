package lives

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// judged returns the judgement about a receiver of which the contacts of each event are known.
func judged(s Story, contactsOf func(Event) []string) Report {
	events := map[string]Event{}
	for e := range s.events(newTruth()) {
		if !e.Lost && !e.Again && (e.Kind == KindMessage || e.Kind == KindHistory) {
			events[e.ID] = e
		}
	}
	return s.Judge(Results{ContactsOf: func(id string) []string { return contactsOf(events[id]) }})
}

func right(e Event) []string { return []string{fmt.Sprint(e.Person)} }

func TestJudgeOfSimpleReceivers(t *testing.T) {
	w := harsh(1, 200)
	for _, test := range []struct {
		name       string
		contactsOf func(Event) []string
		mistake    Mistake // the only avoidable one
	}{
		{"the truth", right, ""},
		{"the truth twice", func(e Event) []string { return append(right(e), right(e)...) }, Duplicate},
		{"nothing at all", func(Event) []string { return nil }, Lost},
		{"one contact for all", func(Event) []string { return []string{"all"} }, Mixed},
		{"a contact for each message", func(e Event) []string { return []string{e.ID} }, Split},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := judged(w.Story(nil), test.contactsOf)
			if test.mistake != Lost {
				require.Equal(t, 200, r.People+lostPeople(w))
			}
			require.Equal(t, test.mistake == "", len(r.Avoidable()) == 0)
			for _, f := range r.Avoidable() {
				require.Equal(t, test.mistake, f.Mistake)
				require.NotEmpty(t, f.String())
			}
			for _, f := range r.Findings {
				require.NotEmpty(t, f.A.ID)
				require.False(t, f.A.Lost)
				switch f.Mistake {
				case Mixed:
					require.NotEqual(t, f.A.Person, f.B.Person)
				case Split:
					require.Equal(t, f.A.Person, f.B.Person)
					require.NotEqual(t, f.Contact, f.Other)
				case Lost, Duplicate, Replied, Repeated, Unanswered, System:
					require.Zero(t, f.B)
				}
			}
		})
	}
}

// lostPeople counts the people whose messages are all lost.
func lostPeople(w World) int {
	heard := map[int]bool{}
	for e := range w.Story(nil).events(newTruth()) {
		if e.Kind == KindMessage && !e.Lost {
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

func TestJudgeExcusesWhatNobodyCanKnow(t *testing.T) {
	byNumber := func(e Event) []string { return []string{cmp.Or(e.Shown.Phone, e.Shown.BSUID)} }
	bySender := func(e Event) []string { return []string{cmp.Or(e.Shown.BSUID, e.Shown.Phone)} }
	for _, test := range []struct {
		name       string
		start      time.Time
		play       func(p *platform)
		contactsOf func(Event) []string
		mistake    Mistake
		avoidable  bool
	}{
		{"a number changes hands before BSUIDs", day0, func(p *platform) {
			a := p.Add(profile{})
			a.Write(0, "")
			a.GiveUpNumber()
			p.Wait(90 * 24 * time.Hour)
			p.Add(profile{Phone: a.Phone()}).Write(0, "")
		}, byNumber, Mixed, false},
		{"a number changes hands, and both have a BSUID", summer, func(p *platform) {
			a := p.Add(profile{})
			a.Write(0, "")
			a.GiveUpNumber()
			p.Wait(90 * 24 * time.Hour)
			p.Add(profile{Phone: a.Phone()}).Write(0, "")
		}, byNumber, Mixed, true},
		{"an announcement says that a number changes hands", day0, func(p *platform) {
			a := p.Add(profile{})
			a.Write(0, "")
			number := a.Phone()
			a.ChangeNumber("")
			p.Wait(90 * 24 * time.Hour)
			p.Add(profile{Phone: number}).Write(0, "")
		}, byNumber, Mixed, true},
		{"that announcement is lost", day0, func(p *platform) {
			a := p.Add(profile{})
			a.Write(0, "")
			number := a.Phone()
			p.Lose(func() { a.ChangeNumber("") })
			p.Wait(90 * 24 * time.Hour)
			p.Add(profile{Phone: number}).Write(0, "")
		}, byNumber, Mixed, false},
		{"the number hides before the first BSUID", day0, func(p *platform) {
			a := p.Add(profile{})
			a.Write(0, "")
			p.Wait(180 * 24 * time.Hour)
			a.AdoptUsername("jane")
			a.HideNumber()
			a.Write(0, "")
		}, bySender, Split, false},
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
		}, bySender, Split, false},
		{"one webhook has the number and the BSUID", day0, func(p *platform) {
			a := p.Add(profile{})
			a.Write(0, "")
			p.Wait(60 * 24 * time.Hour)
			a.Write(0, "")
		}, bySender, Split, true},
		{"the BSUIDs rotate", summer, func(p *platform) {
			a := p.Add(profile{Hidden: true})
			a.Write(0, "")
			a.Rotate()
			a.Write(0, "")
		}, bySender, Split, true},
		{"the BSUIDs rotate between a number alone and the first BSUID with it", day0, func(p *platform) {
			a := p.Add(profile{})
			a.Write(0, "")
			p.Wait(60 * 24 * time.Hour)
			a.Rotate()
			p.Wait(24 * time.Hour)
			a.Write(0, "")
		}, bySender, Split, false},
		{"the announcement of a rotation is lost", summer, func(p *platform) {
			a := p.Add(profile{Hidden: true})
			a.Write(0, "")
			p.Lose(a.Rotate)
			a.Write(0, "")
		}, bySender, Split, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newRecording(1, test.start)
			test.play(p)
			r := judged(p.Story(faults{}), test.contactsOf)
			require.Len(t, r.Findings, 1)
			require.Equal(t, test.mistake, r.Findings[0].Mistake)
			require.Equal(t, test.avoidable, !r.Findings[0].Unavoidable)
			require.Empty(t, judged(p.Story(faults{}), right).Findings)
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

func newBatch(events iter.Seq[Event]) *batch {
	b := &batch{parent: map[string]string{}, marks: map[string][]batchMark{}}
	var changes []Event
	announced := map[[2]string]int64{} // by the two numbers; the platform announces a change to each business
	for e := range events {
		addressed := e.Kind == KindStatus || e.Kind == KindEcho || e.Kind == KindCallToUser
		phone := cmp.Or(e.Shown.Phone, e.Shared)
		if e.Lost || addressed && (e.Shown.BSUID == "" || phone == "") {
			continue
		}
		at := 2 * e.At.Unix()
		b.join(e.Shown.BSUID, e.Shown.Parent)
		b.mark(phone, batchMark{at: at, owner: e.Shown.BSUID})
		if e.Kind == KindChange {
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

func (b *batch) contactsOf(e Event) []string {
	if e.Shown.BSUID != "" {
		return []string{b.find(e.Shown.BSUID)}
	}
	return []string{b.holder(e.Shown.Phone, 2*e.At.Unix())}
}

// The judge finds no avoidable mistake in a batch, which uses only what the webhooks show.
func TestJudgeOfABatch(t *testing.T) {
	for seed := range uint64(12) {
		w := harsh(seed, 200)
		w.start = day0
		w.length = year
		w.Loss = float64(seed%4) * 0.1
		b := newBatch(w.Story(nil).events(newTruth()))
		r := judged(w.Story(nil), b.contactsOf)
		for _, f := range r.Avoidable() {
			t.Errorf("seed %d: %s", seed, f)
		}
	}
}

// BSUIDs of two portfolios are connected by a parent BSUID only.
func TestJudgeAcrossPortfolios(t *testing.T) {
	bySender := func(e Event) []string { return []string{e.Shown.BSUID} }
	for group, avoidable := range map[string]bool{"": false, "group": true} {
		p := newRecording(1, summer, Business{Portfolio: "a", Group: group}, Business{Portfolio: "b", Group: group})
		a := p.Add(profile{})
		a.Write(0, "Hello!")
		a.Write(1, "Hello!")
		r := judged(p.Story(faults{}), bySender)
		require.Len(t, r.Findings, 1)
		require.Equal(t, avoidable, r.Count(Split) == 1, "group %q", group)
	}
}
