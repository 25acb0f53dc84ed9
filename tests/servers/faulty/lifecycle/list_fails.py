"""The list of tools is answered with an internal error."""
# expects: list-failed

from typing import Any

from tests.servers.speaking import say, serve


def tools(request: dict[str, Any]) -> None:
    """What a framework makes of an exception."""
    error = {"code": -32603, "message": "Internal error: 'NoneType' object is not iterable"}
    say({"jsonrpc": "2.0", "id": request["id"], "error": error})


serve({"tools/list": tools})
