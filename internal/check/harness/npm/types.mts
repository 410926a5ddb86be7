// Compiled, but not run: the types accept what the package accepts, and nothing else.
import { type Event, HailmarkError, load, type Hailmark, type Problem } from "hailmark";
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
void [new Blob([png]), new Response(png), new Blob([hailmark.qrcode.encode(link).grid])];
const problems: Problem[] = hailmark.busname.validate("x");
const events: Event[] = hailmark.webhooknorm.normalize(new Uint8Array());
for (const event of events) {
  const { value } = hailmark.contact.address(event) ?? { value: "" };
  const raw: unknown = event.raw;
  const key: string = hailmark.webhooknorm.key(event);
  void [value, raw, key];
}
const signed: boolean = hailmark.webhooknorm.verifySignature("{}", null, "secret", new Uint8Array());
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
// @ts-expect-error tables are drawn by the tool
hailmark.batch;
// @ts-expect-error the small module has no webhooks
core.webhooknorm;

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
// @ts-expect-error a payload is text or bytes
hailmark.webhooknorm.normalize({ entry: [] });
// @ts-expect-error raw has no known fields
events[0].raw.text;
// @ts-expect-error a started module cannot be changed
hailmark.version = "";
// @ts-expect-error an address can be missing
hailmark.contact.address({}).value;
// @ts-expect-error there is no such function
hailmark.chatlink.lookup("jane.doe");
void [kind, username, problems, signed];
