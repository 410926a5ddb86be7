package lives

import "time"

// A scenario is a short simulation of something that receivers often handle wrongly.
type scenario struct {
	name string
	play func(p *platform)
}

const (
	day   = 24 * time.Hour
	month = 30 * day
)

// scenarios are the lives that matter most. They start in March 2026, when webhooks contain only phone numbers. Six months later
// people can hide their number.
var scenarios = []scenario{
	{"two people with one name write at the same time", func(p *platform) {
		a := p.Add(profile{Name: "Jane Doe"})
		b := p.Add(profile{Name: "Jane Doe", Phone: "5215555550100"}) // a test number refuses the 1
		a.Write(0, "Hello!")
		b.Write(0, "Hello!")
		a.Write(0, "Are you there?")
	}},
	{"a contact known by number gets a BSUID and later hides the number", func(p *platform) {
		a := p.Add(profile{Name: "João Silva"})
		a.Write(0, "Bom dia")
		p.Wait(6 * month)
		a.Write(0, "Oi")
		a.AdoptUsername("joao.silva")
		a.HideNumber()
		p.Wait(2 * month)
		a.Write(0, "Ainda estou aqui")
		a.ShowNumber()
		a.Write(0, "E com número")
	}},
	{"a person without a number writes to both numbers of the business", func(p *platform) {
		p.Wait(6 * month)
		a := p.Add(profile{Name: "Aisha Okafor", Username: "aisha.ok", Hidden: true})
		a.Write(0, "Hello!")
		a.Write(1, "Hello again!")
	}},
	{"a username passes to another person of the same name", func(p *platform) {
		p.Wait(6 * month)
		a := p.Add(profile{Name: "Pablo", Username: "pablo.m", Hidden: true})
		a.Write(0, "Hola")
		a.AdoptUsername("pablo.morales")
		b := p.Add(profile{Name: "Pablo", Username: "pablo.m", Hidden: true})
		b.Write(0, "Hola")
		a.Write(0, "Otra vez")
	}},
	{"a person changes the number before there are BSUIDs", func(p *platform) {
		a := p.Add(profile{Name: "Olga Ivanova"})
		a.Write(0, "Hello!")
		a.ChangeNumber("")
		a.Write(0, "It is still me")
	}},
	{"a person changes a visible number", func(p *platform) {
		p.Wait(6 * month)
		a := p.Add(profile{Name: "Kwame Nelson"})
		a.Write(0, "Hello!")
		a.ChangeNumber("")
		a.Write(0, "It is still me")
	}},
	{"a person changes a hidden number", func(p *platform) {
		p.Wait(6 * month)
		a := p.Add(profile{Name: "Zoë Şahin", Username: "zoe.s", Hidden: true})
		a.Write(0, "Hello!")
		a.ChangeNumber("")
		a.Write(0, "It is still me")
		a.Rotate()
		a.Write(0, "And again")
	}},
	{"a number passes to another person", func(p *platform) {
		p.Wait(6 * month)
		a := p.Add(profile{Name: "Sheena Nelson"})
		a.Write(0, "Hello!")
		p.Wait(day)
		number := a.Phone()
		a.ChangeNumber("")
		a.Write(0, "New number")
		p.Wait(3 * month)
		b := p.Add(profile{Name: "Nguyễn", Phone: number})
		for range 3 {
			b.Write(0, "Hello, I am new here")
			p.Wait(10 * day)
		}
		a.ReadLate(0)
		for range 3 {
			b.Write(0, "Hello again!")
			p.Wait(10 * day)
		}
	}},
	{"a number passes to another person without an announcement", func(p *platform) {
		p.Wait(6 * month)
		a := p.Add(profile{Name: "Jane Morales"})
		a.Write(0, "Hello!")
		number := a.Phone()
		a.GiveUpNumber()
		p.Wait(4 * month)
		b := p.Add(profile{Name: "Olga Doe", Phone: number})
		b.Write(0, "Hello, I am new here")
	}},
	{"a person responds to a contact request", func(p *platform) {
		p.Wait(6 * month)
		a := p.Add(profile{Name: "Aisha Silva"})
		number := a.Phone()
		a.Write(0, "Hello!")
		b := p.Add(profile{Name: "Mei Doe", Username: "mei.doe", Hidden: true})
		b.Write(0, "Hello!")
		b.ShareNumber(0)
		b.Write(0, "Now you have it")
		b.WriteType(0, "contacts") // the card of another person
		a.WriteType(0, "contacts")
		a.Write(0, "My number is still "+number)
	}},
	{"a group with a person without a number", func(p *platform) {
		p.Wait(6 * month)
		a := p.Add(profile{Name: "Kwame Okafor", Username: "kwame.ok", Hidden: true})
		b := p.Add(profile{Name: "Zoë Doe"})
		for _, h := range []*user{a, b} {
			h.JoinGroup(0, "120363418770915618@g.us")
			h.WriteInGroup(0, "120363418770915618@g.us", "Hello!")
			h.Write(0, "And in private")
		}
	}},
	{"messages of many types", func(p *platform) {
		p.Wait(6 * month)
		a := p.Add(profile{Name: "Olga 👑", Username: "olga.x", Hidden: true})
		a.Write(0, "Hello!")
		for _, typ := range messageTypes {
			a.WriteType(0, typ)
		}
	}},
	{"calls, statuses and updates come before the first message", func(p *platform) {
		p.Wait(6 * month)
		a := p.Add(profile{Name: "Pablo Şahin", Username: "pablo.s", Hidden: true})
		a.Call(0)
		a.ReceiveCall(0)
		a.Receive(0)
		a.FailDelivery(0)
		a.ReceiveEcho(0)
		a.StopMarketing(0)
		for _, update := range updates {
			p.Update(0, update)
		}
		a.Write(0, "Hello!")
	}},
	{"another application answers for a while", func(p *platform) {
		p.Wait(6 * month)
		a := p.Add(profile{Name: "Sheena Silva"})
		b := p.Add(profile{Name: "Kwame Doe", Username: "kwame.doe", Hidden: true})
		for _, h := range []*user{a, b} {
			h.Write(0, "Hello!")
			h.TakeOver(0)
			h.Write(0, "Is the red one still there?")
			h.ReceiveEcho(0)
			h.Receive(0)
			h.WriteType(0, "image")
			h.PassBack(0)
			h.Write(0, "I want to talk to a human")
		}
	}},
	{"the business shares its history", func(p *platform) {
		a := p.Add(profile{Name: "Mei Okafor"})
		p.Wait(month)
		a.ShareHistory(0)
		p.Wait(6 * month)
		b := p.Add(profile{Name: "Olga Silva", Username: "olga.s", Hidden: true})
		a.Write(0, "Hello!")
		p.Wait(month)
		for _, h := range []*user{a, b} {
			h.ShareHistory(0)
			h.Write(0, "Hello again!")
		}
	}},
}
