package busname

import (
	"strings"

	"github.com/hailmark/hailmark/problem"
)

// The codes of warnings.
const (
	// CodeBrandWord means that a name contains a Meta brand. WhatsApp's own clients reject
	// such names, although no published rule forbids them.
	CodeBrandWord problem.Code = "username_brand_word"
	// CodeRouterWord means that wa.me uses the name for another kind of link, so that a link
	// to the username may not open a chat.
	CodeRouterWord problem.Code = "username_router_word"
)

// Warnings returns known difficulties with a valid username. It returns nil for most usernames
// and for the zero Username.
func Warnings(u Username) problem.List {
	var list problem.List
	for _, brand := range []string{"whatsapp", "instagram", "facebook", "oculus"} {
		if strings.Contains(u.name, brand) {
			list = append(list, problem.New(CodeBrandWord, "username contains %q, which WhatsApp may reject", brand).In("username"))
		}
	}
	if u.name == "message" {
		list = append(list, problem.New(CodeRouterWord, "wa.me uses %q for business links, so a link to this username may not open a chat", u.name).In("username"))
	}
	return list
}
