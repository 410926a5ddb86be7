package httpapi

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"unsafe"

	"github.com/hailmark/hailmark/webhooknorm"
)

// maxBuffered is about how large a response is held as a whole. A larger one is encoded
// while it is written, without a Content-Length.
const maxBuffered = 1 << 20

// answerEvents returns the response about the events of a payload.
func answerEvents(payload []byte, events []webhooknorm.Event) (answer, error) {
	size := len(payload) + 128*len(events)
	if size <= maxBuffered {
		b := bytes.NewBuffer(make([]byte, 0, size))
		err := writeNormalizedWebhook(b, slices.Values(events))
		return answer{contentType: mediaJSON, body: b.Bytes()}, err
	}
	list := newEventList(payload, events)
	return answer{
		contentType: mediaJSON,
		stream:      func(w io.Writer) error { return writeNormalizedWebhook(w, list.all) },
		streamed:    list.memory(),
	}, nil
}

// An eventList holds what a response says about events while the response is written,
// which takes as long as the client likes. An [webhooknorm.Event] takes a hundred times
// the memory of a short message. Here an event is one row of
//
//	flags, start of Raw since the end of the Raw before, length of Raw, one number for each text
//
// in variable-length integers, 3 bytes for an empty message. A text is kept once, as
// the names of one contact can be those of many events. So the list takes about twice
// the memory of the payload at most, whatever its shape.
type eventList struct {
	payload []byte
	rows    []byte
	texts   string
	ends    []uint32 // of the texts, in texts
}

// The flags of a row: the kind, and which of the texts the event has.
const flagStatus = 1

func flagText(i int) byte { return 2 << i }

// textCount is how many texts of an event a response has.
const textCount = 4

func textsOf(e *webhooknorm.Event) [textCount]*string {
	return [...]*string{&e.BSUID, &e.Phone, &e.Username, &e.DisplayName}
}

// newEventList returns the list of events that [webhooknorm.Normalize] found in the
// payload. It keeps the payload but nothing of the events.
func newEventList(payload []byte, events []webhooknorm.Event) *eventList {
	l := &eventList{payload: payload, rows: make([]byte, 0, 4*len(events))}
	numbers := map[string]uint64{}
	var texts []byte
	at := 0
	for i := range events {
		e := &events[i]
		var flags byte
		if e.Kind == webhooknorm.KindStatus {
			flags = flagStatus
		}
		for i, text := range textsOf(e) {
			if *text != "" {
				flags |= flagText(i)
			}
		}
		start := offsetIn(payload, e.Raw)
		l.rows = append(l.rows, flags)
		l.rows = binary.AppendVarint(l.rows, int64(start-at))
		l.rows = binary.AppendUvarint(l.rows, uint64(len(e.Raw)))
		at = start + len(e.Raw)
		for _, text := range textsOf(e) {
			if *text == "" {
				continue
			}
			number, known := numbers[*text]
			if !known {
				number = uint64(len(l.ends))
				numbers[*text] = number
				texts = append(texts, *text...)
				l.ends = append(l.ends, uint32(len(texts)))
			}
			l.rows = binary.AppendUvarint(l.rows, number)
		}
	}
	l.texts = string(texts)
	l.rows, l.ends = slices.Clip(slices.Clone(l.rows)), slices.Clip(slices.Clone(l.ends))
	return l
}

// offsetIn returns where part begins, a slice of text that is not empty.
func offsetIn(text, part []byte) int {
	return int(uintptr(unsafe.Pointer(unsafe.SliceData(part))) - uintptr(unsafe.Pointer(unsafe.SliceData(text))))
}

// memory returns about how much memory the list holds.
func (l *eventList) memory() int {
	return len(l.payload) + len(l.rows) + len(l.texts) + 4*len(l.ends)
}

// all yields the events with what a response says about them.
func (l *eventList) all(yield func(webhooknorm.Event) bool) {
	at := 0
	for rows := l.rows; len(rows) > 0; {
		flags := rows[0]
		distance, n := binary.Varint(rows[1:])
		rows = rows[1+n:]
		length, n := binary.Uvarint(rows)
		rows = rows[n:]
		start := at + int(distance)
		at = start + int(length)

		e := webhooknorm.Event{Kind: webhooknorm.KindMessage, Raw: l.payload[start:at:at]}
		if flags&flagStatus != 0 {
			e.Kind = webhooknorm.KindStatus
		}
		for i, text := range textsOf(&e) {
			if flags&flagText(i) != 0 {
				number, n := binary.Uvarint(rows)
				rows = rows[n:]
				*text = l.text(number)
			}
		}
		if !yield(e) {
			return
		}
	}
}

func (l *eventList) text(number uint64) string {
	begin := uint32(0)
	if number > 0 {
		begin = l.ends[number-1]
	}
	return l.texts[begin:l.ends[number]]
}
