// Command batch compares hailmark batch with a bare loop, zint and qrencode. It exits with
// status 1 if a ratio misses its limit. It requires Unix, zint and qrencode:
//
//	apt-get install zint qrencode
//	go run ./internal/check/harness/bench/batch
//	go run ./internal/check/harness/bench/batch -memory
//
// Times include child processes. Ratios are medians over rounds in which the programs
// alternate. Files are written to memory if possible, because a disk would otherwise
// dominate the times.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/internal/check/harness/bench/paired"
	"github.com/hailmark/hailmark/qrcode"
)

const (
	maxBare   = 1.5      // times the processor time of a bare loop, for 10,000 rows
	minOthers = 20       // times the processor time of hailmark batch, for 1,000 links
	maxGrowth = 32 << 20 // bytes of memory from 10,000 to 1,000,000 rows
)

func main() {
	bare := flag.String("bare", "", "only write a bare loop's images to this folder")
	rows := flag.Int("rows", 10_000, "the number of images for -bare")
	rounds := flag.Int("rounds", 5, "the number of rounds")
	memory := flag.Bool("memory", false, "measure only the memory, for up to 1,000,000 rows, which takes minutes")
	flag.Parse()
	err := error(nil)
	if *bare != "" {
		err = writePictures(*bare, *rows)
	} else {
		err = compare(*rounds, *memory)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func username(row int) string { return "customer" + strconv.Itoa(row) }

// writePictures is the bare loop. It calls RenderQR and WriteFile with one worker per processor.
func writePictures(folder string, rows int) error {
	errs := make([]error, runtime.GOMAXPROCS(0))
	var next atomic.Int64
	var workers sync.WaitGroup
	for w := range errs {
		workers.Go(func() {
			for row := int(next.Add(1)) - 1; row < rows && errs[w] == nil; row = int(next.Add(1)) - 1 {
				errs[w] = writePicture(folder, username(row))
			}
		})
	}
	workers.Wait()
	return errors.Join(errs...)
}

func writePicture(folder, username string) error {
	link, err := chatlink.BuildUsernameLink(username, "")
	if err != nil {
		return err
	}
	picture, err := qrcode.RenderQR(link, qrcode.Options{Title: link})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, username+".png"), picture, 0o600)
}

// A bench contains a comparison's files.
type bench struct {
	dir, tool, self string
}

func compare(rounds int, memory bool) error {
	parent := ""
	if _, err := os.Stat("/dev/shm"); err == nil {
		parent = "/dev/shm"
	}
	dir, err := os.MkdirTemp(parent, "hailmark-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	b := &bench{dir: dir, tool: filepath.Join(dir, "hailmark")}
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	if out, err := exec.Command("go", "build", "-o", b.tool, "github.com/hailmark/hailmark/cmd/hailmark").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	fmt.Printf("%d processors, files in %s\n", runtime.GOMAXPROCS(0), dir)
	if memory {
		return b.growth()
	}
	return errors.Join(b.againstLoop(rounds), b.againstOthers(rounds))
}

// againstLoop compares 10,000 rows with a bare loop.
func (b *bench) againstLoop(rounds int) error {
	const rows = 10_000
	table, err := b.table(rows)
	if err != nil {
		return err
	}
	var processor, clock []float64
	for range rounds {
		loop, err := b.run(func(out string) *exec.Cmd { return exec.Command(b.self, "-bare", out, "-rows", strconv.Itoa(rows)) })
		if err != nil {
			return err
		}
		tool, err := b.run(func(out string) *exec.Cmd { return exec.Command(b.tool, "batch", table, "--out", out) })
		if err != nil {
			return err
		}
		processor = append(processor, tool.processor.Seconds()/loop.processor.Seconds())
		clock = append(clock, tool.clock.Seconds()/loop.clock.Seconds())
	}
	ratio := paired.Median(processor)
	fmt.Printf("10,000 rows: %.2f of the processor time of a bare loop, %.2f of its duration (limit %.1f)\n", ratio, paired.Median(clock), maxBare)
	if ratio > maxBare {
		return errors.New("10,000 rows: above the limit")
	}
	return nil
}

// againstOthers compares 1,000 links with other programs.
func (b *bench) againstOthers(rounds int) error {
	const rows = 1000
	table, err := b.table(rows)
	if err != nil {
		return err
	}
	var links []byte
	for row := range rows {
		links = append(links, "https://wa.me/"+username(row)+"\n"...)
	}
	list := filepath.Join(b.dir, "links")
	if err := os.WriteFile(list, links, 0o600); err != nil {
		return err
	}
	programs := []struct {
		name    string
		command func(out string) *exec.Cmd
	}{
		{"zint --batch", func(out string) *exec.Cmd {
			// These images are 500 pixels wide; hailmark's are 512.
			return exec.Command("zint", "--batch", "--barcode=QRCODE", "--filetype=PNG", "--scale=10", "--input="+list, "--output="+out+"/~~~~.png")
		}},
		{"qrencode in a loop", func(out string) *exec.Cmd {
			const script = `n=0; while read -r link; do n=$((n+1)); qrencode -o "$1/$n.png" "$link"; done <"$0"`
			return exec.Command("sh", "-c", script, list, out)
		}},
	}
	var errs []error
	for _, p := range programs {
		var ratios []float64
		for range rounds {
			other, err := b.run(p.command)
			if err != nil {
				return err
			}
			if other.files != rows {
				return fmt.Errorf("%s wrote %d files", p.name, other.files)
			}
			tool, err := b.run(func(out string) *exec.Cmd { return exec.Command(b.tool, "batch", table, "--out", out) })
			if err != nil {
				return err
			}
			ratios = append(ratios, other.processor.Seconds()/tool.processor.Seconds())
		}
		fmt.Printf("1,000 links: %s takes %.0f times the processor time of hailmark batch (limit %d)\n", p.name, paired.Median(ratios), minOthers)
		if paired.Median(ratios) < minOthers {
			errs = append(errs, fmt.Errorf("1,000 links: below the limit against %s", p.name))
		}
	}
	return errors.Join(errs...)
}

// growth compares the memory for 10,000 and 1,000,000 rows. The rows are drawn but not
// written, because an archive's directory and an in-memory folder grow with each file.
func (b *bench) growth() error {
	var peaks []int64
	for _, rows := range []int{10_000, 1_000_000} {
		table, err := b.table(rows)
		if err != nil {
			return err
		}
		usage, err := b.run(func(string) *exec.Cmd {
			return exec.Command(b.tool, "check", table, "--size", "128", "--report", os.DevNull)
		})
		if err != nil {
			return err
		}
		fmt.Printf("%d rows: %.1f MiB of memory\n", rows, float64(usage.memory)/(1<<20))
		peaks = append(peaks, usage.memory)
	}
	if growth := peaks[1] - peaks[0]; growth > maxGrowth {
		return fmt.Errorf("memory grows by %d bytes, and the limit is %d", growth, maxGrowth)
	}
	return nil
}

// table writes a table with usernames and returns its name. It doesn't keep the table in
// memory, because Linux attributes a process's memory to the children it starts.
func (b *bench) table(rows int) (string, error) {
	name := filepath.Join(b.dir, strconv.Itoa(rows)+".csv")
	f, err := os.Create(name)
	if err != nil {
		return "", err
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "username")
	for row := range rows {
		fmt.Fprintln(w, username(row))
	}
	return name, errors.Join(w.Flush(), f.Close())
}

// A usage describes the resources that a process and its children used.
type usage struct {
	processor, clock time.Duration
	memory           int64 // bytes, at the peak
	files            int   // in its folder
}

// run runs a command that writes to a folder and then removes the folder.
func (b *bench) run(command func(out string) *exec.Cmd) (usage, error) {
	out := filepath.Join(b.dir, "out")
	if err := os.Mkdir(out, 0o700); err != nil {
		return usage{}, err
	}
	defer func() { _ = os.RemoveAll(out) }()
	cmd := command(out)
	var messages bytes.Buffer
	cmd.Stderr = &messages
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return usage{}, fmt.Errorf("%s: %w\n%s", cmd, err, messages.Bytes())
	}
	u := usage{processor: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), clock: time.Since(start)}
	if r, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		u.memory = r.Maxrss << 10
	}
	entries, err := os.ReadDir(out)
	u.files = len(entries)
	return u, err
}
