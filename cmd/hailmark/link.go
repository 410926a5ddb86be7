package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/phone"
)

func (a *app) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.json, "json", false, "print newline-delimited JSON")
}

const linkHelp = `A target is a username such as jane.doe or @Jane.Doe, a phone number, or a WhatsApp link. One
that contains a letter, but isn't a link, is a username. The target "-" reads targets from
standard input, one per line.

A warning reports a phone number that nobody can have, or that may lack the country code. The
country of a number isn't guessed: write 0171 1234567 in Germany as +49 171 1234567, or add
--country DE.`

func (a *app) newLink() *cobra.Command {
	var flags chatFlags
	cmd := &cobra.Command{
		Use:     "link <target>...",
		Short:   "Create a link that opens a chat with a username or phone number",
		Long:    linkHelp,
		GroupID: "make",
		Example: `  hailmark link jane.doe --text "Hi"
  hailmark link "0171 1234567" --country DE --json
  echo jane.doe | hailmark link -`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := flags.parse()
			if err != nil {
				return err
			}
			return a.each(args, func(arg string) error {
				link, err := a.chatLink(arg, c)
				if err != nil {
					return err
				}
				if !a.json {
					_, err := fmt.Fprintln(a.stdout, link)
					return err
				}
				return writeJSON(a.stdout, struct {
					Username busname.Username `json:"username,omitzero"`
					Phone    phone.Number     `json:"phone,omitzero"`
					Link     chatlink.Link    `json:"link"`
				}{link.Username(), link.Phone(), link})
			})
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	flags.addFlags(cmd.Flags())
	a.jsonFlag(cmd)
	return cmd
}

const parseHelp = `The parts are kind, phone number, username, code and message. These links are supported:

  wa.me/<number or username>     wa.me/c/<number>              whatsapp://send?...
  wa.me/?text=<text>             wa.me/p/<product>/<number>    chat.whatsapp.com/<code>
  wa.me/message/<code>           api.whatsapp.com/send?...     whatsapp.com/channel/<code>
  wa.me/qr/<code>                web.whatsapp.com/send?...     whatsapp://chat?code=<code>

Links that only open an app, such as intent://send?phone=..., are read as what they contain.

The link isn't opened, so even a valid one may lead nowhere.`

func (a *app) newParse() *cobra.Command {
	cmd := &cobra.Command{
		Use:        "parse <link>...",
		SuggestFor: []string{"explain", "scan", "decode"},
		Short:      "Show where a WhatsApp link leads, for example a scanned one",
		Long:       parseHelp,
		GroupID:    "make",
		Example: `  hailmark parse "https://wa.me/16505551234?text=Hi"
  hailmark parse --json "https://api.whatsapp.com/send?phone=16505551234"`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.each(args, func(arg string) error {
				link, err := chatlink.ParseLink(arg)
				if err != nil {
					return err
				}
				_, warnings, _ := phone.Inspect(link.Phone().String()) // it's valid, or there's none
				a.warnAbout(arg, warnings)
				return a.printLink(link)
			})
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) printLink(l chatlink.Link) error {
	if a.json {
		return writeJSON(a.stdout, struct {
			Kind     chatlink.Kind    `json:"kind"`
			Phone    phone.Number     `json:"phone,omitzero"`
			Username busname.Username `json:"username,omitzero"`
			Code     string           `json:"code,omitempty"`
			Text     string           `json:"text,omitempty"`
			Link     chatlink.Link    `json:"link"`
		}{l.Kind(), l.Phone(), l.Username(), l.Code(), l.Text(), l})
	}
	return a.printFields([][2]string{
		{"kind", string(l.Kind())},
		{"phone", l.Phone().String()},
		{"username", l.Username().String()},
		{"code", l.Code()},
		{"text", l.Text()},
		{"link", l.String()},
	})
}

// printFields prints non-empty fields, one per line.
func (a *app) printFields(fields [][2]string) error {
	var errs []error
	for _, f := range fields {
		if f[1] != "" {
			_, err := fmt.Fprintf(a.stdout, "%-9s %s\n", f[0]+":", strings.ReplaceAll(f[1], "\n", "\n          "))
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
