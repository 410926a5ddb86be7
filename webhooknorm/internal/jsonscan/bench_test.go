package jsonscan_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/hailmark/hailmark/webhooknorm/internal/jsonscan"
)

func batch(n int) []byte {
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
			`"text":{"body":"Gr\u00fc\u00dfe, \ud83d\ude00 and a line of text that is as long as people write."},"type":"text"}]},"field":"messages"}`,
			i, i, i, i, i)
	}
	return append(b, `]}]}`...)
}

func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{1, 100} {
		text := batch(n)
		b.Run(fmt.Sprintf("scan/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				var s jsonscan.Scanner
				s.Init(text)
				if err := s.Finish(); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("valid/%d", n), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				json.Valid(text)
			}
		})
	}
}
