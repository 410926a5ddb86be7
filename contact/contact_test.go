package contact_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/vectors"
)

type input struct{ BSUID, Phone, Username string }

type output struct {
	Type       contact.Type
	ID         string
	PhoneKnown bool
	BSUIDKnown bool
}

func TestResolveVectors(t *testing.T) {
	file, err := vectors.Load[input, output]("contact_resolve.json")
	require.NoError(t, err)
	for _, v := range file.Vectors {
		t.Run(v.ID, func(t *testing.T) {
			c, err := contact.Resolve(contact.Identifier(v.Input))
			require.Equal(t, v.Codes, problem.All(err).Codes())
			if v.Output == nil {
				require.Zero(t, c)
				return
			}
			require.NoError(t, err)
			require.Equal(t, *v.Output, output{c.Type(), c.ID(), c.PhoneKnown(), c.BSUIDKnown()})
		})
	}
}

func TestZeroContact(t *testing.T) {
	var c contact.Contact
	require.Empty(t, c.Type())
	require.Empty(t, c.ID())
	require.False(t, c.PhoneKnown() || c.BSUIDKnown())
}

// A contact is resolved exactly if one identifier is given and its own package
// accepts it, and then holds what that package makes of it.
func FuzzResolve(f *testing.F) {
	file, err := vectors.Load[input, output]("contact_resolve.json")
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
		id, bErr := bsuid.ParseAlphanumeric(b)
		phone, pErr := phone.Parse(p)
		name, uErr := busname.Parse(u)

		c, err := contact.Resolve(contact.Identifier{BSUID: b, Phone: p, Username: u})
		require.Equal(t, given != 1, errors.Is(err, contact.CodeMissingIdentifier))
		if err != nil {
			require.True(t, given != 1 || bErr != nil && pErr != nil && uErr != nil)
			require.Zero(t, c)
			return
		}
		require.Equal(t, []any{id, phone, name}, []any{c.BSUID(), c.Phone(), c.Username()})
	})
}

func TestResolveNamesWhatArrived(t *testing.T) {
	for want, id := range map[string]contact.Identifier{
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

// Every BSUID that another package accepts can become a contact, and survives as text.
func TestWideGrammar(t *testing.T) {
	for _, id := range []string{"US.1A", "BR.ENT.1A2b3C", "ZZ.abc", "US.13491208655302741918"} {
		require.True(t, bsuid.IsBSUID(id))
		c, err := contact.Resolve(contact.Identifier{BSUID: id})
		require.NoError(t, err)
		require.Equal(t, contact.TypeBSUID, c.Type())
		var again contact.Contact
		require.NoError(t, again.UnmarshalText([]byte(c.String())))
		require.Equal(t, c, again)
	}
}

func ExampleResolve() {
	c, err := contact.Resolve(contact.Identifier{Phone: "+1 (650) 555-1234"})
	fmt.Println(c.Type(), c.ID(), c.PhoneKnown(), c.BSUIDKnown(), err)
	_, err = contact.Resolve(contact.Identifier{})
	fmt.Println(err)
	// Output:
	// phone 16505551234 true false <nil>
	// got no identifier; exactly one of bsuid, phone and username is required
}

func ExampleMustResolve() {
	fmt.Println(contact.MustResolve(contact.Identifier{Username: "jane.doe"}).Type())
	// Output: username
}
