// What the scripts that talk with a running Parley have in common: how it is asked, how an agent comes to answer, what the
// tests have installed, and the browser. Scripts say only what is their own.
import { createRequire } from "node:module";

export const url = (process.env.PARLEY_URL ?? "").replace(/\/$/, "");
export const project = process.env.BOT_ID;

// Takes a package of the folder NODE_MODULES that the tests name.
export const installed = (modules) => createRequire(modules + "/");

// What Parley answers to who may do everything in the project.
export async function parley(path, body, method = body ? "POST" : "GET") {
  const res = await fetch(url + path, { method, headers: { Authorization: "Bearer " + process.env.PARLEY_TOKEN, "Content-Type": "application/json" },
    body: body && JSON.stringify(body) });
  const text = await res.text();
  if (!res.ok) throw new Error(`${method} ${path}: ${res.status} ${text}`);
  return text && JSON.parse(text);
}

// Has agents of these sources talk, and gives their deployment.
export async function deploy(sources, entry, label = entry) {
  for (const [name, dslContent] of Object.entries(sources)) await parley(`/api/projects/${project}/agents`, { name, dslContent });
  const { deployment } = await parley(`/api/projects/${project}/deployments`, { environment: "dev", label, entryAgentName: entry,
    agentVersionManifest: Object.fromEntries(Object.keys(sources).map((name) => [name, "auto"])) });
  return deployment;
}

// A browser that nobody sees, whose settings are in the folder profile.
export const browse = (modules, profile, { args = [], ...more } = {}) => installed(modules)("playwright-core").chromium.launchPersistentContext(profile, {
  executablePath: "/usr/bin/chromium", headless: true, ...more,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", ...args],
});
