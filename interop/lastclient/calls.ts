// What a program does that was written for the last released version, with the types of its document
// (schema.ts is generated of it). It is compiled and run against today's server, whose answers the test
// holds against that document. A call is added here when a version is released that has it.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

const e = process.env as Record<string, string>;
const bot = e.BOT_ID!, headers = { accountId: e.ACCOUNT_ID!, iid: bot };
const parley = createClient<paths>({ baseUrl: e.PARLEY_URL!, headers: { authorization: `Bearer ${e.PARLEY_TOKEN}` } });
const byKey = createClient<paths>({ baseUrl: e.PARLEY_URL!, headers: { "x-api-key": e.PARLEY_API_KEY! } });

let made = 0;
function right<T>(what: string, answer: { data?: T; error?: unknown; response: Response }): T {
  made++;
  if (answer.data === undefined) throw new Error(`${what}: ${answer.response.status} ${JSON.stringify(answer.error)}`);
  return answer.data;
}
function same(what: string, got: unknown, want: unknown) {
  if (got !== want) throw new Error(`${what} is ${JSON.stringify(got)}, not ${JSON.stringify(want)}`);
}

const dial = (key: string) => parley.POST("/api/1.1/public/bot/{botId}/assist/dialout", {
  params: { path: { botId: bot }, header: { "Idempotency-Key": key } },
  body: { botId: bot, target: "tel:+15550000001", caller: e.CALLER!, machineDetection: "detect", timeoutInMs: 30000 },
});
const key = crypto.randomUUID();
const { callId } = right("dial-out", await dial(key));
same("the call of the same key", right("the repeat", await dial(key)).callId, callId);

let call: components["schemas"]["Interaction"];
do {
  await new Promise((resolve) => setTimeout(resolve, 200));
  call = right("get-dial-out", await parley.GET("/api/1.1/public/bot/{botId}/assist/dialout/{callId}", { params: { path: { botId: bot, callId } } }));
} while (call.status !== "completed" && call.status !== "failed");
same("the end of the call", call.status, "completed");

const bad = await parley.POST("/api/1.1/public/bot/{botId}/assist/dialout", {
  params: { path: { botId: bot } }, body: { botId: bot, target: "fax", caller: e.CALLER! },
});
same("the code of a refusal", bad.error?.error.code, "VALIDATION_ERROR");
same("its field", bad.error?.error.details?.[0]?.field, "target");

const project = { projectId: bot };
same("the limit", right("list-interactions", await parley.GET("/api/v1/projects/{projectId}/interactions", { params: { path: project, query: { limit: 2 } } })).pagination.limit, 2);
right("analytics-metrics", await parley.GET("/api/projects/{projectId}/analytics/metrics", { params: { path: project, query: { groupBy: ["category", "day"], metrics: ["count"] } } }));
right("analytics-metrics with commas", await parley.GET("/api/projects/{projectId}/analytics/metrics", {
  params: { path: project, query: { groupBy: ["category", "day"] } }, querySerializer: { array: { style: "form", explode: false } },
}));
right("analytics-events", await parley.GET("/api/projects/{projectId}/analytics/events", { params: { path: project, query: { eventTypes: ["call_answered"], limit: 3 } } }));
right("voice-analytics-summary", await parley.GET("/api/projects/{projectId}/voice-analytics/summary", { params: { path: project, query: {} } }));
right("list-events", await parley.GET("/api/v1/events", { params: { query: { stream: `call-${callId}` } } }));
right("list-campaigns", await parley.GET("/agentassist/api/v1/public/{IID}/campaigns", { params: { path: { IID: bot }, header: headers } }));
right("get-campaign", await parley.GET("/agentassist/api/v1/public/{IID}/campaign/{campaignId}", { params: { path: { IID: bot, campaignId: e.SMS_CAMPAIGN_ID! }, header: headers } }));
right("list-roles", await parley.GET("/api/public/roles", { params: { query: { roleType: "admin" } } }));
right("get-human-agent", await parley.GET("/agentassist/api/v1/public/{streamId}/agents/{agentId}", {
  params: { path: { streamId: bot, agentId: e.AGENT_ID! }, header: { accountId: e.ACCOUNT_ID! } },
}));
right("dashboard-widget", await parley.GET("/api/public/bot/{botId}/dashboard/{dashboardName}/widget/{widgetName}", {
  params: { path: { botId: bot, dashboardName: e.DASHBOARD_NAME!, widgetName: decodeURIComponent(e.WIDGET_NAME!) }, query: { startDate: today(), endDate: today() } },
}));
right("get-voicemail", await parley.GET("/api/public/bot/{botId}/voicemail", { params: { path: { botId: bot }, query: { sessionId: call.sessionId!, transcription: "false" } } }));
const { jobId } = right("export-search-app", await parley.POST("/api/public/bot/{botId}/search/app-export", { params: { path: { botId: bot } }, body: { features: [] } }));
right("get-search-export", await parley.GET("/api/public/bot/{botId}/search/app-export/jobs/{jobId}", { params: { path: { botId: bot, jobId } } }));
const created = right("create-api-key", await byKey.POST("/aaa/api/public/apps/{appId}/apikeys/create", {
  params: { path: { appId: bot } }, body: { scope_name: "main", api_key_name: `last version ${key}` },
}));
right("revoke-api-key", await byKey.DELETE("/aaa/api/public/apps/{appId}/apikeys/{keyId}", { params: { path: { appId: bot, keyId: created.api_key.key_id } } }));
right("get-scope", await byKey.GET("/aaa/api/public/apps/{appId}/scopes/{scopeId}", { params: { path: { appId: bot, scopeId: e.SCOPE_ID! } } }));
console.log(`${made} answers were right`);

function today(): string { return new Date().toISOString().slice(0, 10); }
