// The chat widget of Parley: one file, no build step, no libraries.
//
//   <script src="https://parley.example/widget.js" data-project="acme-bot" data-key="pk_..." async></script>
//
// data-key is a public key of the project, or data-token the token of an SDK channel; data-url is where
// the API is, if it is not where this file comes from; data-open="true" opens the panel at once. What it
// looks like is said by the SDK channel (sdk-config). What people and agents say is put into the page as
// text and never as markup.
(() => {
  "use strict";
  const script = document.currentScript;
  const { project, key, token: shared, open: openAtOnce } = script.dataset;
  const api = (script.dataset.url || new URL(script.src, location.href).origin).replace(/\/+$/, "");
  const remembered = "parley:" + api + ":" + project; // the session of this tab
  const patience = { first: 500, most: 30_000, token: 25 * 60_000 };

  const css = `
    :host { all: initial; --primary: #2457c5; --radius: 8px; --back: #fff; --text: #1c1f23; --soft: #f0f2f5; --line: #c9ced6; }
    :host([dark]) { --back: #1c1f23; --text: #f2f4f7; --soft: #2b3037; --line: #4a515c; }
    * { box-sizing: border-box; font: inherit; color: inherit; }
    [hidden] { display: none !important; }
    .root { position: fixed; z-index: 2147483000; font: 15px/1.4 var(--font, system-ui, sans-serif); color: var(--text);
      display: flex; flex-direction: column; gap: 12px; margin: 16px; max-width: calc(100vw - 32px); }
    .bottom-right, .bottom-left { bottom: 0; } .top-right, .top-left { top: 0; flex-direction: column-reverse; }
    .bottom-right, .top-right { right: 0; align-items: flex-end; } .bottom-left, .top-left { left: 0; align-items: flex-start; }
    button { cursor: pointer; border: 1px solid var(--line); background: var(--back); border-radius: var(--radius); padding: 6px 12px; }
    button:disabled { opacity: .55; cursor: default; }
    button.main { background: var(--primary); border-color: var(--primary); color: #fff; }
    :focus-visible { outline: 3px solid var(--primary); outline-offset: 2px; }
    .panel { width: 380px; max-width: 100%; height: 560px; max-height: calc(100vh - 100px); display: flex; flex-direction: column;
      background: var(--back); border: 1px solid var(--line); border-radius: var(--radius); overflow: hidden; box-shadow: 0 8px 30px #0003; }
    header { display: flex; align-items: center; gap: 8px; padding: 10px 12px; background: var(--primary); color: #fff; }
    header h2 { margin: 0; flex: 1; font-weight: 600; } header img { height: 24px; } header button { background: none; border: 0; padding: 2px 8px; }
    .log { flex: 1; overflow-y: auto; padding: 12px; display: flex; flex-direction: column; gap: 8px; }
    .message { max-width: 85%; padding: 8px 12px; border-radius: var(--radius); background: var(--soft); white-space: pre-wrap;
      overflow-wrap: anywhere; align-self: flex-start; }
    .message.user { align-self: flex-end; background: var(--primary); color: #fff; } .message.pending { opacity: .7; }
    .message small { display: block; opacity: .75; }
    .choices { display: flex; flex-wrap: wrap; gap: 6px; align-self: flex-start; max-width: 100%; }
    .choices label { display: flex; flex-direction: column; gap: 2px; } .choices form { display: flex; gap: 6px; align-items: flex-end; }
    select, input, textarea { border: 1px solid var(--line); border-radius: var(--radius); background: var(--back); padding: 6px 8px; max-width: 100%; }
    .state { min-height: 1.4em; padding: 0 12px; opacity: .75; font-size: 13px; }
    .files { padding: 0 12px; font-size: 13px; } .compose { display: flex; gap: 6px; padding: 10px 12px; border-top: 1px solid var(--line); }
    .compose textarea { flex: 1; resize: none; height: 38px; }
    @media (max-width: 480px) { .panel { height: calc(100vh - 100px); } }`;

  // make is an element with properties and what is in it; texts are texts.
  const make = (name, props = {}, ...inside) => {
    const e = document.createElement(name);
    for (const [k, v] of Object.entries(props)) k.includes("-") || k === "role" || k === "for" ? e.setAttribute(k, v) : (e[k] = v);
    e.append(...inside);
    return e;
  };

  const host = make("div");
  const shadow = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet(); // which no policy of a page's styles refuses
  sheet.replaceSync(css);
  shadow.adoptedStyleSheets = [sheet];
  const log = make("div", { className: "log", role: "log", "aria-live": "polite", "aria-label": "Conversation", tabIndex: 0 });
  const state = make("div", { className: "state", role: "status" });
  const files = make("div", { className: "files" });
  const text = make("textarea", { rows: 1, maxLength: 20000, "aria-label": "Message" });
  const send = make("button", { className: "main", type: "submit", textContent: "Send" });
  const pick = make("input", { type: "file", hidden: true, "aria-label": "File" });
  const attach = make("button", { type: "button", textContent: "+", title: "Attach a file", "aria-label": "Attach a file" });
  const compose = make("form", { className: "compose" }, attach, pick, text, send);
  const logo = make("img", { alt: "", hidden: true });
  const close = make("button", { type: "button", textContent: "×", "aria-label": "Close" });
  const header = make("header", {}, logo, make("h2", { textContent: "Chat" }), close);
  const panel = make("section", { className: "panel", role: "dialog", "aria-label": "Chat", hidden: true }, header, log, state, files, compose);
  const launch = make("button", { className: "main", type: "button", textContent: "Chat", "aria-expanded": "false" });
  const root = make("div", { className: "root bottom-right" }, panel, launch);
  shadow.append(root);

  // ---- how it looks ----

  function look(config) {
    const theme = config.theme || {};
    const set = (name, value) => typeof value === "string" && value && host.style.setProperty(name, value);
    set("--primary", theme.primaryColor);
    set("--radius", theme.borderRadius);
    set("--font", theme.fontFamily);
    host.toggleAttribute("dark", theme.darkMode === true);
    if (/^https?:\/\//.test(theme.logoUrl || "")) Object.assign(logo, { src: theme.logoUrl, hidden: false });
    root.className = "root " + (/^(bottom|top)-(right|left)$/.test(config.position) ? config.position : "bottom-right");
    text.placeholder = config.placeholderText || "";
    if (config.welcomeMessage && !log.querySelector(".welcome")) log.prepend(bubble("assistant welcome", config.welcomeMessage));
    host.hidden = config.chatEnabled === false || config.mode === "voice"; // there is no voice here
  }

  function bubble(kind, said, name) {
    const e = make("div", { className: "message " + kind }, said);
    if (name) e.prepend(make("small", { textContent: name }));
    return e;
  }

  function show(e, before) {
    const below = log.scrollHeight - log.scrollTop - log.clientHeight < 60;
    log.insertBefore(e, before || null);
    if (below) log.scrollTop = log.scrollHeight;
    return e;
  }

  // ---- the session ----

  let session, token, tokenAt, socket, tries = 0, over = false, timer, last = "0";
  const pending = new Map();  // what was said and is not acknowledged, by id, in its order
  const spoken = new Map();   // what models are about to say, by call
  const known = new Map();    // messages that are shown, by id
  let attached = [];          // files for the next message

  const credential = () => (shared ? { "X-SDK-Token": shared } : { "X-Public-Key": key });

  async function ask(path, options = {}) {
    const res = await fetch(api + path, options);
    const body = await res.json().catch(() => ({}));
    if (!res.ok) throw Object.assign(new Error(body.error?.message || "HTTP " + res.status), { status: res.status });
    return body;
  }

  async function begin() {
    session ||= sessionStorage.getItem(remembered) || undefined;
    const init = () => ask("/api/v1/sdk/init", { method: "POST", headers: { ...credential(), "Content-Type": "application/json" },
      body: JSON.stringify({ projectId: project, sessionId: session }) });
    let begun;
    try {
      begun = await init();
    } catch (e) {
      if (!session || ![404, 409, 410].includes(e.status)) throw e;
      forget(); // the session has ended: another begins
      begun = await init();
    }
    ({ sessionId: session, token } = begun);
    tokenAt = Date.now();
    sessionStorage.setItem(remembered, session);
    look(begun.config);
  }

  function forget() {
    session = undefined;
    last = "0";
    sessionStorage.removeItem(remembered);
    for (const e of known.values()) e.remove();
    known.clear();
  }

  // anew begins another session, in which what was not taken is said again.
  function anew() {
    forget();
    token = undefined;
    socket?.close();
  }

  async function connect() {
    clearTimeout(timer);
    if (over || socket) return;
    state.textContent = tries ? "Connecting again …" : "Connecting …";
    try {
      if (!token || Date.now() - tokenAt > patience.token) await begin();
    } catch (e) {
      return again(e.message);
    }
    let opened = false;
    socket = new WebSocket(api.replace(/^http/, "ws") + "/api/v1/channels/web_chat/ws?lastEventId=" + last, ["sdk.v1", "token." + token]);
    socket.onmessage = (m) => {
      opened = true;
      told(JSON.parse(m.data));
    };
    socket.onclose = (e) => {
      socket = undefined;
      if (over || e.code === 1000 && ended) return;
      if (!opened || e.code === 1008) token = undefined; // it may have expired: a page is not told why it was refused
      if (!opened && tries > 4) last = "0";
      again("");
    };
  }

  let ended = false;

  function again(why) {
    state.textContent = "Not connected. " + why;
    const pause = Math.min(patience.most, patience.first * 2 ** tries++) * (0.5 + Math.random() / 2);
    timer = setTimeout(connect, pause);
  }
  addEventListener("online", () => { if (!panel.hidden && !socket) connect(); });

  // ---- what is told ----

  const tellers = {
    ready(f) {
      tries = 0;
      state.textContent = "";
      for (const call of [...spoken.keys()]) unsay(call); // it is told from its beginning
      for (const said of pending.values()) say(said);
    },
    ack(f) {
      const said = pending.get(f.id);
      if (!said) return;
      pending.delete(f.id);
      said.bubble.classList.remove("pending");
      if (known.has(f.messageId) && known.get(f.messageId) !== said.bubble) said.bubble.remove();
      else known.set(f.messageId, said.bubble);
    },
    message(f) {
      if (f.role !== "user") unsay();
      if (known.has(f.id)) return;
      if (f.role === "user") {
        for (const said of pending.values()) {
          if (said.text === (f.text || "") && ![...known.values()].includes(said.bubble)) {
            known.set(f.id, said.bubble);
            return;
          }
        }
      }
      const e = show(bubble(f.role, f.text || (f.attachmentIds ? "(a file)" : ""), f.role === "agent" ? f.agentName : ""));
      known.set(f.id, e);
      if (f.richContent?.length) offer(f.richContent);
    },
    delta(f) {
      let e = spoken.get(f.callId);
      if (!e) spoken.set(f.callId, (e = show(Object.assign(bubble("assistant spoken", ""), { ariaLive: "off" }))));
      e.append(f.delta);
      log.scrollTop = log.scrollHeight;
    },
    reset: (f) => unsay(f.callId),
    typing: (f) => { state.textContent = f.active ? "…" : ""; },
    turn_ended(f) {
      state.textContent = f.action.type === "escalated" ? "Somebody will be with you." : "";
    },
    cleared() {
      for (const e of known.values()) e.remove();
    },
    ended() {
      ended = true;
      state.textContent = "The conversation has ended.";
      sessionStorage.removeItem(remembered);
      for (const e of compose.elements) e.disabled = true;
    },
    error(f) {
      const said = pending.get(f.id);
      if (said && f.code === "GONE") return anew(); // what answered is retired
      state.textContent = f.message;
      if (!said) return;
      pending.delete(f.id);
      if (f.retryAfterMs) {
        setTimeout(() => { pending.set(said.id, said); say(said); }, f.retryAfterMs);
        pending.set(said.id, said);
        return;
      }
      said.bubble.append(make("small", { textContent: "Not sent: " + f.message }));
    },
  };

  function told(f) {
    tellers[f.type]?.(f);
    if (f.eventId && f.type !== "ready") last = f.eventId;
  }

  function unsay(call) {
    for (const [id, e] of spoken) {
      if (call && call !== id) continue;
      e.remove();
      spoken.delete(id);
    }
  }

  // offer shows what may be chosen. What was offered before is over.
  function offer(elements) {
    for (const e of log.querySelectorAll(".choices button, .choices select, .choices input")) e.disabled = true;
    const choices = make("div", { className: "choices", role: "group", "aria-label": "Choices" });
    for (const r of elements) {
      if (r.kind === "button") {
        choices.append(make("button", { type: "button", textContent: r.label || r.id, onclick: () => choose(r.id, r.value, r.label || r.id) }));
      } else if (r.kind === "select") {
        const list = make("select", {}, make("option", { value: "", textContent: "…" }),
          ...(r.options || []).map((o) => make("option", { value: o.id, textContent: o.label })));
        list.onchange = () => list.value && choose(r.id, list.value, list.selectedOptions[0].textContent);
        choices.append(make("label", {}, r.label || r.id, list));
      } else if (r.kind === "input") {
        const field = make("input", { required: r.required === true });
        if (/^(text|number|date|email|tel)$/.test(r.inputType)) field.type = r.inputType;
        choices.append(make("form", { onsubmit: (e) => { e.preventDefault(); choose(r.id, field.value, field.value); } },
          make("label", {}, r.label || r.id, field), make("button", { type: "submit", textContent: "OK" })));
      }
    }
    show(choices);
  }

  function choose(actionId, value, label) {
    for (const e of log.querySelectorAll(".choices button, .choices select, .choices input")) e.disabled = true;
    put({ type: "action", actionId, value, text: label });
  }

  // ---- what is said ----

  function put(frame) {
    const said = { ...frame, id: crypto.randomUUID?.() || Date.now() + "-" + Math.random().toString(36).slice(2) };
    const shown = frame.text || frame.attachmentIds?.map(() => "(a file)").join(" ");
    said.bubble = show(bubble("user pending", shown));
    pending.set(said.id, said);
    say(said);
  }

  function say({ bubble: _, ...frame }) {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
  }

  compose.onsubmit = (e) => {
    e.preventDefault();
    const said = text.value.trim();
    if (!said && !attached.length) return;
    put({ type: "message", text: said || undefined, attachmentIds: attached.length ? attached : undefined });
    text.value = files.textContent = "";
    attached = [];
  };
  text.onkeydown = (e) => {
    if (e.key === "Enter" && !e.shiftKey && !e.isComposing) {
      e.preventDefault();
      compose.requestSubmit();
    }
  };
  attach.onclick = () => pick.click();
  pick.onchange = async () => {
    const [file] = pick.files;
    pick.value = "";
    if (!file || !session) return;
    const form = new FormData();
    form.append("file", file);
    try {
      const made = await ask(`/api/projects/${encodeURIComponent(project)}/sessions/${encodeURIComponent(session)}/attachments`,
        { method: "POST", headers: { "X-SDK-Token": token }, body: form });
      attached = [...attached, made.attachmentId].slice(-10);
      files.append(made.filename + " ");
    } catch (e) {
      state.textContent = e.message;
    }
  };

  // ---- the panel ----

  function toggle(open) {
    panel.hidden = !open;
    launch.setAttribute("aria-expanded", String(open));
    if (open) {
      connect();
      text.focus();
    } else launch.focus();
  }
  launch.onclick = () => toggle(panel.hidden);
  close.onclick = () => toggle(false);
  panel.onkeydown = (e) => { if (e.key === "Escape") toggle(false); };

  async function start() {
    document.body.append(host);
    // A page's own server is not told which page asks; then the look comes with the session.
    if (key && new URL(api).origin !== location.origin) look((await ask("/api/v1/sdk/config/" + encodeURIComponent(project), { headers: { "X-API-Key": key } })).config);
    if (openAtOnce === "true") toggle(true);
  }
  const ready = () => start().catch((e) => {
    host.remove(); // a page that is not one of the key's has no widget
    console.error("parley: the widget cannot begin: " + e.message);
  });
  document.body ? ready() : addEventListener("DOMContentLoaded", ready);
})();
