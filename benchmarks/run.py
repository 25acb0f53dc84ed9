"""Measures what is waited for, floods, memory and rest: python -m benchmarks.run [DIRECTORY] [--before CHECKOUT]

The first lines are those of `benchmarks.targets`, which says what DIRECTORY and CHECKOUT are.
Times are medians of runs taken in turn with the floor beside them, so that a busy machine slows both; each waits a
little for a quiet moment. What is judged are ratios and generous figures. It exits with 1 where a limit is passed,
and takes some minutes; with --full, which measures a million frames instead of a hundred thousand, about ten.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

from benchmarks import (
    apps,
    checks,
    comparing,
    copying,
    details,
    dialogs,
    filters,
    forms,
    hostile,
    measure,
    mocks,
    moments,
    official,
    quitting,
    statistics,
    surfaces,
    targets,
    views,
)
from benchmarks import captures as long
from benchmarks.servers import FLOOD_SIZE, HUGE_LINE, STDERR_FLOOD, STEADY, STEADY_RATE, STEADY_SIZE
from benchmarks.table import Row, in_turn

SLOW = 100_000
"""Bytes a second that a slow terminal takes."""
T = TypeVar("T")


def flood(home: Path) -> Iterator[Row]:
    """A flood of notifications with the screen and the capture on, keys meanwhile, and rest afterwards."""
    seen, kept = measure.flood(measure.environment(home), home / "flood.mcpcap")
    held = f"{kept.count:,} {'in order' if kept.in_order else 'NOT in order'}, {kept.a_second:,.0f} a second"
    yield Row(f"capture of {FLOOD_SIZE:,} notifications of 200 B", held, "all, in order, verified", kept.whole)
    yield Row("the same flood, how fast", f"{kept.a_second:,.0f} a second", "50,000 a second", kept.a_second >= 50_000)
    yield keys("keys during that flood", seen, most_ms=50)
    per = (seen.at_end_mb - seen.at_start_mb) * 1_000_000 / FLOOD_SIZE
    memory = f"{seen.at_start_mb:.0f} MB, after the flood {seen.at_end_mb:.0f} MB ({per:.0f} B a message)"
    yield Row("memory after the start", memory, "100 MB after it", seen.at_end_mb <= 100)
    rest = f"{seen.idle_percent:.1f} % of a core, {seen.idle_bytes} bytes to the terminal"
    rest += f" (checks went on for {seen.until_rest_s:.0f} s)"
    yield Row("rest", rest, "2 %, 0 bytes", seen.idle_percent < 2 and seen.idle_bytes == 0)


def others(home: Path) -> Iterator[Row]:
    """The other floods."""
    env = measure.environment(home)
    seen = measure.sitting(env, STDERR_FLOOD, entries=FLOOD_SIZE)
    yield keys(f"keys during {FLOOD_SIZE:,} lines of stderr", seen, most_ms=50)
    seen = measure.sitting(env, STEADY, entries=STEADY_SIZE)
    yield keys(f"keys during {STEADY_RATE:,} messages a second", seen, most_ms=50)
    seen = measure.sitting(env, STEADY, entries=STEADY_SIZE, most_a_second=SLOW)
    groupings = ((b"]", b"initialize"), (b"[", b"No tool calls"))
    counted = measure.sitting(env, STEADY, entries=STEADY_SIZE, screen=b"vs", answers=groupings)
    yield keys("the same on the Statistics screen", counted, most_ms=50)
    figures = f"median {seen.median_ms:.0f} ms, p95 {seen.p95_ms:.0f} ms of {len(seen.keys_ms)}"
    yield Row("the same on a terminal of 100 kB a second", figures, "median 250 ms", seen.median_ms <= 250)
    seen = measure.sitting(env, HUGE_LINE, entries=1, around_s=2)
    yield keys("keys while one message of 100 MB comes", seen, most_ms=500)


def finding(home: Path, *, frames: int = 100_000) -> Iterator[Row]:
    """Filters on many frames, against one search through their bytes."""
    times_more = frames / 100_000
    for each in filters.measure(frames, home / "filters.mcpcap"):
        times = (
            f"first screen {each.first_ms:.0f} ms, complete {each.complete_ms:.0f} ms, loop held {each.lag_ms:.0f} ms"
        )
        limit, floors = (200, 6) if "dense" in each.name or "whole" in each.name else (80, 3)
        yield Row(
            f"filter of {frames:,} frames, {each.name}",
            f"{each.hits:,} hits: {times} (floor {each.floor_ms:.0f} ms)",
            f"{limit * times_more:.0f} ms or {floors} floors, held 60 ms",
            each.complete_ms <= max(limit * times_more, floors * each.floor_ms) and each.lag_ms <= 60,
        )


def captures(home: Path, *, frames: int = 100_000) -> Iterator[Row]:
    """A long capture, opened for the first time and again; jumps in it against the same in a tenth of it."""
    env, small, path = measure.environment(home), home / "small.mcpcap", home / "long.mcpcap"
    long.make(small, frames // 10)
    long.make(path, frames)
    measure.await_quiet()
    floor, few = long.floor_s(path), long.open_it(env, small, frames // 10)
    measure.await_quiet()
    once = long.open_it(env, path, frames)
    measure.await_quiet()
    again = long.open_it(env, path, frames)
    most_s = max(1.5 + frames / 100_000, 9 * floor)  # the goal is 10 s for a million, once the program runs
    name = f"a capture of {frames:,} frames"
    figures = f"first rows {once.first_s:.2f} s, complete {once.complete_s:.1f} s (its lines alone {floor:.1f} s)"
    yield Row(
        f"{name}, opened", figures, f"1 s, {most_s:.1f} s or 9 floors", once.first_s <= 1 and once.complete_s <= most_s
    )
    figures = f"first rows {again.first_s:.2f} s, complete {again.complete_s:.2f} s"
    yield Row("the same, opened again", figures, "1.5 s", again.complete_s <= 1.5)
    index = long.bytes_an_entry(env, path)
    yield Row("its index", f"{index:.1f} bytes a message", "48 bytes", index <= 48)
    most_mb = 85 + frames / 28_500  # 120 MB for a million, checks included
    resident = max(once.resident_mb, again.resident_mb)
    figures = f"{once.resident_mb:.0f} MB, again {again.resident_mb:.0f} MB (checked for {again.checked_s:.0f} s)"
    yield Row("memory with all of it", figures, f"{most_mb:.0f} MB", resident <= most_mb)
    figures = f"{again.jump_ms:.1f} ms of processor time (in a tenth of it {few.jump_ms:.1f} ms)"
    fast = again.jump_ms <= max(20.0, 2 * few.jump_ms)
    yield Row("a jump from end to end, with its picture", figures, "20 ms, or twice the other", fast)
    seen = moments.jumps(path)
    worst, usual = seen.slowest_s * 1000, seen.median_s * 1000
    figures = f"at worst {worst:.0f} ms of CPU, half below {usual:.0f}, {seen.floors:.1f} floors"
    kept = seen.slowest_s <= 1 and seen.floors <= 8
    yield Row("a jump to what was known at any of its entries", figures, "1000 ms and 8 floors (its lines read)", kept)


def mocked(home: Path, *, frames: int = 100_000) -> Iterator[Row]:
    """The server of a long capture, played for the first time and again."""
    env, path = measure.environment(home / "mock"), home / "mocked.mcpcap"
    long.make(path, frames)
    floor = long.floor_s(path)
    measure.await_quiet()
    once = mocks.play(env, path)
    measure.await_quiet()
    again = mocks.play(env, path)
    most_s = max(1.0 + frames / 100_000, 12 * floor)  # the goal is 1 or 2 s for these, and seconds for a million
    name = f"a mock of {frames:,} frames"
    figures = f"{once.first_s:.1f} s (its lines alone {floor:.1f} s), its first call {once.call_s:.2f} s"
    yield Row(f"{name}, initialize", figures, f"{most_s:.1f} s or 12 floors", once.first_s <= most_s)
    most_again = max(2.0 + frames / 400_000, 6 * floor)
    figures = f"{again.first_s:.2f} s, its first call {again.call_s:.2f} s"
    yield Row("the same, played again", figures, f"{most_again:.1f} s or 6 floors", again.first_s <= most_again)
    most_mb = 60 + frames / 12_500
    figures = f"{once.resident_mb:.0f} MB, again {again.resident_mb:.0f} MB"
    yield Row("its memory", figures, f"{most_mb:.0f} MB", max(once.resident_mb, again.resident_mb) <= most_mb)


def quietly(once: Callable[[], T], times: int = 3) -> list[T]:
    """What comes of it some times, each in a moment as quiet as can be had."""
    came: list[T] = []
    for _ in range(times):
        measure.await_quiet()
        came.append(once())
    return came


def large(home: Path) -> Iterator[Row]:
    """One large message in the detail, and many tools. The best of three: what else runs here only adds to it."""
    for name, payload, shown_ms, held_ms in (
        ("a result of 9 MB in the detail", details.large_result(), 600, 50),
        ("a text of 100 MB in the detail", details.huge_string(), 2000, 250),
    ):
        seen = quietly(partial(details.look_at, payload))
        shown, held = min(each.shown_ms for each in seen), min(each.held_ms for each in seen)
        jump, found = min(each.jump_ms for each in seen), min(each.found_ms for each in seen)
        floor = min(each.parse_ms for each in seen)
        figures = f"{shown:.0f} ms, loop held {held:.0f} ms, jump {jump:.1f} ms, searched {found:.0f} ms"
        kept = shown <= max(shown_ms, 3 * floor) and held <= held_ms and jump <= 20
        limit = f"{shown_ms} ms or 3 parses, held {held_ms}, jump 20"
        yield Row(name, f"{figures} (parse {floor:.0f} ms)", limit, kept)
    env = measure.environment(home)
    for name, per_page in ((f"{details.TOOLS:,} tools in one page", details.TOOLS), ("1,000 tools in 10 pages", 100)):
        times = quietly(partial(details.many_tools, env, per_page))
        shown, searched = min(each[0] for each in times), min(each[1] for each in times)
        figures = f"{shown:.2f} s from the start to the list, {searched:.2f} s to find one by six keys"
        yield Row(name, figures, "2 s, 1 s", shown <= 2 and searched <= 1)


def keys(name: str, seen: measure.Sitting, *, most_ms: float) -> Row:
    """How soon keys were answered; judged is what nineteen of twenty keep to."""
    worst = max(seen.keys_ms)
    figures = f"median {seen.median_ms:.0f} ms, p95 {seen.p95_ms:.0f} ms, worst {worst:.0f} ms of {len(seen.keys_ms)}"
    return Row(name, figures, f"p95 {most_ms:.0f} ms", seen.p95_ms <= most_ms)


def counting() -> Iterator[Row]:
    """Statistics of a million calls: percentiles against exact ones, and pictures while more is counted."""
    found = statistics.counted(views.MANY)
    yield Row(
        f"statistics of {views.MANY:,} calls",
        f"{found.each_us:.1f} µs of CPU a call, percentiles off by {found.off * 100:.2f} % at worst",
        "10 µs, 1 %",
        found.each_us <= 10 and found.off <= 0.01,
    )
    figures = f"{found.picture_ms:.1f} ms, counting a slice {found.slice_ms:.1f} ms"
    yield Row("a picture of them, all groups changed", figures, "10 ms of CPU", found.picture_ms <= 10)


def looking(home: Path) -> Iterator[Row]:
    """A picture of the list and of the waterfall anywhere in ten thousand entries, and in a million."""
    few, many = (views.conversation(entries) for entries in (views.FEW, views.MANY))
    for name, draw in (
        ("the tree", partial(views.list_frames, tree=True)),
        ("the order of the wire", partial(views.list_frames, tree=False)),
        ("the waterfall", views.lane_frames),
    ):
        small, large = draw(few), draw(many)
        figures = f"{large.median_ms:.1f} ms, worst {large.worst_ms:.1f} ms; of {views.FEW:,} {small.median_ms:.1f} ms"
        yield Row(f"a picture of {name} of a million entries", figures, "10 ms of CPU", large.median_ms <= 10)
    yield from counting()
    change = views.change_of_view(many)
    figures = f"{change.rows:,} rows, loop held {change.held_ms:.0f} ms of {change.all_ms:.0f} ms in all"
    yield Row("another view under a dense filter", figures, "held 30 ms", change.held_ms <= 30)
    few.close()
    many.close()


def checked(home: Path) -> Iterator[Row]:
    """The checks, against the fold that every message goes through."""
    entries = checks.conversation()
    ours, fold = in_turn(lambda: checks.seconds_of_checks(entries), lambda: checks.seconds_of_fold(entries))
    figures = f"{len(entries) / ours:,.0f} messages a second, {ours / fold:.2f} times the fold"
    yield Row("checks without the expensive ones", figures, "3 times", ours / fold <= 3)


def hostile_servers(home: Path) -> Iterator[Row]:
    """Keys while servers do their worst, with the checks on, against keys beside a quiet one in the same minute."""
    floor = 0.0
    for seen in hostile.all_scenes(measure.environment(home)):
        floor = floor or seen.p95_ms
        kept = seen.p95_ms <= max(100.0, 2 * floor)
        yield Row(f"keys: {seen.name}", str(seen), "p95 100 ms or twice the quiet one's", kept)


def opened_often(home: Path) -> Iterator[Row]:
    """Help, palette and dialogs again and again, then screen after screen: nothing of it stays."""
    seen = dialogs.sitting(measure.environment(home / "dialogs"))
    figures = f"median {seen.opened_ms:.0f} ms, worst {seen.worst_ms:.0f} ms"
    yield Row("help, palette and the dialog to open, key to picture", figures, "median 50 ms", seen.opened_ms <= 50)
    figures = f"{seen.dialogs_mb:+.1f} MB over 500 dialogs, {seen.screens_mb:+.1f} MB over 1,000 changes of screen"
    yield Row("memory of what was closed", figures, "10 MB", max(seen.dialogs_mb, seen.screens_mb) <= 10)
    yield Row("quitting after all that", f"{seen.quit_s:.2f} s", "0.5 s", seen.quit_s <= 0.5)


def filled(home: Path) -> Iterator[Row]:
    """Forms of large schemas on the screen, and the largest schema read."""
    for form in forms.drawn(measure.environment(home / "forms"), home):
        most = 0.15 if form.name == "sixty" else 0.2
        figures = f"{form.median_s * 1000:.0f} ms, {form.cpu_s * 1000:.0f} ms of CPU, {form.more_mb:+.0f} MB"
        fine = form.median_s <= most and form.more_mb <= 30
        yield Row(f"form on the screen: {form.name}", figures, f"{most * 1000:.0f} ms, 30 MB", fine)
    took = forms.read_s()
    yield Row("schema of 400 unions of each other, read", f"{took * 1000:.0f} ms of CPU", "200 ms", took <= 0.2)


def left(home: Path) -> Iterator[Row]:
    """From `q`, or a signal, to the end of the process: at rest, after much use, and in storms."""
    for scene, took in quitting.all_scenes(measure.environment(home / "quitting"), home):
        yield Row(f"quitting: {scene.name}", f"{took:.2f} s", f"{scene.most_s} s", took <= scene.most_s)


def compared(home: Path) -> Iterator[Row]:
    """Two long captures side by side, all of whose calls differ; two large surfaces."""
    before, after = comparing.make(home)
    (ours, differing), reading = comparing.seconds(before, after), comparing.seconds_of_reading(before, after)
    figures = f"{ours:.1f} s of CPU, {ours / reading:.1f} times the reading; {differing:,} operations differ"
    yield Row(f"diff of two captures of {comparing.FRAMES:,} frames", figures, "5 times", ours / reading <= 5)
    old, new = surfaces.make(home)
    (ours, differing), parsing = surfaces.seconds(old, new), surfaces.seconds_of_parsing(old, new)
    figures = f"{ours:.1f} s of CPU, {ours / parsing:.1f} times the parsing; {differing:,} tools differ"
    kept = ours / parsing <= 5 and differing == surfaces.CHANGED
    yield Row(f"diff of two surfaces of {surfaces.TOOLS:,} tools", figures, "5 times", kept)


def copied(home: Path, *, frames: int = 100_000) -> Iterator[Row]:
    """A capture with 500 secrets, verified, saved and shared."""
    path = home / "copied.mcpcap"
    copying.make(path, frames)
    size = path.stat().st_size / 1e6
    floor, verified, saved = copying.floor_s(path), copying.verify_s(path), copying.recover_s(path)
    for name, spent, most in (("verify", verified, 4), ("recover", saved, 4)):
        figures = f"{size / spent:.0f} MB a second of CPU, {spent / floor:.1f} floors"
        yield Row(f"{name}, {size:.0f} MB", figures, f"{most} floors (read, hashed)", spent <= most * floor)
    spent, replaced, left = copying.share_s(path)
    figures = f"{size / spent:.0f} MB a second of CPU, {spent / floor:.1f} floors; {replaced:,} replaced, {left} left"
    kept = spent <= 60 * floor and left == 0 and replaced > copying.SECRETS
    yield Row(f"share, {size:.0f} MB", figures, "60 floors, none left", kept)


def messages_of_apps(home: Path) -> Iterator[Row]:
    """A message of an app to Python and back, beside one that the browser's page itself echoes."""
    echo, ours = apps.round_trips()
    yield Row("message of an app and back", f"{ours:.1f} ms, {echo:.1f} ms for an echo", "5 ms more", ours <= echo + 5)


def main() -> int:
    """Measure all; 1 if a limit is passed. With `--full` filters and the long capture have a million frames."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true")
    targets.add_options(parser)
    given = parser.parse_args()
    frames = 1_000_000 if given.full else 100_000
    home = Path(tempfile.mkdtemp(prefix="mcp-inspect-benchmark-"))
    over = False
    try:
        long_capture = partial(captures, frames=frames)
        for part in (
            partial(targets.rows, peer=official.screen(given), before=given.before),
            partial(finding, frames=frames),
            large,
            looking,
            opened_often,
            filled,
            left,
            flood,
            checked,
            compared,
            hostile_servers,
            messages_of_apps,
            partial(copied, frames=frames),
            others,
            long_capture,
            partial(mocked, frames=frames),
        ):
            try:
                for row in part(home):
                    sys.stdout.write(f"{row}\n")
                    sys.stdout.flush()
                    over = over or not row.kept
            except (TimeoutError, OSError) as error:  # one part that fails leaves the others their turn
                sys.stdout.write(f"{Row('a measurement failed', repr(error), 'none', kept=False)}\n")
                over = True
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return int(over)


if __name__ == "__main__":
    raise SystemExit(main())
