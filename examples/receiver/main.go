// Command receiver takes Cloud API webhooks and prints one line for each event.
//
// It shows the reading alone. A receiver on the internet also checks the signature
// of the bytes before it reads them, and answers before it works.
package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/hailmark/hailmark/webhooknorm"
)

func main() {
	mux := http.NewServeMux()
	mux.Handle("POST /webhook", receiver(os.Stdout))
	server := http.Server{Addr: "localhost:8081", Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.ListenAndServe())
}

// maxPayload is above the 3 MB that the platform sends at most: what is refused
// comes back for days.
const maxPayload = 4 << 20

func receiver(out io.Writer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		payload, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxPayload))
		if err != nil {
			http.Error(w, "the payload could not be read", http.StatusBadRequest)
			return
		}
		events, err := webhooknorm.Normalize(payload)
		switch {
		case errors.Is(err, webhooknorm.CodeUnrecognizedShape):
			http.Error(w, err.Error(), http.StatusUnprocessableEntity)
			return
		case err != nil:
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		for _, e := range events {
			fmt.Fprintf(out, "%s bsuid=%q phone=%q username=%q name=%q\n", e.Kind, e.BSUID, e.Phone, e.Username, e.DisplayName)
		}
	})
}
