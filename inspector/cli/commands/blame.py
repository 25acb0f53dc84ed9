"""`mcp-inspect blame`: why a session fails with one client and works with another."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from inspector.capture.compare.normal import Normal
from inspector.capture.format.lines import demand_file
from inspector.capture.journal import Journal, start_capture
from inspector.checks.findings import Finding
from inspector.cli.captures import loaded_capture
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import documented
from inspector.cli.launch import settings_for
from inspector.cli.options import headless_settings
from inspector.cli.output import Output, wants_colour
from inspector.cli.process import leaving_no_child
from inspector.cli.targets import TargetOptions, choose
from inspector.config.targets import HttpTarget
from inspector.errors import InspectError, UsageError
from inspector.features.blame.play import ScriptPlayer, destructive_calls, harmless_tools, without_calls
from inspector.features.blame.report import as_data, blame_lines, explaining, finding_lines, not_tried
from inspector.features.blame.script import OPENINGS, ClientScript, json_value, outcome_of, script_of
from inspector.features.blame.search import Blame, BlameEnd, Search
from inspector.features.cases.file import add_cases
from inspector.features.cases.model import CaseDefinition, Expectation, ExpectationKind, escaped
from inspector.present.findings import inspected
from inspector.protocol import peek
from inspector.protocol.conversation import Conversation
from inspector.session.open import open_session
from inspector.text import fit, visible

_EXAMPLES = (
    "mcp-inspect blame fails.mcpcap -- node server.js",
    "mcp-inspect blame fails.mcpcap --works works.mcpcap -- node server.js",
    "mcp-inspect blame fails.mcpcap --as claude-code -- node server.js",
    "mcp-inspect blame fails.mcpcap https://example.com/mcp",
)

_WAIT_S = 3.0
"""Seconds after which a request counts as not answered, unless --timeout is shorter."""


@documented(
    "blame",
    _EXAMPLES,
    "`end` (found, no difference, flaky, not reproduced, not held, unfinished), `sentence`, `edits`, `instead`, "
    "`fails`, `works`, `messages`, `findings`, `not_compared`, `compared`, `runs`, `seconds`, `captures`",
)
@click.option(
    "--works", type=click.Path(path_type=Path), metavar="FILE", help="Capture of a client with which the server works."
)
@click.option("--max-runs", type=click.IntRange(7), default=60, help="Maximum number of servers to start (60).")
@click.option("--allow-destructive", is_flag=True, help="Also call tools that may destroy something.")
@click.option("--one-at-a-time", is_flag=True, help="Never run two servers at once.")
@click.option(
    "--recorded-commands",
    is_flag=True,
    help="Start each side with the command in its capture. Only for captures that you trust.",
)
@click.option(
    "--pair", type=click.Path(path_type=Path), metavar="DIR", help="Write a failing and a working run, and a test."
)
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("url", required=False, metavar="[URL | -- COMMAND]")
@headless_settings
@click.pass_obj
def command(env: CliEnv, /, file: Path, url: str | None, **options: Any) -> ExitStatus:
    """Find the smallest difference that makes a server fail with one client and work with another.

    FILE is a capture of the failing client, as `mcp-inspect tap` records it. The working side is another capture
    (--works), a known client (--as), or mcp-inspect itself. Both are played against fresh servers, and the
    differences between them are tried until none can be left out. Exit status: 1 if a cause was found, else 0.
    """
    output = Output(env, as_json=options["as_json"], quiet=options["quiet"])
    if env.server_argv is None and url is None:
        raise UsageError("no server to play against", hint="Name a URL, or a server's command after --.")
    if options["works"] is not None and options["as_client"]:
        raise UsageError("both --works and --as", hint="The working side is one or the other.")
    for path in _pair(options["pair"]) if options["pair"] else ():
        if path.exists():
            raise UsageError(f"{visible(str(path), limit=300)} exists", hint="Name another directory with --pair.")
    chosen = choose(env, url, options)
    with _opened(output, file) as journal:
        recorded, read_only = outcome_of(journal), harmless_tools(journal.conversation)
        fails = script_of(journal)
        works = _working_side(env, output, chosen, fails, options["works"])
        if not options["allow_destructive"]:
            left_out = destructive_calls(fails, read_only) | destructive_calls(works, read_only)
            fails, works = without_calls(fails, left_out), without_calls(works, left_out)
            for key in sorted(left_out):
                output.warn(f"not sent: {visible(key, limit=80)} may destroy something; --allow-destructive sends it")
        if isinstance(chosen.target, HttpTarget):
            fails, works = (replace(each, environment=None, inherited=None) for each in (fails, works))
        plays_commands = options["recorded_commands"]
        wait_s = min(chosen.clocks.idle_s or _WAIT_S, _WAIT_S)
        player = ScriptPlayer(chosen.target, env.environ, wait_s, uses_recorded_commands=plays_commands)
        gaps = list(not_tried(player, journal, fails, works, plays_commands=plays_commands))
        if not plays_commands:
            fails, works = (replace(each, argv=()) for each in (fails, works))
        search = Search(player, options["max_runs"], _progress(output), 1 if options["one_at_a_time"] else 2)
        with leaving_no_child():
            found = asyncio.run(search.blame(fails, works, recorded))
            written = asyncio.run(_written(player, found, options["pair"])) if options["pair"] else []
        if output.draws_over:
            output.draw_over("")
        _print(output, found, explaining(journal, found, inspected(journal)[0]), gaps, written)
    return ExitStatus.FINDINGS if found.end is BlameEnd.FOUND else ExitStatus.OK


def _progress(output: Output) -> Callable[[str], None]:
    """Return a function that shows the newest line of progress: in one place, where that is possible."""
    if not output.draws_over:
        return output.narrate
    from shutil import get_terminal_size

    return lambda text: output.draw_over(fit(text, get_terminal_size().columns - 1))


@contextmanager
def _opened(output: Output, path: Path) -> Iterator[Journal]:
    """Load the capture of a client. Raises: CaptureError, UsageError for one without a client's messages."""
    demand_file(path, "mcp-inspect tap records a client; mcp-inspect without arguments lists recent captures.")
    with loaded_capture(output, path) as journal:
        if not script_of(journal).steps:
            raise UsageError(f"{visible(str(path), limit=200)} holds no message of a client")
        yield journal


def _working_side(
    env: CliEnv, output: Output, chosen: TargetOptions, fails: ClientScript, path: Path | None
) -> ClientScript:
    """Return the script of the working side: of its capture, or of a session of our own."""
    if path is None:
        with leaving_no_child():
            return asyncio.run(_own(env, chosen, fails))
    with _opened(output, path) as journal:
        return script_of(journal)


async def _own(env: CliEnv, chosen: TargetOptions, fails: ClientScript) -> ClientScript:
    """Return the script of mcp-inspect, or of the client that it imitates, for the same requests.

    Raises: InspectError if the session does not open, which is the failure itself.
    """
    journal = start_capture(None)
    try:
        async with open_session(chosen.target, journal, settings_for(chosen, env, afresh=True)) as session:
            await session.connect()
            for method, params in _requests(fails, journal.conversation):
                await session.call(method, params)
        return script_of(journal)
    except InspectError as error:
        raise UsageError(
            f"mcp-inspect's own session fails as well: {error}",
            hint="Name a capture of a client that works with --works, or another client with --as.",
        ) from error
    finally:
        journal.close()


def _requests(fails: ClientScript, conversation: Conversation) -> list[tuple[str, dict[str, Any]]]:
    """Return the requests of a client after its opening; if it made none, those for the lists that are declared."""
    values = [json_value(step.payload) for step in fails.steps]
    asked = [
        (peek.text(value, "method") or "", {k: v for k, v in peek.mapping(value, "params").items() if k != "_meta"})
        for value in values
        if peek.has(value, "id") and peek.text(value, "method") not in (None, *OPENINGS)
    ]
    capabilities = conversation.opening.capabilities if conversation.opening is not None else {}
    return asked or [(f"{name}/list", {}) for name in ("tools", "resources", "prompts") if peek.has(capabilities, name)]


def _pair(directory: Path) -> list[Path]:
    return [directory / name for name in ("fails.mcpcap", "works.mcpcap", "fails.cases.yaml")]


async def _written(player: ScriptPlayer, found: Blame, directory: Path) -> list[Path]:
    """Record one run of each side of the decisive pair, and write a test case that the failing one does not pass.

    Raises: UsageError if a file can't be written.
    """
    if found.minimal is None or found.script is None:
        return []
    player.keeps_pauses = found.keeps_pauses
    fails, works, cases = _pair(directory)
    await player.play(found.script, fails)
    played = await player.play(found.minimal, works)
    expected = [_case(key, played.replies[key], fails.name) for key in found.fails if key in played.replies]
    if not expected:
        return [fails, works]
    add_cases(cases, expected)
    return [fails, works, cases]


def _case(key: str, reply: dict[str, Any], session: str) -> CaseDefinition:
    """Return the test case that a request of a recorded session has the same response as on the working side."""
    method, _, target = key.partition(" ")
    params = {"uri" if method.startswith("resources/") else "name": escaped(target)} if target else {}
    place = "/result" if "result" in reply else "/error"
    expected = Expectation(ExpectationKind.SNAPSHOT, Normal()(peek.at(reply, place[1:])), place)
    return CaseDefinition(f"{key} in {session}", method, params, (expected,), session=session)


def _print(output: Output, found: Blame, findings: list[Finding], gaps: list[str], written: list[Path]) -> None:
    if output.as_json:
        about = [{"id": each.id, "severity": each.severity.value, "sentence": each.sentence} for each in findings]
        output.data(
            as_data(found) | {"findings": about, "not_compared": gaps, "captures": [str(each) for each in written]}
        )
        return
    from shutil import get_terminal_size

    marks = not wants_colour(output.env.stdout, output.env.environ)
    output.lines(blame_lines(found, get_terminal_size().columns, marks=marks))
    output.lines(finding_lines(findings))
    if found.end is not BlameEnd.FOUND:
        for gap in gaps:
            output.narrate(f"- {visible(gap, limit=600)}")
    differences = f"{found.compared} differences, " if found.compared else ""
    output.narrate(f"{differences}{found.runs} runs, {found.seconds:.1f} s")
    for path in written:
        output.narrate(f"wrote {path}")
