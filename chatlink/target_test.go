package chatlink_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
)

func TestParseTarget(t *testing.T) {
	for written, want := range map[string]string{
		"jane.doe":                   "https://wa.me/jane.doe",
		"@jane.doe":                  "https://wa.me/jane.doe",
		" @Jane.Doe\n":               "https://wa.me/jane.doe",
		"\u2066@jane\u2069":          "https://wa.me/jane",
		"@16505551234x5":             "https://wa.me/16505551234x5",
		"16505551234x":               "https://wa.me/16505551234x",
		"1990x2":                     "https://wa.me/1990x2",
		"16505551234max5":            "https://wa.me/16505551234max5",
		"+49 171 1234567":            "https://wa.me/491711234567",
		"0049 171 1234567":           "https://wa.me/491711234567",
		"491711234567":               "https://wa.me/491711234567",
		"+49 171/1234567":            "https://wa.me/491711234567",
		"tel:+49-171-1234567":        "https://wa.me/491711234567",
		"TEL:%2B491711234567":        "https://wa.me/491711234567",
		"https://wa.me/JANE?text=Hi": "https://wa.me/jane?text=Hi",
		"wa.me/16505551234":          "https://wa.me/16505551234",
		"https://api.whatsapp.com/send?phone=+4917": "",
		"whatsapp://send?phone=16505551234":         "https://wa.me/16505551234",
		"chat.whatsapp.com/AbC":                     "https://chat.whatsapp.com/AbC",
	} {
		target, err := chatlink.ParseTarget(written)
		if want == "" {
			require.Error(t, err, written)
			require.Zero(t, target)
			continue
		}
		require.NoError(t, err, written)
		link, err := target.Link("")
		require.NoError(t, err)
		require.Equal(t, want, link.String(), written)
		require.Empty(t, target.Warnings(), written)
		again, err := chatlink.ParseTarget(target.String())
		require.NoError(t, err)
		require.Equal(t, target, again, written)
	}
	for written, code := range map[string]problem.Code{
		"":                            chatlink.CodeMissingTarget,
		" \u200e\t":                   chatlink.CodeMissingTarget,
		"US.13491208655302741918":     chatlink.CodeTargetIsBSUID,
		"US.ENT.11815799212886844830": chatlink.CodeTargetIsBSUID,
		"jd":                          busname.CodeInvalidLength,
		"jane@example.com":            busname.CodeInvalidChars,
		"tel:jane":                    phone.CodeInvalid,
		"tel:%zz":                     chatlink.CodeUnrecognizedLink,
		"0171 1234567":                phone.CodeInvalid,
		"+49 171 1234567 ext. 5":      phone.CodeInvalid,
		"16505551234x5":               phone.CodeInvalid,
		"4.91711E+11":                 phone.CodeInvalid,
		"4,91711E+11":                 phone.CodeInvalid,
		"4.91711e11":                  phone.CodeInvalid,
		"650.555.1234_ext.12":         phone.CodeInvalid,
		"(650) 555-1234 Extension: 5": phone.CodeInvalid,
		"wa.me":                       chatlink.CodeUnrecognizedLink,
		"https://example.com/jane":    chatlink.CodeUnrecognizedLink,
		"example/jane":                chatlink.CodeUnrecognizedLink,
	} {
		target, err := chatlink.ParseTarget(written)
		require.ErrorIs(t, err, code, written)
		require.Zero(t, target)
	}
}

func TestTargetWarnings(t *testing.T) {
	for written, code := range map[string]problem.Code{
		"917 555 1234":          phone.CodeMissingPlus,
		"tel:917-555-1234":      phone.CodeMissingPlus,
		"+210 1234 5678":        phone.CodeUnassignedCountry,
		"wa.me/21012345678":     phone.CodeUnassignedCountry,
		"@whatsapp.fan":         busname.CodeBrandWord,
		"https://wa.me/acme.io": busname.CodeBusinessSuffix,
	} {
		target, err := chatlink.ParseTarget(written)
		require.NoError(t, err, written)
		require.Contains(t, target.Warnings().Codes(), code, written)
	}
	require.Empty(t, chatlink.Target{}.Warnings())
}

// A stored target can be read again.
func TestTargetStringParses(t *testing.T) {
	for written, want := range map[string]string{
		"491711234567":                   "+491711234567",
		"390612345678":                   "+390612345678",
		"https://wa.me/917-555-1234":     "+9175551234",
		"https://wa.me/491711234567":     "+491711234567",
		"wa.me/491711234567?text=Hi":     "https://wa.me/491711234567?text=Hi",
		"https://wa.me/c/491711234567":   "https://wa.me/c/491711234567",
		"https://wa.me/p/1/491711234567": "https://wa.me/p/1/491711234567",
	} {
		target, err := chatlink.ParseTarget(written)
		require.NoError(t, err, written)
		text, err := target.MarshalText()
		require.NoError(t, err)
		require.Equal(t, want, string(text))

		var again chatlink.Target
		require.NoError(t, again.UnmarshalText(text), written)
		require.Equal(t, target.Phone(), again.Phone())
		require.Equal(t, want, again.String())
	}
}

func TestTargetText(t *testing.T) {
	for written, want := range map[string]string{
		"jane":                    "https://wa.me/jane?text=New",
		"+1 650 555 1234":         "https://wa.me/16505551234?text=New",
		"wa.me/jane?text=Old":     "https://wa.me/jane?text=New",
		"wa.me/?text=Old":         "https://wa.me/?text=New",
		"wa.me/c/16505551234":     "",
		"wa.me/p/1/16505551234":   "",
		"wa.me/qr/AbC":            "",
		"wa.me/message/AbC":       "",
		"chat.whatsapp.com/AbC":   "",
		"whatsapp.com/channel/Ab": "",
	} {
		target, err := chatlink.ParseTarget(written)
		require.NoError(t, err, written)
		link, err := target.Link("New")
		if want == "" {
			require.ErrorIs(t, err, chatlink.CodeTextNotSupported, written)
			require.Empty(t, link)
		} else {
			require.NoError(t, err, written)
		}
		require.Equal(t, want, link.String())
		unchanged, err := target.Link(" ")
		require.NoError(t, err)
		require.Equal(t, unchanged, must(target.Link("")), "a blank text changes nothing")
		_, err = target.Link("\x00")
		require.ErrorIs(t, err, chatlink.CodeInvalidText)
	}
	_, err := chatlink.Target{}.Link("Hi")
	require.ErrorIs(t, err, chatlink.CodeMissingTarget)
	_, err = chatlink.Target{}.Link("")
	require.ErrorIs(t, err, chatlink.CodeMissingTarget)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestParseTargetIn(t *testing.T) {
	for written, want := range map[string]string{
		"0171 1234567":                  "+491711234567",
		"tel:0171-1234567":              "+491711234567",
		"+1 650 555 1234":               "+16505551234",
		"@Jane":                         "@jane",
		"wa.me/16505551234":             "+16505551234",
		"https://wa.me/c/4917112345678": "https://wa.me/c/4917112345678",
	} {
		target, err := chatlink.ParseTargetIn(written, "de")
		require.NoError(t, err, written)
		require.Equal(t, want, target.String())
		require.Empty(t, target.Warnings())
	}
	for _, written := range []string{"0171 1234567", "@jane", "wa.me/jane"} {
		target, err := chatlink.ParseTargetIn(written, "XX")
		require.ErrorIs(t, err, phone.CodeInvalidCountry, written)
		require.Zero(t, target)
	}
}

func ExampleParseTargetIn() {
	target, err := chatlink.ParseTargetIn("0171 1234567", "DE")
	fmt.Println(target, err)
	// Output: +491711234567 <nil>
}

// Whatever is accepted has a link that leads to the same target.
func FuzzParseTarget(f *testing.F) {
	for _, s := range []string{"@Jane.Doe", "+49 171 1234567", "650 555 1234", "tel:+1-650-555-1234", "wa.me/c/16505551234", "US.1", "wa.me/?text=Hi", "\u200f@x.y_z"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		target, err := chatlink.ParseTarget(s)
		if err != nil {
			require.NotEmpty(t, problem.All(err))
			require.Zero(t, target)
			return
		}
		link, err := target.Link("")
		require.NoError(t, err)
		again, err := chatlink.ParseTarget(link.String())
		require.NoError(t, err)
		require.Equal(t, link, must(again.Link("")))
	})
}

func ExampleParseTarget() {
	for _, written := range []string{"@Jane.Doe", "+49 171 1234567", "https://wa.me/16505551234?text=Hi", "917 555 1234"} {
		target, err := chatlink.ParseTarget(written)
		if err != nil {
			fmt.Println(err)
			continue
		}
		link, err := target.Link("")
		fmt.Println(link, err)
		for _, w := range target.Warnings() {
			fmt.Println("warning:", w.Code)
		}
	}
	_, err := chatlink.ParseTarget("US.13491208655302741918")
	fmt.Println(err)
	// Output:
	// https://wa.me/jane.doe <nil>
	// https://wa.me/491711234567 <nil>
	// https://wa.me/16505551234?text=Hi <nil>
	// https://wa.me/9175551234 <nil>
	// warning: phone_missing_plus
	// warning: phone_impossible_length
	// target is a business-scoped user ID, which no link can open; enter the person's username or phone number, or reply through the Cloud API
}
