// Command receiver is a complete receiver of WhatsApp webhooks. It stores messages and
// the people who sent them in a SQLite file, and prints one line for each new message.
//
//	APP_SECRET=… VERIFY_TOKEN=… receiver -addr localhost:8081 -db people.db
//	receiver -db people.db -contacts
//
// The second form prints the contacts: one line for each person, also while the first
// one runs. APP_SECRET may be two secrets with a comma between them while one replaces
// the other.
//
// A webhook is acknowledged when its transaction is on the disk. If the process dies
// before, the platform sends the webhook again; if it dies after, the repetition changes
// nothing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/httpapi/bound"
	"github.com/hailmark/hailmark/webhooknorm"
	"github.com/hailmark/hailmark/webhooknorm/webhookhttp"
)

// A config is what the flags and the environment set.
type config struct {
	addr, file  string
	secrets     [][]byte
	verifyToken string
	portfolios  map[string]string // by phone number ID
	now         func() time.Time  // nil means time.Now; for tests
}

func main() {
	c := config{portfolios: map[string]string{}}
	flag.StringVar(&c.addr, "addr", "localhost:8081", "listen on this `address`")
	flag.StringVar(&c.file, "db", "people.db", "keep messages and people in this SQLite `file`")
	flag.Func("portfolio", "the portfolio of a business number, as `phone-number-id=name`; needed if there are several; may be repeated", c.addPortfolio)
	list := flag.Bool("contacts", false, "print the contacts and exit")
	flag.Parse()
	c.secrets, c.verifyToken = split(os.Getenv("APP_SECRET")), strings.TrimSpace(os.Getenv("VERIFY_TOKEN"))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	run := c.serve
	if *list {
		run = c.list
	}
	if err := run(ctx, os.Stdout); err != nil {
		slog.Error("receiver", "error", err)
		os.Exit(1)
	}
}

// list prints the contacts.
func (c config) list(ctx context.Context, out io.Writer) error {
	if _, err := os.Stat(c.file); err != nil {
		return err // opening it would create it
	}
	b, err := openInbox(ctx, c.file, identity.Config{Scope: c.scope})
	if err != nil {
		return err
	}
	defer b.close()
	return b.contacts(ctx, out)
}

// serve receives webhooks until ctx ends. Before it returns, every webhook that got
// status 200 is stored.
func (c config) serve(ctx context.Context, out io.Writer) error {
	if len(c.secrets) == 0 || c.verifyToken == "" {
		return errors.New("APP_SECRET or VERIFY_TOKEN is missing; set both in the environment")
	}
	b, err := openInbox(ctx, c.file, identity.Config{Scope: c.scope})
	if err != nil {
		return err
	}
	defer b.close()
	if c.now != nil {
		b.now = c.now
	}
	b.stored = func(e webhooknorm.Event) { report(out, e) }
	handler, err := webhookhttp.New(webhookhttp.Config{
		AppSecrets:  c.secrets,
		VerifyToken: c.verifyToken,
		Receive:     b.receive,
		OnError:     func(err error) { slog.Warn("webhook not stored", "error", err) },
	})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/webhook", handler)
	server := http.Server{
		Handler: mux, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: 90 * time.Second, MaxHeaderBytes: 64 << 10,
	}

	listener, err := net.Listen("tcp", c.addr)
	if err != nil {
		return err
	}
	slog.Info("listening", "url", "http://"+listener.Addr().String()+"/webhook")
	guarded := bound.Listen(&server, listener, bound.Limits{Connections: 1000})
	served := make(chan error, 1)
	go func() { served <- server.Serve(guarded) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return server.Shutdown(drain) // waits for the requests that have begun
}

// scope returns where the ids in the webhooks of a business number are valid.
func (c config) scope(phoneNumberID string) identity.Scope {
	return identity.Scope{Portfolio: c.portfolios[phoneNumberID]}
}

func (c config) addPortfolio(text string) error {
	number, name, ok := strings.Cut(text, "=")
	if !ok || number == "" || name == "" {
		return errors.New("must have the form phone-number-id=name")
	}
	c.portfolios[number] = name
	return nil
}

// report prints a line about a message. A real service would reply.
func report(out io.Writer, e webhooknorm.Event) {
	reply, _ := e.Address()
	fmt.Fprintf(out, "%s of %q, reply: %q %q\n", e.Kind, e.Label(), reply.Field, reply.Value)
}

// split returns the secrets of a list without the spaces and line ends around them.
func split(list string) (secrets [][]byte) {
	for secret := range strings.SplitSeq(list, ",") {
		if secret = strings.TrimSpace(secret); secret != "" {
			secrets = append(secrets, []byte(secret))
		}
	}
	return secrets
}
