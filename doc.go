// Package hailmark is the root of a library for WhatsApp integrations. It contains no
// code. This draws the QR code of a click-to-chat link with two of its packages:
//
//	link, err := chatlink.BuildUsernameLink("jane.doe", "Hi there!")
//	png, err := qrcode.RenderQR(link, qrcode.Options{})
//
// Import the package for your task:
//
//   - [github.com/hailmark/hailmark/chatlink] builds click-to-chat links and short
//     links from usernames and phone numbers.
//   - [github.com/hailmark/hailmark/qrcode] draws such a link, or any text, as a QR
//     code.
//   - [github.com/hailmark/hailmark/busname] checks usernames.
//   - [github.com/hailmark/hailmark/bsuid] parses business-scoped user IDs (BSUIDs).
//   - [github.com/hailmark/hailmark/contact] represents a contact, and finds the
//     address of a reply.
//   - [github.com/hailmark/hailmark/contact/identity] decides which identifiers belong to
//     one person, and stores the result.
//   - [github.com/hailmark/hailmark/webhooknorm] turns Cloud API webhooks into one list
//     of events.
//   - [github.com/hailmark/hailmark/webhooknorm/webhooktest] tests a webhook receiver with
//     simulated people.
//   - [github.com/hailmark/hailmark/httpapi] serves links, QR codes, checks and webhook
//     normalization over HTTP, as an http.Handler.
//   - [github.com/hailmark/hailmark/problem] defines the errors with codes that the
//     packages return.
//
// There are no lookups: a valid username, number or BSUID need not exist, and a message
// to it need not arrive. Only package contact/identity stores data.
//
// # Compatibility
//
// Versions follow Semantic Versioning. Before v1.0.0 the Go API may change with a minor
// version; the changelog lists each incompatible change. Error codes, reasons and the
// shapes of the HTTP API within /api/v1 are only added, never changed or removed.
package hailmark
