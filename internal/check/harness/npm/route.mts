// Compiled, but not run: Next.js checks the handlers of a route against such a type.
import * as route from "./next.mjs";

route satisfies { POST: (request: Request, context: { params: Promise<Record<string, string>> }) => Promise<Response> };
