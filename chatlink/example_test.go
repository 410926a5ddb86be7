package chatlink_test

import (
	"errors"
	"fmt"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/phone"
)

func ExampleBuildUsernameLink() {
	link, err := chatlink.BuildUsernameLink("jane.doe", "Is the red one still there?")
	fmt.Println(link, err)
	// Output: https://wa.me/jane.doe?text=Is%20the%20red%20one%20still%20there%3F <nil>
}

func ExampleBuildPhoneLink() {
	link, err := chatlink.BuildPhoneLink("+1 (650) 555-1234", "")
	fmt.Println(link, err)
	_, err = chatlink.BuildPhoneLink("US.13491208655302741918", "")
	fmt.Println(err)
	// Output:
	// https://wa.me/16505551234 <nil>
	// phone contains "U"; only digits, spaces and symbols are allowed
}

func ExampleParseText() {
	text, err := chatlink.ParseText("first line\r\nsecond line")
	fmt.Printf("%q %v\n", text, err)
	_, err = chatlink.ParseText("ring the bell: \a")
	fmt.Println(err)
	// Output:
	// "first line\nsecond line" <nil>
	// text contains the control character U+0007 at character 16; only newline and tab are allowed
}

func ExampleMustParseLink() {
	link := chatlink.MustParseLink("wa.me/16505551234")
	fmt.Println(link, link.Phone().CountryName())
	// Output: https://wa.me/16505551234 United States
}

// A program that has parsed its values already builds links from them.
func ExamplePhoneLink() {
	number := phone.MustParse("+1 650 555 1234")
	link, err := chatlink.PhoneLink(number, "Hi!")
	fmt.Println(link, err)
	// Output: https://wa.me/16505551234?text=Hi! <nil>
}

func ExampleUsernameLink() {
	link, err := chatlink.UsernameLink(busname.MustParse("jane.doe"), "")
	fmt.Println(link.Kind(), link, err)
	// Output: username https://wa.me/jane.doe <nil>
}

func ExampleParseKey() {
	key, err := chatlink.ParseKey("aB3d")
	fmt.Println(key, key.Text(), err)
	_, err = chatlink.ParseKey("a-b")
	fmt.Println(err, errors.Is(err, chatlink.CodeInvalidKey))
	// Output:
	// (key) aB3d <nil>
	// key has 3 characters; 4 to 8 letters or digits are allowed true
}
