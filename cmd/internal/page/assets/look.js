// The fields for the look of a code: size, colors, caption, frame and logo. They are in the
// tab One, and other tabs have a copy, in which each id has a prefix.
import { $, make, showButtons, showProblems, startFile, t } from "./dom.js";
import { plainOf, settingsOf } from "./fields.js";
import { logoOf } from "./logo.js";

/** Returns the whole number in a field, or -1, which is out of all bounds. */
export function whole({ value }) {
  const n = Number(value);
  return Number.isInteger(n) && n !== 0 ? n : -1;
}

/** Appends a copy of the fields to a place. */
export function copyLook(prefix, place) {
  for (const name of ["look", "extras"]) {
    const copy = $(name).cloneNode(true);
    for (const element of [copy, ...copy.querySelectorAll("*")]) {
      for (const attribute of ["id", "for", "aria-describedby"]) {
        const ids = element.getAttribute(attribute);
        if (ids) element.setAttribute(attribute, ids.replace(/\S+/g, `${prefix}$&`));
      }
    }
    place.append(copy);
  }
}

// The library takes 0 for a setting that nobody made.
const isWhole = (n) => Number.isInteger(n) && n !== 0;
const isLength = (n) => Number.isFinite(n) && n !== 0;

/** Starts the fields whose ids begin with a prefix. Their form handles events, but a logo counts from the moment it's chosen. */
export function startLook(prefix, changeLogo) {
  const field = (name) => $(prefix + name);
  let logo = {}; // its bytes or its problem

  // The units have different usual sizes.
  function changeUnit() {
    const inMillimeters = field("unit").value === "mm";
    field("size").value = inMillimeters ? 25 : 512;
    field("dpi-field").hidden = !inMillimeters;
  }

  field("unit").addEventListener("input", changeUnit);
  field("dpi-field").hidden = field("unit").value !== "mm"; // which may have been kept
  const file = startFile(`${prefix}logo`, `${prefix}logo`, changeLogo, async (read) => (logo = await logoOf(read)));

  // showColors shows a button for each color that every scanner reads.
  function showColors(colors) {
    showButtons(field("colors"), colors, (color) => {
      const sample = make("span", { class: "swatch", "aria-hidden": "true" });
      sample.style.background = `#${color}`;
      const button = make("button", { type: "button", class: "quiet" }, sample, t("useColor", { color: `#${color}` }));
      button.addEventListener("click", () => {
        field("color").value = `#${color}`;
        field("color").dispatchEvent(new Event("change", { bubbles: true }));
        field("color").focus();
      });
      return button;
    });
  }

  return {
    field,

    /** Waits until a chosen logo has been read. */
    ready: file.ready,

    /** Returns what the fields hold, with the usual value of those that hold nothing usable, whose problems are in found. */
    entry() {
      const unit = field("unit").value;
      const plain = plainOf(unit);
      const found = logo.problem ? [{ ...logo.problem, field: "logo" }] : [];
      const numberOf = (name, message, isGood) => {
        const n = field(name).valueAsNumber;
        if (isGood(n)) return n;
        found.push({ field: "size", part: name === "size" ? "width" : name, code: "invalid_number", message });
        return plain[name];
      };
      const settings = {
        size: unit === "px" ? numberOf("size", "the width isn't a whole number of pixels", isWhole) : numberOf("size", "the width isn't a number of millimeters", isLength),
        unit,
        dpi: unit === "px" ? plain.dpi : numberOf("dpi", "the resolution of the printer isn't a whole number", isWhole),
        color: field("color").value.slice(1),
        bg: field("background").value.slice(1),
        caption: field("caption").value,
        frame: field("frame").value,
        logo: logo.bytes,
      };
      for (const name of ["product", "paper", "heading", "footer"]) settings[name] = field(name)?.value ?? plain[name];
      if (settings.product !== "code") return { settings: { ...settings, unit: "mm", size: undefined }, found: found.filter((p) => p.field !== "size") };
      return { settings, found };
    },

    setUnit(unit) {
      if (field("unit").value === unit) return;
      field("unit").value = unit;
      changeUnit();
    },

    /** Shows the problems and warnings of a view that belong to these fields. */
    show({ problems, warnings }, typing = false) {
      for (const name of Object.keys(settingsOf)) {
        if (!field(name)) continue;
        const at = (p) => p.field === name;
        showProblems(prefix + name, problems.filter(at), warnings.filter(at), typing);
      }
      showColors([...problems, ...warnings].flatMap((p) => (p.field === "color" ? (p.suggestions ?? []) : [])));
    },
  };
}
