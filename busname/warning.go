package busname

import (
	"strings"

	"github.com/hailmark/hailmark/problem"
)

const (
	codeBrandWord  problem.Code = "username_brand_word"
	codeRouterWord problem.Code = "username_router_word"
)

// Warnings returns known issues with a valid username:
//
//	username_brand_word   it contains a Meta brand, which WhatsApp's own apps reject, although
//	                      no published rule forbids it
//	username_router_word  wa.me uses the name for another kind of link, so a link to the
//	                      username may not open a chat
//
// It returns nil for most usernames and for the zero Username.
func Warnings(u Username) problem.List {
	var list problem.List
	for _, brand := range []string{"whatsapp", "instagram", "facebook", "oculus"} {
		if strings.Contains(u.name, brand) {
			list = append(list, problem.New("username", codeBrandWord, "username contains %q, which WhatsApp may reject", brand))
		}
	}
	if u.name == "message" {
		list = append(list, problem.New("username", codeRouterWord, "wa.me uses %q for business links, so a link to this username may not open a chat", u.name))
	}
	return list
}
