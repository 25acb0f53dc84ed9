"""Its licence has run out, and it says so: initialize is answered with an error."""
# expects: handshake-rejected
# exit: 4

from typing import Any

from tests.servers.speaking import say, serve


def refuse(request: dict[str, Any]) -> None:
    """Say why."""
    error = {"code": -32603, "message": "licence expired on 2024-01-31"}
    say({"jsonrpc": "2.0", "id": request["id"], "error": error})


serve({"initialize": refuse})
