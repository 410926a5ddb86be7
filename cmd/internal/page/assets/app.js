// The start of the page: tabs, colors and engine.
import { $, t } from "./dom.js";
import { hasServer, openEngine } from "./engine.js";
import { startOne } from "./one.js";
import { startMany } from "./many.js";
import { startCheck } from "./check.js";

const tabs = ["one", "many", "check"];
const root = document.documentElement;

function selectTab(name, { focus = false } = {}) {
  for (const tab of tabs) {
    const button = $(`tab-${tab}`);
    button.setAttribute("aria-selected", String(tab === name));
    button.tabIndex = tab === name ? 0 : -1;
    $(tab).hidden = tab !== name;
  }
  if (focus) $(`tab-${name}`).focus();
  if (location.hash !== `#${name}` && (location.hash !== "" || name !== "one")) history.replaceState(null, "", `#${name}`);
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

// startEngine starts the module and the tabs. If the module can't be loaded, the person can
// try again without losing what the fields hold.
async function startEngine(load) {
  $("notice").hidden = true;
  let engine;
  try {
    engine = await openEngine(load);
  } catch {
    showNotice("noticeFailed", true);
    return;
  }
  for (const start of [startOne, startMany, startCheck]) start(engine);
  root.dataset.engine = "module";
}

function showNotice(key, canRetry = false) {
  root.dataset.engine = "none";
  $("notice-text").textContent = t(key);
  $("retry").hidden = !canRetry;
  $("notice").hidden = false;
}

async function start() {
  $("theme").value = "";
  $("theme").addEventListener("change", () => {
    if ($("theme").value === "") delete root.dataset.theme;
    else root.dataset.theme = $("theme").value;
  });
  startTabs();
  $("one-file").hidden = !hasServer() || root.dataset.module === "";
  $("api-link").hidden = !hasServer();
  $("one-form").addEventListener("submit", (event) => event.preventDefault());

  if (root.dataset.module === "") showNotice("noticeModule");
  else if (typeof WebAssembly === "undefined") showNotice("noticeNone");
  else {
    // If this script is missing, the notice of the page stays, which loads all of it again.
    const { load } = await import("./hailmark.js");
    $("retry").addEventListener("click", () => startEngine(load));
    await startEngine(load);
  }
  root.dataset.ready = "";
}

start();
