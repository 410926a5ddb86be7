package phone_test

import (
	"fmt"

	"github.com/hailmark/hailmark/phone"
)

func ExampleParse() {
	p, err := phone.Parse("0049 151 12345678")
	fmt.Println(p, err)
	_, err = phone.Parse("0151 12345678")
	fmt.Println(err)
	// Output:
	// 4915112345678 <nil>
	// phone must be a full international number, but a 0 in front marks a national one: replace it with the country code, as in +49 171 1234567 for 0171 1234567
}

func ExampleParseInternational() {
	p, err := phone.ParseInternational("+1 650 555 1234")
	fmt.Println(p, err)
	_, err = phone.ParseInternational("650 555 1234")
	fmt.Println(err)
	// Output:
	// 16505551234 <nil>
	// phone must begin with + or 00 and the country code, such as +1 650 555 1234
}

// A webhook may carry another form of a number than the one that was dialled.
func ExampleNumber_Same() {
	dialled := phone.MustParse("+55 11 99123-4567")
	received := phone.MustParse("551191234567")
	fmt.Println(dialled == received, dialled.Same(received))
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
