package chatlink_test

import (
	"fmt"

	"github.com/hailmark/hailmark/chatlink"
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
	// phone contains 'U'; only digits, a + in front, spaces, hyphens, periods and brackets are allowed
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
	fmt.Println(link, link.Phone().Country())
	// Output: https://wa.me/16505551234 United States
}
