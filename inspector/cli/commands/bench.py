"""`mcp-inspect bench`: measure a server under load."""

import asyncio
import gc
import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import msgspec

from inspector.atomic_write import write_whole
from inspector.capture.compare.operations import accounts
from inspector.capture.journal import Journal, start_capture
from inspector.cli.arguments import joined, read_pairs
from inspector.cli.captures import loaded_capture
from inspector.cli.command_line import duration, lasting
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import print_failure
from inspector.cli.help import documented, shared
from inspector.cli.launch import close_capture, settings_for
from inspector.cli.options import headless_settings
from inspector.cli.output import Output
from inspector.cli.process import leaving_no_child
from inspector.cli.targets import choose
from inspector.errors import InspectError, UsageError
from inspector.features.bench import report
from inspector.features.bench.model import BenchCall, BenchOptions, BenchResult
from inspector.features.bench.running import BenchProgress, run_bench, save_slowest
from inspector.features.bench.verdicts import (
    FailLimits,
    demands_baseline,
    failures,
    not_compared,
    read_limits,
    read_report,
    verdicts,
)
from inspector.features.cases.collection import open_collection, planned
from inspector.features.cases.values import Values, secret_from
from inspector.protocol import peek
from inspector.protocol.credentials import SecretValues
from inspector.protocol.listed_items import Tool
from inspector.session.open import open_session
from inspector.session.session import Session
from inspector.text import cut

_CASES = (".yaml", ".yml")
_VARIANTS = 32
"""Number of different calls that are generated from one with {n} in its arguments."""
_CALLABLE = ("tools/call", "resources/read", "prompts/get", "completion/complete", "ping", "tools/list")
"""Methods of captured requests that are repeated."""
_MOST_CALLS = 10_000

_EXAMPLES = (
    "mcp-inspect bench -t 'echo message=hi' -- node server.js",
    "mcp-inspect bench --against base.json --fail-on 'p95 > 1.5x' -- node server.js",
)

_FILE = click.Path(path_type=Path, dir_okay=False)

_OF_OTHERS = {
    "--for": ("-d", "--duration", "-z", "--time", "--seconds", "--run-time"),
    "--concurrency": ("-c", "--connections", "-u", "--users", "--vus", "--clients", "--workers", "--parallel"),
    "--calls": ("-n", "--requests", "--iterations", "--number", "--amount", "--count"),
    "--rate": ("-r", "--rps", "--qps", "--overallRate", "--arrival-rate"),
    "--fail-on": ("--threshold", "--thresholds", "--assert"),
    "--against": ("--baseline", "--compare"),
}
"""Options by the names that other load tools have for them: wrk, hey, ab, k6, autocannon, vegeta, oha, locust."""


class _Wanted:
    """The calls given on the command line, before the tools are known."""

    def __init__(self, output: Output, file: Path | None, options: dict[str, Any]) -> None:
        self.target = ""
        """Server that the case file names; "" for none."""
        self.secrets: tuple[str, ...] = ()
        environment: str = options.pop("environment")
        tools: tuple[str, ...] = options.pop("tools")
        pairs: tuple[str, ...] = options.pop("pairs")
        self._destructive: bool = options.pop("allow_destructive")
        self._recorded: list[BenchCall] = []
        self._typed = [_words(text) for text in tools]
        if file is not None and tools:
            raise UsageError("both a file of calls and -t", hint="Give one of them.")
        if pairs and len(tools) != 1:
            raise UsageError("-a needs exactly one -t", hint="Write -t 'TOOL K=V …' for each of several tools.")
        if pairs:
            self._typed = [(self._typed[0][0], (*self._typed[0][1], *pairs))]
        for _, texts in self._typed:
            read_pairs(texts)  # report errors before a server is started
        if environment and (file is None or file.suffix not in _CASES):
            raise UsageError("--env needs a file of cases", hint="Name it before the target.")
        if file is not None and not file.is_file():
            raise UsageError(f"{file}: no such file", hint="Give a capture or a file of cases, then the target.")
        if file is not None and file.suffix in _CASES:
            self._recorded = self._calls_of_cases(output, file, environment)
        elif file is not None:
            self._recorded = _calls_of_capture(output, file)

    def _calls_of_cases(self, output: Output, file: Path, environment: str) -> list[BenchCall]:
        """Return the requests of a case file, except those that need the result of another one. Raises: UsageError."""
        collection = open_collection(file, environment)
        values = Values(collection, secret_from(output.env.environ))
        found: list[BenchCall] = []
        for case in collection.cases.cases:
            plan = planned(collection, [case])
            if len(plan) > 1:
                output.warn(f"not called: {case.name!r} uses the result of another call")
                continue
            values.prepare(plan)
            resolved = values.resolved(case)
            found.append(BenchCall(resolved.request, resolved.params))
        self.target, self.secrets = collection.target, values.secrets
        if not found:
            raise UsageError(f"{file}: no calls", hint="A call that uses no other call can be measured.")
        return found

    def choose(self, tools: Sequence[Tool], result: BenchResult) -> list[BenchCall]:
        """Return the workload. Raises: UsageError if nothing may be called."""
        by_name = {tool.name: tool for tool in tools}
        if self._typed:
            calls = [call for name, texts in self._typed for call in _variants(name, texts, by_name.get(name))]
        elif self._recorded:
            calls = [_with_schema(call, by_name) for call in self._recorded]
        else:
            calls = [
                BenchCall("tools/call", {"name": tool.name, "arguments": {}}, tool.input_schema)
                for tool in tools
                if tool.read_only and not peek.items(tool.input_schema, "required")
            ]
            if not calls:
                result.notes.append("no read-only tool can be called without arguments; tools/list is measured")
                calls = [BenchCall("tools/list", {})]
        unknown = sorted({c.label for c in calls if c.method == "tools/call" and c.label not in by_name})
        if unknown:
            known = cut(", ".join(by_name), 200)
            raise UsageError(f"the server lists no tool {unknown[0]!r}", hint=f"It lists: {known}.")
        refused = sorted(
            {c.label for c in calls if c.method == "tools/call" and not by_name[c.label].read_only}
            if not self._destructive
            else ()
        )
        allowed = [call for call in calls if call.method != "tools/call" or call.label not in refused]
        if not allowed:
            raise UsageError(
                f"not called: {', '.join(refused)}: the server does not declare readOnlyHint",
                hint="--allow-destructive calls any tool, thousands of times.",
            )
        if refused:
            result.notes.append(f"not called, without readOnlyHint: {', '.join(refused)} (--allow-destructive)")
        return _in_turn(allowed) if self._typed else allowed


class _Files(msgspec.Struct, frozen=True):
    """Paths of reports to write; None for no report."""

    data: Path | None
    junit: Path | None
    document: Path | None


def _words(text: str) -> tuple[str, tuple[str, ...]]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"-t {text!r}: {error}", hint="Write -t 'TOOL K=V …'.") from None
    if not words:
        raise UsageError("-t names no tool", hint="Write -t 'TOOL K=V …'.")
    return words[0], tuple(words[1:])


def _variants(name: str, texts: Sequence[str], tool: Tool | None) -> Iterator[BenchCall]:
    """Yield one call, or several if {n} in its arguments makes them different."""
    schema = tool.input_schema if tool else None
    for number in range(1, _VARIANTS + 1 if any("{n}" in text for text in texts) else 2):
        pairs = read_pairs([text.replace("{n}", str(number)) for text in texts])
        arguments = joined(None, pairs, schema)
        yield BenchCall("tools/call", {"name": name, "arguments": arguments or {}}, schema)


def _in_turn(calls: list[BenchCall]) -> list[BenchCall]:
    """Interleave the calls of several tools."""
    by_label: dict[str, list[BenchCall]] = {}
    for call in calls:
        by_label.setdefault(call.label, []).append(call)
    most = max(map(len, by_label.values()))
    return [same[place % len(same)] for place in range(most) for same in by_label.values()]


def _with_schema(call: BenchCall, tools: dict[str, Tool]) -> BenchCall:
    tool = tools.get(call.label) if call.method == "tools/call" else None
    return BenchCall(call.method, call.params, tool.input_schema) if tool else call


def _calls_of_capture(output: Output, file: Path) -> list[BenchCall]:
    """Return the calls of a capture in order. Raises: InspectError."""
    with loaded_capture(output, file) as journal:
        operations = accounts(journal).operations
    found = [BenchCall(each.method, _without_meta(each.params or {})) for each in operations]
    found = [call for call in found if call.method in _CALLABLE]
    if not found:
        raise UsageError(f"{file}: no calls", hint=f"Only {', '.join(_CALLABLE)} are sent.")
    if len(found) > _MOST_CALLS:
        output.warn(f"{file}: the first {_MOST_CALLS:,} of {len(found):,} calls are used")
    return found[:_MOST_CALLS]


def _without_meta(params: Any) -> Any:
    return {name: value for name, value in params.items() if name != "_meta"} if isinstance(params, dict) else params


def _numbers(text: str, option: str, most: float, kind: Callable[[str], Any]) -> tuple[Any, ...]:
    try:
        found = tuple(kind(part) for part in text.split(",") if part.strip())
    except ValueError:
        found = ()
    if not found or not all(0 < each <= most for each in found):
        raise UsageError(f"invalid {option} {text!r}", hint=f"Use numbers from 1 to {most:,}, such as {option} 1,4,16.")
    return found


@documented(
    "bench",
    _EXAMPLES,
    "`ceiling` (mcp-inspect itself), `start`, `alone`, `levels` (`rate`, `tools` with `p50_ms` to `p99_ms`, "
    "`max_ms`, `errors`; `usage`), `usage` (`rss`, `fds`, `threads` with `verdict`), `blocking`, `slowest`, "
    "`verdicts`, `failed`, `notes`",
    other_names={other: ours for ours, others in _OF_OTHERS.items() for other in others},
)
@click.option("-t", "--tool", "tools", multiple=True, metavar="'TOOL [K=V]…'", help="Call this tool; {n} is a number.")
@click.option("-a", "pairs", multiple=True, metavar="K=V | K:=JSON", help="Set an argument of the one -t.")
@click.option(
    "--concurrency", default="1,4,16", metavar="N,…", help="Calls in flight, one level for each value (1,4,16)."
)
@click.option("--rate", default="", metavar="N,…", help="Calls per second instead; waiting counts as latency.")
@click.option("--for", "seconds", type=lasting, default=5.0, metavar="S", help="Duration of a level (5).")
@shared("load", "--env", "environment", default="", metavar="NAME", help="Take variables from env/NAME.yaml.")
@shared("load", "--calls", type=click.IntRange(1), metavar="N", help="Calls per level, instead of a duration.")
@shared("load", "--soak", type=duration, default=0.0, metavar="S", help="Then hold the highest concurrency this long.")
@shared("load", "--allow-destructive", is_flag=True, help="Also call tools without readOnlyHint.")
@shared("load", "--slowest", type=click.IntRange(1, 1000), default=10, metavar="N", help="Keep the slowest calls (10).")
@shared("load", "--save", type=_FILE, metavar="FILE", help="Write the slowest calls to a new capture.")
@shared("load", "--pid", type=click.IntRange(1), metavar="PID", help="The server's process, if its URL is not local.")
@shared("load", "-o", "--output", "out", type=_FILE, metavar="FILE", help="Write the JSON report to a file.")
@click.option("--against", type=_FILE, metavar="FILE", help="Compare with this JSON report.")
@click.option("--fail-on", default="", metavar="LIMITS", help="Exit 1 if one applies: 'p95 > 1.5x'.")
@shared("load", "--junit", type=_FILE, metavar="FILE", help="Write a JUnit XML report.")
@shared("load", "--markdown", "document", type=_FILE, metavar="FILE", help="Write a Markdown report.")
@click.argument("words", nargs=-1, metavar="[CALLS] [URL | NAME | -- COMMAND]")
@headless_settings
@click.pass_obj
def command(env: CliEnv, /, words: tuple[str, ...], **options: Any) -> ExitStatus:
    """Measure a server under load; exit 1 if a defect is found or a limit is exceeded.

    CALLS: a capture or a file of test cases. Default: all read-only tools without required arguments.
    """
    output = Output(env, as_json=options["as_json"], quiet=options["quiet"])
    file, url = _split(env, words)
    files = _Files(*(options.pop(name) for name in ("out", "junit", "document")))
    save, against, text = options.pop("save"), options.pop("against"), options.pop("fail_on")
    limits = read_limits(text) if text else ()
    baseline = None if against is None else read_report(against)
    if limits and baseline is None and demands_baseline(limits):
        raise UsageError("--fail-on compares with a baseline", hint="Name it with --against FILE.")
    if save is not None and save.exists():
        raise UsageError(f"{save} already exists", hint="Choose another file.")
    wanted = _Wanted(output, file, options)
    bench_options = _options(options)
    chosen = choose(env, url or (None if env.server_argv is not None else wanted.target or None), options)
    settings = settings_for(chosen, env)
    masked = SecretValues(wanted.secrets).masked if wanted.secrets else None
    journals: list[Journal] = []

    def opener(loaded: bool) -> Session:
        journals.append(start_capture(chosen.capture if loaded else None, keep_secrets=chosen.keep_secrets))
        if masked is not None:
            journals[-1].mask_with(masked)
        return open_session(chosen.target, journals[-1], settings)

    gc.freeze()  # exclude imported modules from collections
    status = ExitStatus.OK
    try:
        with leaving_no_child(), _watching(output) as watch:
            result = asyncio.run(run_bench(chosen.target.label, opener, wanted.choose, bench_options, watch))
        if save is not None and result.slowest:
            save_slowest(save, journals[-1], result, masked)
            output.narrate(f"wrote {save}: open it with mcp-inspect replay {save}")
    except InspectError as error:
        if isinstance(error, UsageError) or not journals:
            raise
        return print_failure(output, error, journals[-1])
    finally:
        for journal in journals:
            status = close_capture(output, journal, status)
    return _reported(output, result, files, limits, baseline, masked) or status


def _reported(
    output: Output,
    result: BenchResult,
    files: _Files,
    limits: FailLimits,
    baseline: Mapping[str, Any] | None,
    masked: Callable[[bytes], bytes] | None,
) -> ExitStatus:
    """Judge the result, write the reports, print one, and return the exit status."""
    found = verdicts(result)
    data = report.as_data(result, found)
    if masked is not None:  # arguments and results appear as evidence
        data = json.loads(masked(report.encoded(data)))
    failed = failures(data, limits, baseline) if limits else []
    if baseline is not None and (missing := not_compared(data, baseline)):
        output.warn(f"not in the baseline: {'; '.join(missing[:5])}")
    data["failed"] = failed
    for path, content in (
        (files.data, report.encoded(data)),
        (files.junit, report.junit(result, found, failed)),
        (files.document, report.markdown(result, found, failed).encode()),
    ):
        if path is not None:
            write_whole(path, content)
    if output.as_json:
        output.data(data)
    else:
        output.lines(report.lines(result, found, failed))
    if result.death is not None:
        return ExitStatus.UNREACHABLE
    return ExitStatus.FINDINGS if found or failed else ExitStatus.OK


def _split(env: CliEnv, words: tuple[str, ...]) -> tuple[Path | None, str | None]:
    """Return the file of calls and the URL."""
    most = 1 if env.server_argv is not None else 2
    if len(words) > most:
        raise UsageError(f"unexpected {words[most]!r}", hint="Write: mcp-inspect bench [CALLS] TARGET")
    if env.server_argv is not None:
        return (Path(words[0]) if words else None), None
    if len(words) == 2:
        return Path(words[0]), words[1]
    if words and Path(words[0]).suffix in _CASES:  # the file may name its server
        return Path(words[0]), None
    return None, (words[0] if words else None)


def _options(options: dict[str, Any]) -> BenchOptions:
    rates = options.pop("rate")
    return BenchOptions(
        concurrency=_numbers(options.pop("concurrency"), "--concurrency", 1000, int),
        rates=_numbers(rates, "--rate", 100_000, float) if rates else (),
        seconds=options.pop("seconds"),
        calls=options.pop("calls"),
        soak_s=options.pop("soak"),
        timeout_s=options["timeout"] or 3600.0,
        keep=options.pop("slowest"),
        pid=options.pop("pid"),
    )


@contextmanager
def _watching(output: Output) -> Iterator[Callable[[BenchProgress], None]]:
    """Yield the function that shows progress: a live display on a terminal, otherwise a line per phase."""
    if output.quiet or not output.draws_over:
        yield lambda progress: None if progress.level else output.narrate(progress.phase)
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(file=output.env.stderr)
    with Live(Text(""), console=console, auto_refresh=False, transient=True) as live:

        def watch(progress: BenchProgress) -> None:
            live.update(Text("\n".join(report.live_lines(progress, console.width))), refresh=True)

        yield watch
