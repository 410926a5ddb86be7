package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/hailmark/hailmark/cmd/hailmark/internal/outfile"
)

const (
	statusOK    = 0
	statusBad   = 1 // an input is invalid, or the command failed
	statusUsage = 2 // the command line is invalid
)

// An app is one run of the program.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	files          *outfile.Files
	getenv         func(string) string
	isTerminal     func(any) bool

	json    bool            // print JSON
	started bool            // the command line was valid
	bad     bool            // an input was invalid
	status  int             // set by commands that provide their own exit status
	hinted  map[string]bool // hints already printed
}

func isTerminal(f any) bool {
	file, ok := f.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// run runs a command and returns its exit status.
func (a *app) run(args []string) int {
	root := a.newRoot()
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	if len(args) > 0 && args[0] == "--version" {
		args = []string{"version"}
	}
	root.SetArgs(append([]string{}, args...)) // cobra takes nil for os.Args
	command, err := checkDashes(root, args)
	if err == nil {
		command, err = root.ExecuteC()
	}
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

// exitOn ends the program after a signal, with the status that shells give it.
func (a *app) exitOn(s os.Signal) {
	number, _ := s.(syscall.Signal)
	if number == syscall.SIGINT {
		if a.isTerminal(a.stderr) {
			fmt.Fprintln(a.stderr) // after the progress and ^C
		}
		fmt.Fprintln(a.stderr, "hailmark: interrupted; no files were written")
	}
	os.Exit(128 + int(number))
}

// A usageError reports an invalid command line.
type usageError struct{ message string }

func (e usageError) Error() string { return e.message }

func usage(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

func (a *app) forceFlag(flags *pflag.FlagSet) {
	flags.BoolVar(&a.files.Force, "force", false, "replace existing files")
}

// writeJSON writes a value as one line. It doesn't escape <, > and &, which are frequent in
// links.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// each calls do for each argument, or for each line of standard input if the argument is "-".
// Instead of ending the loop, an error of do is reported.
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
				line = strings.TrimPrefix(line, "\ufeff") // some editors write a byte order mark
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

// place identifies an argument in an error, unless it's the only argument.
func (a *app) place(args []string, arg string) string {
	if len(args) == 1 {
		return ""
	}
	return arg
}
