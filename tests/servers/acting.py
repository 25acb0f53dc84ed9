"""Puts five hundred texts that act on a terminal into every place of the protocol that holds text.

Over stdio as `python -m tests.servers.acting`; with the word "http" over HTTP, where they are in headers as well: it
then writes its port to stdout.
"""

import json
import sys
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from typing import Any

from tests.servers.acts import COUNT, texts

_texts = cycle(texts())


def t() -> str:
    """The next text."""
    return next(_texts)


def about(**more: Any) -> dict[str, Any]:
    """A thing with a title, a description and icons."""
    icons = [{"src": t(), "mimeType": t(), "sizes": [t()]}]
    return {"title": t(), "description": f"{t()}\n{t()}", "icons": icons, "_meta": {t(): t()}, **more}


def schema() -> dict[str, Any]:
    """Fields of each kind, all of whose words act."""
    field = {"type": "string", "title": t(), "description": t(), "default": t(), "examples": [t()], "pattern": t()}
    choice = {"title": t(), "enum": [t(), t()], "enumNames": [t(), t()], "default": t()}
    one_of = {"title": t(), "oneOf": [{"const": t(), "title": t()}, {"type": "object", "properties": {t(): field}}]}
    odd = {"type": t(), "format": t(), "description": t(), "$ref": f"#/{t()}"}
    flags = {"type": "array", "title": t(), "items": {"anyOf": [{"const": t(), "title": t()}]}}
    properties = {t(): field, t(): choice, t(): one_of, t(): odd, t(): flags, "same": {"type": "boolean", "title": t()}}
    return {"type": "object", "title": t(), "description": t(), "properties": properties, "required": [t()]}


def form() -> dict[str, Any]:
    """What an elicitation may ask."""
    asked = {"type": "string", "title": t(), "description": t(), "default": t(), "enum": [t(), t()], "enumNames": [t()]}
    words = {"type": "string", "title": t(), "description": t(), "default": t(), "format": t()}
    return {"type": "object", "properties": {t(): asked, t(): words}, "required": [t()]}


def blocks() -> list[dict[str, Any]]:
    """Content of every type."""
    return [
        {"type": "text", "text": f"{t()}\n{t()}\n\t{t()}", "annotations": {"audience": [t()], "lastModified": t()}},
        {"type": "text", "text": json.dumps({t(): [t(), {t(): t()}]})},
        {"type": "text", "text": f"# {t()}\n\n* {t()}\n\n[{t()}](javascript:{t()})\n\n```{t()}\n{t()}\n```"},
        {"type": "image", "data": t(), "mimeType": t()},
        {"type": "audio", "data": t(), "mimeType": f"audio/{t()}"},
        {"type": "resource_link", "uri": t(), "name": t(), **about(mimeType=t())},
        {"type": "resource", "resource": {"uri": t(), "mimeType": t(), "text": f"{t()}\n{t()}"}},
        {"type": t(), t(): t()},
    ]


def notice(method: str, **params: Any) -> dict[str, Any]:
    """A notification."""
    return {"jsonrpc": "2.0", "method": method, "params": params}


def asked(method: str, **params: Any) -> dict[str, Any]:
    """A request of the server's, by an id that acts."""
    return {"jsonrpc": "2.0", "id": t(), "method": method, "params": params}


def beside(request: dict[str, Any]) -> Iterator[Any]:
    """What a call says before it is answered: logs, progress, questions, news of tasks, and what is no message."""
    token = request["params"].get("_meta", {}).get("progressToken")
    for level in ("debug", "warning", "emergency", t()):
        yield notice("notifications/message", level=level, logger=t(), data=t())
    yield notice("notifications/message", level="error", logger=t(), data={t(): [t()]})
    yield notice("notifications/progress", progressToken=token, progress=1, total=2, message=t())
    yield notice("notifications/progress", progressToken=t(), progress=t(), message=t())
    task = {"taskId": t(), "status": "working", "statusMessage": t(), "createdAt": t(), "lastUpdatedAt": t()}
    yield notice("notifications/tasks/status", **task)
    yield notice("notifications/cancelled", requestId=t(), reason=t())
    yield notice("notifications/resources/updated", uri=t())
    yield notice(f"notifications/{t()}", **{t(): t()})
    yield asked(t(), **{t(): t()})
    yield asked("elicitation/create", mode="form", message=f"{t()}\n{t()}", requestedSchema=form())
    yield asked("elicitation/create", mode="url", message=t(), url=f"https://{t()}/", elicitationId=t())
    yield asked("sampling/createMessage", **sampling())
    yield f"no JSON: {t()}"
    yield {"jsonrpc": "2.0", "id": t(), "error": {"code": t(), "message": t(), "data": {t(): t()}}}


def sampling() -> dict[str, Any]:
    """What a model is to be asked."""
    said = [{"role": role, "content": {"type": "text", "text": t()}} for role in ("user", "assistant", t())]
    wishes = {"hints": [{"name": t()}]}
    return {"messages": said, "systemPrompt": t(), "modelPreferences": wishes, "maxTokens": 5, "stopSequences": [t()]}


def tools() -> dict[str, Any]:
    """Four with names of their own, and many whose names act."""
    names = ("plain", "fails", "refuses", "late", *(t() for _ in range(26)))
    hints = {"readOnlyHint": True, "destructiveHint": t()}
    return {
        "tools": [
            {
                **about(name=name, annotations={"title": t(), **hints}, execution={"taskSupport": "optional"}),
                "inputSchema": schema(),
                "outputSchema": {"type": "object", "properties": {t(): {"type": "integer"}}, "required": [t()]},
            }
            for name in names
        ],
        "nextCursor": 5,
    }


def result(request: dict[str, Any]) -> dict[str, Any]:
    """What a call gives."""
    failed = request["params"].get("name") == "fails"
    return {"content": blocks(), "structuredContent": {t(): t()}, "isError": failed, t(): t(), "_meta": {t(): t()}}


def hello(request: dict[str, Any]) -> dict[str, Any]:
    """How it introduces itself."""
    able = {"tools": {"listChanged": True}, "resources": {"subscribe": True}, "prompts": {}, "logging": {}}
    tasks: dict[str, Any] = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
    more = {"completions": {}, "experimental": {t(): {t(): t()}}, "extensions": {t(): {t(): t()}}, "tasks": tasks}
    return {
        "protocolVersion": request["params"]["protocolVersion"],
        "serverInfo": about(name=t(), version=t(), websiteUrl=t()),
        "capabilities": able | more,
        "instructions": "\n".join(t() for _ in range(12)),
    }


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The answer to any request."""
    listed = range(12)
    arguments = [{"name": t(), "description": t(), "required": True}, {"name": t(), "title": t()}]
    results: dict[str, Callable[[], dict[str, Any]]] = {
        "initialize": lambda: hello(request),
        "ping": dict,
        "tools/list": tools,
        "tools/call": lambda: result(request),
        "resources/list": lambda: {"resources": [about(uri=t(), name=t(), mimeType=t(), size=t()) for _ in listed]},
        "resources/templates/list": lambda: {"resourceTemplates": [about(uriTemplate=t(), name=t()) for _ in listed]},
        "resources/read": lambda: {"contents": [{"uri": t(), "mimeType": t(), "text": t()}, {"uri": t(), "blob": t()}]},
        "resources/subscribe": dict,
        "prompts/list": lambda: {"prompts": [about(name=n, arguments=arguments) for n in ("p", *map(str, (t(), t())))]},
        "prompts/get": lambda: {"description": t(), "messages": [{"role": t(), "content": each} for each in blocks()]},
        "completion/complete": lambda: {"completion": {"values": [t() for _ in listed], "hasMore": t()}},
        "logging/setLevel": dict,
        "tasks/list": lambda: {"tasks": [{"taskId": t(), "status": t(), "statusMessage": t()} for _ in listed]},
    }
    found = results.get(request["method"])
    if found is None or request["params"].get("name") == "refuses":
        return {"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32000, "message": t(), "data": {t(): t()}}}
    return {"jsonrpc": "2.0", "id": request["id"], "result": found()}


def encoded(what: Any) -> bytes:
    """JSON with everything in it that JSON lets stand there raw; a text as it is, whatever that may be."""
    if isinstance(what, str):
        return what.replace("\n", " ").replace("\r", " ").encode("utf-8", "surrogatepass")
    try:
        return json.dumps(what, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(what).encode()


def said(request: dict[str, Any]) -> Iterator[bytes]:
    """All that follows a request."""
    if request["method"] == "tools/call":
        yield from map(encoded, beside(request))
    if request["method"] != "server/discover":
        yield encoded(answer(request))
    else:
        yield encoded({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32601, "message": t(), "data": t()}})


def write_stderr(count: int = 20) -> None:
    """Write lines to stderr."""
    for _ in range(count):
        sys.stderr.buffer.write(f"{t()}\n".encode("utf-8", "surrogatepass"))
    sys.stderr.buffer.flush()


def speak() -> None:
    """Over stdio, until stdin ends."""
    write_stderr(COUNT)
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if "id" in request and "method" in request:
            write_stderr()
            for message in said({"params": {}, **request}):
                sys.stdout.buffer.write(message + b"\n")
            sys.stdout.buffer.flush()


class Web(BaseHTTPRequestHandler):
    """Over HTTP: a stream of events for calls, JSON for the rest; no two heads are the same."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer one message."""
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "id" not in request or "method" not in request:
            self.reply(202, "text/plain", b"")
            return
        messages = list(said({"params": {}, **request}))
        if len(messages) == 1:
            self.reply(200, "application/json", messages[0])
            return
        events = (f"event: {one_line()}\nid: {one_line()}\n: {one_line()}\n".encode() for _ in messages)
        body = b"".join(head + b"data: " + each + b"\n\n" for head, each in zip(events, messages, strict=True))
        self.reply(200, "text/event-stream", body)

    def do_GET(self) -> None:
        """There is nothing to be had."""
        self.reply(405, f"text/{one_line()}", encoded(t()))

    def do_DELETE(self) -> None:
        """There is no session."""
        self.do_GET()

    def reply(self, status: int, kind: str, body: bytes) -> None:
        """Send a head full of texts, and a body."""
        head = [f"HTTP/1.1 {status} {one_line()}", f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
        head += [f"X-{number}: {one_line()}" for number in range(20)]
        head += [f"Mcp-Session-Id: x{status}", f"WWW-Authenticate: Bearer realm={one_line()}"]
        self.wfile.write("\r\n".join([*head, "", ""]).encode("utf-8", "surrogatepass") + body)

    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Be quiet."""


def one_line() -> str:
    """The next text, without what would end a line of HTTP or may not stand there at all."""
    found = t().encode("utf-8", "replace").decode()
    return "".join(char for char in found if char not in "\r\n\0\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029").strip()


def listen() -> None:
    """Over HTTP, for as long as somebody lets it run."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Web) as server:
        print(server.server_address[1], flush=True)
        server.serve_forever()


if __name__ == "__main__":
    (listen if sys.argv[1:] == ["http"] else speak)()
