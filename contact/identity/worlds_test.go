package identity_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/contact/identity/internal/reference"
	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/webhooknorm"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest/lives"
)

const year = 365 * 24 * time.Hour

// A trial is a kind of world, and what happens in it.
type trial struct {
	name string
	set  func(w *lives.World)
	// scope returns the names of portfolios and groups. Nil means that the receiver uses one name.
	scope func(phoneNumberID string) identity.Scope

	operator func(messages []lives.Event) [][]byte // what an operator states who knows the truth
	daily    bool                                  // times are days
}

func trouble(name string, t lives.Trouble) trial {
	return trial{name: name, set: func(w *lives.World) { w.Trouble = t }}
}

// trials are the worlds in which rules matter.
var trials = []trial{
	{name: "in order", set: func(w *lives.World) { w.Delay, w.Batch, w.Duplicate = 0, 0, 0 }},
	{name: "late and shuffled", set: func(w *lives.World) { w.Delay, w.Batch = 0.3, 0.2 }},
	{name: "2 % lost", set: func(w *lives.World) { w.Loss = 0.02 }},
	trouble("10 % of announcements lost", lives.Trouble{LoseChange: 0.1}),
	trouble("numbers, then BSUIDs", lives.Trouble{Numbers: year}),
	trouble("30 % of BSUIDs dropped", lives.Trouble{DropBSUID: 0.3}),
	trouble("no previous IDs", lives.Trouble{DropPrevious: 0.5}),
	trouble("told twice", lives.Trouble{Retell: 0.5}),
	trouble("late statuses", lives.Trouble{LateStatus: 0.8}),
	trouble("statuses of the dead", lives.Trouble{Zombie: 0.8, Leave: 0.3, Recycle: 0.8}),
	trouble("families", lives.Trouble{Family: 0.5}),
	trouble("recycled numbers", lives.Trouble{Leave: 0.3, Recycle: 0.9, Numbers: year}),
	trouble("placeholder number", lives.Trouble{PlaceholderNumber: 0.6}),
	trouble("placeholder BSUID", lives.Trouble{PlaceholderBSUID: 0.1}),
	trouble("wrong BSUID", lives.Trouble{WrongBSUID: 0.01}),
	{name: "two portfolios, one name", set: func(w *lives.World) { w.Businesses = portfolios("") }},
	{name: "linked portfolios", set: func(w *lives.World) { w.Businesses = portfolios("group") }, scope: func(id string) identity.Scope {
		return identity.Scope{Portfolio: id, Group: "group"}
	}},
}

// repaired are worlds in which operators say what they know, and one whose times are days.
var repaired = []trial{
	{name: "an operator joins", set: trouble("", lives.Trouble{LoseChange: 0.5, Numbers: year}).set, operator: join},
	{name: "an operator hands over", set: trouble("", lives.Trouble{Leave: 0.3, Recycle: 0.9, Numbers: 2 * year}).set, operator: handOver},
	{name: "an operator withdraws", set: trouble("", lives.Trouble{WrongBSUID: 0.01}).set, operator: withdraw},
	{name: "placeholder number, days", set: trouble("", lives.Trouble{PlaceholderNumber: 0.6}).set, daily: true},
}

// join states that the IDs of a person's successive messages are one person's.
func join(messages []lives.Event) (facts [][]byte) {
	last := map[int]lives.Event{}
	for _, e := range messages {
		before, known := last[e.Person]
		last[e.Person] = e
		if a, b := idOf(before), idOf(e); known && a["value"] != b["value"] {
			facts = append(facts, statement(map[string]any{"fact": "joined", "at": e.At.Unix(), "a": a, "b": b}))
		}
	}
	return facts
}

// handOver states that somebody else has a number.
func handOver(messages []lives.Event) (facts [][]byte) {
	last := map[string]lives.Event{}
	for _, e := range messages {
		if before, known := last[e.Shown.Phone]; known && before.Person != e.Person && e.Shown.Phone != "" {
			facts = append(facts, statement(map[string]any{"fact": "handed_over", "at": e.At.Unix(), "phone": e.Shown.Phone}))
		}
		last[e.Shown.Phone] = e
	}
	return facts
}

// withdraw states that a number beside a wrong BSUID isn't its person's.
func withdraw(messages []lives.Event) (facts [][]byte) {
	for _, e := range messages {
		if e.Shown.BSUID != e.True.BSUID && e.Shown.BSUID != "" && e.Shown.Phone != "" {
			facts = append(facts, statement(map[string]any{
				"fact": "withdrawn", "at": e.At.Unix(),
				"a": map[string]any{"kind": "bsuid", "value": e.Shown.BSUID}, "b": map[string]any{"kind": "phone", "value": e.Shown.Phone},
			}))
		}
	}
	return facts
}

// idOf returns the BSUID of a message, or the number with the time when it was its person's.
func idOf(e lives.Event) map[string]any {
	if e.Shown.BSUID != "" {
		return map[string]any{"kind": "bsuid", "value": e.Shown.BSUID}
	}
	return map[string]any{"kind": "phone", "value": e.Shown.Phone, "at": e.At.Unix()}
}

func statement(fact map[string]any) []byte {
	text, err := json.Marshal(fact)
	if err != nil {
		panic(err) // only strings, numbers and maps
	}
	return text
}

// portfolios returns two businesses in portfolios of their own.
func portfolios(group string) []lives.Business {
	return []lives.Business{
		{Portfolio: "a", Group: group, Account: "102290129340398", ID: "106540352242922", Phone: "15550783881"},
		{Portfolio: "b", Group: group, Account: "102290129340399", ID: "106540352242923", Phone: "15550783882"},
	}
}

// towns returns small worlds of a trial. Numbers change often, because that's where mistakes happen.
func (x trial) towns(n, people int) []lives.World {
	var towns []lives.World
	for seed := range n {
		w := lives.NewWorld(uint64(1+seed), people, 3*year)
		w.Change = 0.5
		w.Businesses = portfolios("")
		w.Businesses[1].Portfolio = "a"
		x.set(&w)
		towns = append(towns, w)
	}
	return towns
}

// A record is a message that a receiver stored, in the words of the reference.
type record struct {
	id       string
	sighting []byte
}

// A journal is what a receiver got in a world.
type journal struct {
	world    lives.World
	facts    [][]byte
	messages []record
	sent     []lives.Sent
	naive    map[string]string // the contact of each message by BSUID, else by number, both written back
	short    map[string]string // the contact by the short way
	people   lives.Directory
	end      time.Time
}

// keep receives a world's webhooks.
func (x trial) keep(t *testing.T, w lives.World) journal {
	j := journal{world: w, naive: map[string]string{}, short: map[string]string{}}
	var truth []lives.Event
	naive, short := naiveWays()[2], newShortWay()
	deliveries, people := w.Story(nil).Tell()
	j.people = people
	for d := range deliveries {
		j.end = d.At
		webhook, err := webhooknorm.Read(d.Body)
		require.NoError(t, err)
		for _, e := range d.Events {
			if e.Kind == lives.KindMessage && !d.Repeat {
				truth = append(truth, e)
			}
		}
		for _, f := range identity.FactsOf(webhook, time.Time{}, x.scope) {
			text, err := json.Marshal(f)
			require.NoError(t, err)
			j.facts = append(j.facts, x.dated(text))
		}
		for i := range webhook.Events {
			if e := &webhook.Events[i]; e.Change != nil {
				short.change(e.Change, unix(t, e.Timestamp))
			}
		}
		for i := range webhook.Events {
			e := &webhook.Events[i]
			if e.Type == "system" || e.Kind != webhooknorm.KindMessage && e.Kind != webhooknorm.KindHistory || j.naive[e.MessageID] != "" {
				continue
			}
			at := unix(t, e.Timestamp)
			j.messages = append(j.messages, record{e.MessageID, x.sighting(e.PhoneNumberID, at, map[string]any{"bsuid": e.BSUID, "parent": e.ParentBSUID, "phone": e.Phone})})
			j.naive[e.MessageID] = "c" + strconv.Itoa(int(naive.contactOf(e, int32(len(j.messages)))))
			j.short[e.MessageID] = strconv.Itoa(short.message(e.IDs, at))
		}
		for _, s := range d.Answers() {
			number := s.To.Shown.Phone
			j.sent = append(j.sent, s)
			j.messages = append(j.messages, record{s.ID, x.sighting(x.business(w, s), s.To.At.Unix(), map[string]any{"phone": number})})
			j.naive[s.ID] = "c" + strconv.Itoa(int(naive.contacts[number]))
			j.short[s.ID] = strconv.Itoa(short.contact(short.numbers[number]))
		}
	}
	if x.operator != nil {
		slices.SortStableFunc(truth, func(a, b lives.Event) int { return a.At.Compare(b.At) })
		j.facts = append(j.facts, x.operator(truth)...)
	}
	// The short way merges contacts later.
	for id, c := range j.short {
		n, err := strconv.Atoi(c)
		require.NoError(t, err)
		j.short[id] = strconv.Itoa(short.contact(n))
	}
	return j
}

func (x trial) business(w lives.World, s lives.Sent) string { return w.Businesses[s.To.Business].ID }

func (x trial) sighting(business string, at int64, ids map[string]any) []byte {
	ids["fact"], ids["at"] = "seen", at
	if x.scope != nil {
		s := x.scope(business)
		ids["portfolio"], ids["group"] = s.Portfolio, s.Group
	}
	return x.dated(statement(ids))
}

var times = regexp.MustCompile(`"at":(\d+)`)

// dated returns a fact with the time of its day.
func (x trial) dated(fact []byte) []byte {
	if !x.daily {
		return fact
	}
	return times.ReplaceAllFunc(fact, func(text []byte) []byte {
		at, _ := strconv.ParseInt(string(text[len(`"at":`):]), 10, 64)
		return fmt.Appendf(nil, `"at":%d`, at-at%86_400)
	})
}

func unix(t *testing.T, text string) int64 {
	at, err := strconv.ParseInt(text, 10, 64)
	require.NoError(t, err)
	return at
}

// byReference counts the reference's mistakes without some rules.
func (j journal) byReference(facts *reference.Facts) lives.Tally {
	contacts, of := facts.Contacts(), map[string]string{}
	for _, m := range j.messages {
		of[m.id] = contacts(m.sighting)
	}
	return j.by(of)
}

func (j journal) by(of map[string]string) lives.Tally {
	return j.world.Count(func(id string) string { return of[id] }, j.sent)
}

// facts returns the facts of a journal.
func (j journal) read(t *testing.T) *reference.Facts {
	facts, err := reference.Read(j.facts...)
	require.NoError(t, err)
	return facts
}

// staleNumbers counts the numbers that a contact has now by the rules, but its person hasn't.
func (j journal) staleNumbers(facts *reference.Facts) (stale int) {
	for _, p := range facts.Partition().People {
		person, known := -1, false
		for _, a := range p.Aliases {
			if a.Kind == "bsuid" && !known {
				person, _ = j.people.Owner(a.Value, j.end)
				known = true
			}
		}
		for _, a := range p.Aliases {
			if holder, held := j.people.Holder(a.Value, j.end); known && a.Kind == "phone" && a.Current && (!held || holder != person) {
				stale++
			}
		}
	}
	return stale
}

// mistakes are what people would notice in the towns of a trial: people split, contacts mixed, messages
// and answers in somebody else's contact, and numbers that a contact hasn't any more.
type mistakes struct{ split, mixed, foreign, replies, stale int }

func (m *mistakes) add(t lives.Tally, stale int) {
	m.split, m.mixed, m.foreign, m.replies, m.stale = m.split+t.Split, m.mixed+t.Mixed, m.foreign+t.Foreign, m.replies+t.Replies, m.stale+stale
}

// TestRules shows what each rule is for: a world with fewer mistakes with it than without it.
func TestRules(t *testing.T) {
	testenv.Slow(t)
	journals := map[string][]journal{}
	for _, x := range slices.Concat(trials, repaired) {
		for _, w := range x.towns(5, 40) {
			journals[x.name] = append(journals[x.name], x.keep(t, w))
		}
	}
	tested := reference.Rule(0)
	for _, test := range []struct {
		section       string
		rule          reference.Rule
		world         string
		with, without mistakes
	}{
		{"3 crowding", reference.Crowding, "placeholder BSUID", mistakes{16, 6, 11, 0, 7}, mistakes{136, 5, 228, 172, 21}},
		{"3 withdrawn numbers", reference.Withdrawing, "an operator withdraws", mistakes{22, 23, 23, 0, 8}, mistakes{22, 23, 23, 18, 9}},
		{"4 told once", reference.Copies, "numbers, then BSUIDs", mistakes{0, 3, 6, 4, 13}, mistakes{7, 3, 6, 4, 13}},
		{"5 named together", reference.Naming, "linked portfolios", mistakes{1, 1, 1, 0, 14}, mistakes{188, 1, 1, 0, 14}},
		{"5 a life begins", reference.Beginning, "recycled numbers", mistakes{0, 4, 8, 7, 29}, mistakes{0, 6, 27, 16, 29}},
		{"5 a life ends", reference.Ending, "30 % of BSUIDs dropped", mistakes{3, 1, 2, 1, 10}, mistakes{14, 11, 16, 11, 126}},
		{"6 the previous number breaks", reference.Leaving, "numbers, then BSUIDs", mistakes{0, 3, 6, 4, 13}, mistakes{0, 13, 265, 116, 25}},
		{"6 the current number breaks", reference.Entering, "recycled numbers", mistakes{0, 4, 8, 7, 29}, mistakes{0, 5, 10, 9, 29}},
		{"6 an operator breaks", reference.HandingOver, "an operator hands over", mistakes{18, 1, 1, 1, 28}, mistakes{0, 16, 73, 45, 28}},
		{"7 seen then or later", reference.SeenLater, "wrong BSUID", mistakes{22, 23, 23, 18, 9}, mistakes{22, 23, 24, 47, 16}},
		{"7 the next in the line", reference.Adopting, "numbers, then BSUIDs", mistakes{0, 3, 6, 4, 13}, mistakes{69, 3, 6, 3, 13}},
		{"8 an announced number", reference.Following, "no previous IDs", mistakes{30, 0, 0, 0, 33}, mistakes{54, 0, 0, 0, 33}},
		{"8 two in a second", reference.SameSecond, "placeholder number, days", mistakes{61, 3, 10, 5, 55}, mistakes{61, 5, 23, 13, 56}},
		{"8 an operator joins", reference.Joining, "an operator joins", mistakes{0, 7, 77, 40, 62}, mistakes{54, 7, 26, 8, 59}},
		{"9 the holder's number", reference.Holding, "in order", mistakes{0, 0, 0, 0, 7}, mistakes{0, 0, 0, 0, 205}},
	} {
		var with, without mistakes
		for _, j := range journals[test.world] {
			facts := j.read(t)
			with.add(j.byReference(facts), j.staleNumbers(facts))
			facts = facts.Without(test.rule)
			without.add(j.byReference(facts), j.staleNumbers(facts))
		}
		require.Equal(t, test.with, with, test.section)
		require.Equal(t, test.without, without, "without %s", test.section)
		tested |= test.rule
	}
	for _, rule := range reference.Rules() {
		require.NotZero(t, tested&rule, "no world needs rule %b", rule)
	}
}

// TestWorlds compares ways to find contacts in the worlds: the BSUID, else the number, both written
// back; the short way; and the rules. It prints people split, contacts mixed, and messages and answers
// in somebody else's contact, as docs/benchmarks.md does.
func TestWorlds(t *testing.T) {
	testenv.Slow(t)
	want := map[string]string{
		"in order":                   "400 | 5551 | 211, 122, 438, 348 | 0, 0, 0, 0 | 0, 0, 0, 0",
		"late and shuffled":          "400 | 5551 | 211, 122, 438, 92 | 0, 0, 0, 0 | 0, 0, 0, 0",
		"2 % lost":                   "400 | 5452 | 210, 122, 434, 223 | 0, 0, 0, 0 | 0, 0, 0, 0",
		"10 % of announcements lost": "400 | 5551 | 211, 122, 438, 232 | 11, 1, 2, 2 | 11, 1, 2, 2",
		"numbers, then BSUIDs":       "400 | 7291 | 244, 156, 719, 306 | 21, 4, 9, 6 | 0, 4, 9, 6",
		"30 % of BSUIDs dropped":     "400 | 5551 | 211, 122, 437, 207 | 19, 2, 2, 1 | 4, 3, 4, 2",
		"no previous IDs":            "400 | 5551 | 211, 122, 438, 223 | 44, 1, 2, 2 | 44, 1, 2, 2",
		"told twice":                 "400 | 5551 | 211, 140, 516, 243 | 1, 0, 0, 0 | 0, 0, 0, 0",
		"late statuses":              "400 | 5551 | 211, 116, 397, 204 | 0, 0, 0, 0 | 0, 0, 0, 0",
		"statuses of the dead":       "400 | 4603 | 175, 185, 904, 461 | 1, 5, 7, 4 | 0, 4, 5, 4",
		"families":                   "616 | 7417 | 271, 240, 1219, 583 | 2, 2, 15, 9 | 0, 0, 0, 0",
		"recycled numbers":           "400 | 5725 | 213, 236, 1437, 693 | 13, 14, 40, 23 | 0, 14, 40, 24",
		"placeholder number":         "400 | 5551 | 211, 122, 438, 223 | 104, 12, 64, 30 | 104, 4, 12, 7",
		"placeholder BSUID":          "400 | 5551 | 302, 113, 1217, 573 | 264, 10, 464, 225 | 30, 12, 20, 1",
		"wrong BSUID":                "400 | 5551 | 223, 147, 521, 268 | 38, 39, 58, 21 | 39, 40, 42, 29",
		"two portfolios, one name":   "400 | 5551 | 224, 122, 436, 224 | 320, 0, 0, 0 | 345, 0, 0, 0",
		"linked portfolios":          "400 | 5551 | 224, 122, 436, 224 | 320, 0, 0, 0 | 1, 1, 1, 0",
	}
	var all lives.Tally
	for _, x := range trials {
		var naive, short, byRules mistakes
		people, messages := 0, 0
		for _, w := range x.towns(10, 40) {
			j := x.keep(t, w)
			tally := j.byReference(j.read(t))
			naive.add(j.by(j.naive), 0)
			short.add(j.by(j.short), 0)
			byRules.add(tally, 0)
			if w.Trouble.WrongBSUID+w.Trouble.PlaceholderBSUID == 0 {
				all = all.Add(tally)
			}
			people, messages = people+tally.People, messages+tally.Messages
		}
		got := fmt.Sprintf("%d | %d | %s | %s | %s", people, messages, naive, short, byRules)
		t.Logf("| %s | %s |", x.name, got)
		require.Equal(t, want[x.name], got, x.name)
	}
	t.Logf("in %d of %d mixed contacts, at most one person wrote with a BSUID, unless BSUIDs were wrong", all.Silent, all.Mixed)
	require.Equal(t, [2]int{32, 32}, [2]int{all.Silent, all.Mixed})
}

func (m mistakes) String() string {
	return fmt.Sprintf("%d, %d, %d, %d", m.split, m.mixed, m.foreign, m.replies)
}

// TestForgetInWorlds forgets people in all worlds. Nobody else's person may change.
func TestForgetInWorlds(t *testing.T) {
	testenv.Slow(t)
	forgotten := 0
	for _, x := range slices.Concat(trials, repaired) {
		for _, w := range x.towns(2, 30) {
			people := x.keep(t, w).read(t).Partition().People
			for i, p := range people {
				want, err := json.Marshal(slices.Delete(slices.Clone(people), i, i+1))
				require.NoError(t, err)
				got, err := json.Marshal(p.Forget().Partition().People)
				require.NoError(t, err)
				require.Equal(t, string(want), string(got), "%s without person %d", x.name, i)
				forgotten++
			}
		}
	}
	require.Greater(t, forgotten, 1000)
	t.Logf("forgot %d people", forgotten)
}
