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
				if to, ok := event.Reply(); ok {
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
		`{"entry":[{"changes":[{"value":{"messages":[{"from_user_id":"US.1","id":"wamid.1","type":"text","text":{"body":"Hi"}}]}}]}]}`))
	r.Header.Set("X-Hub-Signature-256", "sha256=83a8bbf9b3583b765f9b8a229152af1e38c6a1176c86a6f00eae540526a78d19")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	fmt.Println(w.Code)
	// Output:
	// reply to US.1 with recipient US.1
	// 200
}
