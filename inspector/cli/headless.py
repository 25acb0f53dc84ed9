"""Runs a command without the interface: connect, do one thing, disconnect. The loop runs on the main thread.

The server is always stopped at the end: after the work, on Ctrl+C (pending requests are cancelled first), on SIGTERM
or SIGHUP, or when stdout is closed.
"""

import gc
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, assert_never

import msgspec
from msgspec.structs import replace

from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus, code_of, status_of
from inspector.cli.output import Output
from inspector.cli.process import leaving_no_child
from inspector.cli.targets import choose, head_start
from inspector.config.targets import Target
from inspector.errors import (
    AuthorizationNeeded,
    Disconnected,
    InspectError,
    RequestCancelled,
    RequestFailed,
    RequestTimeout,
)
from inspector.present.spans import section_lines
from inspector.protocol.events import Event, Garbled
from inspector.protocol.flows.steps import Broken, GivenUp, Refused, Replied, Reply, Silent
from inspector.protocol.frames import Channel, Frame
from inspector.protocol.jsonrpc import ErrorResponse
from inspector.protocol.revisions.openings import Opening
from inspector.session.options import Settings
from inspector.text import excerpt_of
from inspector.transports.children import abandon

if TYPE_CHECKING:
    from inspector.capture.format.records import Entry
    from inspector.capture.journal import Journal
    from inspector.session.session import Session

_LINES = 20
"""Maximum number of stderr lines of a running server."""

_CUT = "The server may have executed it. --retry-calls repeats such a call with a new id."


def print_failure(
    output: Output, error: InspectError, journal: "Journal", *, judged_elsewhere: bool = False
) -> ExitStatus:
    """Print evidence and diagnosis to stderr, then the failure; return its exit status.

    For a server that exited, all facts are printed; for a running one its last stderr lines. `judged_elsewhere`: the
    command prints its findings itself. A diagnosis equal to the failure is printed once, with the failure's hint.
    """
    from inspector.cli.reports import finding_as_json  # slow to import, only needed on failure
    from inspector.present.failure_report import diagnosis_lines, diagnosis_of, includes_message, repeats_message

    more = _show_post_mortem(output, journal)
    _tell_proxy(output, journal)
    if journal.notices:
        more |= {"notices": list(journal.notices)}
    found = diagnosis_of(journal)
    if found is None:
        return output.failure(error, more)
    follows = (finding_as_json(each, found.reason.id) for each in found.follows)
    more |= {"diagnosis": [finding_as_json(found.reason), *follows]}
    if not repeats_message(found, str(error)):
        if not judged_elsewhere:
            output.narrate_lines(diagnosis_lines(found))
            if includes_message(found, str(error)) and not error.hint and not output.as_json:
                return status_of(error)
        hint, shown = _without_hint(error, found.reason.fix)
        return output.report(code_of(error), str(error), hint, status_of(error), more | shown)
    if judged_elsewhere and not output.as_json:
        return output.report(code_of(error), "no session was opened", "", status_of(error), more)
    return output.report(code_of(error), str(error), error.hint or found.reason.fix, status_of(error), more)


def _tell_proxy(output: Output, journal: "Journal") -> None:
    """Name the forward proxy of unencrypted requests: what it says itself looks like a response of the server."""
    from httpx import URL  # slow to import, only needed on failure

    from inspector.transports.http.client import proxy_of

    url = journal.connection.url if journal.connection is not None else ""
    is_answered = any(each.response is not None for each in journal.http_exchanges.values())
    if is_answered and url.startswith("http:") and (proxy := proxy_of(URL(url), trust_env=True)):
        output.narrate(
            f"requests go through the proxy {proxy}, which the environment names: it may have answered itself"
        )


def _without_hint(error: InspectError, fix: str) -> tuple[str, dict[str, Any]]:
    """Return the hint of a failure below its diagnosis: a timeout has no other advice than the cause that was found."""
    return ("", {"hint": fix}) if isinstance(error, RequestTimeout) else (error.hint, {})


def _show_post_mortem(output: Output, journal: "Journal") -> dict[str, Any]:
    from inspector.present.failure_report import as_data, has_failure, post_mortem
    from inspector.present.server import stderr_section

    if has_failure(journal):
        for section in post_mortem(journal).sections:
            output.narrate_lines(section_lines(section))
        return {"post_mortem": as_data(journal)}
    if not journal.stderr_tail:
        return {}
    output.narrate_lines(section_lines(stderr_section(journal, _LINES)))
    return {"stderr": [line.decode("utf-8", "replace") for line in list(journal.stderr_tail)[-_LINES:]]}


def _no_other() -> "Session":
    raise AssertionError("only `visit` can open another session")


class CommandSession(msgspec.Struct, frozen=True):
    """An open session with the command's output."""

    session: "Session"
    opening: Opening
    output: Output
    target: Target
    reopen: "Callable[[], Session]" = _no_other
    """Returns a new session with the same target and journal, not connected yet."""


Work = Callable[[CommandSession], Awaitable[ExitStatus]]


async def _leave(session: "Session") -> None:
    """Do nothing: the default of `unopened`."""


def visit(
    env: CliEnv,
    url: str | None,
    options: dict[str, Any],
    work: Work,
    at_last: "Callable[[Journal, ExitStatus | None], None]" = lambda journal, status: None,
    unopened: "Callable[[Session], Awaitable[None]]" = _leave,
    *,
    judges: bool = False,
) -> ExitStatus:
    """Connect to the target of the options, do the work, disconnect; return the exit status.

    `at_last`: called at the end with the journal and the exit status so far, even without a connection. The status
    is None if something other than a failure ended the command, such as Ctrl+C. `unopened`: called with a session
    that did not open. `judges`: findings are printed by `at_last`, not with a failure; stored eras are ignored, so
    that verdicts are reproducible.
    """
    output = Output(env, as_json=options["as_json"], quiet=options["quiet"])
    chosen = choose(env, url, options)
    with leaving_no_child(), ExitStack() as undo:
        started = head_start(chosen)
        if started is not None:
            undo.callback(abandon, started)
        import asyncio  # like the other imports below, while the server starts

        from inspector.cli.launch import close_capture, export_live, keep_names, named_journal, settings_for

        journal = named_journal(chosen)
        export_live(journal, chosen, env.environ)
        warned: list[str] = []
        text = _TextOnStdout(journal)
        gc.freeze()  # exclude imported modules from collections
        gc.enable()  # `__main__` disabled it during imports
        status: ExitStatus | None = None
        try:
            settings = replace(settings_for(chosen, env, afresh=judges), started=started)
            status = asyncio.run(_visit(chosen.target, settings, undo, journal, output, work, unopened, warned))
            text.warn(output, quiet=judges)
        except InspectError as error:
            _print_notices(output, journal, warned)  # before the failure, which --json prints as stderr's last line
            status = print_failure(output, error, journal, judged_elsewhere=judges)
        finally:
            try:
                keep_names(chosen.target, journal, env.environ)
                at_last(journal, status)
                _print_notices(output, journal, warned)
            finally:
                ended = close_capture(output, journal, ExitStatus.INTERRUPTED if status is None else status)
    return ended


class _TextOnStdout:
    """Lines on stdout that are neither messages nor blank."""

    def __init__(self, journal: "Journal") -> None:
        self._count, self._first = 0, ""
        journal.listen(self._take, in_runs=False)

    def _take(self, entry: "Entry", events: "Sequence[Event]") -> None:
        what = entry.what
        if isinstance(what, Frame) and what.channel is Channel.STDOUT and what.payload.strip():
            self._count += sum(isinstance(event, Garbled) for event in events)
            self._first = self._first or (excerpt_of(what.payload) if self._count else "")

    def warn(self, output: Output, *, quiet: bool) -> None:
        """Print how many there were, and the first, unless quiet: a command prints the finding."""
        if self._count and not quiet:
            lines = "1 line that is" if self._count == 1 else f"{self._count:,} lines that are"
            output.warn(f"stdout had {lines} not JSON-RPC: {self._first}; mcp-inspect check shows more")


def _print_notices(output: Output, journal: "Journal", warned: list[str]) -> None:
    """Print each of the journal's notices once as a warning; `warned`: those already printed."""
    if journal.recorder is not None:
        journal.recorder.file.flush()  # errors of the disk are known now
    for notice in journal.notices:
        if notice not in warned:
            warned.append(notice)
            output.warn(notice)


async def _visit(
    target: Target,
    settings: Settings,
    undo: ExitStack,
    journal: "Journal",
    output: Output,
    work: Work,
    unopened: "Callable[[Session], Awaitable[None]]",
    warned: list[str],
) -> ExitStatus:
    from inspector.cli.waiting import waits_shown
    from inspector.session.open import open_session

    session = open_session(target, journal, settings)
    undo.pop_all()  # the session ends the server
    with waits_shown(journal, output) as notice:
        async with session:
            try:
                settled = await session.connect()
            except InspectError:
                await unopened(session)
                raise
            else:
                opening = session.opening or settled  # that on the wire includes the declared client capabilities
                _introduce(output, opening, settled.warnings)
                _print_notices(output, journal, warned)
                again = replace(settings, started=None)
                return await work(
                    CommandSession(session, opening, output, target, lambda: open_session(target, journal, again))
                )
            finally:
                notice.stopping()


def _introduce(output: Output, opening: Opening, warnings: Sequence[str]) -> None:
    name, version = opening.server.get("name", "a server without a name"), opening.server.get("version", "")
    output.narrate(f"connected to {name} {version}, {opening.revision.named}".replace(" ,", ","))
    for warning in warnings:
        output.warn(warning)


def report_error(output: Output, method: str, error: ErrorResponse) -> ExitStatus:
    """Report a JSON-RPC error response. Return TOOL_ERROR."""
    message = f"{method} failed with JSON-RPC error {error.code}: {error.message}"
    return output.report("server_error", message, "", ExitStatus.TOOL_ERROR, {"jsonrpc_error": error.error})


def answered(reply: Reply, method: str) -> Replied:
    """Return the reply if it is a response, including an error response.

    Raises: AuthorizationNeeded, Disconnected, RequestCancelled, RequestFailed, RequestTimeout.
    """
    if isinstance(reply, Replied):
        return reply
    raise _failure(reply, method)


def _failure(reply: Silent | Refused | Broken | GivenUp, method: str) -> InspectError:
    match reply:
        case Silent():
            return _silence(reply, method)
        case Refused(status=401 | 403):
            why = "authentication required" if reply.status == 401 else "access denied"
            return AuthorizationNeeded(
                f"{why}: HTTP {reply.status} for {method}",
                hint="Add credentials, for example -H 'Authorization: Bearer …'.",
            )
        case Refused():
            status = f"HTTP {reply.status}" if reply.status else "" if reply.why else "no response"
            message = excerpt_of(reply.body)
            why = "; ".join(filter(None, (status, reply.why, message)))
            return RequestFailed(f"no response to {method}: {why}", hint=_CUT if reply.begun else "")
        case Broken(no_entry=True):
            return AuthorizationNeeded(f"no response to {method}: {reply.why}", hint=reply.hint)
        case Broken():
            return Disconnected(f"no response to {method}: {reply.why}", hint=reply.hint)
        case GivenUp():
            return RequestCancelled(f"{method} was cancelled")
        case _:
            assert_never(reply)


def _silence(reply: Silent, method: str) -> RequestTimeout:
    if reply.clock == "total":
        return RequestTimeout(
            f"timeout: no response to {method} within {reply.seconds:g} s in total",
            hint="Increase it with --max-total.",
        )
    return RequestTimeout(
        f"timeout: no response to {method} and no progress for {reply.seconds:g} s", hint="Increase it with --timeout."
    )
