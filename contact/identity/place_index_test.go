package identity

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzPlaceIndex adds keys to an index and to a map. Both must find the same places.
func FuzzPlaceIndex(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("a key, and another key"))
	f.Add([]byte("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var index placeIndex[string]
		var keys []string
		places := map[string]int32{}
		at := func(place int32) string { return keys[place] }
		agree := func(key string) {
			place, known := index.find(key, at)
			want, wantKnown := places[key]
			require.Equal(t, wantKnown, known, "%q", key)
			require.Equal(t, want, place, "%q", key)
		}
		for i := range min(len(data), 200) {
			for _, key := range []string{string(data[i : i+1]), string(data[max(0, i-1) : i+1]), string(data[:i])} {
				agree(key)
				if _, known := places[key]; known {
					continue
				}
				place := int32(len(keys))
				keys, places[key] = append(keys, key), place
				index.add(key, place, at)
				agree(key)
			}
		}
		for key := range places {
			agree(key)
		}
		require.Equal(t, len(keys), index.size)
		require.Zero(t, len(index.slots)&(len(index.slots)-1), "a power of two")
		require.LessOrEqual(t, 4*index.size, 3*len(index.slots))
	})
}

// Keys that only differ late, and many of them.
func TestPlaceIndex(t *testing.T) {
	var index placeIndex[Alias]
	var keys []Alias
	at := func(place int32) Alias { return keys[place] }
	for n := range 20_000 {
		a := Alias{KindBSUID, "", "US." + string(rune('a'+n%26)) + string(rune(0x100+n/26))}
		_, known := index.find(a, at)
		require.False(t, known)
		keys = append(keys, a)
		index.add(a, int32(n), at)
	}
	for n, a := range keys {
		place, known := index.find(a, at)
		require.True(t, known)
		require.Equal(t, int32(n), place)
	}
}
