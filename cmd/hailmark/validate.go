package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
)

// A verdict is a validation result. Its JSON includes all members of the HTTP API's response
// for the value.
type verdict struct {
	errors   problem.List
	warnings problem.List
	reasons  []busname.Reason // for business usernames only
	isParent *bool            // for BSUIDs only
}

// validators contains the supported kinds.
var validators = map[string]func(s string) verdict{
	"username": func(s string) verdict {
		u, err := busname.Parse(s)
		return verdict{errors: problem.All(err), warnings: busname.Warnings(u)}
	},
	"business-username": func(s string) verdict {
		return verdict{errors: busname.ValidateBusiness(s), reasons: busname.Reasons(s)}
	},
	"phone": func(s string) verdict {
		_, warnings, err := phone.Inspect(s)
		return verdict{errors: problem.All(err), warnings: warnings}
	},
	"bsuid": func(s string) verdict {
		b, err := bsuid.ParseBSUID(s)
		isParent := b.IsParent()
		return verdict{errors: problem.All(err), isParent: &isParent}
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
		Long:    "The kind is " + strings.Join(kinds[:len(kinds)-1], ", ") + " or " + kinds[len(kinds)-1] + ".\nA key is a username key: 4 to 8 letters or digits that a person can require from strangers.\nOnly the format is checked, so a valid username or phone number may not exist. The value \"-\"\nreads values from standard input. The exit status is 1 if a value is invalid.",
		GroupID: "check",
		Example: `  hailmark validate username jane.doe --json
  hailmark validate username Jane.Doe  # exit 1
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
	if a.json {
		return writeJSON(a.stdout, struct {
			Kind     string           `json:"kind"`
			Value    string           `json:"value"`
			Valid    bool             `json:"valid"`
			Errors   []problemJSON    `json:"errors"`
			Warnings []problemJSON    `json:"warnings,omitempty"`
			Reasons  []busname.Reason `json:"reasons,omitzero"`
			IsParent *bool            `json:"isParent,omitempty"`
		}{kind, value, len(v.errors) == 0, problemsJSON(v.errors), problemsJSON(v.warnings), v.reasons, v.isParent})
	}
	var b strings.Builder
	if len(v.errors) == 0 {
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

func (a *app) newBSUID() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "bsuid <id>...",
		Short:   "Show the parts of a BSUID (business-scoped user ID)",
		Long:    "A BSUID is opaque, so you should store it and send it back unchanged.",
		GroupID: "check",
		Example: "  hailmark bsuid US.13491208655302741918\n  hailmark bsuid US.ENT.11815799212886844830 --json",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.each(args, func(arg string) error {
				b, err := bsuid.ParseBSUID(arg)
				if err != nil {
					return err
				}
				if a.json {
					return writeJSON(a.stdout, struct {
						BSUID        bsuid.BSUID `json:"bsuid"`
						CountryCode  string      `json:"countryCode"`
						CountryKnown bool        `json:"countryKnown"`
						ID           string      `json:"id"`
						IsParent     bool        `json:"isParent"`
					}{b, b.CountryCode(), b.CountryKnown(), b.ID(), b.IsParent()})
				}
				country, parent := b.CountryCode(), "no"
				if !b.CountryKnown() {
					country += " (unknown)"
				}
				if b.IsParent() {
					parent = "yes"
				}
				return a.printFields([][2]string{{"bsuid", b.String()}, {"country", country}, {"id", b.ID()}, {"parent", parent}})
			})
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) newResolve() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "resolve <identifier>...",
		Short:   "Detect whether an identifier is a username, phone number or BSUID",
		Long:    "The result contains the canonical form. Nothing is looked up.",
		GroupID: "check",
		Example: "  hailmark resolve US.13491208655302741918\n  hailmark resolve \"+1 650 555 1234\" --json",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.each(args, func(arg string) error {
				p, err := contact.Resolve(identifierOf(arg))
				if err != nil {
					return err
				}
				_, warnings, _ := phone.Inspect(arg) // an error means that it isn't a number
				a.warnAbout(arg, warnings)
				kind, id := p.Identifier()
				if a.json {
					return writeJSON(a.stdout, struct {
						ID          string  `json:"id"`
						Type        string  `json:"type"`
						Username    *string `json:"username"`
						Phone       *string `json:"phone"`
						BSUID       *string `json:"bsuid"`
						DisplayName *string `json:"displayName"` // always null, because the name isn't looked up
						PhoneKnown  bool    `json:"phoneKnown"`
						BSUIDKnown  bool    `json:"bsuidKnown"`
					}{
						ID: id, Type: kind,
						Username: orNull(p.Username), Phone: orNull(p.Phone), BSUID: orNull(p.BSUID),
						PhoneKnown: p.Phone != "", BSUIDKnown: p.BSUID != "",
					})
				}
				return a.printFields([][2]string{{"type", kind}, {"id", id}})
			})
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	a.jsonFlag(cmd)
	return cmd
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
