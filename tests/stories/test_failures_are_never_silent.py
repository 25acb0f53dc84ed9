"""A command whose request failed says so: no exit status 0, and never “No findings”.

Each server has one fault. It is met by the commands that need what fails. Each has to end with another status than 0,
and to say why in words that are in the table.
"""

import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from inspector.transports.http.listener import HangUp, HttpRequest, HttpResponse, Listener
from tests.cli.running import Ran, inspect, scripted
from tests.servers.faulty.http._healthy import TOOL, legacy
from tests.servers.faulty.verdicts import hosted
from tests.servers.http_fixtures import JSON, Handler, json_answer, pieces, stream
from tests.servers.streams import HELLO, Peculiar, answer_to

_TOOLS = {"result": {"tools": [TOOL]}}
_RESOURCES = {"result": {"resources": [{"uri": "file:///a", "name": "a"}]}}
_DONE = {"result": {"content": [{"type": "text", "text": "done"}]}}
_HEALTHY = {"tools/list": _TOOLS, "resources/list": _RESOURCES, "tools/call": _DONE}
_NO_LINE = {"raw": "Listing the tools…"}
_CALL, _LISTS, _CHECKS = ("call work",), ("list all", "info"), ("check", "doctor")
_EXAMINED = {
    *("stdio tools refused", "stdio tools never", "stdio tools and dying", "stdio tools and no second page"),
    *("stdio resources refused", "stdio call refused", "stdio call failing", "stdio call and dying"),
    *("stdio initialize refused", "stdio initialize never", "http tools 401", "http tools 429", "http tools cut"),
    *("http initialize 401", "http initialize 503", "http call 500", "http call cut"),
}
"""With these `doctor` runs, too: it fails where `check` does, and sends many more requests."""
_ALL = (*_CALL, *_LISTS, *_CHECKS, "list tools")


@dataclass(frozen=True)
class Broken:
    """A server with one fault, and what cannot do its work with it."""

    name: str
    says: str
    """A pattern that has to be in what the command writes."""
    commands: tuple[str, ...]
    script: dict[str, Any] | None = None
    """By method, over stdio."""
    serve: Handler | None = None
    """Over HTTP."""
    options: tuple[str, ...] = ()
    checked: tuple[str, ...] = ()
    """Options of `check` and `doctor` alone."""

    def __str__(self) -> str:
        return self.name.replace(" ", "-")


def _error(code: int, message: str = "the disk is full") -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}


def _listing(name: str, says: str, tools_list: Any, **more: Any) -> Broken:
    """Its tools can't be listed. A tool can be called without its list."""
    return Broken(f"stdio tools {name}", says, (*_LISTS, *_CHECKS, "list tools"), {"tools/list": tools_list}, **more)


def _beside(name: str, says: str, resources_list: Any, **more: Any) -> Broken:
    """Its tools are fine, and the resources can't be listed."""
    commands = (*_LISTS, *_CHECKS, "list resources")
    return Broken(f"stdio resources {name}", says, commands, {"resources/list": resources_list}, **more)


def _calling(name: str, says: str, tools_call: Any, **more: Any) -> Broken:
    script = {"tools/call": tools_call}
    return Broken(f"stdio call {name}", says, (*_CALL, *_CHECKS), script, checked=("--call", "work"), **more)


def _opening(name: str, says: str, initialize: Any, **more: Any) -> Broken:
    return Broken(f"stdio initialize {name}", says, _ALL, {"initialize": initialize}, **more)


def _http(
    name: str, says: str, commands: tuple[str, ...], options: tuple[str, ...] = (), **peculiar: Peculiar
) -> Broken:
    checked = ("--call", "work") if "tools_call" in peculiar else ()
    return Broken(f"http {name}", says, commands, serve=legacy(**peculiar), options=options, checked=checked)


def _is(status: int, body: bytes = b"", *headers: tuple[str, str]) -> Peculiar:
    return lambda request: HttpResponse(status, headers, body)


def _cut(request: HttpRequest) -> HttpResponse:
    return HttpResponse(200, (*JSON, ("Transfer-Encoding", "chunked")), pieces((b'{"jsonrpc":"2.0","id', HangUp())))


_SHORT = ("--timeout", "5")
_HTML = ("Content-Type", "text/html")
_LISTING = (*_LISTS, *_CHECKS, "list tools")
SERVERS = (
    _listing("refused", "-32603.*the disk is full", _error(-32603)),
    _listing("unknown", "-32601|not implemented|tools/list", _error(-32601)),
    _listing("wanting a capability", "-32021", _error(-32021)),
    _listing("wanting a version", "-32022|version", _error(-32022)),
    _listing("with an error that is a string", "tools/list", {"error": "no"}),
    _listing("never", "no response to tools/list|was not answered", "silence", options=_SHORT),
    _listing("as a line of text", "tools/list", _NO_LINE, options=_SHORT),
    _listing("and dying", "tools/list.*code 7|exited", "death"),
    _listing("as an empty object", "no array 'tools'|tools is missing", {"result": {}}),
    _listing("as an object", "no array 'tools'|tools", {"result": {"tools": {"a": TOOL}}}),
    _listing("as null", "no array 'tools'|result", {"result": None}),
    _listing("as a string", "no array 'tools'|result", {"result": "[]"}),
    _listing("without an end", "cursor", {"result": {"tools": [TOOL], "nextCursor": "p2"}}),
    _listing("with a numeric cursor", "nextCursor", {"result": {"tools": [TOOL], "nextCursor": 2}}),
    _listing(
        "and no second page", "the disk is full", [{"result": {"tools": [TOOL], "nextCursor": "2"}}, _error(-32603)]
    ),
    _listing(
        "too deep",
        "tools/list|deep",
        {"raw": '{"jsonrpc":"2.0","id":$ID,"result":' + '{"a":' * 5000 + "1" + "}" * 5001},
    ),
    _beside("refused", "-32603.*the disk is full", _error(-32603)),
    _beside("unknown", "resources/list", _error(-32601)),
    _beside("never", "resources/list", "silence", options=_SHORT),
    _beside("as an empty object", "resources", {"result": {}}),
    _beside("without an end", "cursor", {"result": {"resources": [{"uri": "a:b", "name": "b"}], "nextCursor": "p2"}}),
    _calling("refused", "the disk is full", _error(-32603)),
    _calling(
        "failing",
        "no such city|isError",
        {"result": {"content": [{"type": "text", "text": "no such city"}], "isError": True}},
    ),
    _calling("never", "tools/call", "silence", options=_SHORT),
    _calling("and dying", "tools/call", "death"),
    _calling("without content", "content is missing", {"result": {}}),
    _calling("with content that is null", "content is of type null", {"result": {"content": None}}),
    _calling("as null", "null", {"result": None}),
    _calling("of an unknown kind", "resultType", {"result": {"content": [], "resultType": "later"}}),
    _opening("refused", "the disk is full", _error(-32603)),
    _opening("never", "initialize", "silence", options=_SHORT),
    _opening("and dying", "code 7", "death"),
    _opening("as an empty object", "protocolVersion", {"result": {}}),
    _opening("as null", "initialize|protocolVersion", {"result": None}),
    *(
        _http(
            f"tools {status}", f"tools/list.*{status}|{status}.*tools/list", _LISTING, tools_list=_is(status, b"busy")
        )
        for status in (400, 401, 403, 404, 413, 429, 500, 502, 503)
    ),
    _http(
        "tools 429 with an error",
        "Too many requests",
        _LISTING,
        tools_list=lambda request: json_answer(_too_many(request), 429),
    ),
    _http("tools 202", "tools/list", _LISTING, _SHORT, tools_list=_is(202)),
    _http("tools empty", "tools/list", _LISTING, tools_list=_is(200, b"", *JSON)),
    _http(
        "tools a web page", "tools/list|web page", _LISTING, tools_list=_is(200, b"<html><title>Sign in</title>", _HTML)
    ),
    _http("tools a stream that ends", "tools/list", _LISTING, tools_list=lambda request: stream(b": bye\n\n")),
    _http("tools cut", "tools/list|middle", _LISTING, tools_list=_cut),
    *(
        _http(f"initialize {status}", str(status), _ALL, initialize=_is(status, b"busy"))
        for status in (400, 401, 403, 404, 429, 500, 503)
    ),
    _http(
        "everything 401 without OAuth",
        "authentication required",
        _ALL,
        ("--no-oauth",),
        initialize=_is(401),
        server_discover=_is(401, b"", ("WWW-Authenticate", "Bearer")),
    ),
    *(
        _http(
            f"call {status}",
            f"tools/call.*{status}|{status}.*tools/call",
            (*_CALL, *_CHECKS),
            tools_call=_is(status, b"busy"),
        )
        for status in (401, 403, 404, 429, 500, 504)
    ),
    _http("call empty", "tools/call", (*_CALL, *_CHECKS), tools_call=_is(200, b"", *JSON)),
    _http("call cut", "tools/call|middle", (*_CALL, *_CHECKS), tools_call=_cut),
)


def _too_many(request: HttpRequest) -> bytes:
    error = b'"error": {"code": -32000, "message": "Too many requests"}'
    return answer_to(request, None).replace(b'"result": null', error)


@contextmanager
def _target(server: Broken) -> Iterator[tuple[str, ...]]:
    """The words that name it to a command."""
    if server.serve is not None:
        with hosted(Listener(server.serve)) as listener:
            yield (f"{listener.url}/mcp",)
        return
    capabilities: dict[str, Any] = {"tools": {}, "resources": {}}
    yield scripted(
        _HEALTHY | {"resources/templates/list": {"result": {"resourceTemplates": []}}} | (server.script or {}),
        capabilities=capabilities,
    )


def _silent(server: Broken, command: str, ran: Ran) -> list[str]:
    """What is wrong with how a command failed."""
    said = ran.stdout + ran.stderr
    told = (
        (ran.status not in (0, 70, 130), f"the exit status is {ran.status}"),
        ("no findings" not in said.lower(), "it says that nothing was found"),
        (re.search(server.says, said, re.DOTALL), f"it does not say {server.says!r}"),
    )
    return [f"{server}, {command}: {why}: {said[-600:]}" for holds, why in told if not holds]


@pytest.mark.parametrize("server", SERVERS, ids=str)
def test_no_command_succeeds_whose_request_failed(server: Broken) -> None:
    found: list[str] = []
    for command in server.commands:
        word, *rest = command.split()
        if word == "doctor" and server.name not in _EXAMINED:
            continue
        checked = server.checked if word in ("check", "doctor") else ()
        with _target(server) as target:
            found += _silent(server, command, inspect(word, *rest, *checked, *server.options, *target))
    assert not found, "\n".join(found)


def test_doctor_runs_with_servers_of_the_table() -> None:
    assert {server.name for server in SERVERS if "doctor" in server.commands} > _EXAMINED


def test_the_same_commands_succeed_where_nothing_fails() -> None:
    commands = [each for each in _ALL if each != "doctor"]  # it has reason to complain of so plain a server
    with _target(Broken("healthy", "", ())) as target:
        assert {command: inspect(*command.split(), *target).status for command in commands} == dict.fromkeys(
            commands, 0
        )


def test_a_list_that_fails_does_not_hide_the_others() -> None:
    quota = _is(429, b"quota exceeded", ("Retry-After", "30"))
    hello = HELLO | {"capabilities": {"tools": {}, "resources": {}}}
    peculiar: dict[str, Peculiar] = {
        "initialize": lambda request: json_answer(answer_to(request, hello)),
        "tools_list": quota,
        "resources_list": lambda request: json_answer(answer_to(request, _RESOURCES["result"])),
        "resources_templates_list": lambda request: json_answer(answer_to(request, {"resourceTemplates": []})),
    }
    with hosted(Listener(legacy(**peculiar))) as listener:
        url = f"{listener.url}/mcp"
        lists, text, info = (
            inspect("list", "all", "--json", url),
            inspect("list", "all", url),
            inspect("info", "--json", url),
        )
        checked = inspect("check", "--json", url)
    assert (lists.status, text.status, info.status, checked.status) == (4, 4, 4, 4)
    assert [each["uri"] for each in lists.data["resources"]] == ["file:///a"]
    assert "429" in lists.data["lists"]["tools"]["failed"]
    assert "tools: could not be fetched" in text.stdout
    assert "file:///a" in text.stdout
    assert (info.data["counts"]["tools"], info.data["counts"]["resources"]) == (None, 1)
    assert "429" in info.data["failed"]["tools"]
    first = checked.data["primary"]
    assert (first["id"], first["severity"]) == ("rate-limited", "error")
    assert (
        first["sentence"]
        == "tools/list was answered with HTTP 429, too many requests: quota exceeded; Retry-After: 30 s"
    )


_ASKS_SERVICE = """
import http.client, http.server, json, sys

def service():
    there = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
    there.request("GET", "/")
    return there.getresponse().read().decode()

def answer(request):
    info = {"protocolVersion": "2025-11-25", "serverInfo": {"name": "a", "version": "1"}, "capabilities": {"tools": {}}}
    results = {"initialize": lambda: info, "tools/list": lambda: {"tools": []}, "tools/call": service}
    found = {"error": {"code": -32601, "message": "no"}}
    if request["method"] in results:
        found = {"result": results[request["method"]]()}
    return json.dumps({"jsonrpc": "2.0", "id": request.get("id"), **found})

class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = answer(request).encode() if "id" in request else b""
        self.send_response(200 if body else 202)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

if sys.argv[2] == "first":
    service()
if sys.argv[2] == "http":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
for line in sys.stdin:
    if "id" in json.loads(line):
        print(answer(json.loads(line)), flush=True)
"""
_only_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells of connections")


@_only_linux
@pytest.mark.parametrize(("when", "command"), [("later", ("call", "a")), ("first", ("check",))])
def test_a_server_that_waits_for_a_silent_service_gets_its_address_as_the_cause(when: str, command: tuple[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as service:
        address = f"127.0.0.1:{service.getsockname()[1]}"
        target = ("--", sys.executable, "-c", _ASKS_SERVICE, address.partition(":")[2], when)
        ran = inspect(*command, "--json", "--timeout", "5", *target)
    cause = ran.data["primary"] if when == "first" else _diagnosis(ran)
    assert f"{address} has sent nothing to python" in cause["sentence"]


@_only_linux
def test_a_server_on_http_of_this_machine_that_waits_for_a_silent_service_gets_its_address_as_the_cause() -> None:
    with socket.create_server(("127.0.0.1", 0)) as service:
        address = f"127.0.0.1:{service.getsockname()[1]}"
        argv = [sys.executable, "-c", _ASKS_SERVICE, address.partition(":")[2], "http"]
        with subprocess.Popen(argv, stdout=subprocess.PIPE) as server:  # noqa: TID251 - not started by us
            assert server.stdout is not None
            url = f"http://127.0.0.1:{int(server.stdout.readline())}/"
            ran = inspect("call", "a", "--json", "--timeout", "5", url)
            server.kill()
    assert re.search(rf"{address} has sent nothing to python\S* \(pid {server.pid}\)", _diagnosis(ran)["sentence"])


def _diagnosis(ran: Ran) -> Any:
    return json.loads(ran.stderr.splitlines()[-1])["error"]["diagnosis"][0]
