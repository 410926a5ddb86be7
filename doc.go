// Package hailmark is the root of a library for WhatsApp integrations. It contains only this
// documentation; import the packages below it. For example, two of them draw the QR code of a click-to-chat link, which
// opens a WhatsApp chat:
//
//	link, err := chatlink.BuildUsernameLink("jane.doe", "Hi there!")
//	png, err := qrcode.RenderQR(link, qrcode.Options{})
//
// Import the package for your task:
//
//   - [github.com/hailmark/hailmark/chatlink] builds and reads click-to-chat links.
//   - [github.com/hailmark/hailmark/phone] parses international phone numbers.
//   - [github.com/hailmark/hailmark/busname] checks usernames.
//   - [github.com/hailmark/hailmark/bsuid] parses business-scoped user IDs (BSUIDs).
//   - [github.com/hailmark/hailmark/qrcode] draws any text as a QR code, and
//     [github.com/hailmark/hailmark/qrcode/qrprint] prints it on paper.
//   - [github.com/hailmark/hailmark/contact] holds a person's IDs and finds the address of
//     a reply.
//   - [github.com/hailmark/hailmark/webhooknorm] turns webhooks of the WhatsApp Cloud API
//     into one list of events; [github.com/hailmark/hailmark/webhooknorm/webhookhttp]
//     receives them, and [github.com/hailmark/hailmark/webhooknorm/webhooktest] tests a
//     receiver with simulated people.
//   - [github.com/hailmark/hailmark/contact/identity] decides which IDs belong to one
//     person, and [github.com/hailmark/hailmark/contact/identity/sqlstore] stores the
//     result.
//   - [github.com/hailmark/hailmark/httpapi] serves links, validation, QR codes and
//     webhook conversion over HTTP, as an http.Handler;
//     [github.com/hailmark/hailmark/httpapi/redislimit] shares its rate limits among several
//     processes.
//   - [github.com/hailmark/hailmark/problem] defines the errors and warnings of all packages, each with
//     a stable code.
//
// Packages identity, qrprint, redislimit and webhooktest are separate modules, so that programs that
// don't use them don't download their dependencies. Get each by its import path.
//
// The packages check the form only; they can't tell whether a username, number or BSUID exists.
//
// docs/support.md says what a release promises. Error codes and the HTTP API's shapes never change.
package hailmark
