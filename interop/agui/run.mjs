// Runs agents with the client of the Agent-User Interaction Protocol, whose rules of order judge each
// event, by Server-Sent Events and on a socket, and prints what was seen as JSON:
//   node --experimental-websocket run.mjs NODE_MODULES
// PARLEY_URL, BOT_ID and PUBLIC_KEY are in the environment; the key has a channel for apps.
import { installed, project, url } from "../world/world.mjs";

const require = installed(process.argv[2]);
const { HttpAgent, verifyEvents } = require("@ag-ui/client");
const { Subject } = require("rxjs");
const { PUBLIC_KEY: key } = process.env;

const init = async () => {
  const res = await fetch(url + "/api/v1/sdk/init", { method: "POST", headers: { "X-Public-Key": key, "Content-Type": "application/json" },
    body: JSON.stringify({ projectId: project }) });
  if (!res.ok) throw new Error("sdk/init: " + (await res.text()));
  return res.json();
};
const seen = { types: [], said: [], socket: [], failed: "" };

// A conversation as the client leads it: it sends all of it each time, and keeps what it is told.
const begun = await init();
const agent = new HttpAgent({ url: url + "/api/v1/channels/ag_ui/runs", threadId: begun.sessionId, headers: { "X-SDK-Token": begun.token } });
const types = new Set();
for (const text of ["Hello", "It is about my meter", "gas", "12345678", "4711"]) {
  agent.addMessage({ id: crypto.randomUUID(), role: "user", content: text });
  await agent.runAgent({ runId: crypto.randomUUID() }, { onEvent: ({ event }) => { types.add(event.type); } });
}
seen.types = [...types].sort();
seen.said = agent.messages.filter((m) => m.role === "assistant" && m.content).map((m) => m.content);
seen.state = agent.state.status;

// What a model says while it speaks, on a socket; then a run that is refused.
const other = await init();
const socket = new WebSocket(url.replace(/^http/, "ws") + "/api/v1/channels/ag_ui/ws", ["sdk.v1", "token." + other.token]);
const run = (text) => new Promise((done, failed) => {
  const events = new Subject(), all = [];
  verifyEvents(false)(events).subscribe({ next: (e) => all.push(e), error: failed });
  socket.onmessage = (m) => {
    const event = JSON.parse(m.data);
    events.next(event);
    if (["RUN_FINISHED", "RUN_ERROR"].includes(event.type)) done(all);
  };
  socket.send(JSON.stringify({ threadId: text ? other.sessionId : "another", runId: crypto.randomUUID(), state: {}, tools: [], context: [],
    forwardedProps: {}, messages: [{ id: "1", role: "user", content: text || "Hello" }] }));
});
await new Promise((done, failed) => { socket.onopen = done; socket.onerror = failed; });
for (const text of ["Hello", "billing", "My bill is too high"]) {
  const events = await run(text);
  seen.socket.push(events.filter((e) => e.type === "TEXT_MESSAGE_CONTENT").map((e) => e.delta).join(""));
  seen.pieces = Math.max(seen.pieces ?? 0, events.filter((e) => e.type === "TEXT_MESSAGE_CONTENT").length);
}
seen.failed = (await run("")).at(-1).code;
socket.close();
console.log(JSON.stringify(seen));
