package drivertest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/contact/identity/internal/streams"
)

// The variables that make a test binary a writer process.
const (
	writerDSN   = "SQLSTORE_WRITER_DSN"
	writerPhase = "SQLSTORE_WRITER_PHASE"
)

const (
	writers = 8 // in each of two processes
	phases  = 4
)

// crashFacts returns a phase's facts, which also concern people in earlier phases.
func crashFacts(phase int) []identity.Fact {
	return streams.Facts(uint64(1000+phase), identity.Scope{}, 30)
}

// writeFacts observes a phase's facts with several writers, each in an order of
// its own.
func (d Driver) writeFacts(dsn, phase string) error {
	var n int
	if _, err := fmt.Sscan(phase, &n); err != nil {
		return err
	}
	store, closeStore, err := d.openStore(dsn)
	if err != nil {
		return err
	}
	defer closeStore()
	e := identity.NewEngine(store, identity.Config{})
	errs := make([]error, writers)
	var done sync.WaitGroup
	for i := range errs {
		done.Go(func() {
			facts := crashFacts(n)
			rand.Shuffle(len(facts), func(i, j int) { facts[i], facts[j] = facts[j], facts[i] })
			for len(facts) > 0 && errs[i] == nil {
				n := min(1+rand.IntN(3), len(facts))
				_, _, errs[i] = e.Observe(context.Background(), facts[:n]...)
				facts = facts[n:]
			}
		})
	}
	done.Wait()
	return errors.Join(errs...)
}

// TestCrash lets two processes with 8 writers each observe facts about the same people,
// kills them at random times and starts them again. No fact may be lost, and no error
// may come out of a writer. The package must call Main.
func (d Driver) TestCrash(t *testing.T) {
	dsn := d.NewDatabase(t)
	store, closeStore, err := d.openStore(dsn)
	require.NoError(t, err)
	defer closeStore()
	require.NoError(t, store.Migrate(context.Background()))
	start := func(phase int) (*exec.Cmd, *strings.Builder) {
		out := new(strings.Builder)
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), writerDSN+"="+dsn, fmt.Sprint(writerPhase, "=", phase))
		c.Stdout, c.Stderr = out, out
		require.NoError(t, c.Start())
		return c, out
	}
	var facts []identity.Fact
	killed := 0
	for phase := range phases {
		var processes sync.WaitGroup
		var mu sync.Mutex
		for range 2 {
			processes.Go(func() {
				for range 4 {
					c, out := start(phase)
					timer := time.AfterFunc(time.Duration(rand.IntN(400))*time.Millisecond, func() { _ = c.Process.Kill() })
					if err := c.Wait(); err != nil {
						if c.ProcessState.Exited() {
							t.Errorf("a writer failed: %v\n%s", err, out)
						}
						mu.Lock()
						killed++
						mu.Unlock()
					}
					timer.Stop()
				}
			})
		}
		processes.Wait()
		c, out := start(phase) // to the end
		d, more := start(phase)
		require.NoError(t, c.Wait(), out)
		require.NoError(t, d.Wait(), more)
		facts = append(facts, crashFacts(phase)...)
		streams.Expect(t, store, facts)
	}
	t.Logf("%d of %d processes were killed", killed, 8*phases)
	require.NotZero(t, killed)
}
