package webhookhttp_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/hailmark/hailmark/webhooknorm"
	"github.com/hailmark/hailmark/webhooknorm/webhookhttp"
)

func Example() {
	handler, err := webhookhttp.New(webhookhttp.Config{
		AppSecrets:  [][]byte{[]byte("secret")},
		VerifyToken: "token",
		Receive: func(_ context.Context, webhook webhooknorm.Webhook) error {
			for _, event := range webhook.Events {
				if to, ok := event.Address(); ok && event.Kind == webhooknorm.KindMessage {
					fmt.Println("reply to", event.Label(), "with", to.Field, to.Value)
				}
			}
			return nil
		},
		OnError: func(err error) {
			if !errors.Is(err, webhookhttp.ErrSignature) { // strangers cause those, too
				log.Print(err)
			}
		},
	})
	if err != nil {
		log.Fatal(err)
	}

	// The platform posts:
	r := httptest.NewRequest(http.MethodPost, "/webhook", strings.NewReader(
		`{"entry":[{"changes":[{"value":{"messages":[{"from_user_id":"US.1","id":"wamid.1"}]}}]}]}`))
	r.Header.Set("X-Hub-Signature-256", "sha256=a6b797fb0b6b62d9c1861e694debd21d48fd3b50a1ce03dca236d3470fe11628")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	fmt.Println(w.Code)
	// Output:
	// reply to US.1 with recipient US.1
	// 200
}
