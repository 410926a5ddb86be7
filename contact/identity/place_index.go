package identity

import "hash/maphash"

// A placeIndex finds the place of a key in a slice. It holds places only, so it takes a
// fraction of the memory of a map. The zero placeIndex is empty.
type placeIndex[K comparable] struct {
	slots []int32 // the place plus one, or 0; the length is a power of two
	size  int
}

var indexSeed = maphash.MakeSeed()

// find returns the place of a key, given the key at each place.
func (x *placeIndex[K]) find(key K, at func(place int32) K) (place int32, known bool) {
	if x.size == 0 {
		return 0, false
	}
	mask := uint64(len(x.slots) - 1)
	for i := maphash.Comparable(indexSeed, key) & mask; ; i = (i + 1) & mask {
		if x.slots[i] == 0 {
			return 0, false
		}
		if place := x.slots[i] - 1; at(place) == key {
			return place, true
		}
	}
}

// add adds the place of a key that is not in the index.
func (x *placeIndex[K]) add(key K, place int32, at func(place int32) K) {
	if 4*(x.size+1) > 3*len(x.slots) {
		old := x.slots
		x.slots = make([]int32, max(8, 2*len(old)))
		for _, slot := range old {
			if slot != 0 {
				x.put(at(slot-1), slot)
			}
		}
	}
	x.put(key, place+1)
	x.size++
}

func (x *placeIndex[K]) put(key K, slot int32) {
	mask := uint64(len(x.slots) - 1)
	i := maphash.Comparable(indexSeed, key) & mask
	for x.slots[i] != 0 {
		i = (i + 1) & mask
	}
	x.slots[i] = slot
}
