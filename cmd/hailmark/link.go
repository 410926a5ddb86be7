package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/internal/service"
	"github.com/hailmark/hailmark/phone"
)

// jsonFlag adds the flag --json.
func (a *app) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.json, "json", false, "print newline-delimited JSON")
}

func (a *app) newLink() *cobra.Command {
	var text, host string
	cmd := &cobra.Command{
		Use:     "link target...",
		Short:   "Create a link that opens a chat with a username or phone number",
		Long:    "Print the click-to-chat link of each target: a username, or a phone number with its\ncountry code. A target that contains a letter is a username. The target \"-\" reads targets\nfrom standard input, one per line.",
		GroupID: "make",
		Example: `  hailmark link jane.doe --text "Hi"
  hailmark link +16505551234 --json
  echo jane.doe | hailmark link -`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			h, t, err := parseLinkOptions(host, text)
			if err != nil {
				return err
			}
			return a.each(args, func(arg string) error {
				to, err := parseTarget(arg)
				if err != nil {
					return err
				}
				a.warnAboutPhone(arg, to.Phone)
				link := to.link(h, t)
				if !a.json {
					_, err := fmt.Fprintln(a.stdout, link)
					return err
				}
				return writeJSON(a.stdout, struct {
					target
					Link string `json:"link"`
				}{to, link})
			})
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().StringVar(&text, "text", "", "the message that is filled in")
	cmd.Flags().StringVar(&host, "host", service.ChatHost, "the `host` of the link")
	a.jsonFlag(cmd)
	return cmd
}

// warnAboutPhone prints why a phone number may not be the one that was meant. It was read
// from arg, which is a number or a link.
func (a *app) warnAboutPhone(arg string, n phone.Number) {
	warnings := n.Warnings()
	if _, typed, err := phone.Inspect(arg); err == nil {
		warnings = typed
	}
	for _, w := range warnings {
		fmt.Fprintf(a.stderr, "hailmark: %s: warning: %s (%s)\n", arg, w.Message, w.Code)
	}
}

// parseLinkOptions reads the flags that all links share.
func parseLinkOptions(host, text string) (service.Host, string, error) {
	h, err := service.ParseHost(host)
	if err != nil {
		return h, "", usage("--host: %v", err)
	}
	t, err := chatlink.ParseText(text)
	if err != nil {
		return h, t, fmt.Errorf("--text: %w", err)
	}
	return h, t, nil
}

func (a *app) newShort() *cobra.Command {
	var baseURL string
	cmd := &cobra.Command{
		Use:     "short username...",
		Short:   "Create a short link on your own server",
		Long:    "Print the short link of each username on a server that runs hailmark serve -short-links, or\nredirects in the same way. Usernames that are paths of the server get a link with /@.",
		GroupID: "make",
		Example: "  hailmark short jane.doe --base-url https://hi.example.com",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			base, err := service.ParseBaseURL(baseURL)
			if err != nil {
				return usage("--base-url: %v", err)
			}
			return a.each(args, func(arg string) error {
				u, err := busname.Parse(arg)
				if err != nil {
					return err
				}
				if !a.json {
					_, err := fmt.Fprintln(a.stdout, base.ShortLink(u))
					return err
				}
				return writeJSON(a.stdout, struct {
					Username  busname.Username `json:"username"`
					ShortLink string           `json:"shortLink"`
				}{u, base.ShortLink(u)})
			})
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().StringVar(&baseURL, "base-url", "", "the public `URL` of the server (required)")
	a.jsonFlag(cmd)
	return cmd
}

const parseHelp = `Print the parts of WhatsApp links: kind, phone number, username, code and text. Accepted are

  wa.me/<number or username>     wa.me/c/<number>              whatsapp://send?...
  wa.me/?text=<text>             wa.me/p/<product>/<number>    chat.whatsapp.com/<code>
  wa.me/message/<code>           api.whatsapp.com/send?...     whatsapp.com/channel/<code>
  wa.me/qr/<code>                web.whatsapp.com/send?...

A valid link may still lead nowhere.`

func (a *app) newParse() *cobra.Command {
	var host string
	cmd := &cobra.Command{
		Use:     "parse link...",
		Short:   "Show what a WhatsApp link contains",
		Long:    parseHelp,
		GroupID: "make",
		Example: `  hailmark parse "https://wa.me/16505551234?text=Hi"
  hailmark parse --json "https://api.whatsapp.com/send?phone=16505551234"`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			h, err := service.ParseHost(host)
			if err != nil {
				return usage("--host: %v", err)
			}
			return a.each(args, func(arg string) error {
				link, err := h.ParseLink(arg)
				if err != nil {
					return err
				}
				a.warnAboutPhone(arg, link.Phone())
				return a.printLink(link)
			})
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().StringVar(&host, "host", service.ChatHost, "accept this `host` in place of wa.me")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) printLink(l chatlink.Link) error {
	if a.json {
		return writeJSON(a.stdout, struct {
			Kind     chatlink.LinkKind `json:"kind"`
			Phone    phone.Number      `json:"phone,omitzero"`
			Username busname.Username  `json:"username,omitzero"`
			Code     string            `json:"code,omitempty"`
			Text     string            `json:"text,omitempty"`
			Link     chatlink.Link     `json:"link"`
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

// printFields prints the fields that are not empty, one per line.
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
