// Command receiver is a complete receiver of WhatsApp webhooks. It prints one line for
// each event. Package receive does the work; a service of your own replaces the
// printer.
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
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/hailmark/hailmark/examples/receiver/receive"
	"github.com/hailmark/hailmark/webhooknorm"
)

// remembered is how many events are known when they are delivered again.
const remembered = 100_000

func main() {
	addr := flag.String("addr", "localhost:8081", "listen on this `address`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *addr, os.Getenv("APP_SECRET"), os.Getenv("VERIFY_TOKEN"), os.Stdout); err != nil {
		slog.Error("receiver", "error", err)
		os.Exit(1)
	}
}

// run receives webhooks until ctx ends. Before it returns, the service has handled every
// webhook that got status 200.
func run(ctx context.Context, addr, appSecrets, token string, out io.Writer) error {
	secrets, token := split(appSecrets), strings.TrimSpace(token)
	if len(secrets) == 0 || token == "" {
		return errors.New("APP_SECRET and VERIFY_TOKEN must be set")
	}
	worker := receive.NewWorker(receive.NewMemory(remembered), printer{out})
	defer worker.Close()
	mux := http.NewServeMux()
	mux.Handle("/webhook", receive.NewHandler(receive.Config{Secrets: secrets, VerifyToken: token, HandOver: worker.HandOver}))
	server := http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 90 * time.Second}

	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	slog.Info("listening", "url", "http://"+listener.Addr().String()+"/webhook")
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return server.Shutdown(drain) // waits for the requests that have begun
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

// A printer is a service that prints. A real one looks people up and replies.
type printer struct{ out io.Writer }

func (p printer) Changed(c webhooknorm.IdentityChange) {
	fmt.Fprintf(p.out, "change %+v -> %+v\n", c.Previous, c.Current)
}

func (p printer) Happened(e webhooknorm.Event) {
	reply, _ := e.Address()
	fmt.Fprintf(p.out, "%s of %q, reply: %q %q\n", e.Kind, e.Label(), reply.Field, reply.Value)
}
