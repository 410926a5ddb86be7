package main

import (
	"fmt"
	"strings"
)

const size = 4 << 20

// A hostile payload stands beside its plain counterpart.
type hostile struct {
	name        string
	text, plain []byte
	limit       float64 // how many times as long as the plain one it may take
}

func payloads() []hostile {
	sharedContacts := list(8, func(int) string { return contact(1, 500) })
	distinctContacts := list(8, func(i int) string { return contact(i+1, 500) })
	tiny := func(i int) string { return fmt.Sprintf(`{"from":"49%d","id":"m"}`, i%8+1) }
	all := []hostile{
		// Eight contacts with one id, and with an id each. Eight senders take turns.
		{
			"8 contacts share an id",
			object("contacts", sharedContacts, "messages", fill(size, func(int) string { return message(0) })),
			object("contacts", distinctContacts, "messages", fill(size, func(i int) string { return message(i % 8) })),
			2,
		},
		{
			"the same, tiny messages",
			object("contacts", sharedContacts, "messages", fill(size, func(int) string { return tiny(0) })),
			object("contacts", distinctContacts, "messages", fill(size, tiny)),
			2,
		},
		// As many contacts and messages, all in one value, and 100 of each in a value.
		{
			"20,000 contacts and messages",
			object("contacts", list(20_000, func(i int) string { return contact(i, 30) }), "messages", list(20_000, message)),
			wrap(list(200, func(value int) string {
				return `{"value":` + string(object(
					"contacts", list(100, func(i int) string { return contact(100*value+i, 30) }),
					"messages", list(100, func(i int) string { return message(100*value + i) }))) + `}`
			})),
			3,
		},
		// The same names in one object, and in objects of ten.
		{
			"300,000 names",
			object("messages", "[]", "x", `[{`+names(0, 300_000)+`}]`),
			object("messages", "[]", "x", list(30_000, func(i int) string { return `{` + names(10*i, 10) + `}` })),
			3,
		},
		// The same names in one object, and in objects of 33, one more than are compared
		// one by one, so that each object has an index.
		{
			"objects of 33 names",
			object("messages", "[]", "x", list(9_000, func(i int) string { return `{` + names(33*i, 33) + `}` })),
			object("messages", "[]", "x", list(29_700, func(i int) string { return `{` + names(10*i, 10) + `}` })),
			3,
		},
		// As many arrays and numbers, or objects and members, one in the other and side by side.
		{
			"120 arrays deep",
			object("messages", "[]", "x", fill(size, func(int) string { return nest(`[1,`, `[1]`, `]`) })),
			object("messages", "[]", "x", fill(size, func(int) string { return `[1]` })),
			3,
		},
		{
			"120 objects deep",
			object("messages", "[]", "x", fill(size, func(int) string { return nest(`{"a":1,"bcd":`, `{"a":1,"bcd":1}`, `}`) })),
			object("messages", "[]", "x", fill(size, func(int) string { return `{"a":1,"b":1}` })),
			3,
		},
		// Texts of the same length, with escapes only and without.
		{
			"escapes",
			object("messages", "[]", "x", fill(size, func(int) string { return `"` + strings.Repeat(`\u00e9\n`, 50) + `"` })),
			object("messages", "[]", "x", fill(size, func(int) string { return `"` + strings.Repeat("x", 400) + `"` })),
			3,
		},
		{
			"escapes in messages",
			object("messages", fill(size, func(int) string { return text(strings.Repeat(`\u00e9\n`, 5), strings.Repeat(`\u00e9\n`, 50)) })),
			object("messages", fill(size, func(int) string { return text(strings.Repeat("x", 40), strings.Repeat("x", 400)) })),
			3,
		},
		// The same as the ids of messages, which are decoded.
		{
			"ids of escapes",
			object("messages", fill(size, func(int) string { return `{"id":"` + strings.Repeat(`\u00e9\n`, 50) + `"}` })),
			object("messages", fill(size, func(int) string { return `{"id":"` + strings.Repeat("x", 400) + `"}` })),
			3,
		},
		// The same with short escapes only, next to each other and between letters.
		skippedEscapes("short escapes", `\r\n`),
		skippedEscapes("short escapes and letters", `x\n`),
		keptEscapes("ids of short escapes", `\r\n`),
		keptEscapes("ids of short escapes and letters", `x\n`),
		// As many empty messages in one value, and 1,000 in a value.
		{
			"1,390,000 empty messages",
			object("messages", list(1_390_000, empty)),
			wrap(list(1_390, func(int) string { return `{"value":{"messages":` + list(1000, empty) + `}}` })),
			3,
		},
	}
	// Escapes of every kind with the same number of letters between them have higher limits
	// than the other payloads. Skipping them takes less time than an ordinary payload.
	for _, letters := range []int{1, 2, 4, 8, 15, 16, 17, 31, 63} {
		between := strings.Repeat("x", letters)
		pattern := strings.Join([]string{`\n`, `\u00e9`, `\ud83d\ude00`, `\ud83d`, `\"`, ""}, between)
		skipped := skippedEscapes(fmt.Sprintf("escapes %d letters apart", letters), pattern)
		kept := keptEscapes(fmt.Sprintf("ids of escapes %d letters apart", letters), pattern)
		skipped.limit = 3.5
		if letters <= 8 {
			skipped.limit, kept.limit = 5, 4
		}
		all = append(all, skipped, kept)
	}
	return all
}

// skippedEscapes has strings of this text only, which are not decoded.
func skippedEscapes(name, repeated string) hostile {
	skipped := func(repeated string) []byte {
		return object("messages", "[]", "x", fill(size, func(int) string { return `"` + repeat(repeated) + `"` }))
	}
	return hostile{name, skipped(repeated), skipped("x"), 3}
}

// keptEscapes has messages with ids of this text only, which are decoded.
func keptEscapes(name, repeated string) hostile {
	ids := func(repeated string) []byte {
		return object("messages", fill(size, func(int) string { return `{"id":"` + repeat(repeated) + `"}` }))
	}
	return hostile{name, ids(repeated), ids("x"), 3}
}

// repeat returns a text of about 400 bytes.
func repeat(repeated string) string { return strings.Repeat(repeated, max(1, 400/len(repeated))) }

// list returns an array of n elements.
func list(n int, element func(i int) string) string {
	elements := make([]string, n)
	for i := range elements {
		elements[i] = element(i)
	}
	return "[" + strings.Join(elements, ",") + "]"
}

// fill returns an array of about so many bytes.
func fill(bytes int, element func(i int) string) string {
	return list(bytes/(len(element(0))+1), element)
}

// object returns an object with these names and values.
func object(members ...string) []byte {
	var b strings.Builder
	b.WriteByte('{')
	for i := 0; i < len(members); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", members[i], members[i+1])
	}
	b.WriteByte('}')
	return []byte(b.String())
}

// wrap returns a payload with these changes.
func wrap(changes string) []byte { return []byte(`{"entry":[{"changes":` + changes + `}]}`) }

func contact(id, name int) string {
	return fmt.Sprintf(`{"wa_id":"49%05d","profile":{"name":"%s"}}`, id, strings.Repeat("n", name))
}

func message(from int) string {
	return fmt.Sprintf(`{"from":"49%05d","id":"wamid.1","timestamp":"1","text":{"body":"A few words."}}`, from)
}

// text returns a message with an id and a body.
func text(id, body string) string {
	return `{"from":"4900001","id":"` + id + `","timestamp":"1","text":{"body":"` + body + `"}}`
}

func empty(int) string { return `{}` }

// names returns n members with different names.
func names(first, n int) string {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(`"n%d":%d`, first+i, i%10)
	}
	return strings.Join(members, ",")
}

func nest(begin, inner, end string) string {
	return strings.Repeat(begin, 119) + inner + strings.Repeat(end, 119)
}

// ordinary returns a payload like those that arrive, of at least so many bytes.
func ordinary(bytes int) []byte {
	return wrap(fill(bytes, func(i int) string {
		return fmt.Sprintf(`{"value":{"messaging_product":"whatsapp","metadata":{"display_phone_number":"15550783881","phone_number_id":"106540352242922"},`+
			`"contacts":[{"profile":{"name":"Ada Lovelace","username":"ada.l"},"wa_id":"4915100%06d","user_id":"DE.%016d"}],`+
			`"messages":[{"from":"4915100%06d","from_user_id":"DE.%016d","id":"wamid.HBgLNDkxNTEwMDAwMDAVAgASGBQz%06d","timestamp":"1763700000",`+
			`"text":{"body":"Gr\u00fc\u00dfe, and a line of text that is as long as people write."},"type":"text"}]},"field":"messages"}`, i, i, i, i, i)
	}))
}
