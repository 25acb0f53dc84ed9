"""Peculiar and allowed servers over HTTP: clients broke on them, or others reported them. They must not be accused."""

import itertools
import json
from typing import Any

from inspector.transports.http.listener import HttpRequest, HttpResponse, Pairs
from tests.servers.faulty.http._healthy import TOOL, legacy
from tests.servers.http_fixtures import STREAM, Handler, stream
from tests.servers.streams import HELLO, answer_to
from tests.servers.trackers import Run

_GITHUB = "https://github.com/"
_IDS = itertools.count()


def _events(*parts: bytes, end: bytes = b"\n\n", before: bytes = b"") -> Any:
    def made(request: HttpRequest) -> HttpResponse:
        return stream(before, *parts, b"data:" + answer_to(request, {"tools": [TOOL]}) + end)

    return made


def _crlf(request: HttpRequest) -> HttpResponse:
    return stream(
        b": welcome\r\n\r\n",
        b"event:message\r\nid:%d\r\nretry: 3000\r\ndata:" % next(_IDS)
        + answer_to(request, {"tools": [TOOL]})
        + b"\r\n\r\n",
    )


def _in_lines(request: HttpRequest) -> HttpResponse:
    lines = json.dumps(json.loads(answer_to(request, {"tools": [TOOL]})), indent=1).split("\n")
    return stream(b"".join(b"data: " + line.encode() + b"\n" for line in lines) + b"\n")


def _with_type(kind: str) -> Run:
    headers: Pairs = (("content-type", kind),)
    return lambda: legacy(tools_list=lambda request: HttpResponse(200, headers, answer_to(request, {"tools": [TOOL]})))


def _hello_as_a_stream() -> Handler:
    def hello(request: HttpRequest) -> HttpResponse:
        return HttpResponse(200, STREAM, b"event: message\ndata: " + answer_to(request, HELLO) + b"\n\n")

    return legacy(initialize=hello)


SERVERS: dict[str, Run] = {
    "empty-event-keeps-alive": lambda: legacy(tools_list=_events(before=b"data: \n\n")),
    "events-with-crlf": lambda: legacy(tools_list=_crlf),
    "message-over-several-data-lines": lambda: legacy(tools_list=_in_lines),
    "type-with-a-charset": _with_type("Application/JSON;Charset=UTF-8"),
    "initialize-as-a-stream": _hello_as_a_stream,
}
