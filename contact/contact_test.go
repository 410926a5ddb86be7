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
		id, bErr := bsuid.ParseBSUID(b)
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

func ExampleResolve() {
	c, err := contact.Resolve(contact.Identifier{Phone: "+1 (650) 555-1234"})
	fmt.Println(c.Type(), c.ID(), c.PhoneKnown(), c.BSUIDKnown(), err)
	_, err = contact.Resolve(contact.Identifier{})
	fmt.Println(err)
	// Output:
	// phone 16505551234 true false <nil>
	// exactly one of BSUID, phone and username must be given; none was
}
