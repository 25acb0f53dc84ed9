"""The search for the smallest set of differences that turns a failing session into one that works.

Delta debugging (Zeller, Hildebrandt: Simplifying and Isolating Failure-Inducing Input, 2002) over the edits between
two scripts. Each test starts a fresh server; an outcome that is neither that of the failing nor that of the working
side decides nothing.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum

import msgspec

from inspector.features.blame.edits import Edit, applied, differences
from inspector.features.blame.play import ScriptPlayer
from inspector.features.blame.script import ClientScript, Outcome

RUNS = 3
"""Runs of a side before its outcome counts."""


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
    compared: int = 0
    """Number of differences."""
    runs: int = 0
    note: str = ""
    """What else there is to say, one sentence."""
    minimal: ClientScript | None = None
    """The failing script with the decisive differences removed."""


class _SpentError(Exception):
    """The number of runs is used up."""


class Search:
    """One search."""

    def __init__(
        self, player: ScriptPlayer, most_runs: int, report: Callable[[str], None] = lambda text: None, beside: int = 2
    ) -> None:
        """`report` gets a line of progress; `beside` is the number of servers that run at once."""
        self._player = player
        self._most_runs = most_runs
        self._report = report
        self._beside = asyncio.Semaphore(beside)
        self._known: dict[frozenset[int], bool] = {}
        self.runs = 0

    async def blame(self, fails: ClientScript, works: ClientScript, recorded: Outcome) -> Blame:
        """Compare two scripts by playing them. `recorded` is the outcome in the failing capture.

        Raises: ConnectError if the server can't be started.
        """
        for keeps_pauses in (False, True):
            self._player.keeps_pauses = keeps_pauses
            more = " with its pauses" if keeps_pauses else ""
            self._report(f"playing the failing side{more}")
            first = await self._all_runs(fails)
            self._report(f"playing the working side{more}")
            second = await self._all_runs(works)
            for side, name in ((first, "failing"), (second, "working")):
                if rate := _flaky(side):
                    return Blame(BlameEnd.FLAKY, runs=self.runs, note=f"the {name} side: {rate}")
            mine, others = _steady(first), _steady(second)
            keys = [key for key in mine if key in others and mine[key] != others[key]]
            if keys and _same_failure(mine, recorded):
                break
        if not keys:
            if any(_is_failure(each) for each in recorded.values()) and not _same_failure(mine, recorded):
                return Blame(BlameEnd.NOT_REPRODUCED, _failures(recorded), runs=self.runs, note=_NOT_HELD)
            return Blame(BlameEnd.SAME, _failures(mine), runs=self.runs)
        edits = differences(fails, works)
        found = Blame(BlameEnd.FOUND, {k: mine[k] for k in keys}, {k: others[k] for k in keys}, compared=len(edits))

        async def passes(chosen: Sequence[int]) -> bool:
            return await self._passes(applied(fails, [edits[n] for n in chosen]), frozenset(chosen), found)

        try:
            everything = list(range(len(edits)))
            if not await passes(everything):
                return msgspec.structs.replace(found, end=BlameEnd.NOT_HELD, runs=self.runs, note=_NOT_HELD)
            smallest = await self._smallest(everything, passes)
            minimal = applied(fails, [edits[n] for n in smallest])
            again = await self._all_runs(minimal)
        except _SpentError:
            return msgspec.structs.replace(found, end=BlameEnd.UNFINISHED, runs=self.runs)
        decisive = tuple(edits[n] for n in smallest)
        end = BlameEnd.FOUND if all(_works(each, found) for each in again) else BlameEnd.FLAKY
        return msgspec.structs.replace(found, end=end, edits=decisive, runs=self.runs, minimal=minimal)

    async def _smallest(self, edits: list[int], passes: Callable[[Sequence[int]], Awaitable[bool]]) -> list[int]:
        """Return a set of edits of which none can be left out (ddmin)."""
        parts = 2
        while len(edits) > 1:
            self._report(f"{len(edits)} of the differences are left, {self.runs} runs")
            size = -(-len(edits) // parts)
            chunks = [edits[at : at + size] for at in range(0, len(edits), size)]
            smaller = await self._first(chunks, passes)
            if smaller is not None:
                edits, parts = smaller, 2
                continue
            rests = [[each for each in edits if each not in chunk] for chunk in chunks] if parts > 2 else []
            smaller = await self._first(rests, passes)
            if smaller is not None:
                edits, parts = smaller, max(parts - 1, 2)
            elif parts >= len(edits):
                break
            else:
                parts = min(2 * parts, len(edits))
        return edits

    async def _first(
        self, sets: list[list[int]], passes: Callable[[Sequence[int]], Awaitable[bool]]
    ) -> list[int] | None:
        """Return the first set that passes; as many as may run at once are tried together."""
        width = 2
        for at in range(0, len(sets), width):
            batch = sets[at : at + width]
            verdicts = await asyncio.gather(*(passes(each) for each in batch))
            for each, passed in zip(batch, verdicts, strict=True):
                if passed:
                    return each
        return None

    async def _passes(self, script: ClientScript, chosen: frozenset[int], found: Blame) -> bool:
        if chosen not in self._known:
            self._known[chosen] = _works(await self._run(script), found)
        return self._known[chosen]

    async def _all_runs(self, script: ClientScript) -> list[Outcome]:
        return list(await asyncio.gather(*(self._run(script) for _ in range(RUNS))))

    async def _run(self, script: ClientScript) -> Outcome:
        if self.runs >= self._most_runs:
            raise _SpentError
        self.runs += 1
        async with self._beside:
            return (await self._player.play(script)).outcome


_NOT_HELD = "a capture holds no values of variables, no clock, no credentials and no state of the server's machine"


def _is_failure(came: str) -> bool:
    return came.startswith(("error", "no response", "HTTP", "exits", "tool error", "0 items"))


def _failures(outcome: Outcome) -> Outcome:
    return {key: came for key, came in outcome.items() if _is_failure(came)}


def _same_failure(outcome: Outcome, recorded: Outcome) -> bool:
    failed = _failures(recorded)
    return all(outcome.get(key) == came for key, came in failed.items())


def _works(outcome: Outcome, found: Blame) -> bool:
    """Whether an outcome is that of the working side, wherever the sides differ."""
    seen = [key for key in found.works if key in outcome]
    return bool(seen) and all(outcome[key] == found.works[key] for key in seen)


def _kind(came: str) -> str:
    """Return the kind of an outcome: without what differs from run to run."""
    return "result" if came.startswith("result") else "tool error" if came.startswith("tool error") else came


def _steady(runs: list[Outcome]) -> Outcome:
    """Return the outcome of several runs; where only a result's content differs, its kind."""
    first = runs[0]
    return {key: came if all(each.get(key) == came for each in runs) else _kind(came) for key, came in first.items()}


def _flaky(runs: list[Outcome]) -> str:
    """Return what does not always end alike, with its rate; "" if everything does."""
    for key in dict.fromkeys(key for each in runs for key in each):
        kinds = [_kind(each.get(key, "not sent")) for each in runs]
        if len(set(kinds)) > 1:
            most = max(set(kinds), key=kinds.count)
            return f"{key} gave {most} in {kinds.count(most)} of {len(runs)} runs"
    return ""
