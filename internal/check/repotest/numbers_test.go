package repotest

import (
	"go/ast"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
)

// needPlus contains the functions that reject a number with separators and without + or 00, because
// people write national numbers so.
var needPlus = map[string]func(s string) error{
	"phone.Parse": func(s string) error { _, err := phone.Parse(s); return err },
	"phone.MustParse": func(s string) (err error) {
		defer func() { err, _ = recover().(error) }()
		phone.MustParse(s)
		return nil
	},
	"phone.Number.UnmarshalText": func(s string) error { return new(phone.Number).UnmarshalText([]byte(s)) },
	"phone.Number.Scan":          func(s string) error { return new(phone.Number).Scan(s) },
	"contact.Resolve":            func(s string) error { _, err := contact.Resolve(contact.Input{Phone: s}); return err },
	"chatlink.BuildPhoneLink":    func(s string) error { _, err := chatlink.BuildPhoneLink(s, ""); return err },
}

// needNoPlus contains the other functions that read texts, and why a plus isn't needed.
var needNoPlus = map[string][]string{
	"its numbers come from links and webhooks": {
		"phone.ParseDigits", "chatlink.ParseLink", "chatlink.MustParseLink", "chatlink.Link.UnmarshalText", "chatlink.Link.Scan",
	},
	"it returns warnings": {
		"phone.Inspect", "chatlink.ParseTarget", "chatlink.Target.UnmarshalText", "chatlink.Target.Scan",
	},
	"it knows the country":                                 {"phone.ParseIn", "chatlink.ParseTargetIn"},
	"it finds what people may have meant, and they choose": {"chatlink.Suggest"},
	"it reads no number": {
		"phone.CheckCountry", "contact.RequiresPhone", "chatlink.BuildUsernameLink", "chatlink.UsernameLink", "chatlink.PhoneLink",
		"chatlink.ParseKey", "chatlink.MustParseKey", "chatlink.Key.UnmarshalText", "chatlink.Key.Scan",
		"chatlink.ParseText", "chatlink.Target.Link",
	},
}

// A country code is never assumed without saying so.
func TestNumbersNeedPlus(t *testing.T) {
	atRoot(t)
	for name, parse := range needPlus {
		for _, s := range []string{"917 555 1234", "(917) 555-1234", "917.555.1234", "98765 43210", "1 650 555 1234"} {
			require.ErrorIs(t, parse(s), phone.CodeMissingPlus, "%s(%q)", name, s)
			require.Equal(t, "phone", problem.All(parse(s))[0].Field)
		}
		for _, s := range []string{"+1 (650) 555-1234", "001 650 555 1234"} {
			require.NoError(t, parse(s), "%s(%q)", name, s)
		}
		if name != "phone.Parse" && name != "phone.MustParse" {
			require.NoError(t, parse("16505551234"), "%s of digits alone", name)
		}
	}

	known := slices.Collect(maps.Keys(needPlus))
	for _, names := range needNoPlus {
		known = append(known, names...)
	}
	require.ElementsMatch(t, known, readers(t, "phone", "contact", "chatlink"), "decide whether the function needs a plus")
}

// readers returns the exported functions with a text as parameter.
func readers(t *testing.T, dirs ...string) []string {
	t.Helper()
	var names []string
	for dir, files := range sources(t) {
		if !slices.Contains(dirs, dir) {
			continue
		}
		for _, f := range files {
			for _, d := range f.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || !f.Name.IsExported() || !slices.ContainsFunc(f.Type.Params.List, isText) {
					continue
				}
				name := f.Name.Name
				if f.Recv != nil {
					receiver := f.Recv.List[0].Type
					if pointer, ok := receiver.(*ast.StarExpr); ok {
						receiver = pointer.X
					}
					name = receiver.(*ast.Ident).Name + "." + name
				}
				names = append(names, dir+"."+name)
			}
		}
	}
	return names
}

// isText reports whether a parameter is a string, bytes, any, or contact.Input.
func isText(p *ast.Field) bool {
	switch t := p.Type.(type) {
	case *ast.Ident:
		return t.Name == "string" || t.Name == "any" || t.Name == "Input"
	case *ast.ArrayType:
		element, ok := t.Elt.(*ast.Ident)
		return ok && element.Name == "byte"
	default:
		return false
	}
}
