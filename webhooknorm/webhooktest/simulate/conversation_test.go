package simulate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/webhooknorm/webhooktest/lives"
)

// A slow receiver's reply arrives after the person has changed the number. It's an answer if the receiver is known to
// be slow, otherwise a mistake.
func TestReplyAfterAChange(t *testing.T) {
	for name, test := range map[string]struct {
		latest  time.Duration // how slow the receiver was before
		replies int
		strays  int
	}{
		"slow":   {time.Hour, 1, 0},
		"prompt": {0, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			stage := NewStage(Rehearsal{Story: lives.Scenarios(0, lives.Conditions{}, nil)})
			defer stage.stop()
			c := stage.conversation
			c.latest = test.latest
			message := deliverUntilChange(t, stage)
			to := target{address: message.Shown.Phone, isNumber: true, business: message.Business}
			to.person = c.holder(to.address)
			require.Equal(t, -1, to.person)
			c.refuse(to, misdirected)
			require.Equal(t, test.replies, c.repliesTo(message.ID))
			require.Len(t, c.strays, test.strays)
		})
	}
}

// deliverUntilChange delivers webhooks until a person has changed the number right after a message, which it returns,
// and somebody else appears. The receiver hasn't answered the last webhook yet.
func deliverUntilChange(t *testing.T, s *Stage) (message lives.Event) {
	changed := false
	for {
		d, ok := s.advance()
		require.True(t, ok)
		s.conversation.deliver(d)
		e := d.Events[0]
		switch {
		case changed && e.Person != message.Person:
			return message
		case e.Kind == lives.KindChange && e.Person == message.Person && e.Previous.Phone == message.Shown.Phone:
			changed = true
		case !changed:
			message = e
		}
		s.conversation.settle()
	}
}

// A reply that comes after the window has closed, because the people live fast, is excused if the receiver is known to
// be slow. The template that then follows is the first reply.
func TestReplyAfterTheWindow(t *testing.T) {
	for name, test := range map[string]struct {
		latest  time.Duration // how slow the receiver was before
		replies int
	}{
		"slow":   {time.Hour, 1},
		"prompt": {0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			stage := NewStage(Rehearsal{Story: lives.Scenarios(0, lives.Conditions{}, nil)})
			defer stage.stop()
			c := stage.conversation
			d, ok := stage.advance()
			require.True(t, ok)
			c.deliver(d)
			c.settle()
			message := d.Events[0]
			require.Equal(t, lives.AnswerWanted, message.Answer())
			to := target{address: message.Shown.Phone, isNumber: true, business: message.Business, person: message.Person, quoted: message.ID}
			c.settled, c.latest = time.Time{}, test.latest
			c.decline(to, errWindow.code)
			require.Equal(t, test.replies, c.repliesTo(message.ID))
			require.Equal(t, errWindow.code, c.refusal(message.ID))
			c.reply(to, "wamid.R1")
			require.Equal(t, 1, c.repliesTo(message.ID))
			require.Empty(t, c.strays)
		})
	}
}

// A second reply while a repetition is delivered repeats the answer, although the person also wrote something that
// nobody has answered.
func TestReplyToARepetition(t *testing.T) {
	stage := NewStage(Rehearsal{Story: lives.Scenarios(0, lives.Conditions{}, nil)})
	defer stage.stop()
	c := stage.conversation
	var messages []lives.Delivery // of one person
	for len(messages) < 2 {
		d, ok := stage.advance()
		require.True(t, ok)
		e := d.Events[0]
		if e.Answer() == lives.AnswerWanted && (len(messages) == 0 || e.Person == messages[0].Events[0].Person) {
			messages = append(messages, d)
		}
	}
	again := messages[1]
	again.Repeat = true
	for i, d := range []lives.Delivery{messages[0], messages[1], again} {
		c.deliver(d)
		e := d.Events[0]
		if i > 0 { // it crashes at the first message
			c.reply(target{address: e.Shown.Phone, isNumber: true, business: e.Business, person: e.Person}, "")
		}
		c.settle()
	}
	require.Zero(t, c.repliesTo(messages[0].Events[0].ID))
	require.Equal(t, 2, c.repliesTo(messages[1].Events[0].ID))
}
