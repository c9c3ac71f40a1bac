import { ParleyError } from "./refusal.js";

/** How requests are sent, and sent again. */
export type Patience = {
  /** How often a request is sent again after a try that may be repeated; 3 unless said. */
  retries: number;
  /** Milliseconds before a try without an answer is given up; 30,000 unless said. */
  timeoutMs: number;
  /** The longest wait between two tries. A server that asks for a longer one is not asked again. */
  longestWaitMs: number;
  /** What sends; that of the platform unless said. */
  fetch: (request: Request) => Promise<Response>;
};

/** The status of answers of proxies before a server that was not there. */
const gatewayFaults = new Set([502, 504]);

const writes = (request: Request) => !["GET", "HEAD", "OPTIONS"].includes(request.method);

/**
 * Sends a request, and again where that is safe: every write has an Idempotency-Key, so that a
 * repeat changes nothing twice. It is sent again when no answer came, when a gateway says that none
 * came to it, and when the server says how long to wait. Other refusals are answers.
 */
export function sender(patience: Patience): (request: Request) => Promise<Response> {
  return async (given) => {
    const request = given.headers.has("Idempotency-Key") || !writes(given) ? given : withKey(given);
    for (let attempt = 0; ; attempt++) {
      const last = attempt >= patience.retries;
      let wait = backoff(attempt);
      try {
        const response = await once(request, patience);
        const asked = waitOf(response);
        const again = gatewayFaults.has(response.status) || (asked !== undefined && asked <= patience.longestWaitMs);
        if (last || !again) return response;
        wait = Math.max(wait, asked ?? 0);
        await response.body?.cancel();
      } catch (cause) {
        if (given.signal.aborted) throw given.signal.reason;
        if (last) throw unreachable(request, cause);
      }
      await pause(Math.min(wait, patience.longestWaitMs), given.signal);
    }
  };
}

function withKey(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.set("Idempotency-Key", crypto.randomUUID());
  return new Request(request, { headers });
}

async function once(request: Request, patience: Patience): Promise<Response> {
  const giveUp = AbortSignal.timeout(patience.timeoutMs);
  return patience.fetch(new Request(request.clone(), { signal: AbortSignal.any([request.signal, giveUp]) }));
}

/** What the server asks to wait, in milliseconds, if waiting helps at all. */
function waitOf(response: Response): number | undefined {
  const asked = response.headers.get("Retry-After");
  if ((response.status !== 429 && response.status !== 503) || asked === null) return undefined;
  const seconds = Number(asked);
  return Number.isFinite(seconds) ? seconds * 1000 : Math.max(0, Date.parse(asked) - Date.now());
}

/** Pauses grow, with jitter, so that many clients do not come back at once. */
function backoff(attempt: number): number {
  return 200 * 2 ** attempt * (0.5 + Math.random() / 2);
}

export function unreachable(request: Request, cause: unknown): ParleyError {
  return new ParleyError({
    status: 0, code: "UNREACHABLE", cause,
    message: `${new URL(request.url).origin} did not answer: ${cause instanceof Error ? cause.message : String(cause)}`,
  });
}

/** Waits, or throws what ended the waiting. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stopped = () => { clearTimeout(timer); reject(signal?.reason); };
    const timer = setTimeout(() => { signal?.removeEventListener("abort", stopped); resolve(); }, ms);
    signal?.addEventListener("abort", stopped, { once: true });
  });
}
