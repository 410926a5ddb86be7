// Command against compares webhooknorm in the working tree with webhooknorm at an earlier
// commit:
//
//	go run ./internal/harness/bench/against 540e070
//	go run ./internal/harness/bench/against -time 20s HEAD~3
//
// It copies the Go files of the commit to a temporary folder, with other import paths, and
// builds one program from both versions: compare.go. The program calls them in turns and
// measures ratios of processor time: below 1, the working tree is faster. Package [paired]
// explains how. Where the linker places the functions changes a ratio by some percent, so
// it places them in several random ways. The table has the median ratio, the lowest and the
// highest.
//
// It needs git, and runs on Unix only.
package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hailmark/hailmark/internal/harness/bench/paired"
)

const (
	module = "github.com/hailmark/hailmark"
	dir    = "internal/harness/bench/against"

	layouts = 9 // in how many ways the functions are placed
)

// A row is what compare.go prints for one function and payload.
type row struct {
	Function, Payload string
	Results           []paired.Result // the commit, then the working tree
}

func main() {
	each := flag.Duration("time", time.Second, "processor time for each function, payload and layout")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: against [-time duration] commit")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	rows, err := compare(flag.Arg(0), *each, layouts)
	if err != nil {
		fmt.Fprintln(os.Stderr, "against:", err)
		os.Exit(1)
	}
	printTable(rows)
}

// compare returns the rows of each layout.
func compare(commit string, each time.Duration, layouts int) (rows [][]row, err error) {
	output, err := run("git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	root := strings.TrimSpace(string(output))
	archive, err := run("git", "-C", root, "archive", commit)
	if err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "against")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	here := filepath.Join(root, dir)
	overlay, hasRead, err := extract(archive, temp, filepath.Join(here, "old"))
	if err != nil {
		return nil, err
	}
	sources := []string{"compare.go"}
	if hasRead {
		sources = append(sources, "compare_read.go")
	}
	program := filepath.Join(temp, "compare")
	for seed := range layouts {
		layout := fmt.Sprint("-ldflags=-randlayout=", seed+1) // 0 is the usual layout
		build := []string{"build", "-C", here, "-overlay", overlay, layout, "-o", program}
		if _, err := run("go", append(build, sources...)...); err != nil {
			return nil, err
		}
		output, err := run(program, each.String())
		if err != nil {
			return nil, err
		}
		var r []row
		if err := json.Unmarshal(output, &r); err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func printTable(rows [][]row) {
	fmt.Printf("%s %s/%s, %d layouts\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, len(rows))
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "function\tpayload\told time\ttime\told allocations\tallocations\ttime / old\tlowest\thighest\t")
	for i, first := range rows[0] {
		var old, now, ratios []float64
		for _, r := range rows {
			results := r[i].Results
			old, now = append(old, float64(results[0].Time)), append(now, float64(results[1].Time))
			ratios = append(ratios, results[1].Ratio)
		}
		fmt.Fprintf(w, "%s\t%s\t%v\t%v\t%.0f\t%.0f\t%.3f\t%.3f\t%.3f\t\n", first.Function, first.Payload,
			time.Duration(paired.Median(old)), time.Duration(paired.Median(now)), first.Results[0].Allocs, first.Results[1].Allocs,
			paired.Median(ratios), slices.Min(ratios), slices.Max(ratios))
	}
	_ = w.Flush()
}

// extract writes the Go files of an archive to a folder, with import paths as if they were
// in another folder, old. It returns the overlay for the go command that puts them there,
// and reports whether package webhooknorm has a function Read.
func extract(archive []byte, folder, old string) (overlay string, hasRead bool, err error) {
	replace := map[string]string{}
	files := tar.NewReader(bytes.NewReader(archive))
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", false, err
		}
		name := header.Name
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || header.Typeflag != tar.TypeReg {
			continue
		}
		text, err := io.ReadAll(files)
		if err != nil {
			return "", false, err
		}
		if path.Dir(name) == "webhooknorm" && bytes.Contains(text, []byte("\nfunc Read(")) {
			hasRead = true
		}
		text = bytes.ReplaceAll(text, []byte(`"`+module+`/`), []byte(`"`+module+`/`+dir+`/old/`))
		source := filepath.Join(folder, fmt.Sprint(len(replace), ".go"))
		if err := os.WriteFile(source, text, 0o600); err != nil {
			return "", false, err
		}
		replace[filepath.Join(old, name)] = source
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", false, err
	}
	overlay = filepath.Join(folder, "overlay.json")
	return overlay, hasRead, os.WriteFile(overlay, text, 0o600)
}

// run returns the output of a command.
func run(name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, stderr.Bytes())
	}
	return stdout.Bytes(), nil
}
