"""`mcp-inspect listen` and `subscribe`: print change notifications until Ctrl+C.

Each notification is printed to stdout immediately, as one line of JSON or text. Requested but not granted
subscriptions, and interrupted and restored streams are reported on stderr.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import click
import msgspec

from inspector import text
from inspector.capture.format.records import Entry
from inspector.cli.command_line import lasting
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, answered, visit
from inspector.cli.help import documented
from inspector.cli.options import headless_options, headless_settings
from inspector.cli.output import Output
from inspector.errors import Disconnected, UsageError
from inspector.present.items import filter_words
from inspector.present.spans import span
from inspector.protocol import peek
from inspector.protocol.events import Event, Notified
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import ErrorResponse, Notification
from inspector.protocol.listed_items import LISTS
from inspector.protocol.tracking.subscriptions import LISTEN, SUBSCRIBE, UPDATED, StreamFilter
from inspector.session.subscriptions import Outcome

F = TypeVar("F", bound=Callable[..., Any])

_LISTS = ("tools", "prompts", "resources")

_LISTEN_EXAMPLES = (
    "mcp-inspect listen https://example.com/mcp",
    "mcp-inspect listen --tools --uri file:///notes.md --count 1 --json -- node server.js",
)

_SUBSCRIBE_EXAMPLES = (
    "mcp-inspect subscribe file:///log.txt -- node server.js",
    "mcp-inspect subscribe file:///a.md file:///b.md --for 60 https://example.com/mcp",
)


class ListenLimits(msgspec.Struct, frozen=True):
    """Limits on how long to listen; None for no limit."""

    count: int | None = None
    """Number of notifications."""
    seconds: float | None = None


class _Change(msgspec.Struct, frozen=True):
    entry: Entry
    message: Notification


def changes_options(command: F) -> F:
    """Add the options that limit how long to listen."""
    seconds, count = lasting, click.IntRange(1)
    command = click.option("--for", "seconds", type=seconds, metavar="S", help="Stop after this many seconds.")(command)
    return click.option("--count", type=count, metavar="N", help="Stop after this many notifications.")(command)


async def print_changes(visit: CommandSession, wanted: StreamFilter, enough: ListenLimits) -> ExitStatus:
    """Subscribe, and print notifications until a limit is reached.

    Raises: UsageError if the server supports none of the subscriptions; what `answered` raises; Disconnected.
    """
    _check(visit, wanted)
    changes: asyncio.Queue[_Change | None] = asyncio.Queue()
    methods = _methods(wanted)

    def hear(entry: Entry, found: Sequence[Event]) -> None:
        for event in found:
            if isinstance(event, Notified) and event.direction is Direction.FROM_SERVER:
                if event.message.method in methods:
                    changes.put_nowait(_Change(entry, event.message))

    def report(what: str) -> None:
        visit.output.warn(what)
        changes.put_nowait(None)  # wake the reader: this may be the end

    visit.session.watching.tell = report
    stop = visit.session.journal.listen(hear)
    try:
        if (status := await _begin(visit, wanted)) is not ExitStatus.OK:
            return status
        return await _until_enough(visit, changes, enough)
    finally:
        stop()


def _methods(wanted: StreamFilter) -> frozenset[str]:
    kinds = [kind for kind in _LISTS if getattr(wanted, kind)]
    return frozenset({*(LISTS[kind].changed for kind in kinds), *([UPDATED] if wanted.uris else [])})


def _check(visit: CommandSession, wanted: StreamFilter) -> None:
    """Raise UsageError if the server supports none of the subscriptions; warn about the unsupported ones."""
    watching = visit.session.watching
    offered = watching.offered()
    lacking = [f"the list of {kind}" for kind in _LISTS if getattr(wanted, kind) and not getattr(offered, kind)]
    if wanted.uris and not watching.offers_resources:
        lacking.append("single resources")
    if not lacking:
        return
    message = f"the server does not declare change notifications for {', '.join(lacking)}"
    some = any(getattr(wanted, kind) and getattr(offered, kind) for kind in _LISTS)
    if not some and not (wanted.uris and watching.offers_resources):
        method = LISTEN if watching.by_stream else SUBSCRIBE
        raise UsageError(message, hint=f"To request it anyway: mcp-inspect request {method} --params …")
    visit.output.warn(message)


async def _begin(visit: CommandSession, wanted: StreamFilter) -> ExitStatus:
    watching = visit.session.watching
    outcome = Outcome(wanted)
    if watching.by_stream:
        outcome = await watching.listen(wanted)
    elif wanted.uris:
        outcome = await watching.watch(*wanted.uris)
    if outcome.refused:
        return _refused(visit.output, outcome, LISTEN if watching.by_stream else SUBSCRIBE)
    if not outcome.acknowledged:
        visit.output.warn("the server has not acknowledged the subscription yet")
        return ExitStatus.OK
    if outcome.not_granted:
        visit.output.warn(f"the server did not grant: {filter_words(outcome.not_granted)}")
        if not outcome.granted:
            return visit.output.report("not_granted", "the server granted nothing of it", "", ExitStatus.TOOL_ERROR)
    visit.output.narrate(f"subscribed to {filter_words(wanted if not watching.by_stream else outcome.granted)}")
    return ExitStatus.OK


def _refused(output: Output, outcome: Outcome, method: str) -> ExitStatus:
    """Report a rejected subscription. Raises: what `answered` raises without a response."""
    error: Any = None
    if outcome.reply is not None:
        message = answered(outcome.reply, method).message
        error = message.error if isinstance(message, ErrorResponse) else None
    more = {} if error is None else {"jsonrpc_error": error}
    return output.report("server_error", f"{method}: {outcome.refused}", "", ExitStatus.TOOL_ERROR, more)


async def _until_enough(
    visit: CommandSession, changes: asyncio.Queue[_Change | None], enough: ListenLimits
) -> ExitStatus:
    """Print notifications until a limit is reached. Raises: Disconnected."""
    written, session = 0, visit.session
    with suppress(TimeoutError):
        async with asyncio.timeout(enough.seconds), asyncio.TaskGroup() as tasks:
            waking = tasks.create_task(_wake_at_the_end(visit, changes))
            while enough.count is None or written < enough.count:
                change = await changes.get()
                if change is not None:
                    written += 1
                    _write(visit, change)
                elif session.ended.is_set() or session.watching.is_over:
                    break
            waking.cancel()
    if session.ended.is_set():
        raise Disconnected(f"the connection ended: {session.why or 'the server left'}", hint="Run it again.")
    return _verdict(visit, written, enough)


async def _wake_at_the_end(visit: CommandSession, changes: asyncio.Queue[_Change | None]) -> None:
    await visit.session.ended.wait()
    changes.put_nowait(None)


def _verdict(visit: CommandSession, written: int, enough: ListenLimits) -> ExitStatus:
    if enough.count is None or written >= enough.count:
        return ExitStatus.OK
    message = f"received {written} of {enough.count} notifications"
    if visit.session.watching.is_over:
        return visit.output.report("ended", f"{message} before the server ended it", "", ExitStatus.UNREACHABLE)
    hint = "Give it longer with --for."
    return visit.output.report("timeout", f"{message} within {enough.seconds:g} s", hint, ExitStatus.TIMEOUT)


def _write(visit: CommandSession, change: _Change) -> None:
    message, entry = change.message, change.entry
    if visit.output.as_json:
        params = msgspec.Raw(message.params_part.raw) if message.params_part.raw else None
        members = {"method": message.method, "params": params, "time": _iso(entry.wall_ns), "entry": entry.n}
        visit.output.data(members)
        return
    uri = peek.text(message.params, "uri") or ""
    what = [span(message.method.removeprefix("notifications/"), "method"), span(f" {uri}" if uri else "", "target")]
    visit.output.lines([((f"{text.clock(entry.wall_ns)}  ", "faint"), *what)])


def _iso(wall_ns: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(wall_ns / 1e9, UTC).isoformat(timespec="milliseconds")


@documented("listen", _LISTEN_EXAMPLES, "one object per line: `method`, `params` as received, `time`, `entry`")
@click.option("--tools", is_flag=True, help="Print changes of the tool list.")
@click.option("--prompts", is_flag=True, help="Print changes of the prompt list.")
@click.option("--resources", is_flag=True, help="Print changes of the resource and template lists.")
@click.option("--uri", "uris", multiple=True, metavar="URI", help="Subscribe to a resource; repeatable.")
@changes_options
@headless_options
@click.pass_obj
def listen_command(env: CliEnv, /, url: str | None, **options: Any) -> ExitStatus:
    """Print list and resource change notifications, one per line.

    Without options: for every list that the server declares with listChanged.
    """
    tools, prompts, resources = (options.pop(name) for name in ("tools", "prompts", "resources"))
    wanted = StreamFilter(tools, prompts, resources, tuple(dict.fromkeys(options.pop("uris"))))
    enough = ListenLimits(options.pop("count"), options.pop("seconds"))

    async def work(visit: CommandSession) -> ExitStatus:
        every = wanted or visit.session.watching.offered()
        if not every:
            raise UsageError(
                "the server does not declare listChanged for any list", hint="Subscribe to a resource with --uri."
            )
        return await print_changes(visit, every, enough)

    return visit(env, url, options, work)


@documented("subscribe", _SUBSCRIBE_EXAMPLES, "one object per line: `method`, `params` as received, `time`, `entry`")
@click.argument("words", nargs=-1, required=True, metavar="URI… [URL | -- COMMAND]")
@changes_options
@headless_settings
@click.pass_obj
def subscribe_command(env: CliEnv, /, words: tuple[str, ...], **options: Any) -> ExitStatus:
    """Subscribe to resources and print updates, one per line.

    Without a command after --, the last argument is the server's URL.
    """
    uris, url = (words, None) if env.server_argv is not None else (words[:-1], words[-1])
    if not uris:
        raise UsageError("no resource named", hint="mcp-inspect subscribe URI… https://example.com/mcp")
    enough = ListenLimits(options.pop("count"), options.pop("seconds"))

    async def work(visit: CommandSession) -> ExitStatus:
        return await print_changes(visit, StreamFilter(uris=tuple(dict.fromkeys(uris))), enough)

    return visit(env, url, options, work)
