"""The fixed parts of the exported page: its style and its script. Data comes as JSON and is shown as text only.

The script makes nodes and sets their text; it never makes markup of data, asks for nothing, and keeps nothing.
"""

import re

_RANGES = (
    *((0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160)),
    *((0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0x2800, 0x2800)),
    *((0x3164, 0x3164), (0xD800, 0xDFFF), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFFB)),
    *((0x13430, 0x1343F), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
)
"""Characters that act on a text or of which nothing is seen: controls but newline and tab, marks of direction, joiners,
fillers, selectors, tags, halves of surrogate pairs (Unicode: Cc, Cf, Cs, Zl, Zp, Default_Ignorable_Code_Point)."""
_INVISIBLE = re.compile("[" + "".join(f"{re.escape(chr(a))}-{re.escape(chr(b))}" for a, b in _RANGES) + "]")


def shown(text: str) -> str:
    """A text in which those characters stand as their numbers, `‹U+202E›`; the page's script does the same."""
    return _INVISIBLE.sub(lambda found: f"\u2039U+{ord(found[0]):04X}\u203a", text)


STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #888; --mark: #fc08; }
* { box-sizing: border-box; }
body { margin: 0; font: 14px/1.45 system-ui, sans-serif; display: grid; grid-template-rows: auto 1fr; height: 100vh; }
header { padding: .6em 1em; border-bottom: 1px solid var(--line); }
h1 { font-size: 1em; margin: 0 0 .4em; }
input, select { font: inherit; padding: .2em .4em; }
input { width: min(30em, 50vw); }
main { display: grid; grid-template-columns: minmax(18em, 2fr) 3fr; min-height: 0; }
#list, #detail { overflow: auto; min-height: 0; }
#list { border-right: 1px solid var(--line); }
#detail { padding: 1em; }
.row { display: grid; grid-template-columns: 4em 5.5em 1.5em 1fr; gap: .5em; padding: .1em .6em; cursor: pointer;
  font-family: ui-monospace, monospace; font-size: 12px; white-space: pre; overflow: hidden; }
.row span { overflow: hidden; text-overflow: ellipsis; }
.row.chosen { background: var(--mark); }
.bad { color: #c33; }
.soft { color: var(--soft); }
.note { color: #a60; }
#remark { margin: .4em 0 0; white-space: pre-wrap; }
pre, .tree { font: 12px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
.tree details, .tree .leaf { margin-left: 1.2em; }
.tree summary { cursor: pointer; }
.key { color: #06c; }
button { font: inherit; }
@media (max-width: 50em) { main { grid-template-columns: 1fr; grid-template-rows: 1fr 1fr; } }
"""

SCRIPT = r"""
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
  } catch { /* it is no JSON, and stands below as it is */ }
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
""".replace("INVISIBLE", "".join(f"\\u{{{first:x}}}-\\u{{{last:x}}}" for first, last in _RANGES))
