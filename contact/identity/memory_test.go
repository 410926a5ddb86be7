package identity_test

import (
	"testing"

	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/contact/identity/identitytest"
)

func TestMemory(t *testing.T) {
	identitytest.TestStore(t, func(*testing.T) identity.Store { return new(identity.Memory) })
}
