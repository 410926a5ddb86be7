package main

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/nyaruka/phonenumbers"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/phone"
)

func TestTableIsCurrent(t *testing.T) {
	testenv.Slow(t)
	want, err := table()
	require.NoError(t, err)
	got, err := os.ReadFile("../../../../phone/numbering.bin")
	require.NoError(t, err)
	require.Equal(t, want, got, "run go run ./internal/check/harness/numbering in the folder of the repository")
}

// A number that phonenumbers calls valid has no warning, and the numbers that it calls
// impossible for lack of a country have one. The numbers are random, and those that are
// next to its examples.
func TestNoFalseWarnings(t *testing.T) {
	testenv.Slow(t)
	const numbers = 400_000
	rng := rand.New(rand.NewPCG(1, 2))
	valid, warned := 0, 0
	check := func(code int, national string) {
		digits := strconv.Itoa(code) + national
		value, err := strconv.ParseUint(national, 10, 64)
		n, warnings, parseErr := phone.Inspect(digits)
		if err != nil || parseErr != nil {
			return
		}
		foreign := &phonenumbers.PhoneNumber{CountryCode: new(int32), NationalNumber: &value}
		*foreign.CountryCode = int32(code)
		if zeros := len(national) - len(strings.TrimLeft(national, "0")); zeros > 0 {
			yes, count := true, int32(zeros)
			foreign.ItalianLeadingZero, foreign.NumberOfLeadingZeros = &yes, &count
		}
		if !phonenumbers.IsValidNumber(foreign) {
			warned += len(warnings)
			return
		}
		valid++
		require.Empty(t, warnings, digits)
		require.Equal(t, strconv.Itoa(code), n.CallingCode(), digits)
		if region := phonenumbers.GetRegionCodeForNumber(foreign); n.CountryCode() != "" {
			require.Equal(t, region, n.CountryCode(), digits)
		}
		_, err = phone.Parse("+" + digits)
		require.NoError(t, err, digits)
	}
	var codes []int
	for code := range phonenumbers.GetSupportedCallingCodes() {
		codes = append(codes, code)
	}
	for range numbers / 2 {
		code := codes[rng.IntN(len(codes))]
		national := make([]byte, 4+rng.IntN(9))
		for i := range national {
			national[i] = byte('0' + rng.IntN(10))
		}
		check(code, string(national))
	}
	for range numbers / 2 { // an example with some digits changed
		regions := phonenumbers.GetRegionCodesForCountryCode(codes[rng.IntN(len(codes))])
		types := []phonenumbers.PhoneNumberType{phonenumbers.FIXED_LINE, phonenumbers.MOBILE, phonenumbers.TOLL_FREE, phonenumbers.VOIP}
		example := phonenumbers.GetExampleNumberForType(regions[rng.IntN(len(regions))], types[rng.IntN(len(types))])
		if example == nil {
			continue
		}
		national := []byte(phonenumbers.GetNationalSignificantNumber(example))
		for range rng.IntN(4) {
			national[rng.IntN(len(national))] = byte('0' + rng.IntN(10))
		}
		check(int(example.GetCountryCode()), string(national))
	}
	t.Logf("%d valid numbers without a warning; %d others with one", valid, warned)
	require.Greater(t, valid, numbers/10)
}

// The codes that phonenumbers doesn't support are those without a country.
func TestCallingCodes(t *testing.T) {
	testenv.Slow(t)
	supported := phonenumbers.GetSupportedCallingCodes()
	for code := 1; code <= 999; code++ {
		n, err := phone.ParseDigits(strconv.Itoa(code) + "234567890")
		if err != nil { // a shorter code, and then a 0
			require.ErrorContains(t, err, "where people's numbers don't begin with 0")
			continue
		}
		assigned := false
		for size := 1; size <= 3; size++ {
			prefix, _ := strconv.Atoi(n.String()[:size])
			assigned = assigned || supported[prefix]
		}
		require.Equal(t, assigned, n.CallingCode() != "", code)
	}
}

// A number that an error suggests is the one that was meant, for examples of all countries
// with their trunk prefix, alone or after the country code.
func TestSuggestions(t *testing.T) {
	testenv.Slow(t)
	suggested := 0
	for region := range phonenumbers.GetSupportedRegions() {
		for _, kind := range []phonenumbers.PhoneNumberType{phonenumbers.FIXED_LINE, phonenumbers.MOBILE} {
			example := phonenumbers.GetExampleNumberForType(region, kind)
			if example == nil || region == "AR" { // phonenumbers writes the 15 of Argentina's mobile numbers in the wrong place
				continue
			}
			international := phonenumbers.Format(example, phonenumbers.E164)
			code, national := strconv.Itoa(int(example.GetCountryCode())), phonenumbers.Format(example, phonenumbers.NATIONAL)
			rest := strings.TrimPrefix(international, "+"+code)
			for _, text := range []string{
				national, "+" + code + " " + national, "+" + code + " (0)" + rest, "+" + code + " 0" + rest,
				"Tel. " + international, "Tel. " + international + "/12", "011 " + international[1:],
			} {
				_, err := phone.ParseDigits(text)
				if err == nil {
					continue
				}
				_, meant, found := strings.Cut(err.Error(), "did you mean ")
				if !found {
					continue
				}
				suggested++
				got, want := phone.MustParse(strings.TrimSuffix(meant, "?)")), phone.MustParse(international)
				require.True(t, got.Same(want), "%s: %v", text, err)
			}
		}
	}
	t.Log(suggested)
	require.Greater(t, suggested, 1000)
}
