package contact_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/internal/check/vectors"
)

func TestAddressVectors(t *testing.T) {
	type output struct {
		Field string
		Value string
		Phone bool
		Label string
	}
	file, err := vectors.Load[contact.Person, output]("contact_address.json")
	require.NoError(t, err)
	for _, v := range file.Vectors {
		t.Run(v.ID, func(t *testing.T) {
			address, ok := v.Input.Address()
			require.Equal(t, ok, address != contact.Address{})
			byPhone, phone := v.Input.PhoneAddress()
			if phone {
				require.Equal(t, address, byPhone)
			}
			require.Equal(t, *v.Output, output{address.Field, address.Value, phone, v.Input.Label()})
		})
	}
}

// Into the field for phone numbers go digits, into the other a BSUID. Nothing is made up:
// what is sent is in the input, and a label can be seen.
func FuzzAddress(f *testing.F) {
	f.Add("US.1", "", "16505551234", "jane", "Jane")
	f.Add("", "US.ENT.1", "US.ENT.2", "", " ")
	f.Add("", "", "+1 (650) 555-1234", "\u202e", "\u200b")
	f.Add("", "", "120363418770915618@g.us", "@", "\u115f")
	f.Fuzz(func(t *testing.T, id, parent, number, username, name string) {
		p := contact.Person{IDs: contact.IDs{BSUID: id, ParentBSUID: parent, Phone: number}, Username: username, DisplayName: name}
		digits := regexp.MustCompile(`[0-9]+`).FindAllString(number, -1)
		switch address, ok := p.Address(); address.Field {
		case "to":
			require.True(t, ok)
			require.Equal(t, strings.TrimPrefix(strings.Join(digits, ""), "00"), strings.TrimPrefix(address.Value, "00"))
			require.Regexp(t, `\A[0-9]+\z`, address.Value)
		case "recipient":
			require.True(t, ok)
			require.True(t, bsuid.Is(address.Value))
			require.Contains(t, []string{id, number, parent}, address.Value)
			require.Equal(t, bsuid.Is(id), address.Value == id)
		default:
			require.False(t, ok)
			require.NotRegexp(t, `\A[0-9]+\z`, number)
			require.False(t, bsuid.Is(id) || bsuid.Is(parent))
		}
		ink := regexp.MustCompile(`[\pL\pN\pP\pS]`)
		blank := regexp.MustCompile("[\u115f\u1160\u2800\u3164\uffa0\ufffc\U0001D159\U00013441\U00013442]")
		label := p.Label()
		require.Equal(t, label != "", ink.MatchString(blank.ReplaceAllString(label, "")))
		require.NotRegexp(t, "[\\x00-\\x1f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]", label)
		require.Equal(t, strings.TrimSpace(label), label)
		if _, ok := p.Address(); ok {
			require.NotEmpty(t, label)
		}
	})
}

func TestLabelEdges(t *testing.T) {
	for _, blank := range []string{"\U0001D159", "\ufffc", "\U00013441\U00013442", "\u2800", "\u3164", "\u200d", "\u2028", "\u0301", "\U000E0041"} {
		require.Equal(t, "@jane", contact.Person{DisplayName: blank, Username: "jane"}.Label(), "%q", blank)
		require.Empty(t, contact.Person{Username: "@" + blank}.Label(), "%q", blank)
	}
	require.Equal(t, "Jane Doe Jr.", contact.Person{DisplayName: "Jane\u2028Doe\u2029Jr."}.Label())
	for _, username := range []string{"jane", "@jane", " @jane", "\u200e@jane", "@\u2068jane\u2069"} {
		require.Equal(t, "@jane", contact.Person{Username: username}.Label(), "%q", username)
	}
}

func ExampleIDs_Address() {
	person := contact.Person{IDs: contact.IDs{BSUID: "US.13491208655302741918"}, Username: "jane.doe"}
	address, ok := person.Address()
	fmt.Println(address.Field, address.Value, ok)

	person.Phone = "16505551234"
	address, ok = person.Address()
	fmt.Println(address.Field, address.Value, ok)
	// Output:
	// recipient US.13491208655302741918 true
	// to 16505551234 true
}

// The field and the value belong in the body of a send-message request.
func ExampleAddress() {
	to, ok := contact.IDs{Phone: "16505551234"}.Address()
	if !ok {
		return // no ID is known
	}
	body, err := json.Marshal(map[string]any{
		"messaging_product": "whatsapp",
		"recipient_type":    "individual",
		to.Field:            to.Value,
		"type":              "text",
		"text":              map[string]string{"body": "Hi"},
	})
	fmt.Println(string(body), err)
	// Output: {"messaging_product":"whatsapp","recipient_type":"individual","text":{"body":"Hi"},"to":"16505551234","type":"text"} <nil>
}

func ExampleIDs_PhoneAddress() {
	person := contact.Person{IDs: contact.IDs{BSUID: "US.13491208655302741918"}}
	if _, ok := person.PhoneAddress(); !ok {
		fmt.Println("the code must be sent in another way, such as by email")
	}
	// Output: the code must be sent in another way, such as by email
}

func ExamplePerson_Label() {
	fmt.Println(contact.Person{DisplayName: "Jane Doe", Username: "jane.doe"}.Label())
	fmt.Println(contact.Person{IDs: contact.IDs{Phone: "16505551234"}, Username: "jane.doe"}.Label())
	fmt.Println(contact.Person{IDs: contact.IDs{Phone: "16505551234"}}.Label())
	fmt.Println(contact.Person{IDs: contact.IDs{BSUID: "US.13491208655302741918"}}.Label())
	// Output:
	// Jane Doe
	// @jane.doe
	// +16505551234
	// US…1918
}
