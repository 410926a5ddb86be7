// The start of the page: tabs, colors and engine.
import { $, t, translate } from "./dom.js";
import { openEngine, startOffline } from "./client.js";
import { keep, restore, startKeeping } from "./keep.js";
import { startOne } from "./one.js";
import { startMany } from "./many.js";

const tabs = ["one", "many"];
const root = document.documentElement;

function selectTab(name, { focus = false } = {}) {
  for (const tab of tabs) {
    const button = $(`tab-${tab}`);
    button.setAttribute("aria-selected", String(tab === name));
    button.tabIndex = tab === name ? 0 : -1;
    $(tab).hidden = tab !== name;
  }
  $(name).dispatchEvent(new Event("show"));
  if (focus) $(`tab-${name}`).focus();
  if (location.hash !== `#${name}` && (location.hash !== "" || name !== "one")) history.replaceState(history.state, "", `#${name}`);
}

function startTabs() {
  const list = document.querySelector("[role=tablist]");
  list.addEventListener("click", (event) => {
    const tab = event.target.closest("[role=tab]");
    if (tab) selectTab(tab.id.slice("tab-".length));
  });
  list.addEventListener("keydown", (event) => {
    const at = tabs.findIndex((tab) => $(`tab-${tab}`) === document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    selectTab(tabs.at(to % tabs.length), { focus: true });
  });
  const fromAddress = () => tabs.find((tab) => `#${tab}` === location.hash);
  addEventListener("hashchange", () => fromAddress() && selectTab(fromAddress()));
  selectTab(fromAddress() ?? "one");
}

// startEngine starts the tabs while the module is being loaded. If it can't be loaded, the
// person can try again without losing what the fields hold.
async function startEngine() {
  const engine = openEngine((again) => showNotice("noticeFailed", again));
  for (const start of [startOne, startMany]) {
    start(engine);
    await new Promise((resolve) => setTimeout(resolve)); // so that the page reacts in between
  }
  await engine.tried;
}

// showNotice shows a text, and a button that tries again if there is something to try.
function showNotice(key, again) {
  $("notice-text").textContent = t(key);
  $("retry").hidden = !again;
  $("notice").hidden = false;
  $("retry").onclick = () => {
    $("notice").hidden = true;
    again();
  };
}

// preferred returns the first of the browser's languages that the page has, or English.
function preferred() {
  const all = Array.from($("language").options, ({ value }) => value);
  return navigator.languages.map((name) => name.split("-")[0]).find((name) => all.includes(name)) ?? "en";
}

async function start() {
  const showTheme = () => {
    if ($("theme").value === "") delete root.dataset.theme;
    else root.dataset.theme = $("theme").value;
  };
  $("theme").value = "";
  $("language").value = preferred();
  restore(document);
  startKeeping();
  await translate($("language").value);
  $("language").addEventListener("change", () => {
    keep();
    location.reload(); // the fields stay, but for files
  });
  $("theme").addEventListener("change", showTheme);
  showTheme();
  startTabs();
  $("one-form").addEventListener("submit", (event) => event.preventDefault());
  if (typeof WebAssembly === "undefined") {
    root.dataset.engine = "none";
    showNotice("noticeNone");
  } else await startEngine();
  root.dataset.ready = "";
  if (root.dataset.engine === "module") startOffline();
}

start();
