package hailmark_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/webhooknorm"
	"github.com/hailmark/hailmark/webhooknorm/webhookhttp"
)

// A tour of the library for each kind of user. README.md contains parts of it.

// The same message before and after its sender hides the number.
func Example_hiddenNumber() {
	before := `{"entry":[{"changes":[{"field":"messages","value":{"contacts":[{"wa_id":"16505551234","user_id":"US.1349120865","profile":{"name":"Jane"}}],
		"messages":[{"from":"16505551234","from_user_id":"US.1349120865","id":"wamid.1","type":"text","text":{"body":"Hi!"}}]}}]}]}`
	after := `{"entry":[{"changes":[{"field":"messages","value":{"contacts":[{"user_id":"US.1349120865","profile":{"name":"Jane","username":"jane.doe"}}],
		"messages":[{"from_user_id":"US.1349120865","id":"wamid.2","type":"text","text":{"body":"Hi!"}}]}}]}]}`
	read := func() error {
		for _, body := range []string{before, after} {
			webhook, err := webhooknorm.Read([]byte(body))
			if err != nil {
				return err
			}
			event := webhook.Events[0]
			to, _ := event.Reply()
			fmt.Printf("from %q and %s, reply: %q %q\n", event.Phone, event.BSUID, to.Field, to.Value)
		}
		return nil
	}
	fmt.Println(read())
	// Output:
	// from "16505551234" and US.1349120865, reply: "to" "16505551234"
	// from "" and US.1349120865, reply: "recipient" "US.1349120865"
	// <nil>
}

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

// The receiver stores each event once. A worker replies after the webhook has been acknowledged.
func Example_webhook() {
	appSecret, verifyToken := []byte("secret"), "token"
	var queue []webhooknorm.Event
	db := map[string]bool{} // in an application, a database with a table whose primary key is the event's key
	storeEvents := func(ctx context.Context, db map[string]bool, events []webhooknorm.Event) error {
		for _, event := range events {
			if key := event.Key(); key == "" || !db[key] {
				db[key] = true
				queue = append(queue, event)
			}
		}
		return ctx.Err()
	}
	mux := http.NewServeMux()
	receive := func() error {
		handler, err := webhookhttp.New(webhookhttp.Config{
			AppSecrets:  [][]byte{appSecret},
			VerifyToken: verifyToken,
			Receive: func(ctx context.Context, webhook webhooknorm.Webhook) error {
				return storeEvents(ctx, db, webhook.Events) // in one transaction
			},
		})
		if err != nil {
			return err
		}
		mux.Handle("/webhook", handler)
		return nil
	}
	fmt.Println(receive())

	// The platform posts a message twice, and another one in a conversation that is on standby.
	payload := `{"entry":[{"changes":[{"value":{"messages":[{"from_user_id":"US.1","id":"wamid.1","type":"text"}],"standby":{"messages":[{"from":"16505551234","id":"wamid.2","type":"text"}]}}}]}]}`
	mac := hmac.New(sha256.New, appSecret)
	mac.Write([]byte(payload))
	for range 2 {
		r := httptest.NewRequest(http.MethodPost, "/webhook", strings.NewReader(payload))
		r.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		fmt.Println(w.Code, len(queue))
	}

	reply := func(_ context.Context, to contact.Address, text string) error {
		fmt.Println("reply:", to.Field, to.Value, text)
		return nil
	}
	work := func(ctx context.Context) error {
		for _, event := range queue {
			to, ok := event.Reply()
			if !ok {
				continue
			}
			if err := reply(ctx, to, "Yes, it is."); err != nil {
				return err
			}
		}
		return nil
	}
	fmt.Println(work(context.Background()))
	// Output:
	// <nil>
	// 200 2
	// 200 2
	// reply: recipient US.1 Yes, it is.
	// <nil>
}

// A reply is one request. Its recipient is in the field that Address returns.
func Example_send() {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Println(r.URL.Path, string(body))
		fmt.Fprint(w, `{"messages":[{"id":"wamid.2"}]}`)
	}))
	defer api.Close()
	graph, phoneNumberID, accessToken := api.URL, "106540352242922", "token"

	reply := func(ctx context.Context, to contact.Address, text string) error {
		body, err := json.Marshal(map[string]any{
			"messaging_product": "whatsapp",
			"recipient_type":    "individual",
			to.Field:            to.Value,
			"type":              "text",
			"text":              map[string]string{"body": text},
		})
		if err != nil {
			return err
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, graph+"/"+phoneNumberID+"/messages", bytes.NewReader(body))
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+accessToken)
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("sending a message: %s", response.Status)
		}
		return nil
	}
	fmt.Println(reply(context.Background(), contact.Address{Field: "recipient", Value: "US.1349120865"}, "Yes, it is."))
	// Output:
	// /106540352242922/messages {"messaging_product":"whatsapp","recipient":"US.1349120865","recipient_type":"individual","text":{"body":"Yes, it is."},"type":"text"}
	// <nil>
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

// The same number as a customer in Germany types it and as a webhook contains it, and a Mexican number in
// its two forms.
func Example_numbers() {
	compare := func() error {
		typed, err := phone.ParseIn("0171 1234567", "DE")
		if err != nil {
			return err
		}
		received, err := phone.ParseDigits("491711234567")
		if err != nil {
			return err
		}
		fmt.Println(typed == received, typed.E164())

		entered := phone.MustParse("+52 55 1234 5678")
		webhook, err := phone.ParseDigits("5215512345678")
		if err != nil {
			return err
		}
		fmt.Println(entered == webhook, entered.Same(webhook), webhook.Canonical(), webhook.Forms())
		return nil
	}
	fmt.Println(compare())

	_, err := phone.Parse("917 555 1234")
	fmt.Println(err != nil)
	india, _ := phone.ParseDigits("917 555 1234")
	fmt.Println(india.CountryName())
	// Output:
	// true +491711234567
	// false true 525512345678 [5215512345678 525512345678]
	// <nil>
	// true
	// India
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
	for _, w := range append(username.Warnings(), phoneWarnings...) {
		fmt.Printf("%s: warning: %s\n", w.Field, w.Message)
	}
	fmt.Println("+"+number.String(), number.CountryName(), text)
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
