package webhooknorm_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/webhooknorm"
)

func FuzzNormalize(f *testing.F) {
	for _, v := range loadVectors(f) {
		f.Add(v.Input.bytes(f))
	}
	f.Add(batch(2))
	f.Fuzz(func(t *testing.T, payload []byte) {
		checkAgainstReference(t, bytes.Clone(payload)) // a fuzz target must not change its input
	})
}

func checkAgainstReference(t testing.TB, payload []byte) {
	want, code := referenceRead(payload, false)
	before := bytes.Clone(payload)
	events, err := webhooknorm.Normalize(payload)
	require.Equal(t, before, payload, "the payload is not changed")
	if code != "" {
		require.ErrorIs(t, err, code)
		require.Nil(t, events)
		return
	}
	require.NoError(t, err)
	require.Equal(t, want.Events, events)

	// Whatever becomes of the payload becomes of the raws: they are slices of it.
	clear(payload)
	defer copy(payload, before)
	for _, e := range events {
		require.Equal(t, len(e.Raw), cap(e.Raw))
		require.Equal(t, make([]byte, len(e.Raw)), []byte(e.Raw))
	}
}
