// The tab Check: what a value is, and what is in a webhook.
import { latest } from "./client.js";
import { $, announce, make, message, problemsOf, showProblems, startFile, t } from "./dom.js";
import { maxBytes, timeOf } from "./webhook.js";

const maxPasted = 1 << 17; // that the field shows

/** Returns the kind of value that an invalid input was probably meant to be. */
export function likelyKind(input) {
  if (/[:/]/.test(input)) return "link";
  if (/^[A-Za-z]{2}\.(ENT\.)?[0-9A-Za-z]*$/.test(input) && /\d/.test(input)) return "bsuid";
  return /\p{L}/u.test(input) || input.startsWith("@") ? "username" : "phone";
}

export function startCheck(engine) {
  let file; // the bytes of a chosen file, or undefined if the field counts

  const check = latest((bytes) => engine.ask("check", bytes, engine.hasMore()));

  async function update() {
    let checked;
    try {
      checked = await check(file ?? new TextEncoder().encode($("input").value));
    } catch (error) {
      checked = { problems: problemsOf(error) };
    }
    if (!checked) return; // another update follows
    if (checked.needsMore) {
      engine.more(update);
      return;
    }
    const { input, found = [], webhook, problems = [] } = checked;
    showProblems("input", problems);
    const cards = cardsOf(input, found);
    $("check-result").replaceChildren(...cards);
    $("webhook-result").hidden = !webhook;
    $("webhook-result").replaceChildren(...(webhook ? tablesOf(webhook) : []));
    announce("check-status", webhook ? $("webhook-result").querySelector("p").textContent
      : problems.length > 0 ? $("input-problem").textContent : cards.map((card) => card.firstChild.textContent).join(", "));
  }

  // cardsOf returns what is shown about a value: what it was probably meant to be, valid or
  // not, and everything else that it is valid as.
  function cardsOf(input, found) {
    const likely = found.length > 0 && likelyKind(input);
    return found
      .filter(({ kind, problems }) => kind === likely || problems.length === 0)
      .sort((a, b) => (b.kind === likely) - (a.kind === likely))
      .map((value) => (value.problems.length === 0 ? validCard(value) : invalidCard(value)));
  }

  function invalidCard({ kind, problems }) {
    const lines = problems.map((p) => make("p", { "data-code": p.code }, message(p)));
    return make("div", { class: "card", "data-kind": kind, "data-valid": "false" }, make("h2", {}, t("notValid", { kind: t(`kind.${kind}`) })), make("div", { class: "problem" }, ...lines));
  }

  function validCard({ kind, facts, warnings = [] }) {
    const list = make("dl");
    for (const [name, value] of Object.entries(facts)) {
      if (value === "" || value === undefined || name === "countryKnown") continue;
      list.append(make("dt", {}, t(`fact.${name}`)), make("dd", { "data-fact": name }, factOf(name, value)));
    }
    const lines = warnings.map((p) => make("p", { class: "warning", "data-code": p.code }, message(p)));
    return make("div", { class: "card", "data-kind": kind, "data-valid": "true" }, make("h2", {}, `${t("valid", { kind: t(`kind.${kind}`) })} ✓`), list, make("div", { class: "problem" }, ...lines));
  }

  function factOf(name, value) {
    if (typeof value === "boolean") return t(value ? "yes" : "no");
    if (name === "link") return make("a", { href: value, target: "_blank", rel: "noreferrer noopener", dir: "ltr" }, value);
    return make("bdi", { class: "id" }, value);
  }

  // tablesOf returns what is shown about a webhook.
  function tablesOf({ people, changes, handovers, events }) {
    return [
      make("p", {}, t("webhookCounts", { events: events.all, people: people.all })),
      ...tableOf("people", ["columnName", "columnReply", "columnUsername", "columnPhone", "columnBSUID", "columnGaps"], people, personRow),
      ...tableOf("changes", ["columnBefore", "columnAfter", "columnPhone", "columnTime"], changes, changeRow),
      ...tableOf("handovers", ["columnPerson", "columnFrom", "columnTo", "columnTime"], handovers, handoverRow),
      ...tableOf("events", ["columnRow", "columnKind", "columnState", "columnPerson", "columnTime", "columnMessage"], events, eventRow),
    ];
  }

  // tableOf returns a heading and a table, or nothing without rows.
  function tableOf(key, columns, { all, rows }, row) {
    if (all === 0) return [];
    const title = `${key}-title`;
    const more = all > rows.length ? [make("p", { class: "hint" }, t("more", { shown: rows.length, all }))] : [];
    const head = make("thead", {}, make("tr", {}, ...columns.map((column) => make("th", { scope: "col" }, t(column)))));
    return [
      make("h2", { id: title }, t(key)),
      make("div", { class: "scroll", role: "region", tabindex: 0, "aria-labelledby": title }, make("table", { id: key }, head, make("tbody", {}, ...rows.map(row)))),
      ...more,
    ];
  }

  function personRow({ displayName, username, phone, bsuid, address, gaps, standby }) {
    const missing = gaps.map((gap) => make("div", { class: "gap", "data-gap": gap }, t(gap)));
    const reply = standby ? make("td", { class: "gap", "data-standby": "" }, t("standby")) : cell(address && `${address.field}: ${address.value}`);
    return make("tr", {},
      make("th", { scope: "row" }, displayName || "–"), reply, cell(username && `@${username}`), cell(phone), cell(bsuid),
      make("td", {}, ...(missing.length > 0 ? missing : [t("gapNone")])));
  }

  function changeRow({ previous, current, phone, timestamp }) {
    return make("tr", {}, idsCell(previous), idsCell(current), cell(phone), make("td", {}, when(timestamp)));
  }

  function handoverRow({ person, previousOwner, previousAppId, newOwner, timestamp }) {
    return make("tr", {}, idsCell(person), cell(previousOwner ?? previousAppId), cell(newOwner), make("td", {}, when(timestamp)));
  }

  function eventRow({ kind, state, standby, errors = [], timestamp, messageId, who }, index) {
    const states = [state, standby && t("standby")].filter(Boolean).map((s) => make("div", {}, make("bdi", { class: "id" }, s)));
    return make("tr", { "data-kind": kind },
      make("th", { scope: "row" }, String(index + 1)), cell(kind), make("td", {}, ...states, ...(errors.length > 0 ? errors.map(errorOf) : states.length > 0 ? [] : ["–"])),
      make("td", {}, who ?? make("span", { class: "gap" }, t("unknownPerson"))), make("td", {}, when(timestamp)), cell(messageId));
  }

  // errorOf returns what the payload says about an error, and what it means.
  function errorOf({ code, title, message, details }) {
    const said = [...new Set([title, message, details])].filter(Boolean).join(". ");
    const meaning = t(`error.${code}`);
    return make("div", { class: "gap", "data-error": code }, `${code}${said ? `: ${said}` : ""}`, ...(meaning ? [make("div", {}, meaning)] : []));
  }

  function when(timestamp) {
    const time = timeOf(timestamp);
    if (!time) return timestamp ?? "–";
    const iso = time.toISOString();
    return make("time", { datetime: iso }, `${iso.slice(0, 19).replace("T", " ")} UTC`);
  }

  const cell = (text) => make("td", {}, text ? make("bdi", { class: "id" }, text) : "–");

  const idsCell = ({ bsuid, parentBsuid, phone }) => {
    const ids = [...new Set([bsuid, parentBsuid, phone])].filter(Boolean);
    return make("td", {}, ...(ids.length > 0 ? ids.map((id) => make("div", {}, make("bdi", { class: "id" }, id))) : ["–"]));
  };

  $("check-form").addEventListener("submit", (event) => event.preventDefault());
  $("input").addEventListener("input", update);
  // A large text doesn't go into the field, which would take seconds to show it.
  const { take } = startFile("input-file", "check-drop", maxBytes + 1, () => {}, async ({ bytes, problem }) => {
    file = bytes;
    $("input").disabled = Boolean(bytes);
    await update();
    if (problem) showProblems("input", [problem]);
  });
  $("input").addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text");
    if (text.length < maxPasted) return;
    event.preventDefault();
    take(new Blob([text]));
  });
  if ($("input").value !== "") update();
}
