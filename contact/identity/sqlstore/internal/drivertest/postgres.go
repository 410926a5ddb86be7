package drivertest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// server is the folder of the socket of the running server, or "".
var server string

func dsn(database string) string {
	return fmt.Sprintf("host=%s user=postgres dbname=%s sslmode=disable", server, database)
}

// startServer starts a Postgres server that only its socket leads to, and returns how
// to stop it. Without an installation of Postgres it does nothing.
func startServer() (stop func(), err error) {
	initdb := findInitdb()
	if initdb == "" {
		if os.Getenv("HAILMARK_REQUIRE_TOOLS") == "1" {
			return nil, errors.New("initdb is missing (Debian package postgresql), and HAILMARK_REQUIRE_TOOLS=1 wants it")
		}
		return func() {}, nil
	}
	// The path of a socket has at most 107 bytes, so it is not in t.TempDir.
	folder, err := os.MkdirTemp("/tmp", "pg")
	if err != nil {
		return nil, err
	}
	removeFolder := func() { _ = os.RemoveAll(folder) }
	credential, err := ordinaryUser(folder)
	if err != nil {
		removeFolder()
		return nil, err
	}
	command := func(name string, args ...string) *exec.Cmd {
		c := exec.Command(filepath.Join(filepath.Dir(initdb), name), args...)
		c.Dir, c.SysProcAttr = folder, &syscall.SysProcAttr{Credential: credential}
		return c
	}
	data := filepath.Join(folder, "data")
	out, err := command("initdb", "--pgdata="+data, "--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "--no-sync").CombinedOutput()
	if err != nil {
		removeFolder()
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	options := "-c listen_addresses='' -c unix_socket_directories=" + folder + " -c max_connections=60 -c fsync=" + fsync()
	out, err = command("pg_ctl", "--pgdata="+data, "--wait", "--log="+filepath.Join(folder, "log"), "--options="+options, "start").CombinedOutput()
	if err != nil {
		removeFolder()
		return nil, fmt.Errorf("pg_ctl start: %w\n%s", err, out)
	}
	server = folder
	return func() {
		if out, err := command("pg_ctl", "--pgdata="+data, "--mode=immediate", "stop").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "pg_ctl stop: %v\n%s", err, out)
		}
		removeFolder()
	}, nil
}

// fsync is off for tests. Benchmarks set SQLSTORE_FSYNC=on to pay for durability.
func fsync() string {
	if mode := os.Getenv("SQLSTORE_FSYNC"); mode != "" {
		return mode
	}
	return "off"
}

// findInitdb returns the path of the newest initdb, or "".
func findInitdb() string {
	if path, err := exec.LookPath("initdb"); err == nil {
		return path
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // as Debian installs it
	if len(found) == 0 {
		return ""
	}
	return slices.Max(found)
}

// ordinaryUser returns the user that runs the server, and gives them the folder. Postgres
// refuses to run as root.
func ordinaryUser(folder string) (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(nobody.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(nobody.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, os.Chown(folder, int(uid), int(gid))
}
