package lives

import (
	"strconv"
	"unicode/utf16"
)

// A member is a name and its value in a JSON object.
type member struct {
	name  string
	value any // string, int64, float64, bool, nil, object or []any
}

// An object is a JSON object whose members keep their order.
type object []member

// add appends a member.
func (o *object) add(name string, value any) { *o = append(*o, member{name, value}) }

// addText appends a member unless text is empty. With blank it appends even empty members.
func (o *object) addText(name, text string, blank bool) {
	if text != "" || blank {
		o.add(name, text)
	}
}

// appendJSON appends v as the platform writes it, without white space, in ASCII and with
// escaped slashes.
func appendJSON(dst []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return appendString(dst, v)
	case int64:
		return strconv.AppendInt(dst, v, 10)
	case float64:
		return strconv.AppendFloat(dst, v, 'f', -1, 64)
	case bool:
		return strconv.AppendBool(dst, v)
	case object:
		dst = append(dst, '{')
		for i, m := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, m.name), ':')
			dst = appendJSON(dst, m.value)
		}
		return append(dst, '}')
	case []any:
		dst = append(dst, '[')
		for i, element := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, element)
		}
		return append(dst, ']')
	default:
		return append(dst, "null"...)
	}
}

func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\' || r == '/':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case ' ' <= r && r <= '~':
			dst = append(dst, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			dst = appendUnit(appendUnit(dst, high), low)
		default:
			dst = appendUnit(dst, r)
		}
	}
	return append(dst, '"')
}

// appendUnit appends an escaped UTF-16 code unit.
func appendUnit(dst []byte, unit rune) []byte {
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', hex[unit>>12&15], hex[unit>>8&15], hex[unit>>4&15], hex[unit&15])
}
