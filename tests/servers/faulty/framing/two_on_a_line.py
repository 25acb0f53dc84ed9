"""A notification and an answer are written without a newline between them: strict clients lose both."""
# expects: newline-missing
# exit: 7
# options: --timeout 2.5

import json
from typing import Any

from tests.servers.speaking import say, serve

NOTE = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"listing"}}'


def tools(request: dict[str, Any]) -> None:
    """Tell, and answer, in one breath."""
    say(NOTE + json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": {"tools": []}}).encode())


serve({"tools/list": tools})
