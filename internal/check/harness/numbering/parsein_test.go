package main

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/nyaruka/phonenumbers"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/phone"
)

var numberTypes = []phonenumbers.PhoneNumberType{
	phonenumbers.FIXED_LINE, phonenumbers.MOBILE, phonenumbers.TOLL_FREE, phonenumbers.PREMIUM_RATE, phonenumbers.SHARED_COST,
	phonenumbers.VOIP, phonenumbers.PERSONAL_NUMBER, phonenumbers.PAGER, phonenumbers.UAN, phonenumbers.VOICEMAIL,
}

// forms returns how people in a region write a number.
func forms(n *phonenumbers.PhoneNumber, region string) []string {
	digits := phonenumbers.GetNationalSignificantNumber(n)
	code := strconv.Itoa(int(n.GetCountryCode()))
	texts := []string{
		phonenumbers.Format(n, phonenumbers.NATIONAL), phonenumbers.Format(n, phonenumbers.E164), phonenumbers.Format(n, phonenumbers.INTERNATIONAL),
		digits, code + digits, "00" + code + digits, phonenumbers.FormatOutOfCountryCallingNumber(n, "US"),
		phonenumbers.FormatOutOfCountryCallingNumber(n, region), phonenumbers.FormatInOriginalFormat(n, region),
	}
	if prefix := phonenumbers.GetNddPrefixForRegion(region, true); prefix != "" {
		texts = append(texts, prefix+digits, prefix+" "+digits, "("+prefix+")"+digits)
	}
	return texts
}

// isMixed reports whether text has a trunk prefix between the calling code and the number, which
// phonenumbers drops and package phone rejects.
func isMixed(text string, n *phonenumbers.PhoneNumber) bool {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
	before, found := strings.CutSuffix(digits, phonenumbers.GetNationalSignificantNumber(n))
	code := strconv.Itoa(int(n.GetCountryCode()))
	for trunk := 1; found && trunk <= 2 && trunk < len(before); trunk++ {
		if strings.HasSuffix(before[:len(before)-trunk], code) {
			return true
		}
	}
	return false
}

// A number of every region and type, as people in the region write it, is read as what
// phonenumbers reads, if phonenumbers calls that valid, and never as another. The same holds for
// its neighbors, which have one digit more, less or changed.
func TestParseInReadsWhatPhonenumbersReads(t *testing.T) {
	testenv.Slow(t)
	rng := rand.New(rand.NewPCG(3, 4))
	valid, read, mixed, local, others, rejected := 0, 0, 0, 0, 0, map[string]int{}
	check := func(text, region string) {
		foreign, err := phonenumbers.Parse(text, region)
		n, parseErr := phone.ParseIn(text, region)
		if err != nil || !phonenumbers.IsValidNumber(foreign) {
			if parseErr == nil {
				others++
			}
			return
		}
		want := strings.TrimPrefix(phonenumbers.Format(foreign, phonenumbers.E164), "+")
		if len(want) < 8 || len(want) > 15 { // no phone.Number
			return
		}
		if isMixed(text, foreign) {
			mixed++
			return
		}
		if parseErr != nil && strings.Contains(parseErr.Error(), "may lack its area code") {
			require.LessOrEqual(t, len(phonenumbers.GetNationalSignificantNumber(foreign)), maxLocal, text)
			local++
			return
		}
		valid++
		if parseErr != nil {
			rejected[region]++
			if rejected[region] <= 2 {
				t.Logf("%s %q (%s): %v", region, text, want, parseErr)
			}
			return
		}
		read++
		if want != n.String() {
			t.Errorf("%s %q: %s instead of %s", region, text, n, want)
		}
	}
	for region := range phonenumbers.GetSupportedRegions() {
		for _, kind := range numberTypes {
			example := phonenumbers.GetExampleNumberForType(region, kind)
			if example == nil {
				continue
			}
			for _, text := range forms(example, region) {
				check(text, region)
				for i := range len(text) {
					if text[i] < '0' || text[i] > '9' {
						continue
					}
					digit := string(rune('0' + rng.IntN(10)))
					check(text[:i]+text[i+1:], region)
					check(text[:i]+digit+text[i:], region)
					check(text[:i]+digit+text[i+1:], region)
				}
			}
		}
	}
	t.Logf("%d of %d valid numbers read (%.2f %%); %d with a trunk prefix after the calling code, %d that may lack an area code; %d that aren't valid",
		read, valid, 100*float64(read)/float64(valid), mixed, local, others)
	t.Log(rejected)
	require.Greater(t, read, valid*995/1000)
}
