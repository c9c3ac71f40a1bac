import type { components } from "./schema.js";

/** One thing that is wrong with a request: which member, and what about it. */
export type Problem = { field: string; problem: string };

/**
 * What the server refused, or could not be asked. `code` is for programs and stable, `message` is
 * for people. A server that could not be reached is `UNREACHABLE`, with what happened as `cause`.
 */
export class ParleyError extends Error {
  override readonly name = "ParleyError";
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  /** Such as `VALIDATION_ERROR`. An answer that is not Parley's, of a proxy for example, is `HTTP_<status>`. */
  readonly code: string;
  /** With `VALIDATION_ERROR`: all that is wrong, at once. */
  readonly details: Problem[];
  /** Where waiting helps: how long. */
  readonly retryAfterMs: number | undefined;
  /** X-Request-Id of the answer, which the operator of the server finds in its log. */
  readonly requestId: string | undefined;

  constructor(fields: {
    status: number; code: string; message: string; details?: Problem[];
    retryAfterMs?: number | undefined; requestId?: string | undefined; cause?: unknown;
  }) {
    super(fields.message, { cause: fields.cause });
    this.status = fields.status;
    this.code = fields.code;
    this.details = fields.details ?? [];
    this.retryAfterMs = fields.retryAfterMs;
    this.requestId = fields.requestId;
  }
}

/** The error of an answer that is none of success. */
export function refusalOf(response: Response, body: unknown): ParleyError {
  const seconds = Number(response.headers.get("Retry-After") ?? NaN);
  const about = {
    status: response.status,
    requestId: response.headers.get("X-Request-Id") ?? undefined,
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : undefined,
  };
  const fault = typeof body === "object" && body !== null && "error" in body ? (body as components["schemas"]["Refusal"]).error : undefined;
  if (typeof fault === "object" && fault !== null && typeof fault.code === "string") {
    return new ParleyError({
      ...about, code: fault.code, message: fault.message,
      details: fault.details ?? [], retryAfterMs: fault.retryAfterMs ?? about.retryAfterMs,
    });
  }
  if (isHookRefusal(body)) {
    return new ParleyError({ ...about, code: body.errorCode ?? `HTTP_${response.status}`, message: body.message });
  }
  return new ParleyError({ ...about, code: `HTTP_${response.status}`, message: `the server answered ${response.status} ${response.statusText}` });
}

/** Hooks have a form of errors of their own. */
function isHookRefusal(body: unknown): body is { message: string; errorCode?: string } {
  return typeof body === "object" && body !== null && "message" in body && typeof body.message === "string";
}
