package phone_test

import (
	"fmt"

	"github.com/hailmark/hailmark/phone"
)

func ExampleParse() {
	p, err := phone.Parse("+49 151 12345678")
	fmt.Println(p, err)
	_, err = phone.Parse("0151 12345678")
	fmt.Println(err)
	_, err = phone.Parse("917 555 1234")
	fmt.Println(err)
	// Output:
	// 4915112345678 <nil>
	// phone begins with 0, so it is a national number; replace the 0 with the country code, as in +49 171 1234567 for 0171 1234567
	// phone has no plus in front; begin with + and the country code, as in +1 650 555 1234
}

// The phone number in a webhook begins with the country code.
func ExampleParseDigits() {
	p, err := phone.ParseDigits("16505551234")
	fmt.Println(p, p.CountryName(), err)
	// Output: 16505551234 United States <nil>
}

func ExampleInspect() {
	n, warnings, err := phone.Inspect("98765 43210") // a mobile number in India
	fmt.Println(n.CountryName(), err)
	for _, w := range warnings {
		fmt.Println(w.Code, "-", w.Message)
	}
	// Output:
	// Iran <nil>
	// phone_missing_plus - phone has no plus in front, so it is read as +98 (Iran); if that is wrong, begin with + and the country code
	// phone_impossible_length - phone has 8 digits after +98 (Iran); numbers that begin with 765 have 10
}

func ExampleNumber_CountryName() {
	for _, s := range []string{"+98 21 2345 6789", "+1 650 555 1234", "+1 800 555 1234", "+999 12345678"} {
		n := phone.MustParse(s)
		fmt.Printf("%s: %q %q %q\n", "+"+n.String(), n.CallingCode(), n.CountryName(), n.CountryCode())
	}
	// Output:
	// +982123456789: "98" "Iran" "IR"
	// +16505551234: "1" "United States" "US"
	// +18005551234: "1" "United States, Canada and others" ""
	// +99912345678: "" "" ""
}

// A webhook may carry another form of a number than the one that was dialed.
func ExampleNumber_Same() {
	dialed := phone.MustParse("+55 11 99123-4567")
	received := phone.MustParse("+551191234567")
	fmt.Println(dialed == received, dialed.Same(received))
	// Output: false true
}

func ExampleNumber_Canonical() {
	people := map[phone.Number]string{}
	people[phone.MustParse("+52 1 55 1234 5678").Canonical()] = "Ana"
	fmt.Println(people[phone.MustParse("+52 55 1234 5678").Canonical()])
	// Output: Ana
}

func ExampleMustParse() {
	fmt.Println(phone.MustParse("+1 650 555 1234"))
	// Output: 16505551234
}

// People in Germany dial 0 before a national number.
func ExampleParseIn() {
	for _, s := range []string{"0171 1234567", "+1 650 555 1234", "345 6789"} {
		n, err := phone.ParseIn(s, "DE")
		fmt.Println(n, err)
	}
	// Output:
	// 491711234567 <nil>
	// 16505551234 <nil>
	//  phone has 7 digits and may lack its area code; write the number as it is dialed from elsewhere in Germany, or begin with + and the country code
}

func ExampleNumber_E164() {
	n, err := phone.ParseDigits("16505551234")
	fmt.Println(n.E164(), err)
	// Output: +16505551234 <nil>
}

func ExampleNumber_Forms() {
	fmt.Println(phone.MustParse("+54 9 11 1234 5678").Forms())
	fmt.Println(phone.MustParse("+55 11 8123 4567").Forms())
	fmt.Println(phone.MustParse("+1 650 555 1234").Forms())
	// Output:
	// [5491112345678 541112345678]
	// [551181234567 5511981234567]
	// [16505551234]
}
