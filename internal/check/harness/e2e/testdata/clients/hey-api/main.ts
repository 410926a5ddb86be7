// Calls every endpoint with the client of @hey-api/openapi-ts, and prints what it got.
import { client } from "./hailmark/client.gen";
import * as api from "./hailmark/sdk.gen";
import type { Error as Failure } from "./hailmark/types.gen";

declare const process: { argv: string[] };
const base = process.argv[2]!;
client.setConfig({ baseUrl: base });

type Result<T> = { data?: T; error?: Failure; response: Response };

function print<T>(operation: string, { data, error, response }: Result<T>, show: (data: T) => unknown): void {
  console.log(operation, response.status, error ? error.error.code : show(data!));
}

async function main(): Promise<void> {
  for (const username of ["jane.doe", "ab"]) {
    print("getUsernameLink", await api.getUsernameLink({ query: { username, text: "Hi there" } }), (d) => d.link);
  }
  for (const phone of ["+1 650 555 1234", "0650 555 1234"]) {
    print("getPhoneLink", await api.getPhoneLink({ query: { phone } }), (d) => d.link);
    print("validatePhone", await api.validatePhone({ query: { phone } }), (d) => d.errors[0]?.code ?? d.valid);
  }
  for (const username of ["jane.doe", "Jane"]) {
    print("validateUsername", await api.validateUsername({ query: { username } }), (d) => d.errors[0]?.code ?? d.valid);
    print("validateBusinessUsername", await api.validateBusinessUsername({ body: { username } }), (d) => d.reasons[0] ?? d.valid);
  }
  for (const key of ["aB3d", "abc"]) {
    print("validateKey", await api.validateKey({ query: { key } }), (d) => d.errors[0]?.code ?? d.valid);
  }
  for (const query of [{ username: "jane.doe", size: 256 }, { phone: "16505551234", format: "svg" as const }, {}]) {
    const result = await api.getQr({ query });
    if (result.data) {
      const picture: Blob = result.data;
      console.log("getQR", result.response.status, picture.type, (await picture.text()).includes(picture.type === "image/png" ? "PNG" : "<svg"));
    } else {
      print("getQR", result, () => "");
    }
  }
  print("getOpenAPI", await api.getOpenApi(), (d) => d.openapi + " " + d.info.title);
  for (const bsuid of ["US.ENT.1", "us.1"]) {
    print("validateBsuid", await api.validateBsuid({ body: { bsuid } }), (d) => d.isParent);
    print("parseBsuid", await api.parseBsuid({ body: { bsuid } }), (d) => d.countryCode + " " + d.id);
  }
  for (const body of [{ phone: "+1 650 555 1234" }, {}]) {
    print("resolveContact", await api.resolveContact({ body }), (d) => d.type + " " + d.id + " " + d.username);
  }
  const value = { messages: [{ from_user_id: "US.1", id: "wamid.1" }] };
  for (const body of [{ entry: [{ changes: [{ field: "messages", value }] }] }, { entry: [] }]) {
    print("normalizeWebhook", await api.normalizeWebhook({ body }), (d) => d.events[0]!.kind + " " + d.events[0]!.bsuid);
  }
  print("getOpenAPI", await api.getOpenApi({ baseUrl: base + "/nowhere" }), (d) => d.openapi);
}

void main();
