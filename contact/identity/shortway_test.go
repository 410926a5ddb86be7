package identity_test

import (
	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/webhooknorm"
)

// A shortWay finds contacts in 70 lines instead of this package. A BSUID leads to its contact. A
// number leads to its last contact, but with a BSUID that's new only while that contact has none.
// An announcement moves the BSUID and takes the contact's other numbers away.
type shortWay struct {
	next     int
	bsuids   map[string]int // the contact of a BSUID
	numbers  map[string]int // the contact that a number leads to
	known    map[int]bool   // contacts with a BSUID
	merged   map[int]int    // contacts that turned out to be another one
	left     map[string]exit
	previous map[int][]string // the numbers of a contact
}

// An exit is when a contact left a number. What was sent before is still theirs.
type exit struct {
	contact int
	at      int64
}

func newShortWay() *shortWay {
	return &shortWay{bsuids: map[string]int{}, numbers: map[string]int{}, known: map[int]bool{}, merged: map[int]int{}, left: map[string]exit{}, previous: map[int][]string{}}
}

// contact returns the contact that remains after merges.
func (w *shortWay) contact(c int) int {
	for w.merged[c] != 0 {
		c = w.merged[c]
	}
	return c
}

// message returns the contact of a message with these IDs, and a new one if there is none yet.
func (w *shortWay) message(ids contact.IDs, at int64) int {
	c := w.contact(w.bsuids[ids.BSUID])
	if c == 0 && ids.Phone != "" {
		c = w.byNumber(ids, at)
	}
	if c == 0 {
		w.next++
		c = w.next
	}
	w.write(c, ids, at)
	return c
}

func (w *shortWay) byNumber(ids contact.IDs, at int64) int {
	if x := w.left[ids.Phone]; at <= x.at && ids.Phone != "" {
		return w.contact(x.contact)
	}
	c := w.contact(w.numbers[ids.Phone])
	if ids.BSUID != "" && w.known[c] {
		return 0 // somebody else's
	}
	return c
}

// write stores that a contact has these IDs.
func (w *shortWay) write(c int, ids contact.IDs, at int64) {
	if ids.BSUID != "" {
		w.bsuids[ids.BSUID], w.known[c] = c, true
	}
	if ids.Phone != "" && at > w.left[ids.Phone].at {
		w.numbers[ids.Phone] = c
		w.previous[c] = append(w.previous[c], ids.Phone)
	}
}

// change follows an announced change of IDs.
func (w *shortWay) change(change *webhooknorm.IdentityChange, at int64) {
	before, after := change.Previous, change.Current
	c := 0
	for _, d := range []int{w.contact(w.bsuids[before.BSUID]), w.byNumber(before, at), w.contact(w.bsuids[after.BSUID])} {
		switch {
		case c == 0:
			c = d
		case d != 0 && d != c:
			w.merged[d] = c
			w.known[c] = w.known[c] || w.known[d]
			w.previous[c] = append(w.previous[c], w.previous[d]...)
		}
	}
	if c == 0 {
		w.next++
		c = w.next
	}
	for _, number := range append([]string{before.Phone}, w.previous[c]...) {
		holder := w.contact(w.numbers[number])
		if number != after.Phone && at > w.left[number].at && (holder == c || number == before.Phone) {
			w.left[number] = exit{c, at}
			if holder == c {
				delete(w.numbers, number)
			}
		}
	}
	w.write(c, contact.IDs{BSUID: before.BSUID}, at)
	w.write(c, after, at)
}
