// Calls every endpoint with openapi-fetch, and prints what it got.
import createClient from "openapi-fetch";
import type { components, paths } from "./hailmark";

declare const process: { argv: string[] };
const base = process.argv[2]!;
const { GET, POST } = createClient<paths>({ baseUrl: base });

type Failure = components["schemas"]["Error"];
type Result<T> = { data?: T; error?: Failure; response: Response };

function print<T>(operation: string, { data, error, response }: Result<T>, show: (data: T) => unknown): void {
  console.log(operation, response.status, error ? error.error.code : show(data!));
}

async function main(): Promise<void> {
  for (const username of ["jane.doe", "ab"]) {
    print("getUsernameLink", await GET("/api/v1/username-link", { params: { query: { username, text: "Hi there" } } }), (d) => d.link);
  }
  for (const phone of ["+1 650 555 1234", "0650 555 1234"]) {
    print("getPhoneLink", await GET("/api/v1/phone-link", { params: { query: { phone } } }), (d) => d.link);
    print("validatePhone", await GET("/api/v1/validate/phone", { params: { query: { phone } } }), (d) => d.errors[0]?.code ?? d.valid);
  }
  for (const username of ["jane.doe", "Jane"]) {
    print("validateUsername", await GET("/api/v1/validate/username", { params: { query: { username } } }), (d) => d.errors[0]?.code ?? d.valid);
    const body = { username };
    print("validateBusinessUsername", await POST("/api/v1/business/username/validate", { body }), (d) => d.reasons[0] ?? d.valid);
  }
  for (const key of ["aB3d", "abc"]) {
    print("validateKey", await GET("/api/v1/validate/key", { params: { query: { key } } }), (d) => d.errors[0]?.code ?? d.valid);
  }
  for (const query of [{ username: "jane.doe", size: 256 }, { phone: "16505551234", format: "svg" as const }, {}]) {
    const result = await GET("/api/v1/qr", { params: { query }, parseAs: "blob" });
    if (result.data) {
      const picture: Blob = result.data;
      console.log("getQR", result.response.status, picture.type, (await picture.text()).includes(picture.type === "image/png" ? "PNG" : "<svg"));
    } else {
      // openapi-fetch parses the body of an error as JSON, whatever parseAs says.
      print("getQR", result, () => "");
    }
  }
  print("getOpenAPI", await GET("/api/v1/openapi.json"), (d) => d.openapi + " " + d.info.title);
  for (const bsuid of ["US.ENT.1", "us.1"]) {
    const body = { bsuid };
    print("validateBsuid", await POST("/api/v1/business/bsuid/validate", { body }), (d) => d.isParent);
    print("parseBsuid", await POST("/api/v1/business/bsuid/parse", { body }), (d) => d.countryCode + " " + d.id);
  }
  for (const body of [{ phone: "+1 650 555 1234" }, {}]) {
    print("resolveContact", await POST("/api/v1/business/contact/resolve", { body }), (d) => d.type + " " + d.id + " " + d.username);
  }
  const value = { messages: [{ from_user_id: "US.1", id: "wamid.1" }] };
  for (const body of [{ entry: [{ changes: [{ field: "messages", value }] }] }, { entry: [] }]) {
    print("normalizeWebhook", await POST("/api/v1/business/webhook/normalize", { body }), (d) => d.events[0]!.kind + " " + d.events[0]!.bsuid);
  }
  const elsewhere = createClient<paths>({ baseUrl: base + "/nowhere" });
  print("getOpenAPI", await elsewhere.GET("/api/v1/openapi.json"), (d) => d.openapi);
}

void main();
