"""Runs one mutation: the requests of `check` and three calls in this process, then the findings."""

import io
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from inspector.capture.journal import start_capture
from inspector.checks.compat.matrix import as_serious
from inspector.checks.findings import Finding, Severity
from inspector.checks.verdict import primary_of
from inspector.cli.commands.check import ask_for_lists
from inspector.cli.env import CliEnv
from inspector.cli.headless import CommandSession
from inspector.cli.judging import PlannedCall, make_cases
from inspector.cli.output import Output
from inspector.config.environment import build_environment
from inspector.config.targets import HttpTarget, StdioTarget, Target
from inspector.errors import InspectError
from inspector.present.findings import inspected
from inspector.protocol.flows.connect import ConnectOptions
from inspector.protocol.frames import Frame
from inspector.protocol.request_meta import ClientIdentity
from inspector.session.inbox import Inbox
from inspector.session.open import client_info
from inspector.session.options import Timeouts
from inspector.session.probing import make_first_requests
from inspector.session.session import Session, SessionOptions
from inspector.transports.base import Transport
from inspector.transports.http.listener import Listener
from inspector.transports.http.transport import HttpTransport
from tests.servers.conforming import LEGACY, MODERN, Conforming
from tests.servers.conforming_http import modern, session
from tests.servers.mutations.mutants import (
    BODY_OPERATORS,
    EVENT_OPERATORS,
    HEADER_OPERATORS,
    LINE_OPERATORS,
    STATUSES,
    Mutation,
    of_members,
)
from tests.servers.mutations.serving import PipeTransport, mutating

_REVISIONS = {"legacy": LEGACY[:0:-1], "modern": (MODERN,)}
_CALLS = (PlannedCall("say", {"text": "hi"}), PlannedCall("work", {}), PlannedCall("show", {}))
_IDLE_S, _SILENCE_S = 6.0, 2.5
_HEADERS = ("Content-Type", "Mcp-Session-Id", "Cache-Control", "X-Accel-Buffering")


@dataclass(frozen=True)
class Setting:
    """A conforming server over a transport."""

    era: str
    transport: str
    """stdio, http, or events: HTTP with event streams."""

    def __str__(self) -> str:
        return f"{self.era} {self.transport}"

    @property
    def revision(self) -> str:
        """The newest protocol version of its era."""
        return _REVISIONS[self.era][0]


SETTINGS = tuple(Setting(era, transport) for era in _REVISIONS for transport in ("stdio", "http", "events"))


@dataclass
class Heard:
    """The result of a run."""

    findings: list[Finding]
    messages: dict[str, Any] = field(default_factory=dict)
    """The last message of each method, as the server meant it."""
    payloads: dict[int, bytes] = field(default_factory=dict)
    """Payloads of the entries that the findings name."""
    crash: str = ""

    @property
    def primary(self) -> Finding | None:
        """The first finding."""
        return primary_of(self.findings)


def mutations_of(setting: Setting, messages: dict[str, Any]) -> Iterator[Mutation]:
    """Yield all mutations of what a server sends in a setting."""
    responses = {method: said for method, said in messages.items() if said is not None}
    if setting.transport != "events":
        yield from of_members(responses.items())
    for method, said in responses.items():
        if setting.transport == "stdio":
            yield from (Mutation("line", method, "", operator) for operator in LINE_OPERATORS)
        elif setting.transport == "events" and _is_streamed(setting, method):
            yield from (Mutation("event", method, "", operator) for operator in EVENT_OPERATORS)
        elif setting.transport == "http" and "method" not in said:
            names = _HEADERS[: 2 if method == "initialize" else 1]
            yield from (Mutation("header", method, name, operator) for name in names for operator in HEADER_OPERATORS)
            yield from (Mutation("status", method, str(status), "other status") for status in STATUSES)
            yield from (Mutation("body", method, "", operator) for operator in BODY_OPERATORS)
    if setting.transport == "http":
        for method in messages.keys() - responses.keys():
            yield from (Mutation("status", method, str(status), "other status") for status in STATUSES)


def _is_streamed(setting: Setting, method: str) -> bool:
    """Return whether the conforming servers send it as an event, and not as the body of the response."""
    return method != "server/discover" and (setting.era == "legacy" or method.startswith(("tools/", "notifications/")))


async def run(setting: Setting, mutation: Mutation | None) -> Heard:
    """Run the server of a setting with one mutation; None: as it is."""
    messages: dict[str, Any] = {}

    def note(method: str, message: Any) -> None:
        messages[method] = message

    revisions = _REVISIONS[setting.era]
    if setting.transport == "stdio":
        pipe = PipeTransport(Conforming(revisions), mutation, note)
        heard = await _session(pipe, StdioTarget(("conforming",), build_environment({}, inherit_all=False), "/srv"))
    else:
        streams = setting.transport == "events"
        make = modern if setting.era == "modern" else session
        handler = mutating(make(lambda: Conforming(revisions), streams=streams), mutation, note)
        async with Listener(handler) as listener:
            url = listener.url + "/mcp"
            heard = await _session(HttpTransport(url), HttpTarget(url))
    heard.messages = messages
    return heard


async def _session(transport: Transport, target: Target) -> Heard:
    journal = start_capture(None)
    identity = ClientIdentity(client_info(), frozenset())
    options = ConnectOptions(identity, over_http=transport.kind == "http", silence_s=_SILENCE_S)
    settings = SessionOptions(options, Timeouts(_IDLE_S, 4 * _IDLE_S), inbox=Inbox([], has_person=False))
    output = Output(CliEnv(None, {}, io.StringIO(), io.StringIO(), io.StringIO()), as_json=True, quiet=True)
    crash = ""
    try:
        async with Session(transport, journal, settings) as held:
            with suppress(InspectError):
                opening = await held.connect()
                visit = CommandSession(held, held.opening or opening, output, target)
                with suppress(InspectError):
                    await ask_for_lists(visit)
                await make_first_requests(held, _ignore)
                for case in _CALLS:
                    with suppress(InspectError):
                        await make_cases(visit, (case,))
    except Exception as error:  # a crash is what is looked for
        crash = repr(error)
    findings, inspection = inspected(journal)
    crash = crash or "; ".join(each.sentence for each in inspection.disabled_checks.values())
    kept = as_serious(findings)
    heard = Heard(kept, crash=crash)
    for n in {n for each in kept for n in each.frames}:
        entry = journal.store.entry(n)
        heard.payloads[n] = entry.payload if isinstance(entry, Frame) else b""
    journal.close()
    return heard


def _ignore(what: str) -> None:
    """Print nothing about the requests."""


def accuses(finding: Finding) -> bool:
    """Return whether it is more than a hint."""
    return finding.severity is not Severity.HINT
