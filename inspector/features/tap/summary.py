"""Summary of a running tap for a list, from its capture and its control socket."""

import time
from pathlib import Path
from typing import Any

from inspector.capture.journal import Journal
from inspector.capture.messages import messages_at
from inspector.capture.store.load import Loading
from inspector.errors import InspectError
from inspector.features.tap.client import TapClient
from inspector.protocol import peek
from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import Request


def summary(tap: dict[str, Any]) -> dict[str, Any]:
    """Return a tap's entry with `messages`, `errors`, `oldest_pending_s` (or None), `held`, `rules`, `trouble`."""
    found = tap | {"messages": 0, "errors": 0, "oldest_pending_s": None, "held": 0, "rules": 0}
    try:
        found |= _of_capture(Path(tap["capture"]))
    except InspectError as error:
        found["trouble"] = tap.get("trouble") or str(error)
    found["client"] = found.pop("client_name", "") or tap.get("client") or "unknown client"
    try:
        client = TapClient(tap["socket"])
    except InspectError as error:
        return found | {"trouble": str(error)}
    held, rules = client.greeting.get("held", []), client.greeting.get("rules", [])
    client.close()
    trouble = client.greeting.get("trouble") or "; ".join(client.greeting.get("problems", []))
    return found | {"held": len(held), "rules": len(rules), "trouble": trouble or found["trouble"]}


def client_meta(journal: Journal) -> dict[str, Any]:
    """Return the `_meta` members that protocol version 2026-07-28 requires, as last sent by the client; {} for none."""
    for n in range(journal.count, 0, -1):
        if journal.store.direction(n) is not Direction.TO_SERVER:
            continue
        message = next(iter(messages_at(journal, n)), None)
        if isinstance(message, Request):
            meta = peek.mapping(message.params, "_meta")
            return {name: value for name, value in meta.items() if name.startswith("io.modelcontextprotocol/")}
    return {}


def _of_capture(path: Path) -> dict[str, Any]:
    loading = Loading(path)
    try:
        while loading.step():
            pass
        store, conversation = loading.journal.store, loading.journal.conversation
        exchanges = conversation.exchanges
        pending = [each for each in exchanges if each.state is ExchangeState.PENDING]
        failed = [each for each in exchanges if each.state is ExchangeState.ERROR or each.tool_error]
        opening = conversation.opening
        oldest = min((each.started_ns for each in pending), default=None)
        return {
            "messages": sum(store.direction(n) is not None for n in range(1, loading.journal.count + 1)),
            "errors": len(failed),
            "oldest_pending_s": None if oldest is None else (time.monotonic_ns() - oldest) / 1e9,
            "client_name": peek.text(opening.client, "name") or "" if opening is not None else "",
        }
    finally:
        loading.journal.close()
