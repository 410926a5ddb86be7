package contact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/vectors"
)

func TestAddressVectors(t *testing.T) {
	type output struct {
		Field contact.Field
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

func TestRequiresPhone(t *testing.T) {
	for _, otpType := range []string{"ONE_TAP", "ZERO_TAP", "COPY_CODE", "copy_code"} {
		require.True(t, contact.RequiresPhone(otpType), otpType)
	}
	for _, otpType := range []string{"", "NONE", "MARKETING", "ONE-TAP"} {
		require.False(t, contact.RequiresPhone(otpType), otpType)
	}
}

// Whatever is known: into the field for phone numbers go digits, into the other a
// BSUID, and both unchanged.
func FuzzAddress(f *testing.F) {
	f.Add("US.1", "16505551234", "jane", "Jane")
	f.Add("", "US.ENT.1", "", " ")
	f.Fuzz(func(t *testing.T, id, phone, username, name string) {
		p := contact.Person{BSUID: id, Phone: phone, Username: username, DisplayName: name}
		switch address, ok := p.Address(); address.Field {
		case contact.FieldTo:
			require.True(t, ok)
			require.Equal(t, phone, address.Value)
			require.Regexp(t, `\A[0-9]+\z`, address.Value)
		case contact.FieldRecipient:
			require.True(t, ok)
			require.True(t, bsuid.IsBSUID(address.Value))
			require.Contains(t, []string{id, phone}, address.Value)
		default:
			require.False(t, ok)
			require.NotRegexp(t, `\A[0-9]+\z`, phone)
			require.False(t, bsuid.IsBSUID(id))
		}
		known := id + phone + username + strings.TrimSpace(name)
		require.Equal(t, known == "", p.Label() == "")
	})
}

func ExamplePerson_Address() {
	person := contact.Person{BSUID: "US.13491208655302741918", Username: "jane.doe"}
	address, ok := person.Address()
	fmt.Println(address.Field, address.Value, ok)

	person.Phone = "16505551234"
	address, ok = person.Address()
	fmt.Println(address.Field, address.Value, ok)
	// Output:
	// recipient US.13491208655302741918 true
	// to 16505551234 true
}

func ExamplePerson_PhoneAddress() {
	person := contact.Person{BSUID: "US.13491208655302741918"}
	if _, ok := person.PhoneAddress(); !ok && contact.RequiresPhone("COPY_CODE") {
		fmt.Println("the code must be sent in another way, such as by email")
	}
	// Output: the code must be sent in another way, such as by email
}

func ExamplePerson_Label() {
	fmt.Println(contact.Person{DisplayName: "Jane Doe", Username: "jane.doe"}.Label())
	fmt.Println(contact.Person{Username: "jane.doe", Phone: "16505551234"}.Label())
	fmt.Println(contact.Person{Phone: "16505551234"}.Label())
	fmt.Println(contact.Person{BSUID: "US.13491208655302741918"}.Label())
	// Output:
	// Jane Doe
	// @jane.doe
	// +16505551234
	// US…1918
}

func ExampleRequiresPhone() {
	fmt.Println(contact.RequiresPhone("COPY_CODE"), contact.RequiresPhone(""))
	// Output: true false
}

func ExampleContact_Person() {
	c, err := contact.Resolve(contact.Identifier{Phone: "+1 (650) 555-1234"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Person().Address())
	// Output: {to 16505551234} true
}
