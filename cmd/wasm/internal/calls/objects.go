package calls

import (
	"math"
	"slices"

	"github.com/hailmark/hailmark/qrcode"
)

// A kind is the type of a field.
type kind string

const (
	textKind  kind = "text"
	bytesKind kind = "bytes"
	intKind   kind = "int"
	floatKind kind = "float"
	boolKind  kind = "bool"
)

// A field is a member of an object.
type field struct {
	name string
	kind kind
}

// fields lists the members of each object between a host and this package. The host asks for them with calls.Fields, so
// that there's no second list.
var fields = map[string][]field{
	"encodeOptions": {{"minVersion", intKind}, {"minLevel", textKind}},
	"qrOptions": {
		{"format", textKind}, {"size", intKind}, {"minLevel", textKind}, {"margin", intKind}, {"title", textKind}, {"color", textKind}, {"bg", textKind},
	},
	"bsuid":           fieldsOf(bsuidMembers),
	"link":            fieldsOf(linkMembers),
	"phoneInspection": fieldsOf(inspectionMembers),
	"symbol":          fieldsOf(symbolMembers),
	"target":          fieldsOf(targetMembers),
}

func listFields(_ *arguments, r *result) error {
	r.int(len(fields))
	for name, list := range fields {
		r.string(name)
		r.int(len(list))
		for _, f := range list {
			r.string(f.name)
			r.string(string(f.kind))
		}
	}
	return nil
}

// An object is an argument. It contains only the fields that the host has set.
type object struct {
	fields []field
	values []arguments // of each field; those that aren't set have no data
}

// object decodes an object with the fields of a name.
func (a *arguments) object(name string) *object {
	o := &object{fields: fields[name]}
	o.values = make([]arguments, len(o.fields))
	for range a.int() {
		i := a.int()
		before := *a
		switch o.fields[i].kind {
		case textKind, bytesKind:
			a.bytes()
		case floatKind:
			a.float()
		case intKind, boolKind:
			a.int()
		}
		o.values[i] = before
	}
	return o
}

// get returns a field's value, if it's set. It panics for a name that isn't in the list, which is a bug.
func (o *object) get(name string, k kind) (value arguments, isSet bool) {
	value = o.values[slices.Index(o.fields, field{name, k})]
	return value, value.data != nil
}

func (o *object) text(name string) string {
	if v, isSet := o.get(name, textKind); isSet {
		return v.string()
	}
	return ""
}

func (o *object) bytes(name string) (value []byte, isSet bool) {
	v, isSet := o.get(name, bytesKind)
	if isSet {
		value = v.bytes()
	}
	return value, isSet
}

func (o *object) int(name string) int {
	if v, isSet := o.get(name, intKind); isSet {
		return v.int()
	}
	return 0
}

func (o *object) float(name string) float64 {
	if v, isSet := o.get(name, floatKind); isSet {
		return v.float()
	}
	return 0
}

func (o *object) bool(name string) bool {
	v, isSet := o.get(name, boolKind)
	return isSet && v.bool()
}

// style reads a style into s.
func (o *object) style(s *qrcode.Style) error {
	s.Margin = o.margin()
	return problemsOf(
		setting(o, "minLevel", &s.MinLevel, qrcode.ParseLevel),
		setting(o, "color", &s.Foreground, qrcode.ParseColor),
		setting(o, "bg", &s.Background, qrcode.ParseBackground),
	)
}

// margin reads a number of modules. Unlike in Go, 0 specifies no margin, and no negative number does.
func (o *object) margin() int {
	v, isSet := o.get("margin", intKind)
	if !isSet {
		return 0
	}
	switch modules := v.int(); {
	case modules == 0:
		return qrcode.NoMargin
	case modules < 0:
		return math.MinInt32
	default:
		return modules
	}
}

// setting parses a field unless it's empty.
func setting[T any](o *object, name string, to *T, parse func(string) (T, error)) error {
	s := o.text(name)
	if s == "" {
		return nil
	}
	v, err := parse(s)
	if err == nil {
		*to = v
	}
	return err
}

// A member is a field of a result of type T.
type member[T any] struct {
	field
	write func(*result, *T)
}

func textOf[T any](name string, value func(*T) string) member[T] {
	return member[T]{field{name, textKind}, func(r *result, v *T) { r.string(value(v)) }}
}

func intOf[T any](name string, value func(*T) int) member[T] {
	return member[T]{field{name, intKind}, func(r *result, v *T) { r.int(value(v)) }}
}

func floatOf[T any](name string, value func(*T) float64) member[T] {
	return member[T]{field{name, floatKind}, func(r *result, v *T) { r.float(value(v)) }}
}

func boolOf[T any](name string, value func(*T) bool) member[T] {
	return member[T]{field{name, boolKind}, func(r *result, v *T) { r.bool(value(v)) }}
}

func fieldsOf[T any](members []member[T]) []field {
	list := make([]field, len(members))
	for i := range members {
		list[i] = members[i].field
	}
	return list
}

func write[T any](r *result, members []member[T], v *T) {
	for i := range members {
		members[i].write(r, v)
	}
}
