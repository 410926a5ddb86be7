// Command short is a receiver of WhatsApp webhooks that finds contacts by the shortest rules that work,
// without package identity. Copy contacts.go if you need no more: see docs/identity.md.
//
//	APP_SECRET=… VERIFY_TOKEN=… short
//
// It stores messages and contacts in the SQLite file contacts.db, and listens on localhost:8081.
package main

import (
	"context"
	"database/sql"
	"log/slog"
	"net/http"
	"os"
	"time"

	_ "modernc.org/sqlite" // the driver named sqlite

	"github.com/hailmark/hailmark/webhooknorm/webhookhttp"
)

func main() {
	ctx := context.Background()
	in, err := open(ctx, "contacts.db")
	if err == nil {
		err = in.serve(os.Getenv("APP_SECRET"), os.Getenv("VERIFY_TOKEN"))
	}
	slog.Error("short", "error", err)
	os.Exit(1)
}

func open(ctx context.Context, file string) (inbox, error) {
	db, err := sql.Open("sqlite", "file:"+file+"?_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=busy_timeout(5000)&_pragma=synchronous(FULL)")
	if err == nil {
		_, err = db.ExecContext(ctx, schema)
	}
	return inbox{db}, err
}

func (in inbox) handler(secret, token string) (http.Handler, error) {
	return webhookhttp.New(webhookhttp.Config{
		AppSecrets: [][]byte{[]byte(secret)}, VerifyToken: token, Receive: in.receive,
		OnError: func(err error) { slog.Warn("webhook not stored", "error", err) },
	})
}

func (in inbox) serve(secret, token string) error {
	handler, err := in.handler(secret, token)
	if err != nil {
		return err
	}
	server := http.Server{Addr: "localhost:8081", Handler: handler, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second}
	return server.ListenAndServe()
}
