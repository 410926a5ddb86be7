// Elements, texts in the language of the person, and messages beside fields, for all parts of the
// page.
import { keys, texts } from "./texts.js";

export const $ = (id) => document.getElementById(id);

let language = "en";

/** Sets the language of the page and writes all fixed texts anew. */
export function setLanguage(code) {
  language = code;
  document.documentElement.lang = code;
  document.documentElement.dir = code === "ar" ? "rtl" : "ltr";
  for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const element of document.querySelectorAll("[data-label]")) element.setAttribute("aria-label", t(element.dataset.label));
}

const places = new Map(keys.map((key, i) => [key, i]));

/** Returns a text in the language of the page, with {key} replaced by values.key. */
export function t(key, values = {}) {
  const text = texts[language][places.get(key)] ?? key;
  return text.replace(/\{(\w+)\}/g, (place, name) => (typeof values[name] === "number" ? number(values[name]) : (values[name] ?? place)));
}

/** Formats a number with at most two digits after the point. */
export const number = (n) => new Intl.NumberFormat(language, { maximumFractionDigits: 2 }).format(n);

/** Returns an element with attributes and children. */
export function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const measured = /^(print_|low_contrast$|text_too_long$|row_|invalid_size$)/;

/**
 * Returns the message of a problem. English is the message of the library. The other
 * languages have a message for each code, and add the message of the library where it
 * has measures.
 */
export function message(problem) {
  const translated = texts[language][places.get(`problem.${problem.code}`)];
  if (!translated || language === "en") return [make("span", { lang: "en", dir: "ltr" }, sentence(problem.message))];
  if (!measured.test(problem.code)) return [translated];
  return [translated, make("small", { lang: "en", dir: "ltr" }, sentence(problem.message))];
}

const sentence = (s) => s.charAt(0).toUpperCase() + s.slice(1) + (/[.?!]$/.test(s) ? "" : ".");

/** Shows problems and warnings at a field, and marks its inputs if there are problems. */
export function showProblems(field, problems, warnings = []) {
  const place = $(`${field}-problem`);
  const lines = [
    ...problems.map((p) => make("p", { "data-code": p.code }, ...message(p))),
    ...warnings.map((p) => make("p", { class: "warning", "data-code": p.code }, ...message(p))),
  ];
  if (lines.length > 0 || place.hasChildNodes()) place.replaceChildren(...lines);
  for (const input of document.querySelectorAll(`[aria-describedby~="${field}-problem"]`)) {
    if (problems.length > 0) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }
}

/** Returns the problems of an error, or throws the error if it is of another kind. */
export function problemsOf(error) {
  if (Array.isArray(error?.problems)) return error.problems;
  throw error;
}

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
  ndjson: "application/x-ndjson",
};

/** Says a text in a live region, once the person stops typing. */
export function announce(id, text) {
  clearTimeout(timers.get(id));
  timers.set(id, setTimeout(() => {
    if ($(id).textContent !== text) $(id).textContent = text;
  }, 700));
}

const timers = new Map();
