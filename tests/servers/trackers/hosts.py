"""Entries of host configurations that can't work: placeholders, quotes, unexpanded variables."""

from tests.servers.speaking import TOOL, serve
from tests.servers.trackers import Run


def _good() -> None:
    serve({"tools/list": {"tools": [TOOL | {"description": "Says what it is given."}]}})


SERVERS: dict[str, Run] = {"command-and-arguments-in-one": _good}
