package calls

import (
	"encoding/binary"
	"math"

	"github.com/hailmark/hailmark/problem"
)

// arguments decodes values in order. It panics if they're truncated, which indicates a bug in
// the host.
type arguments struct {
	data []byte
}

func (a *arguments) next(n int) []byte {
	value := a.data[:n:n]
	a.data = a.data[n:]
	return value
}

func (a *arguments) int() int {
	return int(int32(binary.LittleEndian.Uint32(a.next(4))))
}

func (a *arguments) float() float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(a.next(8)))
}

func (a *arguments) bool() bool { return a.int() != 0 }

// bytes returns bytes that are valid until the next call.
func (a *arguments) bytes() []byte { return a.next(a.int()) }

func (a *arguments) string() string { return string(a.bytes()) }

// A result encodes values.
type result struct {
	data []byte
}

func (r *result) int(v int) { r.data = binary.LittleEndian.AppendUint32(r.data, uint32(v)) }

func (r *result) float(v float64) {
	r.data = binary.LittleEndian.AppendUint64(r.data, math.Float64bits(v))
}

func (r *result) bool(v bool) {
	if v {
		r.int(1)
	} else {
		r.int(0)
	}
}

func (r *result) string(s string) { r.data = appendString(r.data, s) }

func (r *result) strings(list []string) {
	r.int(len(list))
	for _, s := range list {
		r.string(s)
	}
}

func (r *result) bytes(b []byte) {
	r.int(len(b))
	r.data = append(r.data, b...)
}

func (r *result) problems(list problem.List) {
	r.int(len(list))
	for _, p := range list {
		r.string(p.Field)
		r.string(string(p.Code))
		r.string(p.Message)
		r.strings(p.Suggestions.All())
	}
}

func appendString(dst []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(s))), s...)
}
