package rules

// Trace returns everything that a phone number contributes to people except last times and
// labels, and reports whether its last holder uses it. All facts with the number must be known,
// and all changes of BSUIDs seen with it.
func (s *Solution) Trace(phone int32) (trace []int64, used bool) {
	l := s.line(phone)
	trace = append(trace, l.cuts...)
	holder, owner := int32(0), int32(0)
	for m := range l.moments() {
		if m.begins {
			owner = 0
		}
		if m.begins || m.holder != holder {
			holder = m.holder
			trace = append(trace, m.at, int64(holder))
		}
		for _, x := range m.sightings {
			if x.by != 0 && x.by != owner { // it passed to another owner
				owner = x.by
				trace = append(trace, m.at, -int64(owner))
			}
		}
	}
	for i := range s.Changes {
		for j, m := range s.Changes[i].Sides {
			if m.Phone == phone && m.Stable() == 0 {
				trace = append(trace, int64(s.sideOwner(&s.Changes[i], int32(i), j)))
			}
		}
	}
	for _, v := range s.Verdicts {
		if v.Joined && (v.A == phone || v.B == phone) {
			trace = append(trace, int64(s.joinedOwner(phone, v.At)))
		}
	}
	return trace, s.user(l) >= 0
}
