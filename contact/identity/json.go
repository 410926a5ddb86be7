package identity

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/contact/identity/internal/rules"
	"github.com/hailmark/hailmark/problem"
)

// The JSON forms. A field that is absent, empty or false means the same.
type (
	factJSON struct {
		Fact      string     `json:"fact"`
		At        int64      `json:"at"`
		Portfolio string     `json:"portfolio,omitempty"`
		Group     string     `json:"group,omitempty"`
		BSUID     string     `json:"bsuid,omitempty"`
		Parent    string     `json:"parent,omitempty"`
		Phone     string     `json:"phone,omitempty"`
		Username  string     `json:"username,omitempty"`
		Name      string     `json:"name,omitempty"`
		Previous  *idsJSON   `json:"previous,omitempty"`
		Current   *idsJSON   `json:"current,omitempty"`
		A         *aliasJSON `json:"a,omitempty"`
		B         *aliasJSON `json:"b,omitempty"`
		Undo      bool       `json:"undo,omitempty"`
	}
	idsJSON struct {
		BSUID  string `json:"bsuid,omitempty"`
		Parent string `json:"parent,omitempty"`
		Phone  string `json:"phone,omitempty"`
	}
	aliasJSON struct {
		Kind      string `json:"kind"`
		Value     string `json:"value"`
		Portfolio string `json:"portfolio,omitempty"`
		Group     string `json:"group,omitempty"`
		At        int64  `json:"at,omitempty"` // of a number in a joined
	}
)

// decode reads one JSON object and converts it. It rejects unknown fields because a misspelled
// name would lose evidence.
func decode[J, V any](data []byte, what, example string, v *V, convert func(*J) (V, error)) error {
	var in J
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err := dec.Decode(&in)
	if err == nil {
		if _, more := dec.Token(); more != io.EOF {
			return problem.New("", CodeInvalidJSON, "%s is followed by something else; pass one JSON object at a time", what)
		}
		value, err := convert(&in)
		if err == nil {
			*v = value
		}
		return err
	}
	if field, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown && len(field) < 40 {
		return problem.New("", CodeInvalidJSON, "%s has the unknown field %s", what, field)
	}
	var typ *json.UnmarshalTypeError
	if errors.As(err, &typ) && typ.Field != "" {
		return problem.New("", CodeInvalidJSON, "%s has a %s in the field %s; it must be a %s", what, typ.Value, typ.Field, jsonTypes[typ.Type.Kind()])
	}
	return problem.New("", CodeInvalidJSON, "the JSON isn't %s; for example, %s is one", what, example)
}

var jsonTypes = map[reflect.Kind]string{
	reflect.String: "string", reflect.Int64: "whole number", reflect.Bool: "boolean", reflect.Struct: "object",
}

// MarshalJSON returns one JSON object. The zero Fact is null.
func (f Fact) MarshalJSON() ([]byte, error) {
	r := &f.rule
	out := factJSON{Fact: f.Kind(), At: r.At, Username: r.Username, Name: r.Name, Undo: r.Undo}
	switch r.Kind {
	case rules.Seen, rules.HandedOver:
		ids := idsOf(&r.A)
		out.BSUID, out.Parent, out.Phone = ids.BSUID, ids.Parent, ids.Phone
	case rules.Changed:
		out.Previous, out.Current = idsOf(&r.A), idsOf(&r.B)
	case rules.Joined, rules.Withdrawn:
		out.A, out.B = Alias{r.A.Key()}.json(), Alias{r.B.Key()}.json()
		out.A.At, out.B.At = r.A.At, r.B.At
		return json.Marshal(out)
	default:
		return []byte("null"), nil
	}
	for _, a := range f.Aliases() {
		if a.Kind() == KindParent {
			out.Group = a.Scope()
		} else {
			out.Portfolio = a.Scope()
		}
	}
	return json.Marshal(out)
}

func idsOf(m *rules.Members) *idsJSON {
	return &idsJSON{m.BSUID.Value, m.Parent.Value, cmp.Or(m.Received, m.Phone.Value)}
}

// UnmarshalJSON reads one JSON object. It rejects fields that don't belong to the fact's kind.
// The error is a [problem.Problem] with [CodeInvalidJSON], [CodeInvalidFact] or
// [CodeInvalidAlias].
func (f *Fact) UnmarshalJSON(data []byte) error {
	const example = `{"fact":"seen","at":1786000000,"bsuid":"US.1","phone":"16505551234"}`
	return decode(data, "a fact", example, f, (*factJSON).fact)
}

func (in *factJSON) fact() (f Fact, err error) {
	scope := Scope{in.Portfolio, in.Group}
	own, fields := factJSON{Fact: in.Fact, At: in.At, Portfolio: in.Portfolio, Group: in.Group}, "fact, at, "
	switch kind := rules.FactKind(slices.Index(factNames[:], in.Fact)); kind {
	case rules.Seen:
		own.BSUID, own.Parent, own.Phone, own.Username, own.Name = in.BSUID, in.Parent, in.Phone, in.Username, in.Name
		fields += "portfolio, group, bsuid, parent, phone, username, name"
		ids := contact.IDs{BSUID: in.BSUID, ParentBSUID: in.Parent, Phone: in.Phone}
		f, err = Seen(in.At, scope, contact.Person{IDs: ids, Username: in.Username, DisplayName: in.Name})
	case rules.Changed:
		own.Previous, own.Current = in.Previous, in.Current
		fields += "portfolio, group, previous, current"
		f, err = Changed(in.At, scope, in.Previous.ids(), in.Current.ids())
	case rules.Joined, rules.Withdrawn:
		own = factJSON{Fact: in.Fact, At: in.At, A: in.A, B: in.B}
		fields += "a, b"
		a, aErr := in.A.sighting(kind)
		b, bErr := in.B.sighting(kind)
		switch err = cmp.Or(aErr, bErr); {
		case err != nil:
		case kind == rules.Joined:
			f, err = Joined(in.At, a, b)
		default:
			f, err = Withdrawn(in.At, a.Alias, b.Alias)
		}
	case rules.HandedOver:
		own.Phone, own.Undo = in.Phone, in.Undo
		fields += "portfolio, phone, undo"
		f, err = newHandover(in.At, in.Portfolio, in.Phone, in.Undo)
	default:
		return Fact{}, problem.New("", CodeInvalidJSON, "fact isn't seen, changed, joined, withdrawn or handed_over")
	}
	if *in != own {
		return Fact{}, problem.New("", CodeInvalidJSON, "a fact of the kind %s has a field of another kind; its own are %s", in.Fact, fields)
	}
	return f, err
}

func (in *idsJSON) ids() contact.IDs {
	if in == nil {
		return contact.IDs{}
	}
	return contact.IDs{BSUID: in.BSUID, ParentBSUID: in.Parent, Phone: in.Phone}
}

func (a Alias) json() *aliasJSON {
	out := &aliasJSON{Kind: a.Kind().String(), Value: a.Value()}
	if a.Kind() == KindParent {
		out.Group = a.Scope()
	} else {
		out.Portfolio = a.Scope()
	}
	return out
}

// sighting returns the alias in an operator's statement, with the time of a number in a joined.
func (in *aliasJSON) sighting(kind rules.FactKind) (Sighting, error) {
	if in == nil {
		return Sighting{}, nil
	}
	if in.At != 0 && (kind != rules.Joined || in.Kind != KindPhone.String()) {
		return Sighting{}, problem.New("", CodeInvalidJSON, "an alias has at; only a phone in a joined has, when it was theirs")
	}
	plain := *in
	plain.At = 0
	a, err := plain.alias()
	return Sighting{Alias: a, At: in.At}, err
}

func (in *aliasJSON) alias() (Alias, error) {
	if in == nil || *in == (aliasJSON{}) {
		return Alias{}, nil
	}
	if in.At != 0 {
		return Alias{}, problem.New("", CodeInvalidJSON, "an alias has at; only a phone in a joined has, when it was theirs")
	}
	var kind Kind
	if err := kind.UnmarshalText([]byte(in.Kind)); err != nil {
		return Alias{}, err
	}
	scope, other, rule := in.Portfolio, in.Group, "a group; its scope is a portfolio"
	if kind == KindParent {
		scope, other, rule = in.Group, in.Portfolio, "a portfolio; its scope is a group"
	}
	if other != "" {
		return Alias{}, problem.New("", CodeInvalidJSON, "an alias of kind %s has %s", kind, rule)
	}
	return NewAlias(kind, scope, in.Value)
}

// MarshalJSON returns an object with kind, value, and portfolio or group. The zero Alias is null.
func (a Alias) MarshalJSON() ([]byte, error) {
	if !a.id.IsValid() {
		return []byte("null"), nil
	}
	return json.Marshal(a.json())
}

// UnmarshalJSON reads an object or null. The error is a [problem.Problem] with
// [CodeInvalidJSON] or [CodeInvalidAlias].
func (a *Alias) UnmarshalJSON(data []byte) error {
	return decode(data, "an alias", `{"kind":"phone","value":"16505551234"}`, a, (*aliasJSON).alias)
}

// MarshalJSON returns the alias object with the members first, last, current and received.
func (h Holding) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		*aliasJSON
		First    int64  `json:"first"`
		Last     int64  `json:"last"`
		Current  bool   `json:"current"`
		Received string `json:"received,omitempty"`
	}{h.Alias.json(), h.First, h.Last, h.Current, h.Received})
}

// MarshalJSON returns an object with conflict, alias, from, to and at.
func (c Conflict) MarshalJSON() ([]byte, error) {
	optional := func(a Alias) *aliasJSON {
		if !a.id.IsValid() {
			return nil
		}
		return a.json()
	}
	return json.Marshal(struct {
		Conflict string     `json:"conflict"`
		Alias    Alias      `json:"alias"`
		From     *aliasJSON `json:"from,omitempty"`
		To       *aliasJSON `json:"to,omitempty"`
		At       int64      `json:"at,omitempty"`
	}{c.Kind.String(), c.Alias, optional(c.From), optional(c.To), c.At})
}
