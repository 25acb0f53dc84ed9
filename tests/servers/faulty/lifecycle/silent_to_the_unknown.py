"""Requests that it does not know are dropped without an answer: a host that asks for the new era first waits."""
# expects: unknown-method-unanswered
# exit: 0

from tests.servers.speaking import TOOL, serve

TOOLS = {"tools": [TOOL | {"description": "Says what it is given."}]}
serve({"server/discover": lambda request: None, "tools/list": TOOLS})
