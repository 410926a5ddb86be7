package webhooknorm

// readPayload reports whether the payload is a webhook.
func (r *reader) readPayload() (recognised bool) {
	wrapped := false
	r.beginValue()
	for name := range r.Members {
		switch {
		case string(name) == "entry":
			// The members before it looked like a bare value, which this is not.
			wrapped = true
			r.events, r.changes, r.handovers = r.events[:0], nil, nil
			r.counted = 0
			r.value.lastMetadataRaw = nil // the depth is another
			recognised = r.readEntries()
		case !wrapped:
			r.readMember(name)
		}
	}
	if wrapped {
		return recognised
	}
	r.finishValue()
	return r.value.recognised
}

// readEntries reads the entry array. It reports whether there is any change in it.
func (r *reader) readEntries() (hasChange bool) {
	for range r.objects {
		for name := range r.Members {
			if string(name) != "changes" {
				continue
			}
			for range r.objects {
				hasChange = true
				r.readChange()
			}
		}
	}
	return hasChange
}

func (r *reader) readChange() {
	for name := range r.Members {
		if string(name) == "value" {
			r.readValue()
		}
	}
}

func (r *reader) readValue() {
	if r.truncated || r.stopped {
		return
	}
	r.beginValue()
	for name := range r.Members {
		r.readMember(name)
	}
	r.finishValue()
}

// readMember reads a member of a value.
func (r *reader) readMember(name []byte) {
	switch string(name) {
	case "metadata":
		r.readMetadata()
	case "standby":
		// Conversations that another application handles: the same arrays, one level
		// deeper. Their contacts are on either level.
		for name := range r.Members {
			r.readArray(name, true)
		}
	case "sender", "recipient", "control_passed", "type", "timestamp":
		if r.all {
			r.readHandoverMember(name)
		}
	default:
		r.readArray(name, false)
	}
}

// readMetadata reads the metadata of a value. The values of a payload nearly always have
// the same metadata.
func (r *reader) readMetadata() {
	v := &r.value
	v.outOfOrder = v.outOfOrder || v.needsMetadata
	if r.SkipRepeat(v.lastMetadataRaw) {
		v.metadata = v.lastMetadata
		return
	}
	start := r.Offset()
	for name := range r.Members {
		switch string(name) {
		case "phone_number_id":
			v.phoneNumberID = r.textOrDigits()
		case "display_phone_number":
			_, v.businessPhone = cleanPhone(r.textOrDigits())
		}
	}
	v.lastMetadata, v.lastMetadataRaw = v.metadata, r.rawSince(start)
}

// readArray reads a member of a value, or of its standby part, if it is an array that
// holds contacts or events.
func (r *reader) readArray(name []byte, standby bool) {
	if r.Peek() != '[' || r.truncated {
		return
	}
	v := &r.value
	if string(name) == "contacts" {
		v.recognised = v.recognised || !standby
		if r.counted > 0 {
			return
		}
		for range r.objects {
			r.addContact()
		}
		return
	}
	i := arrayNamed(name)
	if i < 0 || arrays[i].rank == rankOthers && !r.all {
		return
	}
	a := &arrays[i]
	v.recognised = v.recognised || !standby && a.rank < rankOthers
	next := &v.runs[v.count]
	v.count++
	*next = run{array: uint8(i), rank: a.rank.in(standby), offset: r.Offset()}
	if r.yield == nil {
		r.readRun(next)
	}
}
