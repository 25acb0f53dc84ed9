"""On Windows the tool's description has a dash that is one byte, 0x97: no UTF-8, and strict clients drop the list."""
# expects: stdout-encoding

import json
from typing import Any

from tests.servers.speaking import TOOL, say, serve


def tools(request: dict[str, Any]) -> None:
    """List them as the system encodes text."""
    listed = {"tools": [TOOL | {"description": "Weather — now"}]}
    answer = {"jsonrpc": "2.0", "id": request["id"], "result": listed}
    say(json.dumps(answer, ensure_ascii=False).encode("cp1252"))


serve({"tools/list": tools})
