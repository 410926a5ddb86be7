package bound_test

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"time"

	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/httpapi/bound"
)

// A server whose clients can't make it hold more than 80 MiB and two webhooks that are decoded.
func ExampleListen() {
	pool := bound.NewPool(64 << 20)
	api, err := httpapi.New(httpapi.Config{BaseURL: "https://hi.example.com", Pool: pool})
	if err != nil {
		fmt.Println(err)
		return
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	server := &http.Server{Handler: api, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second, MaxHeaderBytes: 64 << 10}
	bounded := bound.Listen(server, listener, bound.Limits{Connections: 1000, Bytes: 16 << 20})
	go func() { _ = server.Serve(bounded) }()
	defer func() { _ = server.Close() }()
	res, err := http.Get("http://" + listener.Addr().String() + "/api/v1/validate/key?key=aB3d")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Body.Close()
	fmt.Println(res.Status, bounded.Stats().Accepted)
	// Output:
	// 200 OK 1
}

// A handler for uploads of up to 4 MiB that shares the pool of the API.
func ExamplePool() {
	pool := bound.Default()
	upper := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		client, _ := netip.ParseAddrPort(r.RemoteAddr)
		request := pool.Begin(r, client.Addr())
		defer request.End()
		body, err := request.ReadBody(w, 4<<20)
		if err == nil {
			err = request.Work(func() { body = bytes.ToUpper(body) })
		}
		if err == nil {
			err = request.Reserve(w, int64(len(body)))
		}
		switch {
		case errors.Is(err, bound.ErrBusy):
			bound.CloseUnread(w, r)
			w.Header().Set("Retry-After", "5")
			http.Error(w, "busy", http.StatusServiceUnavailable)
		case err != nil:
			bound.CloseUnread(w, r)
			http.Error(w, "the body is too large, too slow or incomplete", http.StatusBadRequest)
		default:
			_, _ = request.Write(w, body)
		}
	})
	w := httptest.NewRecorder()
	upper.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat("a", 1<<20))))
	fmt.Println(w.Code, w.Body.Len(), pool.Stats().Taken)
	// Output:
	// 200 1048576 0
}
