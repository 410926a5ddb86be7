// The tab One: a link and its code while the person types.
import { latest } from "./client.js";
import { $, announce, countryName, isolated, make, message, number, pictureURL, problemsOf, save, showButtons, showLight, showNodes, showProblems, t, types } from "./dom.js";
import { startHome } from "./home.js";
import { startLook } from "./look.js";

const pauseTime = 1000; // milliseconds after which a person isn't typing

export function startOne(engine) {
  const look = startLook("", () => update());
  const home = startHome(engine, "home");
  let linkText = ""; // the text of the link in the field
  let isMarked = false; // the time of the first code is known
  let pause; // the timer that ends the typing
  let updated; // a promise of the view of what the fields hold
  const one = latest((entry) => engine.ask("one", entry));

  // update shows the view of what the fields hold. While the person types, new problems of the
  // field wait until it is left.
  function update(typing = false) {
    updated = read(typing);
  }

  // read returns the view, or nothing if another update follows. Everything that's shown, saved
  // and copied comes from it.
  async function read(typing) {
    await look.ready();
    const { settings, found } = look.entry();
    const [who, text] = [$("who").value, $("message").value];
    const view = await one({ who, text, home: home.value(), linkText, settings, found, hasMore: engine.hasMore() });
    if (!view) return undefined;
    if (view.isWaiting) engine.more(() => update(typing));
    if (view.message !== text) $("message").value = view.message;
    linkText = view.linkText;
    show(view, typing);
    if (!isMarked) performance.mark("first-code");
    isMarked = true;
    return view;
  }

  // current returns the view of what the fields hold now.
  async function current() {
    for (let last; ;) {
      last = updated;
      const view = await last;
      if (last === updated) return view;
    }
  }

  let status = ""; // that was said last

  function show(view, typing) {
    const problems = view.problems.filter(isAt("who"));
    const isFound = !view.link && view.suggestions?.length > 0; // there's nothing to correct, but something to choose
    showProblems("who", isFound ? [] : problems, isFound ? problems.slice(0, 1) : view.warnings.filter(isAt("who")), typing || isFound && document.activeElement === $("who"));
    showProblems("message", view.problems.filter(isAt("message")), view.warnings.filter(isAt("message")), typing);
    look.show(view, typing);
    home.show(view.isNational);
    showFields();
    showBlocked(view, typing, isFound);
    showSuggestions(view);
    showPreset();
    showLinks(view);
    showPicture(view);
    for (const button of document.querySelectorAll("#one-form .result .buttons button")) button.disabled = !(button.id.startsWith("copy") ? view.link : view.code);
    const shown = Array.from($("one-form").querySelectorAll(".problem p"), (p) => p.textContent);
    const said = shown.join(" ") || (view.code ? t("ready", { link: view.code.link }) : "");
    if (said !== status) announce("one-status", said); // the same again would replace "Copied"
    status = said;
  }

  // showFields shows the fields that the product has: the paper sets the size of a poster.
  function showFields() {
    const isCode = $("product").value === "code";
    $("sheet-fields").hidden = isCode;
    $("size-fields").hidden = !isCode;
  }

  // showBlocked says why nothing can be saved, with the cause and a way to each field that has a problem.
  // While the person types in the only such field, it's too early to say so.
  function showBlocked({ problems, isEmpty, isWaiting }, typing, isFound) {
    const fields = [...new Set(problems.map(({ field }) => field))];
    const isHere = fields.length === 1 && fields[0] === document.activeElement?.id && $(fields[0]).getAttribute("aria-invalid") !== "true";
    const isEarly = typing && isHere || isFound && fields.every((field) => field === "who");
    $("one-empty").hidden = fields.length > 0 || !(isEmpty || isWaiting);
    $("one-empty").textContent = t(isEmpty ? "oneEmpty" : "oneLoading");
    $("one-typing").hidden = !isEarly;
    $("one-typing").textContent = t(isFound ? "chooseFound" : "keepTyping");
    $("one-blocked").hidden = fields.length === 0 || isEarly;
    const causes = fields.map((field) => ({ field, cause: message(problems.find(isAt(field))) }));
    showNodes($("one-blocked"), causes, () => [`${t("blocked")} `, ...causes.flatMap((cause, i) => (i === 0 ? [wayTo(cause)] : [" ", wayTo(cause)]))]);
  }

  function wayTo({ field, cause }) {
    const way = make("button", { type: "button", class: "link" }, document.querySelector(`label[for=${field}]`).textContent);
    way.addEventListener("click", () => goTo(field));
    return make("span", {}, way, `: ${cause}`);
  }

  // showSuggestions shows what the text in the field contains, also while the person types.
  function showSuggestions({ suggestions = [] }) {
    showButtons($("who-suggestions"), suggestions, ({ name, countryName: country, countryCode: code }) => {
      const button = make("button", { type: "button", class: "quiet" }, t(country ? "useInCountry" : "useInstead", { name, country: countryName(code, country) }));
      button.addEventListener("click", () => {
        $("who").value = name;
        update();
        $("who").focus();
      });
      return button;
    });
  }

  // The presets fill in the fields, and show which of them the fields are.
  const presets = {
    plain() {
      $("caption").value = $("frame").value = "";
      $("product").value = "code";
      $("logo-remove").hidden || $("logo-remove").click();
    },
    frame: () => ($("frame").value ||= t("scanMe")),
    logo: () => $("logo").click(),
  };

  function showPreset() {
    const { caption, frame } = look.entry().settings;
    const hasLogo = !$("logo-remove").hidden;
    const isOn = { plain: !caption && !frame && !hasLogo && $("product").value === "code", frame: frame !== "", logo: hasLogo };
    for (const [name, on] of Object.entries(isOn)) $(`preset-${name}`).setAttribute("aria-pressed", String(on));
  }

  function goTo(field) {
    const details = $(field).closest("details");
    if (details) details.open = true;
    $(field).focus();
  }

  function showLinks({ link }) {
    $("one-link").hidden = !link;
    for (const element of document.querySelectorAll("#one-form .short")) element.hidden = !link?.short;
    $("username-note").hidden = link?.kind !== "username";
    if (!link) return;
    showLink($("link"), link.link);
    $("country").textContent = link.country ? `${countryName(link.countryCode, link.country)}, ${isolated(`+${link.callingCode}`)}` : "";
    if (link.short) showLink($("short"), link.short);
  }

  // showPicture shows the code. It's pale if it isn't what can be saved.
  function showPicture({ picture, code, isEmpty, link, light }) {
    $("one-more").hidden = !code;
    showLight("scan", link && light);
    $("picture").classList.toggle("stale", !code && !isEmpty);
    $("picture").alt = code ? t("pictureAlt", { link: code.link }) : "";
    if (picture) $("picture").src = pictureURL(picture.bytes);
    if (!code) return;
    const { width, height, module } = picture;
    $("picture").style.setProperty("--print-width", width + code.unit);
    const size = `${number(width)} × ${number(height)} ${t(code.unit === "px" ? "unitPx" : "unitMm")}`;
    $("picture-size").textContent = module ? t("moduleSize", { size, module }) : size;
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

  // withCode calls a function with the code that the fields describe, unless there's a problem,
  // which is then shown even if the person was typing.
  async function withCode(use) {
    const view = await current();
    if (view?.code) return use(view.code);
    if (view) show(view);
    return undefined;
  }

  // fileOf returns the code as a file, or nothing if this format can't have it.
  async function fileOf(code, format) {
    try {
      const picture = await engine.ask("picture", code, format);
      showProblems("save", []);
      return new File([picture.bytes], `${code.value}.${format}`, { type: types[format] });
    } catch (error) {
      showProblems("save", problemsOf(error));
      return undefined;
    }
  }

  // download saves the code that the fields describe at the click, even if loading the large
  // module takes so long that the person writes something else.
  const download = (format) => withCode((code) => {
    const saveFile = async () => {
      const file = await fileOf(code, format);
      if (file) save(file, file.name, file.type);
    };
    return engine.needsMore(format) ? engine.more(saveFile) : saveFile();
  });

  // share reports nothing: the person can cancel it.
  const share = () => withCode(async (code) => {
    const file = await fileOf(code, "png");
    if (file) await navigator.share({ files: [file], text: code.link }).catch(() => {});
  });

  $("one-form").addEventListener("input", (event) => {
    showProblems("save", []);
    clearTimeout(pause);
    const typing = event.inputType !== "insertFromPaste";
    if (typing) pause = setTimeout(update, pauseTime);
    update(typing);
  });
  $("one-form").addEventListener("change", () => update());
  for (const [id, name] of [["copy", "link"], ["copy-short", "short"]]) {
    $(id).addEventListener("click", async () => {
      const view = await current();
      if (view?.link?.[name]) copy($(id), view.link[name]);
    });
  }
  for (const button of document.querySelectorAll("#one-form [data-format]")) button.addEventListener("click", () => download(button.dataset.format));
  for (const [name, choose] of Object.entries(presets)) {
    $(`preset-${name}`).addEventListener("click", () => {
      choose();
      update();
    });
  }
  // Wide windows have room for the design next to the code.
  const wide = matchMedia("(min-width: 56rem)");
  const openDesign = () => wide.matches && ($("design").open = true);
  wide.addEventListener("change", openDesign);
  openDesign();
  $("print").addEventListener("click", () => withCode(() => print()));
  $("share").hidden = !navigator.canShare?.({ files: [new File([], "code.png", { type: types.png })] });
  $("share").addEventListener("click", share);
  update();
}

const isAt = (name) => ({ field }) => field === name;
