package chatlink_test

import (
	"fmt"

	"github.com/hailmark/hailmark/busname"
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
	// phone must be a full international number of the digits 0-9, such as +1 650 555 1234, without 'U'
}

func ExampleHost_UsernameLink() {
	host, err := chatlink.ParseHost("chat.example.com")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(host.UsernameLink(busname.MustParse("jane.doe"), chatlink.Text{}))
	// Output: https://chat.example.com/jane.doe
}

func ExampleHost_PhoneLink() {
	text, err := chatlink.ParseText("Hi!")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(chatlink.Host{}.PhoneLink(chatlink.MustParsePhone("+1 650 555 1234"), text))
	// Output: https://wa.me/16505551234?text=Hi!
}

func ExampleParsePhone() {
	p, err := chatlink.ParsePhone("0049 151 12345678")
	fmt.Println(p, err)
	// Output: 4915112345678 <nil>
}

func ExampleParseKey() {
	k, err := chatlink.ParseKey("12-34")
	fmt.Printf("%q %v\n", k, err)
	// Output: "" key must be 4-8 letters a-z, A-Z or digits
}

func ExampleParseText() {
	_, err := chatlink.ParseText("ring the bell: \a")
	fmt.Println(err)
	// Output: text must not have control characters other than newline and tab, such as U+0007
}

func ExampleBaseURL_ShortLink() {
	base, err := chatlink.ParseBaseURL("https://hi.example.com/")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(base.ShortLink(busname.MustParse("jane.doe")))
	// Output: https://hi.example.com/jane.doe
}

func ExampleParseNotice() {
	_, err := chatlink.ParseNotice("Username links work everywhere.")
	fmt.Println(err)
	// Output: notice must begin with "As of " and a date, as in "As of 2026-11-21, …"
}

func ExampleParseHost() {
	_, err := chatlink.ParseHost("https://wa.me")
	fmt.Println(err)
	// Output: chat host must be a host name with an optional port, such as wa.me, not "https://wa.me"
}

func ExampleParseBaseURL() {
	base, err := chatlink.ParseBaseURL("https://example.com/wa/")
	fmt.Println(base, err)
	// Output: https://example.com/wa <nil>
}

func ExampleParseShortPath() {
	u, ok := chatlink.ParseShortPath("/@favicon.ico")
	fmt.Println(u, ok)
	_, ok = chatlink.ParseShortPath("/favicon.ico") // a server answers this itself
	fmt.Println(ok)
	// Output:
	// favicon.ico true
	// false
}
