package lives

import (
	"bytes"
	"container/heap"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"
)

// signatureHeader is the HTTP header that contains the signature.
const SignatureHeader = "X-Hub-Signature-256"

// faults specifies the probabilities that something goes wrong between the platform and the
// receiver. With the zero faults, each webhook contains a single event, and they arrive in order.
type faults struct {
	duplicate, delay, batch float64 // as in World
	unknownFields           float64 // a webhook contains undocumented fields
	omitContacts            float64 // a value contains no contacts and therefore no names
	emptyIDs                float64 // a webhook contains "" instead of absent IDs
}

// A delivery is a webhook that arrives.
type Delivery struct {
	Body   []byte
	At     time.Time
	Events []Event // in the order of body
	Repeat bool    // whether body was delivered before
}

// signature returns the [signatureHeader] for an app secret.
func Sign(body []byte, secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// Request returns the signed POST request with a webhook's body.
func Request(url, secret string, body []byte) (*http.Request, error) {
	r, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "facebookexternalua")
	r.Header.Set(SignatureHeader, Sign(body, secret))
	return r, nil
}

// An item is an event or a whole webhook on its way to the receiver.
type item struct {
	arrives int64
	order   int // keeps queue of one second in the order in which they were sent
	event   *Event
	webhook *Delivery
}

// A queue is a heap that starts with the next arrival.
type queue []item

func (p queue) Len() int      { return len(p) }
func (p queue) Swap(i, j int) { p[i], p[j] = p[j], p[i] }
func (p *queue) Push(x any)   { *p = append(*p, x.(item)) }
func (p queue) Less(i, j int) bool {
	return p[i].arrives < p[j].arrives || p[i].arrives == p[j].arrives && p[i].order < p[j].order
}

func (p *queue) Pop() any {
	last := (*p)[len(*p)-1]
	(*p)[len(*p)-1] = item{}
	*p = (*p)[:len(*p)-1]
	return last
}

// A courier turns a stream of events into a stream of webhooks.
type courier struct {
	businesses []Business
	faults     faults
	random     *rand.Rand
	onTheWay   queue
	now        int64 // when the last item arrived
	sent       int
	batch      []Event
	size       int // number of events that the batch waits for
	yield      func(Delivery) bool
	stopped    bool
}

const longestDelay = 7 * 24 * 60 * 60

func deliver(seed uint64, businesses []Business, faults faults, events iter.Seq[Event]) iter.Seq[Delivery] {
	return func(yield func(Delivery) bool) {
		c := courier{businesses: businesses, faults: faults, random: rand.New(rand.NewPCG(seed, 3)), yield: yield}
		for e := range events {
			if c.advance(e.At.Unix()); c.stopped {
				return
			}
			if !e.Lost {
				c.push(item{arrives: e.At.Unix() + c.delay(), event: &e})
			}
		}
		c.advance(1<<62 - 1)
		if len(c.batch) > 0 && !c.stopped {
			c.deliver()
			c.advance(1<<62 - 1) // the last batch can be doubled
		}
	}
}

func (c *courier) chance(p float64) bool { return p > 0 && c.random.Float64() < p }

func (c *courier) push(p item) {
	p.order = c.sent
	c.sent++
	heap.Push(&c.onTheWay, p)
}

func (c *courier) delay() int64 {
	if c.chance(c.faults.delay) {
		return 1 + c.random.Int64N(longestDelay)
	}
	return 0
}

// advance delivers what arrives up to a time.
func (c *courier) advance(until int64) {
	for len(c.onTheWay) > 0 && c.onTheWay[0].arrives <= until && !c.stopped {
		next := heap.Pop(&c.onTheWay).(item)
		c.now = next.arrives
		if next.webhook != nil {
			c.stopped = !c.yield(*next.webhook)
			continue
		}
		if len(c.batch) == 0 {
			c.size = 1
			if c.chance(c.faults.batch) {
				c.size = 2 + c.random.IntN(19)
			}
		}
		c.batch = append(c.batch, *next.event)
		if len(c.batch) >= c.size {
			c.deliver()
		}
	}
}

// deliver delivers the batch.
func (c *courier) deliver() {
	events := slices.Clone(c.batch)
	c.batch = c.batch[:0]
	c.random.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	w := c.webhook(events)
	w.At = time.Unix(c.now, 0).UTC()
	if c.chance(c.faults.duplicate) {
		again := w
		again.Repeat = true
		again.At = time.Unix(c.now+1+c.random.Int64N(longestDelay), 0).UTC()
		c.push(item{arrives: again.At.Unix(), webhook: &again})
	}
	c.stopped = !c.yield(w)
}

// isAlone reports whether a value has room for only one event of this kind.
func (e *Event) isAlone() bool { return e.Kind == KindHandover || e.Kind == KindUpdate }

// webhook writes events of any businesses and kinds as one body.
func (c *courier) webhook(events []Event) Delivery {
	w := writer{businesses: c.businesses, blank: c.chance(c.faults.emptyIDs)}
	var entries []any
	delivered := make([]Event, 0, len(events))
	for len(events) > 0 {
		// Events with the same business and array share a value, unless it has room for one only. Values from the same account
		// often share an entry.
		field, array := events[0].where()
		business := events[0].Business
		var value []Event
		events = slices.DeleteFunc(events, func(e Event) bool {
			f, a := e.where()
			if e.Business != business || f != field || a != array || e.isAlone() && len(value) > 0 {
				return false
			}
			value = append(value, e)
			return true
		})
		delivered = append(delivered, value...)
		change := object{{"value", c.value(&w, array, value)}, {"field", field}}
		account := c.businesses[business].Account
		if n := len(entries); n > 0 && c.random.IntN(4) > 0 {
			if last := entries[n-1].(object); last[0].value == account {
				last[1].value = append(last[1].value.([]any), change)
				continue
			}
		}
		entries = append(entries, object{{"id", account}, {"changes", []any{change}}})
	}
	body := object{{"object", "whatsapp_business_account"}, {"entry", entries}}
	if c.chance(c.faults.unknownFields) {
		c.addUnknown(body)
	}
	return Delivery{Body: appendJSON(make([]byte, 0, 1024*len(delivered)), body), Events: delivered}
}

// value writes a change's value, with its contacts in any order.
func (c *courier) value(w *writer, array string, events []Event) (value object) {
	b := c.businesses[events[0].Business]
	value.add("messaging_product", "whatsapp")
	value.add("metadata", object{{"display_phone_number", b.Phone}, {"phone_number_id", b.ID}})
	if events[0].Kind == KindHandover {
		return w.handover(&events[0], value)
	}
	if events[0].Kind == KindUpdate {
		return w.update(&events[0], value)
	}
	if array == "history" {
		value.add(array, []any{w.history(slices.Clone(events))})
		return value
	}
	var contacts, elements []any
	var content object
	seen := map[string]bool{}
	needed := false
	for i := range events {
		needed = needed || events[i].contactOnly()
		elements = append(elements, w.element(&events[i]))
		contact, ok := w.contact(&events[i])
		if key := string(appendJSON(nil, contact)); ok && !seen[key] {
			seen[key] = true
			contacts = append(contacts, contact)
		}
	}
	if len(contacts) > 0 && (needed || !c.chance(c.faults.omitContacts)) {
		c.random.Shuffle(len(contacts), func(i, j int) { contacts[i], contacts[j] = contacts[j], contacts[i] })
		content.add("contacts", contacts)
	}
	content.add(array, elements)
	if events[0].Standby {
		value.add("standby", content)
		return value
	}
	return append(value, content...)
}

// addUnknown adds an unknown member to every element and contact, and a change with an unknown
// field to some entries.
func (c *courier) addUnknown(body object) {
	entries := body[1].value.([]any)
	for _, entry := range entries {
		changes := entry.(object)[1].value.([]any)
		for _, change := range changes {
			value := change.(object)[0].value.(object)
			for i := range value {
				elements, _ := value[i].value.([]any)
				for j, element := range elements {
					o := element.(object)
					o.add("x_future", object{{"id", "1"}, {"list", []any{int64(1), nil, "two", 0.5, false}}})
					elements[j] = o
				}
			}
		}
		if c.random.IntN(3) == 0 {
			entry.(object)[1].value = append(changes, object{{"value", object{{"x_event", "PENDING"}, {"x_count", int64(3)}}}, {"field", "x_future_update"}})
		}
	}
}
