// The fields of the page: which settings they have, and which problems belong to them.

/** The settings of each field for the look of a code. */
export const settingsOf = { size: ["size", "dpi"], color: ["color", "bg"], caption: ["caption"], frame: ["frame"], logo: ["logo"], heading: ["heading"], footer: ["footer"], product: ["product"] };

/** Returns the look of a code without any choice. */
export const plainOf = (unit) => ({ size: unit === "mm" ? 40 : 512, unit, dpi: 300, color: "000000", bg: "ffffff", caption: "", frame: "", logo: undefined, product: "code", paper: "a4", heading: "", footer: "" });

/** Reports whether an image needs the layout for paper. */
export const isForPaper = (s) => s.product !== "code" || s.unit === "mm" || s.caption !== "" || s.frame !== "" || s.logo !== undefined;

// The fields for the inputs that the library names in a problem. Every other input is a measure.
const fieldOf = {
  username: "who", phone: "who", link: "who", country: "who", text: "message", color: "color", bg: "color",
  heading: "heading", footer: "footer", paper: "product", caption: "caption", frame: "frame", logo: "logo", logoShare: "logo", labels: "sheet", start: "sheet", offset: "sheet", padding: "sheet",
};

/**
 * Returns problems with the fields of the page. If caption and frame don't fit together and there is only the frame,
 * it's the frame that doesn't fit. The paper sets the size of a poster.
 */
export const place = (problems, { caption, product = "code" } = {}) =>
  problems.map((p) => ({ ...p, field: p.field === "caption" && caption === "" ? "frame" : (fieldOf[p.field] ?? (product === "code" ? "size" : "product")) }));
