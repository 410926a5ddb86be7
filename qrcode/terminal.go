package qrcode

// AppendTerminal appends s to dst as text for a terminal, with its quiet zone: two rows
// of modules to a line, each line ended by a newline. Light modules are drawn as blocks
// and dark ones left out, since most terminals write light on dark; on one that writes
// dark on light the code comes out inverted, which fewer scanners read. The zero Symbol
// appends nothing.
func (s Symbol) AppendTerminal(dst []byte) []byte {
	if s.version == 0 {
		return dst
	}
	for y := -quietZone; y < s.Size()+quietZone; y += 2 {
		for x := -quietZone; x < s.Size()+quietZone; x++ {
			// The last line has one row of modules only: below it all is dark.
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
