package lives

import (
	"cmp"
	"slices"
	"strconv"
)

// A profile describes a new person.
type profile struct {
	Name     string
	Phone    string // digits only; "" for a number that was never used
	Username string // without "@"; "" for none
	Hidden   bool   // whether the number is hidden behind the username
}

// A user is a simulated person on a [platform]. The methods make things happen, and the
// platform sends webhooks about most. An index identifies a business. After GiveUpNumber,
// methods that send webhooks panic.
type user struct {
	platform   *platform
	index      int
	name       string
	username   string
	hidden     bool
	phone      string
	lease      uint32
	since      int64  // when the person got the current number and BSUIDs
	generation uint16 // how often the BSUIDs have changed
	gone       bool
	known      []relation // one for each business
}

// A relation contains a business's knowledge about a person.
type relation struct {
	met      bool
	standby  bool  // whether another application answers
	inBook   bool  // whether the number is in the contact book
	usedLast int64 // the last time that the number was used, or 0
	before   Event // an event with the person's IDs before the last change
	last     Event // the last text message outside groups, if ID isn't ""
}

// Add adds a person.
func (p *platform) Add(profile profile) *user {
	person := &user{
		platform: p, index: p.people, name: profile.Name, username: profile.Username, hidden: profile.Hidden,
		known: make([]relation, len(p.businesses)),
	}
	p.people++
	if profile.Phone == "" {
		profile.Phone = p.takeNumber(person.index, 0)
	}
	person.hold(profile.Phone)
	return person
}

// hold makes phone the person's number.
func (h *user) hold(phone string) {
	h.phone, h.since = phone, h.platform.now
	h.lease = h.platform.truth.begin(phone, h.index, h.generation, h.since)
	for i := range h.known {
		h.known[i].inBook, h.known[i].usedLast = false, 0
	}
}

// Index returns the index that identifies the person in events.
func (h *user) Index() int { return h.index }

// Phone returns the person's number, digits only.
func (h *user) Phone() string { return h.phone }

// identifiers returns the person's IDs at a business, hidden or not.
func (h *user) IDs(business int) Identifiers {
	p, b := h.platform, h.platform.businesses[business]
	ids := Identifiers{Phone: h.phone, Username: h.username, Name: h.name}
	if p.now < bsuidsFrom {
		return ids
	}
	ids.BSUID = h.identifier("US.", 2*slices.Index(p.portfolios, b.Portfolio))
	if b.Group != "" {
		ids.Parent = h.identifier("US.ENT.", 2*slices.Index(p.groups, b.Group)+1)
	}
	return ids
}

func (h *user) identifier(prefix string, scope int) string {
	n := (uint64(h.index)<<16|uint64(h.generation))<<8 | uint64(scope)
	return prefix + strconv.FormatUint(identifier(h.platform.seed, n), 10)
}

// shows reports whether webhooks to a business contain the number.
func (h *user) shows(business int) bool {
	k := h.known[business]
	return !h.hidden || k.inBook || k.usedLast != 0 && h.platform.now-k.usedLast <= shownAfterUse
}

// event returns an event about the person with the IDs in a webhook.
func (h *user) event(kind Kind, typ string, business int) Event {
	if h.gone {
		panic("webhooktest: the person has given up their number and left")
	}
	ids := h.IDs(business)
	shown := ids
	if !h.shows(business) {
		shown.Phone = ""
	}
	return Event{
		Kind: kind, Type: typ, Business: business, Person: h.index, Shown: shown, True: ids,
		portfolio:  uint8(slices.Index(h.platform.portfolios, h.platform.businesses[business].Portfolio)),
		linked:     uint8(slices.Index(h.platform.groups, h.platform.businesses[business].Group)),
		generation: h.generation, lease: h.lease,
		Standby: h.known[business].standby && (kind == KindMessage || kind == KindStatus || kind == KindEcho),
	}
}

// meet records an exchange between the person and a business.
func (h *user) meet(business int) {
	k := &h.known[business]
	k.met = true
	if !h.hidden {
		k.usedLast = h.platform.now
	}
}

// Write sends a text message to a business.
func (h *user) Write(business int, text string) { h.write(business, "text", text, "") }

// WriteInGroup sends a text message in a group with the business.
func (h *user) WriteInGroup(business int, group, text string) {
	h.write(business, "text", text, group)
}

// messageTypes are the types of [user.WriteType].
var messageTypes = [...]string{"image", "audio", "sticker", "location", "reaction", "button", "interactive", "unsupported", "contacts", "edit", "revoke"}

// WriteType sends a message of another type: "image", "audio", "sticker", "location",
// "reaction", "button", "interactive", "unsupported", "contacts", which is another person's
// card, "edit", which changes the person's last text, or "revoke", which deletes it.
func (h *user) WriteType(business int, typ string) { h.write(business, typ, "", "") }

func (h *user) write(business int, typ, text, group string) {
	h.meet(business)
	e := h.event(KindMessage, typ, business)
	e.ID, e.text, e.group = h.platform.messageID("wamid."), text, group
	e.Standby = e.Standby && group == ""
	k := &h.known[business]
	if typ == "reaction" || typ == "edit" || typ == "revoke" {
		e.target = cmp.Or(k.last.ID, messageID("wamid.", h.platform.seed, uint64(h.index)))
	}
	e.At = h.platform.Now()
	e.Lost = !h.platform.send(e)
	if typ == "text" && group == "" {
		k.last = e
	}
}

// ShareNumber responds to a business's contact request with the person's number. From then
// on the number is in the business's contact book.
func (h *user) ShareNumber(business int) {
	h.meet(business)
	e := h.event(KindMessage, "contacts", business)
	e.ID, e.Shared = h.platform.messageID("wamid."), h.phone
	h.platform.send(e)
	h.known[business].inBook = true
}

// Receive receives a message from a business. Webhooks report it as sent, delivered and read.
func (h *user) Receive(business int) { h.receive(business, "sent", "delivered", "read") }

// FailDelivery doesn't receive a business's message, which a webhook reports as failed.
func (h *user) FailDelivery(business int) { h.receive(business, "failed") }

func (h *user) receive(business int, states ...string) {
	if h.shows(business) {
		h.known[business].usedLast = h.platform.now // the business writes to the number
	}
	h.known[business].met = true
	id := h.platform.messageID("wamid.")
	for _, state := range states {
		e := h.event(KindStatus, state, business)
		e.ID = id
		switch state {
		case "sent":
			e.Shown.Username = ""
		case "failed": // contains only the ID that the business used
			if e.Shown.Phone != "" {
				e.Shown = Identifiers{Phone: e.Shown.Phone}
			} else {
				e.Shown = Identifiers{BSUID: e.Shown.BSUID, Parent: e.Shown.Parent}
			}
		}
		h.platform.send(e)
	}
}

// ReceiveEcho receives a message that the business sends from its phone.
func (h *user) ReceiveEcho(business int) {
	h.known[business].met = true
	e := h.event(KindEcho, "text", business)
	e.ID = h.platform.messageID("wamid.")
	if e.Standby {
		e.Shown.Parent = ""
	}
	h.platform.send(e)
}

// TakeOver makes another application or Meta's agent answer the person. Until PassBack,
// the business receives messages, statuses and echoes in standby.
func (h *user) TakeOver(business int) { h.handOver(business, "control_taken", true) }

// PassBack ends TakeOver.
func (h *user) PassBack(business int) { h.handOver(business, "control_passed", false) }

// handOver sends an announcement in most cases only, like the platform.
func (h *user) handOver(business int, typ string, standby bool) {
	k := &h.known[business]
	if !k.met || k.standby == standby {
		return
	}
	k.standby = standby
	if h.platform.random.IntN(4) > 0 {
		h.platform.send(h.event(KindHandover, typ, business))
	}
}

// The platform shares messages that are up to 180 days old, and files of the last 14 days.
const (
	historyLength = 180 * 24 * 60 * 60
	filesLength   = 14 * 24 * 60 * 60
)

// ShareHistory sends a business the messages that it exchanged with the person in its app, and the
// person's last text message, which has also arrived live. Two more messages have files, which come in
// webhooks of their own.
func (h *user) ShareHistory(business int) {
	k := &h.known[business]
	k.met = true
	for i := range 4 {
		kind := KindHistory
		if i == 1 {
			kind = KindHistoryEcho
		}
		h.shareOld(kind, "text", business, historyLength)
	}
	for _, kind := range []Kind{KindHistory, KindHistoryEcho} {
		h.shareFile(h.shareOld(kind, "media_placeholder", business, filesLength))
	}
	if k.last.ID != "" && k.last.At.Unix() >= max(h.since, h.platform.now-historyLength) {
		e := h.event(KindHistory, "text", business)
		e.ID, e.text, e.sent, e.Again = k.last.ID, k.last.text, k.last.At.Unix(), !k.last.Lost
		h.platform.send(e)
	}
}

// shareOld sends a message of the history, whose IDs are the current ones.
func (h *user) shareOld(kind Kind, typ string, business int, length int64) Event {
	p := h.platform
	e := h.event(kind, typ, business)
	e.ID, e.text = p.messageID("wamid."), "See you tomorrow"
	e.sent = p.now - p.random.Int64N(1+min(p.now-h.since, length))
	e.Lost = !p.send(e)
	return e
}

// shareFile sends the file for which the history contains a placeholder.
func (h *user) shareFile(placeholder Event) {
	e := h.event(placeholder.Kind, "image", placeholder.Business)
	e.ID, e.sent, e.media, e.Again = placeholder.ID, placeholder.sent, true, !placeholder.Lost
	h.platform.send(e)
}

// Call calls a business.
func (h *user) Call(business int) { h.call(KindCall, business) }

// ReceiveCall receives a call from a business.
func (h *user) ReceiveCall(business int) { h.call(KindCallToUser, business) }

func (h *user) call(kind Kind, business int) {
	h.meet(business)
	id := h.platform.messageID("wacid.")
	for _, state := range []string{"connect", "terminate"} {
		e := h.event(kind, state, business)
		e.ID = id
		h.platform.send(e)
	}
}

// StopMarketing stops a business's marketing messages.
func (h *user) StopMarketing(business int) {
	h.platform.send(h.event(KindPreference, "stop", business))
}

// JoinGroup joins a group with a business.
func (h *user) JoinGroup(business int, group string) {
	e := h.event(KindParticipant, "group_participants_add", business)
	e.group = group
	h.platform.send(e)
}

// AdoptUsername sets or changes the username. No webhook announces it.
func (h *user) AdoptUsername(username string) { h.username = username }

// DropUsername removes the username and shows the number again.
func (h *user) DropUsername() { h.username, h.hidden = "", false }

// HideNumber hides the number behind the username. Webhooks to a business still show it
// if it was used with that business within the last 30 days, or is in the contact book.
func (h *user) HideNumber() { h.hidden = true }

// ShowNumber shows the number again.
func (h *user) ShowNumber() { h.hidden = false }

// ChangeNumber moves the account to another number, or with "" to one that was never used.
// The BSUIDs change as well. The platform announces the change to every business that knows
// the person. From then on someone else can get the old number.
func (h *user) ChangeNumber(phone string) {
	p := h.platform
	if phone == "" {
		phone = p.takeNumber(h.index, 0)
	}
	p.free = append(p.free, freeLine{h.phone, p.now, h.index})
	p.truth.end(h.lease, p.now)
	p.trouble.inherit(p, h.phone)
	h.change(func() { h.hold(phone) })
}

// Rotate changes the person's BSUIDs but not the number. The announcement contains no number.
// Rotate does nothing before there are BSUIDs.
func (h *user) Rotate() {
	if h.platform.now >= bsuidsFrom {
		h.change(func() {})
	}
}

// change replaces the person's IDs and announces it.
func (h *user) change(replace func()) {
	previous, changed := make([]Event, len(h.known)), make([]bool, len(h.known))
	for b, k := range h.known {
		if changed[b] = k.met; k.met {
			previous[b] = h.event(KindChange, "", b)
		}
	}
	oldPhone := h.phone
	h.platform.truth.replaced[version{h.index, h.generation}] = h.platform.now
	h.generation++
	replace()
	h.since = h.platform.now
	for b := range h.known {
		if changed[b] {
			h.announce(previous[b], h.phone != oldPhone)
		}
	}
	for b := range h.known {
		if changed[b] {
			h.known[b].before = previous[b]
			h.platform.trouble.remember(h, b)
		}
		if changed[b] && h.platform.now >= bsuidsFrom && h.platform.random.IntN(5) == 0 {
			h.ReadLate(b)
		}
	}
}

// ReadLate reads a business's message. The receipt still contains the IDs from before the person's last
// change.
func (h *user) ReadLate(business int) {
	e := h.known[business].before
	e.Kind, e.Type, e.ID = KindStatus, "read", h.platform.messageID("wamid.")
	e.True = h.IDs(business)
	h.platform.send(e)
}

// announce sends a business a change's system message.
func (h *user) announce(before Event, numberChanged bool) {
	p, b := h.platform, before.Business
	e := h.event(KindChange, "user_changed_number", b)
	e.ID, e.Previous, e.lastLease, e.rotated = p.messageID("wamid."), before.Shown, before.lease, e.True.BSUID != ""
	e.Shown = e.True
	switch {
	case !numberChanged:
		e.Type, e.Previous.Phone, e.Shown.Phone = "user_changed_user_id", "", ""
	case h.hidden:
		e.Type, e.Shown.Phone = "user_changed_user_id", ""
	case e.rotated && p.random.IntN(5) == 0: // some announcements leave out a number
		e.Shown.Phone = ""
	case e.rotated && p.random.IntN(5) == 0:
		e.Previous.Phone = ""
	}
	e.Shown.Username, e.Shown.Name, e.Previous.Username, e.Previous.Name = "", "", "", ""
	if !e.rotated {
		e.Previous.BSUID, e.Previous.Parent = "", ""
	}
	p.send(e)
	p.trouble.retell(p, e)
}

// GiveUpNumber ends the person's account without an announcement. From then on someone else
// can get the number.
func (h *user) GiveUpNumber() {
	for b, k := range h.known {
		if k.met {
			h.platform.trouble.haunt(h, b)
		}
	}
	h.gone = true
	h.platform.truth.end(h.lease, h.platform.now)
	h.platform.free = append(h.platform.free, freeLine{h.phone, h.platform.now, h.index})
}
