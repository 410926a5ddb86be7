// The start of the page: tabs, language, theme and engine.
import { $, setLanguage, t } from "./dom.js";
import { hasServer, openEngine } from "./engine.js";
import { startOne } from "./one.js";
import { startMany } from "./many.js";
import { startCheck } from "./check.js";

const tabs = ["one", "many", "check"];

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
    const forward = document.documentElement.dir === "rtl" ? "ArrowLeft" : "ArrowRight";
    const backward = document.documentElement.dir === "rtl" ? "ArrowRight" : "ArrowLeft";
    const to = { [forward]: at + 1, [backward]: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    selectTab(tabs.at(to % tabs.length), { focus: true });
  });
  const fromAddress = () => tabs.find((tab) => `#${tab}` === location.hash);
  addEventListener("hashchange", () => fromAddress() && selectTab(fromAddress()));
  selectTab(fromAddress() ?? "one");
}

/** Returns the first language of the browser that the page has. */
function preferredLanguage() {
  const known = Array.from($("language").options, (option) => option.value);
  return navigator.languages.map((tag) => tag.split("-")[0].toLowerCase()).find((code) => known.includes(code)) ?? "en";
}

/** Shows what the engine is, and turns off what it cannot do. */
function showEngine(engine) {
  for (const element of document.querySelectorAll("[data-needs=module]")) element.disabled = engine?.name !== "module";
  $("notice").hidden = engine?.name === "module";
  $("notice").textContent = engine ? t("noticeApi") : t("noticeNone");
  $("privacy").textContent = engine?.name === "api" ? t("privacyApi") : t("privacyModule");
}

async function start() {
  const root = document.documentElement;
  $("language").value = preferredLanguage();
  setLanguage($("language").value);
  $("theme").value = "";
  $("theme").addEventListener("change", () => {
    if ($("theme").value === "") delete root.dataset.theme;
    else root.dataset.theme = $("theme").value;
  });
  startTabs();
  $("one-file").hidden = !hasServer() || root.dataset.module === "";
  $("api-link").hidden = !hasServer();

  const engine = await openEngine();
  const refresh = engine ? [startOne(engine), startMany(engine), startCheck(engine)] : [];
  showEngine(engine);
  $("language").addEventListener("change", () => {
    setLanguage($("language").value);
    showEngine(engine);
    for (const again of refresh) again();
  });
  root.dataset.engine = engine?.name ?? "none";
  root.dataset.ready = "";
}

start();
