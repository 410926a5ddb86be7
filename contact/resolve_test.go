package contact_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/internal/check/vectors"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
)

type contactInput struct{ BSUID, Phone, Username, Country string }

type contactOutput struct {
	Type       string
	ID         string
	PhoneKnown bool
	BSUIDKnown bool
}

func TestResolveVectors(t *testing.T) {
	file, err := vectors.Load[contactInput, contactOutput]("contact_resolve.json")
	require.NoError(t, err)
	for _, v := range file.Vectors {
		t.Run(v.ID, func(t *testing.T) {
			c, err := contact.Resolve(contact.Input(v.Input))
			require.Equal(t, v.Codes, problem.All(err).Codes())
			if v.Output == nil {
				require.Zero(t, c)
				return
			}
			require.NoError(t, err)
			want := contact.Person{}
			switch v.Output.Type {
			case "bsuid":
				want.BSUID = v.Output.ID
			case "phone":
				want.Phone = v.Output.ID
			case "username":
				want.Username = v.Output.ID
			}
			require.Equal(t, want, c)
		})
	}
}

// A contact is resolved exactly if one identifier is given and its own package
// accepts it, and then holds what that package makes of it.
func FuzzResolve(f *testing.F) {
	file, err := vectors.Load[contactInput, contactOutput]("contact_resolve.json")
	require.NoError(f, err)
	for _, v := range file.Vectors {
		f.Add(v.Input.BSUID, v.Input.Phone, v.Input.Username)
	}
	f.Fuzz(func(t *testing.T, b, p, u string) {
		given := 0
		for _, s := range []string{b, p, u} {
			if s != "" {
				given++
			}
		}
		id, bErr := bsuid.ParseBSUID(b)
		number, pErr := phone.ParseDigits(p)
		name, uErr := busname.ParseHandle(u)

		c, err := contact.Resolve(contact.Input{BSUID: b, Phone: p, Username: u})
		require.Equal(t, given != 1, errors.Is(err, contact.CodeMissingIdentifier))
		if err != nil {
			require.True(t, given != 1 || bErr != nil && uErr != nil && (pErr != nil || errors.Is(err, phone.CodeMissingPlus)))
			require.Zero(t, c)
			return
		}
		require.Equal(t, contact.Person{IDs: contact.IDs{BSUID: id.String(), Phone: number.String()}, Username: name.String()}, c)
	})
}

func TestResolveNamesWhatArrived(t *testing.T) {
	for want, id := range map[string]contact.Input{
		"got no identifier; ":             {},
		"got bsuid and phone; ":           {BSUID: "US.1", Phone: "x"},
		"got bsuid and username; ":        {BSUID: "US.1", Username: "jane"},
		"got phone and username; ":        {Phone: "x", Username: "jane"},
		"got bsuid, phone and username; ": {BSUID: "US.1", Phone: "x", Username: "jane"},
	} {
		_, err := contact.Resolve(id)
		require.EqualError(t, err, want+"exactly one of bsuid, phone and username is required")
	}
}

func TestResolveInCountry(t *testing.T) {
	for id, want := range map[contact.Input]string{
		{Phone: "0171 1234567", Country: "DE"}:    "491711234567",
		{Phone: "+1 650 555 1234", Country: "de"}: "16505551234",
	} {
		p, err := contact.Resolve(id)
		require.NoError(t, err)
		require.Equal(t, want, p.Phone)
	}
	for id, want := range map[contact.Input]problem.Code{
		{Phone: "0171 1234567"}:                   phone.CodeInvalid,
		{Phone: "0171", Country: "DE"}:            phone.CodeInvalid,
		{Phone: "+16505551234", Country: "XX"}:    phone.CodeInvalidCountry,
		{Username: "jane.doe", Country: "Narnia"}: phone.CodeInvalidCountry,
		{Country: "DE"}:                           contact.CodeMissingIdentifier,
	} {
		p, err := contact.Resolve(id)
		require.ErrorIs(t, err, want)
		require.Zero(t, p)
	}
}

// Every BSUID that another package accepts can be resolved.
func TestWideGrammar(t *testing.T) {
	for _, id := range []string{"US.1A", "BR.ENT.1A2b3C", "ZZ.abc", "US.13491208655302741918"} {
		require.True(t, bsuid.Is(id))
		c, err := contact.Resolve(contact.Input{BSUID: id})
		require.NoError(t, err)
		require.Equal(t, id, c.BSUID)
	}
}

func TestIdentifier(t *testing.T) {
	type identifier struct {
		kind contact.Kind
		id   string
	}
	for id, want := range map[contact.Input]identifier{
		{BSUID: "US.1A"}:             {contact.KindBSUID, "US.1A"},
		{Phone: "+1 (650) 555-1234"}: {contact.KindPhone, "16505551234"},
		{Username: "jane.doe"}:       {contact.KindUsername, "jane.doe"},
		{Username: "@Jane.Doe"}:      {contact.KindUsername, "jane.doe"},
		{Username: "jane-doe"}:       {},
	} {
		p, _ := contact.Resolve(id)
		kind, value := p.Identifier()
		require.Equal(t, want, identifier{kind, value})
	}
}

func TestRequiresPhone(t *testing.T) {
	for _, otpType := range []string{"ONE_TAP", "ZERO_TAP", "COPY_CODE", "one_tap", "copy_code"} {
		require.True(t, contact.RequiresPhone(otpType), otpType)
	}
	for _, otpType := range []string{"", "NONE", "ONE-TAP", "COPY_CODE "} {
		require.False(t, contact.RequiresPhone(otpType), otpType)
	}
}

func ExampleResolve() {
	person, err := contact.Resolve(contact.Input{Phone: "+1 (650) 555-1234"})
	kind, id := person.Identifier()
	fmt.Println(kind, id, err)

	_, err = contact.Resolve(contact.Input{Username: "jane-doe"})
	fmt.Println(err)
	// Output:
	// phone 16505551234 <nil>
	// username contains "-"; only a-z, 0-9, periods and underscores are allowed
}

func ExampleRequiresPhone() {
	person := contact.Person{IDs: contact.IDs{BSUID: "US.13491208655302741918"}}
	address, ok := person.Address()
	if contact.RequiresPhone("ONE_TAP") { // the otp_type of the template
		address, ok = person.PhoneAddress()
	}
	fmt.Println(address, ok)
	// Output: { } false
}
