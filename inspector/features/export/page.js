"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const rows = data.entries;
const $ = (id) => document.getElementById(id);
const MOST_ROWS = 2000, MOST_CHILDREN = 200;

// What would act on or hide in a text is shown as its number.
const shown = (text) => String(text).replace(/[INVISIBLE]/gu,
  (c) => "\u2039U+" + c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + "\u203a");

function make(tag, cls, text) {
  const node = document.createElement(tag);
  if (cls) node.className = cls;
  if (text !== undefined) node.textContent = shown(text);
  return node;
}

function matches(row, words, kind) {
  if (kind === "error" ? !row.bad : kind && row.kind !== kind) return false;
  const text = row.lower || (row.lower = (row.title + " " + row.note + " " + row.raw).toLowerCase());
  return words.every((word) => text.includes(word));
}

function show() {
  const words = $("find").value.toLowerCase().split(/\s+/).filter(Boolean), kind = $("kind").value;
  const list = $("list"), part = document.createDocumentFragment();
  let count = 0;
  for (const row of rows) {
    if (!matches(row, words, kind)) continue;
    if (++count > MOST_ROWS) continue;
    const line = make("div", "row" + (row.bad ? " bad" : ""));
    line.dataset.n = row.n;
    line.tabIndex = 0;
    line.append(make("span", "soft", row.n), make("span", "soft", row.at), make("span", "", row.sign),
      make("span", "", row.title));
    if (row.note) line.lastChild.append(make("span", "note", "  \u2691 " + row.note));
    part.append(line);
  }
  list.replaceChildren(part);
  const cut = count > MOST_ROWS ? ", the first " + MOST_ROWS + " shown" : "";
  $("count").textContent = count + " of " + rows.length + cut;
}

function tree(key, value, open) {
  const name = key === undefined ? "" : JSON.stringify(key) + ": ";
  if (value === null || typeof value !== "object") {
    const leaf = make("div", "leaf");
    leaf.append(make("span", "key", name), make("span", "", JSON.stringify(value)));
    return leaf;
  }
  const keys = Object.keys(value), list = Array.isArray(value);
  const node = make("details"), head = make("summary");
  const size = list ? "[" + keys.length + "]" : "{" + keys.length + "}";
  head.append(make("span", "key", name), make("span", "soft", size));
  node.append(head);
  let begun = 0;
  const more = () => {
    for (const each of keys.slice(begun, begun + MOST_CHILDREN)) {
      node.append(tree(list ? Number(each) : each, value[each], keys.length < 20 && open > 1 ? open - 1 : 0));
    }
    begun += MOST_CHILDREN;
    if (begun < keys.length) {
      const button = make("button", "", (keys.length - begun) + " more");
      button.addEventListener("click", () => { button.remove(); more(); });
      node.append(button);
    }
  };
  node.addEventListener("toggle", () => { if (node.open && !begun) more(); });
  if (open) { more(); node.open = true; }
  return node;
}

function choose(n) {
  const row = rows.find((each) => String(each.n) === String(n));
  if (!row) return;
  for (const old of document.querySelectorAll(".chosen")) old.classList.remove("chosen");
  const line = document.querySelector('.row[data-n="' + Number(n) + '"]');
  if (line) line.classList.add("chosen");
  const detail = $("detail");
  detail.replaceChildren(make("h1", "", "Entry " + row.n + ": " + row.title));
  for (const fact of row.facts) detail.append(make("div", "soft", fact));
  try {
    const value = JSON.parse(row.raw);
    const box = make("div", "tree");
    box.append(tree(undefined, value, 3));
    detail.append(box);
  } catch { /* not JSON: shown below as it is */ }
  if (row.raw) detail.append(make("pre", "", row.raw));
}

$("find").addEventListener("input", show);
$("kind").addEventListener("change", show);
$("list").addEventListener("click", (event) => {
  const line = event.target.closest(".row");
  if (line) choose(line.dataset.n);
});
$("list").addEventListener("keydown", (event) => {
  const line = event.target.closest(".row");
  if (!line) return;
  const next = event.key === "ArrowDown" ? line.nextSibling : event.key === "ArrowUp" ? line.previousSibling : null;
  if (event.key === "Enter") choose(line.dataset.n);
  if (next) { event.preventDefault(); next.focus(); choose(next.dataset.n); }
});
show();
if (rows.length) choose((rows.find((each) => each.raw) || rows[0]).n);
