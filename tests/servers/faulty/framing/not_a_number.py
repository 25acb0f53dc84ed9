"""A mean of nothing is NaN, and Python's json writes it: JSON has no such word, strict clients drop the message."""
# expects: inexact-number

import json
from typing import Any

from tests.servers.speaking import TOOL, say, serve


def tools(request: dict[str, Any]) -> None:
    """List them, with a figure that is none."""
    listed = {"tools": [TOOL | {"_meta": {"acme/mean": float("nan")}}]}
    say(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": listed}).encode())


serve({"tools/list": tools})
