"""Makes the planned calls of each tool in sequence, and has the responses judged.

A call that ends the server, or after which it no longer responds, is a finding. The probing continues with a
new session, a limited number of times, so that one defect does not hide others.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from inspector.capture.store.columns import MessageKind
from inspector.checks.findings import Finding
from inspector.checks.rules.inputs import input_finding
from inspector.errors import InspectError
from inspector.features.probe.comparing import FEWEST, SLOW_S, SLOWER, slow_places, unapplied_defaults, usual_of
from inspector.features.probe.habits import of_many_tools
from inspector.features.probe.judging import ProbeOutcome, judge, success_text
from inspector.features.probe.plan import ProbeCall, plan_tool
from inspector.features.probe.responses import is_limited
from inspector.protocol.flows.steps import Replied, Silent
from inspector.protocol.frames import Cause, Direction
from inspector.protocol.listed_items import Tool
from inspector.session.options import SessionState
from inspector.session.probing import call_once, responds
from inspector.session.session import Session
from inspector.text import cut, visible

MOST_RESTARTS = 10
"""Maximum number of new sessions of one run."""
_MOST_OF_TOOL = 3
"""Maximum number of them because of one tool; its other calls are not made then."""
_NAMED = 10
"""Maximum number of tools that a sentence about those that are not probed names."""
_MOST_PAUSES, _PAUSE_S = 30, 1.0
"""Pauses for servers that limit the rate of calls."""
_AT_ONCE_S = 0.5
"""Seconds within which a call ends a server; later it may end by itself."""
_MOST_SILENT = 2
"""Number of calls without a response after which a tool is not called again; 1, if it was so of another tool."""
_MOST_HUNG_IN_A_ROW, _MOST_HUNG = 3, 5
"""Number of tools without any response after which no other tool is called: each of them costs its timeout."""
_AGAIN = 5
"""How often a slow call is made again, in turn with a usual one: a tool may be slow at random."""
_SLOW = 0.5
"""Fraction of the timeout. If the first call takes longer, the input of another one does not explain a timeout."""


class ProbeOptions(msgspec.Struct, frozen=True):
    wanted: bool
    is_dry: bool
    allows_writes: bool
    random: int
    seed: int
    timeout_s: float
    most_s: float
    """Seconds after which no other call is made."""


class ProbePlan(msgspec.Struct, frozen=True):
    """The calls to make."""

    calls: dict[str, list[ProbeCall]]
    """By the name of the tool, in order; [] for a tool whose schema can't be used."""
    not_tried: dict[str, tuple[str, ...]]
    """What the limit of calls leaves out, by the name of the tool."""
    left_out: list[str]
    """Names of tools that are not called, because they do not declare `readOnlyHint`."""


def plan_calls(tools: Sequence[Tool], options: ProbeOptions) -> ProbePlan:
    """Return the calls of each allowed tool."""
    allowed = [tool for tool in tools if options.allows_writes or tool.read_only]
    plans = {tool.name: plan_tool(tool.raw, random=options.random, seed=options.seed) for tool in allowed}
    calls = {name: each.calls for name, each in plans.items()}
    not_tried = {name: each.not_tried for name, each in plans.items() if each.not_tried}
    return ProbePlan(calls, not_tried, [tool.name for tool in tools if tool not in allowed])


def tools_of(session: Session) -> list[Tool]:
    """Return the tools with a name, as last listed."""
    return [tool for tool in session.journal.conversation.catalogue.tools if tool.name]


async def run_probe(
    session: Session,
    planned: ProbePlan,
    options: ProbeOptions,
    *,
    reopen: Callable[[], Session],
    secrets: Mapping[str, str],
    warn: Callable[[str], None],
    gaps: dict[str, str],
) -> list[Finding]:
    """Make the calls of the plan over an open session, and return the findings.

    `reopen`: returns a new session, not connected yet, that continues the journal. `secrets`: as in `judge`. `warn`:
    called with what was not probed, and with each new session. `gaps` gets why a tool was not probed, or not whole.
    """
    run = _Run(session, reopen, options, warn, gaps)
    gaps |= dict.fromkeys(planned.left_out, "without readOnlyHint")
    gaps |= {name: "inputSchema gives no valid arguments" for name, calls in planned.calls.items() if not calls}
    before = tools_of(session)
    wanted = [tool for tool in before if planned.calls.get(tool.name)]
    found: list[Finding] = []
    names: list[str] = []
    barren: list[str] = []
    try:
        for at, tool in enumerate(wanted):
            if why := run.stopped_by:
                warn(f"{why}; not probed: {_listed(wanted[at:])}")
                gaps |= {each.name: why for each in wanted[at:]}
                break
            calls = planned.calls[tool.name]
            outcomes = await run.outcomes(tool, calls)
            is_local, revision = session.transport.kind == "stdio", run.session.revision
            found += judge(tool.raw, outcomes, revision=revision, secrets=secrets, is_local=is_local)
            found += await run.slow_values(tool, calls, outcomes)
            found += await run.defaults_not_applied(tool, calls, outcomes)
            names += [tool.name[:80]] * (len(found) - len(names))
            if not any(success_text(each) is not None for each in outcomes if each.call.valid):
                barren.append(visible(tool.name, limit=60))
            if not run.is_alive:
                warn("the server no longer responds; what follows in the plan was not called")
                gaps |= {each.name: "the server no longer responds" for each in wanted[at + 1 :]}
                return of_many_tools(found, names)
        if not wanted:
            return []
        return [*of_many_tools(found, names), *await _changed_definitions(run.session, [tool.raw for tool in before])]
    finally:
        if barren:
            known = "it" if len(barren) == 1 else "them"
            warn(f"{', '.join(barren)}: no valid call succeeded, so little is known about {known}")
        await run.close()


class _Run:
    def __init__(
        self,
        session: Session,
        reopen: Callable[[], Session],
        options: ProbeOptions,
        warn: Callable[[str], None],
        gaps: dict[str, str],
    ) -> None:
        self.session = session
        self._own: Session | None = None
        """The session to close at the end; the first one belongs to the caller."""
        self._reopen = reopen
        self._timeout_s, self._most_s = options.timeout_s, options.most_s
        self._warn = warn
        self._restarts = self._pauses = self._hung_in_a_row = 0
        self._hung: list[Tool] = []
        """The tools of which no call got a response."""
        self._until_s = time.monotonic() + options.most_s
        self._gaps = gaps

    @property
    def is_over(self) -> bool:
        """Whether no more calls are made, because of the time."""
        return time.monotonic() >= self._until_s

    @property
    def stopped_by(self) -> str:
        """Why no other tool is probed; "" if nothing speaks against it."""
        if self.is_over:
            return f"the time is over ({self._most_s:g} s)"
        is_habit = self._hung_in_a_row == _MOST_HUNG_IN_A_ROW or len(self._hung) == _MOST_HUNG
        return f"no call of {_listed(self._hung)} got a response in {self._timeout_s:g} s" if is_habit else ""

    @property
    def is_alive(self) -> bool:
        return self.session.state is SessionState.OPEN and self.session.journal.ended is None

    async def outcomes(self, tool: Tool, calls: Sequence[ProbeCall]) -> list[ProbeOutcome]:
        """Make the calls of one tool. Stop early if the server can't be restarted, or several got no response."""
        found: list[ProbeOutcome] = []
        restarts = silent = 0
        most_silent = 1 if self._hung else _MOST_SILENT
        is_slow = is_its_doing = False
        for call in calls:
            if self.is_over:
                break
            began = time.monotonic()
            outcome = await self._outcome(tool, call)
            took, is_silent = time.monotonic() - began, isinstance(outcome.reply, Silent)
            silent += is_silent
            still_responds = self.is_alive and (
                not is_silent or await responds(self.session, silence_s=self._timeout_s)
            )
            is_slow |= still_responds and call.valid and not found and took > _SLOW * self._timeout_s
            stalled = (
                still_responds and is_silent and bool(found) and not is_slow and await self._stalls(tool, calls[0])
            )
            found.append(msgspec.structs.replace(outcome, slow=is_slow, stalled=stalled, seconds=took))
            if still_responds:
                if silent < most_silent and not stalled:
                    continue
                break
            restarts += 1
            name = visible(tool.name, limit=60)
            if not await self._restart(name, outcome):
                break
            if not is_silent and not is_its_doing:
                first = found[0] if found[0].alive and isinstance(found[0].reply, Replied) else None
                is_its_doing = await self._ends_again(tool, call, name, first)
                if not is_its_doing:
                    found[-1] = msgspec.structs.replace(found[-1], repeated=False)
                    self._warn(f"{name}: the call is not why the server ended")
                elif not self.is_alive and not await self._restart(name, outcome):
                    break
            if restarts == _MOST_OF_TOOL or (silent == len(found) and silent >= most_silent):
                break
        is_hung = bool(found) and silent == len(found)
        self._hung_in_a_row = self._hung_in_a_row + 1 if is_hung else 0
        self._hung += [tool] * is_hung
        if len(found) < len(calls):
            self._gaps[tool.name] = f"{len(found)} of {len(calls)} calls were made"
            self._warn(f"{visible(tool.name, limit=60)}: {self._gaps[tool.name]}")
        return found

    async def _stalls(self, tool: Tool, call: ProbeCall) -> bool:
        """Whether a call that got a response before gets none when it is made again."""
        return isinstance((await self._outcome(tool, call)).reply, Silent)

    async def _ends_again(self, tool: Tool, call: ProbeCall, name: str, first: ProbeOutcome | None) -> bool:
        """Whether a call ends the new server as well, which does not end as soon without it.

        `first`: the first call, which was answered, and is made meanwhile: some servers end at a message after a time.
        """
        began = time.monotonic()
        outcome = await self._outcome(tool, call)
        lasted = time.monotonic() - began
        if outcome.alive or lasted < _AT_ONCE_S or not await self._restart(name, outcome):
            return not outcome.alive
        until = time.monotonic() + lasted + _AT_ONCE_S
        while self.is_alive and time.monotonic() < until:
            if first is not None:
                await self._outcome(tool, first.call)
            with suppress(TimeoutError):
                async with asyncio.timeout(_AT_ONCE_S / 2):
                    await self.session.ended.wait()
        if self.is_alive:
            return True
        await self._restart(name, outcome)
        return False

    async def slow_values(
        self, tool: Tool, calls: Sequence[ProbeCall], outcomes: Sequence[ProbeOutcome]
    ) -> list[Finding]:
        """Return a finding for the value that takes much longer than the others, also when it is called again."""
        seconds = [each.seconds if success_text(each) is not None else None for each in outcomes]
        calls = [*calls[: len(outcomes)]]
        known = [each for call, each in zip(calls, seconds, strict=True) if call.valid and each is not None]
        for _ in range(FEWEST - len(known) if max(known, default=0.0) > SLOW_S and seconds[0] is not None else 0):
            began = time.monotonic()  # a tool with few values: what is usual, by its first call
            await self._outcome(tool, calls[0])
            calls, seconds = [*calls, calls[0]], [*seconds, time.monotonic() - began]
        hung = {each.call.argument for each in outcomes if isinstance(each.reply, Silent)}
        places = [at for at in slow_places(calls, seconds) if calls[at].argument not in hung]
        for at in places[:1] if self.is_alive and not self.is_over else ():
            usual_s = []
            for _ in range(_AGAIN):
                began = time.monotonic()
                again = await self._outcome(tool, calls[at])
                took = min(time.monotonic() - began, seconds[at] or 0.0)
                seconds[at] = took
                began = time.monotonic()
                await self._outcome(tool, calls[0])  # the machine, or what the tool asks, may be slow by now
                usual_s.append(time.monotonic() - began)
                if success_text(again) is None or at not in slow_places(calls, seconds):
                    return []
            usual = max(usual_of(calls, seconds), sorted(usual_s)[_AGAIN // 2])
            if SLOWER * usual > took:
                return []
            sentence = f"{cut(tool.name, 80)}: {took * 1000:,.0f} ms, others about {usual * 1000:,.0f} ms, if "
            sentence += calls[at].what
            return [input_finding("slow-input", sentence, again.frames, self.session.revision)]
        return []

    async def defaults_not_applied(
        self, tool: Tool, calls: Sequence[ProbeCall], outcomes: Sequence[ProbeOutcome]
    ) -> list[Finding]:
        """Return a finding for a declared default that is not applied without the argument, also in second calls."""
        texts = [success_text(each) for each in outcomes]
        base = next((at for at, call in enumerate(calls[: len(outcomes)]) if call.valid and not call.argument), 0)
        for at in unapplied_defaults(calls[: len(outcomes)], texts)[:1]:
            if not self.is_alive or self.is_over or not tool.read_only:
                break
            again = [await self._outcome(tool, calls[each]) for each in (base, at)]
            if [success_text(each) for each in again] == [texts[base], texts[at]]:
                sentence = f"{cut(tool.name, 80)}: the result is not that of the default if {calls[at].what}"
                return [input_finding("default-not-applied", sentence, again[1].frames, self.session.revision)]
        return []

    async def _outcome(self, tool: Tool, call: ProbeCall) -> ProbeOutcome:
        session = self.session
        before = session.journal.count
        reply = await call_once(session, call.tool, call.arguments, tool.input_schema, silence_s=self._timeout_s)
        if self._pauses < _MOST_PAUSES and isinstance(reply, Replied) and is_limited(reply.message):
            self._pauses += 1
            await asyncio.sleep(_PAUSE_S)
            before = session.journal.count
            reply = await call_once(session, call.tool, call.arguments, tool.input_schema, silence_s=self._timeout_s)
        return ProbeOutcome(call, reply, *_evidence(session, before), self.is_alive, _came_meanwhile(session, before))

    async def _restart(self, name: str, outcome: ProbeOutcome) -> bool:
        """Open a new session; return whether that worked."""
        what = f"{name}: the server {'no longer responds' if self.is_alive else 'disconnected'}: {outcome.call.what}"
        await self.session.close()
        if self._restarts == MOST_RESTARTS:
            self._warn(f"{what}; not restarted again after {MOST_RESTARTS} times")
            return False
        self._restarts += 1
        await self.close()
        session = self._reopen()
        await session.__aenter__()
        self._own = self.session = session
        try:
            await session.connect()
        except InspectError as error:
            self._warn(f"{what}; connecting again failed: {error}")
            return False
        self._warn(f"{what}; connected again")
        return True

    async def close(self) -> None:
        """Close the session that was opened here."""
        own, self._own = self._own, None
        if own is not None:
            await own.__aexit__(None, None, None)


def _listed(tools: Sequence[Tool]) -> str:
    """Return the names of the first tools, and how many more there are."""
    more = f" and {len(tools) - _NAMED} more" if len(tools) > _NAMED else ""
    return ", ".join(visible(each.name, limit=60) for each in tools[:_NAMED]) + more


def _came_meanwhile(session: Session, before: int) -> bool:
    """Return whether the server has sent a request, a notification, or a line that may hide a response, since then."""
    store = session.journal.store
    kinds = (MessageKind.REQUEST, MessageKind.NOTIFICATION, MessageKind.INVALID)
    return any(
        store.message_kind(n) in kinds and store.direction(n) is Direction.FROM_SERVER
        for n in range(before + 1, session.journal.count + 1)
    )


def _evidence(session: Session, before: int) -> tuple[int, int]:
    """Return the entries of request and response of the newest call since entry `before`."""
    for each in reversed(session.journal.conversation.exchanges):
        if each.request_frame <= before:
            break
        if each.method == "tools/call":
            return each.request_frame, each.answer_frame or 0
    return 0, 0


async def _changed_definitions(session: Session, before: list[Any]) -> list[Finding]:
    """Return a finding if the tools changed during the calls without a notification."""
    journal = session.journal
    notified = any(journal.store.method(n) == "notifications/tools/list_changed" for n in range(1, journal.count + 1))
    pages = await session.list_all("tools", cause=Cause.CHECK)
    after = [tool.raw for tool in tools_of(session)]
    if notified or pages.failed is not None or after == before:
        return []
    names = {tool.get("name") for tool in before} ^ {tool.get("name") for tool in after}
    which = ", ".join(visible(str(name), limit=60) for name in sorted(map(str, names))) or "the same names"
    sentence = f"tools/list differs after the calls: {which}"
    return [input_finding("calls-change-definitions", sentence, (), session.revision)]
