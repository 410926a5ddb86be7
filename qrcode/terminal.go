package qrcode

// AppendTerminal appends s to dst as text for a terminal, with its quiet zone: two rows of
// modules a line, each line ended by a newline. Light modules are blocks and dark modules
// are spaces, because most terminals write light on dark. A terminal that writes dark on
// light shows the code inverted, which fewer scanners read. The zero Symbol appends
// nothing.
func (s Symbol) AppendTerminal(dst []byte) []byte {
	if s.version == 0 {
		return dst
	}
	for y := -quietZone; y < s.Modules()+quietZone; y += 2 {
		for x := -quietZone; x < s.Modules()+quietZone; x++ {
			// The last line has only one row of modules; its lower half stays dark.
			upper, lower := !s.Dark(x, y), !s.Dark(x, y+1) && y+1 < s.Modules()+quietZone
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
