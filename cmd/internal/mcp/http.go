package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxBody is the maximum request size in bytes. It allows for a webhook with escapes.
const maxBody = 4 << 20

// NewHandler returns a sessionless handler for streamable HTTP.
//
// It rejects requests from other origins' pages, and requests whose Host is a name other than
// localhost. Otherwise, a website could use the server by DNS rebinding, which resolves the
// website's own name to the server's address.
func NewHandler() http.Handler {
	server := NewServer()
	streamable := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
	})
	protected := http.NewCrossOriginProtection().Handler(streamable)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isAddress(r.Host) {
			http.Error(w, "Host is a name other than localhost; if a reverse proxy sent the request, it should set Host to localhost", http.StatusForbidden)
			return
		}
		protected.ServeHTTP(w, r)
	})
}

// isAddress reports whether a Host header is localhost or an IP address, which can't be
// rebound.
func isAddress(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil || strings.EqualFold(host, "localhost")
}

// Listen listens on an address. The default host is localhost.
func Listen(address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if host == "" {
		host = "localhost"
	}
	return net.Listen("tcp", net.JoinHostPort(host, port))
}

// Serve serves streamable HTTP at /mcp until ctx is done.
func Serve(ctx context.Context, listener net.Listener) error {
	mux := http.NewServeMux()
	mux.Handle("/mcp", NewHandler())
	server := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       90 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          log.New(io.Discard, "", 0), // its messages can contain requests
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := server.Shutdown(drain); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("shut down: %w", err)
	}
	return nil
}
