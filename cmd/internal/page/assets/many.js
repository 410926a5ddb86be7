// The tab Many: a table becomes a ZIP of pictures or a PDF of labels, with a report.
import { $, make, message, number, problemsOf, save, showProblems, startFile, t, types } from "./dom.js";
import { copyLook, startLook, whole } from "./look.js";

const maxRows = 200; // that the table shows
const roomy = 200; // millimeters, a size at which all texts fit
const example = "username,phone,text\njane.doe,,Hello Jane\n,+1 650 555 1234,\nJane,,\n";

/** How long a step may draw before the page can react, in milliseconds. */
const stepTime = 12;

export function startMany(engine) {
  let file; // the bytes of a chosen file, or undefined if the text counts
  let running; // the batch in progress
  let result;

  $("many-fields").disabled = false;
  $("labels").replaceChildren(...engine.labelNames().map((name) => make("option", { value: name }, name)));

  copyLook("many-", $("many-fieldsets"));
  const look = startLook("many-", checkLook);
  look.field("caption").after($("many-caption-hint"));
  look.field("caption").setAttribute("aria-describedby", "many-caption-hint many-caption-problem");

  // settings returns the look that the output can have: codes of a table have a caption, a
  // frame and a logo only in millimeters, and labels set the size of their codes.
  function settings() {
    const s = look.settings();
    if (s.unit === "px") Object.assign(s, { caption: "", frame: "", logo: undefined });
    if ($("output").value === "labels") s.size = undefined;
    return s;
  }

  // checkLook draws an example, shows what is wrong with its look, and reports whether
  // nothing is.
  function checkLook(typing = false) {
    if ($("output").value === "check") return true;
    const { size, ...others } = settings();
    try {
      const { warnings } = engine.picture({ ...engine.link("jane.doe", ""), ...others, size: size ?? roomy }, "svg");
      look.show([], warnings.filter(({ code }) => size !== undefined || code !== "print_width_rounded"), typing);
      return true;
    } catch (error) {
      look.show(problemsOf(error), [], typing);
      return false;
    }
  }

  function showFields() {
    const output = $("output").value;
    const onPaper = output === "labels" || ["pdf", "eps"].includes($("many-format").value);
    if (onPaper) look.setUnit("mm");
    for (const option of look.field("unit").options) option.disabled = onPaper && option.value === "px";
    for (const field of document.querySelectorAll("[data-output]")) field.hidden = field.dataset.output !== output;
    for (const name of ["size", "unit"]) look.field(name).parentElement.hidden = output === "labels";
    const inPixels = look.field("unit").value === "px";
    $("many-fieldsets").hidden = output === "check";
    look.field("extras").hidden = inPixels;
    $("example-table").hidden = Boolean(file) || $("table").value !== "";
    $("many-extras-hint").hidden = output === "check" || !inPixels;
  }

  function options() {
    const output = $("output").value;
    const chosen = { output, text: $("many-text").value };
    if (output === "check") return chosen;
    const { size, unit, dpi, color, bg, caption, frame, logo } = settings();
    Object.assign(chosen, { color, bg }, unit === "px" ? { size } : { mm: size, dpi, caption, frame, logo });
    if (output === "zip") return { ...chosen, format: $("many-format").value };
    return {
      ...chosen, labels: $("labels").value, start: whole($("start")), border: $("border").checked,
      offsetX: $("offset-x").valueAsNumber, offsetY: $("offset-y").valueAsNumber,
    };
  }

  // show shows problems of the table, the labels, the message and other things.
  function show(problems) {
    const fieldOf = ({ code }) => (/^print_/.test(code) ? "sheet" : /^text_/.test(code) ? "many-text" : code === "missing_table" ? "table" : "many");
    for (const field of ["table", "sheet", "many-text", "many"]) showProblems(field, problems.filter((p) => fieldOf(p) === field));
  }

  // focusProblem moves the focus to the first visible field with a problem.
  const focusProblem = () => Array.from($("many-form").querySelectorAll("[aria-invalid]")).find((field) => field.getClientRects().length > 0)?.focus();

  async function run() {
    if (running) return;
    clear();
    const input = file ?? new TextEncoder().encode($("table").value);
    if (input.length === 0) {
      show([{ code: "missing_table", message: "choose a file or paste a table" }]);
      focusProblem();
      return;
    }
    if (!checkLook()) {
      focusProblem();
      return;
    }
    let batch;
    try {
      const chosen = options();
      batch = running = engine.batch.open(input, chosen);
      showRunning(true);
      const failed = await draw(batch);
      if (!failed) {
        $("many-status").textContent = t("cancelled");
        return;
      }
      result = { ...batch.finish(), failed, output: chosen.output };
      showResult();
    } catch (error) {
      show(problemsOf(error));
      focusProblem();
    } finally {
      batch?.close();
      if (running === batch) running = undefined;
      showRunning(running !== undefined);
    }
  }

  // draw draws all rows in short steps, and returns those that are not ok or have warnings.
  // It returns undefined if the person cancels.
  async function draw(batch) {
    const notable = [];
    let done = 0;
    let size = 1;
    for (;;) {
      const began = performance.now();
      const rows = batch.step(size);
      if (rows.length === 0) return notable;
      done += rows.length;
      notable.push(...rows.filter((row) => row.status === "failed" || row.warnings?.length > 0));
      $("progress").max = Math.max(batch.rows, 1);
      $("progress").value = done;
      const took = performance.now() - began;
      size = Math.max(1, Math.min(1000, Math.floor((size * stepTime) / Math.max(took, 0.1)), size * 2));
      await new Promise((resolve) => setTimeout(resolve));
      if (running !== batch) return undefined;
    }
  }

  function showRunning(isRunning) {
    $("many-progress").hidden = !isRunning;
    $("cancel-batch").hidden = !isRunning;
    $("start-batch").disabled = isRunning;
    if (isRunning) {
      $("progress").value = 0;
      $("many-status").textContent = t("drawing");
      $("cancel-batch").focus();
    } else if (document.activeElement === document.body) {
      $("start-batch").focus();
    }
  }

  function showResult() {
    const { counts, failed, output, file: bytes } = result;
    $("many-status").textContent = t("counts", counts);
    $("many-result").hidden = false;
    $("download-batch").hidden = output === "check" || counts.ok === 0 || !bytes;
    $("download-batch").textContent = t(output === "labels" ? "downloadLabels" : "downloadZip");
    $("rows").hidden = failed.length === 0;
    $("rows-table").tBodies[0].replaceChildren(...failed.slice(0, maxRows).map(resultRow));
    $("rows-more").hidden = failed.length <= maxRows;
    $("rows-more").textContent = t("rowsMore", { shown: maxRows, all: failed.length });
  }

  function resultRow(row) {
    const problems = row.status === "failed" ? [row] : row.warnings;
    return make("tr", { "data-row": row.row, "data-status": row.status },
      make("th", { scope: "row" }, number(row.row)),
      make("td", {}, ...problems.map((p) => make("div", {}, `${message(p)} `, make("bdi", { class: "id" }, p.code)))));
  }

  // clear removes the result, and ends a batch in progress.
  function clear() {
    running = undefined;
    result = undefined;
    $("many-result").hidden = true;
    $("many-status").textContent = "";
    show([]);
  }

  $("many-form").addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  $("cancel-batch").addEventListener("click", () => (running = undefined));
  // A chosen file counts in place of the text, which stays.
  startFile("table-file", "drop", undefined, (bytes, chosen) => {
    clear();
    file = bytes;
    $("table").disabled = Boolean(bytes);
    $("many-status").textContent = bytes ? t("fileRead", { name: chosen.name, size: chosen.size }) : "";
    showFields();
  });
  $("example-table").addEventListener("click", () => {
    $("table").value = example;
    $("table").dispatchEvent(new Event("input", { bubbles: true }));
    $("start-batch").focus();
  });
  // A result is that of the fields, so it ends when one of them changes.
  $("many-form").addEventListener("input", (event) => {
    if (event.target.type !== "file") clear();
    showFields();
  });
  $("many-form").addEventListener("change", () => {
    showFields();
    checkLook();
  });
  $("download-batch").addEventListener("click", () => {
    const ending = result.output === "labels" ? "pdf" : "zip";
    save(result.file, `hailmark.${ending}`, types[ending]);
  });
  $("download-report-csv").addEventListener("click", () => save(result.reportCSV, "report.csv", types.csv));
  $("download-report-ndjson").addEventListener("click", () => save(result.reportNDJSON, "report.ndjson", types.ndjson));
  showFields();
}
