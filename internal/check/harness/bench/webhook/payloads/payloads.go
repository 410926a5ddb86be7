// Package payloads provides webhooks for benchmarks.
package payloads

import (
	"fmt"
	"strings"
)

// A Payload is a webhook request body.
type Payload struct {
	Name     string
	Messages int
	Text     []byte
}

// All contains a webhook with one message, the usual case, and two large batches.
var All = []Payload{
	{"1 message", 1, batch(1, 1)},
	{"100 messages", 100, batch(100, 2)},
	{"1,000 messages", 1000, batch(1000, 9)},
}

// batch returns a payload with n changes, each containing a message that repeats the same
// two sentences.
func batch(n, repeat int) []byte {
	body := strings.Repeat(`Gr\u00fc\u00dfe aus K\u00f6ln, wie geht es? \ud83d\ude00 Ich habe noch eine Frage zu meiner Bestellung. `, repeat)
	b := []byte(`{"object":"whatsapp_business_account","entry":[{"id":"102290129340398","changes":[`)
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"value":{"messaging_product":"whatsapp",`+
			`"metadata":{"display_phone_number":"15550783881","phone_number_id":"106540352242922"},`+
			`"contacts":[{"profile":{"name":"Ada Lovelace","username":"ada.l"},"wa_id":"4915100%06d","user_id":"DE.%016d"}],`+
			`"messages":[{"from":"4915100%06d","from_user_id":"DE.%016d","id":"wamid.HBgLNDkxNTEwMDAwMDAVAgASGBQz%06d",`+
			`"timestamp":"1763700000","context":{"from":"15550783881","id":"wamid.HBgLMTY1MDM4Nzk0MzkVAgARGA=="},`+
			`"text":{"body":"%s"},"type":"text"}]},"field":"messages"}`, i, i, i, i, i, body)
	}
	return append(b, `]}]}`...)
}
