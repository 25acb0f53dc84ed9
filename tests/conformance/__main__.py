"""Holds the product against the official conformance suite: `python -m tests.conformance [--at-once N] [WORD]`.

First every client scenario, strictly, at each revision that it applies to; then both sets of requirements, by the
suite's own scoring. WORD runs only the scenarios with it in their names, and no set. Prints a table, and exits 1
if anything failed.
"""

import argparse
import asyncio
import sys
import time

from tests.conformance import suite
from tests.conformance.suite import PACKAGE, Run, Scenario, SetRun
from tests.servers.real import NPM, PLACE, versions
from tests.servers.real.install import bring_up


def main() -> int:
    """Install what is missing, run, print, and say how it went."""
    asked = argparse.ArgumentParser(prog="python -m tests.conformance")
    asked.add_argument("word", nargs="?", default="")
    asked.add_argument("--at-once", type=int, default=3)
    said = asked.parse_args()
    name = NPM[1]
    bring_up(PLACE / name, versions()[name])
    began = time.monotonic()
    runs, sets = asyncio.run(_all(said.word, said.at_once))
    for line in table(runs, sets, suite.revisions()):
        print(line)
    print(f"{PACKAGE} {versions()[name][PACKAGE]}, {time.monotonic() - began:.0f} s")
    return 0 if runs and all(not run.why for run in runs) and all(each.is_good for each in sets) else 1


async def _all(word: str, at_once: int) -> tuple[list[Run], list[SetRun]]:
    known = [each for each in await suite.scenarios() if word in each.name]
    room = asyncio.Semaphore(at_once)

    async def one(scenario: Scenario, wire: str) -> Run:
        async with room:
            return await suite.run_one(scenario.name, wire)

    plan = [(each, wire) for each in known for wire in each.wires(suite.revisions())]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(each, wire)) for each, wire in plan]
    sets = [] if word else [await suite.run_set(revision) for revision in suite.revisions()]
    return [task.result() for task in tasks], sets


def table(runs: list[Run], sets: list[SetRun], revisions: tuple[str, ...]) -> list[str]:
    """What is printed: a row a scenario, with a column a revision; then the sums, then what failed said."""
    wires = (*revisions, *(("",) if any(not run.wire for run in runs) else ()))
    width = max((len(run.name) for run in runs), default=0)
    lines = [f"{'scenario, strictly':{width}}  " + "".join(f"{wire or 'its own':12}" for wire in wires)]
    for name in dict.fromkeys(run.name for run in runs):
        cells = {run.wire: "FAILED" if run.why else f"ok {run.passed}" for run in runs if run.name == name}
        lines.append(f"{name:{width}}  " + "".join(f"{cells.get(wire, '·'):12}" for wire in wires).rstrip())
    good = {run.name for run in runs} - {run.name for run in runs if run.why}
    lines += ["", f"strict: {len(good)} of {len({run.name for run in runs})} scenarios, {len(runs)} runs"]
    for each in sets:
        scored, extra = _ratio(each.scored), _ratio(each.not_scored)
        lines.append(f"requirements {each.revision}: {scored} scored, {extra} not scored {each.why}".rstrip())
    for run in runs:
        lines += [f"\n✗ {run.name} at {run.wire or 'its own wire'}: {run.why}", run.output] if run.why else []
    for each in sets:
        lines += [] if each.is_good else [f"\n✗ requirements {each.revision}", each.output]
    return lines


def _ratio(results: tuple[tuple[str, bool], ...]) -> str:
    return f"{sum(good for _, good in results)}/{len(results)}"


if __name__ == "__main__":
    sys.exit(main())
