/**
 * The functions for links, validation and codes, without contacts and webhooks. Their module has three
 * quarters of the size of the whole one.
 *
 * ```js
 * import { load } from "hailmark/core";
 *
 * const { chatlink, qrcode } = await load();
 * const link = chatlink.buildUsernameLink("jane.doe", "Hi there!"); // https://wa.me/jane.doe?text=Hi%20there!
 * const png = qrcode.renderQR(link);
 * ```
 *
 * {@link load} and the errors are as in "hailmark".
 */
import type { Hailmark, Source } from "./index.js";

export { HailmarkError } from "./index.js";
export type {
  BSUID, BSUIDs, Busname, Bytes, Chatlink, EncodeOptions, Level, Link, PhoneInspection, Problem, ProblemCode, QRCode, QROptions, QRSymbol, Source, Target,
} from "./index.js";

/** Compiles and starts the small module, which is the file `core.wasm` unless there is another source. */
export declare function load(source?: Source | Promise<Source> | { fresh: true }): Promise<HailmarkCore>;

/** A started module. */
export interface HailmarkCore extends Pick<Hailmark, "version" | "bsuid" | "busname" | "chatlink" | "qrcode"> {}
