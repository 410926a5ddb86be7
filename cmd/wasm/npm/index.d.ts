/**
 * Builds WhatsApp click-to-chat links and QR codes, validates identifiers, and reads Cloud API webhooks.
 *
 * ```js
 * import { load } from "hailmark";
 *
 * const { chatlink, qrcode } = await load();
 * const link = chatlink.buildUsernameLink("jane.doe", "Hi there!"); // https://wa.me/jane.doe?text=Hi%20there!
 * const png = qrcode.renderQR(link);
 * ```
 *
 * The functions are those of the Go library, compiled to WebAssembly. A function of the Go
 * package `chatlink` is in the namespace `chatlink`, with a lowercase first letter. The module
 * makes no requests.
 *
 * A function throws a {@link HailmarkError} if a value is invalid, and a `TypeError` if an argument has the
 * wrong type or an option is unknown.
 *
 * Objects omit strings that are absent or unknown, unless their type specifies otherwise.
 */

/** Bytes that share no memory with the module. Blob and Response accept them. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** The codes of errors and warnings of this package, of tables and of the HTTP API. */
export type ProblemCode =
  | "body_too_large" | "caption_not_drawn" | "consecutive_dots" | "duplicate_parameter" | "identity_invalid_alias" | "identity_invalid_fact"
  | "identity_invalid_json" | "identity_invalid_person_id" | "identity_no_effect" | "internal_error" | "invalid_bg"
  | "invalid_bsuid" | "invalid_character" | "invalid_color" | "invalid_country" | "invalid_field" | "invalid_format"
  | "invalid_json" | "invalid_level" | "invalid_margin" | "invalid_query" | "invalid_size" | "invalid_version" | "key_invalid_format"
  | "leading_or_trailing_dot" | "leading_www" | "light_on_dark" | "link_unrecognized" | "low_contrast" | "method_not_allowed" | "missing_bsuid"
  | "missing_identifier" | "missing_key" | "missing_phone" | "missing_target" | "missing_text" | "missing_username" | "no_letter"
  | "no_quiet_zone" | "not_found" | "overloaded" | "phone_impossible_length" | "phone_invalid_format" | "phone_missing_plus"
  | "phone_unassigned_country_code" | "phone_unassigned_prefix" | "print_code_does_not_fit" | "print_invalid_dpi" | "print_invalid_labels"
  | "print_invalid_length" | "print_invalid_logo" | "print_invalid_paper" | "print_invalid_start" | "print_logo_too_large"
  | "print_module_too_small" | "print_text_does_not_fit" | "print_unsupported_character" | "print_width_rounded" | "rate_limited"
  | "request_timeout" | "reserved_domain_suffix" | "response_too_large" | "row_encoding" | "row_malformed" | "small_module" | "target_is_bsuid"
  | "text_invalid" | "text_not_supported" | "text_too_long" | "too_long" | "too_short" | "unsupported_content_type" | "uppercase_letter"
  | "username_brand_word" | "username_business_suffix" | "username_double_period" | "username_edge_period" | "username_invalid_chars"
  | "username_length" | "username_no_letter" | "username_reserved_suffix" | "username_router_word" | "username_starts_with_www" | "weak_contrast"
  | "webhook_invalid_json" | "webhook_too_many_events" | "webhook_unrecognized_shape";

/** An error or a warning: a code for programs, which never changes, and a message for people, which may. */
export interface Problem {
  /** The name of the input, such as "phone" or "caption". It's absent if the problem isn't about one input. */
  field?: string;
  code: ProblemCode;
  message: string;
  /** Up to three valid values that may have been meant, the most likely first. */
  suggestions?: string[];
}

/** All problems with a call's arguments. Its message is the first problem's. */
export declare class HailmarkError extends Error {
  readonly name: "HailmarkError";
  constructor(problems: Problem[]);
  /** The first problem's code, or "" for an error without one, such as a table without a known column. */
  readonly code: ProblemCode | "";
  /** At least one problem, in the order of the arguments. */
  readonly problems: Problem[];
}

/**
 * Compiles and starts the module.
 *
 * Without a source, the module is the file `hailmark.wasm` next to this one. If a bundler moves this
 * file, import `hailmark/hailmark.wasm` as an address and pass it. A string is a URL, relative to the
 * page, or in Node to the working directory. A worker that isn't allowed to compile can pass a
 * `WebAssembly.Module`.
 *
 * All calls without a source share one module, which takes 10-20 MB of memory, so a handler can call
 * load for each request. `{ fresh: true }` and a source start another one.
 */
export declare function load(source?: Source | Promise<Source> | { fresh: true }): Promise<Hailmark>;

/** Where the module comes from. */
export type Source = string | ArrayBuffer | ArrayBufferView<ArrayBuffer> | Global<"URL"> | Global<"Response"> | CompiledModule;

// A program compiles without the lib "dom", for example in Node, and then has only some of these types.
type Global<Name extends string> = typeof globalThis extends Record<Name, { prototype: infer T }> ? T : never;
type CompiledModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer T } } } ? T & object : never;

/** A started module. All functions are synchronous and don't use `this`. */
export interface Hailmark {
  /** The version of the package that the module was built for. */
  readonly version: string;
  readonly bsuid: BSUIDs;
  readonly busname: Busname;
  readonly chatlink: Chatlink;
  readonly contact: Contacts;
  readonly qrcode: QRCode;
  readonly webhooknorm: Webhooknorm;
}

/** Click-to-chat links. */
export interface Chatlink {
  /** Returns the link to a phone number, with an optional text of at most 4096 characters. */
  buildPhoneLink(phone: string, text?: string): string;
  /** Returns the link to a username, with an optional text of at most 4096 characters. */
  buildUsernameLink(username: string, text?: string): string;
  /** Returns the codes of all countries that {@link Chatlink.parsePhoneIn} knows, such as "DE". */
  countries(): string[];
  /** Reads a phone number that a person typed, and returns its country and warnings about it. */
  inspectPhone(phone: string): PhoneInspection;
  /** Reads a username key of 4-8 ASCII letters or digits, and returns it unchanged. */
  parseKey(key: string): string;
  /** Reads a WhatsApp link. */
  parseLink(link: string): Link;
  /** Reads a phone number that begins with + or 00 and the country code, as people write it. Returns its digits. */
  parsePhone(phone: string): string;
  /** Reads a phone number that begins with the country code, as in links and webhooks. The + or 00 is optional. Returns its digits. */
  parsePhoneDigits(phone: string): string;
  /** Reads a phone number that somebody in a country wrote, such as "0171 1234567" in "DE". Returns its digits. */
  parsePhoneIn(phone: string, country: string): string;
  /**
   * Reads whom a chat is with, as people write it: a username, a phone number, or a WhatsApp link. A number without a
   * country code is one of the country, such as "DE"; without a country, it begins with its country code.
   */
  parseTarget(target: string, country?: string): Target;
  /**
   * Returns the numbers, usernames and links that a text contains, at most three, the best first. Use it for what
   * parseTarget rejects, such as "Max <+49 171 1234567>" or a line of a chat, and let the person choose.
   */
  suggest(text: string, country?: string): Suggestion[];
  /** Reports whether two phone numbers are the same, even if they're written in the two forms that some countries have. */
  samePhone(a: string, b: string): boolean;
}

/** A WhatsApp link's parts. */
export interface Link {
  kind: "phone" | "username" | "picker" | "message" | "qr" | "catalog" | "product" | "group" | "channel";
  /** The number's digits, if the link contains one. */
  phone?: string;
  username?: string;
  code?: string;
  text?: string;
  /** The link in its shortest form with https. */
  link: string;
}

/** Whom a chat may be with. */
export interface Suggestion extends Link {
  /** What people read: "@jane.doe", "+16505551234" or a link. */
  name: string;
  /** The name of the number's country. */
  countryName?: string;
}

/** Whom a chat is with. A target with warnings is valid. */
export interface Target extends Suggestion {
  /** Why it may not be whom somebody meant. */
  warnings: Problem[];
}

/** Usernames, which have 3-35 characters. */
export interface Busname {
  /** Checks a username, and returns it unchanged. */
  parse(username: string): string;
  /** Returns all problems with a username, or an empty list. */
  validate(username: string): Problem[];
  /** Returns the problems with a username that a business wants to claim, or an empty list. */
  validateBusiness(username: string): Problem[];
  /** Returns warnings about a valid username that WhatsApp may reject. */
  warnings(username: string): Problem[];
}

/** Business-scoped user IDs. */
export interface BSUIDs {
  /** Reports whether a text is a BSUID. */
  isBSUID(text: string): boolean;
  /** Reads a BSUID, whose ID contains 1-128 ASCII letters or digits. */
  parseBSUID(text: string): BSUID;
}

/** A BSUID's parts. */
export interface BSUID {
  countryCode: string;
  id: string;
  isParent: boolean;
  countryKnown: boolean;
}

/** Contacts. */
export interface Contacts {
  /** Returns the request field and value for a message to a person, or undefined if only a username is known. */
  address(person: Person): Address | undefined;
  /** Returns a name to display, or "". Two people can have the same label. */
  label(person: Person): string;
  /** Like address, for a message that can be sent to phone numbers only. */
  phoneAddress(person: Person): Address | undefined;
  /** Reports whether an authentication template with this otp_type can be sent to phone numbers only. */
  requiresPhone(otpType: string): boolean;
  /** Returns a contact's one identifier in its canonical form. It doesn't look up the others. */
  resolve(identifier: Identifier): Contact;
}

/** A valid phone number, with its country and warnings. */
export interface PhoneInspection {
  /** The number's digits, beginning with the country code. */
  phone: string;
  /** The calling code, such as "98". Absent if the number begins with none. */
  callingCode?: string;
  /** The country's English name, or several names if countries share the calling code. */
  countryName?: string;
  /** The country's ISO 3166-1 code. Absent if several countries are possible. */
  countryCode?: string;
  /** Signs that another number was meant. */
  warnings: Problem[];
}

/** A person's known identifiers and names. An {@link Event} is a Person. */
export interface Person {
  bsuid?: string | undefined;
  parentBsuid?: string | undefined;
  phone?: string | undefined;
  username?: string | undefined;
  displayName?: string | undefined;
}

/** A message's recipient: the request's field and its value. The platform drops messages with a BSUID in "to". */
export interface Address {
  field: "to" | "recipient";
  value: string;
}

/** Exactly one identifier. */
export type Identifier =
  | { bsuid: string; phone?: undefined; username?: undefined }
  | { bsuid?: undefined; phone: string; username?: undefined }
  | { bsuid?: undefined; phone?: undefined; username: string };

/** A contact with one identifier. */
export interface Contact {
  type: "bsuid" | "phone" | "username";
  id: string;
  phoneKnown: boolean;
  bsuidKnown: boolean;
}

/** QR codes for screens. */
export interface QRCode {
  /** Encodes a text as a symbol. */
  encode(text: string, options?: EncodeOptions): QRSymbol & {
    /** Returns a byte for each module, 1 for dark and 0 for light, row by row from the top, without a quiet zone. */
    grid: Bytes;
  };
  /** Reads a color, or the word transparent, and returns its canonical form. */
  parseBackground(color: string): string;
  /** Reads a color of three or six hexadecimal digits, with or without "#", and returns its canonical form. */
  parseColor(color: string): string;
  /** Reads the name of a format. */
  parseFormat(format: string): "png" | "svg";
  /** Draws a text as a PNG or SVG file. */
  renderQR(text: string, options?: QROptions): Bytes;
  /** Returns whether scanners will read a code with these warnings, without a sentence. */
  light(warnings: readonly Problem[]): Light;
  /** Returns whether scanners will read a text's code, or throws if they can't. */
  scan(text: string, options?: QROptions): Scan;
}

/** green: all scanners of our measurements read it. yellow: some don't. */
export type Light = "green" | "yellow";

/** Whether scanners will read a code. */
export interface Scan {
  light: Light;
  /** The answer in words, such as "Scanners should read this code." */
  sentence: string;
  /** The reasons why some don't. A warning about a color suggests the nearest darker one. */
  warnings: Problem[];
}

/** The least version and level of a symbol. */
export interface EncodeOptions {
  /** 1-40. The default is 1. */
  minVersion?: number | undefined;
  minLevel?: Level | undefined;
}

/** The error correction level: how much of the symbol may be damaged, from 7% (L) to 30% (H). */
export type Level = "L" | "M" | "Q" | "H";

/** A QR code without its quiet zone. */
export interface QRSymbol {
  /** 1-40. */
  version: number;
  level: Level;
  /** 0-7. */
  mask: number;
  /** The modules on a side, 21-177. */
  modules: number;
}

/** Options for a code for screens. */
export interface QROptions {
  /** The default is png. */
  format?: "png" | "svg" | undefined;
  /** Width and height in pixels, 128-16384. 0 means 512, the default. */
  size?: number | undefined;
  minLevel?: Level | undefined;
  /** The quiet zone in modules: 4-100 (default 4), or 0 for none. */
  margin?: number | undefined;
  /** An SVG's title. */
  title?: string | undefined;
  /** The dark modules' color, such as 000080 or #000080. The default is black. */
  color?: string | undefined;
  /** The background color, or transparent. The default is white. */
  bg?: string | undefined;
}

/** Webhooks of the Cloud API. A payload is a request's body as it arrived. */
export interface Webhooknorm {
  /** Returns the challenge for the response to the request with which Meta verifies a receiver, or undefined if the token is wrong. */
  challenge(query: string, token: string): string | undefined;
  /** Returns a key that's equal for an event and its repetitions, or "" for an event without a message ID. */
  key(event: Event): string;
  /** Returns the messages and statuses of a payload. */
  normalize(payload: Payload): Event[];
  /** Returns everything in a payload. */
  read(payload: Payload): Webhook;
  /**
   * Reports whether a payload is signed with one of the app secrets. The header is X-Hub-Signature-256.
   * Pass two secrets while you replace one. A call without a secret throws a TypeError, because a
   * missing setting would otherwise look like a forged webhook.
   */
  verifySignature(payload: Payload, header: string | null | undefined, secret: Payload, ...others: Payload[]): boolean;
}

/** Bytes, or text that is encoded as UTF-8. */
export type Payload = string | ArrayBufferView | ArrayBuffer;

/** An element of a webhook, such as a message, with the person it's about. */
export interface Event {
  kind:
    | "message" | "status" | "echo" | "history" | "history_echo" | "call" | "call_to_user" | "preference" | "participant"
    | "participant_failed" | "app_contact" | "identity_update" | "handover";
  /** The subscribed field, such as "messages". */
  field?: string;
  bsuid?: string;
  /** The number's digits. */
  phone?: string;
  /** Without "@". */
  username?: string;
  displayName?: string;
  parentBsuid?: string;
  /** The person's number, if the person shared it in response to a contact request. */
  sharedPhone?: string;
  /** Present if another application or Meta's agent answers the conversation. */
  standby?: true;
  groupId?: string;
  messageId?: string;
  /** The ID of the message that the person replied to. */
  replyTo?: string;
  /** The ID of the message that a reaction, edit or deletion is about. */
  target?: string;
  /** The message's type, such as "text". */
  type?: string;
  state?: string;
  /** Why a message, call or invitation failed. */
  errors?: WebhookError[];
  /** The summary by the application that handed over the conversation. */
  conversationContext?: unknown;
  accountId?: string;
  /** The time as received, usually in Unix seconds. */
  timestamp?: string;
  /** The time in UTC, by RFC 3339. */
  time?: string;
  phoneNumberId?: string;
  businessPhone?: string;
  /** The person's other IDs. Apply a webhook's changes before its other events. */
  change?: IdentityChange;
  /** Another application answers. */
  handover?: Handover;
  /** The same for an event and its repetitions. */
  key?: string;
  /** The text to display: a message's text, caption, or the title of the choice. */
  text?: string;
  /** The ID of the chosen button or list entry. */
  choice?: string;
  /** What the person entered into a flow. */
  flowResponse?: Record<string, unknown>;
  /** The advertisement or post from which the person opened the chat. */
  referral?: Referral;
  /** The message's file. Download it by its ID, from the platform. */
  media?: Media;
  /** The person's reaction to the message `target`. */
  reaction?: Reaction;
  /** The place that the person sent. */
  location?: Location;
  /** Present if a person sent the message to get a reply, which goes to the group if there's a groupId. */
  wantsReply?: true;
  /** Where messages to the person go. Missing in groups, in standby and for history. */
  address?: Address;
  /** Where to send a reply. Missing if none should be sent to the person. */
  reply?: Address;
  /** The payload's element, read by JSON.parse. An unpaired surrogate became U+FFFD. */
  raw: unknown;
}

/** The advertisement or post from which a person opened the chat. */
export interface Referral {
  url?: string;
  id?: string;
  /** ad or post */
  type?: string;
  headline?: string;
  body?: string;
  /** ctwa_clid, which reports conversions to Meta. */
  clickId?: string;
  /** image or video */
  mediaType?: string;
  imageUrl?: string;
  videoUrl?: string;
  thumbnailUrl?: string;
  /** What the person saw before writing. */
  greeting?: string;
}

/** An emoji that a person gave a message or, if it's removed, took back. */
export interface Reaction {
  emoji?: string;
  isRemoved?: true;
}

/** A place, in degrees. */
export interface Location {
  latitude: number;
  longitude: number;
  name?: string;
  address?: string;
  url?: string;
}

/** A message's file. */
export interface Media {
  id: string;
  mimeType?: string;
  filename?: string;
  caption?: string;
}

/** An error that the platform reports. */
export interface WebhookError {
  code?: number;
  title?: string;
  message?: string;
  details?: string;
  subcode?: number;
  /** Title and message for the business's staff. */
  userTitle?: string;
  userMessage?: string;
  /** The ID by which Meta's support finds the error. */
  traceId?: string;
}

/** Everything in a payload. */
export interface Webhook {
  events: Event[];
  /** Changes that aren't about a person, such as a template's rejection, and parts without an event, such as errors. */
  others: Other[];
}

/** A change, or a part of one, that isn't about a person. */
export interface Other extends Pick<Event, "field" | "accountId" | "errors" | "timestamp" | "time" | "phoneNumberId" | "businessPhone" | "raw"> {}

/** A person's IDs at one time. */
export type Identity = Pick<Event, "bsuid" | "parentBsuid" | "phone">;

/** A change of a person's IDs. */
export interface IdentityChange {
  previous: Identity;
  current: Identity;
  /** The person's previous or current number if neither side contains one. */
  phone?: string;
}

/** The applications between which a conversation passed. */
export interface Handover {
  previousOwner?: string;
  newOwner?: string;
  previousAppId?: string;
  metadata?: string;
}
