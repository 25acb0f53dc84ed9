"""`mcp-inspect test`: cases of a file, run against a server."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from inspector.capture.compare.normal import Normal
from inspector.capture.journal import start_capture
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import Visit, visit
from inspector.cli.help import Documented
from inspector.cli.launch import settings_for
from inspector.cli.options import Chosen, choose, headless_settings
from inspector.cli.output import Output
from inspector.cli.testing import as_junit, chosen_cases, tell, told
from inspector.cli.world import World
from inspector.errors import UsageError
from inspector.protocol import offers
from inspector.replay.cases.files import open_cases
from inspector.replay.cases.model import Case
from inspector.replay.cases.pytest_file import pytest_file
from inspector.replay.cases.running import NAME, Answers, Bench, Ran, read_answers, run_all
from inspector.session.open import open_session
from inspector.session.session import Session
from inspector.whole import write_whole

_EXAMPLES = (
    "mcp-inspect test session.cases.yaml -- node server.js",
    "mcp-inspect test --junit junit.xml -k search session.cases.yaml https://example.com",
    "mcp-inspect test --update-snapshots session.cases.yaml -- node server.js",
    "mcp-inspect test --pytest test_server.py session.cases.yaml -- node server.js",
)


@click.command("test", cls=Documented, examples=_EXAMPLES)
@click.option(
    "-k", "--filter", "words", multiple=True, metavar="TEXT", help="Only cases whose name holds one of these."
)
@click.option("--junit", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write JUnit XML.")
@click.option("--update-snapshots", "update", is_flag=True, help="Take what comes now for what is expected.")
@click.option(
    "--pytest", "code", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write pytest code."
)
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("url", required=False, metavar="[URL | -- CMD…]")
@headless_settings
@click.pass_obj
def command(world: World, /, file: Path, url: str | None, **options: Any) -> ExitStatus:
    """Run cases against a server; each is a request and what its answer must be.

    The exit status is 1 if any fails. With --pytest nothing is run: the cases are written as a pytest file that anybody
    can read and change. mcp-inspect promote makes cases of a capture, and A in the interface of one value.
    """
    words, junit, update, code = (options.pop(name) for name in ("words", "junit", "update", "code"))
    output = Output(world, as_json=options["as_json"], quiet=options["quiet"])
    if world.theirs is None and url is None:
        raise UsageError("no server to test", hint="Name a URL, or a server's command after --.")
    found = open_cases(file)
    cases = chosen_cases(found, words, file)
    for case in cases:
        read_answers(case)  # what can't be read is told before a server is started
    if code is not None:
        return _write_code(output, code, cases, world, url)
    answers = Answers()
    options |= {"policies": ((NAME, answers.answer),)}
    if any(case.answers for case in cases):
        options |= {"offers_instead": frozenset(offers.ALL)}
    chosen = choose(world, url, options)

    ran: list[Ran] = []

    async def work(visit: Visit) -> ExitStatus:
        bench = Bench(visit.session, answers, Normal(), lambda: _alone(chosen, world))
        async for each in run_all(bench, cases):
            ran.append(each)
            tell(output, each)
        return ExitStatus.OK

    status = visit(world, url, options, work)
    if status is not ExitStatus.OK:
        return status
    if junit is not None:
        write_whole(junit, as_junit(ran, str(file)))
    return told(output, ran, file, found, update=update)


def _alone(chosen: Chosen, world: World) -> Session:
    """A connection for one case, without a capture of its own."""
    settings = settings_for(chosen, world, afresh=True)
    return open_session(chosen.target, start_capture(None), settings)


def _write_code(output: Output, path: Path, cases: Sequence[Case], world: World, url: str | None) -> ExitStatus:
    if path.exists():
        raise UsageError(f"{path} is there already", hint="Name a file that is not: it may have been changed by hand.")
    target = (url,) if url else tuple(world.theirs or ())
    write_whole(path, pytest_file(cases, target).encode())
    output.narrate(f"wrote {path}: {len(cases):,} tests; run them with pytest {path}")
    return ExitStatus.OK
