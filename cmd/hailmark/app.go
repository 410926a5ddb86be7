package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/hailmark/hailmark/cmd/internal/outfile"
)

// The exit statuses.
const (
	statusOK    = 0
	statusBad   = 1 // an input is invalid, or the command failed
	statusUsage = 2 // the command line is invalid
)

// An app is one run of the tool.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	files          *outfile.Files // all files that the run opens
	getenv         func(string) string
	isTerminal     func(any) bool

	json    bool            // print JSON
	started bool            // the command line is valid
	bad     bool            // an invalid input was reported
	status  int             // the exit status of a command that sets it
	hinted  map[string]bool // the hints that were printed
}

func isTerminal(f any) bool {
	file, ok := f.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// run runs a command and returns the exit status.
func (a *app) run(args []string) int {
	root := a.newRoot()
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	if len(args) > 0 && (args[0] == "-version" || args[0] == "--version") {
		args = []string{"version"}
	}
	root.SetArgs(doubleDashes(root, args))
	command, err := root.ExecuteC()
	if err == nil {
		err = a.files.Commit()
	} else {
		err = errors.Join(err, a.files.Abort())
	}
	switch {
	case err != nil && (!a.started || errors.As(err, new(usageError)) || errors.As(err, new(*outfile.ConflictError))):
		fmt.Fprintf(a.stderr, "hailmark: %v\n", err)
		if !strings.Contains(err.Error(), "\n") {
			fmt.Fprintf(a.stderr, "See '%s --help'.\n", command.CommandPath())
		}
		return statusUsage
	case err != nil:
		a.report("", err)
		return statusBad
	case a.bad:
		return statusBad
	}
	return a.status
}

// A usageError is an error in the command line.
type usageError struct{ message string }

func (e usageError) Error() string { return e.message }

func usage(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// doubleDashes returns args with a second dash before each long flag that has only one,
// since people write -webhooks as well as --webhooks.
func doubleDashes(root *cobra.Command, args []string) []string {
	command, _, err := root.Find(args)
	if err != nil || command.DisableFlagParsing {
		return args
	}
	var changed []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(changed, args[i:]...)
		}
		name, _, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		var flag *pflag.Flag
		switch {
		case !strings.HasPrefix(arg, "-"), name == "":
		case len(name) == 1 && !strings.HasPrefix(arg, "--"):
			flag = command.Flags().ShorthandLookup(name)
		default:
			if flag = command.Flags().Lookup(name); flag != nil && !strings.HasPrefix(arg, "--") {
				arg = "-" + arg
			}
		}
		changed = append(changed, arg)
		if flag != nil && flag.NoOptDefVal == "" && !hasValue && i+1 < len(args) {
			i++ // the value, which may look like a flag
			changed = append(changed, args[i])
		}
	}
	return changed
}

// forceFlag adds the flag --force to a command that writes files.
func (a *app) forceFlag(flags *pflag.FlagSet) {
	flags.BoolVar(&a.files.Force, "force", false, "replace existing files")
}

// writeJSON writes a value as one line. It does not escape <, > and &, which are
// frequent in links.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// each calls do for each argument. The argument "-" is replaced by the lines of the standard
// input. An error of do is reported and doesn't end the loop.
func (a *app) each(args []string, do func(arg string) error) error {
	for _, arg := range args {
		if arg != "-" {
			if err := do(arg); err != nil {
				a.report(a.place(args, arg), err)
				a.bad = true
			}
			continue
		}
		in, err := a.files.Open(arg)
		if err != nil {
			return err
		}
		lines := bufio.NewScanner(in)
		n := 1
		for ; lines.Scan(); n++ {
			line := lines.Text()
			if n == 1 {
				line = strings.TrimPrefix(line, "\ufeff") // the byte order mark of some editors
			}
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			if err := do(line); err != nil {
				a.report(fmt.Sprintf("line %d", n), err)
				a.bad = true
			}
		}
		if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
			return fmt.Errorf("line %d has more than %d KiB; write one value per line", n, bufio.MaxScanTokenSize>>10)
		} else if err != nil {
			return fmt.Errorf("standard input: %w", err)
		}
	}
	return nil
}

// place names an argument if there are several.
func (a *app) place(args []string, arg string) string {
	if len(args) == 1 {
		return ""
	}
	return arg
}
