// Opens the page of the API as a reader does, and prints what was seen as JSON:
//   node docs.mjs NODE_MODULES URL WIDTH PROFILE SCREENSHOT
import { browse } from "../world/world.mjs";

const [, , modules, url, width, profile, screenshot] = process.argv;

const seen = { requests: [], troubles: [], overflow: [], token: "", status: "", stored: [] };
const browser = await browse(modules, profile, { viewport: { width: Number(width), height: 900 } });
// What the policy of the page refuses is no request: its violation is told. A library of
// Scalar tries whether it may make code at run time, and goes on well without.
await browser.addInitScript(() => document.addEventListener("securitypolicyviolation", (e) => {
  if (e.blockedURI !== "eval") console.error("refused by the policy: " + e.violatedDirective + " " + e.blockedURI);
}));
const page = await browser.newPage();
page.on("console", (m) => { if (["error", "warning"].includes(m.type())) seen.troubles.push(m.text()); });
page.on("pageerror", (e) => seen.troubles.push(String(e)));
page.on("request", (r) => seen.requests.push(r.url()));
page.on("websocket", (s) => seen.requests.push(s.url()));
page.on("requestfailed", (r) => seen.troubles.push(r.url() + ": " + r.failure()?.errorText));

async function measure(when) {
  const [wanted, has] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  if (wanted > has) seen.overflow.push(`${when}: ${wanted} in ${has}`);
}

await page.goto(url + "#tag/audit");
const test = page.getByRole("button", { name: /Test Request.*\/events\)/ });
await test.waitFor();
await measure("an operation");
seen.token = await page.evaluate(() => JSON.parse(document.getElementById("settings").textContent).developer?.token ?? "");
await page.screenshot({ path: screenshot });
if (seen.token) {
  await test.click();
  const answered = page.waitForResponse((r) => r.url().includes("/api/v1/events"));
  await page.getByRole("button", { name: /Send/ }).first().click();
  const answer = await answered;
  await page.getByText("200 OK").first().waitFor();
  seen.status = String(answer.status());
  seen.sent = (await answer.request().allHeaders()).auth ?? "";
  await measure("the answer");
}
seen.stored = await page.evaluate(async () => [...Object.keys(localStorage), ...Object.keys(sessionStorage),
  ...(await indexedDB.databases()).map((d) => d.name)]);
await browser.close();
console.log(JSON.stringify(seen));
