// Package hailmark is the root of a library for everything that names a person
// or a business on WhatsApp: usernames, phone numbers, business-scoped user IDs
// (BSUIDs), the links and QR codes that open a chat with them, and the webhooks
// that carry them.
//
// It holds no code. Start with the package that fits the task:
//
//   - [github.com/hailmark/hailmark/chatlink] builds click-to-chat links and
//     short links from usernames and phone numbers.
//   - [github.com/hailmark/hailmark/qrcode] draws such a link, or any text, as a
//     PNG or SVG QR code.
//   - [github.com/hailmark/hailmark/busname] judges usernames.
//   - [github.com/hailmark/hailmark/bsuid] parses business-scoped user IDs.
//   - [github.com/hailmark/hailmark/contact] gives one shape to a contact known by
//     any one of the three identifiers.
//   - [github.com/hailmark/hailmark/contact/identity] decides which ids of webhooks
//     belong to one person.
//   - [github.com/hailmark/hailmark/webhooknorm] turns any Cloud API webhook into
//     one list of events.
//   - [github.com/hailmark/hailmark/httpapi] serves all of it as an http.Handler.
//   - [github.com/hailmark/hailmark/problem] holds the coded problems that the
//     packages report.
//
// The packages look nothing up and store nothing: a structural verdict never says
// that a username, a number or a BSUID exists, is free or can be reached.
package hailmark
