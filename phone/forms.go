package phone

import "strings"

// Same reports whether p and q are the same number, possibly in different forms: see
// [Number.Forms].
func (p Number) Same(q Number) bool { return p.Canonical() == q.Canonical() }

// Canonical returns a key for the number, which all its [Number.Forms] share:
//
//	Argentina  54 11 1234 5678    -> 54 9 11 1234 5678   with the mobile 9
//	Brazil     55 11 8123 4567    -> 55 11 9 8123 4567   with the ninth digit
//	Mexico     52 1 55 1234 5678  -> 52 55 1234 5678     without the mobile 1
//
// For other numbers, Canonical returns p. Use the key only to compare numbers and to find them
// in a table. Send messages to the number as received, because nobody may have the key as a
// number: the key of an Argentine landline can't be dialed.
func (p Number) Canonical() Number {
	d := p.digits
	switch {
	case len(d) == 12 && strings.HasPrefix(d, "54") && '1' <= d[2] && d[2] <= '3':
		return Number{"549" + d[2:]}
	case len(d) == 12 && strings.HasPrefix(d, "55") && '6' <= d[4] && d[4] <= '9': // 2-5 is a landline
		return Number{d[:4] + "9" + d[4:]}
	case len(d) == 13 && strings.HasPrefix(d, "521"):
		return Number{"52" + d[3:]}
	default:
		return p
	}
}

// Forms returns p and then the other form of the number, if there is one. Numbers in Argentina
// and Mexico and mobile numbers in Brazil exist in two forms, which WhatsApp treats as one, so
// a webhook may contain another form than the one that a person entered:
//
//	Argentina  54 9 11 1234 5678  and  54 11 1234 5678
//	Brazil     55 11 9 8123 4567  and  55 11 8123 4567
//	Mexico     52 1 55 1234 5678  and  52 55 1234 5678
//
// Send messages to the form that a webhook contained. If the Cloud API returns error 131030,
// the recipient isn't in the test number's list of allowed recipients, which may contain the
// other form: try that one. To find a number in a table without a column for
// [Number.Canonical], look for all forms.
//
// Brazilian landlines have one form, and so have Brazilian mobile numbers that never existed
// without the ninth digit. The zero Number has none.
func (p Number) Forms() []Number {
	if p == (Number{}) {
		return nil
	}
	key := p.Canonical()
	other, found := key.otherForm()
	switch {
	case !found:
		return []Number{p}
	case p == key:
		return []Number{p, other}
	default:
		return []Number{p, key}
	}
}

// otherForm returns the form that isn't canonical: without Argentina's 9, without Brazil's ninth
// digit, or with Mexico's 1. p is canonical.
func (p Number) otherForm() (other Number, found bool) {
	d := p.digits
	switch {
	case len(d) == 13 && strings.HasPrefix(d, "549"):
		other = Number{"54" + d[3:]}
	case len(d) == 13 && strings.HasPrefix(d, "55"):
		other = Number{d[:4] + d[5:]}
	case len(d) == 12 && strings.HasPrefix(d, "52"):
		other = Number{"521" + d[2:]}
	}
	return other, other != Number{} && other.Canonical() == p
}
