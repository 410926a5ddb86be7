package drivertest

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"github.com/hailmark/hailmark/internal/check/testenv"
)

// postgres is a package's server. The first test starts it.
var postgres struct {
	once   sync.Once
	folder string // with the socket and the data
	stop   func() error
	err    error
}

func dsn(server, database string) string {
	return fmt.Sprintf("host=%s user=postgres dbname=%s sslmode=disable", server, database)
}

// startServer returns the server's socket folder.
func startServer(t testing.TB) string {
	t.Helper()
	initdb := findInitdb()
	if initdb == "" {
		testenv.Missing(t, "initdb", "Debian package postgresql")
	}
	postgres.once.Do(func() { postgres.err = initServer(filepath.Dir(initdb)) })
	if postgres.err != nil {
		t.Fatal(postgres.err)
	}
	return postgres.folder
}

// initServer makes an empty database cluster and starts a server that only its socket
// leads to.
func initServer(bin string) (err error) {
	// A socket path is limited to 107 bytes, so it isn't in t.TempDir.
	if postgres.folder, err = os.MkdirTemp("/tmp", "pg"); err != nil {
		return err
	}
	credential, err := ordinaryUser(postgres.folder)
	if err != nil {
		return err
	}
	data := filepath.Join(postgres.folder, "data")
	run := func(name string, args ...string) error {
		c := exec.Command(filepath.Join(bin, name), append(args, "--pgdata="+data)...)
		c.Dir, c.SysProcAttr = postgres.folder, &syscall.SysProcAttr{Credential: credential}
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", name, err, out)
		}
		return nil
	}
	if err := run("initdb", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "--no-sync"); err != nil {
		return err
	}
	// The server can notice late that TestCrash has killed a process, so there is a connection for
	// each of its writers in 40 processes.
	options := "-c listen_addresses='' -c unix_socket_directories=" + postgres.folder + " -c max_connections=400 -c fsync=" + fsync()
	if err := run("pg_ctl", "--wait", "--log="+filepath.Join(postgres.folder, "log"), "--options="+options, "start"); err != nil {
		return err
	}
	postgres.stop = func() error { return run("pg_ctl", "--mode=immediate", "stop") }
	return nil
}

// stopServer ends the server and removes its files, if it was started.
func stopServer() (err error) {
	if postgres.stop != nil {
		err = postgres.stop()
	}
	if postgres.folder != "" {
		_ = os.RemoveAll(postgres.folder)
	}
	return err
}

// fsync is off for tests. Benchmarks set SQLSTORE_FSYNC=on to pay for durability.
func fsync() string {
	if mode := os.Getenv("SQLSTORE_FSYNC"); mode != "" {
		return mode
	}
	return "off"
}

// findInitdb returns the newest initdb's path, or "".
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
