"""A server with one tool `work` that handles its input wrongly in one way, named by the first argument.

`healthy` validates as its schema says.
"""

import itertools
import json
import os
import struct
import sys
import threading
import time
import traceback
import unicodedata
import uuid
from typing import Any

from inspector.features.probe.plan import MARKED
from tests.servers.speaking import answer, say, serve

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "maxLength": 20_000},
        "count": {"type": "integer", "minimum": 1, "maximum": 10, "default": 2},
        "color": {"type": "string", "enum": ["red", "green", "blue"]},
        "flag": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["text"],
}
_WIDE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "maxLength": 20_000},
        "id": {"type": "integer"},
        "limit": {"type": "integer", "default": 5},
        "wait_s": {"type": "integer"},
    },
    "required": ["text"],
    "additionalProperties": False,
}
_OF_A_PROGRAM = 'Traceback (most recent call last):\n  File "a.py", line 9, in f\n  File "<string>", line 1'
_ABOUT = f"Only {'of this version, ' * 9}and no other: Invalid arguments for work: "
_DEEP: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3, "uniqueItems": True},
        "step": {"type": "integer", "multipleOf": 5},
        "where": {
            "type": "object",
            "properties": {"x": {"type": "number"}, "unit": {"type": "string"}},
            "required": ["x", "unit"],
        },
        "size": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "labels": {"type": "object", "additionalProperties": {"type": "integer"}},
    },
    "required": ["text"],
}
_EXACT: dict[str, Any] = {
    "type": "object",
    "properties": {"flag": {"type": "boolean"}, "ratio": {"type": "number"}},
    "required": ["flag"],
}
FAULT = sys.argv[1]
_BEGAN = time.monotonic()
HOME = os.path.dirname(os.__file__) + "/site-packages/server"
_counter = itertools.count(1)
_changes: list[int] = []
_texts: list[str] = []


def _wrong(arguments: dict[str, Any]) -> str:
    """The name of the first argument that breaks the schema; "" if none does."""
    text, count, color = arguments.get("text"), arguments.get("count", 2), arguments.get("color", "red")
    if not isinstance(text, str) or len(text) > 20_000:
        return "text"
    if type(count) not in (int, float) or count % 1 or not 1 <= count <= 10:
        return "count"
    if color not in ("red", "green", "blue"):
        return "color"
    for name in ("id", "limit", "wait_s"):
        if type(arguments.get(name, 1)) not in (int, float) or arguments.get(name, 1) % 1:
            return name
    if FAULT in _OF_WIDE and (unknown := arguments.keys() - _WIDE["properties"].keys()):
        return str(min(unknown))
    if not isinstance(arguments.get("flag", True), bool):
        return "flag"
    tags = arguments.get("tags", [])
    return "" if isinstance(tags, list) and all(isinstance(tag, str) for tag in tags) else "tags"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _wrong_deep(arguments: dict[str, Any]) -> str:
    """The rule of the deep schema that is broken, with the name of the argument; "" if none is."""
    given: dict[str, Any] = {"tags": ["a"], "where": {"x": 1, "unit": "m"}, "step": 5, "labels": {}} | arguments
    tags, where, step, labels = (given[name] for name in ("tags", "where", "step", "labels"))
    rules = {
        "text": isinstance(arguments.get("text"), str),
        "tags": isinstance(tags, list) and len(tags) > 0,
        "step": _is_number(step) and not step % 1,
        "where": isinstance(where, dict),
        "size": isinstance(arguments.get("size", 1), int | str) and arguments.get("size") is not True,
        "labels": isinstance(labels, dict),
    }
    if broken := [name for name, kept in rules.items() if not kept]:
        return broken[0]
    rules = {
        "tags items": all(isinstance(tag, str) for tag in tags),
        "tags most": len(tags) <= 3,
        "tags unique": len({json.dumps(tag) for tag in tags}) == len(tags),
        "step multiple": not step % 5,
        "where missing": {"x", "unit"} <= where.keys(),
        "where type": _is_number(where.get("x", 1)) and isinstance(where.get("unit", ""), str),
        "labels values": all(_is_number(each) and not each % 1 for each in labels.values()),
    }
    return next((name for name, kept in rules.items() if not kept), "")


def _wrong_exact(arguments: dict[str, Any]) -> str:
    if not isinstance(arguments.get("flag"), bool):
        return "flag"
    return "" if _is_number(arguments.get("ratio", 1)) else "ratio"


def _text(text: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], **more}


def _error(text: str) -> dict[str, Any]:
    return _text(text, isError=True)


def _call(request: dict[str, Any]) -> Any:
    arguments = request["params"].get("arguments") or {}
    judge = _wrong_deep if FAULT in _OF_DEEP else _wrong_exact if FAULT in _OF_EXACT else _wrong
    wrong = judge(arguments)
    fault = _FAULTS.get(FAULT)
    found = fault(request, arguments, wrong) if fault is not None else None
    if found is not None:
        return None if found == "answered" else found
    return _error(f"Invalid value for {wrong}") if wrong else _text(f"{str(arguments.get('text'))[:20]} done")


def _no(when: bool, text: str) -> dict[str, Any] | None:
    return _error(text) if when else None


def _crash(when: bool) -> None:
    if when:
        os._exit(3)


def _hang(when: bool) -> None:
    if when:
        time.sleep(600)


def _end_late(slowly: bool) -> None:
    """End at whatever comes 1.5 s after the start."""
    if slowly:
        time.sleep(1.6)
    _crash(time.monotonic() - _BEGAN > 1.5)


def _crash_or_hang(arguments: dict[str, Any]) -> None:
    _crash(arguments.get("count", 1) is None)
    _hang(len(str(arguments.get("text"))) > 5_000)


def _late(request: dict[str, Any], seconds: float) -> str:
    """Respond later, and meanwhile to other requests."""
    timer = threading.Timer(seconds, answer, (request, _text("done at last")))
    timer.daemon = True
    timer.start()
    return "answered"


def _refused(request: dict[str, Any], code: int, message: str) -> str:
    say({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": message}})
    return "answered"


def _traceback(wrong: str) -> dict[str, Any] | None:
    if not wrong:
        return None
    try:
        raise ValueError(wrong)
    except ValueError:
        return _error(traceback.format_exc())


def _echo(arguments: dict[str, Any], wrong: str, **changed: Any) -> dict[str, Any] | None:
    """The arguments as they are, but for those that are changed."""
    given: dict[str, Any] = {"text": "", "id": 1, "limit": 5} | arguments | changed
    return None if wrong else _text(f"{given['text'][:50]} of {given['id']}, {given['limit']} at most")


def _remember(arguments: dict[str, Any], wrong: str) -> dict[str, Any] | None:
    """All texts so far."""
    if wrong:
        return None
    _texts.append(arguments["text"][:20])
    return _text(", ".join(_texts))


def _slow_outside_ascii(text: str) -> None:
    time.sleep(0 if text.isascii() else 1.5)


_OF_WIDE: dict[str, Any] = {
    "healthy-wide": lambda r, a, w: _echo(a, w),
    "rounds-integers": lambda r, a, w: _echo(a, w) if w else _echo(a, w, id=int(float(a.get("id", 1)))),
    "decodes-latin-1": lambda r, a, w: None if w else _echo(a, w, text=a["text"].encode().decode("latin-1")),
    "writes-ascii": lambda r, a, w: None if w else _echo(a, w, text=a["text"].encode("ascii", "replace").decode()),
    "wraps-integers": lambda r, a, w: _echo(a, w) if w else _echo(a, w, id=(a.get("id", 1) + 2**31) % 2**32 - 2**31),
    "names-in-words": lambda r, a, w: _error("Bad mcpInspectUnknown, Text, id, limit, waitS") if w else None,
    "rejects-negative": lambda r, a, w: _error("an unsigned id is required") if not w and a.get("id", 1) < 0 else None,
    "waits-as-told": lambda r, a, w: _late(r, 600) if not w and a.get("wait_s", 0) > 9 else None,
    "shows-what-is-kept": lambda r, a, w: None if w else _text(f"{MARKED} of an earlier session"),
    "counts-from-below": lambda r, a, w: None if w else _text(str(max(0, -a.get("limit", 5)))),
    "negates": lambda r, a, w: _echo(a, w) if w else _echo(a, w, id=-a.get("id", 1)),
    "writes-exponents": lambda r, a, w: None if w else _text(f"record {a.get('id', 1):g}"),
    "drops-astral": lambda r, a, w: None if w else _echo(a, w, text="".join(c for c in a["text"] if ord(c) < 0x10000)),
    "cuts-characters": lambda r, a, w: (
        None if w else _echo(a, w, text=a["text"].encode("utf-16-le")[:12].decode("utf-16-le", "replace"))
    ),
    "ignores-limit": lambda r, a, w: None if w else _text(json.dumps([f"item {at}" for at in range(7)])),
    "zero-is-default": lambda r, a, w: None if w else _echo(a, w, limit=a.get("limit") or 5),
    "documents-zero": lambda r, a, w: None if w else _echo(a, w, limit=a.get("limit") or 5),
    "echoes-what-is-given": lambda r, a, w: None if w else _text(json.dumps({"given": dict.fromkeys(sorted(a))})),
    "default-is-another": lambda r, a, w: None if w else _echo(a, w, limit=a.get("limit", 20)),
    "settings-path": lambda r, a, w: _error(f"{w}: see /etc/acme/settings.yaml") if w else None,
    "zero-is-missing": lambda r, a, w: _error("limit is required") if not w and not a.get("limit", 5) else None,
    "accepts-undeclared": lambda r, a, w: _text("done") if w.startswith("mcp_inspect") else None,
    "slow-outside-ascii": lambda r, a, w: None if w else _slow_outside_ascii(a["text"]),
    "remembers": lambda r, a, w: _remember(a, w),
    "source-path": lambda r, a, w: _error(f"{w}: TypeError in /srv/app/handlers/work.py:33") if w else None,
    "removes-accents": lambda r, a, w: None if w else _echo(a, w, text=a["text"].encode("ascii", "ignore").decode()),
    "own-response-is-invalid": lambda r, a, w: (
        _error(f"1 validation error for {'DictModel' if a['id'] < 0 else 'WorkResponse'}\nid\n [type=string_type, …]")
        if not w and a.get("id", 1) != 1
        else None
    ),
    "refuses-unmarked": lambda r, a, w: _text(json.dumps({"success": False, "error": f"Invalid {w}"})) if w else None,
    "refuses-in-a-report": lambda r, a, w: (
        _text(json.dumps({"status": "rejected", "errors": [{"message": "Field required", "path": [w]}]})) if w else None
    ),
    "refuses-with-a-verdict": lambda r, a, w: (
        _text(json.dumps({"status": "rejected", "valid": False, "errors": [{"code": "exact"}]}) + "\nsee it")
        if w
        else None
    ),
    "needs-a-key": lambda r, a, w: None if w else _error("Unauthorized: API key is required for monitor requests"),
    "needs-a-variable": lambda r, a, w: None if w else _error("Missing required field: env GITHUB_TOKEN is missing"),
    "names-its-host": lambda r, a, w: None if w else _error("cannot reach " + os.environ["SERVICE_HOST"]),
    "needs-a-login": lambda r, a, w: None if w else _error("A login is required. Please log in first."),
    "needs-a-program": lambda r, a, w: None if w else _error("ffmpeg is required, but it is not installed"),
    "limits-its-rate": lambda r, a, w: _refused(r, -32600, "Rate limit exceeded: max 10 per second") if w else None,
    "needs-a-file": lambda r, a, w: None if w or len(a) < 2 else _error("Bounds: data/range.json is missing"),
    "fails-always": lambda r, a, w: _text('{"status": false, "status_message": "x does not exist"}'),
    "rejects-as-internal": lambda r, a, w: _refused(r, -32603, f"Invalid arguments: {w}: Required") if w else None,
    "rejects-by-name": lambda r, a, w: _refused(r, -32603, f"Invalid parameter '{w}': got None") if w else None,
    "fails-with-an-id": lambda r, a, w: _error(f"Unknown tool in operation {uuid.uuid4()}"),
    "no-key-by-code": lambda r, a, w: _refused(r, -32602, "Missing API key: set it in the server's environment"),
    "no-key-unmarked": lambda r, a, w: _text("The OPENWEATHER_API_KEY environment variable is not set"),
    "no-key-as-json": lambda r, a, w: _text('{"error": "No API key found. Run acme login."}'),
    "no-login": lambda r, a, w: _error("Not authenticated. Please log in first.") if w else None,
    "no-token-inside": lambda r, a, w: _refused(r, -32603, "401: access token is missing") if w else None,
    "needs-an-argument": lambda r, a, w: None if w else _error("apiKey is required"),
    "refuses-in-a-text": lambda r, a, w: _text(f"Error: {w} must be a valid address") if w else None,
    "refuses-undeclared": lambda r, a, w: _refused(r, -32602, f"Invalid params: {w}") if w else None,
}
_OF_DEEP: dict[str, Any] = {
    "healthy-deep": lambda r, a, w: None,
    "empty-member-is-missing": lambda r, a, w: _no(
        not w and a.get("where", {}).get("unit", "m") == "", "validation failed: unit is required"
    ),
    "accepts-items": lambda r, a, w: _text("done") if w == "tags items" else None,
    "accepts-many-items": lambda r, a, w: _text("done") if w == "tags most" else None,
    "accepts-repeated-items": lambda r, a, w: _text("done") if w == "tags unique" else None,
    "accepts-no-multiple": lambda r, a, w: _text("done") if w == "step multiple" else None,
    "accepts-incomplete-object": lambda r, a, w: _text("done") if w == "where missing" else None,
    "accepts-inner-type": lambda r, a, w: _text("done") if w == "where type" else None,
    "accepts-map-values": lambda r, a, w: _text("done") if w == "labels values" else None,
    "crash-on-branch": lambda r, a, w: _crash(isinstance(a.get("size"), str) and not w),
    "accepts-in-words": lambda r, a, w: _text("done, and nothing is missing") if w in ("", "text", "step") else None,
}
_OF_EXACT: dict[str, Any] = {
    "cuts-fractions": lambda r, a, w: None if w else _text(f"ratio {int(a.get('ratio', 1))}"),
    "rounds-as-it-says": lambda r, a, w: None if w else _text(f"ratio {round(a.get('ratio', 1))}"),
    "rounds-to-two-places": lambda r, a, w: None if w else _text(f"ratio {a.get('ratio', 1):.2f}"),
    "says-how-to-set": lambda r, a, w: None if w else _text("Nothing found. Try another text, or set flag=true."),
    "true-for-false": lambda r, a, w: None if w else _text(json.dumps({"flag": a["flag"] or True})),
    "writes-floats": lambda r, a, w: (
        None if w else _text(f"ratio {struct.unpack('f', struct.pack('f', a.get('ratio', 1)))[0]}")
    ),
    "reads-no-exponents": lambda r, a, w: _no(not w and "e" in str(a.get("ratio", 1)), "ratio is not a number"),
    "false-is-missing": lambda r, a, w: _error("flag is required") if not a.get("flag") else None,
    "wants-consent": lambda r, a, w: _error("Invalid: flag must be set to true") if not w and not a["flag"] else None,
}
_FAULTS: dict[str, Any] = (
    _OF_WIDE
    | _OF_DEEP
    | _OF_EXACT
    | {
        "crash-on-pair": lambda r, a, w: _crash(a.get("color") == "green" and a.get("flag") is True),
        "crash-on-null": lambda r, a, w: _crash(None in a.values()),
        "ends-by-itself": lambda r, a, w: _hang(True),
        "ends-after-a-time": lambda r, a, w: _end_late(a.get("flag") is True),
        "crash-on-twelfth": lambda r, a, w: _crash(r["id"] == 12),
        "crash-on-missing": lambda r, a, w: _crash("text" not in a),
        "crash-on-emoji": lambda r, a, w: _crash("\U0001f9ea" in str(a.get("text"))),
        "crash-on-list": lambda r, a, w: _crash(a.get("tags") == []),
        "crash-twice": lambda r, a, w: _crash_or_hang(a),
        "slow": lambda r, a, w: _late(r, 600),
        "slow-with-many-tools": lambda r, a, w: _late(r, 600),
        "undeclared": lambda r, a, w: None,
        "limits-its-calls": lambda r, a, w: _late(r, 600) if r["id"] > 12 else None,
        "prints-before-it": lambda r, a, w: print(end="x" * 99 * (len(str(a.get("text"))) > 5_000), flush=True),
        "runs-a-program": lambda r, a, w: _error("/tmp/p1/a/run.py:1: wrong " + w) if w else _text(_OF_A_PROGRAM),
        "lacks-a-node": lambda r, a, w: _error("Error executing tool work: Node x not found"),
        "wants-positions": lambda r, a, w: _no(a.get("tags") == [] and not w, "tags must be an array of two or more"),
        "wants-digits": lambda r, a, w: _no(
            len(a) > 4 and not w, f"Invalid text '{a.get('text')}': must be an integer"
        ),
        "wants-two": lambda r, a, w: _no(a.get("text") == "" and not w, "At least 2 points are required"),
        "empty-list-is-missing": lambda r, a, w: _no(a.get("tags") == [], "arguments are required: tags"),
        "takes-time-for-each": lambda r, a, w: time.sleep(0.001 * len(a.get("tags", ())) if not w else 0),
        "needs-a-tag": lambda r, a, w: _error("need at least one") if w == "flag" or a.get("tags") == [] else None,
        "empty-is-no-csv": lambda r, a, w: _no(a.get("text") == "", "no CSV: the file is empty; a header is required"),
        "is-not-configured": lambda r, a, w: _text("It is not correctly configured. Reach out for help."),
        "green-requires-tags": lambda r, a, w: (
            _error('Invalid arguments: tags: expected array, received undefined. Color "green" requires tags')
            if a.get("color") == "green" and not w
            else None
        ),
        "slow-on-long": lambda r, a, w: _late(r, 600) if len(str(a.get("text"))) > 5_000 else None,
        "hang-on-long": lambda r, a, w: _hang(len(str(a.get("text"))) > 5_000),
        "hang-on-empty": lambda r, a, w: _hang(a.get("text") == ""),
        "accepts-wrong-type": lambda r, a, w: _text("done") if w in ("count", "flag") else None,
        "accepts-missing-as-json": lambda r, a, w: _text('{"success": true}') if "text" not in a else None,
        "accepts-missing": lambda r, a, w: _text("done") if "text" not in a else None,
        "accepts-null": lambda r, a, w: _text("done") if None in a.values() else None,
        "accepts-out-of-bounds": lambda r, a, w: _text("done") if a.get("count") in (0, 11) else None,
        "accepts-unknown-choice": lambda r, a, w: _text("done") if w == "color" else None,
        "rejects-choice": lambda r, a, w: _error("Input validation error: color") if a.get("color") == "blue" else None,
        "rejects-bound": lambda r, a, w: _no(
            a.get("count") == 10, "validation error for count: must be a number below 10"
        ),
        "rejects-with-32602": lambda r, a, w: _refused(r, -32602, "Bad params") if a.get("flag") and not w else None,
        "unspecific": lambda r, a, w: _error("Bad request") if w else None,
        "fails-inside": lambda r, a, w: _refused(r, -32603, "Internal error") if w else None,
        "fails-in-the-language": lambda r, a, w: _error("'NoneType' object is wrong") if "tags" in a else None,
        "needs-a-repository-inside": lambda r, a, w: _refused(r, -32602 - (len(a) > 2), "not a git repository at root"),
        "sets-a-variable": lambda r, a, w: _refused(r, -32603, "ACME_ID is not set") if "tags" in a else None,
        "needs-either": lambda r, a, w: None if w or "tags" in a else _error("Either tags or color is required"),
        "traceback": lambda r, a, w: _traceback(w),
        "example-path": lambda r, a, w: _error(f"{w}: a path such as /home/nobody-at-all/b.xlsx") if w else None,
        "no-network": lambda r, a, w: _refused(r, -32603, "fetch failed"),
        "no-network-if-true": lambda r, a, w: _refused(r, -32603, "fetch failed") if a.get("flag") is True else None,
        "strict": lambda r, a, w: _no("mcp_inspect_unknown" in a, "Invalid arguments: mcp_inspect_unknown is unknown"),
        "no-empty-text": lambda r, a, w: _no(
            len(str(a.get("text"))) < 2, "Invalid arguments for text: it is too short"
        ),
        "empty-is-missing": lambda r, a, w: _error("Missing required argument: text") if a.get("text") == "" else None,
        "empty-is-too-short": lambda r, a, w: _no(a.get("text") == "", _ABOUT + "text: at least 1 character"),
        "empty-is-no-string": lambda r, a, w: _error("'text' must be a string") if a.get("text") == "" else None,
        "no-nul": lambda r, a, w: (
            _error("The argument 'path' must be a string, Uint8Array, or URL without null bytes. Received 'a\\x00b'")
            if "\0" in str(a.get("text"))
            else None
        ),
        "needs-tags-for-green": lambda r, a, w: _no(
            a.get("color") == "green" and not w, "work: tags is required for 'green' operation"
        ),
        "trims": lambda r, a, w: None if w else _text(json.dumps({"text": a["text"].strip()})),
        "nfd": lambda r, a, w: None if w else _text(json.dumps({"text": unicodedata.normalize("NFD", a["text"])})),
        "lowers": lambda r, a, w: None if w else _text(json.dumps({"text": a["text"].lower()})),
        "lowers-as-it-says": lambda r, a, w: None if w else _text(json.dumps({"text": a["text"].lower()})),
        "fails-without-tags": lambda r, a, w: _no(not w and "tags" not in a, "Error executing tool work: 'tags'"),
        "fails-at-first": lambda r, a, w: _no(not w and next(_counter) == 1, "KeyError: 'tags'"),
        "choice-in-own-words": lambda r, a, w: _no(a.get("color") == "blue", "color: unknown value blue"),
        "choice-is-not-there": lambda r, a, w: _no(a.get("color") == "blue", "blue is not installed as a color"),
        "is-no-tool": lambda r, a, w: _no(True, "Unknown tool: work"),
        "cuts-long": lambda r, a, w: None if w else _text(json.dumps({"text": a["text"][:255]})),
        "composes": lambda r, a, w: None if w else _text(unicodedata.normalize("NFC", a["text"])),
        "sorts": lambda r, a, w: None if w else _text("done", structuredContent={"tags": sorted(a.get("tags", []))}),
        "trims-as-it-says": lambda r, a, w: None if w else _text(json.dumps({"text": a["text"].strip()})),
        "keeps-low-bytes": lambda r, a, w: None if w else _text(a["text"].encode("utf-16-le")[::2].decode("latin-1")),
        "writes-ascii-as-it-says": lambda r, a, w: None if w else _text(a["text"].encode("ascii", "replace").decode()),
        "slow-on-green": lambda r, a, w: time.sleep(0.6 if not w and a.get("color") == "green" else 0),
        "slow-each-third-time": lambda r, a, w: time.sleep(0 if next(_counter) % 3 else 0.2),
        "empty-list-fails": lambda r, a, w: _error("max() iterable argument is empty") if a.get("tags") == [] else None,
        "bound-in-own-words": lambda r, a, w: _error("count must be less than 10") if a.get("count") == 10 else None,
        "orders-two": lambda r, a, w: _error("count must be less than the tags") if a.get("count") == 10 else None,
        "needs-a-project": lambda r, a, w: _text("No project is loaded for this session.\n\nSearched from /"),
        "finds-nothing": lambda r, a, w: (
            _refused(r, -32602, f"UnknownTopic {a['text']}") if len(str(a)) > 5_000 else None
        ),
        "path": lambda r, a, w: _error(f"{w}: see {HOME}/config.json") if w else None,
        "secret": lambda r, a, w: _text("connected with " + os.environ["SERVICE_KEY"]) if not w else None,
        "idempotent-with-times": lambda r, a, w: (
            _text(json.dumps({"saved": a["text"][:20], "updatedAt": time.time()})) if not w else None
        ),
        "slow-on-many-items": lambda r, a, w: time.sleep(0.6 if not w and len(a.get("tags", ())) > 50 else 0),
        "not-idempotent": lambda r, a, w: _text(f"done {next(_counter)}") if not w else None,
        "creates-at-first": lambda r, a, w: _text("created" if next(_counter) == 1 else "is there") if not w else None,
        "new-result-each-time": lambda r, a, w: _text(f"done {next(_counter)}") if not w else None,
        "output": lambda r, a, w: _text("done", structuredContent={"n": "one"}) if not w else None,
        "changes-tools": lambda r, a, w: _changes.append(1),
        "stdout": lambda r, a, w: (sys.stdout.write("debug: called\n"), None)[1],
    }
)
"""By name: from request, arguments and the name of the wrong one to a result; None for the ordinary one."""


_DESCRIPTIONS = {
    "rounds-as-it-says": "Rounds a ratio to an integer",
    "trims-as-it-says": "Work, without surrounding blanks",
    "lowers-as-it-says": "Work in lower case",
    "writes-ascii-as-it-says": "Transliterate a text to ASCII",
}


def _tools(_: dict[str, Any]) -> dict[str, Any]:
    schemas = ((_OF_WIDE, _WIDE), (_OF_DEEP, _DEEP), (_OF_EXACT, _EXACT))
    schema = next((schema for faults, schema in schemas if FAULT in faults), SCHEMA)
    tool: dict[str, Any] = {
        "name": "work",
        "description": "Work",
        "inputSchema": schema,
        "annotations": {"readOnlyHint": True},
    }
    tool["description"] = _DESCRIPTIONS.get(FAULT, "Work")
    if FAULT == "documents-zero":
        described = {"limit": _WIDE["properties"]["limit"] | {"description": "At most; values <= 0 fall back to 5."}}
        tool["inputSchema"] = _WIDE | {"properties": _WIDE["properties"] | described}
    if FAULT in ("not-idempotent", "idempotent-with-times", "creates-at-first"):
        tool["annotations"] = {"readOnlyHint": False, "idempotentHint": True}
    if FAULT == "new-result-each-time":  # which means nothing for a tool that only reads
        tool["annotations"] = {"readOnlyHint": True, "idempotentHint": True}
    if FAULT == "output":
        tool["outputSchema"] = {"type": "object", "properties": {"n": {"type": "integer"}}}
    if _changes:
        tool["description"] = "Work harder"
    writes = {"name": "write", "description": "Write", "inputSchema": schema}
    many = 6 if FAULT == "slow-with-many-tools" else 0
    return {"tools": [tool, *(tool | {"name": f"work{at}"} for at in range(2, many)), writes]}


if __name__ == "__main__":
    if once := os.environ.get("STARTS_ONCE"):
        open(once, "x").close()  # fails the second time
    if FAULT == "ends-by-itself":
        threading.Timer(2, os._exit, (3,)).start()
    hello = {"protocolVersion": "2025-06-18", "serverInfo": {"name": "careless", "version": "1"}}
    declared: dict[str, Any] = {} if FAULT == "undeclared" else {"tools": {}}
    serve({"initialize": hello | {"capabilities": declared}, "tools/list": _tools, "tools/call": _call})
