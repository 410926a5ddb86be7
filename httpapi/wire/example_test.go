package wire_test

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/httpapi/wire"
	"github.com/hailmark/hailmark/webhooknorm"
)

const payload = `{"entry":[{"changes":[{"field":"messages","value":{
	"metadata":{"phone_number_id":"106"},
	"messages":[{"from_user_id":"US.1","id":"wamid.1","timestamp":"1795244400","type":"text","text":{"body":"Hi"}}]}}]}]}`

// A service without HTTP publishes each event for programs in other languages.
func ExampleAppendEvent() {
	webhook, err := webhooknorm.Read([]byte(payload))
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range webhook.Events {
		fmt.Println(string(wire.AppendEvent(nil, &webhook.Events[i])))
	}
	for i := range webhook.Others {
		fmt.Println(string(wire.AppendOther(nil, &webhook.Others[i])))
	}
	// Output: {"kind":"message","field":"messages","bsuid":"US.1","messageId":"wamid.1","type":"text","timestamp":"1795244400","time":"2026-11-21T07:00:00Z","phoneNumberId":"106","key":"message:106:wamid.1","text":"Hi","wantsReply":true,"address":{"field":"recipient","value":"US.1"},"reply":{"field":"recipient","value":"US.1"},"raw":{"from_user_id":"US.1","id":"wamid.1","timestamp":"1795244400","type":"text","text":{"body":"Hi"}}}
}

func ExampleNormalize() {
	webhook, err := wire.Normalize([]byte(payload))
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = json.NewEncoder(os.Stdout).Encode(webhook)
	// Output: {"provider":"vendor_cloud_api","events":[{"kind":"message","bsuid":"US.1","phone":null,"username":null,"displayName":null,"raw":{"from_user_id":"US.1","id":"wamid.1","timestamp":"1795244400","type":"text","text":{"body":"Hi"}}}]}
}

func ExampleNewResolvedContact() {
	person, err := contact.Resolve(contact.Input{Username: "jane.doe"})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = json.NewEncoder(os.Stdout).Encode(wire.NewResolvedContact(person, nil))
	// Output: {"id":"jane.doe","type":"username","username":"jane.doe","phone":null,"bsuid":null,"displayName":null,"phoneKnown":false,"bsuidKnown":false}
}
