package webhooktest_test

import (
	"fmt"
	"net/http/httputil"
	"net/url"
	"testing"
	"time"

	"github.com/hailmark/hailmark/webhooknorm/webhooktest"
)

func ExamplePlatform() {
	p := webhooktest.NewPlatform(1, time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC))
	jane := p.Add(webhooktest.Profile{Name: "Jane"})
	jane.Write(0, "Hello!")
	jane.AdoptUsername("jane.doe")
	jane.HideNumber()
	p.Wait(31 * 24 * time.Hour)
	jane.Write(0, "You do not see my number any more")
	for w := range p.Webhooks(webhooktest.Faults{}) {
		e := w.Events[0] // w.Body is the JSON
		fmt.Printf("%s: phone %q, BSUID %q, username %q\n", e.At.Format(time.DateOnly), e.Shown.Phone, e.Shown.BSUID, e.Shown.Username)
	}
	// Output:
	// 2026-11-01: phone "12665552790", BSUID "US.1585166619143584", username ""
	// 2026-12-02: phone "", BSUID "US.1585166619143584", username "jane.doe"
}

func ExampleCompare() {
	w := webhooktest.NewWorld(1, 200, 2*365*24*time.Hour)
	byPhone := func(e webhooktest.Event) []string {
		if e.Shown.Phone == "" {
			return nil
		}
		return []string{e.Shown.Phone}
	}
	r := webhooktest.Compare(w.Events(), byPhone)
	for _, f := range []webhooktest.Mistake{webhooktest.Lost, webhooktest.Mixed, webhooktest.Split} {
		fmt.Printf("%s: %d, and %d where the webhooks do not say enough\n", f, r.Count(f, webhooktest.Evident), r.Count(f, webhooktest.Silence))
	}
	// Output:
	// lost: 42, and 0 where the webhooks do not say enough
	// mixed: 13, and 3 where the webhooks do not say enough
	// split: 13, and 1 where the webhooks do not say enough
}

func ExampleWebhook_Request() {
	p := webhooktest.NewPlatform(1, time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC))
	p.Add(webhooktest.Profile{Name: "Jane"}).Write(0, "Hello!")
	for w := range p.Webhooks(webhooktest.Faults{}) {
		r, err := w.Request("https://example.com/webhook", "app secret")
		fmt.Println(r.Method, r.URL, len(r.Header.Get(webhooktest.SignatureHeader)), err)
	}
	// Output: POST https://example.com/webhook 71 <nil>
}

func ExampleRun_anotherProcess() {
	test := func(t *testing.T, contactsOf func(messageID string) []string) {
		receiver := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: "localhost:3000", Path: "/webhook"})
		webhooktest.Run(t, receiver, "app secret", contactsOf)
	}
	_ = test
}

func ExampleNewWorld() {
	w := webhooktest.NewWorld(1, 100, 90*24*time.Hour)
	webhooks := 0
	for range w.Webhooks() {
		webhooks++
	}
	fmt.Println(len(webhooktest.Shops()), webhooks)
	// Output: 2 191
}

func ExampleShops() {
	for _, b := range webhooktest.Shops() {
		fmt.Println(b.Portfolio, b.ID, b.Phone)
	}
	// Output:
	// shop 106540352242922 15550783881
	// shop 106540352242923 15550783882
}
