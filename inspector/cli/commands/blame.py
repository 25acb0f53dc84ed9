"""`mcp-inspect blame`: why a session fails with one client and works with another."""

import asyncio
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from inspector.capture.format.lines import demand_file
from inspector.capture.journal import start_capture
from inspector.cli.captures import loaded_capture
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import Documented
from inspector.cli.launch import settings_for
from inspector.cli.options import headless_settings
from inspector.cli.output import Output
from inspector.cli.process import leaving_no_child
from inspector.cli.targets import TargetOptions, choose
from inspector.config.targets import HttpTarget
from inspector.errors import InspectError, UsageError
from inspector.features.blame.play import ScriptPlayer, destructive_calls, without_calls
from inspector.features.blame.script import ClientScript, Outcome, json_value, outcome_of, script_of
from inspector.features.blame.search import Blame, BlameEnd, Search
from inspector.protocol import peek
from inspector.protocol.conversation import Conversation
from inspector.text import visible

_OPENINGS = frozenset({"initialize", "server/discover", "notifications/initialized"})
_EXAMPLES = (
    "mcp-inspect blame fails.mcpcap -- node server.js",
    "mcp-inspect blame fails.mcpcap --works works.mcpcap -- node server.js",
    "mcp-inspect blame fails.mcpcap --as claude-code -- node server.js",
    "mcp-inspect blame fails.mcpcap https://example.com/mcp",
)


@click.command(
    "blame",
    cls=Documented,
    examples=_EXAMPLES,
    json_shape="`end`, `sentence`, `edits`, `fails`, `works`, `messages`, `compared`, `runs`, `note`",
)
@click.option(
    "--works", type=click.Path(path_type=Path), metavar="FILE", help="Capture of a client with which the server works."
)
@click.option("--max-runs", type=click.IntRange(7), default=60, help="Maximum number of servers to start.")
@click.option("--allow-destructive", is_flag=True, help="Also call tools that may destroy something.")
@click.option("--one-at-a-time", is_flag=True, help="Never run two servers at once.")
@click.option(
    "--pair", type=click.Path(path_type=Path), metavar="DIR", help="Write captures of the decisive pair of runs here."
)
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("url", required=False, metavar="[URL | -- COMMAND]")
@headless_settings
@click.pass_obj
def command(env: CliEnv, /, file: Path, url: str | None, **options: Any) -> ExitStatus:
    """Find the smallest difference that makes a server fail with one client and work with another; exit 1 if found.

    FILE is a capture of the failing client. The working side is another capture, a known client (--as), or this
    own way to open a session. Both are played against fresh servers, and the differences between them are
    tried until none can be left out.
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
    fails, recorded, read_only = _read(output, file)
    if options["works"] is not None:
        works = _read(output, options["works"])[0]
    else:
        with leaving_no_child():
            works = asyncio.run(_own(env, chosen, fails))
    if not options["allow_destructive"]:
        left_out = destructive_calls(fails, read_only) | destructive_calls(works, read_only)
        fails, works = without_calls(fails, left_out), without_calls(works, left_out)
        for key in sorted(left_out):
            output.warn(f"not sent: {visible(key, limit=80)} may destroy something; --allow-destructive sends it")
    if isinstance(chosen.target, HttpTarget):
        fails, works = (replace(each, environment=None) for each in (fails, works))
    player = ScriptPlayer(chosen.target, env.environ, min(chosen.clocks.idle_s or _WAIT_S, _WAIT_S))
    search = Search(player, options["max_runs"], output.narrate, 1 if options["one_at_a_time"] else 2)
    with leaving_no_child():
        found = asyncio.run(search.blame(fails, works, recorded))
        pair = asyncio.run(_recorded_pair(player, fails, found, options["pair"])) if options["pair"] else []
    _print(output, found, fails, pair)
    return ExitStatus.FINDINGS if found.end is BlameEnd.FOUND else ExitStatus.OK


_WAIT_S = 3.0
"""Seconds after which a request counts as not answered, unless --timeout is shorter."""


def _read(output: Output, path: Path) -> tuple[ClientScript, Outcome, frozenset[str]]:
    """Return the script and the outcome of a capture, and the names of its read-only tools. Raises: CaptureError."""
    demand_file(path, "mcp-inspect tap records a client; mcp-inspect without arguments lists recent captures.")
    with loaded_capture(output, path) as journal:
        script = script_of(journal)
        if not script.steps:
            raise UsageError(f"{visible(str(path), limit=200)} holds no message of a client")
        return script, outcome_of(journal), _harmless(journal.conversation)


def _harmless(conversation: Conversation) -> frozenset[str]:
    """Return the names of the tools that declare to be read-only or not destructive."""
    tools = conversation.catalogue.listings["tools"].items
    return frozenset(
        peek.text(each, "name") or ""
        for each in tools
        if peek.flag(each, "annotations", "readOnlyHint") or peek.flag(each, "annotations", "destructiveHint") is False
    )


async def _own(env: CliEnv, chosen: TargetOptions, fails: ClientScript) -> ClientScript:
    """Return the script of mcp-inspect, or of the client that it imitates, for the same requests.

    Raises: InspectError if the session does not open, which is the failure itself.
    """
    from inspector.session.open import open_session

    journal = start_capture(None)
    try:
        async with open_session(chosen.target, journal, settings_for(chosen, env, afresh=True)) as session:
            await session.connect()
            for step in fails.steps:
                value = json_value(step.payload)
                method = peek.text(value, "method")
                if method and "id" in value and method not in _OPENINGS:
                    params = {k: v for k, v in peek.mapping(value, "params").items() if k != "_meta"}
                    await session.call(method, params)
        return script_of(journal)
    except InspectError as error:
        raise UsageError(
            f"mcp-inspect's own session fails as well: {error}",
            hint="Name a capture of a client that works with --works, or another client with --as.",
        ) from error
    finally:
        journal.close()


def _pair(directory: Path) -> list[Path]:
    return [directory / "fails.mcpcap", directory / "works.mcpcap"]


async def _recorded_pair(player: ScriptPlayer, fails: ClientScript, found: Blame, directory: Path) -> list[Path]:
    """Record one run of each side of the decisive pair. Raises: UsageError if a file can't be written."""
    if found.minimal is None:
        return []
    paths = _pair(directory)
    for script, path in zip((fails, found.minimal), paths, strict=True):
        await player.play(script, path)
    return paths


def sentence(found: Blame) -> str:
    """Return the result in one sentence."""
    match found.end:
        case BlameEnd.FOUND:
            what = " and ".join(each.label for each in found.edits)
            return f"The server works if {what}: {_outcomes(found)}."
        case BlameEnd.SAME if found.fails:
            failed = "; ".join(f"{key} gives {came}" for key, came in found.fails.items())
            return f"Both sides fail alike: {failed}. Name a client that works with --works or --as."
        case BlameEnd.SAME:
            return "Both sides work: there is no difference in outcome."
        case BlameEnd.FLAKY:
            return f"The outcome is flaky: {found.note or 'the decisive difference does not always decide'}."
        case BlameEnd.NOT_REPRODUCED:
            failed = "; ".join(f"{key}: {came}" for key, came in found.fails.items())
            return f"The recorded failure ({failed}) does not happen here: {found.note}."
        case BlameEnd.NOT_HELD:
            return f"The sides differ ({_outcomes(found)}), but not through what was sent: {found.note}."
        case BlameEnd.UNFINISHED:
            return f"Not found within {found.runs} runs; --max-runs allows more."


def _outcomes(found: Blame) -> str:
    first = [key for key in found.works if not key.endswith(")")] or [*found.works]  # not its repetitions
    return "; ".join(f"{key} gives {found.works[key]} instead of {found.fails[key]}" for key in first)


def _messages(found: Blame, fails: ClientScript) -> list[dict[str, str]]:
    """Return the messages that the decisive differences change, before and after."""
    pairs = []
    for key in dict.fromkeys(each.key for each in found.edits if each.key):
        before, after = (
            next((step.payload for step in script.steps if step.key == key), b"") if script else b""
            for script in (fails, found.minimal)
        )
        pairs.append(
            {"key": key, "fails": before.decode("utf-8", "replace"), "works": after.decode("utf-8", "replace")}
        )
    return pairs


def _print(output: Output, found: Blame, fails: ClientScript, pair: list[Path]) -> None:
    said = sentence(found)
    messages = _messages(found, fails)
    if output.as_json:
        output.data(
            {
                "end": found.end.value,
                "sentence": said,
                "edits": [{"label": each.label, "message": each.key} for each in found.edits],
                "fails": found.fails,
                "works": found.works,
                "messages": messages,
                "compared": found.compared,
                "runs": found.runs,
                "note": found.note,
                "captures": [str(path) for path in pair],
            }
        )
        return
    output.text(visible(said, limit=2000))
    for each in messages:
        output.text(f"  fails  {visible(each['fails'], limit=2000) or '(not sent)'}")
        output.text(f"  works  {visible(each['works'], limit=2000) or '(not sent)'}")
    differences = f"{found.compared} differences, " if found.compared else ""
    output.narrate(f"{differences}{found.runs} runs")
    for path in pair:
        output.narrate(f"wrote {path}")
