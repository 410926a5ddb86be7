package lives

import (
	"iter"
	"math/rand/v2"
	"slices"
	"time"
)

// The days when the platform started to send more about people.
var (
	bsuidsFrom   = time.Date(2026, time.April, 1, 0, 0, 0, 0, time.UTC).Unix()
	hidingFrom   = time.Date(2026, time.July, 7, 0, 0, 0, 0, time.UTC).Unix()
	previousFrom = time.Date(2026, time.August, 11, 0, 0, 0, 0, time.UTC).Unix()
)

// shownAfterUse is how long webhooks show a hidden number after its last use, in seconds.
const shownAfterUse = 30 * 24 * 60 * 60

// A platform is a simulated messaging platform with a clock. Its people's methods make things
// happen, and advance the clock by at least a second. A platform doesn't support concurrent
// use.
//
// Webhooks contain only phone numbers before April 2026, and BSUIDs from then on. Usernames
// came in July 2026, and previous BSUIDs in announced changes on 11 August 2026.
type platform struct {
	businesses []Business
	seed       uint64
	now        int64
	random     *rand.Rand
	loss       *rand.Rand
	lossRate   float64
	fields     []string // the webhook fields that are delivered; nil means all
	losing     bool
	events     int
	messages   uint64
	people     int
	portfolios []string
	groups     []string
	truth      *truth
	numbers    int        // how many numbers of the plan have ever been taken
	free       []freeLine // numbers that were given up, oldest first
	emit       func(Event)
	trouble    *troublemaker
	recorded   []Event
}

// A freeLine is a number without a holder.
type freeLine struct {
	phone string
	since int64
	from  int // index of the last holder
}

// newRecording returns a platform that starts at a time and records all events in memory. The
// businesses default to [shops]. Equal arguments and calls result in equal webhooks.
func newRecording(seed uint64, start time.Time, businesses ...Business) *platform {
	p := newPlatform(seed, start, businesses)
	p.emit = func(e Event) { p.recorded = append(p.recorded, e) }
	return p
}

func newPlatform(seed uint64, start time.Time, businesses []Business) *platform {
	if len(businesses) == 0 {
		businesses = shops()
	}
	p := &platform{
		businesses: businesses, seed: seed, now: start.Unix(),
		trouble: newTroublemaker(Trouble{}, seed), truth: newTruth(), random: rand.New(rand.NewPCG(seed, 1)), loss: rand.New(rand.NewPCG(seed, 2)),
	}
	for _, b := range businesses {
		if !slices.Contains(p.portfolios, b.Portfolio) {
			p.portfolios = append(p.portfolios, b.Portfolio)
		}
		if !slices.Contains(p.groups, b.Group) {
			p.groups = append(p.groups, b.Group)
		}
	}
	return p
}

// Now returns the platform's time.
func (p *platform) Now() time.Time { return time.Unix(p.now, 0).UTC() }

// Wait advances the clock.
func (p *platform) Wait(d time.Duration) { p.now += int64(d / time.Second) }

// Lose runs f. The events that f causes are lost.
func (p *platform) Lose(f func()) {
	p.losing = true
	defer func() { p.losing = false }()
	f()
}

// Events returns the events so far in order of time, lost ones included.
func (p *platform) Events() iter.Seq[Event] { return slices.Values(p.recorded) }

// Story returns the story so far.
func (p *platform) Story(faults faults) Story {
	events, happened := slices.Clone(p.recorded), *p.truth
	return Story{seed: p.seed, businesses: p.businesses, faults: faults, play: func(t *truth, yield func(Event) bool) {
		*t = happened
		for _, e := range events {
			if !yield(e) {
				return
			}
		}
	}}
}

// Webhooks returns the webhooks about the events so far in their order of arrival. [platform.Lose]
// specifies lost events.
func (p *platform) Webhooks(faults faults) iter.Seq[Delivery] { return p.Story(faults).Deliveries() }

// send emits an event and moves the clock by a second. It reports whether a webhook will carry it.
func (p *platform) send(e Event) (delivered bool) {
	e.Seq, e.At, e.form = p.events, p.Now(), p.random.Uint32()
	lost := p.trouble.distort(&e)
	field, _ := e.where()
	e.Lost = lost || p.losing || p.fields != nil && !slices.Contains(p.fields, field) || p.lossRate > 0 && p.loss.Float64() < p.lossRate
	p.events++
	p.now++
	if !e.Lost {
		p.truth.deliver(&e)
	}
	p.emit(e)
	return !e.Lost
}

// updates are the types of [platform.Update]. All but the last are webhook fields.
var updates = [...]string{"message_template_status_update", "account_update", "phone_number_quality_update", "errors"}

// Update reports something about a business itself, which concerns no person.
func (p *platform) Update(business int, typ string) {
	p.send(Event{Kind: KindUpdate, Type: typ, Business: business, Person: -1})
}

func (p *platform) messageID(prefix string) string {
	p.messages++
	return messageID(prefix, p.seed, p.messages)
}

// takeNumber returns an unused number. With a probability of chance, another person gave it
// up at least 45 days ago, otherwise it was never used.
func (p *platform) takeNumber(person int, chance float64) string {
	const rest = 45 * 24 * 60 * 60
	if len(p.free) > 0 && p.random.Float64() < chance {
		if line := p.free[0]; p.now-line.since >= rest && line.from != person {
			p.free = p.free[1:]
			return line.phone
		}
	}
	p.numbers++
	return phoneNumber(int(mix(p.seed)%allNumbers) + p.numbers)
}

// sort puts the recorded events in order of time.
func (p *platform) sort() {
	slices.SortStableFunc(p.recorded, func(a, b Event) int { return a.At.Compare(b.At) })
	for i := range p.recorded {
		p.recorded[i].Seq = i
	}
}
