(() => { const { port1, port2 } = new MessageChannel(); let left = 50;
const seen = new Set(); const say = (report) => { const key = JSON.stringify(report);
if (!seen.has(key) && left-- > 0) { seen.add(key); port1.postMessage(report); } };
const blocked = new Set();
addEventListener("securitypolicyviolation", (e) => { blocked.add(e.blockedURI);
say({ kind: "csp", directive: e.effectiveDirective, blocked: e.blockedURI,
line: e.lineNumber, column: e.columnNumber, sample: e.sample }); }, true);
addEventListener("error", (e) => { if (e instanceof ErrorEvent) say({ kind: "error", message: String(e.message),
line: e.lineno, column: e.colno });
else { const url = e.target?.src || e.target?.href;
if (typeof url === "string")
setTimeout(() => { if (!blocked.has(url))
say({ kind: "error", message: `could not load ${url.slice(0, 200)}` }); }, 100); } }, true);
addEventListener("unhandledrejection", (e) => say({ kind: "error", message: String(e.reason) }));
const refused = (what) => say({ kind: "refused", what });
const watch = (object, name, what, isRefused = () => false) => { const own = object?.[name];
if (typeof own === "function") object[name] = function (...given) { let found;
try { found = own.apply(this, given); } catch (e) { refused(what); throw e; }
if (isRefused(this, found)) refused(what); else found?.catch?.(() => refused(what));
return found; }; };
const watchGetter = (object, name) => { const own = object && Object.getOwnPropertyDescriptor(object, name);
const tried = (act) => act && function (...given) {
try { return act.apply(this, given); } catch (e) { refused(name); throw e; } };
if (own?.configurable) Object.defineProperty(object, name, { ...own, get: tried(own.get), set: tried(own.set) }); };
watch(window, "open", "a new window", (_, opened) => opened === null);
for (const name of ["alert", "confirm", "prompt"]) watch(window, name, `the dialog of ${name}()`, () => true);
for (const name of ["localStorage", "sessionStorage", "caches"]) watchGetter(window, name);
watchGetter(Document.prototype, "cookie");
watchGetter(Navigator.prototype, "serviceWorker");
watch(globalThis.IDBFactory?.prototype, "open", "indexedDB");
for (const name of ["read", "readText", "write", "writeText"])
watch(globalThis.Clipboard?.prototype, name, `${name}() of the clipboard`);
const linked = (link) => link?.hasAttribute?.("download") ? refused("a download")
: link?.target === "_blank" && refused("a new window");
addEventListener("click", (e) => linked(e.composedPath().find((each) => each.tagName === "A")), true);
watch(HTMLAnchorElement.prototype, "click", "a link", (link) => { if (!link.isConnected) linked(link); return false; });
port1.onmessage = () => port1.postMessage("here");
parent.postMessage("mcp-inspect", "*", [port2]); })()
