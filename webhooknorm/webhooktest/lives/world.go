package lives

import (
	"cmp"
	"container/heap"
	"iter"
	"math"
	"math/rand/v2"
	"strconv"
	"time"
)

// A World describes a simulation of many people. Equal worlds result in the same bytes.
// Create a World with [NewWorld], then change its fields as needed. Except for Change, they're
// probabilities from 0 to 1.
type World struct {
	Change    float64 // how often a person changes the number per year; usually 0.065
	Duplicate float64 // a webhook is delivered a second time; usually 0.05
	Delay     float64 // an event is up to seven days late; usually 0.1
	Batch     float64 // a webhook contains 2-20 events, in any order; usually 0.05
	Loss      float64 // an event is never delivered; usually 0

	Trouble    Trouble
	Businesses []Business // nil means two numbers of one portfolio

	rates  rates
	faults faults // those without an exported field
	seed   uint64
	people int
	length time.Duration // people arrive during the first four fifths
	start  time.Time
}

// rates specifies how often things happen, per person and year.
type rates struct {
	write, receive, call, echo, group, preference float64

	username float64 // adopts a username or, with one, drops it
	hide     float64 // hides the number behind the username, or shows it again
	share    float64 // answers a request for the number
	rotate   float64 // gets other BSUIDs without another number
	leave    float64 // gives the number up in silence
	recycle  float64 // the probability that a new number was someone else's before
	standby  float64 // another application takes the conversation over, or passes it back
	history  float64 // the business shares the messages of its app
	update   float64 // something happens to the business itself
}

// NewWorld returns a world with the usual probabilities. It starts in January 2026, so
// webhooks contain only phone numbers for three months. Per year, a person usually writes 6
// messages and receives 2, adopts or drops a username 0.8 times, hides or shows the number 0.8
// times, and shares it 0.1 times. Another application answers 0.4 times a year. A tenth of the
// webhooks contain undocumented fields, a twentieth contain no contacts, and another twentieth
// contain empty strings for absent IDs.
func NewWorld(seed uint64, people int, length time.Duration) World {
	return World{
		seed: seed, people: people,
		start: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC), length: length,
		Change: 0.065, Duplicate: 0.05, Delay: 0.1, Batch: 0.05,
		rates: rates{
			write: 6, receive: 2, call: 0.2, echo: 0.2, group: 0.3, preference: 0.1,
			username: 0.8, hide: 0.8, share: 0.1, rotate: 0.02, leave: 0.05, recycle: 0.3, standby: 0.4, history: 0.1, update: 0.05,
		},
		faults: faults{unknownFields: 0.1, omitContacts: 0.05, emptyIDs: 0.05},
	}
}

// Webhooks returns the bodies of the world's webhooks in their order of arrival. They're
// created one by one, so memory contains only people and late events. [Request] signs them.
func (w World) Webhooks() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for d := range w.Story(nil).Deliveries() {
			if !yield(d.Body) {
				return
			}
		}
	}
}

// Compare compares a receiver's contacts with the truth after all webhooks from [World.Webhooks]
// were delivered. contactsOf is as in [Results]. It returns a description of each mistake that a
// receiver can avoid, and a summary that includes those it can't.
func (w World) Compare(contactsOf func(messageID string) []string) (avoidable []string, summary string) {
	r := w.Story(nil).Judge(Results{ContactsOf: contactsOf})
	for _, f := range r.Avoidable() {
		avoidable = append(avoidable, f.String())
	}
	return avoidable, r.String()
}

// Story returns what happens in the world. Fields are the delivered webhook fields, or nil for all.
func (w World) Story(fields []string) Story {
	f := w.faults
	f.duplicate, f.delay, f.batch = w.Duplicate, w.Delay, w.Batch
	return Story{seed: w.seed, businesses: w.Businesses, faults: f, play: func(t *truth, yield func(Event) bool) { w.play(t, fields, yield) }}
}

// play simulates the world until yield returns false.
func (w World) play(t *truth, fields []string, yield func(Event) bool) {
	w.start, w.length = w.start.Add(-w.Trouble.Numbers), w.length+w.Trouble.Numbers
	w.rates.recycle, w.rates.leave = cmp.Or(w.Trouble.Recycle, w.rates.recycle), cmp.Or(w.Trouble.Leave, w.rates.leave)
	p := newPlatform(w.seed, w.start, w.Businesses)
	p.trouble = newTroublemaker(w.Trouble, w.seed)
	p.truth, p.lossRate, p.fields = t, w.Loss, fields
	stopped := false
	p.emit = func(e Event) { stopped = stopped || !yield(e) }

	l := simulation{World: w, platform: p, random: rand.New(rand.NewPCG(w.seed, 4))}
	p.trouble.after = func(seconds int64, f func()) { heap.Push(&l.due, entry{at: p.now + seconds, happens: f}) }
	p.trouble.born = func(h *user) { heap.Push(&l.due, entry{at: p.now + l.pause(), person: h}) }
	end := w.start.Add(w.length).Unix()
	for range w.people {
		heap.Push(&l.due, entry{at: w.start.Unix() + l.random.Int64N(max(1, int64(w.length/time.Second)*4/5))})
	}
	for len(l.due) > 0 && !stopped {
		next := heap.Pop(&l.due).(entry)
		if next.at >= end {
			continue
		}
		p.now = max(p.now, next.at)
		if next.happens != nil {
			next.happens()
			continue
		}
		if next.person == nil {
			next.person = l.arrive()
		} else {
			l.act(next.person)
		}
		if !next.person.gone {
			next.at = p.now + l.pause()
			heap.Push(&l.due, next)
		}
	}
}

// An entry is the next time that something happens to a person. Without a person, it's the
// time when a new person arrives, or when something else happens.
type entry struct {
	at      int64
	person  *user
	happens func()
}

// A schedule is a heap that starts with the earliest entry.
type schedule []entry

func (a schedule) Len() int           { return len(a) }
func (a schedule) Less(i, j int) bool { return a[i].at < a[j].at }
func (a schedule) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a *schedule) Push(x any)        { *a = append(*a, x.(entry)) }
func (a *schedule) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

// A simulation makes things happen in a world.
type simulation struct {
	World
	platform *platform
	random   *rand.Rand
	due      schedule
}

// total returns how often anything happens to a person per year.
func (w World) total() float64 {
	r := w.rates
	return r.write + r.receive + r.call + r.echo + r.group + r.preference + r.username + r.hide + r.share + r.standby + r.history + r.update + w.Change + r.rotate + r.leave
}

// pause returns the seconds until the next thing happens to a person.
func (l *simulation) pause() int64 {
	const year = 365.25 * 24 * 60 * 60
	return 1 + int64(min(l.random.ExpFloat64()*year/l.total(), math.MaxInt32))
}

// arrive adds a person, who writes their first message.
func (l *simulation) arrive() *user {
	i := l.platform.people
	person := l.platform.Add(profile{Name: name(l.seed, i), Phone: l.platform.takeNumber(i, l.rates.recycle)})
	person.Write(l.business(), l.say())
	return person
}

// business chooses a business, in most cases the first.
func (l *simulation) business() int {
	if l.random.IntN(3) > 0 {
		return 0
	}
	return l.random.IntN(len(l.platform.businesses))
}

// act makes one thing happen to a person.
func (l *simulation) act(person *user) {
	r, b := l.rates, l.business()
	x := l.random.Float64() * l.total()
	chosen := func(rate float64) bool { x -= rate; return x < 0 }
	now := l.platform.now
	switch {
	case chosen(r.receive):
		if l.random.IntN(20) == 0 {
			person.FailDelivery(b)
		} else {
			person.Receive(b)
		}
	case chosen(r.call):
		if l.random.IntN(4) == 0 {
			person.ReceiveCall(b)
		} else {
			person.Call(b)
		}
	case chosen(r.echo):
		person.ReceiveEcho(b)
	case chosen(r.group):
		group := "120363" + strconv.Itoa(1_000_000+l.random.IntN(1000)) + "@g.us"
		person.JoinGroup(b, group)
		person.WriteInGroup(b, group, l.say())
	case chosen(r.preference):
		person.StopMarketing(b)
	case chosen(r.standby):
		person.TakeOver(b)
		person.Write(b, l.say())
		person.ReceiveEcho(b)
		person.Receive(b)
		if l.random.IntN(4) > 0 {
			person.PassBack(b)
		}
		person.Write(b, l.say())
	case chosen(r.history):
		person.ShareHistory(b)
	case chosen(r.update):
		l.platform.Update(b, updates[l.random.IntN(len(updates))])
	case chosen(r.username):
		switch {
		case now < hidingFrom:
		case person.username == "":
			person.AdoptUsername(username(l.seed, person.index, l.random.IntN(1000)))
		default:
			person.DropUsername()
		}
	case chosen(r.hide):
		switch {
		case person.username == "": // without one there's nothing to hide behind
		case person.hidden:
			person.ShowNumber()
		default:
			person.HideNumber()
		}
	case chosen(r.share):
		if now >= bsuidsFrom {
			person.ShareNumber(b)
		}
	case chosen(l.Change):
		person.ChangeNumber(l.platform.takeNumber(person.index, l.rates.recycle))
	case chosen(r.rotate):
		person.Rotate() // does nothing before there are BSUIDs
	case chosen(r.leave):
		person.GiveUpNumber()
	case l.random.IntN(3) == 0:
		person.WriteType(b, messageTypes[l.random.IntN(len(messageTypes))])
	default:
		person.Write(b, l.say())
	}
}

func (l *simulation) say() string {
	says := [...]string{
		"Hello!", "Is the red one still there?", "Obrigada, até amanhã 👋", "line one\nline two", `she said "yes"`, "50% off / 2 for 1 \\o/", "שלום", "😀😀", "¿Tienen en azul?",
	}
	return says[l.random.IntN(len(says))]
}

var (
	firstNames = [...]string{"Jane", "João", "Aisha", "Sheena", "Pablo", "Mei", "Olga", "Kwame", "Zoë", "Nguyễn"}
	lastNames  = [...]string{"Doe", "Nelson", "Morales", "Okafor", "Şahin", "O'Neill", "Silva", "Ivanova", "李", "👑"}
)

func name(seed uint64, i int) string {
	x := mix(seed ^ uint64(i))
	return firstNames[x%10] + " " + lastNames[x/10%10]
}

func username(seed uint64, i, n int) string {
	first := [...]string{"jane", "joao", "aisha", "sheena", "pablo", "mei", "olga", "kwame", "zoe", "nguyen"}
	return first[mix(seed^uint64(i))%10] + "." + strconv.Itoa(i) + "_" + strconv.Itoa(n)
}
