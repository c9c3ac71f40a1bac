import createClient, { type Client } from "openapi-fetch";
import { follow, type Followed, type Following } from "./events.js";
import type { Operations, Sending } from "./operations.js";
import { refusalOf } from "./refusal.js";
import { routes, version } from "./routes.js";
import type { paths } from "./schema.js";
import { sender, type Patience } from "./sending.js";

/** Exactly one of the two. A function is asked before each request, so that it can renew a token. */
export type Credential =
  | { token: string | (() => string | Promise<string>); apiKey?: never }
  | { apiKey: string | (() => string | Promise<string>); token?: never };

/** Where the server is, who asks, and how patiently. */
export type ParleyOptions = {
  /** Where the API is, with the path of a prefix if it has one: https://host/prefix. */
  url: string;
} & Credential & Partial<Patience>;

/** The operations of the API, each a method that gives its answer or throws `ParleyError`; and what is more than one request. */
export type Parley = Operations & {
  /** The same operations by path, giving `{ data, error, response }`; openapi-fetch says how. */
  http: Client<paths>;
  /** Follows the events of the account; only tokens may. */
  events(wanted?: Following): AsyncGenerator<Followed, void, undefined>;
  /** Fetches a signed address, as `fileUrl` of a voicemail. The body is not read yet: `arrayBuffer()`, `blob()` or `body` is. */
  download(url: string, sending?: Pick<Sending, "signal">): Promise<Response>;
};

/** A client of the server at `url`. It holds no connection and needs no closing. */
export function createParley(options: ParleyOptions): Parley {
  const base = baseOf(options.url);
  const authorize = authorizationOf(options);
  const patience: Patience = {
    retries: options.retries ?? 3, timeoutMs: options.timeoutMs ?? 30_000, longestWaitMs: options.longestWaitMs ?? 30_000,
    fetch: options.fetch ?? ((request) => fetch(request)),
  };
  const send = sender(patience);
  const authorized = async (request: Request) => {
    const headers = new Headers(request.headers);
    if (namesItself) headers.set("User-Agent", `parley-typescript/${version}`);
    await authorize(headers);
    return send(new Request(request, { headers }));
  };
  const http = createClient<paths>({ baseUrl: base, fetch: authorized });

  const events = (wanted: Following = {}) => follow(async (headers, query, signal) => {
    const url = new URL(`${base}/api/v1/events/stream`);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
    await authorize(headers);
    return succeeded(await patience.fetch(new Request(url, { headers, signal })));
  }, wanted);

  const download = async (url: string, sending: Pick<Sending, "signal"> = {}) =>
    succeeded(await send(new Request(url, { headers: { Accept: "application/octet-stream" }, signal: sending.signal ?? null })));

  const named = Object.fromEntries(Object.entries(routes).map(([id, route]) => [camel(id), caller(http, route)]));
  return { ...named, http, events, download } as unknown as Parley;
}

type Call = Sending & { path?: object; query?: object; header?: object; body?: unknown };

/** The method of one operation. */
function caller(http: Client<paths>, [method, path, parseAs]: readonly [string, string, string]) {
  // By name, the types are those of Operations; by path, openapi-fetch cannot know which one it is.
  const request = http.request as unknown as (method: string, path: string, init: object) =>
    Promise<{ data?: unknown; error?: unknown; response: Response }>;
  return async ({ path: inPath, query, header, body, idempotencyKey, contentType, signal, onResponse }: Call = {}) => {
    const bytes = body instanceof Blob || body instanceof ArrayBuffer || body instanceof Uint8Array;
    const { data, error, response } = await request(method, path, {
      parseAs,
      params: { path: inPath, query, header: { ...header, ...(idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey }) } },
      ...(body === undefined ? {} : { body }), ...(signal === undefined ? {} : { signal }),
      ...(bytes ? { bodySerializer: (b: unknown) => b, headers: { "Content-Type": contentType ?? "application/octet-stream" } } : {}),
    });
    onResponse?.(response);
    if (!response.ok) throw refusalOf(response, error);
    return data;
  };
}

async function succeeded(response: Response): Promise<Response> {
  if (response.ok) return response;
  const text = await response.text();
  let body: unknown = text;
  try { body = JSON.parse(text); } catch { /* of a proxy */ }
  throw refusalOf(response, body);
}

/** Browsers name themselves, and would ask the server first whether a page may do it for them. */
const namesItself = ["process", "Deno", "Bun"].some((name) => name in globalThis);

const camel = (id: string) => id.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

function baseOf(text: string): string {
  let url: URL;
  try { url = new URL(text); } catch { throw new TypeError(`url is not an address: ${text}`); }
  if (!/^https?:$/.test(url.protocol)) throw new TypeError(`url must begin with http:// or https://: ${text}`);
  if (url.username || url.password || url.search || url.hash) throw new TypeError("url has a user, a query or a fragment; it is host and path only");
  return url.href.replace(/\/+$/, "");
}

/** Who has configured both would act as one of them by accident; the server refuses it too. */
function authorizationOf({ token, apiKey }: ParleyOptions): (headers: Headers) => Promise<void> {
  if (token !== undefined && apiKey !== undefined) {
    throw new TypeError("both token and apiKey are set, which would send two credentials (Authorization and x-api-key): leave one out");
  }
  const credential = token ?? apiKey;
  if (credential === undefined || credential === "") throw new TypeError("neither token nor apiKey is set");
  return async (headers) => {
    const value = typeof credential === "function" ? await credential() : credential;
    if (token !== undefined) headers.set("Authorization", `Bearer ${value.replace(/^Bearer /i, "")}`);
    else headers.set("x-api-key", value);
  };
}
