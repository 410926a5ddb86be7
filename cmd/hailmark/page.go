package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/hailmark/hailmark/cmd/internal/page"
)

const pageHelp = `The file works in a browser without a server or a network.`

func (a *app) newPage() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:     "page",
		Short:   "Write the web page as one HTML file, for use without a server",
		Long:    pageHelp,
		GroupID: "service",
		Example: "  hailmark page -o hailmark.html",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if !page.HasModule() {
				return errors.New(page.NoModule)
			}
			return a.write(output, "html", page.OneFile())
		},
	}
	a.forceFlag(cmd.Flags())
	cmd.Flags().StringVarP(&output, "output", "o", "-", "the `file` to write")
	return cmd
}
