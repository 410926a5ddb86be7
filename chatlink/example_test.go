package chatlink_test

import (
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
	// phone contains 'U'; only digits, a + in front, spaces, hyphens, periods and brackets are allowed
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
	fmt.Println(chatlink.Host{}.PhoneLink(phone.MustParse("+1 650 555 1234"), text))
	// Output: https://wa.me/16505551234?text=Hi!
}

func ExampleParseKey() {
	k, err := chatlink.ParseKey("aB3d")
	fmt.Println(k, err)
	_, err = chatlink.ParseKey("12-34")
	fmt.Println(err)
	// Output:
	// aB3d <nil>
	// key must be 4 to 8 letters a-z, A-Z or digits
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
	notice, err := chatlink.ParseNotice("As of 2027-01-31, username links work everywhere.")
	fmt.Println(notice, err)
	_, err = chatlink.ParseNotice("Username links work everywhere.")
	fmt.Println(err)
	// Output:
	// As of 2027-01-31, username links work everywhere. <nil>
	// notice must begin with "As of " and a date, as in "As of 2026-11-21, …"
}

func ExampleParseHost() {
	host, err := chatlink.ParseHost("localhost:8443")
	fmt.Println(host, err)
	_, err = chatlink.ParseHost("https://wa.me")
	fmt.Println(err)
	// Output:
	// localhost:8443 <nil>
	// chat host must be a host name with an optional port, such as wa.me; got "https://wa.me"
}

func ExampleParseBaseURL() {
	base, err := chatlink.ParseBaseURL("https://example.com/wa/")
	fmt.Println(base, err)
	// Output: https://example.com/wa <nil>
}

func ExampleParseShortPath() {
	for _, path := range []string{"/jane.doe", "/@favicon.ico", "/favicon.ico"} {
		u, ok := chatlink.ParseShortPath(path)
		fmt.Printf("%s: %q %v\n", path, u, ok)
	}
	// Output:
	// /jane.doe: "jane.doe" true
	// /@favicon.ico: "favicon.ico" true
	// /favicon.ico: "" false
}

func ExampleMustParseLink() {
	link := chatlink.MustParseLink("wa.me/16505551234")
	fmt.Println(link, link.Phone().Country())
	// Output: https://wa.me/16505551234 United States
}
