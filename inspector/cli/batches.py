"""Several requests as one frame, for a command: an array of `{method, params?}`, and an array of what came."""

from typing import Any

import msgspec

from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import Visit
from inspector.cli.outcome import answered
from inspector.errors import UsageError
from inspector.protocol import peek
from inspector.protocol.jsonrpc import Answer, ErrorAnswer
from inspector.viewmodels.lines import Line, span
from inspector.viewmodels.text import decode

Requests = tuple[tuple[str, Any], ...]


def read_batch(given: Any) -> Requests:
    """The requests in an array. Raises: UsageError for what is none."""
    if not isinstance(given, list) or not given:
        raise UsageError("--batch needs an array with a request in it", hint='Such as [{"method": "ping"}].')
    for place, item in enumerate(given, 1):
        if peek.text(item, "method") is None:
            raise UsageError(f"--batch: item {place} has no method", hint="Wrong ones go out with --raw.")
    return tuple((item["method"], item.get("params")) for item in given)


async def send_batch(visit: Visit, requests: Requests) -> ExitStatus:
    """Send them, write the answers in the order of the requests; an error among them is one.

    Raises: UsageError where the revision has no batches, and what `answered` raises.
    """
    replies = await visit.session.batch(*requests)
    messages = [answered(reply, method).message for reply, (method, _) in zip(replies, requests, strict=True)]
    if visit.output.as_json:
        visit.output.data([_as_json(message) for message in messages])
    else:
        visit.output.lines([_line(method, message) for message, (method, _) in zip(messages, requests, strict=True)])
    failed = any(isinstance(message, ErrorAnswer) for message in messages)
    return ExitStatus.TOOL_ERROR if failed else ExitStatus.OK


def _as_json(message: Answer | ErrorAnswer) -> dict[str, Any]:
    return {
        "result": None if isinstance(message, ErrorAnswer) else msgspec.Raw(message.result_part.raw),
        "error": msgspec.Raw(message.error_part.raw) if isinstance(message, ErrorAnswer) else None,
    }


def _line(method: str, message: Answer | ErrorAnswer) -> Line:
    raw = message.error_part.raw if isinstance(message, ErrorAnswer) else message.result_part.raw
    said = span(decode(raw), "error" if isinstance(message, ErrorAnswer) else "text", limit=None)
    return (span(method, "method"), ("  ", "text"), said)
