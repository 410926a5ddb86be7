package receive

import (
	"errors"
	"log/slog"
	"sync"

	"github.com/hailmark/hailmark/webhooknorm"
)

// maxWaiting is how many webhooks may wait for the service.
const maxWaiting = 1000

// ErrFull is the error of a worker with maxWaiting webhooks.
var ErrFull = errors.New("too many webhooks are waiting")

// A Service handles what the webhooks report. It may keep what it gets.
type Service interface {
	// Changed is called for each change of ids, before the events of its webhook.
	Changed(webhooknorm.IdentityChange)

	// Happened is called once for each event.
	Happened(webhooknorm.Event)
}

// A Deduplicator remembers the keys of events. The platform delivers an event more
// than once, also after hours. Processes that share the work share a Deduplicator, such
// as a table with a unique key.
type Deduplicator interface {
	// Add remembers a key. It reports whether the key was new.
	Add(key string) (isNew bool, err error)
}

// A Worker passes webhooks to a service, one after the other, from one goroutine.
// Waiting webhooks are in memory and are lost if the process dies.
type Worker struct {
	seen    Deduplicator
	service Service
	waiting chan webhooknorm.Webhook
	done    chan struct{}

	mu     sync.RWMutex // held for writing by Close
	closed bool
}

// NewWorker starts a worker. Close ends it.
func NewWorker(seen Deduplicator, service Service) *Worker {
	w := &Worker{seen: seen, service: service, waiting: make(chan webhooknorm.Webhook, maxWaiting), done: make(chan struct{})}
	go w.run()
	return w
}

// HandOver is a [Config.HandOver]. It returns [ErrFull] instead of waiting.
func (w *Worker) HandOver(webhook webhooknorm.Webhook) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return errors.New("the worker is closed")
	}
	select {
	case w.waiting <- webhook:
		return nil
	default:
		return ErrFull
	}
}

// Close waits until the service has handled every accepted webhook.
func (w *Worker) Close() {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.waiting)
	}
	w.mu.Unlock()
	<-w.done
}

func (w *Worker) run() {
	defer close(w.done)
	for webhook := range w.waiting {
		for _, change := range webhook.Changes {
			w.service.Changed(change)
		}
		for _, event := range webhook.Events {
			if w.isNew(event) {
				w.service.Happened(event)
			}
		}
	}
}

// isNew reports whether an event is handled. Without a key it cannot be compared, and
// after an error it may be handled twice but is not lost.
func (w *Worker) isNew(event webhooknorm.Event) bool {
	key := event.Key()
	if key == "" {
		return true
	}
	isNew, err := w.seen.Add(key)
	if err != nil {
		slog.Error("the deduplicator fails, so an event may be handled twice", "error", err)
		return true
	}
	return isNew
}
