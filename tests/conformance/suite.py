"""The official conformance suite as a program: which client scenarios it has, how one is run, what it said.

It knows no scenario by name. Each run is a process group of its own that is ended, mocks and all, when its time is
over: a mock that still holds a stream would keep the suite alive for ever.
"""

import asyncio
import os
import re
import shlex
import shutil
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from tests.servers.real import INSTALL, PLACE, ROOT, NotInstalled

PACKAGE = "@modelcontextprotocol/conformance"
CLIENT = f"{shlex.quote(sys.executable)} -m tests.conformance.client"
"""What the suite runs, followed by a URL."""
ONE_S, SET_S = 60.0, 180.0
"""After how many seconds a scenario, and a whole set, counts as failed. The suite itself allows a client thirty."""

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_LISTED = re.compile(r"^ +- (\S+) \[([^]]+)\]$", re.MULTILINE)
_COUNTS = re.compile(r"^Passed: (\d+)/\d+, (\d+) failed, (\d+) warnings$", re.MULTILINE)
_IN_SET = re.compile(r"^[✓✗] (\S+): (\d+) passed, (\d+) failed", re.MULTILINE)
_NOT_SCORED = re.compile(r"^ +[✓✗] (\S+) \(([a-z-]+)\)$", re.MULTILINE)


class Scenario(msgspec.Struct, frozen=True):
    """One client scenario, as the suite lists it."""

    name: str
    tags: tuple[str, ...]
    """The revisions that it applies to, or "extension"."""

    def wires(self, revisions: tuple[str, ...]) -> tuple[str, ...]:
        """At which of the revisions it is run; ("",) if at none of them: then the suite chooses."""
        known = revisions if "extension" in self.tags else tuple(each for each in revisions if each in self.tags)
        return known or ("",)


class Run(msgspec.Struct, frozen=True):
    """What came of one scenario at one wire."""

    name: str
    wire: str
    passed: int
    """Checks that went well."""
    why: str = ""
    """Why it counts as failed; "" if it does not."""
    output: str = ""


class SetRun(msgspec.Struct, frozen=True):
    """What came of a set of requirements, by the suite's own scoring."""

    revision: str
    scored: tuple[tuple[str, bool], ...]
    """Scenario and whether it passed."""
    not_scored: tuple[tuple[str, bool], ...]
    why: str = ""
    """Why the run as a whole failed, or ""."""
    output: str = ""

    @property
    def is_good(self) -> bool:
        """Whether everything passed, and there was something to pass."""
        return not self.why and bool(self.scored) and all(good for _, good in (*self.scored, *self.not_scored))


def revisions(place: Path = PLACE) -> tuple[str, ...]:
    """The revisions that the suite has requirements for, oldest first. Raises: NotInstalled."""
    folder = _modules(place) / PACKAGE / "requirements"
    if not folder.is_dir():
        raise NotInstalled(f"the conformance suite is not in {place.name}: run `{INSTALL}`")
    return tuple(sorted(each.stem for each in folder.glob("*.yaml")))


async def scenarios() -> tuple[Scenario, ...]:
    """All client scenarios, in the suite's order. Raises: NotInstalled; RuntimeError if it lists none."""
    _, output = await _suite(["list", "--client"], ONE_S)
    found = listed(output)
    if not found:
        raise RuntimeError(f"the suite lists no client scenario: {output}")
    return found


async def run_one(name: str, wire: str) -> Run:
    """Run a scenario by the strictest of the suite's scorings: no failure, no warning, in time, right exit status."""
    words = ["client", "--command", CLIENT, "--scenario", name]
    words += ["--spec-version", wire, "--force"] if wire else []
    return judged(name, wire, *await _suite(words, ONE_S))


async def run_set(revision: str) -> SetRun:
    """Run all that a revision requires, at once, by the suite's own scoring."""
    return scored(revision, *await _suite(["client", "--command", CLIENT, "--requirements", revision], SET_S))


async def run_server(url: str) -> dict[str, tuple[int, int]]:
    """Run the server scenarios against a server: how many checks passed and failed, by scenario."""
    _, output = await _suite(["server", "--url", url], SET_S)
    return {name: (int(passed), int(failed)) for name, passed, failed in _IN_SET.findall(output)}


async def run_server_scenario(url: str, name: str, wire: str) -> str:
    """Run one server scenario against a server, and return what the suite prints."""
    return (await _suite(["server", "--url", url, "--scenario", name, "--spec-version", wire], ONE_S))[1]


def listed(output: str) -> tuple[Scenario, ...]:
    """What `list --client` printed."""
    return tuple(Scenario(name, tuple(tags.split(","))) for name, tags in _LISTED.findall(output))


def judged(name: str, wire: str, status: int | None, output: str) -> Run:
    """The verdict on one run, from the exit status (None: its time was over) and what was printed."""
    counts = _COUNTS.search(output)
    passed, failed, warned = (int(each) for each in counts.groups()) if counts else (0, 0, 0)
    if status is None:
        why = f"not over after {ONE_S:g} s"
    elif counts is None:
        why = "the suite gave no verdict"
    elif failed or warned:
        why = f"{failed} failed, {warned} warnings"
    elif status or "OVERALL: PASSED" not in output:
        why = f"exit status {status}, or a time-out of the client"
    elif not passed:
        why = "no check was made: the client never got there"
    else:
        why = ""
    return Run(name, wire, passed, why, output)


def scored(revision: str, status: int | None, output: str) -> SetRun:
    extras = dict(_NOT_SCORED.findall(output))
    results = [(name, int(passed) > 0 and not int(failed)) for name, passed, failed in _IN_SET.findall(output)]
    why = f"not over after {SET_S:g} s" if status is None else f"exit status {status}" if status else ""
    return SetRun(
        revision,
        tuple(each for each in results if each[0] not in extras),
        tuple(each for each in results if each[0] in extras),
        why,
        output,
    )


async def _suite(words: list[str], seconds: float) -> tuple[int | None, str]:
    """Run the suite; its exit status, None if its time was over, and all that it printed, without colours."""
    child = await asyncio.create_subprocess_exec(
        _node(),
        str(_modules(PLACE) / PACKAGE / "dist" / "index.js"),
        *words,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env=_environment(os.environ),
        cwd=ROOT,
        start_new_session=True,
    )
    printed = bytearray()
    try:
        async with asyncio.timeout(seconds):
            await _read(child, printed)
            status: int | None = await child.wait()
    except TimeoutError:
        status = None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        await child.wait()
    return status, _COLOUR.sub("", printed.decode(errors="replace"))


def _node() -> str:
    """The node that came with the suite, or the system's where npm was not allowed to unpack it."""
    own = _modules(PLACE) / ".bin" / "node"
    found = str(own) if own.exists() else shutil.which("node")
    if found is None:
        raise NotInstalled(f"there is no node in {PLACE.name}: run `{INSTALL}`")
    return found


async def _read(child: asyncio.subprocess.Process, into: bytearray) -> None:
    assert child.stdout is not None, "its output is a pipe"
    while piece := await child.stdout.read(65536):
        into += piece


def _environment(ours: Mapping[str, str]) -> dict[str, str]:
    """Ours, with this checkout first, and without what the person who runs this has set for the inspector."""
    kept = {name: value for name, value in ours.items() if not name.startswith(("MCP_INSPECT_", "MCP_CONFORMANCE_"))}
    return kept | {"PYTHONPATH": str(ROOT), "MCP_INSPECT_HOME": str(PLACE / "conformance" / "home")}


def _modules(place: Path) -> Path:
    return place / "conformance" / "node_modules"
