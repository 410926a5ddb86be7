// Package serve is the Hailmark server as a command. It runs the handler of package
// httpapi with flags, logs, metrics, TLS and a shutdown without lost requests.
package serve

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
)

// licenses are the licence texts of all linked modules.
//
//go:generate go test -run TestLicenses -update
//go:embed licenses.txt
var licenses string

// Main runs the command with its arguments and returns the exit status. The help calls
// the command by name, which may be several words.
func Main(name string, args []string) int {
	var command string
	if len(args) > 0 && (args[0] == "healthcheck" || args[0] == "licenses") {
		command, args = args[0], args[1:]
	}
	opts, err := parseOptions(name, args, os.Environ())
	switch {
	case errors.Is(err, flag.ErrHelp):
		printHelp(name, os.Stdout)
		return 0
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return 2
	case opts.version:
		fmt.Println(readBuild())
		return 0
	case command == "licenses":
		fmt.Print(licenses)
		return 0
	case command == "healthcheck":
		err = checkReady(opts.adminAddr)
	default:
		err = run(opts)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// run serves until a signal ends it.
func run(opts options) error {
	// The live heap is so small that by default it would be collected dozens of times a
	// second under load. It may grow to five times its size, up to a soft limit.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(160 << 20)
	}
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE) // SIGPIPE: the reader of the log is gone
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	context.AfterFunc(ctx, stop) // the second signal ends the process

	logs := newLogBuffer(os.Stderr)
	defer logs.close()
	logger := newLogger(logs, opts.logFormat)
	for _, warning := range opts.warnings {
		logger.Warn(warning)
	}
	return serve(ctx, opts, logger, newMetrics(logs))
}

// A build names the source and the compiler of the binary.
type build struct{ version, revision, goVersion string }

func readBuild() (b build) {
	if info, ok := debug.ReadBuildInfo(); ok {
		b.version, b.goVersion = info.Main.Version, info.GoVersion
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				b.revision = s.Value
			}
		}
	}
	b.version = cmp.Or(b.version, "unknown")
	return b
}

func (b build) String() string {
	return strings.Join(strings.Fields("hailmark "+b.version+" "+b.revision+" "+b.goVersion), " ")
}
