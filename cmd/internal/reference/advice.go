package reference

// pitfalls contains frequent mistakes in integrations. Backquotes enclose code.
var pitfalls = []pitfall{
	{
		"A BSUID goes into `recipient`, not into `to`",
		"With a BSUID in `to`, the Cloud API responds with 200 and drops the message. `to` is for phone numbers.",
	},
	{
		"`from` and `wa_id` can be absent",
		"A person who hides the phone number is named by `from_user_id` and `user_id` alone. " +
			"Do not require a number: a message that was acknowledged and then dropped is not delivered again.",
	},
	{
		"Do not use `wa_id` as the key of a contact",
		"A number can disappear from webhooks, come back, and pass to another person. Store the BSUID and the number together, and look up the BSUID first.",
	},
	{
		"Read all messages and all contacts",
		"A webhook can hold many of both, and `contacts[0]` need not be the sender of `messages[0]`. Match them by `user_id`, then by `wa_id`.",
	},
	{
		"A BSUID changes when the person changes the number",
		"System messages of the types `user_changed_number` and `user_changed_user_id` announce it, with the previous identifier. If they are ignored, one person becomes two contacts.",
	},
	{
		"A BSUID is a string, and is kept as it came",
		"Code that cleans phone numbers destroys it, and 20 digits do not fit a JavaScript number. It is valid for one business portfolio only.",
	},
	{
		"A username is a label, not an identifier",
		"People change and delete usernames, and no message can be addressed to one. Store it for display.",
	},
	{
		"A parent BSUID (`US.ENT.…`) is a second identifier of the same person",
		"Store it in a field of its own. Linked business portfolios share it.",
	},
	{
		"A phone number is international, without a zero in front",
		"`00` and symbols are dropped, and a national number is rejected. Do not add or remove digits to repair one. In a query, write `+` as `%2B`.",
	},
	{
		"Valid means well-formed",
		"Nothing is looked up: a valid username, number or BSUID may not exist. Compare `error.code` in programs; the text of `error.message` may change.",
	},
}

type pitfall struct{ Title, Text string }

// advice describes the cause and the remedy for every code that the API returns.
var advice = map[string]string{
	"body_too_large":             "The body is longer than the endpoint accepts. Split the data, or send fewer events at a time.",
	"duplicate_parameter":        "A parameter of the query is given twice. Give each one once.",
	"internal_error":             "The server has an internal error. Try again later; if it persists, report it to the operator with the `X-Request-Id` of the response, if there is one.",
	"invalid_bg":                 "`bg` is not a color. Give six or three hexadecimal digits without `#`, or `transparent`.",
	"invalid_bsuid":              "The value is not a BSUID. Pass the string exactly as the webhook had it: two capital letters, a period, for a parent BSUID `ENT.`, and 1 to 128 digits.",
	"invalid_color":              "`color` is not a color. Give six or three hexadecimal digits without `#`.",
	"invalid_field":              "A field of the body has the wrong type. The message names the field; give it a string.",
	"invalid_format":             "`format` is neither `png` nor `svg`.",
	"invalid_json":               "The body is not one JSON object: it may be empty, cut off, not UTF-8, or have a name twice. Build it with a JSON encoder.",
	"invalid_query":              "The query cannot be decoded. Build it with a URL encoder: `%` is written as `%25`, and `;` as `%3B`.",
	"invalid_size":               "`size` is not a whole number from 128 to 1024.",
	"key_invalid_format":         "A username key has 4 to 8 letters or digits.",
	"low_contrast":               "Scanners cannot tell the two colors apart. Take a darker `color` or a lighter `bg`.",
	"method_not_allowed":         "The path exists, but not with this method. The header `Allow` lists the methods.",
	"missing_bsuid":              "The field `bsuid` is absent or empty.",
	"missing_identifier":         "Give exactly one of `bsuid`, `phone` and `username`. The code also means that several are given.",
	"missing_key":                "The parameter `key` is absent or empty.",
	"missing_phone":              "The parameter `phone` is absent or empty.",
	"missing_target":             "Give exactly one of `username` and `phone`. The code also means that both are given.",
	"missing_username":           "`username` is absent or empty.",
	"not_found":                  "There is nothing at this path. Check the base address, and that the path begins with `/api/v1/` and does not end in a slash.",
	"overloaded":                 "The server is busy with other large requests, or this one was slower than they are. Try again after the number of seconds in `Retry-After`.",
	"phone_invalid_format":       "The value is not an international number of 8 to 15 digits with its country code. Remove the zero of a national number and add the country code. A BSUID is not a number.",
	"rate_limited":               "The client has used up its limit. Wait for the number of seconds in `Retry-After`.",
	"request_timeout":            "The body did not arrive in time. Try again; a slow connection needs a shorter body.",
	"response_too_large":         "Every event repeats the name of its contact, and with so long a name the response would exceed 8 MiB. No real webhook does this.",
	"text_invalid":               "The text is not UTF-8, or contains control characters other than newline and tab. Remove them.",
	"text_too_long":              "The text has more than 4096 characters, or does not fit the QR code. Shorten it; the message names a larger `size` if one helps.",
	"unsupported_content_type":   "Send `Content-Type: application/json`.",
	"username_double_period":     "Two periods follow each other.",
	"username_edge_period":       "The username begins or ends with a period.",
	"username_invalid_chars":     "A username has only `a-z`, `0-9`, period and underscore, without `@`. The message suggests a form in lower case if that is enough.",
	"username_length":            "A username has 3 to 35 characters.",
	"username_no_letter":         "A username needs at least one letter. Digits alone would be read as a phone number.",
	"username_reserved_suffix":   "WhatsApp does not allow usernames that end like a domain or a web page, such as `.com` or `.html`.",
	"username_starts_with_www":   "WhatsApp does not allow usernames that begin with `www.`.",
	"webhook_invalid_json":       "The body is not JSON. Pass the body of the webhook as it arrived, without decoding and encoding it again.",
	"webhook_too_many_events":    "The webhook has more than 16,384 messages and statuses, or contacts. Split it; real webhooks hold at most 1,000.",
	"webhook_unrecognized_shape": "The body is JSON, but not a webhook of the Cloud API. Send the whole body with `entry`, or the `value` of one change.",

	// Reasons.
	"consecutive_dots":        "Two periods follow each other.",
	"invalid_character":       "A character is not one of `a-z`, `0-9`, period and underscore.",
	"leading_or_trailing_dot": "The username begins or ends with a period.",
	"leading_www":             "A business cannot claim a username that begins with `www`.",
	"no_letter":               "At least one letter is needed.",
	"reserved_domain_suffix":  "The username ends like a domain or a web page, such as `.com` or `.html`.",
	"too_long":                "The username has more than 35 characters.",
	"too_short":               "The username has fewer than 3 characters.",
	"uppercase_letter":        "The username has capital letters. Write them in lower case.",
}
