package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// mix is a wrk script that sends all kinds of valid and invalid requests in turn.
const mix = `
local json = {["Content-Type"] = "application/json"}
local webhook = '{"entry":[{"changes":[{"value":{"messages":[{"from_user_id":"US.1","id":"wamid.1","text":{"body":"hi"}}]}}]}]}'
local requests = {}
init = function()
	for _, path in ipairs({"validate/username?username=jane.doe", "username-link?username=jane.doe&text=Hi%20there", "phone-link?phone=16505551234",
		"qr?username=jane.doe", "qr?username=jane.doe&format=svg", "validate/username?username=@", "qr?username=jane;", "nothing"}) do
		table.insert(requests, wrk.format("GET", "/api/v1/" .. path))
	end
	table.insert(requests, wrk.format("POST", "/api/v1/business/webhook/normalize", json, webhook))
	table.insert(requests, wrk.format("POST", "/api/v1/business/bsuid/parse", json, '{"bsuid":"US.1"}'))
	table.insert(requests, wrk.format("GET", "/jane.doe"))
end
local n = 0
request = function()
	n = n % #requests + 1
	return requests[n]
end
`

// soak keeps a server at full load and prints its memory and goroutines.
func soak(server, dir string, length time.Duration) {
	addr, admin := freeAddr(), freeAddr()
	script := filepath.Join(dir, "mix.lua")
	check(os.WriteFile(script, []byte(mix), 0o600))
	stop := serve("0", server, append([]string{"--addr", addr, "--admin-addr", admin}, unlimited...)...)
	defer stop()
	waitFor("http://" + addr + "/jane")

	load := wrk(int(length.Seconds()), "-s", script, "http://"+addr)
	load.Stdout = os.Stdout
	check(load.Start())
	done := make(chan error, 1)
	go func() { done <- load.Wait() }()
	fmt.Printf("%8s %14s %12s\n", "minutes", "resident, MB", "goroutines")
	began := time.Now()
	tick := time.NewTicker(length / 20)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			metrics := read("http://" + admin + "/metrics")
			fmt.Printf("%8.1f %14.1f %12.0f\n", time.Since(began).Minutes(), metric(metrics, "process_resident_memory_bytes")/1e6, metric(metrics, "go_goroutines"))
		case err := <-done:
			check(err)
			return
		}
	}
}

func read(url string) string {
	res, err := http.Get(url)
	check(err)
	text, err := io.ReadAll(res.Body)
	check(err)
	check(res.Body.Close())
	return string(text)
}

func metric(text, name string) float64 {
	m := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindStringSubmatch(text)
	if m == nil {
		log.Fatalf("no metric %s", name)
	}
	value, err := strconv.ParseFloat(m[1], 64)
	check(err)
	return value
}
