package reference

// pitfalls contains frequent mistakes in integrations. Backquotes enclose code.
var pitfalls = []pitfall{
	{
		"Put a BSUID into `recipient`, not into `to`",
		"`to` is for phone numbers. If `to` contains a BSUID, the Cloud API responds with status 200, and the message never arrives.",
	},
	{
		"Don't require `from` and `wa_id`",
		"If people hide their phone number, webhooks contain only `from_user_id` and `user_id`. " +
			"A message that you acknowledge and then drop for lack of a number isn't delivered again.",
	},
	{
		"Use neither the number nor the BSUID as the key of a contact",
		"A number can disappear from webhooks, come back, and pass to a stranger; a BSUID changes with the number. " +
			"Give each contact an ID of your own, and keep its numbers and BSUIDs with the times at which you saw them. " +
			"Look up the BSUID, and the number only if nobody has the BSUID. " +
			"If the number leads to a contact with another BSUID, and no announcement connects the two, somebody else has the number now, so create a new contact. " +
			"When an announcement says that somebody left a number, end that contact's use of it, so that its next user becomes a new contact. " +
			"The Go package `contact/identity` does all of this, in whatever order webhooks arrive.",
	},
	{
		"Read all messages and all contacts",
		"A webhook can contain many of both, in any order, so `contacts[0]` may not be the sender of `messages[0]`. Match them by `user_id`, then by `wa_id`.",
	},
	{
		"Follow announcements of new identifiers",
		"A BSUID changes when a person changes the phone number. System messages of the types `user_changed_number` and `user_changed_user_id` announce it with the previous identifier. " +
			"If you ignore them, one person becomes two contacts.",
	},
	{
		"Keep a BSUID as the string that it is",
		"Code that cleans phone numbers destroys it, and its 20 digits don't fit a JavaScript number. It's valid in one business portfolio only.",
	},
	{
		"Use a username as a label only",
		"People change and delete usernames, and you can't send a message to one. Store it for display.",
	},
	{
		"Store a parent BSUID (`US.ENT.…`) in a field of its own",
		"It's a second identifier of the same person, which linked business portfolios share.",
	},
	{
		"Give phone numbers with their country code",
		"The API drops spaces and symbols, and a leading `00`, but it rejects symbols that may separate two numbers. It also rejects a number with a leading zero, because only its country could tell what the zero means. " +
			"Don't add or remove digits to repair a number. In a query, write `+` as `%2B`.",
	},
	{
		"Don't read more into valid than well-formed",
		"The API contacts nobody, so a valid username, number or BSUID may not exist. In programs, compare `error.code`; the text in `error.message` may change.",
	},
}

type pitfall struct{ Title, Text string }

// advice describes the cause and the remedy for every code that the API returns.
var advice = map[string]string{
	"body_too_large":             "The body is longer than the endpoint accepts. Send fewer items at a time.",
	"duplicate_parameter":        "The query contains a parameter twice. Send each parameter once.",
	"internal_error":             "The server failed. Try again later; if the error persists, report the response's `X-Request-Id` to the operator.",
	"invalid_bg":                 "`bg` isn't a color. Send six or three hexadecimal digits without `#`, or `transparent`.",
	"invalid_bsuid":              "The value isn't a BSUID. Send the string exactly as the webhook contained it: two capital letters, a period, `ENT.` in a parent BSUID, and 1 to 128 digits.",
	"invalid_color":              "`color` isn't a color. Send six or three hexadecimal digits without `#`.",
	"invalid_country":            "`country` isn't the two-letter code of a country. Send one such as `DE`, or omit it.",
	"invalid_field":              "A field of the body has the wrong type. Send a string in the field that the message names.",
	"invalid_format":             "`format` is neither `png` nor `svg`.",
	"invalid_json":               "The body isn't one JSON object: it may be empty, truncated, not UTF-8, or contain a name twice. Build it with a JSON encoder.",
	"invalid_query":              "The query can't be decoded. Build it with a URL encoder, which writes `%` as `%25` and `;` as `%3B`.",
	"invalid_size":               "`size` isn't a whole number from 128 to 1024.",
	"key_invalid_format":         "The key doesn't consist of 4 to 8 letters or digits.",
	"low_contrast":               "Scanners can't tell the two colors apart. Choose a darker `color` or a lighter `bg`.",
	"method_not_allowed":         "The path exists, but doesn't support this method. The header `Allow` lists the methods that it supports.",
	"missing_bsuid":              "The field `bsuid` is absent or empty. Send the BSUID.",
	"missing_identifier":         "The body contains none of `bsuid`, `phone` and `username`, or several. Send exactly one.",
	"missing_key":                "The parameter `key` is absent or empty. Send the username key.",
	"missing_phone":              "The parameter `phone` is absent or empty. Send a phone number.",
	"missing_target":             "The query contains neither `username` nor `phone`, or both. Send exactly one.",
	"missing_username":           "`username` is absent or empty. Send a username.",
	"not_found":                  "Nothing is at this path. Check the base URL, and that the path begins with `/api/v1/` and doesn't end with a slash.",
	"overloaded":                 "The server is busy with other large requests. Try again after the number of seconds in `Retry-After`.",
	"phone_invalid_format":       "The value isn't an international phone number of 8 to 15 digits. Replace the leading zero of a national number with the country code. A BSUID isn't a phone number.",
	"rate_limited":               "The client has used up its limit. Wait for the number of seconds in `Retry-After`.",
	"request_timeout":            "The body didn't arrive in time. Try again, with a shorter body if the connection is slow.",
	"response_too_large":         "The response would exceed 8 MiB, because it repeats parts of the webhook. Send the elements of a long array, such as a history's messages, in several requests.",
	"text_invalid":               "The text isn't UTF-8, or contains control characters other than newline and tab. Remove them.",
	"text_too_long":              "The text has more than 4,096 characters or doesn't fit the QR code. Shorten it; if a larger `size` helps, the message names it.",
	"unsupported_content_type":   "Send `Content-Type: application/json` and an uncompressed body.",
	"username_double_period":     "The username contains two periods in a row. Remove one.",
	"username_edge_period":       "The username begins or ends with a period. Remove it.",
	"username_invalid_chars":     "The username contains a character other than `a-z`, `0-9`, period and underscore, such as `@` or a capital letter. If another spelling is valid, the message suggests it.",
	"username_length":            "The username doesn't have 3-35 characters.",
	"username_no_letter":         "The username contains no letter. Digits alone would be read as a phone number.",
	"username_reserved_suffix":   "The username ends like a domain or a web page, such as `.com` or `.html`, which WhatsApp doesn't allow.",
	"username_starts_with_www":   "The username begins with `www.`, which WhatsApp doesn't allow.",
	"webhook_invalid_json":       "The body isn't JSON. Send the webhook's body as it arrived, without decoding and encoding it again.",
	"webhook_too_many_events":    "The webhook contains more than 16,384 messages and statuses, or contacts, or in `webhook/read` events and others together. Split it; real webhooks contain at most 1,000, except shared histories.",
	"webhook_unrecognized_shape": "The body is JSON, but not a webhook of the Cloud API. Send the whole body with `entry`, or the `value` of one change.",

	// Reasons.
	"consecutive_dots":        "The username contains two periods in a row.",
	"invalid_character":       "The username contains a character other than `a-z`, `0-9`, period and underscore.",
	"leading_or_trailing_dot": "The username begins or ends with a period.",
	"leading_www":             "The username begins with `www`, which WhatsApp doesn't allow for businesses.",
	"no_letter":               "The username contains no letter.",
	"reserved_domain_suffix":  "The username ends like a domain or a web page, such as `.com` or `.html`.",
	"too_long":                "The username has more than 35 characters.",
	"too_short":               "The username has fewer than 3 characters.",
	"uppercase_letter":        "The username contains capital letters. Write them in lower case.",
}
