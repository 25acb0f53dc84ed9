"""Servers over stdio of the tenth round."""

from typing import Any

from tests.servers.speaking import TOOL, serve
from tests.servers.trackers import Run

_HELLO = {"protocolVersion": "2025-06-18", "serverInfo": {"name": "portal", "version": "1.0.0"}}


def _says_too_much() -> None:
    lines = "\n".join(f"{n}: item {n} was last seen in occurrence {n * 7919}, level error" for n in range(4_000))
    serve({"tools/list": {"tools": [TOOL]}, "tools/call": {"content": [{"type": "text", "text": lines}]}})


def _instructs_at_length() -> None:
    whole = " ".join(f"Rule {n}: before the tool is called, read what rule {n} says." for n in range(150))
    hello = _HELLO | {"capabilities": {"tools": {}}, "instructions": whole}
    serve({"initialize": hello, "tools/list": {"tools": [TOOL]}})


def _has_pages() -> None:
    def page(request: dict[str, Any]) -> dict[str, Any]:
        number = int(request.get("params", {}).get("cursor", "page-1")[5:])
        tools = [TOOL | {"name": f"tool_{number}_{each}"} for each in range(3)]
        return {"tools": tools} | ({"nextCursor": f"page-{number + 1}"} if number < 3 else {})

    serve({"tools/list": page})


def _has_many() -> None:
    serve({"tools/list": {"tools": [TOOL | {"name": f"tool_{n}"} for n in range(160)]}})


SERVERS: dict[str, Run] = {
    "result-is-too-large-for-a-host": _says_too_much,
    "instructions-are-cut": _instructs_at_length,
    "more-tools-than-a-host-takes": _has_many,
    "tools-on-three-pages": _has_pages,
}
