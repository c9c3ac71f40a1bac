import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import test from "node:test";
import { createParley } from "../src/index.js";
import { bot, callTo, listening, setting, withToken } from "./world.js";

const refusal = (code: string) => JSON.stringify({ success: false, error: { code, message: code } });
const placed = JSON.stringify({ callId: "c-1", sid: "s-1" });

/** A server that answers so, in this order, and what it was asked. */
async function answering(...answers: ((response: ServerResponse) => void)[]) {
  const asked: { key: string; headers: NodeJS.Dict<string | string[]>; url: string }[] = [];
  const server = await listening((request, response) => {
    asked.push({ key: String(request.headers["idempotency-key"]), headers: request.headers, url: request.url ?? "" });
    request.resume().on("end", () => (answers[asked.length - 1] ?? answers.at(-1)!)(response));
  });
  return { ...server, asked };
}
const ok = (response: ServerResponse) => { response.writeHead(200, { "Content-Type": "application/json" }).end(placed); };
const refused = (status: number, code: string, headers = {}) => (response: ServerResponse) => {
  response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(refusal(code));
};
const cut = (response: ServerResponse) => { response.destroy(); };

test("a write is sent again under its one key, after a cut, a gateway's fault and a server that asks to wait", async () => {
  const server = await answering(cut, refused(502, "x"), refused(503, "NOT_EXECUTED", { "Retry-After": "0" }), ok);
  try {
    const answer = await createParley({ url: server.url, token: "t" }).dialOut({ path: { botId: bot }, body: callTo() });
    assert.equal(answer.callId, "c-1");
    assert.equal(server.asked.length, 4);
    assert.equal(new Set(server.asked.map((a) => a.key)).size, 1);
    assert.match(server.asked[0]!.key, /^[0-9a-f-]{36}$/);
  } finally { server.close(); }
});

test("what waiting does not help is not sent again", async () => {
  for (const [status, code, headers] of [[400, "VALIDATION_ERROR", {}], [409, "CONFLICT", {}], [429, "LIMIT_REACHED", {}], [500, "INTERNAL_ERROR", {}],
    [503, "SERVICE_UNAVAILABLE", {}], [429, "RATE_LIMIT_EXCEEDED", { "Retry-After": "3600" }]] as const) {
    const server = await answering(refused(status, code, headers));
    try {
      await assert.rejects(createParley({ url: server.url, token: "t" }).dialOut({ path: { botId: bot }, body: callTo() }), { code, status });
      assert.equal(server.asked.length, 1, code);
    } finally { server.close(); }
  }
});

test("a server that is not there is UNREACHABLE, after as many tries as were allowed", async () => {
  const server = await answering(cut);
  try {
    await assert.rejects(createParley({ url: server.url, token: "t", retries: 1 }).listUserRoles(), { code: "UNREACHABLE", status: 0 });
    assert.equal(server.asked.length, 2);
  } finally { server.close(); }
});

test("a page of a proxy is an error with its status", async () => {
  const server = await answering((response) => { response.writeHead(418, { "Content-Type": "text/html" }).end("<html>"); });
  try {
    await assert.rejects(createParley({ url: server.url, token: "t" }).listUserRoles(), { code: "HTTP_418", status: 418 });
  } finally { server.close(); }
});

test("who waits no longer gets his own reason, and nothing is sent again", async () => {
  const stop = new AbortController();
  const server = await answering(() => stop.abort(new Error("enough"))); // and never answers
  try {
    await assert.rejects(createParley({ url: server.url, token: "t" }).listUserRoles({ signal: stop.signal }), /enough/);
    assert.equal(server.asked.length, 1);
  } finally { server.close(); }
});

test("an address may have a path, and a token may be asked for each time", async () => {
  const server = await answering(ok);
  try {
    let asked = 0;
    const parley = createParley({ url: `${server.url}/telephony/`, token: async () => `t${++asked}` });
    await parley.dialOut({ path: { botId: bot }, body: callTo() });
    await parley.dialOut({ path: { botId: bot }, body: callTo() });
    assert.equal(server.asked[0]!.url, `/telephony/api/1.1/public/bot/${bot}/assist/dialout`);
    assert.deepEqual(server.asked.map((a) => a.headers.authorization), ["Bearer t1", "Bearer t2"]);
    assert.match(String(server.asked[0]!.headers["user-agent"]), /^parley-typescript\/\d/);
  } finally { server.close(); }
});

test("two credentials are refused here, and by the server with the names of the headers", async () => {
  const url = setting("PARLEY_URL");
  const token = setting("PARLEY_TOKEN"), apiKey = setting("PARLEY_API_KEY");
  assert.throws(() => createParley({ url, token, apiKey } as never), /Authorization and x-api-key/);
  assert.throws(() => createParley({ url } as never), /neither token nor apiKey/);
  const { error, response } = await withToken().http.GET("/api/v1/projects/{projectId}/interactions", {
    params: { path: { projectId: bot } }, headers: { "x-api-key": apiKey },
  });
  assert.equal(response.status, 401);
  assert.match(error?.error.message ?? "", /Authorization and x-api-key/);
});

test("an address that is none is refused at once", () => {
  for (const url of ["", "parley.example", "ftp://parley.example", "https://me:secret@parley.example", "https://parley.example/?a=b"]) {
    assert.throws(() => createParley({ url, token: "t" }), TypeError, url);
  }
});
