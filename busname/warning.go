package busname

import (
	"strings"

	"github.com/hailmark/hailmark/problem"
)

// Warnings returns known issues with u: [CodeBrandWord], [CodeRouterWord] and [CodeBusinessSuffix]. It
// returns nil for most usernames and for the zero Username.
func (u Username) Warnings() problem.List {
	var list problem.List
	for _, brand := range []string{"whatsapp", "instagram", "facebook", "oculus"} {
		if strings.Contains(u.name, brand) {
			list = append(list, problem.New("username", CodeBrandWord, "username contains %q, which WhatsApp may reject", brand))
		}
	}
	if u.name == "message" {
		list = append(list, problem.New("username", CodeRouterWord, "wa.me uses %q for business links, so a link to this username may not open a chat", u.name))
	}
	for _, suffix := range []string{".io", ".ai"} {
		if strings.HasSuffix(u.name, suffix) {
			list = append(list, problem.New("username", CodeBusinessSuffix, "username ends with %q, which may be reserved for businesses", suffix))
		}
	}
	return list
}
