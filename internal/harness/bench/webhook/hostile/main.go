// Command hostile measures webhooknorm on payloads that are made to be expensive, and
// prints time and memory as multiples of an ordinary payload of the same size:
//
//	go run ./webhook/hostile
//
// Each payload is read in turn with an ordinary one, call by call, and the medians are
// compared. The command fails if a multiple of time is above 3, except for payloads of as
// many events as fit: there the time goes into the events. Memory is what one call allocates
// altogether, which is at least its peak.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hailmark/hailmark/webhooknorm"
)

const size = 4 << 20

// A hostile payload has so many bytes that an ordinary one is cut to the same size.
type hostile struct {
	name  string
	text  []byte
	dense bool // as many events as fit
}

// list returns an array of elements that together fill the payload.
func list(bytes int, element func(i int) string) string {
	var b strings.Builder
	b.WriteByte('[')
	for i := 0; b.Len() < bytes; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(element(i))
	}
	b.WriteByte(']')
	return b.String()
}

func same(element string) func(int) string { return func(int) string { return element } }

func payloads() []hostile {
	name := strings.Repeat("n", 500)
	shared := "[" + strings.TrimSuffix(strings.Repeat(`{"wa_id":"491","profile":{"name":"`+name+`"}},`, 8), ",") + "]"
	message := `{"from":"491","id":"wamid.1","timestamp":"1","text":{"body":"` + strings.Repeat("x", 20) + `"}}`
	var names strings.Builder
	for i := range 300_000 {
		fmt.Fprintf(&names, `"n%d":%d,`, i, i%10)
	}
	deep := strings.Repeat("[", 120) + strings.Repeat("]", 120)
	return []hostile{
		{"8 contacts with one id", []byte(`{"contacts":` + shared + `,"messages":` + list(size, same(message)) + `}`), false},
		{"the same, 180,000 messages", []byte(`{"contacts":` + shared + `,"messages":` + list(size, same(`{"from":"491","id":"m"}`)) + `}`), true},
		{"the same without contacts", []byte(`{"messages":` + list(size, same(`{"from":"491","id":"m"}`)) + `}`), true},
		{"contacts with an id each", []byte(`{"contacts":` + list(size/2, func(i int) string { return fmt.Sprintf(`{"wa_id":%d,"profile":{"name":"%s"}}`, i, name[:30]) }) +
			`,"messages":` + list(size/2, same(message)) + `}`), false},
		{"300,000 names", []byte(`{"messages":[],` + names.String() + `"":0}`), false},
		{"deep nesting", []byte(`{"messages":[],"x":` + list(size, same(deep)) + `}`), false},
		{"escapes", []byte(`{"messages":[],"x":` + list(size, same(`"`+strings.Repeat(`\u00e9\n`, 50)+`"`)) + `}`), false},
		{"escapes that are read", []byte(`{"messages":` + list(size, same(`{"id":"`+strings.Repeat(`\u00e9\n`, 50)+`"}`)) + `}`), false},
		{"empty messages", []byte(`{"messages":` + list(size, same(`{}`)) + `}`), true},
	}
}

// ordinary returns a payload like those that arrive, of so many bytes or a few more.
func ordinary(bytes int) []byte {
	return []byte(`{"entry":[{"changes":` + list(bytes, func(i int) string {
		return fmt.Sprintf(`{"value":{"messaging_product":"whatsapp","metadata":{"display_phone_number":"15550783881","phone_number_id":"106540352242922"},`+
			`"contacts":[{"profile":{"name":"Ada Lovelace","username":"ada.l"},"wa_id":"4915100%06d","user_id":"DE.%016d"}],`+
			`"messages":[{"from":"4915100%06d","from_user_id":"DE.%016d","id":"wamid.HBgLNDkxNTEwMDAwMDAVAgASGBQz%06d","timestamp":"1763700000",`+
			`"text":{"body":"Gr\u00fc\u00dfe, and a line of text that is as long as people write."},"type":"text"}]},"field":"messages"}`, i, i, i, i, i)
	}) + `}]}`)
}

func main() {
	rounds := flag.Int("rounds", 15, "calls of each, the median of which counts")
	flag.Parse()
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "payload\tbytes\ttime of Normalize\tmemory of Normalize\ttime of Events\tmemory of Events\t")
	fail := false
	for _, h := range payloads() {
		plain := ordinary(len(h.text))
		var cells []string
		for _, read := range []func([]byte) error{normalize, events} {
			times := [2][]time.Duration{}
			for range *rounds {
				for i, text := range [][]byte{plain, h.text} {
					runtime.GC()
					start := time.Now()
					if err := read(text); err != nil {
						panic(h.name + ": " + err.Error())
					}
					times[i] = append(times[i], time.Since(start))
				}
			}
			ratio := float64(median(times[1])) / float64(median(times[0]))
			fail = fail || ratio > 3 && !h.dense
			cells = append(cells, fmt.Sprintf("%.2f", ratio), fmt.Sprintf("%.2f (%.1f times the payload)",
				float64(memory(read, h.text))/float64(memory(read, plain)), float64(memory(read, h.text))/float64(len(h.text))))
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t\n", h.name, len(h.text), strings.Join(cells, "\t"))
	}
	_ = w.Flush()
	if fail {
		fmt.Println("a multiple of time is above 3")
		os.Exit(1)
	}
}

func normalize(text []byte) error {
	_, err := webhooknorm.Normalize(text)
	return err
}

func events(text []byte) error {
	list, err := webhooknorm.Events(text)
	if err != nil {
		return err
	}
	for e := range list {
		_ = e
	}
	return nil
}

// memory returns how many bytes a call allocates.
func memory(read func([]byte) error, text []byte) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := read(text); err != nil {
		panic(err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}
