// Talks to an agent on the page of examples/talk, as somebody with a microphone does, and prints what was
// heard and seen as JSON:
//   node talk.mjs NODE_MODULES PROFILE WAV
// The microphone is the WAV file, which says nothing for some seconds, then speaks, again and again.
// What dev.env has is in the environment.
import { browse, parley, project, url } from "../world/world.mjs";

const [, , modules, profile, wav] = process.argv;
const { PARLEY_TOKEN: auth, ACCOUNT_ID: account } = process.env;

// An agent that has much to say, so that there is something to cut off.
const speech = "This takes a while to be said, and goes on and on. ".repeat(30).trim();
await parley("/api/v1/admin/apply", { manifests: [
  { kind: "Agent", metadata: { id: "a-talk", name: "Talk", tenant: account }, spec: { projectId: project,
    dslContent: `DSL: 1\nAGENT: Talk\nON_START: {SAY: "${speech}"}\nFLOW: {START: a, STEPS: {a: {SAY: "Go on.", GATHER: [x]}}}\nGATHER: {x: {TYPE: string}}\n` } },
] });
await parley(`/api/projects/${project}/deployments`, { environment: "production", entryAgentName: "Talk", agentVersionManifest: "auto" });

const browser = await browse(modules, profile, { args: ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream",
  "--use-file-for-fake-audio-capture=" + wav, "--allow-loopback-in-peer-connection"] });
const seen = { troubles: [] };
const tab = await browser.newPage();
tab.setDefaultTimeout(60_000);
tab.on("pageerror", (e) => seen.troubles.push(String(e)));
tab.on("console", (m) => { if (m.type() === "error") seen.troubles.push(m.text()); });
const status = (text) => tab.getByRole("status").filter({ hasText: text }).waitFor();
const call = async () => {
  await tab.goto("about:blank");
  await tab.goto(`${url}/talk/#${new URLSearchParams({ auth, project })}`);
  await tab.getByRole("button", { name: "Call" }).click();
  await status("Connected");
};
const newest = async () => (await parley(`/api/v1/projects/${project}/interactions?limit=200`)).interactions
  .find((i) => i.provider === "webrtc");
const until = async (want, what) => {
  for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((r) => setTimeout(r, 100))) {
    const found = await what();
    if (found === want) return found;
  }
  throw new Error(`${what} is not ${want}`);
};

await call();
seen.address = new URL(tab.url()).hash;
await tab.waitForFunction(() => window.loudest > 0.02); // the agent is heard
seen.loudest = await tab.evaluate(() => window.loudest);
seen.status = (await newest()).status;
// The person speaks: what the agent says is cut off, and the page hears nothing for a while.
await tab.waitForFunction(() => {
  const level = Number(document.getElementById("level").value);
  window.quiet = level < 0.005 ? (window.quiet ?? Date.now()) : undefined;
  return window.quiet && Date.now() - window.quiet > 1_500;
}, undefined, { polling: 50 });
seen.stats = await tab.evaluate(async () => {
  const out = {};
  (await window.page.getStats()).forEach((s) => {
    if (s.type === "inbound-rtp") Object.assign(out, { came: s.packetsReceived, lost: s.packetsLost });
    if (s.type === "outbound-rtp") out.went = s.packetsSent;
    if (s.type === "codec") out.codec = s.mimeType;
  });
  return out;
});
await tab.getByRole("button", { name: "Hang up" }).click();
await status("You have hung up.");
seen.hungUp = await until("Caller-disconnected", async () => (await newest()).reasonCode);

// Keys are pressed, and somebody ends it at the other side.
await call();
const other = await newest();
for (const key of ["4", "7", "#"]) await tab.getByRole("button", { name: key, exact: true }).click();
seen.pressed = await until("47", async () => (await parley(`/api/v1/sessions/${other.sessionId}/transcripts`)).messages
  .find((m) => m.role === "user" && m.content === "47")?.content);
await parley(`/api/projects/${project}/sessions/${other.sessionId}`, undefined, "DELETE");
await status("The agent has ended the call.");
seen.ended = await until("completed", async () => (await newest()).status);
await browser.close();
console.log(JSON.stringify(seen));
process.exit(0);
