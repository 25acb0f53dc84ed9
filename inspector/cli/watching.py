"""`--watch`: creates the watcher of a target, and reruns commands at each change of a file."""

import gc
import io
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec

from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.launch import numbered
from inspector.cli.output import Output
from inspector.config.targets import StdioTarget, Target
from inspector.errors import InspectError, UsageError
from inspector.features.watch.watcher import (
    FileChange,
    Glob,
    Watcher,
    default_globs,
    file_glob,
    read_glob,
    reloads_itself,
)
from inspector.present.spans import Line, span
from inspector.protocol.facts import without_lifetime
from inspector.text import clock, visible


class Ran(msgspec.Struct, frozen=True):
    """One run of a command."""

    status: ExitStatus
    facts: Mapping[str, str] = {}
    """Facts that are compared with the next run, by name. Untrusted text."""


Once = Callable[[CliEnv, dict[str, Any]], Ran]
"""Runs a command once with these options."""


def watcher_for(target: Target, typed: Sequence[str], files: Sequence[Path] = ()) -> Watcher:
    """Return a watcher, not started yet, of the globs as typed, or of a command's source files for "".

    `files` are watched as well.

    Raises: UsageError for an invalid glob, and for a URL without one.
    """
    globs: list[Glob] = [read_glob(each, Path.cwd()) for each in typed if each]
    if "" in typed:
        if not isinstance(target, StdioTarget):
            raise UsageError(
                "--watch needs a GLOB for a server that is reached by URL",
                hint="Name its source files: --watch 'src/**/*.py'.",
            )
        globs += default_globs(target.argv, Path(target.cwd))
    globs += map(file_glob, files)
    twice = reloads_itself(target.argv) if isinstance(target, StdioTarget) else ""
    warnings = [f"{twice} restarts the server, too: each change starts it twice. Use one of them."] if twice else []
    return Watcher(tuple(dict.fromkeys(globs)), warnings)


def watchers_for(main: Target, typed: Sequence[str]) -> Callable[[Target], Watcher | None]:
    """Return a function that returns the watcher of each server in the interface.

    Commands are watched, each with its own source files for "". A URL is watched only if it is `main`, and with the
    globs as typed.

    Raises: UsageError as `watcher_for`.
    """
    watcher_for(main, typed)

    def watcher(target: Target) -> Watcher | None:
        if not isinstance(target, StdioTarget) and target.key != main.key:
            return None
        return watcher_for(target, typed)

    return watcher


def run_watching(
    env: CliEnv, target: Target, options: Mapping[str, Any], once: Once, files: Sequence[Path] = ()
) -> ExitStatus:
    """Run a command now and at each change, and print the differences.

    Runs until Ctrl+C and returns the status of the last run. With --json each run is one line.
    """
    watcher = watcher_for(target, options["watch"], files)
    output = Output(env, as_json=options["as_json"], quiet=options["quiet"])
    ran, run, change = Ran(ExitStatus.OK), 0, None
    watcher.start()
    watcher.ready.wait()
    try:
        with _noting_interrupts() as interrupted:
            while True:
                run += 1
                capture = options["capture"]
                own = dict(options) | ({"capture": numbered(capture)} if capture is not None and run > 1 else {})
                ran = _run(env, output, own, once, run, change, ran if run > 1 else None)
                watcher.ended(well=bool(ran.facts) or ran.status is ExitStatus.OK)
                gc.unfreeze()  # `visit` froze objects of earlier runs, which are garbage now
                gc.collect()
                for problem in watcher.problems():
                    output.warn(problem)
                output.narrate(f"watching {watcher.shown}; Ctrl+C ends")
                change = watcher.wait(interrupted)
                if change is None:
                    return ran.status
    except KeyboardInterrupt:
        return ran.status
    finally:
        watcher.stop()


@contextmanager
def _noting_interrupts() -> Iterator[threading.Event]:
    """Set the event at Ctrl+C in addition to raising KeyboardInterrupt, which is lost if raised in a finalizer."""
    noted = threading.Event()

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        noted.set()
        signal.default_int_handler(number, frame)

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, before)


def _run(
    env: CliEnv,
    output: Output,
    options: dict[str, Any],
    once: Once,
    run: int,
    change: FileChange | None,
    before: Ran | None,
) -> Ran:
    """Run once and print the output unchanged, or within one line of JSON."""
    written = io.TextIOWrapper(io.BytesIO(), "utf-8")
    own = msgspec.structs.replace(env, stdout=written) if output.as_json else env
    if change is not None and not output.as_json:
        output.lines([(), _heading(change)])
    try:
        ran = once(own, options)
    except InspectError as error:  # a file that is being edited may be temporarily invalid
        ran = Ran(output.failure(error))
    found = {} if before is None else _changes(before.facts, ran.facts)
    if output.as_json:
        written.flush()
        report = written.buffer.getvalue().strip()
        about = {"run": run, "changed": change.name if change else None, "status": int(ran.status)}
        output.record(about | {"differences": found, "report": msgspec.Raw(report or b"null")})
    elif before is not None:
        output.lines(_change_lines(found))
    return ran


def _heading(change: FileChange) -> Line:
    more = f" and {change.more:,} more" if change.more else ""
    return (
        ("── ", "faint"),
        span(change.name, "title", limit=200),
        (f"{more} changed {clock(change.wall_ns)[:8]}", "muted"),
    )


def _changes(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, dict[str, str | None]]:
    """Return the previous and the current fact by name; None if it does not exist."""
    names = dict.fromkeys((*before, *after))
    pairs = {name: {"before": before.get(name), "after": after.get(name)} for name in names}
    return {name: pair for name, pair in pairs.items() if _lasting(pair["before"]) != _lasting(pair["after"])}


def _lasting(fact: str | None) -> str | None:
    return None if fact is None else without_lifetime(fact)


def _change_lines(found: Mapping[str, Mapping[str, str | None]]) -> list[Line]:
    if not found:
        return [(("Unchanged since the last run", "faint"),)]
    lines: list[Line] = [((f"{len(found):,} changed since the last run", "warning"),)]
    for name, pair in found.items():
        lines.append((("  ", "text"), span(name, "method", limit=200)))
        if (was := pair["before"]) is not None:
            lines.append(((f"    - {visible(was, limit=300)}", "removed"),))
        if (now := pair["after"]) is not None:
            lines.append(((f"    + {visible(now, limit=300)}", "added"),))
    return lines
