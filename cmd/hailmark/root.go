package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hailmark/hailmark/cmd/internal/outfile"
	"github.com/hailmark/hailmark/cmd/internal/serve"
)

const rootHelp = `Hailmark creates WhatsApp click-to-chat links and QR codes, validates usernames, phone
numbers and BSUIDs, reads webhooks, and runs the HTTP service. It never contacts WhatsApp.

Results go to standard output, messages to standard error. The file name "-" is standard
input or output. Existing files are replaced only with --force, and a command never
replaces a file that it reads.

Exit status:
  0  success
  1  an input is invalid, or the command failed
  2  the command line is invalid`

// newRoot returns the command hailmark with all of its commands.
func (a *app) newRoot() *cobra.Command {
	a.files = &outfile.Files{Stdin: a.stdin, Stdout: a.stdout}
	root := &cobra.Command{
		Use:   "hailmark",
		Short: "WhatsApp links, QR codes and webhooks",
		Long:  rootHelp,
		Example: `  hailmark link jane.doe --text "Hi"
  hailmark qr jane.doe -o jane.svg
  hailmark check people.csv
  hailmark batch people.csv --out codes/
  hailmark sheet people.csv --labels avery-l7160 -o labels.pdf
  hailmark parse "https://wa.me/jane.doe?text=Hi"
  hailmark serve --addr :9000`,
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
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		message, _, isNumber := strings.Cut(err.Error(), ": strconv.")
		if isNumber {
			message += ": it isn't a number"
		}
		return usageError{message}
	})
	root.AddGroup(
		&cobra.Group{ID: "make", Title: "Links and QR codes:"},
		&cobra.Group{ID: "check", Title: "Validation:"},
		&cobra.Group{ID: "webhooks", Title: "Webhooks and contacts:"},
		&cobra.Group{ID: "service", Title: "HTTP service:"},
		&cobra.Group{ID: "tool", Title: "This tool:"},
	)
	root.SetHelpCommandGroupID("tool")
	for _, command := range a.commands() {
		command.DisableFlagsInUseLine = true
		checkArgs(command)
		completeFlags(command)
		root.AddCommand(command)
	}
	return root
}

// checkArgs replaces the messages about the number of arguments, which don't say what is missing.
func checkArgs(command *cobra.Command) {
	check := command.Args
	if check == nil {
		return
	}
	command.Args = func(_ *cobra.Command, args []string) error {
		if check(command, args) == nil {
			return nil
		}
		return usage("got %s, but the usage is %q", plural(len(args), "argument"), command.UseLine())
	}
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
		a.newHealthcheck(),
		a.newLicenses(),
		a.newCompletion(),
		a.newMan(),
		a.newVersion(),
	}
}

// newServe returns the program server as a command. It has flags of its own.
func (a *app) newServe() *cobra.Command {
	cmd := a.alias("service", "serve [flags]", "Run the HTTP API, the web page and short links", "hailmark serve")
	cmd.Example = "  hailmark serve --help"
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return serve.FlagNames(), cobra.ShellCompDirectiveDefault
	}
	return cmd
}

func (a *app) newHealthcheck() *cobra.Command {
	cmd := a.alias("service", "healthcheck [flags]", "Check whether a running service is ready", "hailmark", "healthcheck")
	cmd.Example = "  hailmark healthcheck --help"
	return cmd
}

func (a *app) newLicenses() *cobra.Command {
	return a.alias("tool", "licenses", "Print the licenses of all linked modules", "hailmark", "licenses")
}

func (a *app) newVersion() *cobra.Command {
	return a.alias("tool", "version", "Print the version", "hailmark", "-version")
}

// alias returns a command that runs the program server, with args before those of the command.
func (a *app) alias(group, use, short, program string, args ...string) *cobra.Command {
	name, _, hasFlags := strings.Cut(use, " ")
	cmd := &cobra.Command{
		Use:                use,
		Short:              short,
		GroupID:            group,
		Example:            "  hailmark " + name,
		DisableFlagParsing: hasFlags,
		ValidArgsFunction:  cobra.NoFileCompletions,
		RunE: func(_ *cobra.Command, more []string) error {
			a.status = serve.Main(program, append(args, more...))
			return nil
		},
	}
	if !hasFlags {
		cmd.Args = cobra.NoArgs
	}
	return cmd
}
