// Command webhook compares webhooknorm with what general JSON libraries need to get
// the same events out of the same payloads, in one run, and prints a table of ratios:
//
//	go run ./webhook
//
// Every figure is the median of several rounds on one thread, in processor time, garbage
// collection included; in a round each library has its turn, so that a busy machine slows
// all of them. The command fails if webhooknorm falls behind what is claimed here. It
// asks the system for processor time and so runs on Unix only.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"
)

// A payload is a webhook with a number of messages.
type payload struct {
	name     string
	messages int
	text     []byte
}

var payloads = []payload{
	{"1 message", 1, batch(1, 1)},
	{"100 messages", 100, batch(100, 2)},
	{"1,000 messages", 1000, batch(1000, 9)},
}

// batch returns a payload of n changes with one message each. Texts are of so many
// sentences.
func batch(n, sentences int) []byte {
	body := strings.Repeat(`Gr\u00fc\u00dfe aus K\u00f6ln, wie geht es? \ud83d\ude00 Ich habe noch eine Frage zu meiner Bestellung. `, sentences)
	b := []byte(`{"object":"whatsapp_business_account","entry":[{"id":"102290129340398","changes":[`)
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"value":{"messaging_product":"whatsapp",`+
			`"metadata":{"display_phone_number":"15550783881","phone_number_id":"106540352242922"},`+
			`"contacts":[{"profile":{"name":"Ada Lovelace","username":"ada.l"},"wa_id":"4915100%06d","user_id":"DE.%016d"}],`+
			`"messages":[{"from":"4915100%06d","from_user_id":"DE.%016d","id":"wamid.HBgLNDkxNTEwMDAwMDAVAgASGBQz%06d",`+
			`"timestamp":"1763700000","context":{"from":"15550783881","id":"wamid.HBgLMTY1MDM4Nzk0MzkVAgARGA=="},`+
			`"text":{"body":"%s"},"type":"text"}]},"field":"messages"}`, i, i, i, i, i, body)
	}
	return append(b, `]}]}`...)
}

// A claim is how many times as fast as a peer webhooknorm is at the least, for each
// of the payloads.
type claim [3]float64

func main() {
	rounds := flag.Int("rounds", 21, "rounds of which the median is taken")
	turn := flag.Duration("turn", 10*time.Millisecond, "length of a library's turn in a round")
	flag.Parse()
	runtime.GOMAXPROCS(1)

	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fail := false
	for i, p := range payloads {
		checkPeers(p)
		times := measure(p.text, *rounds, *turn)
		fmt.Fprintf(w, "%s, %d bytes\ttime\tMB/s\tallocations\ttimes webhooknorm\tclaim\t\n", p.name, len(p.text))
		for j, peer := range peers {
			median := times[j]
			ratio := float64(median) / float64(times[0])
			verdict := ""
			if c := peer.claim[i]; c > 0 {
				if verdict = fmt.Sprintf("≥ %.2f", c); ratio < c {
					verdict += " MISSED"
					fail = true
				}
			}
			allocs := testing.AllocsPerRun(3, func() { peer.read(p.text) })
			fmt.Fprintf(w, "%s\t%v\t%.0f\t%.0f\t%.2f\t%s\t\n", peer.name, median, float64(len(p.text))/median.Seconds()/1e6, allocs, ratio, verdict)
		}
		fmt.Fprintln(w, "\t\t\t\t\t\t")
	}
	_ = w.Flush()
	if fail {
		os.Exit(1)
	}
}

// checkPeers sees to it that all who return events return the same.
func checkPeers(p payload) {
	want := peers[0].read(p.text)
	if len(want) != p.messages {
		panic("events are missing")
	}
	for _, peer := range peers {
		if got := peer.read(p.text); got != nil && !slices.EqualFunc(got, want, sameEvent) {
			panic(peer.name + " returns other events")
		}
	}
}

// processorTime returns how long this process has run so far.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// measure returns the median time of each peer.
func measure(text []byte, rounds int, turn time.Duration) []time.Duration {
	atOnce := 1 + 50_000/len(text) // so that asking for the time costs nothing
	times := make([][]time.Duration, len(peers))
	for range rounds {
		for _, j := range rand.Perm(len(peers)) { // nobody always follows the same other
			peer := peers[j]
			runtime.GC()
			peer.read(text) // which finds the caches cold and the heap unswept
			n, start := 0, processorTime()
			for ; processorTime()-start < turn || n < 3; n++ {
				for range atOnce {
					peer.read(text)
				}
			}
			times[j] = append(times[j], (processorTime()-start)/time.Duration(n*atOnce))
		}
	}
	medians := make([]time.Duration, len(peers))
	for j, all := range times {
		slices.Sort(all)
		medians[j] = all[len(all)/2]
	}
	return medians
}
