// Package chatlink builds and parses click-to-chat links, which open a WhatsApp chat with a
// username or phone number.
//
//	link, err := chatlink.BuildUsernameLink("jane.doe", "Hi there!")
//	// https://wa.me/jane.doe?text=Hi%20there!
//
// [BuildUsernameLink] and [BuildPhoneLink] build a link, and [ParseLink] parses one that
// somebody else built. For a form, check each input on its own instead:
// [phone.Inspect] returns warnings about a number, [busname.Username.Warnings] about a username, and
// [ParseText] checks the message.
//
// A username key isn't part of a link: [ParseKey] checks it, and the person who writes first types
// it in WhatsApp.
//
// Nothing is looked up, so a valid link may not lead to anybody. Links with phone numbers work
// for everyone, but username links don't work in all countries yet.
//
// # Format
//
//	https://wa.me/<username>[?text=<text>]
//	https://wa.me/<digits>[?text=<text>]
//
// The text is encoded as encodeURIComponent does in a browser: A-Z a-z 0-9 - _ . ! ~ * ' ( )
// stay unchanged, and every other byte of the UTF-8 becomes %XX. A space becomes %20 and a plus
// %2B, which all link parsers decode correctly.
//
// # Errors
//
// Every error contains problems with codes: use [errors.Is] to test for a code, and [problem.All]
// to list the problems. A problem's field is username, phone, text or link.
//
// Source: https://faq.whatsapp.com/5913398998672934
package chatlink
