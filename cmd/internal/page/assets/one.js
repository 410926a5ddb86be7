// The tab One: a link and its code while the person types.
import { $, announce, number, problemsOf, save, showProblems, t, types } from "./dom.js";
import { startLook } from "./look.js";

/** Starts the tab, and returns a function that shows it in another language. */
export function startOne(engine) {
  const look = startLook("", changed);
  let shown; // the link and the settings of the picture that is shown
  let round = 0;
  let retry;
  let typing;

  // update shows the link and the code of what the fields hold. With the module it is done
  // before the next picture of the screen. Responses of the API that are out of date are
  // dropped.
  async function update() {
    const mine = ++round;
    clearTimeout(retry);
    const who = $("who").value;
    const text = $("message").value;
    const found = { who: [], message: [], look: [] };
    let link;
    let picture;
    if (who.trim() !== "") {
      try {
        link = await engine.link(who, text);
      } catch (error) {
        for (const p of problemsOf(error)) found[p.code.startsWith("text_") ? "message" : "who"].push(p);
        retryLater(error);
      }
    }
    const current = link && { ...look.settings(), ...link, text };
    if (current) {
      try {
        picture = await engine.picture(current, "svg");
      } catch (error) {
        found.look = problemsOf(error);
        retryLater(error);
      }
    }
    if (mine !== round) return;
    showProblems("who", found.who, link?.warnings);
    showProblems("message", found.message);
    look.show(found.look, picture?.warnings);
    shown = picture && current;
    show(link, current, picture);
    const problems = Array.from($("one-form").querySelectorAll(".problem p"), (p) => p.textContent);
    announce("one-status", problems.join(" ") || (link ? t("ready") : ""));
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
      look.show(problemsOf(error));
    }
  }

  function changed() {
    clearTimeout(typing);
    if (engine.name === "module") update();
    else typing = setTimeout(update, 600);
  }

  $("one-form").addEventListener("submit", (event) => event.preventDefault());
  for (const name of ["who", "message"]) $(name).addEventListener("input", changed);
  $("copy").addEventListener("click", () => copy($("copy"), $("link").href));
  $("copy-short").addEventListener("click", () => copy($("copy-short"), $("short").href));
  for (const button of document.querySelectorAll("#one-result [data-format]")) button.addEventListener("click", () => download(button.dataset.format));
  $("print").addEventListener("click", () => print());
  update();
  return update;
}
