import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import { InvalidSignature, ParleyError, each, readNotification, type Notification } from "../src/index.js";
import { account, bot, callTo, ended, listening, setting, unique, until, withKey, withToken } from "./world.js";

test("a call is placed, and seen to end", async () => {
  const parley = withToken();
  const { callId } = await parley.dialOut({ path: { botId: bot }, body: { ...callTo(), machineDetection: "detect" } });
  const call = await ended(parley, callId);
  assert.equal(call.status, "completed");
  assert.equal(call.conversationId, callId);
  assert.ok((call.durationMs ?? 0) > 0);
});

test("a busy callee is no error: the call has failed, and says why", async () => {
  const parley = withToken();
  const { callId } = await parley.dialOut({ path: { botId: bot }, body: callTo("tel:+15550000005") });
  const call = await ended(parley, callId);
  assert.deepEqual([call.status, call.reasonCode], ["failed", "Busy Here"]);
});

test("under one key a call is placed once, however often it is asked for", async () => {
  const parley = withToken();
  const idempotencyKey = randomUUID();
  const replayed: (string | null)[] = [];
  const onResponse = (response: Response) => { replayed.push(response.headers.get("Idempotency-Replayed")); };
  const dial = () => parley.dialOut({ path: { botId: bot }, body: callTo(), idempotencyKey, onResponse });
  const first = await dial();
  assert.deepEqual(await dial(), first);
  assert.deepEqual(replayed, [null, "true"]);
  await assert.rejects(
    parley.dialOut({ path: { botId: bot }, body: callTo("tel:+15550000002"), idempotencyKey }),
    (fault: ParleyError) => fault.status === 409 && fault.code === "CONFLICT",
  );
});

test("a refusal is an error with all wrong fields", async () => {
  const parley = withToken();
  await assert.rejects(parley.dialOut({ path: { botId: bot }, body: { botId: bot, target: "fax:1", caller: "", timeoutInMs: 1 } }), (fault) => {
    assert.ok(fault instanceof ParleyError);
    assert.deepEqual([fault.status, fault.code], [400, "VALIDATION_ERROR"]);
    assert.deepEqual(fault.details.map((d) => d.field).sort(), ["caller", "target", "timeoutInMs"]);
    assert.match(fault.requestId ?? "", /^tr-/);
    return true;
  });
});

test("what is not there is NOT_FOUND, by name and by path alike", async () => {
  const parley = withToken();
  const path = { botId: bot, callId: randomUUID() };
  await assert.rejects(parley.getDialOut({ path }), { name: "ParleyError", status: 404, code: "NOT_FOUND" });
  const { data, error, response } = await parley.http.GET("/api/1.1/public/bot/{botId}/assist/dialout/{callId}", { params: { path } });
  assert.deepEqual([data, error?.error.code, response.status], [undefined, "NOT_FOUND", 404]);
});

test("what is known of a person comes as bytes", async () => {
  const identities = [{ kind: "telephone" as const, value: "+1 555 000 0001" }];
  const zip = await withToken().exportPerson({ body: { identities } });
  assert.ok(zip instanceof ArrayBuffer);
  assert.equal(new TextDecoder().decode(zip.slice(0, 2)), "PK");
  await assert.rejects(withToken().exportPerson({ body: { identities: [] } }), { status: 400, code: "VALIDATION_ERROR" });
});

test("lists in queries are lists", async () => {
  const parley = withToken();
  const path = { projectId: bot };
  const metrics = await parley.analyticsMetrics({ path, query: { groupBy: ["category", "day"], metrics: ["count", "sum_cost"] } });
  assert.ok(metrics.data);
  const { data } = await parley.http.GET("/api/projects/{projectId}/analytics/metrics", {
    params: { path, query: { groupBy: ["category", "day"], metrics: ["count", "sum_cost"] } },
    querySerializer: { array: { style: "form", explode: false } },
  });
  assert.deepEqual(Object.keys(data?.data ?? {}), Object.keys(metrics.data));
  const events = await parley.analyticsEvents({ path, query: { eventTypes: ["call_answered", "call_completed"], limit: 5 } });
  for (const event of events.data.events) assert.ok(["call_answered", "call_completed"].includes(event.event_type));
  await assert.rejects(parley.analyticsMetrics({ path, query: { groupBy: ["moon" as "day"] } }), { code: "VALIDATION_ERROR" });
});

test("pages are walked to their end, by offset and by cursor", async () => {
  const parley = withToken();
  const placed = new Set<string>();
  for (let i = 0; i < 3; i++) placed.add((await parley.dialOut({ path: { botId: bot }, body: callTo("tel:+15550000005") })).callId);
  for await (const call of each(parley.listInteractions, { path: { projectId: bot }, query: { limit: 2 } })) {
    placed.delete(call.conversationId);
    if (placed.size === 0) break;
  }
  assert.equal(placed.size, 0);
  const seen: string[] = [];
  for await (const event of each(parley.listEvents, { query: { category: "tenants", limit: 2 } })) seen.push(event.id);
  assert.ok(seen.length > 4);
  assert.equal(new Set(seen).size, seen.length);
});

test("an API key makes another one, which works until it is revoked", async () => {
  const parley = withKey();
  const appId = bot;
  const scope = (await parley.getScope({ path: { appId, scopeId: setting("SCOPE_ID") } })).scope;
  assert.ok(scope);
  const { api_key: made } = await parley.createApiKey({ path: { appId }, body: { api_key_name: unique("key"), scope_name: "main" } });
  assert.match(made.apikey ?? "", /^sk_/);
  await parley.revokeApiKey({ path: { appId, keyId: made.key_id } });
});

test("a file is asked for, awaited, and fetched as bytes", async () => {
  const parley = withToken();
  const { jobId } = await parley.exportSearchApp({ path: { botId: bot }, body: { features: [] } });
  const job = await until(() => parley.getSearchExport({ path: { botId: bot, jobId } }), (j) => j.status === "SUCCESS" || j.status === "FAILED");
  assert.equal(job.status, "SUCCESS", job.reason);
  const file = await parley.download(job.fileInfo!.externalFileURL);
  const bytes = new Uint8Array(await file.arrayBuffer());
  assert.deepEqual([...bytes.slice(0, 2)], [0x50, 0x4b]); // a zip
  const forged = job.fileInfo!.externalFileURL.replace(/signature=[0-9a-f]+/, `signature=${"0".repeat(64)}`);
  await assert.rejects(parley.download(forged), { status: 403 });
});

test("a recording is added as bytes, and comes back the same", async () => {
  const parley = withToken();
  const { callId } = await parley.dialOut({ path: { botId: bot }, body: callTo() });
  const sessionId = (await ended(parley, callId)).sessionId!;
  const sound = wave(800);
  const added = await parley.addVoicemail({ path: { projectId: bot, sessionId }, query: { fileName: "hello.wav" }, body: sound });
  assert.equal(added.contentType, "audio/wav");
  const { voicemail_recording: recordings } = await parley.getVoicemail({ path: { botId: bot }, query: { sessionId, transcription: "false" } });
  const found = recordings.find((r) => r.voicemailId === added.voicemailId);
  const back = new Uint8Array(await (await parley.download(found!.fileUrl)).arrayBuffer());
  assert.deepEqual(back, sound);
});

test("a campaign is made, started, and its run followed", async () => {
  const parley = withToken();
  const { data: campaign } = await parley.createCampaign({
    path: { IID: bot }, header: account, body: {
      name: unique("Renewals"), description: "Contracts that end", campaignType: "voice", format: "advanced", priority: "5",
      contactLists: ["Pilot customers"], experienceFlowName: "Acme support line",
      dialingStrategy: {
        callerId: { phoneNumber: "+15550100100" },
        callingHours: { frequency: "DAILY", timezone: "America/New_York", days: [{ start: "12:00 AM", end: "11:59 PM" }] },
      },
    },
  });
  const { campaignInstanceId } = await parley.triggerCampaign({
    path: { streamId: bot, campaignId: campaign._id }, header: account, query: { campaignType: "voice", trigger: "play" }, body: {},
  });
  const path = { IID: bot, campaignId: campaign._id, campaignInstanceId };
  const run = await until(async () => (await parley.getCampaignRun({ path, header: account })).data, (r) => r.totalContacts > 0);
  assert.equal(run.campaignId, campaign._id);
  const paused = await parley.triggerCampaign({
    path: { streamId: bot, campaignId: campaign._id }, header: account, query: { campaignType: "voice", trigger: "pause" }, body: {},
  }).catch((fault: ParleyError) => fault.code); // a quick run may be over
  assert.ok(paused === "CONFLICT" || (typeof paused === "object" && paused.status === "Paused"));
});

test("notifications of a call are signed, and others are refused", async () => {
  const parley = withToken();
  const secret = setting("PARLEY_WEBHOOK_SECRET");
  const told: { body: string; signature: string; notification: Notification }[] = [];
  const faults: unknown[] = [];
  const receiver = await listening(async (request, response) => {
    try {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const body = Buffer.concat(parts).toString();
      const signature = String(request.headers["savg-signature"]);
      told.push({ body, signature, notification: await readNotification(body, signature, secret) });
    } catch (fault) { faults.push(fault); }
    response.writeHead(faults.length ? 400 : 204).end();
  });
  try {
    const { callId } = await parley.dialOut({ path: { botId: bot }, body: { ...callTo(), notifyurl: `${receiver.url}/notifications` } });
    const last = await until(async () => told.at(-1), (t) => faults.length > 0 || (t !== undefined && "status" in t.notification && t.notification.status === "completed"));
    assert.deepEqual(faults, []);
    assert.ok(told.length >= 2);
    assert.ok("conversationId" in last!.notification && last!.notification.conversationId === callId);
    const { body, signature } = last!;
    for (const [wrong, by, at] of [
      [body.replace("completed", "Failed"), signature, undefined], [body, signature.replace(/v1=./, "v1=g"), undefined], [body, "", undefined],
      [body, signature, new Date(Date.now() + 3_600_000)],
    ] as const) {
      await assert.rejects(readNotification(wrong, by, secret, at === undefined ? {} : { now: at }), InvalidSignature);
    }
    await assert.rejects(readNotification(body, signature, "another secret"), InvalidSignature);
  } finally { receiver.close(); }
});

/** A second of silence, as WAV. */
function wave(samples: number): Uint8Array<ArrayBuffer> {
  const file = Buffer.alloc(44 + samples);
  file.write("RIFF", 0); file.writeUInt32LE(36 + samples, 4); file.write("WAVEfmt ", 8); file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20); file.writeUInt16LE(1, 22); file.writeUInt32LE(8000, 24); file.writeUInt32LE(8000, 28);
  file.writeUInt16LE(1, 32); file.writeUInt16LE(8, 34); file.write("data", 36); file.writeUInt32LE(samples, 40); file.fill(128, 44);
  return new Uint8Array(file);
}
