package busname

import (
	"strings"

	"github.com/hailmark/hailmark/problem"
)

// The codes of warnings. A name with a warning is still valid.
const (
	// CodeBrandWord is for a name that contains a brand of Meta. WhatsApp's own clients
	// reject such names, although no published rule forbids them.
	CodeBrandWord problem.Code = "username_brand_word"
	// CodeRouterWord is for a name that is also the first part of another kind of wa.me
	// address. A link to it may not open a chat.
	CodeRouterWord problem.Code = "username_router_word"
)

// Warnings returns the known difficulties with a valid name: a brand of Meta in it, or a
// meaning of its own on wa.me. The list is empty for most names and for the zero Username.
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
