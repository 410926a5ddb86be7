package identity_test

import (
	"testing"

	"github.com/hailmark/hailmark/contact/identity/identitytest"
	"github.com/hailmark/hailmark/contact/identity/store"
)

func TestMemory(t *testing.T) {
	identitytest.TestStore(t, func(*testing.T) store.Store { return store.NewMemory() })
}
