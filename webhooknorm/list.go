package webhooknorm

// An event takes 216 bytes, and as few as 3 in the payload. So that the list of a hostile
// payload takes no more memory than it must, there are never two such lists: where more
// events come than were guessed, the rest is only counted, and the payload is read again
// into a list of that length.

const (
	// maxGuessed is how many events a list gets room for by a guess, unless the guess is
	// that they are at least sparse bytes apart.
	maxGuessed = 4096
	sparse     = 64
)

// grow makes room for more events. It reports false if the next one is not wanted.
func (r *reader) grow() bool {
	n := len(r.events)
	switch {
	case r.counted > 0:
		r.counted++
		return false
	case r.limit > 0 && n == r.limit:
		r.truncated = true
		return false
	case r.limit == 0 && n >= maxGuessed:
		r.counted = n + 1
		return false
	}
	size := n + max(n/4, r.expected())
	if r.limit > 0 {
		size = min(size, r.limit)
	}
	events := make([]Event, n, size)
	copy(events, r.events)
	r.events = events
	return true
}

// expected guesses how many more events there are, if the rest of the payload looks
// like the part that has been read. In nearly all payloads that is right. The part before
// the value of the first event does not count, because it is not repeated.
func (r *reader) expected() int {
	bytes := r.Offset()
	if len(r.events) == 0 {
		bytes -= r.value.start
	}
	rest := len(r.payload) - r.Offset()
	more := 1 + int(uint64(len(r.events)+1)*uint64(rest)/uint64(bytes))
	more += more / 50
	if more > rest/sparse {
		return min(more, maxGuessed)
	}
	return more
}
