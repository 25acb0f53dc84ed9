"""The report of a load test: terminal lines, JSON, Markdown, JUnit XML, and a live display."""

import json
import os
import platform
import xml.etree.ElementTree as Xml
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Any

import msgspec

from inspector import __version__
from inspector.features.bench.model import (
    LIMITS,
    BenchResult,
    BenchVerdict,
    LatencySummary,
    LevelResult,
    LoadModel,
    ranked,
)
from inspector.features.bench.running import BenchProgress
from inspector.features.bench.verdicts import FORMAT, VERSION, growth, level_summary
from inspector.present.spans import Line
from inspector.present.stats_report import course
from inspector.text import fit, visible

_MIB = 1 << 20
_NEAR = 0.5
"""Fraction of mcp-inspect's own maximum rate above which figures describe mcp-inspect rather than the server."""

_HEAD = f"{'tool':<19}{'in flight':>10}{'calls':>8}{'per s':>8}{'p50':>7}{'p95':>7}{'p99':>7}{'max':>7}{'errors':>7}"
_EDGES_MS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000)

_RECENT = 2000
"""Number of newest latencies that are drawn."""


# JSON


def as_data(result: BenchResult, found: Sequence[BenchVerdict]) -> dict[str, Any]:
    """Return the report as JSON data, which `--against` also reads."""
    return {
        FORMAT: VERSION,
        "target": result.target,
        "server": {name: result.server.get(name) for name in ("name", "version")},
        "revision": result.revision,
        "machine": {"cpus": os.cpu_count(), "system": platform.system(), "program": f"mcp-inspect {__version__}"},
        "ceiling": [_ceiling(level) for level in result.ceiling],
        "start": _start(result),
        "alone": [
            level_summary(LevelResult(LoadModel.CLOSED, 1, times=result.alone, errors=result.alone_errors), label)
            for label in sorted({*result.alone, *result.alone_errors})
        ],
        "levels": [_level(level) for level in result.levels],
        "usage": _usage(result),
        "checked": result.checked,
        "varying": sorted(result.varying),
        "blocking": msgspec.to_builtins(result.blocking) if result.blocking else {"not_checked": result.not_blocking},
        "slowest": [
            {"name": each.label, "level": each.level, "ms": round(each.ns / 1e6, 4)} for each in result.slowest
        ],
        "verdicts": [msgspec.to_builtins(each) for each in found],
        "notes": [*result.notes, *limits_of(result)],
    }


def encoded(data: dict[str, Any]) -> bytes:
    """Return the encoded report file."""
    return json.dumps(data, indent=1, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def _ceiling(level: LevelResult) -> dict[str, Any]:
    whole = level.whole()
    return {"concurrency": level.load, "rate": round(level.rate, 1), "p50_ms": round(whole.p50, 4) if whole else None}


def _start(result: BenchResult) -> dict[str, float | None]:
    cold, warm = result.starts_ms[:1], result.starts_ms[1:]
    first = result.first_call_ms
    return {
        "cold_ms": round(cold[0], 2) if cold else None,
        "warm_ms": round(median(warm), 2) if warm else None,
        "first_call_ms": round(median(first), 3) if first else None,
    }


def _level(level: LevelResult) -> dict[str, Any]:
    lag = sorted(level.lag)
    return {
        "name": level.name,
        "model": level.model,
        "load": level.load,
        "seconds": round(level.seconds, 3),
        "calls": level.answered,
        "rate": round(level.rate, 2),
        "failed": level.failed,
        "late_p99_ms": round(ranked(lag, 0.99) / 1e6, 3) if lag else None,
        "tools": [level_summary(level, label) for label in level.labels],
        "usage": [msgspec.to_builtins(each) for each in level.usage],
    }


def _usage(result: BenchResult) -> dict[str, Any] | None:
    if result.before is None:
        return None
    found = {what: growth(result, what) for what in ("rss", "fds", "threads", "processes")}
    peaks = {what: max([getattr(each, what) for level in result.levels for each in level.usage], default=None)
             for what in found}  # fmt: skip
    return {what: {**msgspec.to_builtins(each), "peak": peaks[what]} for what, each in found.items()}


def limits_of(result: BenchResult) -> list[str]:
    """Return what limits the meaning of this run's figures."""
    best = {level.load: level.rate for level in result.ceiling}
    near = [
        level.name
        for level in result.levels
        if level.model is LoadModel.CLOSED and level.rate > _NEAR * best.get(level.load, float("inf"))
    ]
    notes = [f"at {' and '.join(near)}, mcp-inspect limits the rate: see its own ceiling"] if near else []
    notes += [f"at {each.name}, no call ended" for each in result.levels if not (each.answered or each.failed)]
    refused = sum(kinds[kind] for each in result.levels for kinds in each.errors.values() for kind in LIMITS)
    notes += [f"the server's rate limit refused {refused:,} calls; --rate stays below it"] if refused else []
    late = [level for level in result.levels if level.lag]
    notes += [
        f"at {level.name}, mcp-inspect sent 1 % of the calls {worst / 1e6:.1f} ms late or later"
        for level in late
        if (worst := sorted(level.lag)[int(len(level.lag) * 0.99)]) > 5_000_000
    ]
    if result.varying:
        names = ", ".join(sorted(result.varying))
        notes.append(f"results of {names} also differ without load and are not compared")
    return notes


# Lines


def _ms(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def lines(result: BenchResult, found: Sequence[BenchVerdict], failed: Sequence[str]) -> list[Line]:
    """Return the report as lines for the terminal. Times are milliseconds."""
    start = _start(result)
    name = " ".join(str(result.server[key]) for key in ("name", "version") if result.server.get(key))
    shown_lines: list[Line] = [
        ((visible(name or result.target), "strong"), (f"  {result.revision}", "muted")),
        (
            ("start        ", "muted"),
            (f"first {_ms(start['cold_ms'])} ms, then {_ms(start['warm_ms'])} ms; ", "text"),
            (f"first call {_ms(first)} ms" if (first := start["first_call_ms"]) else "no call succeeded", "text"),
        ),
        (("mcp-inspect  ", "muted"), (f"sustains {_ceilings(result)}", "text")),
        (),
        ((_HEAD, "title"),),
    ]
    for level in result.levels:
        for label in level.labels:
            row = level_summary(level, label)
            shown_lines.append(_row(visible(label), level.name.removesuffix(" in flight").replace(",", ""), row))
    shown_lines += [(), *_usage_lines(result), *_blocking_lines(result)]
    shown_lines += [
        (("note         ", "muted"), (visible(note), "muted")) for note in (*result.notes, *limits_of(result))
    ]
    shown_lines.append(())
    for verdict in found:
        shown_lines.append((("✗ ", "error"), (verdict.id, "strong"), (f"  {visible(verdict.sentence)}", "text")))
        shown_lines.append((("  → ", "accent"), (verdict.fix, "muted")))
        shown_lines += [((f"    {visible(line)}", "stderr"),) for line in verdict.evidence.get("stderr", ())]
    shown_lines += [(("✗ ", "error"), ("over the limit  ", "strong"), (visible(each), "text")) for each in failed]
    if not found and not failed:
        shown_lines.append((("✓ ", "ok"), (f"no defect found; {result.checked:,} results compared", "text")))
    return shown_lines


def _row(label: str, load: str, row: dict[str, Any]) -> Line:
    errors = sum(row["errors"].values())
    kinds = ", ".join(row["errors"])
    times = "".join(f"{_ms(row[f'{name}_ms']):>7}" for name in ("p50", "p95", "p99", "max"))
    return (
        (fit(label, 18).ljust(19), "target"),
        (f"{load:>10}{row['calls']:>8,}{row['rate']:>8,.0f}{times}", "text"),
        (f"{errors:>7,}", "error" if errors else "faint"),
        (f"  {visible(kinds)}" if kinds else "", "error"),
    )


def _ceilings(result: BenchResult) -> str:
    parts = []
    for level in result.ceiling:
        whole = level.whole()
        parts.append(f"{level.rate:,.0f}/s at {level.load:g}" + (f" (p50 {whole.p50:.2f} ms)" if whole else ""))
    return ", ".join(parts) + " with a trivial server on stdio"


def _usage_lines(result: BenchResult) -> list[Line]:
    shown_lines: list[Line] = []
    for what, name in (("rss", "memory"), ("fds", "descriptors"), ("threads", "threads")):
        found = growth(result, what)
        if found is None:
            continue
        scale, unit = (_MIB, " MiB") if what == "rss" else (1, "")
        slope = "" if found.per_1000_calls is None else f", {found.per_1000_calls / scale:+.2f}{unit} per 1,000 calls"
        members = {
            "grows": "grows",
            "rose": "rose, but not steadily with the calls; --for 60s shows whether it continues",
            "steady": "steady",
            "undecided": "rose, by no more than a heap takes before it is collected; --soak 5m decides",
            "unclear": "too few samples to judge; try --for 30s",
        }
        shown_lines.append(
            (
                (f"{name:<13}", "muted"),
                (f"{found.first / scale:,.0f} → {found.last / scale:,.0f}{unit}{slope}: ", "text"),
                (members[found.verdict], "error" if found.verdict == "grows" else "text"),
            )
        )
    if not shown_lines:
        shown_lines.append((("memory       ", "muted"), ("not measured: the process is not known; see --pid", "muted")))
    return shown_lines


def _blocking_lines(result: BenchResult) -> list[Line]:
    found = result.blocking
    if found is None:
        return [(("blocking     ", "muted"), (f"not checked: {result.not_blocking}", "muted"))] * bool(
            result.not_blocking
        )
    beside = [(found.probe, found.probe_ms, found.probe_beside_ms)]
    if found.fast:
        beside.append((found.fast, found.fast_ms, found.fast_beside_ms))
    message = "; ".join(f"{visible(name)} {_ms(alone)} ms, {_ms(with_)} ms beside it" for name, alone, with_ in beside)
    slow = f"{visible(found.slow)} {_ms(found.slow_ms)} ms, {found.together} at once {_ms(found.together_ms)} ms; "
    return [(("blocking     ", "muted"), (slow + message, "text"))]


# Markdown and JUnit


def markdown(result: BenchResult, found: Sequence[BenchVerdict], failed: Sequence[str]) -> str:
    """Return a document with the table, the verdicts and the exceeded limits."""
    title = visible(" ".join(str(result.server[key]) for key in ("name", "version") if result.server.get(key)))
    out = [f"# Load test of {_escaped(title or result.target)}", ""]
    out += [f"- mcp-inspect sustains {_ceilings(result)}."]
    start = _start(result)
    out += [f"- Start: first {_ms(start['cold_ms'])} ms, then {_ms(start['warm_ms'])} ms.", ""]
    out += ["| tool | load | calls | per second | p50 ms | p95 ms | p99 ms | max ms | errors |"]
    out += ["|---|---|--:|--:|--:|--:|--:|--:|--:|"]
    for level in result.levels:
        for label in level.labels:
            row = level_summary(level, label)
            times = " | ".join(_ms(row[f"{name}_ms"]) for name in ("p50", "p95", "p99", "max"))
            errors = sum(row["errors"].values())
            shown = _escaped(visible(label))
            out.append(f"| {shown} | {level.name} | {row['calls']:,} | {row['rate']:,.0f} | {times} | {errors:,} |")
    out += ["", "## Verdicts", ""]
    out += [f"- **{each.id}**: {_escaped(visible(each.sentence))}. {each.fix}" for each in found]
    out += [f"- over the limit: {_escaped(visible(each))}" for each in failed]
    if not found and not failed:
        out.append("No defect found.")
    out += ["", *(f"- Note: {_escaped(visible(note))}." for note in (*result.notes, *limits_of(result)))]
    return "\n".join(out).rstrip() + "\n"


def _escaped(text: str) -> str:
    return "".join(f"\\{char}" if char in "\\|`*_<>[]#" else char for char in text)


def junit(result: BenchResult, found: Sequence[BenchVerdict], failed: Sequence[str]) -> bytes:
    """Return a JUnit suite: one test per tool and level, per verdict, and per exceeded limit."""
    rows = [(level, label) for level in result.levels for label in level.labels]
    problems = [(each.id, each.sentence) for each in found] + [("fail-on", each) for each in failed]
    suite = Xml.Element("testsuite", name=visible(result.target), tests=str(len(rows) + len(problems)))
    suite.set("failures", str(len(problems)))
    suite.set("errors", "0")
    for level, label in rows:
        case = Xml.SubElement(suite, "testcase", classname="bench", name=visible(f"{label}, {level.name}"))
        case.set("time", f"{level.seconds:.3f}")
        figures = level_summary(level, label)
        Xml.SubElement(case, "system-out").text = visible(str({key: figures[key] for key in figures if key != "name"}))
    for name, sentence in problems:
        case = Xml.SubElement(suite, "testcase", classname="bench.verdicts", name=name)
        Xml.SubElement(case, "failure", message=visible(sentence))
    text: str = Xml.tostring(suite, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


# Live


def live_lines(progress: BenchProgress, width: int) -> list[str]:
    """Show the running level: rate, a histogram of recent latencies, memory as a sparkline."""
    level = progress.level
    done = [
        f"  {each.name:>18}  {each.rate:>9,.0f}/s  {_short(each.whole())}  {each.failed:,} failed"
        for each in progress.done
    ]
    if level is None:
        return [f"{progress.phase} …", *done]
    recent = [ns / 1e6 for times in level.times.values() for ns in times[-_RECENT:]]
    elapsed = level.usage[-1].at_s if level.usage else 0.0
    shown = [f"{progress.phase}: {level.answered:,} answered, {level.failed:,} failed, {elapsed:.0f} s", *done]
    shown += histogram(recent, max(10, width - 32))
    if level.usage:
        values = [each.rss / _MIB for each in level.usage]
        shown.append(f"  memory {values[-1]:,.0f} MiB  {course(values, max(10, width - 32))}")
    return shown


def _short(whole: LatencySummary | None) -> str:
    return "no result" if whole is None else f"p50 {_ms(whole.p50)}  p95 {_ms(whole.p95)} ms"


def histogram(values_ms: Sequence[float], width: int) -> list[str]:
    """Return one bar per latency class, from the lowest to the highest in use."""
    edges = (0.0, *_EDGES_MS, float("inf"))
    counts = [sum(low <= value < high for value in values_ms) for low, high in pairwise(edges)]
    used = [place for place, number in enumerate(counts) if number]
    if not used:
        return []
    most = max(counts)
    return [
        f"  {_edge(edges[place], edges[place + 1]):>14} {'█' * max(number > 0, round(number / most * width))}"
        f" {number:,}"
        for place in range(used[0], used[-1] + 1)
        for number in (counts[place],)
    ]


def _edge(low: float, high: float) -> str:
    return f"over {low:g} ms" if high == float("inf") else f"under {high:g} ms"
