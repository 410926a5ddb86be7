// The persons of a webhook, and what is missing about them.

/**
 * Groups events by person. A person is known by the BSUID, and by the number only as long
 * as no other BSUID has it. Events without ids are left out.
 */
export function personsOf(events, address) {
  const persons = [];
  const byBSUID = new Map();
  const byPhone = new Map();
  events.forEach((event, index) => {
    const id = event.bsuid || event.parentBsuid;
    const phone = event.phone;
    if (!id && !phone && !event.username) return;
    let person = id && byBSUID.get(id);
    if (!person && phone) {
      const holder = byPhone.get(phone);
      if (holder && !(id && holder.bsuid)) person = holder;
    }
    if (!person && !id && !phone) person = persons.find((p) => p.username === event.username);
    if (!person) persons.push((person = { events: [] }));
    person.bsuid ||= id;
    person.phone ||= phone;
    person.username ||= event.username;
    person.name ||= event.displayName;
    person.events.push(index);
    if (id) byBSUID.set(id, person);
    if (phone && !byPhone.has(phone)) byPhone.set(phone, person);
  });
  for (const person of persons) {
    person.address = address({ bsuid: person.bsuid ?? "", phone: person.phone ?? "" });
    person.gaps = gapsOf(person);
  }
  return persons;
}

/** Returns the keys of the texts that say what is missing about a person. */
export function gapsOf({ address, bsuid, phone, name }) {
  const gaps = [];
  if (!address) gaps.push("gapAddress");
  if (!bsuid) gaps.push("gapBSUID");
  if (!phone) gaps.push("gapPhone");
  if (!name) gaps.push("gapName");
  return gaps;
}

/** Returns the time of a timestamp, which counts seconds or milliseconds, or undefined. */
export function timeOf(timestamp) {
  if (!/^\d{9,13}$/.test(timestamp ?? "")) return undefined;
  return new Date(Number(timestamp) * (timestamp.length > 11 ? 1 : 1000));
}
