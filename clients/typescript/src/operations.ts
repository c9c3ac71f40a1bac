import type { operations } from "./schema.js";

/** `dial-out` is called `dialOut`. */
type Camel<S extends string> = S extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S;

/** Notifications are told by the server, streams and files are no JSON: `readNotification`, `events` and `download` are for them. */
type Called = Exclude<keyof operations, `on-${string}` | "stream-events" | "stream-chat" | "download-file">;

type Content<T> = T extends { content: infer C } ? C : never;

/** JSON where the operation takes it, else bytes. */
type BodyOf<C> = "application/json" extends keyof C ? C["application/json"] : Bytes;
export type Bytes = Blob | ArrayBuffer | Uint8Array<ArrayBuffer>;

type WithBody<O> = O extends { requestBody: { content: infer C } }
  ? { body: BodyOf<C> }
  : O extends { requestBody?: infer B } ? ([NonNullable<B>] extends [never] ? unknown : { body?: BodyOf<Content<NonNullable<B>>> }) : unknown;

/** What may be said of any call, beside what its operation takes. */
export type Sending = {
  /** Under this key the operation happens once, however often it is sent. One is made up for each write unless said. */
  idempotencyKey?: string;
  /** The media type of bytes; application/octet-stream unless said. */
  contentType?: string;
  signal?: AbortSignal;
  /** Sees the answer's status and headers, such as Idempotency-Replayed and X-RateLimit-Remaining. */
  onResponse?: (response: Response) => void;
};

export type Arguments<O> = (O extends { parameters: infer P } ? Omit<P, "cookie"> : unknown) & WithBody<O> & Sending;

/** The JSON of success, or its bytes; undefined where there is none. */
export type Answer<O> = O extends { responses: infer R }
  ? { [S in keyof R]: S extends 204 ? undefined : S extends 200 | 201 | 202 ? (Content<R[S]> extends { "application/json": infer J }
    ? J : Content<R[S]> extends { "application/octet-stream": unknown } ? ArrayBuffer : never) : never }[keyof R]
  : never;

type Method<O> = {} extends Arguments<O> ? (args?: Arguments<O>) => Promise<Answer<O>> : (args: Arguments<O>) => Promise<Answer<O>>;

/** A method for each operation of the API, named by its id. */
export type Operations = { [Id in Called as Camel<Id>]: Method<operations[Id]> };
