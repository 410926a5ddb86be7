// The country of numbers without a country code: that of the browser's region, until the person chooses another one.
import { $, language, make, t } from "./dom.js";

/** Returns the country of the browser, or "" if it has none. */
function regionOf(language) {
  try {
    return new Intl.Locale(language).maximize().region ?? "";
  } catch {
    return "";
  }
}

/** Starts a field for the country. It gets its countries when it's shown. */
export function startHome(engine, id) {
  const region = regionOf(navigator.language);
  let filled;

  async function fill() {
    const names = new Intl.DisplayNames(language, { type: "region" });
    const countries = (await engine.ask("countries")).map((code) => [names.of(code), code]).sort(([a], [b]) => a.localeCompare(b, language));
    const chosen = $(id).value;
    $(id).replaceChildren(make("option", { value: "" }, t("homeNone")), ...countries.map(([name, value]) => make("option", { value }, name)));
    $(id).value = chosen;
  }

  // Before that, there is only the browser's country.
  $(id).replaceChildren(make("option", { value: region }, region));

  return {
    value: () => $(id).value,

    show(isShown) {
      $(`${id}-field`).hidden = !isShown;
      if (isShown) filled ??= fill();
    },
  };
}
