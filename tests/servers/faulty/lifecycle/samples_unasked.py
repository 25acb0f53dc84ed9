"""It asks for a completion although the client never offered any: its list of tools hangs on the answer."""
# expects: client-capability-not-declared
# options: --no-capability all

from typing import Any

from tests.servers.speaking import TOOL, say, serve

WORDS = {"role": "user", "content": {"type": "text", "text": "Which tools would you like?"}}


def tools(request: dict[str, Any]) -> Any:
    """Ask first."""
    params = {"messages": [WORDS], "maxTokens": 10}
    say({"jsonrpc": "2.0", "id": "ask-1", "method": "sampling/createMessage", "params": params})
    return {"tools": [TOOL | {"description": "Says what it is given."}]}


serve({"tools/list": tools})
