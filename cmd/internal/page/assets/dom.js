// Elements, texts, and messages at fields, for all parts of the page.
import { texts as english } from "./texts.js";

let texts = english;

/** The language of the texts. */
export let language = "en";

/** Shows the page in a language, or in English if its texts can't be loaded. */
export async function translate(wanted) {
  if (wanted === language) return;
  try {
    texts = await (await fetch(new URL(`${wanted}.json`, import.meta.url))).json();
  } catch {
    return;
  }
  language = wanted;
  document.documentElement.lang = wanted;
  document.documentElement.dir = wanted === "ar" ? "rtl" : "ltr";
  for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const element of document.querySelectorAll("[data-label]")) element.setAttribute("aria-label", t(element.dataset.label));
}

/** Returns the name of a country in the language, or the library's in English. */
export const countryName = (code, name) => (language === "en" || !code ? name : new Intl.DisplayNames(language, { type: "region" }).of(code));

export const $ = (id) => document.getElementById(id);

/** Returns a text, with {key} replaced by values.key, or "" if there is none. */
export function t(key, values = {}) {
  return (texts[key] ?? "").replace(/\{(\w+)\}/g, (place, name) => (typeof values[name] === "number" ? number(values[name]) : isolated(values[name] ?? place)));
}

/** Keeps a name or a number as it is in a text from right to left. */
export const isolated = (s) => (document.documentElement.dir === "rtl" ? `\u2068${s}\u2069` : s);

/** Formats a number with at most two digits after the point. */
export const number = (n) => new Intl.NumberFormat(language, { maximumFractionDigits: 2 }).format(n);

/** Returns an element with attributes and children. */
export function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Shows what nodesOf returns for values. What's there already stays, so that a click on it isn't lost, and nobody hears it again. */
export function showNodes(place, values, nodesOf) {
  const key = JSON.stringify([language, values]);
  if (place.dataset.values === key) return;
  place.dataset.values = key;
  place.replaceChildren(...nodesOf(values));
}

/** Shows buttons for values. */
export function showButtons(place, values, buttonOf) {
  place.hidden = values.length === 0;
  showNodes(place, values, () => values.map(buttonOf));
}

/** Returns the message of a problem as a sentence. Other languages than English name its kind, and then what was found instead. */
export function message({ code, message: found, suggestions = [] }) {
  const kind = language === "en" || !code ? "" : t(`group.${code}`);
  return sentence(kind === "" ? found : [kind, ...suggestions.map(isolated)].join(" · "));
}

const sentence = (s) => s.charAt(0).toUpperCase() + s.slice(1) + (/[.?!]$/.test(s) ? "" : ".");

/**
 * Shows problems or else warnings at a field, and marks its inputs if there are problems.
 * While the person types in the field, nothing new appears, so that half a name is no problem.
 */
export function showProblems(field, problems, warnings = [], typing = false) {
  const place = $(`${field}-problem`);
  const described = `[aria-describedby~="${field}-problem"]`;
  if (typing && !place.hasChildNodes() && document.activeElement?.matches(described)) return;
  const line = (attributes) => (p) => make("p", { ...attributes, "data-code": p.code }, message(p));
  showNodes(place, [problems, problems.length > 0 || warnings], () => (problems.length > 0 ? problems.map(line({})) : warnings.map(line({ class: "warning" }))));
  const details = problems.length > 0 && place.closest("details");
  if (details) details.open = true;
  for (const input of document.querySelectorAll(described)) {
    if (problems.length > 0) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }
}

/** Shows whether scanners will read a code, unless there is no light. */
export function showLight(id, light) {
  $(id).hidden = !light;
  if (!light) return;
  $(id).dataset.light = light;
  $(id).textContent = t({ green: "scanGreen", yellow: "scanYellow", red: "scanRed" }[light]);
}

/** Returns the problems of a HailmarkError, and throws any other error again. */
export function problemsOf(error) {
  if (Array.isArray(error?.problems)) return error.problems;
  throw error;
}

/** Returns a data URL for an SVG, which browsers decode faster than the URL of a blob. */
export const pictureURL = (svg) => `data:image/svg+xml,${encodeURIComponent(new TextDecoder().decode(svg))}`;

/** Saves bytes as a file. */
export function save(bytes, name, type) {
  const url = URL.createObjectURL(new Blob([bytes], { type }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export const types = {
  png: "image/png",
  svg: "image/svg+xml",
  pdf: "application/pdf",
  zip: "application/zip",
  csv: "text/csv;charset=utf-8",
};

/** Says a text in a live region, once the person stops typing. */
export function announce(id, text) {
  clearTimeout(timers.get(id));
  timers.set(id, setTimeout(() => {
    if ($(id).textContent !== text) $(id).textContent = text;
  }, 700));
}

const timers = new Map();

/**
 * Starts a file field with a button that removes the file, and a place to drop one. For each
 * choice it calls changed at once, and use with the bytes of the file:
 * {bytes, file}, or {file, problem}, or {} without a file. Returns take, which takes another
 * file, and ready, which waits until the latest one has been used.
 */
export function startFile(id, place, changed, use) {
  let latest;
  let pending = Promise.resolve();
  const face = $(`${id}-name`);
  const invitation = face.textContent;

  async function read(file) {
    if (!file) return {};
    try {
      return { file, bytes: new Uint8Array(await file.arrayBuffer()) };
    } catch { // it's a folder, or was removed
      return { file, problem: { code: "file_unreadable", message: t("fileUnreadable") } };
    }
  }

  function take(file) {
    latest = file;
    $(`${id}-remove`).hidden = !file;
    if (!file) $(id).value = "";
    face.textContent = file?.name ?? invitation;
    pending = read(file).then((result) => latest === file ? use(result) : pending); // otherwise the person has chosen another one since
    changed();
    return pending;
  }

  $(id).addEventListener("change", () => take($(id).files[0]));
  $(`${id}-remove`).addEventListener("click", () => {
    take();
    $(id).focus();
  });
  for (const type of ["dragover", "dragleave", "drop"]) {
    $(place).addEventListener(type, (event) => {
      event.preventDefault();
      $(place).classList.toggle("over", type === "dragover");
      if (type !== "drop") return;
      $(id).files = event.dataTransfer.files;
      take($(id).files[0]);
    });
  }
  return { take, ready: () => pending };
}
