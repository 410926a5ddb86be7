// The tab Many: a table becomes a ZIP of images or a PDF of labels, with a report.
import { latest } from "./client.js";
import { $, make, message, number, pictureURL, save, showLight, showProblems, startFile, t, types } from "./dom.js";
import { place } from "./fields.js";
import { startHome } from "./home.js";
import { restore } from "./keep.js";
import { copyLook, startLook, whole } from "./look.js";

const maxRows = 50; // that the table shows of each reason
const example = "username,phone,text\njane.doe,,Hello Jane\n,+1 650 555 1234,\nJane,,\n";

/** How much of a table is read for the preview, in bytes. */
const previewed = 1 << 16;

export function startMany(engine) {
  let file; // the bytes of a chosen file, or undefined if the text counts
  let stop; // stops the worker, while it draws
  let result;
  let products = []; // the label sheets that can be chosen
  let corrections = []; // suggestions in place of the table's cells
  let changes = 0; // how often something has changed, which ends a start

  copyLook("many-", $("many-fieldsets"));
  restore($("many-fieldsets"));
  const look = startLook("many-", () => {
    clear();
    checkLook();
  });
  const home = startHome(engine, "many-home");
  // A chosen file counts in place of the text, which stays.
  const tableFile = startFile("table-file", "drop", () => {
    corrections = [];
    clear();
    checkLook();
  }, (read) => {
    file = read.bytes;
    $("table").disabled = Boolean(file);
    $("many-status").textContent = file ? t("fileRead", { name: read.file.name, size: file.length }) : "";
    if (read.problem) showProblems("table-file", [read.problem]);
    showFields();
  });
  look.field("caption").after($("many-caption-hint"));
  look.field("caption").setAttribute("aria-describedby", "many-caption-hint many-caption-problem");

  // entry returns the look that the output can have: codes of a table have a caption, a
  // frame and a logo only in millimeters, and labels set the size of their codes.
  function entry() {
    const { settings: s, found } = look.entry();
    const isLabels = $("output").value === "labels";
    if (s.unit === "px") Object.assign(s, { caption: "", frame: "", logo: undefined });
    if (isLabels) s.size = undefined;
    const isHidden = ({ field, part }) => (field === "logo" && s.unit === "px") || (part === "width" && isLabels);
    return { settings: s, found: found.filter((p) => !isHidden(p)) };
  }

  // sheet returns how labels are chosen, or undefined for other outputs.
  const sheet = () => ($("output").value === "labels"
    ? { labels: $("labels").value, start: whole($("start")), offsetX: $("offset-x").valueAsNumber, offsetY: $("offset-y").valueAsNumber }
    : undefined);

  const chosenColumns = () => Array.from($("columns").querySelectorAll("[data-column]"), ({ dataset, value }) => [dataset.column, value]);

  // table returns how the table is read. If it names its columns, nobody has to choose.
  function table() {
    const read = { country: home.value(), corrections };
    if ($("columns").hidden) return read;
    return { ...read, columns: Object.fromEntries(chosenColumns().filter(([, value]) => value !== "")), noHeader: $("no-header").checked };
  }

  const readColumns = latest((bytes, country) => engine.ask("columns", bytes, country));
  const remembered = new Map(); // the choices by the names of the columns
  let names; // of the table whose columns the person chooses, as a key of remembered
  let guessedFor; // the country with which they were guessed

  // checkColumns asks which column is which if the table doesn't say so. It returns undefined if
  // another table is being read.
  async function checkColumns() {
    const country = home.value();
    const read = await readColumns(input().slice(0, previewed), country);
    if (!read) return undefined;
    const { rows: [first = [], second = []], guess } = read;
    $("columns").hidden = !guess || guess.certain || first.length === 0;
    if ($("columns").hidden) {
      names = undefined;
      return true;
    }
    if (JSON.stringify(first) === names && country === guessedFor) return true;
    [names, guessedFor] = [JSON.stringify(first), country];
    const { noHeader, columns: chosen } = remembered.get(names) ?? guess;
    const titleOf = (i) => (noHeader ? t("columnNumber", { n: i + 1 }) : first[i]) + (second[i] || noHeader ? `: ${noHeader ? first[i] : second[i]}` : "");
    for (const select of $("columns").querySelectorAll("[data-column]")) {
      select.replaceChildren(make("option", { value: "" }, t("columnNone")), ...first.map((_, i) => make("option", { value: String(i + 1) }, titleOf(i).slice(0, 60))));
      select.value = chosen[select.dataset.column] || "";
    }
    $("no-header").checked = noHeader;
    return true;
  }

  function rememberColumns() {
    if (names) remembered.set(names, { columns: Object.fromEntries(chosenColumns()), noHeader: $("no-header").checked });
  }

  const input = () => file ?? new TextEncoder().encode($("table").value);

  const preview = latest((...args) => engine.ask("preview", ...args));

  // checkLook draws the code of the first row, shows what is wrong with its look, and reports
  // whether codes can be drawn. Another change makes its result undefined.
  async function checkLook(typing = false) {
    $("many-preview").hidden = $("output").value === "check";
    await Promise.all([look.ready(), tableFile.ready()]);
    if (!engine.hasMore()) return true;
    if (!(await checkColumns())) return undefined;
    if ($("output").value === "check") return true;
    const { settings, found } = entry();
    const view = await preview(input().slice(0, previewed), { ...settings, ...table(), sheet: sheet(), text: $("many-text").value }, found);
    if (!view) return undefined;
    showPreview(view);
    look.show(view, typing);
    showProblems("sheet", view.problems.filter(({ field }) => field === "sheet"), [], typing);
    return view.problems.length === 0;
  }

  function showPreview({ picture, problems, light }) {
    showLight("many-scan", light);
    if (picture) $("many-picture").src = pictureURL(picture.bytes);
    $("many-picture").classList.toggle("stale", problems.length > 0);
    $("many-picture").parentElement.classList.toggle("label", Boolean(picture?.sheet));
    $("many-preview-title").textContent = t(picture?.sheet ? "previewLabel" : "preview");
    $("sheet").hidden = !picture?.sheet;
    if (!picture?.sheet) return;
    $("sheet-picture").src = pictureURL(picture.sheet);
    $("sheet-measures").textContent = t("sheetMeasures", wordsOf(products.find(({ name }) => name === $("labels").value)));
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
    const chosen = { output, text: $("many-text").value, ...table() };
    if (output === "check") return chosen;
    const { size, unit, dpi, color, bg, caption, frame, logo } = entry().settings;
    Object.assign(chosen, { color, bg }, unit === "px" ? { size } : { mm: size, dpi, caption, frame, logo });
    if (output === "zip") return { ...chosen, format: $("many-format").value };
    return { ...chosen, ...sheet(), border: $("border").checked };
  }

  // show shows problems of a run at their fields. Those of the table as a whole name no field.
  function show(problems) {
    const placeOf = (p) => {
      if (!p.field) return file ? "table-file" : "table";
      if (p.field === "worker") return "many";
      const [{ field }] = place([p]);
      return { message: "many-text", sheet: "sheet" }[field] ?? `many-${field}`;
    };
    for (const field of new Set(["table-file", "columns", "table", "many-text", "many", ...problems.map(placeOf)])) showProblems(field, problems.filter((p) => placeOf(p) === field));
  }

  // focusProblem moves the focus to the first visible field with a problem.
  const focusProblem = () => Array.from($("many-form").querySelectorAll("[aria-invalid]")).find((field) => field.getClientRects().length > 0)?.focus();

  async function run() {
    if (stop) return;
    clear();
    const mine = changes;
    stop = () => {}; // nothing is drawn yet, but it can be canceled
    showRunning(true);
    const chosen = await check(() => mine === changes);
    if (mine !== changes) return;
    if (!chosen) {
      end();
      focusProblem();
      return;
    }
    draw(chosen);
  }

  // check returns the options of a run, or nothing if a field has a problem. What the preview asks
  // at the same time supersedes its questions, which it repeats while the run is current.
  async function check(isCurrent) {
    const answerOf = async (question) => {
      let answer;
      while (answer === undefined && isCurrent()) answer = await question();
      return answer;
    };
    await Promise.all([look.ready(), tableFile.ready()]);
    if (input().length === 0) {
      if (file) showProblems("table-file", [{ code: "", message: t("fileEmpty") }]);
      else show([{ code: "", message: t("tableMissing") }]);
      return undefined;
    }
    if (engine.hasMore()) await answerOf(checkColumns);
    const needsColumn = !$("columns").hidden && !["username", "phone", "target"].some((column) => $(`column-${column}`).value !== "");
    showProblems("columns", needsColumn ? [{ code: "", message: t("columnMissing") }] : []);
    return !needsColumn && (await answerOf(checkLook)) ? options() : undefined;
  }

  function draw(chosen) {
    stop = engine.draw(input(), chosen, (report) => {
      if (report.rows !== undefined) {
        $("progress").max = Math.max(report.rows, 1);
        $("progress").value = report.done;
        $("progress-count").textContent = t("progressCount", report);
        return;
      }
      end();
      if (report.value) {
        result = { ...report.value, output: chosen.output };
        showResult();
      } else {
        show(report.error.problems);
        focusProblem();
      }
    });
  }

  // end stops the worker, which ends with its memory.
  function end() {
    stop?.();
    stop = undefined;
    showRunning(false);
  }

  function showRunning(isRunning) {
    $("many-progress").hidden = !isRunning;
    const hadFocus = document.activeElement === $("cancel-batch");
    $("cancel-batch").hidden = !isRunning;
    $("start-batch").disabled = isRunning;
    if (isRunning) {
      $("progress").value = 0;
      $("progress-count").textContent = "";
      $("many-status").textContent = t("drawing");
      $("cancel-batch").focus();
    } else {
      $("many-status").textContent = "";
      if (hadFocus) $("start-batch").focus();
    }
  }

  function showResult() {
    const { counts, notable, output, file: bytes } = result;
    const fixable = notable.filter(({ suggestion }) => suggestion);
    $("suggestions").hidden = fixable.length === 0;
    $("use-suggestions").textContent = t(fixable.length === 1 ? "useSuggestion" : "useSuggestions", { rows: fixable.length });
    $("many-status").textContent = [t("counts", counts), ...(corrections.length > 0 ? [t("corrected", { rows: corrections.length })] : [])].join(", ");
    $("many-result").hidden = false;
    $("many-status").scrollIntoView({ block: "start" }); // the form is longer than most windows
    $("download-batch").hidden = output === "check" || counts.ok === 0 || bytes.length === 0;
    $("download-batch").textContent = t(output === "labels" ? "downloadLabels" : "downloadZip");
    $("rows").hidden = notable.length === 0;
    const groups = new Map();
    for (const row of notable) {
      for (const problem of row.status === "failed" ? [row] : row.warnings) {
        if (!groups.has(problem.code)) groups.set(problem.code, []);
        groups.get(problem.code).push({ ...row, message: problem.message });
      }
    }
    for (const body of [...$("rows-table").tBodies]) body.remove();
    $("rows-table").append(...Array.from(groups, ([code, rows]) => reasonRows(code, rows)));
  }

  // reasonRows returns the rows with one reason, the most important part of which is how many they are.
  function reasonRows(code, rows) {
    const title = make("tr", {}, make("th", { scope: "rowgroup", colspan: 3 }, `${t("reason", { rows: rows.length })} `, t(`group.${code}`) || make("bdi", { class: "id" }, code)));
    const more = make("tr", {}, make("td", { colspan: 3, class: "hint" }, t("rowsMore", { shown: maxRows, all: rows.length })));
    return make("tbody", { "data-code": code }, title, ...rows.slice(0, maxRows).map(resultRow), ...(rows.length > maxRows ? [more] : []));
  }

  function resultRow({ row, status, value, link, message: text }) {
    return make("tr", { "data-row": row, "data-status": status },
      make("th", { scope: "row" }, number(row)), make("td", {}, make("bdi", { class: "id" }, value ?? link?.replace("https://", "") ?? "")), make("td", {}, message({ message: text })));
  }

  // clear removes the result, and ends a batch in progress.
  function clear() {
    changes++;
    if (stop) end();
    result = undefined;
    $("many-result").hidden = true;
    $("many-status").textContent = "";
    show([]);
  }

  $("many-form").addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  $("cancel-batch").addEventListener("click", () => {
    clear();
    $("many-status").textContent = t("cancelled");
  });
  $("example-table").addEventListener("click", () => {
    $("table").value = example;
    $("table").dispatchEvent(new Event("input", { bubbles: true }));
    $("start-batch").focus();
  });
  // A result is that of the fields, so it ends when one of them changes.
  $("many-form").addEventListener("input", (event) => {
    if (event.target.type !== "file") clear();
    if (event.target.matches("#table, #columns *")) corrections = []; // they name rows and columns of another table
    if (event.target.closest("#columns")) rememberColumns();
    showFields();
    checkLook(true);
  });
  $("many-form").addEventListener("change", () => checkLook());
  $("use-suggestions").addEventListener("click", () => {
    corrections = [...corrections, ...result.notable.filter(({ suggestion }) => suggestion).map(({ row, column, suggestion }) => ({ row, column, value: suggestion }))];
    run();
  });
  $("download-batch").addEventListener("click", () => {
    const ending = result.output === "labels" ? "pdf" : "zip";
    save(result.file, `hailmark.${ending}`, types[ending]);
  });
  $("download-report-csv").addEventListener("click", () => save(result.reportCSV, "report.csv", types.csv));
  showFields();

  // The tab needs the large module, which is loaded when somebody opens it.
  const prepare = () => engine.more(async () => {
    if (!$("many-fields").disabled) return;
    products = await engine.ask("labels");
    // The paper of the browser's region comes first.
    const usual = /-(US|CA|MX|CL|CO|PH)\b/.test(navigator.language) ? "letter" : "a4";
    products.sort((a, b) => (b.paper === usual) - (a.paper === usual));
    const kept = $("labels").value;
    $("labels").replaceChildren(...products.map((p) => make("option", { value: p.name }, t("labelName", wordsOf(p)))));
    if (products.some(({ name }) => name === kept)) $("labels").value = kept;
    $("many-fields").disabled = false;
    home.show(true);
    checkLook();
  });
  $("many").addEventListener("show", prepare);
  if (!$("many").hidden) prepare();
}

// wordsOf returns the name and the measures of a label sheet as they are printed on its box.
function wordsOf({ name, paper, columns, rows, width, height }) {
  const [maker, ...number] = name.split("-");
  const capital = (s) => s.charAt(0).toUpperCase() + s.slice(1);
  return { name: `${capital(maker)} ${number.join(" ").toUpperCase()}`, paper: capital(paper), columns, rows, count: columns * rows, width, height };
}
