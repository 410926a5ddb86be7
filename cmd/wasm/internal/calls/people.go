//go:build !core

package calls

import (
	"context"
	"time"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/contact/identity/store"
	"github.com/hailmark/hailmark/webhooknorm"
)

// people returns who is in a webhook: for each event the index of a person, or -1, and then the people.
func people(a *arguments, r *result) error {
	w, err := webhooknorm.Read(a.bytes())
	if err != nil {
		return err
	}
	ctx := context.Background()
	engine := identity.NewEngine(store.NewMemory(), identity.Config{})
	sightings, _, err := engine.ObserveWebhook(ctx, w, time.Now())
	if err != nil {
		return err
	}
	var ids []identity.PersonID
	indexes := map[identity.PersonID]int{{}: -1}
	r.int(len(sightings))
	for _, s := range sightings {
		index, found := indexes[s.Person]
		if !found {
			index = len(ids)
			indexes[s.Person] = index
			ids = append(ids, s.Person)
		}
		r.int(index)
	}
	for id, err := range engine.Persons(ctx) { // those without an event
		if err != nil {
			return err
		}
		if _, found := indexes[id]; !found {
			indexes[id] = len(ids)
			ids = append(ids, id)
		}
	}
	r.int(len(ids))
	for _, id := range ids {
		p, _, err := engine.Person(ctx, id)
		if err != nil {
			return err
		}
		person := currentOf(&p)
		write(r, personMembers, &person)
		if err := r.address(person.Address()); err != nil {
			return err
		}
	}
	return nil
}

var personMembers = []member[contact.Person]{
	textOf("bsuid", func(p *contact.Person) string { return p.BSUID }),
	textOf("parentBsuid", func(p *contact.Person) string { return p.ParentBSUID }),
	textOf("phone", func(p *contact.Person) string { return p.Phone }),
	textOf("username", func(p *contact.Person) string { return p.Username }),
	textOf("displayName", func(p *contact.Person) string { return p.DisplayName }),
}

// currentOf returns a person's current IDs.
func currentOf(p *identity.Person) contact.Person {
	c := contact.Person{Username: p.Username, DisplayName: p.Name}
	for _, h := range p.Aliases {
		if !h.Current {
			continue
		}
		switch h.Alias.Kind() {
		case identity.KindBSUID:
			c.BSUID = h.Alias.Value()
		case identity.KindParent:
			c.ParentBSUID = h.Alias.Value()
		case identity.KindPhone:
			c.Phone = h.Alias.Value()
			if h.Received != "" {
				c.Phone = h.Received
			}
		}
	}
	return c
}
