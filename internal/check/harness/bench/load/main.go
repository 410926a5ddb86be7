// Command load compares the server's requests per second with a bare net/http handler that
// writes constant JSON. The servers alternate on one processor while wrk uses another, and
// the command prints medians. Processor time per request varies less on a busy machine.
//
//	go run ./internal/check/harness/bench/load
//	go run ./internal/check/harness/bench/load --redis
//	go run ./internal/check/harness/bench/load --soak 10m
//
// The second command compares counters in Redis and in memory; redis-server shares wrk's
// processor. The third command keeps one server at full load and prints its memory.
//
// It requires wrk, taskset and two idle processors. You should compare ratios only, because
// rates differ between machines and between minutes.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/hailmark/hailmark/internal/check/harness/bench/paired"
)

// A contestant is a server and a path to request.
type contestant struct {
	name   string
	args   []string // flags of the server, or nil for the bare handler
	path   string
	script string // for wrk, if not empty
	spent  bool   // most responses have status 429
	rates  []float64
	costs  []float64 // the server's processor time per request, in microseconds
}

const validate = "/api/v1/validate/username?username=jane.doe"

var unlimited = []string{"--json-limit", "16777215", "--qr-limit", "16777215"}

func main() {
	bare := flag.String("bare", "", "be the bare handler, on this address")
	inRedis := flag.Bool("redis", false, "compare counters in Redis with counters in memory")
	rounds := flag.Int("rounds", 5, "how often each takes its turn")
	seconds := flag.Int("seconds", 5, "how long a turn is")
	soakFor := flag.Duration("soak", 0, "soak for this long instead")
	flag.Parse()
	if *bare != "" {
		log.Fatal(serveBare(*bare))
	}

	dir, err := os.MkdirTemp("", "load")
	check(err)
	defer func() { _ = os.RemoveAll(dir) }()
	server := filepath.Join(dir, "server")
	output, err := exec.Command("go", "build", "-trimpath", "-o", server, "github.com/hailmark/hailmark/cmd/server").CombinedOutput()
	if err != nil {
		log.Fatalf("%v\n%s", err, output)
	}
	if *soakFor > 0 {
		soak(server, dir, *soakFor)
		return
	}
	if *inRedis {
		compareRedis(server, dir, *rounds, *seconds)
		return
	}
	contestants := []*contestant{
		{name: "bare handler, constant JSON", path: validate},
		{name: "validate/username", args: unlimited, path: validate},
		{name: "validate/username, metrics", args: append([]string{"--admin-addr", "127.0.0.1:0"}, unlimited...), path: validate},
		{name: "validate/username, metrics, access log", args: append([]string{"--admin-addr", "127.0.0.1:0", "--access-log"}, unlimited...), path: validate},
		{name: "username-link with a text", args: unlimited, path: "/api/v1/username-link?username=jane.doe&text=Hi%20there"},
		{name: "qr, PNG of 512", args: unlimited, path: "/api/v1/qr?username=jane.doe"},
	}
	for range *rounds {
		for _, c := range contestants {
			c.turn(server, *seconds)
		}
	}
	bareRate, bareCost := paired.Median(contestants[0].rates), paired.Median(contestants[0].costs)
	fmt.Printf("%-42s %12s %8s %16s %8s\n", "", "requests/s", "of bare", "processor, µs", "of bare")
	for _, c := range contestants {
		rate, cost := paired.Median(c.rates), paired.Median(c.costs)
		fmt.Printf("%-42s %12.0f %7.0f%% %16.1f %7.0f%%\n", c.name, rate, 100*rate/bareRate, cost, 100*bareCost/cost)
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func serveBare(addr string) error {
	handler := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "{\"valid\":true,\"errors\":[]}\n")
	}
	return (&http.Server{Addr: addr, Handler: http.HandlerFunc(handler), ReadHeaderTimeout: 5 * time.Second}).ListenAndServe()
}

var result = regexp.MustCompile(`(?s)([0-9]+) requests in .*Requests/sec:\s+([0-9.]+)`)

// turn runs the contestant on the first processor and wrk on the second.
func (c *contestant) turn(server string, seconds int) {
	addr := freeAddr()
	program, args := server, append([]string{"--addr", addr}, c.args...)
	if c.args == nil {
		self, err := os.Executable()
		check(err)
		program, args = self, []string{"--bare", addr}
	}
	stop := serve("0", program, args...)
	url := "http://" + addr + c.path
	waitFor(url)
	wrkArgs := []string{url}
	if c.script != "" {
		wrkArgs = []string{"-s", c.script, url}
	}
	output, err := wrk(seconds, wrkArgs...).CombinedOutput()
	if err != nil {
		log.Fatalf("wrk: %v\n%s", err, output)
	}
	if !c.spent && strings.Contains(string(output), "Non-2xx") {
		log.Fatalf("%s responds with another status than 200\n%s", c.name, output)
	}
	m := result.FindSubmatch(output)
	requests, err := strconv.ParseFloat(string(m[1]), 64)
	check(err)
	perSecond, err := strconv.ParseFloat(string(m[2]), 64)
	check(err)
	state, logged := stop()
	if strings.Contains(logged, "counts requests alone") {
		log.Fatalf("%s counted in memory:\n%s", c.name, logged)
	}
	c.rates = append(c.rates, perSecond)
	c.costs = append(c.costs, float64((state.UserTime()+state.SystemTime()).Microseconds())/requests)
}

// serve starts a server on one processor. The returned function ends it and returns its
// processor time and the beginning of its log.
func serve(processor, program string, args ...string) (stop func() (*os.ProcessState, string)) {
	cmd := exec.Command("taskset", append([]string{"-c", processor, program}, args...)...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	log, err := os.CreateTemp("", "load") // a pipe's reader would use the server's processor too
	check(err)
	cmd.Stderr = log
	check(cmd.Start())
	return func() (*os.ProcessState, string) {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		logged := make([]byte, 64<<10) // the access log would be long
		n, _ := log.ReadAt(logged, 0)
		check(log.Close())
		check(os.Remove(log.Name()))
		return cmd.ProcessState, string(logged[:n])
	}
}

// wrk creates full load on the second processor for the given number of seconds.
func wrk(seconds int, args ...string) *exec.Cmd {
	return exec.Command("taskset", append([]string{"-c", "1", "wrk", "-t1", "-c64", "-d" + strconv.Itoa(seconds) + "s"}, args...)...)
}

func freeAddr() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	defer func() { check(l.Close()) }()
	return l.Addr().String()
}

// waitFor waits until the server responds.
func waitFor(url string) {
	for range 100 {
		if res, err := http.DefaultTransport.RoundTrip(must(http.NewRequest(http.MethodGet, url, nil))); err == nil {
			check(res.Body.Close())
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	log.Fatalf("no response from %s", url)
}

func must[T any](v T, err error) T {
	check(err)
	return v
}
