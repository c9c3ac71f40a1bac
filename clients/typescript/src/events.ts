import { ParleyError } from "./refusal.js";
import { pause } from "./sending.js";
import type { components, operations } from "./schema.js";

type Filters = NonNullable<operations["stream-events"]["parameters"]["query"]>;

/** What to follow, and from where. */
export type Following = Omit<Filters, "lastEventId"> & {
  /** The `id` of what was seen last: goes on behind it. From now on, or from `since`, unless said. */
  after?: string;
  signal?: AbortSignal;
};

/** An event, and the place to go on behind it. */
export type Followed = { id: string; event: components["schemas"]["AuditEvent"] };

/** Server heartbeats come every 15 seconds; without a sign for three of them the connection is dead. */
const silenceMs = 45_000;
const longestPauseMs = 30_000;

/**
 * Follows the events of the account. It reconnects by itself and goes on behind what was seen: cuts,
 * restarts and other nodes lose nothing and repeat nothing. It ends by `break`, by its signal, or
 * with the refusal that no repeat mends: a token that has expired, a position of another log.
 */
export async function* follow(open: (headers: Headers, query: Filters, signal: AbortSignal) => Promise<Response>, wanted: Following):
  AsyncGenerator<Followed, void, undefined> {
  const { after, signal, ...query } = wanted;
  let last = after ?? "";
  let retryMs = 2_000;
  for (let failed = 0; ; ) {
    const cut = new AbortController();
    const watch = new Watch(() => cut.abort(new Error("no sign of the server for 45 seconds")));
    try {
      const headers = new Headers({ Accept: "text/event-stream" });
      if (last !== "") headers.set("Last-Event-ID", last);
      const both = signal === undefined ? cut.signal : AbortSignal.any([signal, cut.signal]);
      const response = await open(headers, query, both);
      for await (const frame of framesOf(response, watch)) {
        failed = 0;
        retryMs = frame.retryMs ?? retryMs;
        last = frame.id ?? last;
        if (frame.data !== "") yield { id: last, event: JSON.parse(frame.data) };
      }
    } catch (fault) {
      if (signal?.aborted) throw signal.reason;
      if (fault instanceof SyntaxError || (fault instanceof ParleyError && !passing(fault))) throw fault;
    } finally {
      watch.stop();
      cut.abort();
    }
    await pause(Math.min(retryMs * 2 ** failed++, longestPauseMs), signal);
  }
}

/** Whether it goes by when one waits. */
const passing = (fault: ParleyError) => fault.status === 0 || fault.status === 429 || fault.status >= 500;

class Watch {
  #timer: ReturnType<typeof setTimeout> | undefined;
  constructor(private readonly late: () => void) { this.alive(); }
  alive() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.late, silenceMs);
  }
  stop() { clearTimeout(this.#timer); }
}

type Frame = { id?: string; data: string; retryMs?: number };

/** Cuts a stream into what stands between empty lines. */
async function* framesOf(response: Response, watch: Watch): AsyncGenerator<Frame> {
  const decoder = new TextDecoder();
  let rest = "";
  const reader = response.body!.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      watch.alive();
      rest += decoder.decode(value, { stream: true });
      const parts = rest.split("\n\n");
      rest = parts.pop() ?? "";
      for (const part of parts) yield frameOf(part);
    }
  } finally {
    await reader.cancel().catch(() => undefined); // it may be cut already
  }
}

function frameOf(text: string): Frame {
  const frame: Frame = { data: "" };
  for (const line of text.split("\n")) {
    const colon = line.indexOf(":");
    const value = line.slice(colon + 1).replace(/^ /, "");
    switch (line.slice(0, colon)) {
      case "id": frame.id = value; break;
      case "retry": frame.retryMs = Number(value); break;
      case "data": frame.data += (frame.data && "\n") + value; break;
    }
  }
  return frame;
}
