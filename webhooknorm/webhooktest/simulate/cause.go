package simulate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hailmark/hailmark/webhooknorm/webhooktest/lives"
)

// A Cause is why the receiver made mistakes, as far as their webhooks show it.
type Cause struct {
	Mistake lives.Mistake `json:"mistake"`
	Text    string        `json:"text"`
	Count   int           `json:"count"`   // of its mistakes, with those that follow from it
	Webhook int           `json:"webhook"` // the first webhook that shows it
	Advice  string        `json:"advice"`
}

// advice says how to avoid a mistake.
var advice = map[lives.Mistake]string{
	crashed:          "Answer 200 to every webhook with a right signature, and ignore what you don't know.",
	rejected:         "Answer 200 to every webhook with a right signature, and ignore what you don't know.",
	forged:           "Compare X-Hub-Signature-256 with the HMAC of the body before you parse it, and answer 403 if it differs.",
	bsuidInTo:        "Put a BSUID into the member recipient; to takes only phone numbers.",
	misdirected:      "Reply to the address that the message shows: from, otherwise from_user_id.",
	lives.Lost:       "Store every message that a person wrote, whatever its type and whichever identifiers it shows.",
	lives.Duplicate:  "Make the message ID a unique key, and ignore a message that's already stored.",
	lives.Mixed:      "Find contacts by BSUID. A number leads to a contact only until an announcement or another BSUID shows that it's somebody else's.",
	lives.Split:      "Connect a number and a BSUID that one webhook contains, and apply announced changes (user_changed_number, user_changed_user_id).",
	lives.System:     "Don't store messages of the type system as a person's.",
	lives.Unanswered: "Reply to from or, if it's absent, with from_user_id in the member recipient; if more than 24 hours have passed, send a template.",
	lives.Repeated:   "Reply only to a message that wasn't stored before.",
	lives.Replied:    "Reply only to messages in the field messages, but not to reactions, edits, deletions and system messages.",
}

// single are the mistakes about a single message.
var single = []lives.Mistake{lives.Lost, lives.Unanswered, lives.Replied, lives.Duplicate, lives.Repeated}

// severity orders causes: the first make other mistakes or let others write webhooks.
var severity = []lives.Mistake{crashed, rejected, forged}

// causes groups the mistakes by what their webhooks or messages have in common. What's lost or not answered because its
// webhook wasn't accepted counts to that cause.
func (s *Stage) causes(r *Result) []Cause {
	causes := s.failureCauses(r)
	byKind := map[lives.Mistake][]*Mistake{}
	for i := range r.Mistakes {
		m := &r.Mistakes[i]
		if m.Mistake != crashed && m.Mistake != rejected && s.failedAt(m) == nil {
			byKind[m.Mistake] = append(byKind[m.Mistake], m)
		}
	}
	for _, kind := range sorted(byKind) {
		if slices.Contains(single, kind) {
			causes = append(causes, s.messageCauses(kind, byKind[kind])...)
			continue
		}
		causes = append(causes, Cause{
			Mistake: kind, Text: fmt.Sprintf("%s: %s", kind, summary(kind, byKind[kind])),
			Count: len(byKind[kind]), Webhook: byKind[kind][0].Messages[0].Webhook,
		})
	}
	for i := range causes {
		causes[i].Advice = advice[causes[i].Mistake]
	}
	rank := func(c Cause) int {
		if i := slices.Index(severity, c.Mistake); i >= 0 {
			return i
		}
		return len(severity)
	}
	slices.SortStableFunc(causes, func(a, b Cause) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return b.Count - a.Count
	})
	return causes
}

// failedAt returns the failure of the webhook from which a mistake follows, or nil.
func (s *Stage) failedAt(m *Mistake) *failure {
	if m.Mistake != lives.Lost && m.Mistake != lives.Unanswered {
		return nil
	}
	i := slices.IndexFunc(s.failures, func(f failure) bool { return !f.delivery.Repeat && f.webhook == m.Messages[0].Webhook })
	if i < 0 {
		return nil
	}
	return &s.failures[i]
}

func (s *Stage) failureCauses(r *Result) (causes []Cause) {
	byWebhook := map[int]failure{} // a repetition that isn't accepted either is no second one
	follow := map[int]int{}
	for _, f := range s.failures {
		if g, ok := byWebhook[f.webhook]; !ok || !g.crashed {
			byWebhook[f.webhook] = f
		}
	}
	for i := range r.Mistakes {
		if f := s.failedAt(&r.Mistakes[i]); f != nil {
			follow[f.webhook]++
		}
	}
	for _, kind := range []lives.Mistake{crashed, rejected} {
		var failures []failure
		for _, n := range sorted(byWebhook) {
			if f := byWebhook[n]; f.crashed == (kind == crashed) {
				failures = append(failures, f)
			}
		}
		set, others := s.failureTraits(failures)
		for _, g := range explain(set, others) {
			first := failures[g.members[0]]
			c := Cause{Mistake: kind, Count: len(g.members), Webhook: first.webhook}
			what := "with " + g.trait.text
			switch {
			case len(others) == 0:
				what = "whatever they contain"
			case g.trait == trait{}:
				what = "in which nothing is special"
				if kind == crashed {
					what += "; its log shows whether it still handled an earlier one"
				}
			}
			c.Text = fmt.Sprintf("%s: the receiver stops at %s %s", kind, count(len(g.members), "webhook"), what)
			if kind == rejected {
				c.Text = fmt.Sprintf("%s: the receiver answers %s to %s %s", kind, first.response, count(len(g.members), "webhook"), what)
			}
			n := 0
			for _, i := range g.members {
				n += follow[failures[i].webhook]
			}
			if n > 0 {
				c.Text += fmt.Sprintf("; %s lost or not answered", count(n, "message"))
			}
			c.Count += n
			causes = append(causes, c)
		}
	}
	return causes
}

// messageCauses groups mistakes about single messages by the traits that distinguish them from those without a mistake.
func (s *Stage) messageCauses(kind lives.Mistake, mistakes []*Mistake) (causes []Cause) {
	wrong := map[int]bool{}
	for _, m := range mistakes {
		wrong[m.Messages[0].sequence] = true
	}
	traits := map[int]map[trait]bool{}
	var others []map[trait]bool
	for d := range s.Story.Deliveries() {
		for _, e := range d.Events {
			switch {
			case s.posted[e.Seq] == 0 || d.Repeat:
			case wrong[e.Seq]:
				traits[e.Seq] = eventTraits(&e)
			case !e.Again && concerns(kind, &e):
				others = append(others, eventTraits(&e))
			}
		}
	}
	set := make([]map[trait]bool, len(mistakes))
	for i, m := range mistakes {
		set[i] = traits[m.Messages[0].sequence]
		if m.because != "" {
			set[i] = map[trait]bool{{m.because, rankField}: true}
		}
	}
	for _, g := range explain(set, others) {
		what := g.trait.text
		if len(others) == 0 && mistakes[g.members[0]].because == "" || what == "" {
			what = "of all kinds"
		}
		causes = append(causes, Cause{
			Mistake: kind, Count: len(g.members), Webhook: mistakes[g.members[0]].Messages[0].Webhook,
			Text: fmt.Sprintf("%s: %s %s", kind, count(len(g.members), "message"), what),
		})
	}
	return causes
}

// concerns reports whether a receiver could have made a mistake with an event.
func concerns(kind lives.Mistake, e *lives.Event) bool {
	if kind == lives.Lost || kind == lives.Duplicate {
		return e.Kind == lives.KindMessage || e.Kind == lives.KindHistory
	}
	if kind == lives.Replied {
		return e.Answer() == lives.AnswerWrong
	}
	return e.Answer() == lives.AnswerWanted
}

func summary(kind lives.Mistake, mistakes []*Mistake) string {
	n := len(mistakes)
	nameless := slices.ContainsFunc(mistakes, func(m *Mistake) bool { return m.Messages[0].Contact == nameless })
	_, text, _ := strings.Cut(mistakes[0].Text, ": ")
	switch {
	case kind == lives.Mixed && nameless:
		text = count(n, "contact") + ` with messages of two people, among them the one whose ID is null or "". If --ask means by that that no contact has a message, answer 404`
	case kind == lives.Mixed:
		text = count(n, "contact") + " with messages of two people"
	case kind == lives.Split:
		text = fmt.Sprintf("people in two contacts each: %d", n)
	case kind == lives.System:
		text = count(n, "system message") + " stored as a person's"
	case kind == misdirected, kind == bsuidInTo:
		text = fmt.Sprintf("replies: %d", n)
	}
	return text
}

// count returns a number with a noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
