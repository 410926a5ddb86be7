package main

import (
	"fmt"

	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/problem"
)

// chatLink returns the link to a target, and prints why the target may not be the intended one.
func (a *app) chatLink(arg string, host chatlink.Host, text string) (chatlink.Link, error) {
	target, err := host.ParseTarget(arg)
	if err != nil {
		return chatlink.Link{}, err
	}
	a.warnAbout(arg, target.Warnings())
	return target.ToLink(text)
}

func (a *app) warnAbout(arg string, warnings problem.List) {
	for _, w := range warnings {
		fmt.Fprintf(a.stderr, "hailmark: %s: warning: %s (%s)\n", arg, w.Message, w.Code)
	}
}
