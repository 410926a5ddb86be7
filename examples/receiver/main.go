// Command receiver is a complete receiver of WhatsApp webhooks. It answers the
// platform's check of its address, verifies signatures, reads every kind of webhook,
// drops what was delivered before, and hands the rest to a callback, which here prints
// one line for each event.
//
//	APP_SECRET=… VERIFY_TOKEN=… receiver -addr localhost:8081
//
// APP_SECRET may be two secrets with a comma between them while one replaces the other.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/hailmark/hailmark/webhooknorm"
)

func main() {
	addr := flag.String("addr", "localhost:8081", "address to listen on")
	flag.Parse()
	if err := run(*addr, os.Getenv("APP_SECRET"), os.Getenv("VERIFY_TOKEN")); err != nil {
		slog.Error("receiver", "error", err)
		os.Exit(1)
	}
}

func run(addr, appSecrets, token string) error {
	if appSecrets == "" || token == "" {
		return errors.New("APP_SECRET and VERIFY_TOKEN must be set")
	}
	var secrets [][]byte
	for secret := range strings.SplitSeq(appSecrets, ",") {
		secrets = append(secrets, []byte(secret))
	}
	r := newReceiver(secrets, token, printer{os.Stdout})

	mux := http.NewServeMux()
	mux.Handle("/webhook", r)
	server := http.Server{Addr: addr, Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		<-ctx.Done()
		drain, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = server.Shutdown(drain)
	}()
	err := server.ListenAndServe()
	stop()
	r.close() // what has been answered with 200 is handled before the end
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// A printer is the callback: the place where a service looks people up and replies.
type printer struct{ out io.Writer }

func (p printer) changed(c webhooknorm.IdentityChange) {
	fmt.Fprintf(p.out, "change %+v -> %+v\n", c.Previous, c.Current)
}

func (p printer) happened(e webhooknorm.Event) {
	reply, _ := e.Address()
	fmt.Fprintf(p.out, "%s %s of %q, reply: %q %q\n", e.Kind, e.State, e.Label(), reply.Field, reply.Value)
}
