// The tab One: a link and its code while the person types.
import { latest } from "./client.js";
import { $, announce, number, pictureURL, problemsOf, save, showProblems, t, types } from "./dom.js";
import { plainLook, startLook } from "./look.js";

export function startOne(engine) {
  const look = startLook("", update);
  const sample = $("picture").src;
  let good = { ...plainLook, text: "" }; // the last message and look without problems
  let shown; // the link, the settings and the image that are shown
  let linkText = ""; // the text of the link in the field
  let updated; // a promise of the last update
  const one = latest((entry) => engine.ask("one", entry));

  // update shows the link and the code of what the fields hold. While the person types, new
  // problems of the field wait until it is left.
  function update(typing = false) {
    updated = read(typing);
  }

  async function read(typing) {
    const settings = look.settings();
    const isLoading = engine.needsMore(settings);
    if (isLoading) {
      shown = undefined;
      engine.more(() => update(typing));
    }
    const [who, text] = [$("who").value, $("message").value];
    const entry = await one({ who, text, linkText, settings: isLoading ? undefined : settings, good });
    if (!entry) return; // another update follows
    const { found, link, drawn, message } = entry;
    if (message !== text) $("message").value = message;
    linkText = entry.linkText;
    if (drawn) shown = good = drawn;
    else if (isLoading || shown?.value !== link?.value) shown = undefined;
    showProblems("who", found.who, link?.warnings, typing);
    showProblems("message", found.message, link?.messageWarnings, typing);
    look.show(found.look, drawn?.picture.warnings, typing);
    show(who.trim() === "", isLoading);
    const problems = Array.from($("one-form").querySelectorAll(".problem p"), (p) => p.textContent);
    announce("one-status", problems.join(" ") || (shown ? t("ready", { link: shown.link }) : ""));
  }

  function show(isEmpty, isLoading) {
    $("one-empty").hidden = Boolean(shown);
    $("one-empty").textContent = t(isEmpty ? "oneEmpty" : isLoading ? "oneLoading" : "oneWrong");
    $("one-link").hidden = $("one-more").hidden = !shown;
    $("picture").classList.toggle("stale", !shown && !isEmpty);
    for (const button of document.querySelectorAll("#one-form .buttons button")) button.disabled = !shown;
    if (!shown) {
      if (isEmpty) $("picture").src = sample;
      $("picture").alt = "";
      return;
    }
    const { link, country, short, kind, unit, picture } = shown;
    showLink($("link"), link);
    $("country").textContent = country ?? "";
    for (const element of document.querySelectorAll("#one-more .short")) element.hidden = !short;
    if (short) showLink($("short"), short);
    $("username-note").hidden = kind !== "username";
    $("picture").src = pictureURL(picture.bytes);
    $("picture").alt = t("pictureAlt", { link });
    $("picture").style.setProperty("--print-width", picture.width + unit);
    const size = `${number(picture.width)} × ${number(picture.height)} ${t(unit === "px" ? "unitPx" : "unitMm")}`;
    $("picture-size").textContent = picture.module ? t("moduleSize", { size, module: picture.module }) : size;
  }

  function showLink(anchor, link) {
    anchor.href = link;
    anchor.textContent = link.replace(/^https?:\/\//, "");
  }

  async function copy(button, text) {
    const label = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      if (!copyBySelection(text)) return;
    }
    button.textContent = t("copied");
    $("one-status").textContent = "";
    announce("one-status", t("copied"));
    setTimeout(() => (button.textContent = label), 2000);
  }

  // copyBySelection copies a text in pages without the clipboard, such as those that were
  // not loaded by HTTPS, and reports whether it could.
  function copyBySelection(text) {
    const listener = (event) => {
      event.clipboardData.setData("text/plain", text);
      event.preventDefault();
    };
    document.addEventListener("copy", listener);
    const done = document.execCommand("copy");
    document.removeEventListener("copy", listener);
    return done;
  }

  // current returns what is shown once it is that of the fields.
  async function current() {
    for (let last; last !== updated; await last) last = updated;
    return shown;
  }

  // fileOf returns the code as a file, or nothing if there is none.
  async function fileOf(code, format) {
    try {
      const picture = await engine.ask("picture", code, format);
      look.show([], picture.warnings);
      return new File([picture.bytes], `${code.value}.${format}`, { type: types[format] });
    } catch (error) {
      look.show(problemsOf(error));
      return undefined;
    }
  }

  async function download(format) {
    const code = await current();
    if (!code) return; // the entry changed while the module was loading
    if (engine.needsMore(code, format)) {
      engine.more(() => download(format));
      return;
    }
    const file = await fileOf(code, format);
    if (file) save(file, file.name, file.type);
  }

  // share reports nothing: the person can cancel it.
  async function share() {
    const code = await current();
    const file = code && (await fileOf(code, "png"));
    if (file) await navigator.share({ files: [file], text: code.link }).catch(() => {});
  }

  $("one-form").addEventListener("input", (event) => update(event.inputType !== "insertFromPaste"));
  $("one-form").addEventListener("change", () => update());
  for (const [id, name] of [["copy", "link"], ["copy-short", "short"]]) {
    $(id).addEventListener("click", async () => {
      const code = await current();
      if (code) copy($(id), code[name]);
    });
  }
  for (const button of document.querySelectorAll("#one-form [data-format]")) button.addEventListener("click", () => download(button.dataset.format));
  $("print").addEventListener("click", async () => (await current()) && print());
  $("share").hidden = !navigator.canShare?.({ files: [new File([], "code.png", { type: types.png })] });
  $("share").addEventListener("click", share);
  update();
}
