package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hailmark/hailmark/cmd/hailmark/internal/outfile"
)

func (a *app) newRoot() *cobra.Command {
	a.files = &outfile.Files{Stdin: a.stdin, Stdout: a.stdout, Exit: a.exitOn}
	root := &cobra.Command{
		Use:   "hailmark <command> [arguments] [flags]",
		Short: "WhatsApp links, QR codes and webhooks",
		Long:  rootHelp,
		Example: `  hailmark link "+49 171 1234567" --text "Hi"
  hailmark qr jane.doe -o jane.png
  hailmark batch people.csv --out codes/
  hailmark sheet people.csv --labels avery-l7160 -o labels.pdf
  hailmark parse "https://wa.me/jane.doe?text=Hi"
  hailmark normalize webhook.json
  hailmark people --webhooks webhooks.ndjson`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRun:  func(*cobra.Command, []string) { a.started = true },
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.status = statusUsage
			return writeHelp(a.stderr, cmd)
		},
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		message, cause, isParse := strings.Cut(err.Error(), ": strconv.")
		switch {
		case strings.HasPrefix(cause, "ParseBool"):
			message += ": it isn't true or false"
		case isParse:
			message += ": it isn't a number"
		}
		return usageError{message}
	})
	root.AddGroup(
		&cobra.Group{ID: "make", Title: "Links and QR codes"},
		&cobra.Group{ID: "check", Title: "Validation"},
		&cobra.Group{ID: "webhooks", Title: "Webhooks and contacts"},
		&cobra.Group{ID: "tool", Title: "Other commands"},
	)
	root.SetHelpCommand(newHelp())
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		if err := writeHelp(a.stdout, cmd); err != nil { // cobra ignores the error
			a.report("", err)
			a.bad = true
		}
	})
	cobra.EnableCommandSorting = false
	for _, command := range a.commands() {
		command.DisableFlagsInUseLine = true
		checkArgs(command)
		completeFlags(command)
		root.AddCommand(command)
	}
	return root
}

// checkDashes rejects long flags with one dash, because pflag would read -output=x as -o utput=x.
func checkDashes(root *cobra.Command, args []string) (*cobra.Command, error) {
	command, rest, _ := root.Find(args) // an unknown command is reported later
	if command.DisableFlagParsing {
		return command, nil
	}
	isValue := false // which may look like a flag
	for _, arg := range rest {
		name, _, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		dashes := len(arg) - len(strings.TrimLeft(arg, "-"))
		flag := command.Flags().Lookup(name)
		if dashes == 1 && len(name) == 1 {
			flag = command.Flags().ShorthandLookup(name)
		}
		switch {
		case isValue:
			isValue = false
		case arg == "--":
			return command, nil
		case flag == nil || dashes == 0:
		case dashes == 1 && len(name) > 1:
			return command, usage("unknown flag: -%s (did you mean --%[1]s?)", name)
		default:
			isValue = !hasValue && flag.NoOptDefVal == ""
		}
	}
	return command, nil
}

// checkArgs adds the usage to errors about the number of arguments.
func checkArgs(command *cobra.Command) {
	check := command.Args
	if check == nil {
		return
	}
	command.Args = func(_ *cobra.Command, args []string) error {
		if check(command, args) == nil {
			return nil
		}
		return usage("got %s; the usage is %s", plural(len(args), "argument"), command.UseLine())
	}
}

// commands returns the commands in help order.
func (a *app) commands() []*cobra.Command {
	return []*cobra.Command{
		a.newLink(),
		a.newQR(),
		a.newPoster(),
		a.newBatch(),
		a.newSheet(),
		a.newParse(),
		a.newValidate(),
		a.newCheck(),
		a.newNormalize(),
		a.newPeople(),
		a.newSimulate(),
		a.newMCP(),
		a.newCompletion(),
		a.newVersion(),
	}
}

func (a *app) newVersion() *cobra.Command {
	return &cobra.Command{
		Use:               "version",
		Short:             "Print the version",
		GroupID:           "tool",
		Example:           "  hailmark version",
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			version := "unknown"
			if info, ok := debug.ReadBuildInfo(); ok {
				version = info.Main.Version // with the revision unless it's a tag
			}
			_, err := fmt.Fprintln(a.stdout, "hailmark", version, runtime.Version())
			return err
		},
	}
}
