package qrcode

// penalty scores a symbol by the four rules of ISO/IEC 18004, 7.8.3.1. The fewer
// points, the less the symbol looks like something else to a scanner.
func penalty(s Symbol) int {
	n, points, dark := s.Size(), 0, 0
	for _, at := range []func(line, i int) bool{
		func(y, x int) bool { return s.Dark(x, y) },
		func(x, y int) bool { return s.Dark(x, y) },
	} {
		for line := range n {
			run := 0
			for i := range n {
				// N1: a run of one colour costs 3 points at its fifth module and
				// 1 at each further one.
				if i > 0 && at(line, i) == at(line, i-1) {
					run++
				} else {
					run = 1
				}
				if run == 5 {
					points += 3
				} else if run > 5 {
					points++
				}
				// N3: what looks like a finder pattern between light modules.
				if likeFinder(func(d int) bool { return at(line, i+d) }) {
					points += 40
				}
			}
		}
	}
	for y := range n {
		for x := range n {
			c := s.Dark(x, y)
			if c {
				dark++
			}
			// N2: a block of 2 by 2 modules of one colour.
			if x > 0 && y > 0 && c == s.Dark(x-1, y) && c == s.Dark(x, y-1) && c == s.Dark(x-1, y-1) {
				points += 3
			}
		}
	}
	// N4: each full 5 % by which the share of dark modules is off one half.
	off := 2*dark - n*n
	return points + 10*(10*max(off, -off)/(n*n))
}

// likeFinder reports whether the modules from at(0) on are dark, light and dark as
// 1:1:3:1:1, with four light ones before or after. Modules of the quiet zone are light.
func likeFinder(at func(d int) bool) bool {
	return at(0) && !at(1) && at(2) && at(3) && at(4) && !at(5) && at(6) &&
		(!at(-1) && !at(-2) && !at(-3) && !at(-4) || !at(7) && !at(8) && !at(9) && !at(10))
}
