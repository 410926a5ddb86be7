package outfile

import (
	"os"
	"os/signal"
	"syscall"
)

// RemoveOnSignal removes the outputs if a signal or closed pipe ends the program. Functions that
// create files call it.
func (f *Files) RemoveOnSignal() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.signals != nil {
		return
	}
	signals := make(chan os.Signal, 1)
	f.signals = signals
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP, syscall.SIGPIPE} {
		if !signal.Ignored(s) { // for example, nohup ignores SIGHUP
			signal.Notify(signals, s)
		}
	}
	go func() {
		if s, signaled := <-signals; signaled {
			f.end(s)
		}
	}()
}

// ignoreSignals undoes RemoveOnSignal.
func (f *Files) ignoreSignals() {
	if f.signals != nil {
		signal.Stop(f.signals)
		close(f.signals)
		f.signals = nil
	}
}

// end ends the program after a signal, unless the outputs are complete or removed already: the program
// is then about to end with its own status.
func (f *Files) end(s os.Signal) {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return
	}
	f.signals = nil
	_ = f.remove()
	if f.Exit != nil { // with the lock held, so that no more files are created
		f.Exit(s)
	}
	os.Exit(1)
}
