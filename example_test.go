package hailmark_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/webhooknorm"
)

// The snippets of the README, as they stand there.

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

func Example_webhook() {
	read := func(payload []byte) error {
		events, err := webhooknorm.Normalize(payload)
		if err != nil {
			return err
		}
		for _, e := range events {
			fmt.Println(e.Kind, e.BSUID, e.Phone, e.Username, e.DisplayName)
		}
		return nil
	}
	fmt.Println(read([]byte(`{"entry":[{"changes":[{"value":{
		"contacts":[{"user_id":"US.1","profile":{"username":"jane","name":"Jane"}}],
		"messages":[{"from_user_id":"US.1","from":"16505551234"}]}}]}]}`)))
	// Output:
	// message US.1 16505551234 jane Jane
	// <nil>
}

func Example_reply() {
	e := webhooknorm.Event{Person: contact.Person{IDs: contact.IDs{BSUID: "US.13491208655302741918"}, Username: "jane"}}
	address, ok := e.Address()
	fmt.Println(address.Field, address.Value, ok, e.Label())
	// Output: recipient US.13491208655302741918 true @jane
}

func Example_identifiers() {
	b, err := bsuid.ParseBSUID("US.ENT.11815799212886844830")
	fmt.Println(b.CountryCode(), b.ID(), b.IsParent(), err)
	_, err = phone.Parse("US.13491208655302741918")
	fmt.Println(errors.Is(err, phone.CodeInvalid))
	// Output:
	// US 11815799212886844830 true <nil>
	// true
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
