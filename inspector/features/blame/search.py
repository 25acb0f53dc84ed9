"""The search for the smallest set of differences that turns a failing session into one that works.

Delta debugging (Zeller, Hildebrandt: Simplifying and Isolating Failure-Inducing Input, 2002) over the edits between
two scripts. Each test starts a fresh server; an outcome that is neither that of the failing nor that of the working
side decides nothing. A decisive difference is found as the last one of the shortest list of differences that makes
the session work: for k decisive ones of n that takes about k · log n tests, some of them at once.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from math import ceil, log

import msgspec
from msgspec.structs import replace

from inspector.features.blame.draft import continued
from inspector.features.blame.edits import PAUSE_S, Edit, applied, differences
from inspector.features.blame.play import ResponseWaits, ScriptPlayer
from inspector.features.blame.script import DELETION, ENDED, NO_RESPONSE, ClientScript, Outcome, gave_up, watched_in

RUNS = 3
"""Runs of a side before its outcome counts."""
RATE_RUNS = 10
"""Runs of a side whose outcome is not always the same, to state its rate."""
_LEAST_FIRST_S, _LEAST_LATER_S, _PATIENCE = 1.0, 0.6, 3.0
"""Once sessions have succeeded, a request counts as not answered after this many times the longest wait in them."""
_IDLE_WIDTH = 4
"""Servers at once that do not answer: they wait, so they hardly disturb each other."""

_RUNS_ON, _NOT_REFUSED = "runs on", "is not refused"
"""Outcomes of a server that does not end by itself, and of the end of a session without an error."""

_EMPTY = "0 items"
_FAILURES = ("error", NO_RESPONSE, "response with", "HTTP", "is refused", "exits", "ends with", "tool error", _EMPTY)


class BlameEnd(StrEnum):
    """How a search ended."""

    FOUND = "found"
    SAME = "no difference"
    """Both sides have the same outcome."""
    FLAKY = "flaky"
    """A side does not always end alike."""
    NOT_REPRODUCED = "not reproduced"
    """The recorded failure does not happen here."""
    NOT_HELD = "not held"
    """All differences together do not make it work: the cause is nothing that a capture holds."""
    UNFINISHED = "unfinished"
    """The number of runs was used up."""


class Blame(msgspec.Struct, frozen=True):
    """The result of a search."""

    end: BlameEnd
    fails: Outcome = {}
    """Outcome of the failing side, of what differs."""
    works: Outcome = {}
    """Outcome of the working side, of the same requests."""
    edits: tuple[Edit, ...] = ()
    """The decisive differences."""
    instead: tuple[Edit, ...] = ()
    """Other differences that make it work as well; empty if only `edits` do."""
    compared: int = 0
    """Number of differences."""
    runs: int = 0
    note: str = ""
    """What else there is to say, one sentence."""
    script: ClientScript | None = None
    """The failing script, as it was played."""
    minimal: ClientScript | None = None
    """The failing script with the decisive differences removed."""
    keeps_pauses: bool = False
    """Whether the failure needs the pauses of the client."""
    seconds: float = 0.0


class _SpentError(Exception):
    """The number of runs is used up."""


class _UnsteadyError(Exception):
    """The same script had another outcome than before."""


class Search:
    def __init__(
        self, player: ScriptPlayer, most_runs: int, report: Callable[[str], None] = lambda text: None, width: int = 2
    ) -> None:
        """`report` gets a line of progress; `width` is the number of servers that run at once."""
        self._player = player
        self._most_runs = most_runs
        self._report = report
        self._width = width
        self._known: dict[str, bool] = {}
        self._began = time.monotonic()
        self._longest = ResponseWaits(0.0, 0.0)
        """Longest waits in the runs in which every request got a response."""
        self._is_patient = False
        """Whether every run waits as long as it may."""
        self.runs = 0

    async def blame(self, fails: ClientScript, works: ClientScript, recorded: Outcome) -> Blame:
        """Compare two scripts by playing them. `recorded` is the outcome in the failing capture.

        Raises: ConnectError if the server can't be started.
        """
        self._player.watched = watched_in(fails, works)
        if gave_up(fails) or _failures(recorded):
            fails = continued(fails, works)
        try:
            found = await self._blame(fails, works, recorded)
        except _SpentError:
            found = Blame(BlameEnd.UNFINISHED)
        return replace(found, runs=self.runs, script=fails, seconds=time.monotonic() - self._began)

    async def _blame(self, fails: ClientScript, works: ClientScript, recorded: Outcome) -> Blame:
        sides = (fails, works)
        has_pauses = any(each.pause_s > PAUSE_S for script in sides for each in script.steps)
        for keeps_pauses in (False, True) if has_pauses else (False,):
            self._player.keeps_pauses = keeps_pauses
            first, second = await self._both(*sides, recorded)
            is_flaky = bool(_flaky(first) or _flaky(second))
            mine, others = _steady(first), _steady(second)
            keys = _differing(mine, others)
            if keys and not is_flaky and _same_failure(mine, recorded):
                break
        if is_flaky:
            return await self._as_flaky(sides, (first, second))
        if not _same_failure(mine, recorded):
            more = await self._all_runs(fails, RATE_RUNS - RUNS)
            if _flaky([*first, *more]):
                return await self._as_flaky(sides, ([*first, *more], second))
            if not keys:
                note = f"in none of {RATE_RUNS} runs"
                return Blame(BlameEnd.NOT_REPRODUCED, _failures(recorded), note=note)
        if not keys:
            return Blame(BlameEnd.SAME, _failures(mine), keeps_pauses=keeps_pauses)
        edits = differences(fails, works, with_pauses=keeps_pauses)
        found = Blame(
            BlameEnd.FOUND,
            {key: _of(mine, key) for key in keys},
            {key: _of(others, key) for key in keys},
            compared=len(edits),
            keeps_pauses=keeps_pauses,
        )
        self._known = {repr(fails): False, repr(works): True}
        deciding = self._decide(fails, edits, found, _EditOrder(edits))
        if NO_RESPONSE not in found.fails.values() or self._is_patient:
            return await deciding
        # The short waits are right if no response comes in the full time either: one run shows it meanwhile.
        full = self._player.full_waits
        if self._width > 1:
            self._width = _IDLE_WIDTH
            decided, waited = await asyncio.gather(deciding, self._run(fails, full))
        else:
            decided, waited = await deciding, await self._run(fails, full)
        if all(_fits(_of(waited, key), came) for key, came in found.fails.items()):
            return decided
        self._report("the failing side responds, but late: waiting longer")
        self._be_patient()
        return await self._blame(fails, works, recorded)

    def _be_patient(self) -> None:
        self._is_patient, self._player.waits = True, self._player.full_waits

    async def _decide(self, fails: ClientScript, edits: list[Edit], found: Blame, order: "_EditOrder") -> Blame:
        def tried(chosen: Iterable[Edit]) -> ClientScript:
            return applied(fails, order.sorted(chosen))

        async def passes(chosen: Iterable[Edit]) -> bool:
            return await self._passes(tried(chosen), found)

        try:
            if not await passes(edits):
                return replace(found, end=BlameEnd.NOT_HELD)
            smallest = await self._smallest(edits, [], passes)
            rest = [each for each in edits if each not in smallest]
            does_without, smallest = await asyncio.gather(passes(rest), self._refined(smallest, passes))
            instead = await self._smallest(rest, [], passes) if does_without else []
            instead = await self._refined(instead, passes)
        except _UnsteadyError:
            return replace(found, end=BlameEnd.FLAKY, note="the same messages had different outcomes during the search")
        minimal = tried(smallest)
        self._report("confirming the result")
        still_fails, works_now = await self._both(fails, minimal, found.fails)
        is_confirmed = all(_works(each, found) for each in works_now) and not any(_works(e, found) for e in still_fails)
        if not is_confirmed:
            count = sum(_works(each, found) for each in works_now)
            note = f"with the smallest difference that was found, it worked in {count} of {RUNS} runs"
            return replace(found, end=BlameEnd.FLAKY, note=note)
        ordered = (tuple(order.sorted(each)) for each in (smallest, instead))
        return replace(found, edits=next(ordered), instead=next(ordered), minimal=minimal)

    async def _smallest(self, edits: Sequence[Edit], kept: Sequence[Edit], passes: "_Passes") -> list[Edit]:
        """Return a set of edits that passes together with `kept`, and of which none can be left out.

        All of them together pass. Raises: _UnsteadyError if that changes.
        """
        needed: list[Edit] = []
        left = list(edits)
        while not await passes([*kept, *needed]):
            if not left:
                raise _UnsteadyError
            low, high = 0, len(left)  # the first `low` edits are not enough, the first `high` are
            while high - low > 1:
                self._report(self._progress(high - low))
                step = (high - low) / (self._width + 1)
                points = sorted({low + max(1, round(step * n)) for n in range(1, self._width + 1)} - {high})
                verdicts = await asyncio.gather(*(passes([*kept, *needed, *left[:each]]) for each in points))
                for point, passed in zip(points, verdicts, strict=True):
                    low, high = (low, point) if passed else (point, high)
                    if passed:
                        break
            needed.append(left[high - 1])
            left = left[: high - 1]
        if len(needed) > 1:
            for each in list(needed):
                rest = [other for other in needed if other is not each]
                if await passes([*kept, *rest]):
                    needed = rest
        return needed

    async def _refined(self, edits: Sequence[Edit], passes: "_Passes", kept: Sequence[Edit] = ()) -> list[Edit]:
        """Replace each edit by those of its parts that decide, unless all of them do. `kept` are applied as well."""
        found = list(edits)
        for edit in edits:
            rest = [each for each in found if each is not edit]
            others = [*kept, *rest]
            if not edit.parts or not await passes([*others, *edit.parts]):
                continue
            is_one = len(edit.parts) == 1
            needed = list(edit.parts) if is_one else await self._smallest(edit.parts, others, passes)
            if is_one or len(needed) < len(edit.parts):
                found = [*rest, *await self._refined(needed, passes, others)]
        return found

    def _progress(self, left: int) -> str:
        """Return a line of progress with an estimate."""
        tests = ceil(log(max(left, 2), self._width + 1)) * self._width + 2 * RUNS + 2
        each_s = (time.monotonic() - self._began) / max(1, self.runs)
        return f"{left} differences are left, {self.runs} runs, about {max(1, round(tests * each_s))} s more"

    async def _passes(self, script: ClientScript, found: Blame) -> bool:
        key = repr(script)
        if key not in self._known:
            (outcome,) = await self._all_runs(script, 1)
            self._known[key] = _works(outcome, found)
        return self._known[key]

    async def _both(
        self, fails: ClientScript, works: ClientScript, recorded: Outcome
    ) -> tuple[list[Outcome], list[Outcome]]:
        """Run both sides RUNS times: first each alone, then side by side if that makes no difference.

        The working side is first: it shows how long a response takes. Where the failing side then has no response,
        and had one when it was recorded, it gets the full time.
        """
        how = " with the client's pauses" if self._player.keeps_pauses else ""
        self._report(f"playing both sides{how}, {self.runs} runs so far")
        second, first = [await self._run(works)], [await self._run(fails)]
        if any(came == NO_RESPONSE != recorded.get(key) for key, came in first[0].items()):
            first = [await self._run(fails, self._player.full_waits)]
        width = self._width
        more = await self._side_by_side(fails, works)
        if width > 1 and (_flaky([*first, *more[0]]) or _flaky([*second, *more[1]])):
            self._width = 1
            self._be_patient()
            alone = await self._side_by_side(fails, works)
            if _flaky([*first, *alone[0]]) or _flaky([*second, *alone[1]]):
                self._width = width  # it is flaky in any case
            else:
                self._report("two servers at once disturb each other: one at a time")
                more = alone
        return [*first, *more[0]], [*second, *more[1]]

    async def _side_by_side(self, fails: ClientScript, works: ClientScript) -> tuple[list[Outcome], list[Outcome]]:
        first, second = list[Outcome](), list[Outcome]()
        while len(first) < RUNS - 1:
            if self._width > 1:
                pairs = min(self._width // 2, RUNS - 1 - len(first))
                came = await asyncio.gather(*(self._run(each) for each in (fails, works) * pairs))
            else:
                came = [await self._run(fails), await self._run(works)]
            first += came[::2]
            second += came[1::2]
        return first, second

    async def _all_runs(self, script: ClientScript, count: int) -> list[Outcome]:
        """Run a script several times, as many at once as may run."""
        found: list[Outcome] = []
        while len(found) < count:
            some = min(self._width, count - len(found))
            found += await asyncio.gather(*(self._run(script) for _ in range(some)))
        return found

    async def _run(self, script: ClientScript, waits: ResponseWaits | None = None) -> Outcome:
        if self.runs >= self._most_runs:
            raise _SpentError
        self.runs += 1
        played = await self._player.play(script, waits=waits)
        if NO_RESPONSE not in played.outcome.values():
            self._learn(played.waits)
        return played.outcome

    def _learn(self, waits: ResponseWaits) -> None:
        """Wait at most a multiple of what a response takes."""
        first_s, later_s = max(self._longest.first_s, waits.first_s), max(self._longest.later_s, waits.later_s)
        self._longest = ResponseWaits(first_s, later_s)
        full = self._player.full_waits
        if not self._is_patient:
            self._player.waits = ResponseWaits(
                min(full.first_s, max(_LEAST_FIRST_S, _PATIENCE * first_s)),
                min(full.later_s, max(_LEAST_LATER_S, _PATIENCE * later_s)),
            )

    async def _as_flaky(self, sides: Sequence[ClientScript], runs: Sequence[list[Outcome]]) -> Blame:
        """Say what is flaky, with its rate in RATE_RUNS runs, and how the other side ended."""
        rates = []
        for name, script, outcomes in zip(("failing", "working"), sides, runs, strict=True):
            if _flaky(outcomes) and len(outcomes) < RATE_RUNS:
                self._report(f"the {name} side does not always end alike: counting")
                count = min(RATE_RUNS - len(outcomes), self._most_runs - self.runs)
                outcomes = [*outcomes, *await self._all_runs(script, count)]
            if rate := _flaky(outcomes):
                rates.append(f"on the {name} side {rate}")
        return Blame(BlameEnd.FLAKY, note="; ".join(rates))


class _EditOrder:
    """The order in which edits are applied: as they were found, parts in place of their whole."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        every = [each for edit in edits for each in _with_parts(edit)]
        self._places = {id(each): n for n, each in enumerate(every)}

    def sorted(self, edits: Iterable[Edit]) -> list[Edit]:
        return sorted(edits, key=lambda each: self._places[id(each)])


_Passes = Callable[[Iterable[Edit]], Awaitable[bool]]


def _with_parts(edit: Edit) -> Iterator[Edit]:
    yield edit
    for part in edit.parts:
        yield from _with_parts(part)


def _of(outcome: Outcome, key: str) -> str:
    return outcome.get(key, _NOT_REFUSED if key == DELETION else _RUNS_ON)


def _is_failure(came: str) -> bool:
    return came.startswith(_FAILURES)


def _failures(outcome: Outcome) -> Outcome:
    """Return what failed. A server of the legacy era rejects the request that asks for its era."""
    free = "server/discover" if not _is_failure(outcome.get("initialize", NO_RESPONSE)) else ""
    return {key: came for key, came in outcome.items() if _is_failure(came) and key != free}


def _same_failure(outcome: Outcome, recorded: Outcome) -> bool:
    """Whether what failed in the capture fails here in the same way."""
    failed = _failures(recorded)
    return all(_kind(outcome.get(key, "")) == _kind(came) for key, came in failed.items() if key in outcome)


def _differing(mine: Outcome, others: Outcome) -> list[str]:
    """Return the keys of what both sides ask for, the working one with success, and that ends differently.

    How the server ended is among them, and, if nothing else is, how it refused the end of the session.
    """
    worked = {key for key, came in others.items() if came == _EMPTY or not _is_failure(came)}
    keys = [key for key in mine if key in worked and key != ENDED]
    found = [key for key in keys if not _fits(mine[key], others[key]) and not _fits(others[key], mine[key])]
    found += [key for key in (ENDED,) if key in mine and key not in others]
    return found or [key for key in (DELETION,) if key in mine and key not in others]


def _works(outcome: Outcome, found: Blame) -> bool:
    """Whether an outcome is that of the working side, wherever the sides differ."""
    return all(_fits(_of(outcome, key), wanted) for key, wanted in found.works.items())


def _fits(came: str, wanted: str) -> bool:
    return came == wanted or _kind(came) == wanted


def _kind(came: str) -> str:
    """Return the kind of an outcome: without what differs from run to run."""
    return "result" if came.startswith("result ") else "tool error" if came.startswith("tool error") else came


def _steady(runs: list[Outcome]) -> Outcome:
    """Return the outcome of several runs; where only a result's content differs, its kind."""
    first = runs[0]
    return {key: came if all(each.get(key) == came for each in runs) else _kind(came) for key, came in first.items()}


def _flaky(runs: list[Outcome]) -> str:
    """Return what does not always end alike, with its rate; "" if everything does."""
    for key in dict.fromkeys(key for each in runs for key in each):
        kinds = [_kind(each.get(key, _RUNS_ON if key == ENDED else "not sent")) for each in runs]
        if len(set(kinds)) > 1:
            most = min(set(kinds), key=lambda kind: (not _is_failure(kind), -kinds.count(kind)))
            return f"{key} gives {most} in {kinds.count(most)} of {len(runs)} runs"
    return ""
