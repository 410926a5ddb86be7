package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/hailmark/hailmark/cmd/internal/page"
)

const pageHelp = `Page writes the page of the service as one HTML file. It opens from a disk in a browser, without
a network: links and QR codes, tables, and checks of values and webhooks. The file contains
the library, and sends nothing.`

func (a *app) newPage() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:     "page",
		Short:   "Write the page of the service as one HTML file",
		Long:    pageHelp,
		GroupID: "service",
		Example: "  hailmark page -o hailmark.html",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if !page.HasModule() {
				return errors.New(page.NoModule)
			}
			if output != "-" {
				return writeFile(output, page.OneFile())
			}
			if a.isTerminal(a.stdout) {
				return errors.New("the page is not written to a terminal; send it to a file with -o hailmark.html")
			}
			_, err := a.stdout.Write(page.OneFile())
			return err
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "-", "the `file` to write")
	return cmd
}
