"""`mcp-inspect request`: send any request or notification, a batch, or raw bytes."""

from pathlib import Path
from typing import Any, TextIO

import click
import msgspec

from inspector.cli.arguments import read_whole
from inspector.cli.command_line import duration
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, answered, visit
from inspector.cli.help import documented
from inspector.cli.options import headless_options
from inspector.cli.requests import CliRequest, make
from inspector.errors import AuthorizationNeeded, Disconnected, RequestFailed, RequestTimeout, UsageError
from inspector.present.spans import Line, span
from inspector.protocol import jsonrpc, peek
from inspector.protocol.drafts import oddities
from inspector.protocol.frames import Frame
from inspector.protocol.headers import headers_for
from inspector.protocol.jsonrpc import ErrorResponse, ResultResponse
from inspector.session.raw import Ended, RawSent
from inspector.text import counted, decode, human_size

_EXAMPLES = (
    "mcp-inspect request resources/templates/list --json -- node server.js",
    """mcp-inspect request acme/do --params '{"x": [1]}' https://example.com/mcp""",
    """mcp-inspect request --raw '{"jsonrpc": "1.0", "id": 1' -- node server.js""",
    """mcp-inspect request --batch '[{"method": "ping"}]' -- node server.js""",
)


Requests = tuple[tuple[str, Any], ...]


@documented(
    "request",
    _EXAMPLES,
    "`result` or `error` as received, `duration_ms`, `rounds`, `outcome`; with --raw: `sent`, "
    "`received`, `unanswered`, `status`, `ended`, `body`",
)
@click.argument("method", required=False)
@click.option("--params", metavar="JSON|@FILE|-", help="Set params, any JSON; - reads stdin.")
@click.option("--notification", "--notify", is_flag=True, help="Send a notification; no response is expected.")
@click.option("--raw", metavar="TEXT|@FILE|-", help="Send exactly these bytes; over stdio, one message per line.")
@click.option("--wait", type=duration, default=5.0, metavar="S", help="With --raw: wait this long for responses (5).")
@click.option("--no-mcp-headers", is_flag=True, help="With --raw: omit MCP's HTTP headers.")
@click.option("--batch", metavar="JSON|@FILE|-", help="Send an array of {method, params} as one batch.")
@headless_options
@click.pass_obj
def command(
    env: CliEnv,
    /,
    method: str | None,
    params: str | None,
    notification: bool,
    raw: str | None,
    wait: float,
    no_mcp_headers: bool,
    batch: str | None,
    url: str | None,
    **options: Any,
) -> ExitStatus:
    """Send any request, notification or raw bytes.

    Exit status with --raw: 0 if a response arrived or none was due, 5 if it contains an error, 7 on timeout, 4 if the
    connection was lost.
    """
    if raw is not None or batch is not None:
        method, url = _only_a_target(env, method, url)
        _refuse_both(params, notification, raw, batch)
    elif method is None:
        raise UsageError("no method named", hint="Usage: mcp-inspect request METHOD, or --raw TEXT.")
    given = read_whole(params, env.stdin, "--params")
    if raw is not None:
        payload = read_bytes(raw, env.stdin)
        return visit(env, url, options, lambda visit: send_raw(visit, payload, wait, mcp_headers=not no_mcp_headers))
    if batch is not None:
        requests = read_batch(read_whole(batch, env.stdin, "--batch"))
        return visit(env, url, options, lambda visit: send_batch(visit, requests))

    async def work(visit: CommandSession) -> ExitStatus:
        assert method is not None, "it was looked at above"
        if notification:
            return await _notify(visit, method, given)
        return await make(visit, CliRequest(method, given, target="", plain=True))

    return visit(env, url, options, work)


def _only_a_target(env: CliEnv, method: str | None, url: str | None) -> tuple[None, str | None]:
    """Interpret the only argument as the target's URL, because raw bytes need no method."""
    if method is not None and (url is not None or env.server_argv is not None):
        raise UsageError(
            f"method {method!r} conflicts with --raw and --batch", hint="Remove the method: the message contains it."
        )
    return None, url or method


def _refuse_both(params: str | None, notification: bool, raw: str | None, batch: str | None) -> None:
    given = {"--params": params is not None, "--notification": notification, "--batch": batch is not None}
    wrong = [name for name, there in given.items() if there and (raw is not None or name != "--batch")]
    if wrong:
        raise UsageError(f"{wrong[0]} conflicts with {'--raw' if raw is not None else '--batch'}")


async def _notify(visit: CommandSession, method: str, params: Any) -> ExitStatus:
    problem = await visit.session.notify(method, params)
    if problem:
        raise RequestFailed(f"{method} could not be sent: {problem}")
    if visit.output.as_json:
        visit.output.data({"result": None, "error": None, "duration_ms": None, "rounds": 0})
    else:
        visit.output.narrate(f"{method} was sent")
    return ExitStatus.OK


def read_bytes(given: str, stdin: TextIO) -> bytes:
    """Return the bytes of an option's value: text, `@FILE`, or `-` for stdin. Raises: UsageError."""
    if given == "-":
        buffer = getattr(stdin, "buffer", None)
        return buffer.read() if buffer is not None else stdin.read().encode("utf-8", "surrogateescape")
    if not given.startswith("@"):
        return given.encode("utf-8", "surrogateescape")
    try:
        return Path(given[1:]).read_bytes()
    except OSError as error:
        raise UsageError(f"--raw {given}: the file can't be read: {error.strerror}") from None


async def send_raw(visit: CommandSession, payload: bytes, wait_s: float, *, mcp_headers: bool) -> ExitStatus:
    """Send the bytes and print the responses.

    `mcp_headers`: whether to add the HTTP headers of the protocol version. Raises: AuthorizationNeeded,
    Disconnected, RequestFailed, RequestTimeout, for a request without a response.
    """
    for oddity in oddities(payload):
        visit.output.narrate(oddity)
    sent = await visit.session.raw.send(payload, headers=_headers(visit, payload) if mcp_headers else {}, wait_s=wait_s)
    received = _payloads(visit, sent)
    if visit.output.as_json:
        visit.output.data(_as_json(sent, received))
    else:
        visit.output.lines([(span(decode(payload), limit=None),) for payload in received] or [_body(sent)])
    return _judge(visit, sent, received)


def _headers(visit: CommandSession, payload: bytes) -> dict[str, str]:
    revision = visit.session.revision
    assert revision is not None, "a visit is open"
    first = jsonrpc.read(payload)[0]
    if isinstance(first, jsonrpc.Request | jsonrpc.Notification):
        return headers_for(revision, first.method, first.params)
    return {}


def _payloads(visit: CommandSession, sent: RawSent) -> list[bytes]:
    entries = (visit.session.journal.store.entry(number).what for number in sent.received)
    return [entry.payload for entry in entries if isinstance(entry, Frame)]


def _as_json(sent: RawSent, received: list[bytes]) -> dict[str, Any]:
    return {
        "ended": sent.ended,
        "sent": len(sent.frames),
        "unanswered": sent.unanswered,
        "status": sent.status,
        "received": [_exact(payload) for payload in received],
        "body": decode(sent.body) if sent.body else None,
    }


def _exact(payload: bytes) -> Any:
    """Return a frame unchanged if it is JSON, otherwise its text."""
    return msgspec.Raw(payload) if peek.is_json(payload) else decode(payload)


def _body(sent: RawSent) -> Line:
    message = f"HTTP {sent.status}" if sent.status else "no response"
    return ((message, "muted"), *((("  ", "text"), span(decode(sent.body))) if sent.body else ()))


def _judge(visit: CommandSession, sent: RawSent, received: list[bytes]) -> ExitStatus:
    """Return TOOL_ERROR if one of the responses is an error. Raises an error for a missing response."""
    size = human_size(sum(map(len, received)))
    match sent.ended:
        case Ended.LOST:
            raise Disconnected(f"no response: {sent.why}", hint=sent.hint)
        case Ended.REFUSED if sent.status in (401, 403):
            raise AuthorizationNeeded(f"HTTP {sent.status}", hint="Add credentials.")
        case Ended.REFUSED if not received:
            raise RequestFailed(f"no response: HTTP {sent.status}; {decode(sent.body[:200])}".rstrip("; "))
        case Ended.SILENT if sent.unanswered:
            raise RequestTimeout(f"timeout: no response within {sent.seconds:g} s", hint="Increase it with --wait.")
        case _:
            visit.output.narrate(f"{sent.ended}: received {counted(len(received), 'frame')}, {size}")
    answers = (message for payload in received for message in jsonrpc.read(payload))
    failed = any(isinstance(answer, jsonrpc.ErrorResponse) for answer in answers)
    return ExitStatus.TOOL_ERROR if failed else ExitStatus.OK


def read_batch(given: Any) -> Requests:
    """Return the requests in an array. Raises: UsageError for an invalid one."""
    if not isinstance(given, list) or not given:
        raise UsageError("--batch needs an array with a request in it", hint='Such as [{"method": "ping"}].')
    for place, item in enumerate(given, 1):
        if peek.text(item, "method") is None:
            raise UsageError(f"--batch: item {place} has no method", hint="Wrong ones go out with --raw.")
    return tuple((item["method"], item.get("params")) for item in given)


async def send_batch(visit: CommandSession, requests: Requests) -> ExitStatus:
    """Send the requests and print the responses in request order.

    Raises: UsageError if the protocol version has no batches, and what `answered` raises.
    """
    replies = await visit.session.batch(*requests)
    messages = [answered(reply, method).message for reply, (method, _) in zip(replies, requests, strict=True)]
    if visit.output.as_json:
        visit.output.data([_batches_as_json(message) for message in messages])
    else:
        visit.output.lines([_line(method, message) for message, (method, _) in zip(messages, requests, strict=True)])
    failed = any(isinstance(message, ErrorResponse) for message in messages)
    return ExitStatus.TOOL_ERROR if failed else ExitStatus.OK


def _batches_as_json(message: ResultResponse | ErrorResponse) -> dict[str, Any]:
    return {
        "result": None if isinstance(message, ErrorResponse) else msgspec.Raw(message.result_part.raw),
        "error": msgspec.Raw(message.error_part.raw) if isinstance(message, ErrorResponse) else None,
    }


def _line(method: str, message: ResultResponse | ErrorResponse) -> Line:
    raw = message.error_part.raw if isinstance(message, ErrorResponse) else message.result_part.raw
    part = span(decode(raw), "error" if isinstance(message, ErrorResponse) else "text", limit=None)
    return (span(method, "method"), ("  ", "text"), part)
