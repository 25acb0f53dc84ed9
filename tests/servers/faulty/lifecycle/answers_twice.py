"""A retry inside of the server: each list is answered twice."""
# expects: duplicate-response

from typing import Any

from tests.servers.speaking import TOOL, answer, serve


def tools(request: dict[str, Any]) -> Any:
    """Once by hand, once by the table."""
    answer(request, {"tools": [TOOL]})
    return {"tools": [TOOL]}


serve({"tools/list": tools})
