package hailmark_test

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/webhooknorm"
	"github.com/hailmark/hailmark/webhooknorm/webhookhttp"
)

// A tour of the library for each kind of user. README.md contains parts of it.

func Example_link() {
	draw := func() error {
		link, err := chatlink.BuildUsernameLink("jane.doe", "Is the red one still there?")
		if err != nil {
			return err
		}
		png, err := qrcode.RenderQR(link, qrcode.Options{})
		fmt.Println(link)
		fmt.Printf("%q\n", png[:4])
		return err
	}
	fmt.Println(draw())
	// Output:
	// https://wa.me/jane.doe?text=Is%20the%20red%20one%20still%20there%3F
	// "\x89PNG"
	// <nil>
}

// For brevity, the reply is sent at once. A receiver should store the webhook first, because the
// platform sends all its events again if one reply fails.
func Example_webhook() {
	appSecret, verifyToken := []byte("secret"), "token"
	reply := func(_ context.Context, field, value string) error {
		fmt.Println("reply:", field, value)
		return nil
	}
	mux := http.NewServeMux()
	receive := func() error {
		handler, err := webhookhttp.New(webhookhttp.Config{
			AppSecrets:  [][]byte{appSecret},
			VerifyToken: verifyToken,
			Receive: func(ctx context.Context, webhook webhooknorm.Webhook) error {
				for _, event := range webhook.Events {
					to, ok := event.Address()
					if !ok || event.Kind != webhooknorm.KindMessage {
						continue // not a message, or not to be answered here
					}
					if err := reply(ctx, to.Field, to.Value); err != nil {
						return err
					}
				}
				return nil
			},
		})
		if err != nil {
			return err
		}
		mux.Handle("/webhook", handler)
		return nil
	}
	fmt.Println(receive())

	// The platform posts a message, and another one in a conversation that is on standby.
	payload := `{"entry":[{"changes":[{"value":{"messages":[{"from_user_id":"US.1"}],"standby":{"messages":[{"from":"16505551234"}]}}}]}]}`
	r := httptest.NewRequest(http.MethodPost, "/webhook", strings.NewReader(payload))
	r.Header.Set("X-Hub-Signature-256", "sha256=4b9b7d7d45e3f458fbbc7592a9a348fd24e0c5ddf7c24310843d0963c2b22e08")
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	fmt.Println(w.Code)
	// Output:
	// <nil>
	// reply: recipient US.1
	// 200
}

func Example_service() {
	mount := func(mux *http.ServeMux) error {
		api, err := httpapi.New(httpapi.Config{BaseURL: "https://hi.example.com"})
		if err != nil {
			return err
		}
		mux.Handle("/api/v1/", api)
		return nil
	}
	mux := http.NewServeMux()
	fmt.Println(mount(mux))
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v1/phone-link?phone=16505551234", nil))
	fmt.Print(w.Body)
	// Output:
	// <nil>
	// {"phone":"16505551234","link":"https://wa.me/16505551234"}
}

// A form marks each invalid field and shows warnings next to valid ones.
func Example_form() {
	form := map[string]string{"username": "Jane", "phone": "16505551234", "text": "Hi!"}

	username, nameErr := busname.Parse(form["username"])
	number, phoneWarnings, phoneErr := phone.Inspect(form["phone"])
	text, textErr := chatlink.ParseText(form["text"])

	for _, p := range problem.All(errors.Join(nameErr, phoneErr, textErr)) {
		fmt.Printf("%s: %s (%s)\n", p.Field, p.Message, p.Code)
	}
	for _, w := range append(busname.Warnings(username), phoneWarnings...) {
		fmt.Printf("%s: warning: %s\n", w.Field, w.Message)
	}
	fmt.Println("+"+number.String(), number.Country(), text)
	// Output:
	// username: username contains "J"; only lowercase letters are allowed (did you mean jane?) (username_invalid_chars)
	// +16505551234 United States Hi!
}

// A batch draws a code for each valid row and reports the others.
func Example_batch() {
	rows := csv.NewReader(strings.NewReader("jane.doe,Table 1\njohn smith,Table 2\n"))
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		link, err := chatlink.BuildUsernameLink(row[0], row[1])
		if err != nil {
			line, _ := rows.FieldPos(0)
			fmt.Printf("line %d: %v\n", line, err)
			continue
		}
		image, err := qrcode.RenderQR(link, qrcode.Options{Format: qrcode.SVG, Title: "@" + row[0]})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(link, strings.Contains(string(image), "@jane.doe"))
	}
	// Output:
	// https://wa.me/jane.doe?text=Table%201 true
	// line 2: username contains white space (" "); only a-z, 0-9, periods and underscores are allowed
}
