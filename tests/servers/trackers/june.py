"""Servers over stdio of the eleventh round."""

import sys
from typing import Any

from tests.servers.speaking import TOOL, serve
from tests.servers.trackers import Run


def _asks() -> None:
    def call(_: dict[str, Any]) -> None:
        sys.stdout.write("This deletes 3 files. Continue? [y/N] ")
        sys.stdout.flush()
        sys.stdin.buffer.readline()

    serve({"tools/list": {"tools": [TOOL]}, "tools/call": call})


SERVERS: dict[str, Run] = {"asks-before-it-deletes": _asks}
