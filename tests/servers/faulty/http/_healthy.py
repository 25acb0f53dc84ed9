"""Servers without a fault, of each era: what a faulty one gives is one peculiar answer to a method or a verb."""

from typing import Any

from tests.servers import streams
from tests.servers.http_fixtures import Handler, json_answer
from tests.servers.streams import Peculiar, answer_to

TOOL = {"name": "work", "description": "Does the work.", "inputSchema": {"type": "object"}}
WHOLE: dict[str, Any] = {
    "resultType": "complete",
    "ttlMs": 0,
    "cacheScope": "public",
    "_meta": {"io.modelcontextprotocol/serverInfo": streams.WHO},
}


def legacy(**peculiar: Peculiar) -> Handler:
    """Of the handshake era; `tools_list` names what it does to tools/list, `GET` is its standalone stream."""
    return streams.legacy({"tools": [TOOL]}, **peculiar)


def modern(**peculiar: Peculiar) -> Handler:
    """Of the stateless era."""
    discovered = {name: value for name, value in streams.DISCOVERED.items() if name != "serverInfo"}
    known: dict[str, Peculiar] = {
        "server_discover": lambda request: json_answer(answer_to(request, WHOLE | discovered))
    }
    return streams.modern(WHOLE | {"tools": [TOOL]}, **(known | peculiar))
