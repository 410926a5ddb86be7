// Command server serves the Hailmark HTTP API and its short links.
//
//	server -addr :8080 -base-url https://hi.example.com
//
// Every flag but -version has a twin in the environment: -base-url is
// HAILMARK_BASE_URL. A flag wins over its twin.
//
// On SIGTERM or SIGINT it says that it is not ready, goes on for -drain-delay, takes no
// more connections, answers the requests that it has, and exits; a second signal ends
// it at once.
//
//	server healthcheck -admin-addr localhost:9090
//
// asks a running server whether it is ready, and exits with 0 if so.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	context.AfterFunc(ctx, stop) // so that the second signal is not caught
	os.Exit(run(ctx, os.Args[1:], os.LookupEnv, os.Stdout, os.Stderr))
}

// run is main with what it reads and writes passed in. It returns the exit status.
func run(ctx context.Context, args []string, env lookupEnv, stdout, stderr io.Writer) int {
	healthcheck := len(args) > 0 && args[0] == "healthcheck"
	if healthcheck {
		args = args[1:]
	}
	opts, err := parseOptions(args, env, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, err)
		return 2
	case opts.version:
		fmt.Fprintln(stdout, readBuild())
		return 0
	case healthcheck:
		if err := askReady(ctx, opts.adminAddr); err != nil {
			fmt.Fprintln(stderr, err)
			return 1
		}
		return 0
	}
	logger := newLogger(stderr, opts.logFormat)
	if err := serve(ctx, opts, logger); err != nil {
		logger.Error("stopped", "cause", err)
		return 1
	}
	return 0
}

// A build is what the binary was built from.
type build struct{ version, revision, goVersion string }

func readBuild() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return build{version: "unknown"}
	}
	b := build{version: cmp.Or(info.Main.Version, "unknown"), goVersion: info.GoVersion}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			b.revision = s.Value
		}
	}
	return b
}

func (b build) String() string {
	s := "hailmark " + b.version
	for _, more := range []string{b.revision, b.goVersion} {
		if more != "" {
			s += " " + more
		}
	}
	return s
}
