// Compares the results of functions with the test vectors. README.md has the rules. It has
// no imports, so that it also runs in browsers.

/** Returns "" if a result is the one that a vector requires, or else what differs. */
export function difference(file, vector, got) {
  const want = vector.codes ? { codes: vector.codes } : { output: expected(file, vector) };
  if (canonical(comparable(file, got)) === canonical(comparable(file, want))) return "";
  return `want ${JSON.stringify(want)}\n    got  ${JSON.stringify(got)}`;
}

// pointer returns the value that a JSON Pointer (RFC 6901) names.
function pointer(value, path) {
  for (const part of path.split("/").slice(1)) {
    value = value?.[part.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return value;
}

// expected puts elements of the payload, as "raw", in place of the pointers "at".
function expected(file, { input, output }) {
  if (!["webhooknorm.Normalize", "webhooknorm.Read"].includes(file.function)) return output;
  const payload = input.payload ?? JSON.parse(input.text);
  const place = (list) => list.map(({ at, ...rest }) => ({ ...rest, raw: pointer(payload, at) }));
  if (Array.isArray(output)) return place(output);
  return Object.fromEntries(Object.entries(output).map(([name, list]) => [name, place(list)]));
}

// plain sorts members and drops those that are null, "" or [], since they mean the same
// as no member.
function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value).filter(([, v]) => v !== null && v !== "" && !(Array.isArray(v) && v.length === 0));
  return Object.fromEntries(members.sort().map(([name, v]) => [name, name === "raw" ? v : plain(v)]));
}

// comparable returns a result in the form in which results are compared. The order of
// facts has no meaning.
function comparable(file, result) {
  if (result.codes) return { codes: result.codes };
  const value = plain(result.output);
  const anyOrder = file.function === "identity.FactsOf" && Array.isArray(value);
  return { output: anyOrder ? value.map((fact) => JSON.stringify(fact)).sort() : value };
}

// canonical returns a text that is equal for equal JSON values. An unpaired surrogate is equal to
// U+FFFD, because an implementation may repeat or replace it.
function canonical(value) {
  const sorted = (_, v) => {
    if (typeof v === "string") return v.replace(/\p{Surrogate}/gu, "\ufffd");
    return v !== null && typeof v === "object" && !Array.isArray(v) ? Object.fromEntries(Object.entries(v).sort()) : v;
  };
  return JSON.stringify(value, sorted);
}
