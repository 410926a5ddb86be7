// The people of a webhook, and what is missing about them.

/** The maximum size of a webhook, which is that of the API. */
export const maxBytes = 4 << 20;

/**
 * Groups events by person, after all changes of ids. A person is known by the BSUID, and by
 * the number only as long as no other BSUID has it; a later one takes it over. Events without ids
 * are left out.
 */
export function peopleOf({ events, changes }, address) {
  const people = [];
  const byBSUID = new Map();
  const byPhone = new Map();
  const ended = new Set(); // ids that nobody has any more

  for (const { previous, current, phone } of changes) {
    const [before, after] = [previous.bsuid ?? previous.parentBsuid, current.bsuid ?? current.parentBsuid];
    const number = previous.phone ?? phone;
    let person = byBSUID.get(before) ?? (before ? undefined : byPhone.get(number)) ?? byBSUID.get(after);
    if (!person) people.push((person = { events: [] }));
    // Ids of both sides were never valid together. It is unknown when the lone number was.
    Object.assign(person, { bsuid: after, phone: current.phone, uncertainPhone: phone });
    for (const id of [before, previous.phone]) if (id) ended.add(id);
    for (const id of [after, current.phone]) ended.delete(id);
    for (const id of [before, after]) if (id) byBSUID.set(id, person);
    for (const id of [number, current.phone]) if (id) byPhone.set(id, person);
  }

  events.forEach((event, index) => {
    const id = event.bsuid || event.parentBsuid;
    const phone = event.phone;
    if (!id && !phone && !event.username) return;
    let person = id && byBSUID.get(id);
    if (!person && phone) {
      const holder = byPhone.get(phone);
      if (holder && !(id && holder.bsuid)) person = holder;
    }
    if (!person && !id && !phone) person = people.find((p) => p.username === event.username);
    if (!person) people.push((person = { events: [] }));
    if (!ended.has(id) && !ended.has(phone)) {
      person.bsuid ||= id;
      if (phone !== person.uncertainPhone) person.phone ||= phone;
    }
    person.username ||= event.username;
    person.name ||= event.displayName;
    person.standby = event.standby === true;
    person.events.push(index);
    if (id) byBSUID.set(id, person);
    if (!phone) return;
    const holder = byPhone.get(phone);
    if (holder?.bsuid && person.bsuid && holder !== person && holder.phone === phone) holder.phone = undefined; // it passed on
    if (!holder || person.bsuid) byPhone.set(phone, person);
  });
  for (const person of people) {
    if (!person.bsuid) person.phone ||= person.uncertainPhone;
    person.address = address({ bsuid: person.bsuid ?? "", phone: person.phone ?? "" });
    person.phone ||= person.uncertainPhone;
    person.gaps = gapsOf(person);
  }
  return people;
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
