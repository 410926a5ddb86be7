// Compiled, but not run: the types accept what the package accepts, and nothing else.
import { type Batch, type Event, HailmarkError, load, type Hailmark, type Problem } from "hailmark";
import { type HailmarkCore, load as loadCore, type Target } from "hailmark/core";

const hailmark: Hailmark = await load();
await load("hailmark.wasm");
await load(new URL("hailmark.wasm", import.meta.url));
await load(fetch("hailmark.wasm"));
await load(new Uint8Array());
await load(new ArrayBuffer(0));
await load({} as WebAssembly.Module);

const link: string = hailmark.chatlink.buildUsernameLink("jane.doe");
const { kind, username }: { kind: string; username?: string } = hailmark.chatlink.parseLink(link);
const png = hailmark.qrcode.renderQR(link, { format: "svg", size: 512, minLevel: "H", margin: 0, title: "", color: "000", bg: "transparent" });
const pdf = hailmark.print.render({ text: link, size: 25, logo: png, caption: username }, "pdf");
void [new Blob([png]), new Response(pdf), new Blob([hailmark.qrcode.encode(link).grid])];
const { file, module }: { file: Uint8Array; module: number } = hailmark.print.draw({ text: link }, "svg");
const problems: Problem[] = hailmark.busname.validate("x");
const events: Event[] = hailmark.webhooknorm.normalize(new Uint8Array());
for (const event of events) {
  const { value } = hailmark.contact.address(event) ?? { value: "" };
  const raw: unknown = event.raw;
  const key: string = hailmark.webhooknorm.key(event);
  void [value, raw, key];
}
const signed: boolean = hailmark.webhooknorm.verifySignature("{}", null, "secret", new Uint8Array());
const batch: Batch = hailmark.batch.open(pdf, { output: "labels", labels: "avery-l7160", columns: { username: "Wer" } });
const [row] = batch.step(10);
if (row?.status === "failed") void [row.code?.toUpperCase(), row.column, row.value];
hailmark.batch.open("", { output: "zip", mm: 25, dpi: 600, bleed: 3, caption: "{name}", frame: "", logo: png, logoShare: 0.2, module: 1, minLevel: "H", margin: 4, color: "000", bg: "transparent", size: 512 });
try {
  hailmark.contact.resolve({ phone: "+16505551234" });
} catch (error) {
  if (error instanceof HailmarkError) {
    if (error.code === "phone_invalid_format") throw error;
    // @ts-expect-error there is no such code
    if (error.code === "phone_invalid_fromat") throw error;
  }
}

const core: HailmarkCore = await loadCore(new URL("core.wasm", import.meta.url));
const target: Target = core.chatlink.parseTarget("0171 1234567", "DE");
void [target.name, target.warnings[0]?.code === "phone_missing_plus", core.qrcode.renderQR(target.link)];
// @ts-expect-error the small module has no webhooks
core.webhooknorm;
hailmark.batch.open("", { output: "check", country: "DE", columns: hailmark.batch.guess("").columns, corrections: [{ row: 2, column: "username", value: row?.suggestion ?? "" }] });
const tent: Uint8Array = hailmark.print.poster({ text: link, outer: 40, cropMarks: true }, { paper: "a5", heading: "", tent: true }, "pdf").file;
void tent;
// @ts-expect-error an unknown paper
hailmark.print.poster({ text: link }, { paper: "a0" }, "pdf");

// @ts-expect-error a file name is not a number
await load(1);
// @ts-expect-error a secret is missing
hailmark.webhooknorm.verifySignature("{}", null);
// @ts-expect-error the environment may lack the secret
hailmark.webhooknorm.verifySignature("{}", null, {} as string | undefined);
// @ts-expect-error there must be exactly one identifier
hailmark.contact.resolve({ bsuid: "US.13491208655302741918", phone: "+16505551234" });
// @ts-expect-error there must be exactly one identifier
hailmark.contact.resolve({});
// @ts-expect-error the username is missing
hailmark.chatlink.buildUsernameLink();
// @ts-expect-error a number of digits is a string
hailmark.chatlink.parsePhoneDigits(16505551234);
// @ts-expect-error an unknown option
hailmark.qrcode.renderQR(link, { colr: "000" });
// @ts-expect-error an unknown format
hailmark.qrcode.renderQR(link, { format: "gif" });
// @ts-expect-error an unknown level
hailmark.qrcode.renderQR(link, { minLevel: "X" });
// @ts-expect-error the text is missing
hailmark.print.render({ size: 25 }, "pdf");
// @ts-expect-error a payload is text or bytes
hailmark.webhooknorm.normalize({ entry: [] });
// @ts-expect-error raw has no known fields
events[0].raw.text;
// @ts-expect-error the text belongs to rows, and has no title
hailmark.batch.open("", { output: "zip", title: "" });
// @ts-expect-error the output is missing
hailmark.batch.open("", {});
// @ts-expect-error a started module cannot be changed
hailmark.version = "";
// @ts-expect-error an address can be missing
hailmark.contact.address({}).value;
// @ts-expect-error there is no such function
hailmark.chatlink.lookup("jane.doe");
void [kind, file, module, problems, signed];
