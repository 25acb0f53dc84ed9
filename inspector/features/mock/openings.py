"""How the mock responds to initialize and server/discover: as recorded, or derived.

The `initialize` and `server/discover` results of a server are largely equal. Members that only the other one has get
neutral values: nothing may be cached, nothing is shared.
"""

from typing import Any

import msgspec

from inspector.features.mock.script import Script, ScriptedResponse, ScriptTurns, Turn
from inspector.protocol import peek
from inspector.protocol.jsonrpc import Part, encode
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.openings import SERVER_INFO, Opening
from inspector.protocol.revisions.table import dates, find, newest_of

_NAMELESS = {"name": "mcp-inspect mock", "version": "0"}
CAPABILITY_OF = {
    "tools": "tools",
    "resources": "resources",
    "prompts": "prompts",
    "completion": "completions",
    "logging": "logging",
    "tasks": "tasks",
}
"""Required capability, by the first segment of a method."""
_OF_LEGACY = ("tasks",)
_OF_MODERN = ("extensions",)
_NO_CACHE = {"ttlMs": 0, "cacheScope": "private"}
_NOT_FOUND = -32002
_INVALID_PARAMS = -32602


def opening_of(opening: Opening | None, turns: ScriptTurns, *, path: str = "", notes: tuple[str, ...] = ()) -> Script:
    """Return the script of these turns from the recorded opening; without one, it is derived from the requests."""
    if opening is not None:
        revision = opening.revision
        return Script(
            turns,
            revision.era,
            revision.date,
            opening.server or _NAMELESS,
            opening.capabilities,
            opening.instructions,
            notes,
            path,
        )
    era = next((era for era in (turns[at].era for at in range(len(turns))) if era is not None), Era.LEGACY)
    asked = {CAPABILITY_OF[begin] for name in {*turns.methods} if (begin := name.partition("/")[0]) in CAPABILITY_OF}
    missing = "no opening was recorded: name and capabilities of the server are made up from what was asked"
    return Script(
        turns,
        era,
        newest_of(era).date,
        _NAMELESS,
        {name: {} for name in sorted(asked)},
        notes=(*notes, missing),
        path=path,
    )


def settled(script: Script, offered: str) -> tuple[str, str]:
    """Return the version that `initialize` negotiates for the offered one, and a note or ""."""
    recorded = script.revision if script.era is Era.LEGACY else newest_of(Era.LEGACY).date
    known = find(offered)
    if offered == recorded or known is None or known.era is not Era.LEGACY:
        return recorded, ""
    if script.era is Era.MODERN:
        return offered, ""
    return offered, f"recorded in {recorded}, and served to a client of {offered} as it was recorded"


def initialize_result(script: Script, offered: str) -> tuple[bytes, str]:
    """Return the result of `initialize` as JSON, and a note or ""."""
    version, word = settled(script, offered)
    recorded = _recorded(script, "initialize")
    if recorded is not None:
        if peek.text(recorded.value, "protocolVersion") == version:
            return recorded.raw, word
        return encode(peek.mapping(recorded.value) | {"protocolVersion": version}), word
    result = {
        "protocolVersion": version,
        "capabilities": capabilities_for(script, Era.LEGACY),
        "serverInfo": script.server,
    }
    return encode(result | ({"instructions": script.instructions} if script.instructions else {})), word


def served_modern(script: Script) -> tuple[str, ...]:
    """Return the stateless versions that the mock serves."""
    return (script.revision,) if script.era is Era.MODERN else dates(Era.MODERN)


def discover_result(script: Script) -> bytes:
    """Return the result of `server/discover` as JSON."""
    recorded = _recorded(script, "server/discover")
    if recorded is not None and script.era is Era.MODERN:
        return recorded.raw
    result = {
        "resultType": "complete",
        "supportedVersions": list(served_modern(script)),
        "capabilities": capabilities_for(script, Era.MODERN),
    }
    members = {"instructions": script.instructions} if script.instructions else {}
    return encode(result | members | _NO_CACHE | {"_meta": {SERVER_INFO: script.server}})


def capabilities_for(script: Script, era: Era) -> dict[str, Any]:
    """Return the capabilities to declare in an era: the recorded ones, without those that only the other era has."""
    if era is script.era:
        return script.capabilities
    foreign = _OF_MODERN if era is Era.LEGACY else _OF_LEGACY
    return {name: value for name, value in script.capabilities.items() if name not in foreign}


def refuses_discover(script: Script) -> Turn | None:
    """Return the recorded turn in which a handshake server received `server/discover`; None if there is none."""
    return script.first("server/discover") if script.era is Era.LEGACY else None


def lost_between_eras(script: Script) -> tuple[str, ...]:
    """Return what can't be served to clients of the other era."""
    found = []
    if any(method.startswith("tasks/") for method in {*script.turns.methods}):
        found.append("tasks, which the other era has in other words")
    if script.era is Era.MODERN and script.capabilities.get("extensions"):
        found.append("extensions, which a handshake does not declare")
    return tuple(found)


def _recorded(script: Script, method: str) -> Part | None:
    for turn in script.of(method):
        for step in turn.steps:
            if isinstance(step, ScriptedResponse) and not step.failed and isinstance(step.answer.value, dict):
                return step.answer
    return None


def without(value: dict[str, Any], *names: str) -> dict[str, Any]:
    """Return an object without some members."""
    return {name: each for name, each in value.items() if name not in names}


def fit_result(part: Part, method: str, recorded: Era | None, asked: Era) -> bytes:
    """Return a result in the form of the client's era; the recorded bytes if it was recorded in that era."""
    result = part.value
    if recorded is asked or recorded is None or not isinstance(result, dict):
        return part.raw
    if asked is Era.LEGACY:
        fitted = without(result, "resultType", "ttlMs", "cacheScope")
        meta = without(peek.mapping(fitted, "_meta"), SERVER_INFO)
        fitted = without(fitted, "_meta") | ({"_meta": meta} if meta else {})
        if not isinstance(fitted.get("structuredContent", {}), dict):
            fitted = without(fitted, "structuredContent")
        return encode(fitted)
    hints = _NO_CACHE if method in newest_of(Era.MODERN).cache_hints else {}
    return encode({"resultType": "complete"} | result | {k: v for k, v in hints.items() if k not in result})


def is_foreign_task(part: Part, recorded: Era | None, asked: Era) -> bool:
    """Return whether a result is a task that the client's era does not support."""
    if recorded is asked or recorded is None:
        return False
    return isinstance(peek.at(part.value, "task"), dict) or peek.text(part.value, "resultType") == "task"


def fit_error(part: Part, method: str, recorded: Era | None, asked: Era) -> bytes:
    """Return an error in the form of the client's era: the code of a missing resource differs."""
    error = part.value
    if recorded is asked or recorded is None or method != "resources/read" or not isinstance(error, dict):
        return part.raw
    swap = {_NOT_FOUND: _INVALID_PARAMS} if asked is Era.MODERN else {_INVALID_PARAMS: _NOT_FOUND}
    code = peek.integer(error, "code")
    return encode(error | {"code": swap[code]}) if code in swap else part.raw


def as_raw(json_: bytes) -> msgspec.Raw:
    """Return JSON that is embedded in a message unchanged."""
    return msgspec.Raw(json_)
