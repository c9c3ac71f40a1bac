import assert from "node:assert/strict";
import { request as ask } from "node:http";
import type { Socket } from "node:net";
import test from "node:test";
import { createParley, type Followed } from "../src/index.js";
import { bot, callTo, ended, listening, setting, withToken } from "./world.js";

test("events are followed as they happen, and behind the one that was seen last", async () => {
  const parley = withToken();
  const since = new Date(Date.now() - 1000).toISOString();
  const { callId } = await parley.dialOut({ path: { botId: bot }, body: callTo() });
  const filters = { stream: `call-${callId}`, since };
  const all = await collect(parley.events(filters), (f) => f.event.type.startsWith("parley.calls.completed"));
  assert.ok(all.length >= 3);
  assert.deepEqual(all.map((f) => f.event.version), all.map((_, i) => i + 1));
  const rest = await collect(parley.events({ ...filters, after: all[1]!.id }), (f) => f.event.type.startsWith("parley.calls.completed"));
  assert.deepEqual(rest.map((f) => f.event.id), all.slice(2).map((f) => f.event.id));
});

test("a cut loses nothing and repeats nothing", async () => {
  const cutting = await cutAfterEachEvent(setting("PARLEY_URL"));
  try {
    const direct = withToken();
    const { callId } = await direct.dialOut({ path: { botId: bot }, body: callTo() });
    await ended(direct, callId);
    const parley = createParley({ url: cutting.url, token: setting("PARLEY_TOKEN") });
    const seen = await collect(parley.events({ stream: `call-${callId}`, since: new Date(Date.now() - 3_600_000).toISOString() }), (f, all) => all.length === 3);
    assert.deepEqual(seen.map((f) => f.event.version), [1, 2, 3]);
    assert.ok(cutting.connections() >= 2, "it was never cut");
  } finally { cutting.close(); }
});

test("a position that was never given out, and a credential that may not, end it", async () => {
  await assert.rejects(collect(withToken().events({ after: "made-up" }), () => true), { status: 400 });
  const parley = createParley({ url: setting("PARLEY_URL"), apiKey: setting("PARLEY_API_KEY") });
  await assert.rejects(collect(parley.events(), () => true), (fault: { status: number }) => fault.status === 401 || fault.status === 403);
});

test("who stops following gets his own reason", async () => {
  const stop = new AbortController();
  const following = collect(withToken().events({ stream: "call-nobody", signal: stop.signal }), () => true);
  setTimeout(() => stop.abort(new Error("enough")), 100);
  await assert.rejects(following, /enough/);
});

async function collect(events: AsyncIterable<Followed>, last: (f: Followed, all: Followed[]) => boolean): Promise<Followed[]> {
  const all: Followed[] = [];
  for await (const f of events) {
    all.push(f);
    if (last(f, all)) break;
  }
  return all;
}

/** A proxy that ends the connection behind the first event of each answer. */
async function cutAfterEachEvent(target: string) {
  const to = new URL(target);
  let connections = 0;
  const proxy = await listening((request, response) => {
    connections++;
    const path = to.pathname.replace(/\/$/, "") + request.url;
    const out = ask({ host: to.hostname, port: to.port, path, headers: { ...request.headers, host: to.host } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      let text = "";
      answer.on("data", (part: Buffer) => {
        text += part.toString();
        const events = text.split("\n\n");
        const first = events.findIndex((e, i) => i < events.length - 1 && e.includes("\ndata: "));
        if (first < 0) return;
        response.write(events.slice(0, first + 1).map((e) => e.replace(/retry: \d+/, "retry: 1") + "\n\n").join(""), () => {
          (response.socket as Socket).destroy();
          out.destroy();
        });
        answer.removeAllListeners("data");
      });
    });
    out.on("error", () => response.destroy());
    out.end();
  });
  return { ...proxy, connections: () => connections };
}
