// A client that compiles, and mistakes that must not.
import type { components, paths } from "./hailmark";

type Contact = components["schemas"]["ResolvedContact"];
type Query = NonNullable<paths["/api/v1/qr"]["get"]["parameters"]["query"]>;
type Normalized = paths["/api/v1/business/webhook/normalize"]["post"]["responses"][200]["content"]["application/json"];

export const picture: Query = { username: "jane.doe", format: "svg", size: 512, color: "25d366", bg: "transparent" };

export function nameOf(contact: Contact): string {
  return contact.username ?? contact.phone ?? contact.bsuid ?? contact.id;
}

export function senders(answer: Normalized): string[] {
  return answer.events.filter((event) => event.kind === "message").map((event) => event.bsuid ?? event.phone ?? "");
}

// @ts-expect-error: there is no such format
export const format: Query = { username: "jane.doe", format: "gif" };

// @ts-expect-error: a username may be missing
export const username = (contact: Contact): string => contact.username;

// @ts-expect-error: there is no such kind
export const odd = (answer: Normalized) => answer.events.filter((event) => event.kind === "system");

// @ts-expect-error: the identifier is required
export const body: components["schemas"]["BsuidValidateInput"] = {};
