package busname

import (
	"strings"

	"github.com/hailmark/hailmark/problem"
)

// The codes of warnings. A name that has them is still valid.
const (
	// CodeBrandWord: the name contains a brand of Meta; WhatsApp's own clients
	// refuse such names, though no published rule does.
	CodeBrandWord problem.Code = "username_brand_word"
	// CodeRouterWord: the name is also the first part of another kind of wa.me
	// address, so its link may open something else.
	CodeRouterWord problem.Code = "username_router_word"
)

// Warnings returns what may go wrong with a name that is valid, and nothing for
// other names. Warnings never make a name invalid.
func Warnings(u Username) problem.List {
	var list problem.List
	for _, brand := range []string{"whatsapp", "instagram", "facebook", "oculus"} {
		if strings.Contains(u.name, brand) {
			list = append(list, problem.New(CodeBrandWord, "username contains %q, which WhatsApp may refuse", brand))
		}
	}
	if u.name == "message" {
		list = append(list, problem.New(CodeRouterWord, "wa.me uses %q for business links, so a link to this username may not open a chat", u.name))
	}
	return list
}
