// The fields for the look of a code: size, colors, caption, frame and logo. They are in the
// tab One, and other tabs have a copy, in which each id has a prefix.
import { $, showProblems, startFile } from "./dom.js";

/** The settings that belong to each field. */
export const settingsOf = { size: ["size", "unit", "dpi"], color: ["color", "bg"], caption: ["caption"], frame: ["frame"], logo: ["logo"] };

/** The look of a code without any choice. */
export const plainLook = { size: 512, unit: "px", dpi: 300, color: "000000", bg: "ffffff", caption: "", frame: "", logo: undefined };

/** Reports whether an image needs the layout for paper. */
export const isForPaper = (s) => s.unit === "mm" || s.caption !== "" || s.frame !== "" || s.logo !== undefined;

/** Returns the field that a problem of the image belongs to. */
export function fieldOf({ code, message }) {
  if (/contrast|light_on_dark|invalid_color|invalid_bg/.test(code)) return "color";
  if (/^print_(invalid_logo|logo_too_large)$/.test(code)) return "logo";
  if (/^print_(text_does_not_fit|unsupported_character)$/.test(code)) return message.startsWith("frame") ? "frame" : "caption";
  return "size";
}

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

/** Starts the fields whose ids begin with a prefix. Their form handles events, but a logo counts when it has been read. */
export function startLook(prefix, changeLogo) {
  const field = (name) => $(prefix + name);
  let logo;

  // The units have different usual sizes.
  function changeUnit() {
    const inMillimeters = field("unit").value === "mm";
    field("size").value = inMillimeters ? 25 : 512;
    field("dpi-field").hidden = !inMillimeters;
  }

  field("unit").addEventListener("input", changeUnit);
  startFile(`${prefix}logo`, `${prefix}logo`, undefined, (bytes) => {
    logo = bytes;
    changeLogo();
  });

  return {
    field,

    settings() {
      const unit = field("unit").value;
      return {
        size: unit === "px" ? whole(field("size")) : Number(field("size").value) || -1,
        unit,
        dpi: whole(field("dpi")),
        color: field("color").value.slice(1),
        bg: field("background").value.slice(1),
        caption: field("caption").value,
        frame: field("frame").value,
        logo,
      };
    },

    setUnit(unit) {
      if (field("unit").value === unit) return;
      field("unit").value = unit;
      changeUnit();
    },

    /** Shows the problems and warnings of an image at their fields. Nobody typed the -1 of an empty field. */
    show(problems, warnings = [], typing = false) {
      for (const name of Object.keys(settingsOf)) {
        const at = (p) => fieldOf(p) === name;
        showProblems(prefix + name, problems.filter(at).map(({ code, message }) => ({ code, message: message.replace(/; got -1$/, "") })), warnings.filter(at), typing);
      }
    },
  };
}
