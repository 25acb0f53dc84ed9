"""A server that keeps to the specification in every revision: what any check says of it, and is no hint, is false.

    python conforming.py [era=REVISION[,REVISION…]] [offers=WORD,…] [paged] [late=SECONDS] [mute] [loud] [asks]

Over stdio it is this file alone; over HTTP `http` makes a handler of it. `offers` are of tools, resources, prompts,
logging and completions, all of them if nothing is said. `mute` ignores what comes before the handshake, as older
servers may; `loud` writes much to stderr; `asks` pings the client, asks for its roots if it has any,
and logs. Nothing of this project is used for what it says.
"""

import base64
import json
import sys
import time
from collections.abc import Iterator
from typing import Any

LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
WHO = {"name": "conforming", "version": "1.0.0"}
OFFERS = ("tools", "resources", "prompts", "logging", "completions")
META = "io.modelcontextprotocol/"
LISTS = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}
_OWNERS = {
    "tools": "tools",
    "resources": "resources",
    "prompts": "prompts",
    "logging": "logging",
    "completion": "completions",
}
_CHANGES = {
    "tools": {"listChanged": True},
    "prompts": {"listChanged": True},
    "resources": {"listChanged": True, "subscribe": True},
}
_PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c4944415408d76360a8bb0600019a00de1b4fa4010000000049454e44ae426082"
)
_SOUND = bytes.fromhex(
    "524946462600000057415645666d74201000000001000100401f0000803e000002001000646174610200000000000000"
)[:46]
_POINT = {"type": "object", "properties": {"x": {"type": "number", "description": "East."}}, "required": ["x"]}
_RICH = {
    "type": "object",
    "properties": {
        "mode": {"type": "string", "enum": ["short", "long"], "default": "short", "description": "How much."},
        "at": {"$ref": "#/$defs/point", "description": "Where."},
        "count": {"type": "integer", "minimum": 1, "maximum": 10, "description": "How many."},
        "when": {"type": "string", "format": "date-time", "description": "When."},
        "tags": {"type": "array", "items": {"type": "string"}, "description": "What for."},
        "either": {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "Text, or nothing."},
    },
    "$defs": {"point": _POINT},
    "additionalProperties": False,
}
_TEXT = {"type": "string", "description": "What to say."}


class Refused(Exception):
    """A JSON-RPC error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.error = {"code": code, "message": message} | ({} if data is None else {"data": data})


class Conforming:
    """One server; `revisions` are those it speaks, the best first."""

    def __init__(
        self, revisions: tuple[str, ...] = LEGACY[:0:-1], offers: tuple[str, ...] = OFFERS, *, paged: bool = False
    ) -> None:
        self.revisions, self.offers, self.paged = revisions, offers, paged
        self.asks = False
        """Whether it has requests and notifications of its own after a handshake."""
        self._client: dict[str, Any] = {}
        self.revision = ""
        """What a handshake has agreed on; "" before it."""

    @property
    def is_modern(self) -> bool:
        """Whether it knows requests that declare themselves."""
        return MODERN in self.revisions

    def answer(self, message: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """What it sends for a message: notifications, and the response to a request."""
        if message.get("method") == "notifications/initialized" and self.asks:
            yield from self._asked()
        if "id" not in message or "method" not in message:
            return
        try:
            params = message.get("params", {})
            revision = self._declared(message["method"], params)
            if message["method"] == "subscriptions/listen" and revision == MODERN:
                yield acknowledged(message)
                return  # the stream stays open; its response would be its end
            yield from self._told(message["method"], params, revision)
            result = self._result(message["method"], params, revision)
            yield {"jsonrpc": "2.0", "id": message["id"], "result": result}
        except Refused as refused:
            yield {"jsonrpc": "2.0", "id": message["id"], "error": refused.error}

    def _declared(self, method: str, params: Any) -> str:
        meta = params.get("_meta", {})
        declared = meta.get(META + "protocolVersion")
        if method == "initialize" or (declared is None and not self._only_modern()):
            return self.revision or "2025-03-26"
        if declared is None or META + "clientCapabilities" not in meta:
            raise Refused(-32602, "a request declares its protocol version and capabilities in _meta")
        if not self.is_modern and method == "server/discover":
            raise Refused(-32601, "Method not found")
        if declared not in self.revisions:
            data = {"supported": list(self.revisions), "requested": declared}
            raise Refused(-32022, "Unsupported protocol version", data)
        return str(declared)

    def _asked(self) -> Iterator[dict[str, Any]]:
        yield {"jsonrpc": "2.0", "id": "ping-1", "method": "ping"}
        if "roots" in self._client:
            yield {"jsonrpc": "2.0", "id": "roots-1", "method": "roots/list"}
        if "logging" in self.offers:
            said = {"level": "info", "logger": "conforming", "data": "ready"}
            yield {"jsonrpc": "2.0", "method": "notifications/message", "params": said}

    def _only_modern(self) -> bool:
        return self.revisions == (MODERN,)

    def _told(self, method: str, params: Any, revision: str) -> Iterator[dict[str, Any]]:
        token = params.get("_meta", {}).get("progressToken")
        if method == "tools/call" and params.get("name") == "work" and token is not None:
            for done in (1, 2):
                said = {"progressToken": token, "progress": done, "total": 2}
                yield {"jsonrpc": "2.0", "method": "notifications/progress", "params": said}

    def _result(self, method: str, params: Any, revision: str) -> Any:
        if method == "initialize":
            return self._initialized(params)
        modern = revision == MODERN
        if method == "ping" and not modern:
            return {}
        if method == "server/discover" and modern:
            found = {"supportedVersions": list(self.revisions), "capabilities": self.capabilities(revision)}
            return self._whole(found | {"instructions": "Say something."}, cached=True)
        owner = _OWNERS.get(method.partition("/")[0], "")
        if owner not in self.offers:
            raise Refused(-32601, "Method not found")
        if method in LISTS:
            listed = self._listed(LISTS[method], params, revision)
            return self._whole(listed, cached=True) if modern else listed
        did = self._did(method, params, revision)
        return self._whole(did, cached=method == "resources/read") if modern else did

    def _whole(self, result: dict[str, Any], *, cached: bool) -> dict[str, Any]:
        hints = {"ttlMs": 60_000, "cacheScope": "public"} if cached else {}
        return {"resultType": "complete", **hints, "_meta": {META + "serverInfo": WHO}, **result}

    def _initialized(self, params: Any) -> Any:
        known = [each for each in self.revisions if each != MODERN]
        if not known:
            data = {"supported": list(self.revisions), "requested": params.get("protocolVersion")}
            raise Refused(-32022, "Unsupported protocol version", data)
        wanted = params.get("protocolVersion")
        self._client = params.get("capabilities", {})
        self.revision = wanted if wanted in known else known[0]
        return {
            "protocolVersion": self.revision,
            "capabilities": self.capabilities(self.revision),
            "serverInfo": WHO,
            "instructions": "Say something.",
        }

    def capabilities(self, revision: str) -> dict[str, Any]:
        """What it declares."""
        found: dict[str, Any] = {each: dict(_CHANGES.get(each, {})) for each in self.offers}
        if revision == "2024-11-05":
            found.pop("completions", None)
        return found

    def _listed(self, kind: str, params: Any, revision: str) -> Any:
        items = self._items(kind, revision)
        if not self.paged or kind != "tools":
            if params.get("cursor") is not None:
                raise Refused(-32602, "Invalid cursor")
            return {kind: items}
        cursor = params.get("cursor", "page-0")
        pages = {f"page-{at}": [item] for at, item in enumerate(items)}
        if cursor not in pages:
            raise Refused(-32602, "Invalid cursor")
        following = f"page-{int(cursor.removeprefix('page-')) + 1}"
        return {kind: pages[cursor]} | ({"nextCursor": following} if following in pages else {})

    def _items(self, kind: str, revision: str) -> list[dict[str, Any]]:
        if kind == "tools":
            return list(_tools(revision))
        if kind == "resources":
            return [{"uri": "note:///one", "name": "one", "description": "The first note.", "mimeType": "text/plain"}]
        if kind == "resourceTemplates":
            return [{"uriTemplate": "note:///{name}", "name": "note", "description": "A note by its name."}]
        argument = {"name": "what", "description": "What to greet.", "required": True}
        return [{"name": "greet", "description": "Greets somebody.", "arguments": [argument]}]

    def _did(self, method: str, params: Any, revision: str) -> Any:
        if method == "tools/call":
            return _called(params, revision, embeds="resources" in self.offers)
        if method == "resources/read":
            if params.get("uri") != "note:///one":
                code = -32602 if revision == MODERN else -32002
                raise Refused(code, "Resource not found", {"uri": params.get("uri")})
            return {"contents": [{"uri": "note:///one", "mimeType": "text/plain", "text": "one"}]}
        if method == "prompts/get":
            if params.get("name") != "greet" or "what" not in params.get("arguments", {}):
                raise Refused(-32602, "Invalid params")
            return {"messages": [{"role": "user", "content": {"type": "text", "text": "Hello"}}]}
        if method == "completion/complete":
            return {"completion": {"values": ["one"], "total": 1, "hasMore": False}}
        if method in ("logging/setLevel", "resources/subscribe", "resources/unsubscribe") and revision != MODERN:
            return {}
        raise Refused(-32601, "Method not found")


def acknowledged(message: dict[str, Any]) -> dict[str, Any]:
    """The first message of a stream of changes: it grants what was asked for."""
    wanted = {name: value for name, value in message["params"].get("notifications", {}).items() if value}
    params = {"_meta": {META + "subscriptionId": message["id"]}, "notifications": wanted}
    return {"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": params}


def changed(message: dict[str, Any]) -> list[dict[str, Any]]:
    """A notification of each list that a stream of changes was asked for."""
    names = {"toolsListChanged": "tools", "promptsListChanged": "prompts", "resourcesListChanged": "resources"}
    meta = {"_meta": {META + "subscriptionId": message["id"]}}
    granted = acknowledged(message)["params"]["notifications"]
    kinds = [kind for name, kind in names.items() if granted.get(name)]
    return [{"jsonrpc": "2.0", "method": f"notifications/{kind}/list_changed", "params": meta} for kind in kinds]


def _tools(revision: str) -> Iterator[dict[str, Any]]:
    schema = {"type": "object", "properties": {"text": _TEXT}, "required": ["text"]}
    say: dict[str, Any] = {"name": "say", "description": "Says a text.", "inputSchema": schema}
    if revision >= "2025-06-18":
        told = {"type": "object", "properties": {"said": {"type": "string"}}, "required": ["said"]}
        say |= {"title": "Say", "outputSchema": told}
    if revision >= "2025-03-26":
        say["annotations"] = {"readOnlyHint": True}
    yield say
    yield {"name": "work", "description": "Works for a while.", "inputSchema": {"type": "object", "properties": {}}}
    yield {"name": "show", "description": "Shows every kind of content.", "inputSchema": _RICH}


def _contents(revision: str) -> Iterator[dict[str, Any]]:
    yield {"type": "text", "text": "a picture:"}
    yield {"type": "image", "data": base64.b64encode(_PICTURE).decode(), "mimeType": "image/png"}
    yield {"type": "resource", "resource": {"uri": "note:///one", "mimeType": "text/plain", "text": "one"}}
    if revision >= "2025-03-26":
        yield {"type": "audio", "data": base64.b64encode(_SOUND).decode(), "mimeType": "audio/wav"}
    if revision >= "2025-06-18":
        yield {"type": "resource_link", "uri": "note:///one", "name": "one", "mimeType": "text/plain"}


def _called(params: Any, revision: str, *, embeds: bool) -> Any:
    name, arguments = params.get("name"), params.get("arguments", {})
    if name == "work":
        return {"content": [{"type": "text", "text": "done"}]}
    if name == "show":
        return {"content": [each for each in _contents(revision) if embeds or each["type"] != "resource"]}
    if name != "say":
        raise Refused(-32602, f"Unknown tool: {name}")
    if not isinstance(arguments.get("text"), str):
        return {"content": [{"type": "text", "text": "text is required"}], "isError": True}
    said = {"said": arguments["text"]}
    content = [{"type": "text", "text": json.dumps(said)}]
    return {"content": content} | ({"structuredContent": said} if revision >= "2025-06-18" else {})


def main(words: list[str]) -> None:
    """Over stdio."""
    given = dict(word.partition("=")[::2] for word in words)
    era = tuple(given["era"].split(",")) if "era" in given else (MODERN, *LEGACY[::-1])
    offers = tuple(filter(None, given["offers"].split(","))) if "offers" in given else OFFERS
    time.sleep(float(given.get("late", 0)))
    server = Conforming(era, offers, paged="paged" in given)
    server.asks = "asks" in given
    if "loud" in given:
        for at in range(20_000):
            sys.stderr.write(f"2026-01-01 12:00:00 DEBUG conforming: step {at} of many, all harmless, error=0\n")
        sys.stderr.flush()
    for line in sys.stdin:
        message = json.loads(line)
        if "mute" in given and not server.revision and message.get("method") != "initialize":
            continue
        for response in server.answer(message):
            sys.stdout.write(json.dumps(response) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
