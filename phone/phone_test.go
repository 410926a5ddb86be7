package phone_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/vectors"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
)

func TestParseVectors(t *testing.T) {
	file, err := vectors.Load[string, string]("phone_parse_digits.json")
	require.NoError(t, err)
	for _, v := range file.Vectors {
		t.Run(v.ID, func(t *testing.T) {
			n, err := phone.ParseDigits(v.Input)
			require.Equal(t, v.Codes, problem.All(err).Codes())
			require.Equal(t, err == nil, n != phone.Number{})
			if v.Output == nil {
				require.Empty(t, n.String())
				return
			}
			require.Equal(t, *v.Output, n.String())
		})
	}
}

// Numbers as people write them, with the digits read off by hand; "" for a text that must
// be rejected. The international forms are those of business cards, web pages, address
// books and ITU-T E.123.
var written = []struct{ text, digits string }{
	// North America and the Caribbean
	{"+1 650 555 1234", "16505551234"},
	{"+1 (650) 555-1234", "16505551234"},
	{"+1-650-555-1234", "16505551234"},
	{"+1.650.555.1234", "16505551234"},
	{"1 (650) 555-1234", "16505551234"},
	{"(+1) 650 555 1234", "16505551234"},
	{"+1 650/555-1234", "16505551234"},
	{"001 650 555 1234", "16505551234"},
	{"011 44 20 7946 0958", ""},
	{"+1 650 555 1234 x5", ""},
	{"+1 650 555 1234 & 5", ""},
	{"+1 650 555 1234 ~ 99", ""},
	{"+1 650 555 1234/5678", ""},
	{"+1 650 555/1234", "16505551234"},
	{"+1/650 555 1234", "16505551234"},
	{"0044 20794/60958", "442079460958"},
	{"+1 (650 555-1234", "16505551234"},
	{"+1 650) 555-1234", "16505551234"},
	{"+1 ((650)) 555-1234", "16505551234"},
	{"+1 0650 555 1234", ""},
	{"+1 242 359 1234", "12423591234"},
	{"+1 876 210 1234", "18762101234"},
	// Germany, Austria, Switzerland
	{"+49 171 1234567", "491711234567"},
	{"+49 171/1234567", "491711234567"},
	{"+49 (171) 12 34 567", "491711234567"},
	{"+49-171-1234567", "491711234567"},
	{"0049 171 1234567", "491711234567"},
	{"0049 171/1234567", "491711234567"},
	{"00/49 171 1234567", "491711234567"},
	{"+49 30 12345-67", "49301234567"},
	{"+49 (0)171 1234567", ""},
	{"+49 （0）171 1234567", ""},
	{"+49（0）171 1234567", ""},
	{"+49 (\u00a00)171 1234567", ""},
	{"+49 (\t0)171 1234567", ""},
	{"+49 {0} 171 1234567", ""},
	{"+49 {171} 1234567", "491711234567"},
	{"+49 [0] 171 1234567", ""},
	{"+49 0171 1234567", ""},
	{"+49 (0171) 1234567", ""},
	{"+49/0171/1234567", ""},
	{"+49-0-171-1234567", ""},
	{"0171 1234567", ""},
	{"+49 171 1234567 (mobil)", ""},
	{"Tel. +49 171 1234567", ""},
	{"+49 30 1234567/68", ""},
	{"+43 1 234 5678", "4312345678"},
	{"+43 664/123 45 67", "436641234567"},
	{"+43 (0)664 123 45 67", ""},
	{"+41 79 123 45 67", "41791234567"},
	{"+41 079 123 45 67", ""},
	// France, Belgium, Netherlands
	{"+33 6 12 34 56 78", "33612345678"},
	{"+33.6.12.34.56.78", "33612345678"},
	{"+33 (06) 12 34 56 78", ""},
	{"+33 (0) 6 12 34 56 78", ""},
	{"06 12 34 56 78", ""},
	{"+32 470 12 34 56", "32470123456"},
	{"+32/470/12.34.56", "32470123456"},
	{"+31 6 12345678", "31612345678"},
	{"+31 (0)6-12345678", ""},
	// United Kingdom and Ireland
	{"+44 20 7946 0958", "442079460958"},
	{"+44 (20) 7946 0958", "442079460958"},
	{"+44 (020) 7946 0958", ""},
	{"+44 (0) 20 7946 0958", ""},
	{"+44 7911 123456", "447911123456"},
	{"07700 900123", ""},
	{"+44 20 7946 0958/0959", ""},
	{"+353 86 123 4567", "353861234567"},
	// The zero belongs to the number
	{"+39 06 1234 5678", "390612345678"},
	{"+39 (06) 1234 5678", "390612345678"},
	{"+39 (0)6 1234 5678", ""},
	{"+39 333 123 4567", "393331234567"},
	{"+378 0549 882914", "3780549882914"},
	{"+39 06 698 12345", "390669812345"},
	{"+225 07 12 34 56 78", "2250712345678"},
	{"+241 06 03 12 34", "24106031234"},
	{"+242 06 612 3456", "242066123456"},
	{"+229 01 95 12 34 56", "2290195123456"},
	// Southern and eastern Europe
	{"+34 612 34 56 78", "34612345678"},
	{"+351 912 345 678", "351912345678"},
	{"+376 312 345", "376312345"},
	{"+376 312 345/346", ""},
	{"+376 312345/312346", ""},
	{"+372 5123 4567", "37251234567"},
	{"+372 5123 4567 / 8", ""},
	{"+372 512 3456/512 3457", ""},
	{"+48 512 345 678", "48512345678"},
	{"+420 601 123 456", "420601123456"},
	{"+36 20 123 4567", "36201234567"},
	{"+30 691 234 5678", "306912345678"},
	{"+7 912 345-67-89", "79123456789"},
	{"8 912 345 67 89", "89123456789"}, // a warning
	{"+380 50 123 45 67", "380501234567"},
	{"+90 532 123 45 67", "905321234567"},
	{"+90 (0532) 123 45 67", ""},
	// Nordic countries
	{"+45 20 12 34 56", "4520123456"},
	{"+47 406 12 345", "4740612345"},
	{"+46 70-123 45 67", "46701234567"},
	{"+46 (0)70-123 45 67", ""},
	{"+358 40 123 4567", "358401234567"},
	{"+354 611 1234", "3546111234"},
	{"+298 211234", "298211234"},
	// Latin America
	{"+55 11 98765-4321", "5511987654321"},
	{"+55 (11) 98765-4321", "5511987654321"},
	{"+55 (011) 98765-4321", ""},
	{"+52 1 55 1234 5678", "5215512345678"},
	{"+52 (55) 1234-5678", "525512345678"},
	{"+54 9 11 1234-5678", "5491112345678"},
	{"+57 300 123 4567", "573001234567"},
	{"+56 9 8765 4321", "56987654321"},
	{"+51 987 654 321", "51987654321"},
	{"+598 94 123 456", "59894123456"},
	{"+593 99 123 4567", "593991234567"},
	// Africa and the Middle East
	{"+27 82 123 4567", "27821234567"},
	{"+27 (082) 123 4567", ""},
	{"+234 803 123 4567", "2348031234567"},
	{"+254 712 345678", "254712345678"},
	{"+254 0712 345678", ""},
	{"+20 100 123 4567", "201001234567"},
	{"+212 612-345678", "212612345678"},
	{"+233 24 123 4567", "233241234567"},
	{"+971 50 123 4567", "971501234567"},
	{"+974 055 123 456", ""},
	{"+966 50 123 4567", "966501234567"},
	{"\u200e+972 50-234-5678\u200e", "972502345678"},
	{"+972-050-123-4567", ""},
	// Asia and the Pacific
	{"+91 98765 43210", "919876543210"},
	{"+91-98765-43210", "919876543210"},
	{"98765 43210", "9876543210"}, // a warning
	{"098765 43210", ""},
	{"+86 138 0013 8000", "8613800138000"},
	{"＋86（138）0013－8000", "8613800138000"},
	{"+81 90-1234-5678", "819012345678"},
	{"+81 090 1234 5678", ""},
	{"+81 (0)90-1234-5678", ""},
	{"０９０１２３４５６７８", ""}, // 0 in front
	{"+82 10-1234-5678", "821012345678"},
	{"+65 9123 4567", "6591234567"},
	{"+62 812-3456-7890", "6281234567890"},
	{"+62 0812 3456 7890", ""},
	{"+63 917 123 4567", "639171234567"},
	{"+60 12-345 6789", "60123456789"},
	{"+92 300 1234567", "923001234567"},
	{"+880 1712-345678", "8801712345678"},
	{"+61 412 345 678", "61412345678"},
	{"+61 (0)412 345 678", ""},
	{"+64 21 123 4567", "64211234567"},
	{"+683 4002", "6834002"}, // seven digits
	{"+690 7290", "6907290"},
	{"+290 8999", "2908999"},
	{"+683 2002", ""}, // Niue has no such number
	{"+49 12345", ""},
	{"+683 4002 +683 4003", ""},
	{"+683 4002/4003", ""},
	{"+688 20123/20124", ""},
	// Characters
	{"\u202a+49 171 1234567\u202c", "491711234567"},
	{"\u2068+49 171 1234567\u2069", "491711234567"},
	{" \ufeff+49\u00a0171\u202f1234567\n", "491711234567"},
	{"+49\u2011171\u20131234567", "491711234567"},
	{"+49\u2010171\u2212123\u20144567", "491711234567"},
	{"+49 171\u200b1234567", "491711234567"},
	{"+49\u202e171 1234567", "491711234567"},
	{"++49 171 1234567", "491711234567"},
	{"+49 +171 1234567", ""},
	{"49+171 1234567", ""},
	{"-49 171 1234567", "491711234567"},
	{"+-49 171 1234567", "491711234567"},
	{"12345678\n1234567", ""},
	{"+49 171 1234567\n+49 171 1234568", ""},
	{"+49 171\t1234567", ""},
	{"+49 171 () 1234567", "491711234567"},
	{"+49 171 1234567.", "491711234567"},
	{"+٤٩ ١٧١ ١٢٣٤٥٦٧", "491711234567"},
	{"+٤٩ ١٧١ 1234567", ""},
	{"16505551234@c.us", ""},
	{"wa.me/16505551234", ""},
	{"tel:+1-650-555-1234", ""},
	{"1.65055E+10", ""},
	{"+", ""},
	{"", ""},
	{"+999 12345678", "99912345678"}, // a warning
	{"+999 0 1234567", "99901234567"},
}

func TestWritten(t *testing.T) {
	require.Greater(t, len(written), 150)
	for _, tt := range written {
		n, err := phone.ParseDigits(tt.text)
		require.Equal(t, tt.digits, n.String(), "%q: %v", tt.text, err)
		require.Equal(t, tt.digits == "", err != nil, "%q", tt.text)
		if err != nil {
			require.ErrorIs(t, err, phone.CodeInvalid)
			require.Equal(t, "phone", problem.All(err)[0].Field)
			continue
		}
		_, warnings, err := phone.Inspect(tt.text)
		require.NoError(t, err)
		expected := strings.HasPrefix(tt.digits, "999") || tt.text == "8 912 345 67 89" || tt.text == "98765 43210"
		require.Equal(t, expected, len(impossible(n)) > 0, "%q: %v", tt.text, impossible(n))
		typed := strings.TrimLeft(tt.text, " (\ufeff\u200e\u202a\u2068")
		international := strings.HasPrefix(typed, "+") || strings.HasPrefix(typed, "＋") || strings.HasPrefix(typed, "00")
		if !international {
			require.Equal(t, problem.Code("phone_missing_plus"), warnings[0].Code, "%q", tt.text)
			warnings = warnings[1:]
		}
		require.Equal(t, impossible(n), append(problem.List(nil), warnings...), "%q", tt.text)
		same, err := phone.Parse(tt.text)
		require.Equal(t, international, err == nil)
		if err == nil {
			require.Equal(t, n, same)
		}
	}
}

// impossible returns the warnings of a number without separators.
func impossible(n phone.Number) problem.List { return n.Warnings() }

// National numbers that people leave without their country code. With another country's
// code, they belong to nobody.
func TestNationalNumbersGetWarnings(t *testing.T) {
	for _, s := range []string{
		"917-555-1234", "98765 43210", "(11) 98765-4321", "8 912 345-67-89", "612 34 56 78", "333 123 4567", "912 345 678",
		"55 1234 5678", "9123 4567", "20 12 34 56", "415 555 2671", "7911 123456",
	} {
		n, warnings, err := phone.Inspect(s)
		require.NoError(t, err, s)
		require.Len(t, warnings, 2, s)
		require.Len(t, impossible(n), 1, s)
	}
	for _, s := range []string{"16505551234", " 16505551234\r\n", "\u202a16505551234\u202c", "(16505551234)"} {
		_, warnings, err := phone.Inspect(s)
		require.NoError(t, err)
		require.Empty(t, warnings, "digits alone need no plus")
	}
}

func TestMessages(t *testing.T) {
	for text, want := range map[string]string{
		"01512 3456789":         "phone begins with 0, so it is a national number; replace the 0 with the country code, as in +49 171 1234567 for 0171 1234567",
		"011 44 20 7946 0958":   "phone begins with 0; begin with + and the country code (did you mean +442079460958?)",
		"010 1 650 555 1234":    "phone begins with 0; begin with + and the country code (did you mean +16505551234?)",
		"+0171 1234567":         "phone has 0 after the + or 00; write the country code there, as in +49 171 1234567",
		"+49 (0)171 1234567":    "phone contains (0), which is dialed only within the country; leave it out (did you mean +491711234567?)",
		"+49 (0) 0171 1234567":  "phone contains (0), which is dialed only within the country; leave it out (did you mean +491711234567?)",
		"0049 (0)171 1234567":   "phone contains (0), which is dialed only within the country; leave it out (did you mean +491711234567?)",
		"00":                    "phone has 0 digits; 8 to 15 are allowed, including the country code",
		"+0":                    "phone has 0 after the + or 00; write the country code there, as in +49 171 1234567",
		"+39 (0)6 1234 5678":    "phone contains (0), but the 0 is part of the number; write it without brackets (did you mean +390612345678?)",
		"+39 (0)333 1234567":    "phone contains (0), and there are numbers with and without this 0; write the number that is dialed from abroad",
		"+241 (0)6 03 12 34":    "phone contains (0), and there are numbers with and without this 0; write the number that is dialed from abroad",
		"+44 (020) 7946 0958":   "phone has 0 after +44 (United Kingdom and others), where people's numbers don't begin with 0; leave it out or correct the country code (did you mean +442079460958?)",
		"+65 05551234":          "phone has 0 after +65 (Singapore), where people's numbers don't begin with 0; leave it out or correct the country code",
		"+1 650 555 1234,,5":    `phone contains ",", which begins an extension or a dial command; enter the number without it (did you mean +16505551234?)`,
		"*31#16505551234":       `phone contains "*", which begins an extension or a dial command; enter the number without it`,
		"+1 650 555 1234 x12":   `phone contains "x"; only digits, spaces and symbols are allowed (did you mean +16505551234?)`,
		"tel:+16505551234":      `phone contains "t"; only digits, spaces and symbols are allowed (did you mean +16505551234?)`,
		"Tel. +49 171 1234567":  `phone contains "T"; only digits, spaces and symbols are allowed (did you mean +491711234567?)`,
		"tel:+1 650":            `phone contains "t"; only digits, spaces and symbols are allowed`,
		"{49} +1 650 555 1234":  "phone has a + that isn't in front; enter one number",
		"+1 650 ٣":              `phone contains digits of several scripts, such as "٣"; write all of them in one`,
		"+1 650 555 1234\u20e3": "phone contains U+20E3; only digits, spaces and symbols are allowed",
		"+1\u0301 6505551234":   "phone contains U+0301; only digits, spaces and symbols are allowed",
		"+491711234567.0":       `phone ends with ".0", as spreadsheets write numbers; write it without (did you mean +491711234567?)`,
		"650 555 1234.0":        "phone has 0 after +65 (Singapore), where people's numbers don't begin with 0; leave it out, or begin with + and the country code",
		"+491711234567 (1)":     `phone contains "(", which can separate two numbers; write one number without it (did you mean +491711234567?)`,
		"+49 171 1234567;ext=5": `phone contains ";", which begins an extension or a dial command; enter the number without it (did you mean +491711234567?)`,
		"491711234567,0":        `phone contains ",", which begins an extension or a dial command; enter the number without it (did you mean +491711234567?)`,
		"4,91711E+11":           "phone has lost digits, because a spreadsheet has shortened it; format the column as text, and enter the number again",
		"+4.91711E11":           "phone has lost digits, because a spreadsheet has shortened it; format the column as text, and enter the number again",
		"6208123456789":         "phone has 0 after +62 (Indonesia), where people's numbers don't begin with 0; leave it out, or begin with + and the country code (did you mean +628123456789?)",
		"+1 650 +1 650":         "phone has a + that isn't in front; enter one number",
		"12345678\n1234567":     "phone has several lines; enter one number",
		"+376 312 345/346":      `phone contains "/", which can separate two numbers; write one number without it (did you mean +376312345?)`,
		// A suggestion must not be somebody else's number: these are numbers of São Paulo,
		// Seoul and Beijing, and two numbers in one text.
		"(011) 98765-4321":        "phone begins with 0, so it is a national number; replace the 0 with the country code, as in +49 171 1234567 for 0171 1234567",
		"010-6771-2345":           "phone begins with 0, so it is a national number; replace the 0 with the country code, as in +49 171 1234567 for 0171 1234567",
		"011 3583 6439":           "phone begins with 0, so it is a national number; replace the 0 with the country code, as in +49 171 1234567 for 0171 1234567",
		"011 354 611 1234":        "phone begins with 0; begin with + and the country code (did you mean +3546111234?)",
		"(0)049 171 1234567":      "phone begins with 0, so it is a national number; replace the 0 with the country code, as in +49 171 1234567 for 0171 1234567",
		"0(0)49 171 1234567":      "phone begins with 0, so it is a national number; replace the 0 with the country code, as in +49 171 1234567 for 0171 1234567",
		"Tel. +49 30 1234567/68":  `phone contains "T"; only digits, spaces and symbols are allowed`,
		"Tel. +376 312 345/346":   `phone contains "T"; only digits, spaces and symbols are allowed`,
		"Tel. +39 (0)6 1234 5678": `phone contains "T"; only digits, spaces and symbols are allowed`,
		"+241 (0)06 03 12 34":     "phone contains (0), which is dialed only within the country; leave it out (did you mean +24106031234?)",
		"+39 (0)06 1234 5678":     "phone contains (0), which is dialed only within the country; leave it out (did you mean +390612345678?)",
		"+36 (06 1) 234 5678":     "phone has 0 after +36 (Hungary), where people's numbers don't begin with 0; leave it out or correct the country code (did you mean +3612345678?)",
		"+36 06 20 123 4567":      "phone has 0 after +36 (Hungary), where people's numbers don't begin with 0; leave it out or correct the country code (did you mean +36201234567?)",
		"+36 (0)66 123 456":       "phone contains (0), which is dialed only within the country; leave it out",
		"12345":                   "phone has 5 digits; 8 to 15 are allowed, including the country code",
		"+1234567890123456":       "phone has 16 digits; 8 to 15 are allowed, including the country code",
		"0":                       "phone has 1 digit; 8 to 15 are allowed, including the country code",
	} {
		_, err := phone.ParseDigits(text)
		require.EqualError(t, err, want, "%q", text)
	}
	_, warnings, err := phone.Inspect("0171 1234567")
	require.ErrorIs(t, err, phone.CodeInvalid)
	require.Empty(t, warnings)
	_, err = phone.Parse("917 555 1234")
	require.EqualError(t, err, "phone has no plus in front; begin with + and the country code, as in +1 650 555 1234")
	require.ErrorIs(t, err, phone.CodeMissingPlus)
	_, err = phone.Parse("1 650 555 1234")
	require.EqualError(t, err, "phone has no plus in front; begin with + and the country code, as in +1 650 555 1234 (did you mean +16505551234, United States?)")
}

func parseDigits(t *testing.T, s string) phone.Number {
	t.Helper()
	n, err := phone.ParseDigits(s)
	require.NoError(t, err, s)
	return n
}

func TestWarnings(t *testing.T) {
	for number, want := range map[string]string{
		"999 12345678":      "phone_unassigned_country_code: phone begins with +999; no country has that calling code",
		"210 12345678":      "phone_unassigned_country_code: phone begins with +210; no country has that calling code",
		"1 119 876 5432":    "phone_unassigned_prefix: phone has 119 after +1 (United States, Canada and others); no number there begins with these digits",
		"1 650 555 12345":   "phone_impossible_length: phone has 11 digits after +1 (United States); numbers that begin with 650 have 10",
		"54 11 15 34567890": "phone_impossible_length: phone has 12 digits after +54 (Argentina); numbers that begin with 111 have 10 (did you mean +5491134567890?)",
		"98 9123456":        "phone_impossible_length: phone has 7 digits after +98 (Iran); numbers that begin with 912 have 10",
		"52 1 55 1234 5678": "", // the two forms that WhatsApp uses
		"55 11 8123 4567":   "",
		"54 11 1234 5678":   "",
		"16505551234":       "",
	} {
		warnings := impossible(parseDigits(t, number))
		if want == "" {
			require.Empty(t, warnings, number)
			continue
		}
		require.Len(t, warnings, 1, number)
		require.Equal(t, want, fmt.Sprintf("%s: %s", warnings[0].Code, warnings[0].Message))
		require.Equal(t, "phone", warnings[0].Field)
	}
}

// Countries by their calling codes, as ITU-T E.164 assigns them.
func TestCountry(t *testing.T) {
	for number, want := range map[string]string{
		"982123456789": "98 Iran IR", "16505551234": "1 United States US", "14165551234": "1 Canada CA", "18005551234": "1 United States, Canada and others ",
		"79123456789": "7 Russia RU", "77012345678": "7 Kazakhstan KZ", "442079460958": "44 United Kingdom GB", "18762101234": "1 Jamaica JM",
		"919876543210": "91 India IN", "5511987654321": "55 Brazil BR", "393331234567": "39 Italy and Vatican City ", "35312345678": "353 Ireland IE",
		"38349123456": "383 Kosovo XK", "97250123456": "972 Israel IL", "6801234567": "680 Palau PW", "992123456789": "992 Tajikistan TJ", "998901234567": "998 Uzbekistan UZ",
		"80012345678": "800 international freephone ", "99912345678": "  ", "2101234567": "  ", "491711234567": "49 Germany DE", "201001234567": "20 Egypt EG",
	} {
		n := parseDigits(t, number)
		require.Equal(t, want, n.CallingCode()+" "+n.CountryName()+" "+n.CountryCode(), number)
	}
	require.Empty(t, phone.Number{}.CallingCode()+phone.Number{}.CountryName()+phone.Number{}.CountryCode())
}

func TestPhoneSame(t *testing.T) {
	for _, pair := range [][2]string{ // the other form, the canonical form
		{"541112345678", "5491112345678"},
		{"542234567890", "5492234567890"},
		{"543874567890", "5493874567890"},
		{"551161234567", "5511961234567"},
		{"551191234567", "5511991234567"},
		{"5215512345678", "525512345678"},
	} {
		other, canonical := parseDigits(t, pair[0]), parseDigits(t, pair[1])
		require.True(t, other.Same(canonical), pair)
		require.True(t, canonical.Same(other), pair)
		require.Equal(t, canonical, other.Canonical())
		require.Equal(t, canonical, canonical.Canonical())
		require.Equal(t, pair[0], other.String(), "not rewritten")
	}
	for _, pair := range [][2]string{
		{"16505551234", "16505551235"},
		{"551121234567", "5511921234567"},   // a landline in Brazil
		{"551151234567", "5511951234567"},   // also a landline
		{"5415512345", "54915512345"},       // too short for Argentina
		{"544112345678", "5494112345678"},   // no area code in Argentina begins with 4
		{"52155123456", "525512345"},        // too short for Mexico
		{"52155123456789", "5255123456789"}, // too long
		{"561112345678", "5691112345678"},   // Chile
		{"5311123456789", "53911123456789"}, // Cuba
	} {
		one, other := parseDigits(t, pair[0]), parseDigits(t, pair[1])
		require.False(t, one.Same(other), pair)
		require.Equal(t, one, one.Canonical())
		require.Equal(t, other, other.Canonical())
	}
	require.True(t, phone.Number{}.Same(phone.Number{}))
	require.Zero(t, phone.Number{}.Canonical())
}

// A second form of the grammar, made of regular expressions. The table decides the rest: see uncertain.
const ignorable = `\x{ad}\x{34f}\x{61c}\x{115f}\x{1160}\x{17b4}\x{17b5}\x{180b}-\x{180f}\x{200b}-\x{200f}\x{202a}-\x{202e}\x{2060}-\x{206f}\x{3164}\x{fe00}-\x{fe0f}\x{feff}\x{ffa0}\x{fff0}-\x{fff8}\x{1bca0}-\x{1bca3}\x{1d173}-\x{1d17a}\x{e0000}-\x{e0fff}`

var (
	around     = regexp.MustCompile(`\A[\s\v\x{85}\p{Z}\p{P}\p{S}\p{Cf}` + ignorable + `]*|[\s\v\x{85}\p{Z}\p{P}\p{S}\p{Cf}` + ignorable + `]*\z`)
	refused    = regexp.MustCompile(`[,;#*，；＃＊﹐﹔﹟﹡︐︔\x{fffd}]`)
	anyPlus    = regexp.MustCompile(`[+＋﹢➕⁺₊]`)
	separators = regexp.MustCompile(`[\p{Zs}.．()（）\-\x{2010}-\x{2015}\x{2212}\x{fe58}\x{fe63}\x{ff0d}` + ignorable + `]`)
	symbols    = regexp.MustCompile(`[\p{P}\p{S}\p{Cf}]`)
	loneZero   = regexp.MustCompile(`[\p{Ps}\p{Pi}<][^0-9]*0[^0-9]*?[\p{Pe}\p{Pf}>]`)
	complete   = regexp.MustCompile(`\A[1-9][0-9]{6,14}\z`)

	// uncertain matches the errors for which the numbering table is needed.
	uncertain = regexp.MustCompile(`where people's numbers don't begin with 0|which can separate two numbers|as spreadsheets write numbers|phone has 7 digits`)
)

// inASCII replaces digits of other scripts.
func inASCII(s string) (ascii string, scripts int) {
	zeros := map[rune]bool{}
	return strings.Map(func(r rune) rune {
		if !unicode.IsDigit(r) {
			return r
		}
		value := digitValue(r)
		zeros[r-value] = true
		return '0' + value
	}, s), len(zeros)
}

// digitValue returns a decimal digit's value. The digits of all scripts but the mathematical ones begin
// at a code point whose hexadecimal form ends with 0 or 6.
func digitValue(r rune) rune {
	switch {
	case 0x1d7ce <= r && r <= 0x1d7ff:
		return (r - 0x1d7ce) % 10
	case r&15 >= 6 && !unicode.IsDigit(r&^15):
		return r&15 - 6
	default:
		return r & 15
	}
}

func FuzzParseDigits(f *testing.F) {
	for _, tt := range written {
		f.Add(tt.text)
	}
	for _, s := range slashed {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, written string) {
		s, scripts := inASCII(written)
		parts := around.FindAllString(s, 2)
		inner := around.ReplaceAllString(s, "")
		plus := len(parts) > 0 && strings.HasPrefix(s, parts[0]) && anyPlus.MatchString(parts[0])
		zero := loneZero.MatchString(s)
		plain := separators.ReplaceAllString(inner, "")
		digits := symbols.ReplaceAllString(plain, "")
		doubtful := plain != digits
		if rest, found := strings.CutPrefix(digits, "00"); found && !plus && !zero {
			digits, plus = rest, true
		}
		valid := utf8.ValidString(s) && scripts < 2 && !refused.MatchString(s) && !anyPlus.MatchString(inner) && complete.MatchString(digits) && !zero

		n, err := phone.ParseDigits(written)
		if err != nil {
			require.ErrorIs(t, err, phone.CodeInvalid)
			require.Zero(t, n)
			require.True(t, !valid || uncertain.MatchString(err.Error()), "%q: %v", written, err)
			return
		}
		require.True(t, valid, "%q", written)
		require.Equal(t, digits, n.String())
		if doubtful {
			require.Empty(t, n.Warnings(), "%q", written)
		}
		_, err = phone.Parse(written)
		require.Equal(t, plus, err == nil)
		if !plus {
			require.ErrorIs(t, err, phone.CodeMissingPlus)
		}
		for _, text := range []string{n.String(), n.E164()} {
			again, err := phone.ParseDigits(text)
			require.NoError(t, err)
			require.Equal(t, n, again)
		}
		require.Equal(t, n.CallingCode() == "", n.CountryName() == "")
		require.True(t, strings.HasPrefix(n.String(), n.CallingCode()))
		require.LessOrEqual(t, len(n.Warnings()), 1)
		require.Equal(t, n.Canonical(), n.Canonical().Canonical())
		require.Equal(t, n, n.Forms()[0])
		for _, form := range n.Forms() {
			require.True(t, n.Same(form))
		}
		require.Contains(t, n.Forms(), n.Canonical())
	})
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, _ = phone.ParseDigits("+1 (650) 555-1234")
	}
}

func BenchmarkWarnings(b *testing.B) {
	n := phone.MustParse("+998901234567")
	b.ReportAllocs()
	for b.Loop() {
		_ = impossible(n)
	}
}
