// The tab One: a link and its code while the person types.
import { $, announce, number, pictureURL, problemsOf, save, showProblems, t, types } from "./dom.js";
import { fieldOf, plainLook, settingsOf, startLook } from "./look.js";

export function startOne(engine) {
  const look = startLook("", update);
  let good = { ...plainLook, text: "" }; // the last message and look without problems
  let shown; // the link, the settings and the image that are shown
  let first; // when the module had drawn its first code
  let linkText = ""; // the text of the link in the field

  function attempt(call) {
    try {
      return { value: call(), problems: [] };
    } catch (error) {
      return { problems: problemsOf(error) };
    }
  }

  // update shows the link and the code of what the fields hold. A problem of an optional
  // field never removes them: its last good value stays in use. While the person types,
  // new problems of the field wait until it is left.
  function update(typing = false) {
    const isLoading = engine.needsMore(look.settings());
    if (isLoading) engine.more(() => update(typing));
    const who = $("who").value;
    const found = { who: [], message: [], look: [] };
    takeText(who);
    let text = $("message").value;
    let link;
    if (who.trim() !== "") {
      let { value, problems } = attempt(() => engine.link(who, text));
      found.message = problems.filter(isAboutText);
      found.who = problems.filter((p) => !isAboutText(p));
      if (!value && found.who.length === 0) value = engine.link(who, (text = good.text));
      link = value;
    }
    const drawn = link && !isLoading ? draw(link, found) : undefined;
    if (drawn) {
      shown = drawn;
      good = { ...drawn, text };
    } else if (isLoading || shown?.value !== link?.value) shown = undefined;
    showProblems("who", found.who, link?.warnings, typing);
    showProblems("message", found.message, link?.messageWarnings, typing);
    look.show(found.look, drawn?.picture.warnings, typing);
    show(who.trim() === "", isLoading);
    const problems = Array.from($("one-form").querySelectorAll(".problem p"), (p) => p.textContent);
    announce("one-status", problems.join(" ") || (shown ? t("ready", { link: shown.link }) : ""));
  }

  // draw draws a link. Where the look has problems, it adds them to those found, and takes
  // the last good settings.
  function draw(link, found) {
    const settings = { ...look.settings(), ...link };
    for (;;) {
      const { value: picture, problems } = attempt(() => engine.picture(settings, "svg"));
      if (picture) return { ...settings, picture };
      found.message.push(...problems.filter(isAboutText));
      found.look.push(...problems.filter((p) => !isAboutText(p)));
      const bad = problems.flatMap((p) => settingsOf[fieldOf(p)]).filter((name) => settings[name] !== good[name]);
      if (bad.length === 0) return undefined;
      for (const name of bad) settings[name] = good[name];
    }
  }

  const isAboutText = ({ code }) => code.startsWith("text_");

  // takeText moves the text of a link to the message, unless the person has written one.
  function takeText(who) {
    const { value } = attempt(() => engine.parseLink(who));
    const text = value?.phone || value?.username ? (value.text ?? "") : "";
    if (text === linkText) return;
    if ($("message").value === "" || $("message").value === linkText) $("message").value = text;
    linkText = text;
  }

  function show(isEmpty, isLoading) {
    $("one-empty").hidden = Boolean(shown);
    $("one-empty").textContent = t(isEmpty ? "oneEmpty" : isLoading ? "oneLoading" : "oneWrong");
    $("one-link").hidden = $("one-more").hidden = !shown;
    $("picture").classList.toggle("stale", !shown && !isEmpty);
    for (const button of document.querySelectorAll("#one-form .buttons button")) button.disabled = !shown;
    if (!shown) {
      if (isEmpty) showPicture(engine.picture({ ...plainLook, ...engine.link("jane.doe", "") }, "svg"));
      $("picture").alt = "";
      return;
    }
    const { link, country, short, kind, unit, picture } = shown;
    showLink($("link"), link);
    $("country").textContent = country ?? "";
    for (const element of document.querySelectorAll("#one-more .short")) element.hidden = !short;
    if (short) showLink($("short"), short);
    $("username-note").hidden = kind !== "username";
    showPicture(picture);
    $("picture").alt = t("pictureAlt", { link });
    $("picture").style.setProperty("--print-width", picture.width + unit);
    const size = `${number(picture.width)} × ${number(picture.height)} ${t(unit === "px" ? "unitPx" : "unitMm")}`;
    $("picture-size").textContent = picture.module ? t("moduleSize", { size, module: picture.module }) : size;
  }

  function showPicture({ bytes }) {
    $("picture").src = pictureURL(bytes);
    $("picture").addEventListener("load", () => first ||= performance.mark("first-code"), { once: true });
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

  const fileOf = (format) => {
    const { value: picture, problems } = attempt(() => engine.picture(shown, format));
    look.show(problems, picture?.warnings);
    return picture && new File([picture.bytes], `${shown.value}.${format}`, { type: types[format] });
  };

  function download(format) {
    if (!shown) return; // the entry changed while the module was loading
    if (engine.needsMore(shown, format)) {
      engine.more(() => download(format));
      return;
    }
    const file = fileOf(format);
    if (file) save(file, file.name, file.type);
  }

  // share reports nothing: the person can cancel it.
  async function share() {
    const file = fileOf("png");
    if (file) await navigator.share({ files: [file], text: shown.link }).catch(() => {});
  }

  $("one-form").addEventListener("input", (event) => update(event.inputType !== "insertFromPaste"));
  $("one-form").addEventListener("change", () => update());
  $("copy").addEventListener("click", () => copy($("copy"), shown.link));
  $("copy-short").addEventListener("click", () => copy($("copy-short"), shown.short));
  for (const button of document.querySelectorAll("#one-form [data-format]")) button.addEventListener("click", () => download(button.dataset.format));
  $("print").addEventListener("click", () => print());
  $("share").hidden = !navigator.canShare?.({ files: [new File([], "code.png", { type: types.png })] });
  $("share").addEventListener("click", share);
  update();
}
