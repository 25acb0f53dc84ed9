"""The handshake succeeds; tools/list raises an exception that is not caught."""
# expects: exit-during-session
# exit: 4

from typing import Any

from tests.servers.speaking import serve


def tools(request: dict[str, Any]) -> Any:
    """Read what an older version wrote."""
    return {"tools": [{"name": each["title"]} for each in [{"name": "forecast"}]]}


serve({"tools/list": tools})
