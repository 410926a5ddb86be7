package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (a *app) newMan() *cobra.Command {
	return &cobra.Command{
		Use:     "man",
		Short:   "Print the manual page",
		Long:    "To install it, run this command:\n\n  hailmark man > /usr/local/share/man/man1/hailmark.1",
		GroupID: "tool",
		Example: "  hailmark man",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(a.stdout, manual(cmd.Root()))
			return err
		},
	}
}

// manual returns the manual page for a command and its subcommands. The package doc of cobra isn't
// used, because it reads help as Markdown, so that wa.me/<number> loses its placeholder and examples
// lose their lines; it also writes a page for each command.
func manual(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString(".TH HAILMARK 1\n.SH NAME\nhailmark \\- " + roff(root.Short) + "\n")
	b.WriteString(".SH SYNOPSIS\n.B hailmark\n.I command\n[\\fIargument\\fR ...]\n")
	b.WriteString(".SH DESCRIPTION\n")
	writeRoff(&b, root.Long+"\n\n"+rootNotes)
	b.WriteString(".SH COMMANDS\n")
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			continue
		}
		b.WriteString(".SS hailmark " + roff(c.Use) + "\n")
		writeRoff(&b, c.Short+".")
		if c.Long != "" {
			b.WriteString(".PP\n")
			writeRoff(&b, c.Long)
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" || f.Hidden {
				return
			}
			name, text := pflag.UnquoteUsage(f)
			flag := "--" + f.Name
			if f.Shorthand != "" {
				flag = "-" + f.Shorthand + ", " + flag
			}
			b.WriteString(".TP\n\\fB" + roff(flag) + "\\fR")
			if name != "" {
				b.WriteString(" \\fI" + roff(name) + "\\fR")
			}
			b.WriteString("\n")
			writeRoff(&b, text)
		})
		b.WriteString(".PP\nExamples:\n.PP\n.nf\n")
		writeRoff(&b, c.Example)
		b.WriteString(".fi\n")
	}
	b.WriteString(".SH TABLES\n")
	writeRoff(&b, tableHelp)
	return b.String()
}

// writeRoff writes text. Indented lines keep their line breaks.
func writeRoff(b *strings.Builder, text string) {
	verbatim := false
	for line := range strings.SplitSeq(text, "\n") {
		if indented := strings.HasPrefix(line, "  "); indented != verbatim {
			verbatim = indented
			b.WriteString(map[bool]string{true: ".nf\n", false: ".fi\n"}[indented])
		}
		if line == "" {
			line = ".PP"
		} else {
			line = roff(line)
		}
		b.WriteString(line + "\n")
	}
	if verbatim {
		b.WriteString(".fi\n")
	}
}

func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
