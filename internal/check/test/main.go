// Command test runs go test, and at the end lists why tests were skipped, because the go command only
// mentions skipped tests with -v.
//
//	go run ./internal/check/test                    # go test -shuffle=on work
//	go run ./internal/check/test -race ./webhooknorm  # other arguments for go test
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

func main() {
	args := os.Args[1:]
	if len(args) == 0 {
		args = []string{"-shuffle=on", "work"}
	}
	err := run(args)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		os.Exit(exit.ExitCode())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run runs go test, and reports what it says to the standard output.
func run(args []string) error {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = report(os.Stdout, out)
	return errors.Join(err, cmd.Wait())
}

// An event is a line of go test -json; "go doc test2json" describes it.
type event struct{ Action, Package, Test, Output string }

// A pkg is what the events of a package said so far.
type pkg struct {
	output []event
	result map[string]string // by test
}

// report writes the result of each package, what failed tests and their packages printed, and the
// reasons why tests were skipped.
func report(w io.Writer, events io.Reader) error {
	out := bufio.NewWriter(w)
	packages, reasons := map[string]*pkg{}, map[string]int{}
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil { // for example, a message about a flag
				e = event{Action: "build-output", Output: string(line)}
			}
			if e.Action == "build-output" {
				fmt.Fprint(out, e.Output)
			} else {
				p := packages[e.Package]
				if p == nil {
					p = &pkg{result: map[string]string{}}
					packages[e.Package] = p
				}
				p.add(out, e, reasons)
			}
			if e.Test == "" {
				if err := out.Flush(); err != nil {
					return err
				}
			}
		}
		if err == io.EOF {
			summarize(out, reasons)
			return out.Flush()
		}
		if err != nil {
			return err
		}
	}
}

// add notes an event, and writes the output of a package that ended.
func (p *pkg) add(out *bufio.Writer, e event, reasons map[string]int) {
	switch e.Action {
	case "output":
		p.output = append(p.output, e)
		return
	case "pass", "fail", "skip":
	default:
		return
	}
	if e.Test != "" {
		p.result[e.Test] = e.Action
		if e.Action == "skip" {
			reasons[p.reason(e.Test)]++
		}
		return
	}
	for _, line := range p.output {
		of := p.result[line.Test] // "" for a test that didn't end, and for what isn't of a test
		switch {
		case strings.HasPrefix(line.Output, "=== "), of == "pass", of == "skip", line.Output == "PASS\n":
		case e.Action == "fail", strings.HasPrefix(line.Output, "ok "):
			fmt.Fprint(out, line.Output)
		}
	}
	p.output = nil
}

var place = regexp.MustCompile(`^\s*\S+\.go:\d+: (?:skipped: )?`)

// reason returns the message with which a test was skipped.
func (p *pkg) reason(test string) string {
	for _, line := range slices.Backward(p.output) {
		if line.Test == test && place.MatchString(line.Output) {
			return strings.TrimSpace(place.ReplaceAllString(line.Output, ""))
		}
	}
	return "no reason is given"
}

// summarize writes how many tests were skipped for which reason.
func summarize(out *bufio.Writer, reasons map[string]int) {
	if len(reasons) == 0 {
		return
	}
	total := 0
	for _, n := range reasons {
		total += n
	}
	fmt.Fprintf(out, "\nskipped tests: %d\n", total)
	for _, reason := range slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		return cmp.Or(reasons[b]-reasons[a], strings.Compare(a, b))
	}) {
		fmt.Fprintf(out, "%5d  %s\n", reasons[reason], reason)
	}
}
