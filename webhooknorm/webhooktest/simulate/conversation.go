package simulate

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hailmark/hailmark/webhooknorm/webhooktest/lives"
)

// window is how long after a person's message a business may answer without a template.
const window = 24 * time.Hour

// A conversation matches the receiver's replies with the delivered messages.
type conversation struct {
	directory lives.Directory
	replied   chan struct{} // gets a value after a reply

	mu      sync.Mutex
	now     time.Time            // in the simulated world
	settled time.Time            // when the receiver answered the last webhook, in the real one, or zero
	latest  time.Duration        // how long after that the latest reply came
	people  map[int][]*exchange  // what was delivered about each person, oldest first
	byID    map[string]*exchange // the same, by message ID
	wrote   map[[2]int]time.Time // when a person last wrote to a business
	current []lives.Event        // the events of the last webhook
	recent  []*exchange          // those to which a reply can be on its way, oldest first
	replies int                  // how many the receiver tried to send
	sent    []lives.Sent         // those to numbers, for the judge
	strays  []stray
}

// An exchange is a delivered event with its replies.
type exchange struct {
	event   lives.Event
	atOnce  bool      // whether it arrived as soon as it happened
	settled time.Time // when the receiver answered the webhook, or zero
	replies int       // those that count
	refused int       // the error code of the last reply that had to be sent in another way, or 0
	excused bool      // whether that reply was only too slow for the simulated clock
}

// isAnswered reports whether the receiver need not reply anymore.
func (x *exchange) isAnswered() bool { return x.replies > 0 || x.excused }

// A stray is a reply that went wrong, or a webhook.
type stray struct {
	mistake  lives.Mistake
	target   target
	event    lives.Event // what the receiver most probably wanted to answer
	accepted []string    // the wrong signatures that were accepted
	failure  failure     // if a webhook wasn't accepted
}

// The mistakes that the judge doesn't see.
const (
	crashed     lives.Mistake = "crashed"     // the receiver stopped at a webhook
	rejected    lives.Mistake = "rejected"    // a webhook wasn't accepted
	misdirected lives.Mistake = "misdirected" // a reply went to somebody else
	bsuidInTo   lives.Mistake = "bsuid_in_to" // a BSUID was put into the member to
	forged      lives.Mistake = "forged"      // a webhook with a wrong signature was accepted
)

func newConversation(directory lives.Directory) *conversation {
	return &conversation{
		directory: directory, replied: make(chan struct{}, 1),
		people: map[int][]*exchange{}, byID: map[string]*exchange{}, wrote: map[[2]int]time.Time{},
	}
}

// deliver records a webhook just before it's posted.
func (c *conversation) deliver(d lives.Delivery) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.settled, c.current = d.At, time.Time{}, d.Events
	c.recent = slices.DeleteFunc(c.recent, func(x *exchange) bool { return !c.isRecent(x) })
	for _, e := range d.Events {
		if d.Repeat || e.ID == "" || e.Again {
			continue
		}
		x := &exchange{event: e, atOnce: e.At.Equal(d.At)}
		c.people[e.Person] = append(c.people[e.Person], x)
		c.recent = append(c.recent, x)
		if e.Kind != lives.KindStatus { // its ID is that of the business's message
			c.byID[e.ID] = x
		}
		if e.Kind == lives.KindMessage || e.Kind == lives.KindCall {
			c.wrote[[2]int{e.Person, e.Business}] = d.At
		}
	}
}

// settle records that the receiver has answered the webhook.
func (c *conversation) settle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settled = time.Now()
	for _, x := range c.recent {
		if x.settled.IsZero() {
			x.settled = c.settled
		}
	}
}

// least is the shortest time that a receiver gets for a reply after it has answered the webhook.
const least = 50 * time.Millisecond

// slack returns how long the receiver's next reply can take, judging by the earlier ones.
func (c *conversation) slack() time.Duration { return max(least, 5*c.latest) }

// isRecent reports whether a reply to x can be on its way: its webhook isn't answered yet, or the receiver replies
// after it has answered webhooks, and had too little time.
func (c *conversation) isRecent(x *exchange) bool {
	return x.settled.IsZero() || c.latest > 0 && time.Since(x.settled) <= c.slack()
}

// waiting returns how many messages in the last webhook expect an answer.
func (c *conversation) waiting(d lives.Delivery) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range d.Events {
		if x := c.byID[e.ID]; x != nil && !x.isAnswered() && e.Answer() == lives.AnswerWanted {
			n++
		}
	}
	return n
}

// A target is to whom a reply goes.
type target struct {
	address  string
	isNumber bool
	business int
	person   int    // who has the address, or -1
	quoted   string // the ID of the message that the reply quotes, or ""
}

// isReplying reports whether the receiver has tried to reply.
func (c *conversation) isReplying() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.replies > 0
}

// isIncomplete reports whether the receiver replies, but a message still waits for its reply.
func (c *conversation) isIncomplete() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range c.byID {
		if c.replies > 0 && !x.isAnswered() && x.event.Answer() == lives.AnswerWanted {
			return true
		}
	}
	return false
}

// reply records an accepted reply.
func (c *conversation) reply(t target, id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.note()
	x := c.answered(t)
	if x == nil {
		c.strays = append(c.strays, stray{mistake: misdirected, target: t, event: c.pending()})
		return
	}
	x.replies++
	if t.isNumber && x.atOnce && x.event.Shown.Phone != "" && x.event.Answer() == lives.AnswerWanted {
		c.sent = append(c.sent, lives.Sent{ID: id, To: x.event})
	}
}

// refuse records a reply that the platform refuses, and the mistake if it is one. The receiver tried, so the
// message counts as answered.
func (c *conversation) refuse(t target, mistake lives.Mistake) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.note()
	x := c.answered(t)
	if mistake == misdirected && t.person < 0 {
		x = c.outdated(t)
	}
	if x != nil {
		x.replies++
	}
	if mistake == bsuidInTo || mistake == misdirected && x == nil {
		c.strays = append(c.strays, stray{mistake: mistake, target: t, event: c.pending()})
	}
}

// decline records a reply to the right person that the platform refuses with a code, because it must be sent in
// another way: to the other form of the number, or as a template. Until then, the message isn't answered.
func (c *conversation) decline(t target, code int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.note()
	x := c.answered(t)
	switch {
	case x == nil:
	case x.event.Answer() != lives.AnswerWanted:
		x.replies++ // no reply should have been tried
	default:
		_, wrote := c.wrote[[2]int{t.person, t.business}]
		x.refused = code
		x.excused = code == errWindow.code && wrote && !x.settled.IsZero() && c.isRecent(x)
	}
}

// outdated returns a message that waits for an answer and shows an address which its writer has lost meanwhile. The
// message or the reply was late, so the receiver couldn't know.
func (c *conversation) outdated(t target) *exchange {
	for _, e := range c.current {
		if i := slices.IndexFunc(c.people[e.Person], t.wasShownIn); i >= 0 {
			return c.people[e.Person][i]
		}
	}
	if i := slices.IndexFunc(c.recent, func(x *exchange) bool { return c.isRecent(x) && t.wasShownIn(x) }); i >= 0 {
		return c.recent[i]
	}
	return nil
}

// wasShownIn reports whether x waits for an answer, and its message shows the address, which is somebody else's now.
func (t target) wasShownIn(x *exchange) bool {
	addresses := []string{x.event.Shown.BSUID, x.event.Shown.Parent}
	if t.isNumber {
		addresses = []string{x.event.Shown.Phone}
	}
	return x.event.Person != t.person && slices.Contains(addresses, t.address) && !x.isAnswered() && x.event.Business == t.business && x.event.Answer() == lives.AnswerWanted
}

// note notes that the receiver replies.
func (c *conversation) note() {
	c.replies++
	if !c.settled.IsZero() {
		c.latest = max(c.latest, time.Since(c.settled))
	}
	select {
	case c.replied <- struct{}{}:
	default:
	}
}

// answered returns what a reply to a person answers: the message that it quotes, otherwise the first of these that
// exists.
//
//   - a message of the last webhook that waits for an answer
//   - an earlier one that waits, if a reply to it can be on its way
//   - one whose writer had the address until recently
//   - while the receiver handles the last webhook and has never been slow: a message in that webhook that has its answer
//   - the oldest message that waits
//   - something in the last webhook that expects no answer, or has one
//   - the same, in an earlier webhook to which a reply can be on its way
//
// It returns nil if the person isn't the one to answer.
func (c *conversation) answered(t target) *exchange {
	if x := c.byID[t.quoted]; x != nil {
		if x.event.Person != t.person {
			return nil
		}
		return x
	}
	current, list := c.inProgress(t), c.people[t.person]
	waits := func(x *exchange) bool { return t.waits(x, lives.AnswerWanted) && !x.isAnswered() }
	if x := first(current, waits); x != nil {
		return x
	}
	if x := first(list, func(x *exchange) bool { return waits(x) && c.isRecent(x) }); x != nil {
		return x
	}
	if x := c.outdated(t); x != nil {
		return x
	}
	if c.settled.IsZero() && c.latest == 0 {
		if x := first(current, func(x *exchange) bool { return t.waits(x, lives.AnswerWanted) }); x != nil {
			return x
		}
	}
	if x := first(list, waits); x != nil {
		return x
	}
	onTheWay := slices.DeleteFunc(slices.Clone(list), func(x *exchange) bool { return !c.isRecent(x) })
	for _, list := range [][]*exchange{current, onTheWay} {
		slices.Reverse(list)
		for _, suits := range []func(x *exchange) bool{
			func(x *exchange) bool { return t.waits(x, lives.AnswerWrong) && x.replies == 0 },
			func(x *exchange) bool { return x.event.Kind != lives.KindStatus && x.event.Business == t.business },
			func(x *exchange) bool { return x.event.Kind == lives.KindMessage },
		} {
			if x := first(list, suits); x != nil {
				return x
			}
		}
	}
	return nil
}

// waits reports whether x was delivered to the business number that replies, and should be answered so.
func (t target) waits(x *exchange, answer lives.Answer) bool {
	return x.event.Business == t.business && x.event.Answer() == answer
}

func first(list []*exchange, suits func(x *exchange) bool) *exchange {
	if i := slices.IndexFunc(list, suits); i >= 0 {
		return list[i]
	}
	return nil
}

// inProgress returns what the last webhook contains about a person. It can be a repetition.
func (c *conversation) inProgress(t target) (list []*exchange) {
	for _, x := range c.people[t.person] {
		if slices.ContainsFunc(c.current, func(e lives.Event) bool { return e.Seq == x.event.Seq }) {
			list = append(list, x)
		}
	}
	return list
}

// pending returns a message of the last webhook that waits for an answer, otherwise its first message.
func (c *conversation) pending() lives.Event {
	for _, e := range c.current {
		for _, x := range slices.Backward(c.people[e.Person]) {
			if !x.isAnswered() && x.event.Answer() == lives.AnswerWanted {
				return x.event
			}
		}
	}
	for _, e := range c.current {
		if list := c.people[e.Person]; len(list) > 0 {
			return list[len(list)-1].event
		}
	}
	return lives.Event{Person: -1}
}

// isOpen reports whether the business may still answer a person without a template.
func (c *conversation) isOpen(t target) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.wrote[[2]int{t.person, t.business}]
	return ok && c.now.Sub(at) <= window
}

// owner returns whose BSUID or parent BSUID it is now, or -1.
func (c *conversation) owner(bsuid string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if person, ok := c.directory.Owner(bsuid, c.now); ok {
		return person
	}
	return -1
}

// extraDigits are what Mexican and Argentine mobile numbers can have after the country code, and what a test
// number refuses.
var extraDigits = []string{"521", "549"}

func hasExtraDigit(number string) bool {
	return slices.ContainsFunc(extraDigits, func(prefix string) bool { return strings.HasPrefix(number, prefix) })
}

// holder returns who has a number now in either form, or -1.
func (c *conversation) holder(number string) int {
	forms := []string{number}
	for _, prefix := range extraDigits {
		if rest, found := strings.CutPrefix(number, prefix); found {
			forms = append(forms, prefix[:2]+rest)
		} else if rest, found := strings.CutPrefix(number, prefix[:2]); found {
			forms = append(forms, prefix+rest)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, form := range forms {
		if person, ok := c.directory.Holder(form, c.now); ok {
			return person
		}
	}
	return -1
}

// repliesTo returns how many replies went to a message.
func (c *conversation) repliesTo(messageID string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.byID[messageID]
	switch {
	case x == nil:
		return 0
	case x.replies == 0 && x.excused:
		return 1
	}
	return x.replies
}

// outcome returns what the judge doesn't see, and the number of replies.
func (c *conversation) outcome() (strays []stray, replies int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.strays), c.replies
}

// refusal returns the error code of the last reply to a message that had to be sent in another way, or 0.
func (c *conversation) refusal(messageID string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x := c.byID[messageID]; x != nil {
		return x.refused
	}
	return 0
}
