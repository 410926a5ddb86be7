package bsuid_test

import (
	"encoding"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/internal/check/vectors"
	"github.com/hailmark/hailmark/problem"
)

var (
	_ encoding.TextMarshaler   = bsuid.BSUID{}
	_ encoding.TextUnmarshaler = (*bsuid.BSUID)(nil)
)

type output struct {
	CountryCode  string `json:"countryCode"`
	ID           string `json:"id"`
	IsParent     bool   `json:"isParent"`
	CountryKnown bool   `json:"countryKnown"`
}

func testVectors(t *testing.T, name string, parse func(string) (bsuid.BSUID, error)) {
	t.Helper()
	file, err := vectors.Load[string, output](name)
	require.NoError(t, err)
	for _, v := range file.Vectors {
		t.Run(v.ID, func(t *testing.T) {
			b, err := parse(v.Input)
			if v.Output == nil {
				require.Equal(t, []problem.Code{bsuid.CodeInvalid}, v.Codes)
				require.ErrorIs(t, err, bsuid.CodeInvalid)
				require.Zero(t, b)
				return
			}
			require.NoError(t, err)
			require.Equal(t, *v.Output, output{b.CountryCode(), b.ID(), b.IsParent(), b.CountryKnown()})
			require.Equal(t, v.Input, b.String())
			require.NotZero(t, b)
		})
	}
}

func TestParseBSUIDVectors(t *testing.T)  { testVectors(t, "bsuid_parse.json", bsuid.ParseBSUID) }
func TestParseDigitsVectors(t *testing.T) { testVectors(t, "bsuid_digits.json", bsuid.ParseDigits) }

func TestZeroValue(t *testing.T) {
	var b bsuid.BSUID
	require.False(t, b.IsParent())
	require.False(t, b.CountryKnown())
	require.Empty(t, b.String()+b.ID()+b.CountryCode())
}

// The codes of ISO 3166-1, typed from the standard, and the three that telephony adds.
const countries = `
	AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
	CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR
	GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP
	KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT
	MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
	SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ
	UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
	XK AC TA`

func TestKnownCountries(t *testing.T) {
	for _, cc := range strings.Fields(countries) {
		require.True(t, bsuid.MustParseBSUID(cc+".1").CountryKnown(), cc)
	}
	require.Len(t, strings.Fields(countries), 249+3)
	known := 0
	for first := 'A'; first <= 'Z'; first++ {
		for second := 'A'; second <= 'Z'; second++ {
			if bsuid.MustParseBSUID(string([]rune{first, second}) + ".1").CountryKnown() {
				known++
			}
		}
	}
	require.Equal(t, 249+3, known, "ISO 3166-1 has 249 codes; XK, AC and TA are ours")

	for _, cc := range strings.Fields("AA ZZ QM XA UK EU SU YU AN CS DD FX TP BU ZR") {
		require.False(t, bsuid.MustParseBSUID(cc+".1").CountryKnown(), cc)
	}
}

func TestTextRoundTrip(t *testing.T) {
	type row struct {
		B bsuid.BSUID `json:"b"`
	}
	for _, s := range []string{"", "US.13491208655302741918", "US.ENT.11815799212886844830", "BR.1A2b"} {
		in, err := json.Marshal(map[string]string{"b": s})
		require.NoError(t, err)
		var r row
		require.NoError(t, json.Unmarshal(in, &r))
		require.Equal(t, s, r.B.String())
		out, err := json.Marshal(r)
		require.NoError(t, err)
		require.Equal(t, string(in), string(out))
	}
	r := row{bsuid.MustParseBSUID("US.1")}
	require.ErrorIs(t, json.Unmarshal([]byte(`{"b":"nonsense"}`), &r), bsuid.CodeInvalid)
	require.Equal(t, "US.1", r.B.String(), "a failed Unmarshal leaves the value alone")
}

func TestMustParseBSUIDPanics(t *testing.T) {
	require.Panics(t, func() { bsuid.MustParseBSUID("us.1") })
	require.Equal(t, "US.1A", bsuid.MustParseBSUID("US.1A").String(), "the grammar of ParseBSUID")
}

func TestAllocations(t *testing.T) {
	const s = "US.ENT.11815799212886844830"
	require.Zero(t, testing.AllocsPerRun(100, func() {
		b, err := bsuid.ParseDigits(s)
		if err != nil || b.ID() == "" || !b.IsParent() {
			t.Fail()
		}
	}))
}

// The second form of the grammar, written as a regular expression.
var (
	reDigits       = regexp.MustCompile(`\A[A-Z]{2}\.(ENT\.)?[0-9]{1,128}\z`)
	reAlphanumeric = regexp.MustCompile(`\A[A-Z]{2}\.(ENT\.)?[0-9A-Za-z]{1,128}\z`)
)

func FuzzParse(f *testing.F) {
	for _, name := range []string{"bsuid_parse.json", "bsuid_digits.json"} {
		file, err := vectors.Load[string, output](name)
		require.NoError(f, err)
		for _, v := range file.Vectors {
			f.Add(v.Input)
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		strict, err := bsuid.ParseDigits(s)
		require.Equal(t, reDigits.MatchString(s), err == nil)
		wide, wideErr := bsuid.ParseBSUID(s)
		require.Equal(t, reAlphanumeric.MatchString(s), wideErr == nil)
		require.Equal(t, wideErr == nil, isBSUID(s))
		if err == nil {
			require.Equal(t, strict, wide, "every digits-only BSUID is an alphanumeric one")
		}
		if wideErr != nil {
			require.Len(t, problem.All(wideErr), 1)
			return
		}
		parts := []string{wide.CountryCode()}
		if wide.IsParent() {
			parts = append(parts, "ENT")
		}
		require.Equal(t, s, strings.Join(append(parts, wide.ID()), "."), "the parts make up the whole")
	})
}

// The bytes just outside and just inside of each range of the grammar.
func TestEdgesOfTheAlphabet(t *testing.T) {
	for c := range 256 {
		b := string([]byte{byte(c)})
		capital := 'A' <= c && c <= 'Z'
		digit := '0' <= c && c <= '9'
		letter := capital || 'a' <= c && c <= 'z'
		require.Equal(t, capital, isBSUID(b+"S.1"), "%q", b)
		require.Equal(t, capital, isBSUID("U"+b+".1"), "%q", b)
		require.Equal(t, digit || letter, isBSUID("US.1"+b), "%q", b)
		_, err := bsuid.ParseDigits("US." + b + "1")
		require.Equal(t, digit, err == nil, "%q", b)
	}
	require.False(t, isBSUID("US."))
	require.True(t, isBSUID("US.0"))
}

func BenchmarkParseBSUID(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, _ = bsuid.ParseDigits("US.ENT.11815799212886844830")
	}
}

func ExampleParseBSUID() {
	b, err := bsuid.ParseBSUID("US.ENT.11815799212886844830")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(b.CountryCode(), b.ID(), b.IsParent())
	// Output: US 11815799212886844830 true
}

func ExampleParseDigits() {
	_, err := bsuid.ParseDigits("BR.1A2B3C4D")
	fmt.Println(err != nil)
	b, err := bsuid.ParseBSUID("BR.1A2B3C4D")
	fmt.Println(b.ID(), err)
	// Output:
	// true
	// 1A2B3C4D <nil>
}

func ExampleMustParseBSUID() {
	fmt.Println(bsuid.MustParseBSUID("US.13491208655302741918"))
	// Output: US.13491208655302741918
}

func ExampleBSUID_IsParent() {
	fmt.Println(bsuid.MustParseBSUID("US.1").IsParent(), bsuid.MustParseBSUID("US.ENT.1").IsParent())
	// Output: false true
}

func ExampleBSUID_CountryKnown() {
	fmt.Println(bsuid.MustParseBSUID("US.1").CountryKnown(), bsuid.MustParseBSUID("ZZ.1").CountryKnown())
	// Output: true false
}

func isBSUID(s string) bool {
	_, err := bsuid.ParseBSUID(s)
	return err == nil
}

func ExampleIs() {
	for _, id := range []string{"US.13491208655302741918", "16505551234"} {
		fmt.Println(id, bsuid.Is(id))
	}
	// Output:
	// US.13491208655302741918 true
	// 16505551234 false
}
