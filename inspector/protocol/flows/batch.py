"""How several requests are sent as one frame, in the one revision whose clients may (2025-03-26, basic: batching).

Arrays are read in every revision; they are sent only where the revision says so, and only when somebody asks for it.
`initialize` is never part of one.
"""

from collections.abc import Sequence
from typing import Any

from inspector.errors import UsageError
from inspector.protocol.flows.steps import Flow, Reply, Send, SendBatch
from inspector.protocol.revisions._shape import Revision
from inspector.protocol.revisions.table import ROWS


def batch(requests: Sequence[tuple[str, Any]], *, revision: Revision) -> Flow[tuple[Reply, ...]]:
    """Send requests (method and params each) as one frame; what came of each, in their order.

    Raises: UsageError where the revision has no batches, or where there is nothing that may be sent as one.
    """
    if not revision.batches:
        dates = ", ".join(row.date for row in ROWS if row.batches)
        raise UsageError(f"{revision.date} has no batches", hint=f"Connect with --revision {dates} to send one.")
    if not requests or any(method == "initialize" for method, _ in requests):
        raise UsageError("a batch needs at least one request, and initialize is none that may be in it")
    replies: tuple[Reply, ...] = yield SendBatch(tuple(Send(m, params, revision=revision) for m, params in requests))
    return replies
