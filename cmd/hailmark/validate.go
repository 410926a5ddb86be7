package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
)

// A verdict is a validation result. Its JSON includes all members of the HTTP API's response
// for the value.
type verdict struct {
	errors   problem.List
	warnings problem.List
	reasons  []httpapi.Reason // for business usernames only
	bsuid    *bsuid.BSUID     // for valid BSUIDs only
	isParent *bool            // for BSUIDs only
	resolved contact.Person   // for valid identifiers only
}

// validators contains the supported kinds.
var validators = map[string]func(s string) verdict{
	"username": func(s string) verdict {
		u, err := busname.Parse(s)
		return verdict{errors: problem.All(err), warnings: u.Warnings()}
	},
	"business-username": func(s string) verdict {
		return verdict{errors: busname.ValidateBusiness(s), reasons: httpapi.Reasons(s)}
	},
	"phone": func(s string) verdict {
		_, warnings, err := phone.Inspect(s)
		return verdict{errors: problem.All(err), warnings: warnings}
	},
	"bsuid": func(s string) verdict {
		b, err := bsuid.ParseBSUID(s)
		isParent := b.IsParent()
		v := verdict{errors: problem.All(err), isParent: &isParent}
		if err == nil {
			v.bsuid = &b
		}
		return v
	},
	"identifier": func(s string) verdict {
		p, err := contact.Resolve(identifierOf(s))
		v := verdict{errors: problem.All(err), resolved: p}
		if err == nil {
			_, v.warnings, _ = phone.Inspect(s) // an error means that it isn't a number
		}
		return v
	},
	"key":  func(s string) verdict { return verdictOf(chatlink.ParseKey(s)) },
	"text": func(s string) verdict { return verdictOf(chatlink.ParseText(s)) },
	"link": func(s string) verdict { return verdictOf(chatlink.ParseLink(s)) },
}

func verdictOf[T any](_ T, err error) verdict { return verdict{errors: problem.All(err)} }

func (a *app) newValidate() *cobra.Command {
	kinds := slices.Sorted(maps.Keys(validators))
	cmd := &cobra.Command{
		Use:     "validate <kind> <value>...",
		Short:   "Check usernames, phone numbers, BSUIDs, keys, messages or links",
		Long:    "The kind is " + strings.Join(kinds[:len(kinds)-1], ", ") + " or " + kinds[len(kinds)-1] + ".\nAn identifier is a username, a phone number or a BSUID, and the result says which.\nA key is a username key: 4 to 8 letters or digits that a person can require from strangers.\nOnly the format is checked, so a valid username or phone number may not exist. The value \"-\"\nreads values from standard input. The exit status is 1 if a value is invalid.",
		GroupID: "check",
		Example: `  hailmark validate username jane.doe --json
  hailmark validate username Jane.Doe  # exit 1
  hailmark validate identifier US.13491208655302741918
  printf '+16505551234\n+4917112345678\n' | hailmark validate phone -`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			validate, known := validators[args[0]]
			if !known {
				return usage("unknown kind %q; known are %s", args[0], strings.Join(kinds, ", "))
			}
			return a.each(args[1:], func(value string) error {
				v := validate(value)
				a.bad = a.bad || len(v.errors) > 0
				return a.printVerdict(args[0], value, v)
			})
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return kinds, cobra.ShellCompDirectiveNoFileComp
		},
	}
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) printVerdict(kind, value string, v verdict) error {
	kindOf, id := v.resolved.Identifier()
	if a.json {
		var country, number string
		var known *bool
		if v.bsuid != nil {
			isKnown := v.bsuid.CountryKnown()
			country, number, known = v.bsuid.CountryCode(), v.bsuid.ID(), &isKnown
		}
		return writeJSON(a.stdout, struct {
			Kind     string           `json:"kind"`
			Value    string           `json:"value"`
			Valid    bool             `json:"valid"`
			Errors   []problemJSON    `json:"errors"`
			Warnings []problemJSON    `json:"warnings,omitempty"`
			Reasons  []httpapi.Reason `json:"reasons,omitzero"`
			IsParent *bool            `json:"isParent,omitempty"`
			Country  string           `json:"countryCode,omitempty"`
			Known    *bool            `json:"countryKnown,omitempty"`
			Type     contact.Kind     `json:"type,omitempty"`
			ID       string           `json:"id,omitempty"`
		}{kind, value, len(v.errors) == 0, problemsJSON(v.errors), problemsJSON(v.warnings), v.reasons, v.isParent, country, known, kindOf, cmp.Or(id, number)})
	}
	var b strings.Builder
	switch {
	case kindOf != "":
		fmt.Fprintf(&b, "%s: valid: %s %s\n", value, kindOf, id)
	case len(v.errors) == 0:
		fmt.Fprintf(&b, "%s: valid\n", value)
	}
	for _, p := range v.errors {
		fmt.Fprintf(&b, "%s: %s (%s)\n", value, p.Message, p.Code)
	}
	for _, p := range v.warnings {
		fmt.Fprintf(&b, "%s: warning: %s (%s)\n", value, p.Message, p.Code)
	}
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}

// identifierOf returns s as the kind of identifier that it looks like.
func identifierOf(s string) contact.Input {
	switch {
	case bsuid.Is(s):
		return contact.Input{BSUID: s}
	case strings.ContainsFunc(s, isASCIILetter):
		return contact.Input{Username: s}
	default:
		return contact.Input{Phone: s}
	}
}

func isASCIILetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }
