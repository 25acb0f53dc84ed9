(() => {
  // A relay: what the app may do is decided in Python, not here.
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const sandboxOrigin = new URL(data.sandbox).origin;
  const box = byId("box"), state = byId("state"), problem = byId("problem");
  const SIZES = ["360", "400x600", "760", "1024", "1200x800"];
  let frame = null, teardown = "", over = false, socket = null, slow = 0, ready = false, look = {};

  const act = (action, more) => fetch("page", { method: "POST", body: JSON.stringify(action), credentials: "omit", ...more }).catch(() => {});
  const facts = () => ({ width: byId("stage").clientWidth - 34, locale: navigator.language ?? "",
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone ?? "", touch: matchMedia("(pointer: coarse)").matches,
    hover: matchMedia("(hover: hover)").matches });

  const show = (list, most, fill) => {
    const item = document.createElement("li");
    fill(item);
    byId(list).prepend(item);
    byId(`no-${list}`).hidden = true;
    while (byId(list).children.length > most) byId(list).lastChild.remove();
  };
  const part = (parent, name, text) => {
    const element = document.createElement(name);
    element.textContent = text;
    parent.append(element);
    return element;
  };
  const list = (arrow, message) => show("messages", 8, (item) => {
    const said = message?.method ?? (message?.error ? `error ${message.error.code}` : message?.id !== undefined ? "response" : "not JSON-RPC");
    part(item, "span", arrow);
    part(item, "span", said === "tools/call" ? `${said} ${message.params?.name ?? ""}` : said);
    part(item, "time", new Date().toLocaleTimeString());
  });
  // The list is drawn once a frame: a message must not wait for it.
  let undrawn = [];
  const later = (arrow, message) => {
    if (undrawn.push([arrow, message]) === 1) requestAnimationFrame(() => { undrawn.slice(-8).forEach((each) => list(...each)); undrawn = []; });
  };
  const trouble = (title, text) => {
    problem.hidden = !title;
    problem.querySelector("h2").textContent = title;
    problem.querySelector("p").textContent = text;
  };
  const say = (name, text) => { state.dataset.state = name; state.textContent = text; };

  addEventListener("message", (event) => {
    if (!frame || event.source !== frame.contentWindow || event.origin !== sandboxOrigin) return;
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(event.data));
    later("→", event.data);
  });

  const open = () => {
    frame?.remove();
    frame = document.createElement("iframe");
    frame.title = `App of ${data.tool}`;
    frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
    frame.allow = data.allow;
    frame.src = data.sandbox;
    box.replaceChildren(frame);
    ready = false;
    clearTimeout(slow);
    slow = setTimeout(() => ready || over || trouble("The app has not started",
      "It has sent no ui/initialize within 5 seconds. An app must send it to its parent window. The notices below show errors of its scripts and what the browser blocked."), 5000);
  };

  const takes = {};
  const on = (kind, take) => { takes[kind] = take; };
  on("start", open);
  on("view", (message) => { frame?.contentWindow?.postMessage(message, sandboxOrigin); later("←", message); });
  on("teardown", (message) => { teardown = message; });
  on("look", (now) => {
    look = now;
    document.documentElement.dataset.theme = now.theme;
    document.body.className = now.mode;
    byId("theme").textContent = now.theme === "dark" ? "Light" : "Dark";
    byId("theme").setAttribute("aria-pressed", String(now.theme === "dark"));
    byId("full").hidden = now.mode === "inline" && !now.modes.includes("fullscreen");
    byId("full").textContent = now.mode === "inline" ? "Full screen" : "Back";
    box.classList.toggle("border", now.border);
    box.style.width = `${now.width + (now.border ? 2 : 0)}px`;
    if (frame && now.height) frame.style.height = `${now.height}px`;
    const chosen = now.height ? `${now.width}x${now.height}` : String(now.width);
    byId("size").replaceChildren(...[...new Set([...SIZES, chosen])].map((size) => new Option(size, size, false, size === chosen)));
  });
  on("size", ({ height }) => { if (frame && height !== undefined && !look.height) frame.style.height = `${Math.min(Math.max(height, 20), 1200)}px`; });
  on("state", ({ state: name, why }) => {
    say(name === "ended" ? "ended" : name, why ? `${name}: ${why}` : name);
    if (name === "ready" || name === "initializing") { ready = true; trouble("", ""); }
    if (name === "ended") { over = true; socket.close(); frame?.remove(); part(box, "p", "The app has ended.").className = "none"; byId("end").disabled = true; }
  });
  on("notice", ({ kind, text }) => {
    show("notices", 8, (item) => { item.dataset.kind = kind; item.textContent = text; });
    if ((kind === "error" || kind === "violation") && !ready) trouble("The app has a problem", text);
  });
  on("link", ({ link, url }) => {
    const row = document.createElement("div");
    part(row, "span", "The app asks to open");
    part(row, "code", url);
    const answer = (opened) => { act({ do: "link", value: link, opened }); row.remove(); byId("links").hidden = !byId("links").children.length; };
    part(row, "button", "Open").onclick = () => { window.open(url, "_blank", "noopener,noreferrer"); answer(true); };
    part(row, "button", "Refuse").onclick = () => answer(false);
    byId("links").append(row);
    byId("links").hidden = false;
  });
  on("replaced", () => { over = true; socket.close(); frame?.remove(); say("ended", "ended: the app is open in another page"); });
  const connect = () => {
    const where = new URL(`socket?facts=${encodeURIComponent(JSON.stringify(facts()))}`, location.href);
    socket = new WebSocket(where.href.replace("http", "ws"));
    socket.onmessage = ({ data }) => {
      const end = data.indexOf("\n");
      takes[data.slice(0, end)](JSON.parse(data.slice(end + 1)));
    };
    socket.onclose = () => {
      if (over) return;
      say("lost", "no connection to mcp-inspect");
      setTimeout(connect, 1000);
    };
  };

  byId("tool").textContent = data.tool;
  byId("server").textContent = `${data.server} · ${data.uri}`;
  document.title = `${data.tool} · mcp-inspect`;
  byId("theme").onclick = () => act({ do: "theme", value: look.theme === "dark" ? "light" : "dark" });
  byId("size").onchange = (event) => act({ do: "size", value: event.target.value });
  byId("full").onclick = () => act({ do: "mode", value: look.mode === "inline" ? "fullscreen" : "inline" });
  byId("end").onclick = () => act({ do: "end" });
  let resized = 0;
  addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(() => act({ do: "facts", facts: facts() }), 150); });
  addEventListener("pagehide", () => {
    if (over || !frame) return;
    if (ready && teardown) frame.contentWindow?.postMessage(JSON.parse(teardown), sandboxOrigin);
    act({ do: "left" }, { keepalive: true });
  });
  connect();
})();
