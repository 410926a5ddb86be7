// What the page says about a webhook.

/** The maximum size of a webhook, which is that of the API. */
export const maxBytes = 4 << 20;

/** Returns the keys of the texts that say what is missing about a person. */
export function gapsOf({ address, bsuid, phone, displayName }) {
  const gaps = [];
  if (!address) gaps.push("gapAddress");
  if (!bsuid) gaps.push("gapBSUID");
  if (!phone) gaps.push("gapPhone");
  if (!displayName) gaps.push("gapName");
  return gaps;
}

/** Returns the time of a timestamp, which counts seconds or milliseconds, or undefined. */
export function timeOf(timestamp) {
  if (!/^\d{9,13}$/.test(timestamp ?? "")) return undefined;
  return new Date(Number(timestamp) * (timestamp.length > 11 ? 1 : 1000));
}
