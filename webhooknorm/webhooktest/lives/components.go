package lives

// Components joins keys to sets.
type components[K comparable] struct {
	nodes  map[K]int32
	keys   []K
	parent []int32
}

func newComponents[K comparable]() components[K] { return components[K]{nodes: map[K]int32{}} }

// find returns the number of k's set. A new key is a set of its own.
func (c *components[K]) find(k K) int32 {
	n, ok := c.nodes[k]
	if !ok {
		n = int32(len(c.parent))
		c.nodes[k] = n
		c.keys, c.parent = append(c.keys, k), append(c.parent, n)
	}
	for c.parent[n] != n {
		c.parent[n] = c.parent[c.parent[n]]
		n = c.parent[n]
	}
	return n
}

func (c *components[K]) join(a, b K) { c.parent[c.find(a)] = c.find(b) }
