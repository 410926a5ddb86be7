package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
)

// The chatFlags say which chat a link opens, and how.
type chatFlags struct{ text, country string }

func (c *chatFlags) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&c.text, "text", "", "the `message` to fill in")
	flags.StringVar(&c.country, "country", "", "read numbers without a plus as numbers of this `country`, for example DE")
}

// A chat contains valid flags.
type chat struct{ text, country string }

func (c *chatFlags) parse() (o chat, err error) {
	if o.text, err = chatlink.ParseText(c.text); err != nil {
		return o, fmt.Errorf("--text: %w", err)
	}
	if o.country = c.country; c.country != "" {
		if err := phone.CheckCountry(c.country); err != nil {
			return o, usage("--country: %v", err)
		}
	}
	return o, nil
}

// chatLink returns the link to a target, and prints why the target may not be the intended one.
func (a *app) chatLink(arg string, c chat) (chatlink.Link, error) {
	var target chatlink.Target
	var err error
	if c.country == "" {
		target, err = chatlink.ParseTarget(arg)
	} else {
		target, err = chatlink.ParseTargetIn(arg, c.country)
	}
	if err != nil {
		return chatlink.Link{}, err
	}
	a.warnAbout(arg, target.Warnings())
	return target.Link(c.text)
}

func (a *app) warnAbout(arg string, warnings problem.List) {
	for _, w := range warnings {
		fmt.Fprintf(a.stderr, "hailmark: %s: warning: %s (%s)\n", arg, w.Message, w.Code)
	}
}
