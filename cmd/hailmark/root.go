package main

import (
	"github.com/spf13/cobra"

	"github.com/hailmark/hailmark/cmd/internal/serve"
)

const rootHelp = `Hailmark makes click-to-chat links and QR codes for WhatsApp, takes links and ids apart,
reads webhooks, finds out who is who, and runs the service.

A "-" stands for the standard input or output. Data goes to the standard output, and
messages go to the standard error. The exit status is

  0  if all went well,
  1  if bad input was found, or something failed,
  2  if the command line is wrong.`

// newRoot returns the command hailmark with all of its commands.
func (a *app) newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:               "hailmark",
		Short:             "Links, QR codes and webhooks of WhatsApp",
		Long:              rootHelp,
		Example:           `  hailmark link jane.doe --text "Hi"`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRun:  func(*cobra.Command, []string) { a.started = true },
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SetOut(a.stderr)
			_ = cmd.Help()
			a.status = statusUsage
			return nil
		},
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err.Error()} })
	root.AddGroup(
		&cobra.Group{ID: "make", Title: "Links and codes:"},
		&cobra.Group{ID: "check", Title: "Names, numbers and ids:"},
		&cobra.Group{ID: "webhooks", Title: "Webhooks and people:"},
		&cobra.Group{ID: "service", Title: "The service:"},
	)
	for _, command := range a.commands() {
		command.DisableFlagsInUseLine = true
		completeFlags(command)
		root.AddCommand(command)
	}
	return root
}

// commands returns the commands in the order of the help.
func (a *app) commands() []*cobra.Command {
	return []*cobra.Command{
		a.newLink(),
		a.newShort(),
		a.newParse(),
		a.newQR(),
		a.newBatch(),
		a.newSheet(),
		a.newPoster(),
		a.newValidate(),
		a.newBSUID(),
		a.newResolve(),
		a.newCheck(),
		a.newNormalize(),
		a.newPeople(),
		a.newServe(),
		a.newPage(),
		a.newHealthcheck(),
		a.newLicenses(),
		a.newCompletion(),
		a.newMan(),
		a.newVersion(),
	}
}

// newServe returns the command that is the program server. It has its own flags.
func (a *app) newServe() *cobra.Command {
	return &cobra.Command{
		Use:                "serve [flags]",
		Short:              "Run the HTTP service",
		GroupID:            "service",
		Example:            "  hailmark serve -help",
		DisableFlagParsing: true,
		RunE:               a.serveMain("hailmark serve"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return serve.FlagNames(), cobra.ShellCompDirectiveDefault
		},
	}
}

func (a *app) newHealthcheck() *cobra.Command {
	return &cobra.Command{
		Use:                "healthcheck [flags]",
		Short:              "Check a running service, as a container's health check does",
		GroupID:            "service",
		Example:            "  hailmark healthcheck -help",
		DisableFlagParsing: true,
		RunE:               a.serveMain("hailmark", "healthcheck"),
		ValidArgsFunction:  cobra.NoFileCompletions,
	}
}

func (a *app) newLicenses() *cobra.Command {
	return &cobra.Command{
		Use:     "licenses",
		Short:   "Print the licences of all linked modules",
		GroupID: "service",
		Example: "  hailmark licenses",
		Args:    cobra.NoArgs,
		RunE:    a.serveMain("hailmark", "licenses"),
	}
}

func (a *app) newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		GroupID: "service",
		Example: "  hailmark version",
		Args:    cobra.NoArgs,
		RunE:    a.serveMain("hailmark", "-version"),
	}
}

// serveMain runs the program server with arguments before those of the command.
func (a *app) serveMain(name string, before ...string) func(*cobra.Command, []string) error {
	return func(_ *cobra.Command, args []string) error {
		a.status = serve.Main(name, append(before, args...))
		return nil
	}
}
