package qrcode

// AppendTerminal appends s as text for a terminal, including the quiet zone. Each line
// represents two rows of modules and ends with a newline. Light modules are blocks, because
// most terminals show light text on a dark background. On a light background the code is
// inverted, so fewer scanners read it. The zero Symbol appends nothing.
func (s Symbol) AppendTerminal(dst []byte) []byte {
	if s.version == 0 {
		return dst
	}
	for y := -quietZone; y < s.Size()+quietZone; y += 2 {
		for x := -quietZone; x < s.Size()+quietZone; x++ {
			// The last line has only one row of modules; its lower half stays dark.
			upper, lower := !s.Dark(x, y), !s.Dark(x, y+1) && y+1 < s.Size()+quietZone
			switch {
			case upper && lower:
				dst = append(dst, "█"...)
			case upper:
				dst = append(dst, "▀"...)
			case lower:
				dst = append(dst, "▄"...)
			default:
				dst = append(dst, ' ')
			}
		}
		dst = append(dst, '\n')
	}
	return dst
}
