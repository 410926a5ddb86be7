package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/hailmark/hailmark/internal/check/harness/bench/paired"
)

// manyClients sends each request from one of 65,536 client addresses.
const manyClients = `
local n = 0
function request()
	n = (n * 75 + 74) % 65537
	return wrk.format(nil, nil, {["X-Forwarded-For"] = "10.1." .. math.floor(n / 256) % 256 .. "." .. n % 256})
end
`

// compareRedis prints the server's rates and processor time per request with counters in
// memory and in a redis-server on wrk's processor.
func compareRedis(server, dir string, rounds, seconds int) {
	script := filepath.Join(dir, "clients.lua")
	check(os.WriteFile(script, []byte(manyClients), 0o600))
	addr := freeAddr()
	_, port, err := net.SplitHostPort(addr)
	check(err)
	defer serve("1", "redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", dir)()
	waitForListener(addr)

	cases := []contestant{
		{name: "one client", args: unlimited},
		{name: "many clients", args: append([]string{"--trusted-proxies", "127.0.0.1"}, unlimited...), script: script},
		{name: "one client above its limit", args: []string{"--json-limit", "60"}, spent: true},
	}
	fmt.Printf("%-28s %26s    %26s\n", "", "requests/s", "server's processor, µs")
	fmt.Printf("%-28s %9s %9s %6s    %9s %9s %6s\n", "counters in", "memory", "Redis", "ratio", "memory", "Redis", "ratio")
	for _, memory := range cases {
		memory.path = validate
		shared := memory
		// Otherwise, the server falls back to memory on a busy machine.
		shared.args = append([]string{"--redis-url", "redis://" + addr + "?read_timeout=5s"}, memory.args...)
		var rates, costs []float64
		for i := range rounds {
			memory.turn(server, seconds)
			shared.turn(server, seconds)
			rates = append(rates, shared.rates[i]/memory.rates[i])
			costs = append(costs, memory.costs[i]/shared.costs[i])
		}
		fmt.Printf("%-28s %9.0f %9.0f %5.0f%%    %9.1f %9.1f %5.0f%%\n", memory.name,
			paired.Median(memory.rates), paired.Median(shared.rates), 100*paired.Median(rates), paired.Median(memory.costs), paired.Median(shared.costs), 100*paired.Median(costs))
	}
}

// waitForListener waits until a server accepts connections.
func waitForListener(addr string) {
	for range 100 {
		if conn, err := net.Dial("tcp", addr); err == nil {
			check(conn.Close())
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	panic("no listener at " + addr)
}
