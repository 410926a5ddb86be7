package identity_test

import (
	"testing"

	"github.com/hailmark/hailmark/contact/identity/internal/storetest"
	"github.com/hailmark/hailmark/contact/identity/store"
)

func TestMemory(t *testing.T) {
	storetest.TestStore(t, func(*testing.T) store.Store { return store.NewMemory() })
}
