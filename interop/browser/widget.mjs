// Chats in the widget as somebody in a shop does, and prints what was seen as JSON:
//   node widget.mjs NODE_MODULES PROFILE SCREENSHOT
// The page is that of a shop with an address of its own, before which stands what can be cut as a
// bad line is; the model says what it is told to here. What dev.env has is in the environment.
import http from "node:http";
import net from "node:net";
import { browse, parley, project, url } from "../world/world.mjs";

const [, , modules, profile, screenshot] = process.argv;
const { SCOPE_ID: scope, ACCOUNT_ID: account } = process.env;
const listening = (server) => new Promise((done) => server.listen(0, "127.0.0.1", () => done(server.address().port)));

// The model says what is put into its mouth, word by word; "" ends an answer.
let words = [], heard;
const speaks = (word) => { words.push(word); heard?.(); };
const model = http.createServer((req, res) => {
  req.resume();
  res.writeHead(200, { "Content-Type": "text/event-stream" });
  const say = () => {
    while (words.length) {
      const word = words.shift();
      if (word === "") {
        heard = undefined;
        res.end(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`);
        return;
      }
      res.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: word } }] })}\n\n`);
    }
  };
  heard = say;
  say();
});
const modelAt = `http://127.0.0.1:${await listening(model)}`;

// The line to Parley, which can be cut.
const { hostname, port } = new URL(url);
const open = new Set();
const begun = []; // how beginnings were answered
let sockets = 0;
const line = http.createServer((req, res) => {
  const on = http.request({ hostname, port, path: req.url, method: req.method, headers: req.headers }, (from) => {
    if (req.method === "POST" && req.url.endsWith("/sdk/init")) begun.push(from.statusCode);
    res.writeHead(from.statusCode, from.headers);
    from.pipe(res);
  });
  on.on("error", () => res.destroy());
  req.pipe(on);
});
line.on("upgrade", (req, socket) => {
  sockets++;
  const on = net.connect(Number(port), hostname, () => {
    const headers = Object.entries(req.headers).map(([n, v]) => `${n}: ${v}\r\n`).join("");
    on.write(`GET ${req.url} HTTP/1.1\r\n${headers}\r\n`);
    on.pipe(socket).pipe(on);
  });
  open.add(socket);
  for (const one of [socket, on]) one.on("error", () => {}).on("close", () => { socket.destroy(); on.destroy(); open.delete(socket); });
});
const lineAt = `http://127.0.0.1:${await listening(line)}`;

const page = (key) => `<!doctype html><html lang="en"><title>Shop</title><h1>Shop</h1><script src="${lineAt}/widget.js" data-project="${project}"
  data-key="${key}" async></script></html>`;
let key = "";
const shop = http.createServer((_, res) => res.writeHead(200, { "Content-Type": "text/html",
  "Content-Security-Policy": `default-src 'none'; script-src ${lineAt}; connect-src ${lineAt} ${lineAt.replace("http", "ws")}` }).end(page(key)));
const shopAt = `http://127.0.0.1:${await listening(shop)}`;
const elsewhere = http.createServer((_, res) => res.writeHead(200, { "Content-Type": "text/html" }).end(page(key)));
const elsewhereAt = `http://127.0.0.1:${await listening(elsewhere)}`;

// What the shop has: a key for its page, an agent that a model leads, and one that shows what can be chosen.
key = (await parley("/api/v1/admin/apply", { manifests: [
  { kind: "PublicKey", metadata: { id: "ak-browser", name: "Browser", tenant: account }, spec: { scopeId: scope, allowedOrigins: [shopAt],
    key: "pk_developmentOnlyPublicKeyOfTheBrowserTest000" } },
  { kind: "ModelProvider", metadata: { name: "browser", tenant: account }, spec: { projectId: project, kind: "openai",
    baseUrl: modelAt + "/v1", apiKey: "k", models: [{ id: "browser-model", tier: "balanced" }] } },
  { kind: "Agent", metadata: { id: "a-browser", name: "Browser", tenant: account }, spec: { projectId: project, dslContent: `DSL: 1
AGENT: Browser
GATHER: {color: {TYPE: enum, OPTIONS: [red, blue]}, sure: {TYPE: enum, OPTIONS: [yes, no]}, name: {TYPE: string}}
HANDOFF: [{TO: Teller, WHEN: has(gather.name), REASON: Tell}]
FLOW:
  START: color
  STEPS:
    color: {SAY: "<b>Which</b> color?", RICH: [{KIND: select, ID: color, LABEL: Color, OPTIONS: [{ID: red, LABEL: Red}, {ID: blue, LABEL: Blue}]}],
      GATHER: [color], NEXT: sure}
    sure: {SAY: "{{ gather.color }}, sure?", RICH: [{KIND: button, ID: sure, LABEL: "Yes, please", VALUE: "yes"}], GATHER: [sure], NEXT: name}
    name: {SAY: "Your name?", RICH: [{KIND: input, ID: name, LABEL: Name, INPUT_TYPE: text}], GATHER: [name]}
` } },
  { kind: "Agent", metadata: { id: "a-teller", name: "Teller", tenant: account }, spec: { projectId: project,
    dslContent: "DSL: 1\nAGENT: Teller\nGOAL: Tell.\nMODEL: {ID: browser-model}\n" } },
] })) && "pk_developmentOnlyPublicKeyOfTheBrowserTest000";
const deploy = () => parley(`/api/projects/${project}/deployments`,
  { environment: "staging", entryAgentName: "Browser", agentVersionManifest: "auto" });
const { deployment: first } = await deploy();
await parley(`/api/projects/${project}/sdk-channels`, { name: "Browser", channelType: "web", publicApiKeyId: "ak-browser",
  environment: "staging", config: { position: "top-left", welcomeMessage: "Hi <i>there</i>", placeholderText: "Say it",
    theme: { primaryColor: "rgb(1, 2, 3)", darkMode: true } } });

const seen = { steps: [], troubles: [] };
const browser = await browse(modules, profile, { viewport: { width: 900, height: 800 } });
const tab = await browser.newPage();
tab.setDefaultTimeout(60_000);
tab.on("pageerror", (e) => seen.troubles.push(String(e)));
tab.on("console", (m) => { if (m.type() === "error" && !/WebSocket|ERR_|status of 4(09|10)/.test(m.text())) seen.troubles.push(m.text()); });
await tab.goto(shopAt);
await tab.getByRole("button", { name: "Chat" }).click();
const log = tab.getByRole("log");
const said = async (text) => log.getByText(text, { exact: true }).last().waitFor();
await said("Hi <i>there</i>"); // and with it how the channel wants the widget to look
seen.look = await tab.evaluate(() => {
  const root = [...document.body.children].find((e) => e.shadowRoot).shadowRoot;
  return { back: getComputedStyle(root.querySelector("header")).backgroundColor, at: root.querySelector(".root").className,
    placeholder: root.querySelector("textarea").placeholder, markup: root.querySelectorAll(".log b, .log i").length };
});
await tab.getByRole("textbox", { name: "Message" }).fill("Hello");
await tab.keyboard.press("Enter");
await said("<b>Which</b> color?");
seen.steps.push("text");
await tab.getByRole("combobox", { name: "Color" }).selectOption("blue");
await said("blue, sure?");
seen.steps.push("select");
await tab.getByRole("button", { name: "Yes, please" }).click();
await said("Your name?");
seen.steps.push("button");
await tab.getByRole("textbox", { name: "Name" }).fill("Ann");
await tab.getByRole("button", { name: "OK" }).click();
speaks("Once ");
await log.getByText("Once", { exact: false }).waitFor();
seen.steps.push("input", "streaming");

// The line is cut in the middle of the answer, and what was said meanwhile is there once.
const before = sockets;
for (const one of open) one.destroy();
speaks("upon a ");
await log.getByText("Once upon a", { exact: false }).waitFor();
speaks("time.");
speaks("");
await said("Once upon a time.");
seen.again = sockets - before;
seen.answers = await log.getByText("Once upon", { exact: false }).count();
seen.steps.push("reconnect");

// What is said while there is no line is sent when there is one, once; the page reads the same when it is loaded again.
for (const one of open) one.destroy();
await tab.getByRole("textbox", { name: "Message" }).fill("More");
await tab.keyboard.press("Enter");
speaks("The end.");
speaks("");
await said("The end.");
await tab.reload();
await tab.getByRole("button", { name: "Chat" }).click();
await said("The end.");
seen.said = await log.locator(".message:not(.welcome)").allTextContents();
seen.steps.push("reload");

const chooser = tab.waitForEvent("filechooser");
await tab.getByRole("button", { name: "Attach a file" }).click();
await (await chooser).setFiles({ name: "note.txt", mimeType: "text/plain", buffer: Buffer.from("hello") });
await tab.getByText("note.txt").waitFor();
seen.steps.push("attachment");
await tab.screenshot({ path: screenshot });

// A session that ends while nobody looks, or whose deployment is retired while its page is open, is followed by another.
const session = () => tab.evaluate(() => Object.values(sessionStorage)[0]);
const open1 = await session();
await tab.goto("about:blank");
await parley(`/api/projects/${project}/sessions/${open1}`, undefined, "DELETE");
begun.length = 0;
await tab.goto(shopAt);
await tab.getByRole("button", { name: "Chat" }).click();
await tab.getByRole("textbox", { name: "Message" }).fill("I am back");
await tab.keyboard.press("Enter");
await said("<b>Which</b> color?");
seen.ended = [...begun, await log.getByText("Once upon", { exact: false }).count()];
const open2 = await session();
const remembered = await tab.evaluate(() => Object.keys(sessionStorage)[0]);
await deploy();
await parley(`/api/projects/${project}/deployments/${first.id}/retire`, {});
const goesOn = () => fetch(url + "/api/v1/sdk/init", { method: "POST", body: JSON.stringify({ projectId: project, sessionId: open2 }),
  headers: { "X-Public-Key": key, Origin: shopAt, "Content-Type": "application/json" } });
while ((await goesOn()).status !== 410) await new Promise((done) => setTimeout(done, 500));
await tab.getByRole("textbox", { name: "Message" }).fill("Still there?");
await tab.keyboard.press("Enter");
await tab.waitForFunction((was) => Object.values(sessionStorage)[0] && Object.values(sessionStorage)[0] !== was, open2);
await said("<b>Which</b> color?");
seen.retired = await log.locator(".message:not(.welcome)").allTextContents();
begun.length = 0;
const twin = await browser.newPage(); // that had the session, and comes again
await twin.addInitScript(([name, was]) => { if (!sessionStorage.length) sessionStorage.setItem(name, was); }, [remembered, open2]);
await twin.goto(shopAt);
await twin.getByRole("button", { name: "Chat" }).click();
await twin.getByRole("textbox", { name: "Message" }).fill("And here?");
await twin.keyboard.press("Enter");
await twin.getByRole("log").getByText("<b>Which</b> color?", { exact: true }).waitFor();
seen.gone = begun;
seen.steps.push("anew");

// A page of elsewhere has no widget, whatever key it shows.
const other = await browser.newPage();
const refused = other.waitForEvent("console", (m) => m.text().includes("the widget cannot begin"));
await other.goto(elsewhereAt);
await refused;
seen.elsewhere = await other.getByRole("button", { name: "Chat" }).count();
await browser.close();
console.log(JSON.stringify(seen));
process.exit(0);
