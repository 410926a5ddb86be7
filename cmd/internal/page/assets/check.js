// The tab Check: what a value is, and what is in a webhook.
import { $, announce, make, message, problemsOf, showProblems, t } from "./dom.js";
import { personsOf, timeOf } from "./persons.js";

const maxEvents = 500; // that the table shows
const maxBytes = 4 << 20; // as much as the API reads

/** Returns the kind of value that an invalid input was probably meant to be. */
export function likelyKind(input) {
  if (/[:/]/.test(input)) return "link";
  if (/^[A-Za-z]{2}\.(ENT\.)?[0-9A-Za-z]*$/.test(input) && /\d/.test(input)) return "bsuid";
  return /\p{L}/u.test(input) || input.startsWith("@") ? "username" : "phone";
}

/** Starts the tab, and returns a function that shows it in another language. */
export function startCheck(engine) {
  let round = 0;

  async function update() {
    const mine = ++round;
    const input = $("input").value.trim();
    let webhook;
    let found;
    let problems = [];
    try {
      if (/^[[{]/.test(input)) webhook = await engine.webhook(input);
      else if (input !== "") found = await engine.identify(input);
    } catch (error) {
      problems = problemsOf(error);
    }
    if (mine !== round) return;
    showProblems("input", problems);
    const cards = found ? cardsOf(input, found) : [];
    $("check-result").replaceChildren(...cards);
    $("webhook-result").hidden = !webhook;
    $("check-status").classList.toggle("visually-hidden", !webhook);
    if (webhook) $("check-status").textContent = showWebhook(webhook);
    else announce("check-status", problems.length > 0 ? $("input-problem").textContent : cards.map((card) => card.firstChild.textContent).join(", "));
  }

  // cardsOf returns what is shown about a value: all kinds that it is valid as, or what is
  // wrong with the likely one.
  function cardsOf(input, found) {
    const valid = found.filter(({ problems }) => problems.length === 0);
    if (valid.length > 0) return valid.map(validCard);
    const likely = found.find(({ kind }) => kind === likelyKind(input));
    if (!likely) return [make("div", { class: "card", "data-kind": "link" }, make("h2", {}, t("kind.link")), make("p", {}, t("noticeApi")))];
    const lines = likely.problems.map((p) => make("p", { "data-code": p.code }, ...message(p)));
    return [make("div", { class: "card", "data-kind": likely.kind, "data-valid": "false" }, make("h2", {}, t("notValid", { kind: t(`kind.${likely.kind}`) })), make("div", { class: "problem" }, ...lines))];
  }

  function validCard({ kind, facts, warnings = [] }) {
    const list = make("dl");
    for (const [name, value] of Object.entries(facts)) {
      if (value === "" || value === undefined || name === "countryKnown") continue;
      list.append(make("dt", {}, t(`fact.${name}`)), make("dd", { "data-fact": name }, factOf(name, value)));
    }
    const lines = warnings.map((p) => make("p", { class: "warning", "data-code": p.code }, ...message(p)));
    return make("div", { class: "card", "data-kind": kind, "data-valid": "true" }, make("h2", {}, `${t("valid", { kind: t(`kind.${kind}`) })} ✓`), list, make("div", { class: "problem" }, ...lines));
  }

  function factOf(name, value) {
    if (typeof value === "boolean") return t(value ? "yes" : "no");
    if (name === "link") return make("a", { href: value, target: "_blank", rel: "noreferrer noopener", dir: "ltr" }, value);
    return make("bdi", { class: "id" }, value);
  }

  // showWebhook fills the tables, and returns how many events and persons there are.
  function showWebhook(events) {
    const persons = personsOf(events, engine.address);
    $("persons").tBodies[0].replaceChildren(...persons.slice(0, maxEvents).map(personRow));
    const personOf = new Map(persons.flatMap((person) => person.events.map((index) => [index, person])));
    $("events").tBodies[0].replaceChildren(...events.slice(0, maxEvents).map((event, i) => eventRow(event, i, personOf.get(i))));
    $("events-more").hidden = events.length <= maxEvents;
    $("events-more").textContent = t("eventsMore", { shown: maxEvents, all: events.length });
    return t("webhookCounts", { events: events.length, persons: persons.length });
  }

  function personRow({ name, username, phone, bsuid, address, gaps }) {
    const missing = gaps.map((gap) => make("div", { class: "gap", "data-gap": gap }, t(gap)));
    return make("tr", {},
      make("th", { scope: "row" }, name || "–"), cell(username && `@${username}`), cell(phone), cell(bsuid),
      cell(address && `${address.field}: ${address.value}`), make("td", {}, ...(missing.length > 0 ? missing : [t("gapNone")])));
  }

  function eventRow({ kind, state, timestamp, messageId }, index, person) {
    const time = timeOf(timestamp);
    const when = time ? make("time", { datetime: time.toISOString() }, time.toLocaleString(document.documentElement.lang)) : (timestamp ?? "–");
    const who = person && (person.name || (person.username && `@${person.username}`) || person.phone || person.bsuid);
    return make("tr", { "data-kind": kind },
      make("th", { scope: "row" }, String(index + 1)), cell(kind), make("td", {}, who ?? make("span", { class: "gap" }, t("unknownPerson"))), cell(state), make("td", {}, when), cell(messageId));
  }

  const cell = (text) => make("td", {}, text ? make("bdi", { class: "id" }, text) : "–");

  async function readFile(file) {
    if (!file) return;
    if (file.size > maxBytes) {
      showProblems("input", [{ code: "body_too_large", message: "the file must have at most 4 MiB" }]);
      return;
    }
    $("input").value = await file.text();
    update();
  }

  let typing;
  $("check-form").addEventListener("submit", (event) => event.preventDefault());
  $("input").addEventListener("input", () => {
    clearTimeout(typing);
    if (engine.name === "module") update();
    else typing = setTimeout(update, 600);
  });
  $("input-file").addEventListener("change", () => readFile($("input-file").files[0]));
  acceptDrops($("check-drop"), readFile);
  update();
  return update;
}

/** Lets the person drop a file on an element. */
export function acceptDrops(element, read) {
  for (const type of ["dragover", "dragleave", "drop"]) {
    element.addEventListener(type, (event) => {
      event.preventDefault();
      element.classList.toggle("over", type === "dragover");
      if (type === "drop") read(event.dataTransfer.files[0]);
    });
  }
}
