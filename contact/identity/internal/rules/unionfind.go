package rules

// A unionFind contains sets of numbers from 0 on. A set's root is its least number.
type unionFind []int32

func newUnionFind(n int) unionFind {
	u := make(unionFind, n)
	for i := range u {
		u[i] = int32(i)
	}
	return u
}

// find returns the root of x's set.
func (u unionFind) find(x int32) int32 {
	for u[x] != x {
		u[x] = u[u[x]] // halve the path
		x = u[x]
	}
	return x
}

// union makes one set of those of x and y.
func (u unionFind) union(x, y int32) {
	x, y = u.find(x), u.find(y)
	if x < y {
		u[y] = x
	} else {
		u[x] = y
	}
}
