package main

import (
	"fmt"
	"strings"
)

const size = 4 << 20

// A hostile payload is deliberately expensive and contains about 4 MiB.
type hostile struct {
	name string
	text []byte
}

func payloads() []hostile {
	all := []hostile{
		{"8 contacts share an id", object(
			"contacts", list(8, func(int) string { return contact(1, 500) }), "messages", fill(size, func(int) string { return message(0) }))},
		{"16,000 contacts and messages", object(
			"contacts", list(16_000, func(i int) string { return contact(i, 100) }), "messages", list(16_000, message))},
		{"300,000 names", object("messages", "[]", "x", `[{`+names(300_000)+`}]`)},
		{"a value of 300,000 names", wrap(`[{"value":{"messages":[],` + names(300_000) + `}}]`)},
		{"a message of 300,000 names", object("messages", `[{"contacts":[],`+names(300_000)+`}]`)},
		{"a card of 300,000 names", object("messages", `[{"contacts":[{"phones":[{`+names(300_000)+`}]}]}]`)},
		{"a group of 300,000 names", object("messages", "[]", "groups", `[{`+names(300_000)+`}]`)},
		{"an error of 300,000 names", object("messages", `[{"errors":[{`+names(300_000)+`}]}]`)},
		{"a thread of 300,000 names", object("messages", "[]", "history", `[{"threads":[{"context":{},`+names(300_000)+`}]}]`)},
		{"objects of 17 names", object("messages", "[]", "x", fill(size, func(i int) string { return `{` + names(17) + `}` }))},
		{"objects of 33 names", object("messages", "[]", "x", fill(size, func(i int) string { return `{` + names(33) + `}` }))},
		{"names of escapes", object("messages", "[]", "x", fill(size, func(int) string { return `{"\u0061":1}` }))},
		{"300,000 names of escapes", object("messages", "[]", "x", `[{`+escaped(names(300_000))+`}]`)},
		{"a value of 300,000 names of escapes", wrap(`[{"value":{"messages":[],` + escaped(names(300_000)) + `}}]`)},
		{"a message of 300,000 names of escapes", object("messages", `[{"contacts":[],`+escaped(names(300_000))+`}]`)},
		{"objects of 16 similar names of escapes", object("messages", "[]", "x", fill(size, func(int) string { return similar() }))},
		{"long names of escapes", object("messages", "[]", "x", `[{`+strings.ReplaceAll(names(60_000), "n", strings.Repeat(`\u0061`, 10))+`}]`)},
		{"120 arrays deep", object("messages", "[]", "x", fill(size, func(int) string { return nest(`[1,`, `[1]`, `]`) }))},
		{"120 objects deep", object("messages", "[]", "x", fill(size, func(int) string { return nest(`{"a":1,"bcd":`, `{"a":1,"bcd":1}`, `}`) }))},
		{"empty arrays", object("messages", "[]", "x", fill(size, func(int) string { return `[]` }))},
		{"numbers", object("messages", "[]", "x", fill(size, func(int) string { return `0` }))},
		{"empty messages", object("messages", fill(size, func(int) string { return `{}` }))},
		{"16,000 messages with long ids", object("messages", list(16_000, func(int) string { return `{"id":"` + strings.Repeat("x", 240) + `"}` }))},
	}
	for _, pattern := range []string{`\n`, `x\n`, `\u00e9`, `\u00e9\n`, `xxxx\u00e9`, `\ud83d\ude00`, `\ud83d`, `\"`, `\\`, "\u00e9", "x\u00e9"} {
		all = append(all,
			hostile{"text of " + pattern, object("messages", "[]", "x", `"`+strings.Repeat(pattern, size/len(pattern))+`"`)},
			hostile{"ids of " + pattern, object("messages", fill(size, func(int) string { return `{"id":"` + repeat(pattern) + `"}` }))})
	}
	return all
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

// fill returns an array with about the given number of bytes.
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

// names returns n members with different names.
func names(n int) string {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(`"n%d":%d`, i, i%10)
	}
	return strings.Join(members, ",")
}

// escaped returns members with an escape in each name.
func escaped(members string) string { return strings.ReplaceAll(members, "n", `\u0061`) }

// similar returns an object whose names have the same length, first and last characters.
func similar() string {
	members := list(16, func(i int) string { return fmt.Sprintf(`"\u0061%cb":1`, rune(97+i)) })
	return "{" + members[1:len(members)-1] + "}"
}

func nest(begin, inner, end string) string {
	return strings.Repeat(begin, 119) + inner + strings.Repeat(end, 119)
}

// ordinary returns a realistic payload with at least the given number of bytes.
func ordinary(bytes int) []byte {
	return wrap(fill(bytes, func(i int) string {
		return fmt.Sprintf(`{"value":{"messaging_product":"whatsapp","metadata":{"display_phone_number":"15550783881","phone_number_id":"106540352242922"},`+
			`"contacts":[{"profile":{"name":"Ada Lovelace","username":"ada.l"},"wa_id":"4915100%06d","user_id":"DE.%016d"}],`+
			`"messages":[{"from":"4915100%06d","from_user_id":"DE.%016d","id":"wamid.HBgLNDkxNTEwMDAwMDAVAgASGBQz%06d","timestamp":"1763700000",`+
			`"text":{"body":"Gr\u00fc\u00dfe, and a line of text that is as long as people write."},"type":"text"}]},"field":"messages"}`, i, i, i, i, i)
	}))
}
