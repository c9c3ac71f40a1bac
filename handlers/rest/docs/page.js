// Renders /openapi.json. Everything from the document becomes text, never markup.
"use strict";

const METHODS = ["get", "post", "put", "patch", "delete", "head"];
let api;

function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) node[name] = value;
  node.append(...children.filter((c) => c !== undefined && c !== ""));
  return node;
}

function resolve(schema) {
  while (schema && schema.$ref) schema = api.components.schemas[schema.$ref.split("/").pop()];
  return schema || {};
}

function typeOf(schema) {
  const s = resolve(schema);
  const types = [].concat(s.type || "any").filter((t) => t !== "null");
  return types.includes("array") ? "array of " + typeOf(s.items || {}) : types.join(" or ");
}

function rules(schema) {
  const s = resolve(schema), out = [];
  if (s.enum) out.push("one of " + s.enum.join(", "));
  for (const [key, words] of [["minimum", "at least"], ["maximum", "at most"], ["minLength", "min. length"],
    ["maxLength", "max. length"], ["minItems", "min. items"], ["maxItems", "max. items"], ["pattern", "matches"],
    ["format", "format"], ["default", "default"]]) {
    if (s[key] !== undefined && !["double", "int64"].includes(s[key])) out.push(words + " " + JSON.stringify(s[key]));
  }
  return out.join("; ");
}

// A value that the schema allows, for the curl line: required members only, unless all.
function sample(schema, all, depth = 0) {
  const s = resolve(schema);
  if (s.examples && s.examples.length) return s.examples[0];
  if (s.default !== undefined) return s.default;
  if (s.enum) return s.enum[0];
  const type = [].concat(s.type || "object").find((t) => t !== "null");
  if (type === "array") return s.minItems || all ? [sample(s.items || {}, all, depth + 1)] : [];
  if (type === "object") {
    const out = {};
    if (depth > 6) return out;
    for (const [name, member] of Object.entries(s.properties || {})) {
      if (all || (s.required || []).includes(name)) out[name] = sample(member, all, depth + 1);
    }
    return out;
  }
  if (type === "boolean") return true;
  if (type === "integer" || type === "number") return s.minimum ?? 1;
  if (s.format === "date-time") return "2025-01-31T12:00:00Z";
  if (s.format === "date") return "2025-01-31";
  if (s.format === "uri") return "http://127.0.0.1:9999/hook";
  return "text".padEnd(s.minLength || 0, "t");
}

// Names that dev.env knows stand for themselves in the curl line.
const KNOWN = {
  botid: "$BOT_ID", streamid: "$BOT_ID", appid: "$BOT_ID", projectid: "$BOT_ID", iid: "$BOT_ID",
  accountid: "$ACCOUNT_ID", orgid: "$ORG_ID", scopeid: "$SCOPE_ID",
};

function quote(text) { return "'" + text.replaceAll("'", "'\\''") + "'"; }

function valueFor(parameter) {
  const known = KNOWN[parameter.name.toLowerCase()];
  const value = String(parameter.example ?? sample(parameter.schema || {}));
  return known || (parameter.in === "header" ? value : encodeURIComponent(value));
}

function credential(operation) {
  const ways = (operation.security || []).flatMap((w) => Object.keys(w));
  if (ways.includes("auth")) return '-H "auth: $PARLEY_TOKEN"';
  if (ways.includes("apiKey")) return '-H "x-api-key: $PARLEY_API_KEY"';
  return "";
}

function curl(method, path, operation) {
  const parameters = operation.parameters || [];
  for (const p of parameters.filter((p) => p.in === "path")) path = path.replace("{" + p.name + "}", valueFor(p));
  const query = parameters.filter((p) => p.in === "query" && p.required)
    .map((p) => encodeURIComponent(p.name) + "=" + valueFor(p)).join("&");
  const parts = ["curl -sS" + (method === "get" ? "" : " -X " + method.toUpperCase()),
    '"' + location.origin + path + (query ? "?" + query : "") + '"'];
  if (credential(operation)) parts.push(credential(operation));
  for (const p of parameters.filter((p) => p.in === "header" && p.required)) parts.push(`-H "${p.name}: ${valueFor(p)}"`);
  const json = operation.requestBody && operation.requestBody.content["application/json"];
  if (json) {
    parts.push("-H 'Content-Type: application/json'");
    // Ids that dev.env knows leave the quotes so that the shell fills them in.
    const body = quote(JSON.stringify(fill(sample(json.schema, false))));
    parts.push("-d " + body.replace(/"\$([A-Z_]+)"/g, `"'"$$$1"'"`));
  }
  return parts.join(" \\\n  ");
}

function fill(value) {
  if (Array.isArray(value)) return value.map(fill);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, v]) =>
    [name, typeof v === "string" && KNOWN[name.toLowerCase()] || fill(v)]));
}

function row(name, required, schema, description) {
  const text = [description || resolve(schema).description, rules(schema)].filter(Boolean).join(" · ");
  return el("tr", {}, el("td", {}, name + (required ? " *" : "")), el("td", {}, typeOf(schema)), el("td", {}, text));
}

function members(schema, prefix = "", depth = 0) {
  const s = resolve(schema), rows = [];
  for (const [name, member] of Object.entries(s.properties || {})) {
    rows.push(row(prefix + name, (s.required || []).includes(name), member));
    const inner = resolve(member), items = resolve(inner.items);
    if (depth < 4 && inner.properties) rows.push(...members(inner, prefix + name + ".", depth + 1));
    if (depth < 4 && items.properties) rows.push(...members(items, prefix + name + "[].", depth + 1));
  }
  return rows;
}

function table(title, rows) {
  if (!rows.length) return "";
  const head = el("tr", {}, el("th", {}, "Name"), el("th", {}, "Type"), el("th", {}, "Rule"));
  return el("section", {}, el("h4", {}, title), el("table", {}, head, ...rows));
}

function answers(operation) {
  return Object.entries(operation.responses || {}).filter(([status]) => status < "300").map(([status, response]) => {
    const json = response.content && response.content["application/json"];
    if (!json) return el("p", {}, status + " without a body");
    return el("section", {}, table("Response " + status, members(json.schema)),
      el("pre", {}, JSON.stringify(sample(json.schema, true), null, 2)));
  });
}

function details(method, path, operation) {
  const line = curl(method, path, operation);
  const copy = el("button", { type: "button", onclick: () => navigator.clipboard.writeText(line) }, "Copy");
  const json = operation.requestBody && operation.requestBody.content["application/json"];
  const refusals = Object.keys(operation.responses || {}).filter((status) => status >= "400").join(", ");
  return [
    el("p", {}, operation.description || ""),
    el("p", {}, "Takes: " + (operation["x-requirement"] || "")),
    table("Parameters", (operation.parameters || []).map((p) => row(p.in + " " + p.name, p.required, p.schema, p.description))),
    json ? table("Body", members(json.schema)) : "",
    el("h4", {}, "Try it"), el("pre", {}, line), copy,
    ...answers(operation),
    el("p", {}, "Refusals: " + refusals),
  ];
}

function render(method, path, operation) {
  const head = el("summary", {}, el("span", { className: "method" }, method.toUpperCase()),
    el("span", { className: "path" }, path), el("span", { className: "text" }, operation.summary || ""),
    operation["x-extension"] ? el("span", { className: "mark" }, "extension") : "");
  const box = el("details", { id: operation.operationId }, head);
  box.dataset.words = [method, path, operation.operationId, operation.summary].join(" ").toLowerCase();
  box.addEventListener("toggle", () => {
    if (box.open && box.children.length === 1) box.append(...details(method, path, operation).filter(Boolean));
  });
  return box;
}

function show() {
  document.title = api.info.title;
  document.getElementById("title").textContent = api.info.title;
  const groups = new Map();
  for (const [path, item] of Object.entries(api.paths || {})) {
    for (const method of METHODS.filter((m) => item[m])) {
      const group = (item[method].tags || ["Other"])[0];
      if (!groups.has(group)) groups.set(group, []);
      groups.get(group).push(render(method, path, item[method]));
    }
  }
  document.getElementById("operations").replaceChildren(
    ...[...groups].flatMap(([name, boxes]) => [el("h2", {}, name), ...boxes]));
  const linked = document.getElementById(location.hash.slice(1));
  if (linked && linked.tagName === "DETAILS") { linked.open = true; linked.scrollIntoView(); }
}

document.getElementById("filter").addEventListener("input", (event) => {
  const words = event.target.value.toLowerCase();
  for (const box of document.querySelectorAll("details")) box.hidden = !box.dataset.words.includes(words);
});

fetch("/openapi.json").then((r) => r.json()).then((document_) => { api = document_; show(); })
  .catch((err) => { document.getElementById("operations").textContent = "openapi.json cannot be read: " + err; });
