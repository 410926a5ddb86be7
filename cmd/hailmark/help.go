package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const rootHelp = `Hailmark creates WhatsApp links and QR codes, validates identifiers, and reads webhooks.
It works offline and never contacts WhatsApp.`

const rootNotes = `The file name "-" means standard input or output. Results go to standard output, messages to
standard error. Existing files are replaced only with --force, and a command never replaces a
file that it reads.

Exit status:
  0    success
  1    an input is invalid, or the command failed
  2    the command line is invalid
  130  the command was interrupted by Ctrl-C

Run 'hailmark <command> --help' for details, 'hailmark help table' for the tables of batch, check
and sheet.`

// writeHelp describes a command. The purpose, usage, examples and flags come first, because most
// users need nothing else.
func writeHelp(w io.Writer, cmd *cobra.Command) error {
	var b strings.Builder
	section := func(title, body string) {
		if body = strings.Trim(body, "\n"); body != "" {
			fmt.Fprintf(&b, "\n%s:\n%s\n", title, body)
		}
	}
	if cmd.HasParent() {
		b.WriteString(cmd.Short + ".\n")
	} else {
		b.WriteString(cmd.Long + "\n")
	}
	line := "  " + cmd.UseLine()
	if cmd.HasParent() && cmd.LocalFlags().HasFlags() && !strings.HasSuffix(line, "[flags]") {
		line += " [flags]"
	}
	section("Usage", line)
	for _, group := range cmd.Groups() {
		var list strings.Builder
		for _, c := range cmd.Commands() {
			if c.GroupID == group.ID {
				fmt.Fprintf(&list, "  %-*s  %s\n", cmd.NamePadding(), c.Name(), c.Short)
			}
		}
		section(group.Title, list.String())
	}
	section("Examples", cmd.Example)
	if !cmd.HasParent() {
		b.WriteString("\n" + rootNotes + "\n")
		_, err := io.WriteString(w, b.String())
		return err
	}
	flags, paper := pflag.NewFlagSet("", pflag.ContinueOnError), pflag.NewFlagSet("", pflag.ContinueOnError)
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		shown := *f
		var isForPaper bool
		if shown.Usage, isForPaper = strings.CutPrefix(f.Usage, forPaper); isForPaper {
			paper.AddFlag(&shown)
		} else if f.Name != "help" {
			flags.AddFlag(&shown)
		}
	})
	section("Flags", flags.FlagUsages())
	section("Flags for paper", paper.FlagUsages())
	if cmd.Long != "" {
		b.WriteString("\n" + cmd.Long + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// tableTopic describes what isn't a command.
const tableTopic = "table"

// newHelp replaces cobra's own help command, whose description is longer.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:     "help [command or table]",
		Short:   "Describe a command, or the tables of batch, check and sheet",
		GroupID: "tool",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == tableTopic {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), tableHelp)
				return err
			}
			described, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usage("unknown command %q", strings.Join(args, " "))
			}
			return described.Help()
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			for _, c := range cmd.Root().Commands() {
				names = append(names, c.Name())
			}
			return append(names, tableTopic), cobra.ShellCompDirectiveNoFileComp
		},
	}
}
