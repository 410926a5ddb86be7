package webhooknorm

import (
	"iter"
	"slices"
)

const (
	// maxGathered is how many events of a payload are gathered in one list before Events
	// reads them a few at a time instead.
	maxGathered = 1024

	// maxHeld is how many events Events holds at a time from then on.
	maxHeld = 256
)

// Events is Normalize for payloads of unknown origin: it returns the same events and
// errors, but needs no list of all events. It needs memory of at most about ten times the
// size of the payload, whatever the payload contains. A payload with more than 1,024 events is read
// twice, so the payload must not change until the loop over the events is over.
//
// The whole payload has been checked when Events returns. The loop cannot fail.
func Events(payload []byte) (iter.Seq[Event], error) {
	var r reader
	r.Init(payload)
	r.payload, r.limit = payload, maxGathered
	recognised := r.readPayload()
	if err := r.finish(recognised); err != nil {
		return nil, err
	}
	if !r.truncated {
		return slices.Values(r.events), nil
	}
	return func(yield func(Event) bool) {
		var r reader
		r.Init(payload)
		r.payload, r.yield = payload, yield
		r.events = make([]Event, 0, maxHeld)
		r.readPayload()
	}, nil
}

// yieldRuns reads the arrays of the value in the order of the runs, completes the events
// and yields them, maxHeld at a time. A single event is held back until it is known whether
// it is the only one. The rows of messages and statuses in the table are equal, so events of
// both are completed together.
func (r *reader) yieldRuns() {
	v := &r.value
	end := r.Offset()
	total := 0
	for _, run := range v.runs[:v.count] {
		r.Seek(run.offset)
		for range r.objects {
			r.readElement(arrays[run.array].element)
			total++
			if len(r.events) == maxHeld && !r.yieldHeld(&arrays[run.array], total) {
				return
			}
		}
	}
	if v.count > 0 && !r.yieldHeld(&arrays[v.runs[0].array], total) {
		return
	}
	r.Seek(end)
}

// yieldHeld completes and yields the events that are held, of a value with so many events up
// to now. It reports whether more are wanted.
func (r *reader) yieldHeld(a *array, total int) bool {
	r.completeEvents(a, 0, len(r.events), total, total)
	for i := range r.events {
		if !r.stopped && !r.yield(r.events[i]) {
			r.stopped = true
		}
	}
	r.events, r.value.namesOnly = r.events[:0], r.value.namesOnly[:0]
	return !r.stopped
}
