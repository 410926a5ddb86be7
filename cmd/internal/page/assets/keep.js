// Fields survive a reload and the way back to the page: their values are in the state of this tab's
// history, which ends with the tab.
const kept = "input:not([type=file], [type=submit]), select, textarea";

/** How many characters a field may have that is kept. Browsers limit the state. */
const maxKept = 200_000;

/** Fills the fields inside an element as they were. */
export function restore(root) {
  const values = history.state?.fields ?? {};
  for (const field of root.querySelectorAll(kept)) {
    const value = values[field.id];
    if (value === undefined) continue;
    if (field.type === "checkbox") field.checked = value;
    else field.value = value;
    if (field.localName === "select" && field.value !== value) { // its options come later
      field.append(new Option(value, value));
      field.value = value;
    }
  }
}

/** Keeps the values of all fields. */
export function keep() {
  const fields = {};
  for (const field of document.querySelectorAll(kept)) {
    const value = field.type === "checkbox" ? field.checked : field.value;
    if (field.id && !(value.length > maxKept)) fields[field.id] = value;
  }
  try {
    history.replaceState({ ...history.state, fields }, "");
  } catch { // the browser takes no more changes for now; the next one is kept
  }
}

/** Keeps the fields from now on. */
export function startKeeping() {
  let timer;
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(keep, 300);
  };
  for (const type of ["input", "change", "click"]) addEventListener(type, soon);
  addEventListener("pagehide", keep);
}
