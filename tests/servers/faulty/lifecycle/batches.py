"""Its library joins answers to batches, in a revision that has none any more."""
# expects: batch-unsupported

import json
from typing import Any

from tests.servers.speaking import TOOL, say, serve


def tools(request: dict[str, Any]) -> None:
    """Answer, in an array."""
    say(json.dumps([{"jsonrpc": "2.0", "id": request["id"], "result": {"tools": [TOOL]}}]).encode())


serve({"tools/list": tools})
