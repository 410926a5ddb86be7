package phone_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
)

// Numbers as people in a country write them, with the digits read off by hand; "" for a text
// that must be rejected.
func TestParseIn(t *testing.T) {
	for _, tt := range []struct{ country, text, digits string }{
		{"DE", "0171 1234567", "491711234567"},
		{"de", "(0)171 1234567", "491711234567"},
		{"DE", "0171/1234567", "491711234567"},
		{"DE", "171 1234567", "491711234567"},
		{"DE", "49 171 1234567", ""}, // or a number with the area code 491
		{"GB", "44 20 7946 0958", "442079460958"},
		{"DE", "0049 171 1234567", "491711234567"},
		{"DE", "+1 650 555 1234", "16505551234"},
		{"DE", "+1 650 555 12345", "165055512345"}, // Warnings reports it
		{"DE", "001 650 555 12345", ""},
		{"LT", "0011 370 312 34567", ""}, // or a number that was copied in Australia
		{"DE", "3456789", ""},            // Halle, or a local number in Hamburg
		{"DE", "4930123456", ""},
		{"DE", "+49 (0)171 1234567", ""},
		{"DE", "(0)049 171 1234567", ""},
		{"DE", "030 1234567/68", ""},
		{"DE", "0171 1234567,5", ""},
		{"DE", "", ""},
		{"US", "(650) 555-1234", "16505551234"},
		{"US", "1 650 555 1234", "16505551234"},
		{"US", "011 44 20 7946 0958", "442079460958"},
		{"US", "0044 20 7946 0958", "442079460958"},
		{"US", "416 555 1234", "14165551234"}, // Canada shares the plan
		{"US", "555 1234", ""},
		{"US", "+1 1 650 555 1234", ""},
		{"BR", "(11) 98765-4321", "5511987654321"},
		{"BR", "011 98765-4321", "5511987654321"},
		{"BR", "0 15 11 98765-4321", "5511987654321"}, // through the carrier 15
		{"BR", "0 15 98765-4321", "5515987654321"},    // the area 15
		{"BR", "11 8765-4321", "551187654321"},        // without the ninth digit
		{"AR", "011 15 3456-7890", "5491134567890"},
		{"AR", "11 3456-7890", "541134567890"},
		{"MX", "55 1234 5678", "525512345678"},
		{"IT", "06 1234 5678", "390612345678"},
		{"HU", "06 20 123 4567", "36201234567"},
		{"RU", "8 912 345-67-89", "79123456789"},
		{"RU", "8~10 1 650 555 1234", "16505551234"},
		{"AU", "0011 1 650 555 1234", "16505551234"},
		{"JP", "090-1234-5678", "819012345678"},
		{"KR", "001 65 9123 4567", ""}, // Singapore, or Alabama
		{"IN", "098765 43210", "919876543210"},
		{"IN", "98765 43210", "919876543210"},
		{"BM", "295 1234", "14412951234"},
		{"BM", "1 441 295 1234", "14412951234"},
		{"BM", "1 310 1234", ""}, // a Canadian number, or one in Bermuda without its area code
		{"KR", "010-6771-2345", "821067712345"},
	} {
		n, err := phone.ParseIn(tt.text, tt.country)
		require.Equal(t, tt.digits, n.String(), "%s %q: %v", tt.country, tt.text, err)
		if tt.digits == "" {
			require.ErrorIs(t, err, phone.CodeInvalid)
		}
	}
	for _, country := range []string{"", "D", "ZZ", "zz", "XX", "DEU", "001", "49", "ſk", "DE ", "d\xe9"} {
		_, err := phone.ParseIn("+49 171 1234567", country)
		require.ErrorIs(t, err, phone.CodeInvalidCountry, country)
		require.Equal(t, err, phone.CheckCountry(country))
		require.Equal(t, "country", problem.All(err)[0].Field)
	}
}

func ExampleCheckCountry() {
	fmt.Println(phone.CheckCountry("de"))
	fmt.Println(phone.CheckCountry("Germany"))
	// Output:
	// <nil>
	// country "Germany" is unknown; use an ISO 3166-1 code of two letters, such as DE
}

func FuzzParseIn(f *testing.F) {
	f.Add("0171 1234567", "DE")
	f.Add("0015 11 98765-4321", "BR")
	f.Fuzz(func(t *testing.T, s, country string) {
		n, err := phone.ParseIn(s, country)
		require.Equal(t, err != nil, n == phone.Number{})
		if want, parseErr := phone.Parse(s); err == nil && parseErr == nil && strings.Contains(s, "+") {
			require.Equal(t, want, n)
		}
	})
}

// A number that is too short because the area code is missing is told so, not to check its digits.
func TestParseInNamesMissingAreaCode(t *testing.T) {
	for written, country := range map[string]string{"901820": "DE", "4345-6789": "AR", "3456-7890": "BR", "555-1234": "US"} {
		_, err := phone.ParseIn(written, country)
		require.ErrorContains(t, err, "area code", written)
	}
	for written, country := range map[string]string{"0901": "DE", "12345": "NO"} {
		_, err := phone.ParseIn(written, country)
		require.ErrorIs(t, err, phone.CodeInvalid)
		require.NotContains(t, err.Error(), "area code", written)
	}
}

func TestForms(t *testing.T) {
	for text, want := range map[string][]string{
		"5491112345678": {"5491112345678", "541112345678"},
		"541112345678":  {"541112345678", "5491112345678"},
		"5511981234567": {"5511981234567", "551181234567"},
		"551181234567":  {"551181234567", "5511981234567"},
		"525512345678":  {"525512345678", "5215512345678"},
		"5215512345678": {"5215512345678", "525512345678"},
		"551121234567":  {"551121234567"},  // a landline
		"5511921234567": {"5511921234567"}, // never existed without the 9
		"16505551234":   {"16505551234"},

		"2250708123456": {"2250708123456", "22508123456"}, // mobile phones of Orange
		"22577123456":   {"22577123456", "2250777123456"},
		"22504123456":   {"22504123456", "2250504123456"}, // MTN
		"2250102123456": {"2250102123456", "22502123456"}, // Moov
		"22520321234":   {"22520321234", "2252720321234"}, // landlines
		"22520012345":   {"22520012345", "2252520012345"},
		"22520812345":   {"22520812345", "2252120812345"},
		"22530612345":   {"22530612345", "2252730612345"},
		"2250701234567": {"2250701234567"}, // never had 8 digits
		"2290197123456": {"2290197123456", "22997123456"},
		"22921123456":   {"22921123456", "2290121123456"},
	} {
		var got []string
		for _, n := range parseDigits(t, text).Forms() {
			got = append(got, n.String())
		}
		require.Equal(t, want, got)
	}
	require.Empty(t, phone.Number{}.Forms())
	require.Empty(t, phone.Number{}.E164())
	require.Empty(t, phone.Number{}.Warnings())
}

func TestServiceNumbersAndNames(t *testing.T) {
	require.Len(t, phone.MustParse("+800 0123 4567").Warnings(), 1) // services have no trunk prefix
	warnings := phone.MustParse("+54 11 15 3456-7890").Warnings()
	require.Len(t, warnings, 1)
	require.Contains(t, warnings[0].Message, "did you mean +5491134567890?")
	_, err := phone.Parse("+54 011 15 3456-7890")
	require.ErrorContains(t, err, "did you mean +5491134567890?")
	_, err = phone.ParseDigits("1")
	require.EqualError(t, err, "phone has 1 digit; 8 to 15 are allowed, including the country code")
	for number, name := range map[string]string{
		"+389 72 345 678": "North Macedonia", "+268 7612 3456": "Eswatini", "+90 532 123 45 67": "Türkiye", "+238 991 12 34": "Cabo Verde", "+853 6612 3456": "Macao",
	} {
		require.Equal(t, name, phone.MustParse(number).CountryName())
	}
}
