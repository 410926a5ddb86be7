// The tab One: a link and its code while the person types.
import { $, announce, number, problemsOf, save, showProblems, t, types } from "./dom.js";
import { isForPaper } from "./engine.js";

const fields = ["who", "message", "size", "color", "caption", "frame", "logo"];

/** Returns the field that a problem of the picture belongs to. */
export function fieldOf({ code, message }) {
  if (/contrast|light_on_dark|invalid_color|invalid_bg/.test(code)) return "color";
  if (/^print_(invalid_logo|logo_too_large)$/.test(code)) return "logo";
  if (/^print_(text_does_not_fit|unsupported_character)$/.test(code)) return message.startsWith("frame") ? "frame" : "caption";
  return "size";
}

/** Starts the tab, and returns a function that shows it in another language. */
export function startOne(engine) {
  let logo;
  let shown; // the link and the settings of the picture that is shown
  let round = 0;
  let retry;

  const settings = () => ({
    size: $("size").value === "" ? -1 : Number($("size").value),
    unit: $("unit").value,
    dpi: Math.trunc(Number($("dpi").value)) || 1,
    color: $("color").value.slice(1),
    bg: $("background").value.slice(1),
    caption: $("caption").value,
    frame: $("frame").value,
    logo,
  });

  // update shows the link and the code of what the fields hold. With the module it is done
  // before the next picture of the screen. Responses of the API that are out of date are
  // dropped.
  async function update() {
    const mine = ++round;
    clearTimeout(retry);
    const who = $("who").value;
    const text = $("message").value;
    const found = Object.fromEntries(fields.map((field) => [field, { problems: [], warnings: [] }]));
    let link;
    let picture;
    if (who.trim() !== "") {
      try {
        link = engine.link(who, text);
        if (link instanceof Promise) link = await link;
        found.who.warnings = link.warnings;
      } catch (error) {
        for (const p of problemsOf(error)) found[p.code.startsWith("text_") ? "message" : "who"].problems.push(p);
        retryLater(error);
      }
    }
    const current = link && { ...settings(), ...link, text };
    if (current && !isForPaper(current) && !Number.isInteger(current.size)) current.size = -1;
    if (current) {
      try {
        picture = engine.picture(current, "svg");
        if (picture instanceof Promise) picture = await picture;
        for (const w of picture.warnings) found[fieldOf(w)].warnings.push(w);
      } catch (error) {
        for (const p of problemsOf(error)) found[fieldOf(p)].problems.push(p);
        retryLater(error);
      }
    }
    if (mine !== round) return;
    for (const field of fields) showProblems(field, found[field].problems, found[field].warnings);
    shown = picture && current;
    show(link, current, picture);
    const problems = fields.flatMap((field) => [...$(`${field}-problem`).querySelectorAll("p")]);
    announce("one-status", problems.length > 0 ? problems.map((p) => p.textContent).join(" ") : link ? t("ready") : "");
  }

  // retryLater draws again when the server takes requests again.
  function retryLater(error) {
    if (error.retryAfter > 0) retry = setTimeout(update, error.retryAfter * 1000);
  }

  function show(link, current, picture) {
    $("one-empty").hidden = Boolean(link);
    $("one-empty").textContent = t($("who").value.trim() === "" ? "oneEmpty" : "oneWrong");
    $("one-result").hidden = !link;
    if (!link) return;
    showLink($("link"), link.link);
    for (const element of document.querySelectorAll("#one-result .short")) element.hidden = !link.short;
    if (link.short) showLink($("short"), link.short);
    $("username-note").hidden = link.kind !== "username";
    for (const button of document.querySelectorAll("#one-result [data-format], #print")) {
      button.disabled = !picture || (button.dataset.needs === "module" && engine.name !== "module");
    }
    $("picture").parentElement.hidden = !picture;
    $("picture-size").hidden = !picture;
    if (!picture) return;
    // Browsers decode a data URL faster than a blob.
    $("picture").src = `data:image/svg+xml,${encodeURIComponent(new TextDecoder().decode(picture.bytes))}`;
    $("picture").alt = t("pictureAlt", { link: link.link });
    $("picture").style.setProperty("--print-width", picture.width + current.unit);
    showSize(current, picture);
  }

  function showSize(current, { width, height, module }) {
    const size = `\u2066${number(width)} × ${number(height)}\u2069 ${t(current.unit === "px" ? "unitPx" : "unitMm")}`;
    $("picture-size").textContent = module ? t("moduleSize", { size, module }) : size;
  }

  function showLink(anchor, link) {
    anchor.href = link;
    anchor.textContent = link.replace(/^https?:\/\//, "");
  }

  async function copy(button, text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      copyBySelection(button.previousElementSibling);
    }
    button.textContent = t("copied");
    $("one-status").textContent = t("copied");
    setTimeout(() => (button.textContent = t("copy")), 2000);
  }

  // copyBySelection copies the address of a link in pages without the clipboard, such as
  // those that were not loaded by HTTPS.
  function copyBySelection(anchor) {
    const listener = (event) => {
      event.clipboardData.setData("text/plain", anchor.href);
      event.preventDefault();
    };
    document.addEventListener("copy", listener);
    document.execCommand("copy");
    document.removeEventListener("copy", listener);
  }

  async function download(format) {
    if (!shown) return;
    const current = shown;
    try {
      const { bytes } = await engine.picture(current, format);
      save(bytes, `${current.value}.${format}`, types[format]);
    } catch (error) {
      for (const p of problemsOf(error)) showProblems(fieldOf(p), [p]);
    }
  }

  async function readLogo() {
    const [file] = $("logo").files;
    logo = file && new Uint8Array(await file.arrayBuffer());
    $("logo-remove").hidden = !file;
    update();
  }

  // The units have different usual sizes.
  function changeUnit() {
    const inMillimetres = $("unit").value === "mm";
    $("size").value = inMillimetres ? 25 : 512;
    $("dpi-field").hidden = !inMillimetres;
  }

  let typing;
  $("one-form").addEventListener("submit", (event) => event.preventDefault());
  $("one-form").addEventListener("input", (event) => {
    if (event.target.id === "logo") return;
    if (event.target.id === "unit") changeUnit();
    clearTimeout(typing);
    if (engine.name === "module") update();
    else typing = setTimeout(update, 600);
  });
  $("logo").addEventListener("change", readLogo);
  $("logo-remove").addEventListener("click", () => {
    $("logo").value = "";
    readLogo();
    $("logo").focus();
  });
  $("copy").addEventListener("click", () => copy($("copy"), $("link").href));
  $("copy-short").addEventListener("click", () => copy($("copy-short"), $("short").href));
  for (const button of document.querySelectorAll("#one-result [data-format]")) button.addEventListener("click", () => download(button.dataset.format));
  $("print").addEventListener("click", () => print());
  update();
  return update;
}
