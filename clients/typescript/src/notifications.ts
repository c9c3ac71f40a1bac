import type { webhooks } from "./schema.js";

type Body<W> = W extends { post: { requestBody: { content: { "application/json": infer B } } } } ? B : never;

/** What Parley posts to a notifyurl or a callbackUrl. */
export type Notification = { [K in keyof webhooks]: Body<webhooks[K]> }[keyof webhooks];

/** The request is not from Parley, was changed on its way, or is an old one again. Answer it 400 or 401. */
export class InvalidSignature extends Error {
  override readonly name = "InvalidSignature";
}

export type Checking = {
  /** How old a notification may be, and how far ahead; 300 unless said. Each attempt is signed anew. */
  toleranceSeconds?: number;
  /** The time, for tests. */
  now?: Date;
};

/**
 * Reads a notification, if the header SAVG-Signature says that it is from who knows the project's
 * webhook secret. `body` is the request's body as it came: parsed and written again it is another one.
 */
export async function readNotification<T = Notification>(
  body: string | Uint8Array<ArrayBuffer>, signature: string | null | undefined, secret: string, checking: Checking = {},
): Promise<T> {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const { at, sums } = parsed(signature);
  const age = Math.abs((checking.now ?? new Date()).getTime() / 1000 - at);
  if (age > (checking.toleranceSeconds ?? 300)) throw new InvalidSignature(`SAVG-Signature is ${Math.round(age)} seconds off`);
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const signed = joined(new TextEncoder().encode(`${at}.`), bytes);
  for (const sum of sums) { // two, while a secret is replaced; verify takes the same time for all
    if (await crypto.subtle.verify("HMAC", key, sum, signed)) return JSON.parse(new TextDecoder().decode(bytes)) as T;
  }
  throw new InvalidSignature("SAVG-Signature is none of this body under this secret");
}

function parsed(signature: string | null | undefined): { at: number; sums: Uint8Array<ArrayBuffer>[] } {
  let at = "";
  const sums: Uint8Array<ArrayBuffer>[] = [];
  for (const part of (signature ?? "").split(",")) {
    const [name, value = ""] = part.trim().split("=", 2);
    if (name === "t") at = value;
    if (name === "v1" && /^[0-9a-f]{64}$/.test(value)) sums.push(Uint8Array.from(value.match(/../g) ?? [], (hex) => parseInt(hex, 16)));
  }
  if (!/^\d+$/.test(at) || sums.length === 0) throw new InvalidSignature("SAVG-Signature is missing, or not t=<seconds>,v1=<hex>");
  return { at: Number(at), sums };
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(head.length + tail.length);
  all.set(head);
  all.set(tail, head.length);
  return all;
}
