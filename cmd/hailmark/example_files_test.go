package main

import (
	"image"
	"image/color"
	"image/png"
	"strings"
)

// exampleFiles are the files in the examples.
var exampleFiles = map[string]string{
	"facts.ndjson": `{"fact":"seen","at":1786000000,"bsuid":"US.1","phone":"16505551234","username":"jane.doe","name":"Jane"}
{"fact":"changed","at":1786000100,"previous":{"bsuid":"US.1","phone":"16505551234"},"current":{"bsuid":"US.2","phone":"16505559999"}}
{"fact":"seen","at":1786000500,"bsuid":"US.7","phone":"16505550000"}
`,
	"contacts.csv": "id,phone,bsuid,username,name,created\n1,+1 650 555 1234,,jane.doe,Jane,2026-08-06\n2,,US.2,,Jane D.,2026-08-07\n3,+1 650 555 0000,,,Max,2026-08-08\n",
	"webhooks.ndjson": `{"object":"whatsapp_business_account","entry":[{"id":"1","changes":[{"field":"messages","value":{"metadata":{"display_phone_number":"15550783881","phone_number_id":"106540352242922"},"contacts":[{"profile":{"name":"Jane"},"user_id":"US.1"}],"messages":[{"from_user_id":"US.1","id":"wamid.1","timestamp":"1786000000","type":"text","text":{"body":"Hi"}}]}}]}]}
`,
	"webhook.json": `{
  "object": "whatsapp_business_account",
  "entry": [{"id": "1", "changes": [{"field": "messages", "value": {
    "metadata": {"display_phone_number": "15550783881", "phone_number_id": "106540352242922"},
    "contacts": [{"profile": {"name": "Jane"}, "user_id": "US.1"}],
    "messages": [{"from_user_id": "US.1", "id": "wamid.1", "timestamp": "1786000000", "type": "text", "text": {"body": "Hi"}}]
  }}]}]
}
`,
	"people.csv":    "username,phone,text,file\njane.doe,,Hi,\n,+1 650 555 1234,,max\n",
	"labels.json":   `{"paper": "a4", "columns": 4, "rows": 5, "width": 45, "height": 45, "left": 7.5, "top": 26, "pitchX": 50, "pitchY": 50}` + "\n",
	"logo.png":      exampleLogo(),
	"customers.csv": "username,phone\njane.doe,\n,+1 650 555 1234\n",
}

func exampleLogo() string {
	const size = 64
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	for i := range size * size {
		x, y := i%size-size/2, i/size-size/2
		if x*x+y*y < size*size/4 {
			img.Set(i%size, i/size, color.NRGBA{0x12, 0x8C, 0x7E, 0xFF})
		}
	}
	var file strings.Builder
	if err := png.Encode(&file, img); err != nil {
		panic(err)
	}
	return file.String()
}
