"""`mcp-inspect test`: run test cases of a file against a server."""

import xml.etree.ElementTree as Xml
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from inspector.atomic_write import write_whole
from inspector.capture.compare.normal import Normal
from inspector.capture.compare.operations import accounts
from inspector.capture.format.lines import demand_file
from inspector.capture.journal import start_capture
from inspector.cli.captures import loaded_capture, matching_entries
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, visit
from inspector.cli.help import Documented
from inspector.cli.launch import settings_for
from inspector.cli.options import headless_settings
from inspector.cli.output import Output
from inspector.cli.targets import TargetOptions, choose
from inspector.errors import UsageError
from inspector.features.cases.file import add_cases, beside, open_cases, with_values
from inspector.features.cases.judging import value_at
from inspector.features.cases.making import promoted, pytest_file
from inspector.features.cases.model import CaseDefinition, Cases, Expectation, ExpectationKind
from inspector.features.cases.running import NAME, Bench, CaseResponses, CaseRun, read_answers, run_all
from inspector.present.spans import Span
from inspector.protocol import capabilities
from inspector.protocol.json_diff import ABSENT
from inspector.session.open import open_session
from inspector.session.session import Session
from inspector.text import visible

Line = tuple[Span, ...]


def chosen_cases(found: Cases, words: Sequence[str], file: Path) -> tuple[CaseDefinition, ...]:
    """The cases whose names contain one of the words; all without words. Raises: UsageError if there are none."""
    cases = tuple(case for case in found.cases if not words or any(word in case.name for word in words))
    if not cases:
        which = f"no case of {file} has {' or '.join(map(repr, words))} in its name" if words else f"{file}: no cases"
        raise UsageError(which, hint=f"It has {len(found.cases):,}.")
    return cases


def tell(output: Output, ran: CaseRun) -> None:
    """A line for a case, and one for each expectation that does not hold."""
    if not output.as_json:
        output.lines(_lines(ran))


def told(output: Output, ran: Sequence[CaseRun], file: Path, found: Cases, *, update: bool) -> ExitStatus:
    """Print the totals, and update snapshots with `update`; the exit status."""
    new = _new_snapshots(ran) if update else []
    left = [each for each in ran if not each.passed and not _only_snapshots(each, update=update)]
    if new:
        _save(file, found, new)
    if output.as_json:
        output.data(_as_json(ran, file, len(new), len(left)))
    else:
        output.lines([_sum(len(ran), len(left), len(new))])
    return ExitStatus.FINDINGS if left else ExitStatus.OK


def as_junit(ran: Sequence[CaseRun], file: str) -> bytes:
    """A suite with a test for each case."""
    failed = [each for each in ran if not each.passed]
    suite = Xml.Element("testsuite", name=visible(file), tests=str(len(ran)), failures=str(len(failed)))
    for name in ("errors", "skipped"):
        suite.set(name, "0")
    suite.set("time", f"{sum(each.came.ms or 0 for each in ran) / 1000:.3f}")
    for each in ran:
        seconds = f"{(each.came.ms or 0) / 1000:.3f}"
        case = Xml.SubElement(suite, "testcase", classname="mcp", name=visible(each.case.name), time=seconds)
        if each.failures:
            sentences = [visible(failure.sentence) for failure in each.failures]
            Xml.SubElement(case, "failure", message=sentences[0]).text = "\n".join(sentences)
    text: str = Xml.tostring(suite, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def _lines(ran: CaseRun) -> list[Line]:
    sign: Span = ("ok    ", "ok") if ran.passed else ("FAIL  ", "error")
    took: Span = ("" if ran.came.ms is None else f"  {ran.came.ms:,.0f} ms", "faint")
    lines: list[Line] = [(sign, (visible(ran.case.name), "text"), took)]
    return lines + [(("      ", "text"), (visible(failure.sentence), "error")) for failure in ran.failures]


def _sum(count: int, failed: int, new: int) -> Line:
    passed = count - failed
    said: list[Span] = [(f"{passed:,} of {count:,} as expected", "error" if failed else "ok")]
    if new:
        said.append((f", {new:,} snapshot{'' if new == 1 else 's'} updated", "accent"))
    return tuple(said)


def _as_json(ran: Sequence[CaseRun], file: Path, new: int, failed: int) -> dict[str, Any]:
    return {
        "file": str(file),
        "cases": [
            {
                "name": each.case.name,
                "passed": each.passed,
                "ms": each.came.ms,
                "failures": [_failure(failure.sentence, failure.expectation) for failure in each.failures],
                "reply": None if each.passed else each.came.reply,
            }
            for each in ran
        ],
        "passed": len(ran) - failed,
        "failed": failed,
        "updated": new,
    }


def _failure(sentence: str, expectation: Expectation | None) -> dict[str, Any]:
    about = {"line": expectation.line, "at": expectation.at, "kind": expectation.kind.value} if expectation else {}
    return {"sentence": sentence, **about}


def _only_snapshots(ran: CaseRun, *, update: bool) -> bool:
    return update and all(
        each.expectation is not None and _value_for(ran, each.expectation) is not ABSENT for each in ran.failures
    )


def _value_for(ran: CaseRun, expectation: Expectation) -> Any:
    """The value at the place of a snapshot; ABSENT without a value, or if it is not a snapshot."""
    return value_at(ran.came.reply, expectation.at) if expectation.kind is ExpectationKind.SNAPSHOT else ABSENT


def _new_snapshots(ran: Sequence[CaseRun]) -> list[tuple[Expectation, Any]]:
    """Failed snapshots with their new values; one whose place is gone is not updated."""
    failed = [(each, failure.expectation) for each in ran for failure in each.failures]
    found = [(expectation, _value_for(each, expectation)) for each, expectation in failed if expectation is not None]
    return [(expectation, value) for expectation, value in found if value is not ABSENT]


def _save(file: Path, found: Cases, new: Sequence[tuple[Expectation, Any]]) -> None:
    normal = Normal()
    write_whole(file, with_values(found, [(each, normal(value)) for each, value in new]).encode())


_EXAMPLES = (
    "mcp-inspect test session.cases.yaml -- node server.js",
    "mcp-inspect test --junit junit.xml -k search session.cases.yaml https://example.com",
    "mcp-inspect test --update-snapshots session.cases.yaml -- node server.js",
    "mcp-inspect test --from-capture session.mcpcap --where 'tool == search'",
)
_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command(
    "test",
    cls=Documented,
    examples=_EXAMPLES,
    json_shape=(
        "`file`, `cases` (`name`, `passed`, `ms`, `failures`, and `reply` of a failed case), `passed`, "
        "`failed`, `updated`"
    ),
)
@click.option(
    "-k", "--filter", "words", multiple=True, metavar="TEXT", help="Run only cases with this text in the name."
)
@click.option("--junit", type=_FILE, metavar="FILE", help="Write a JUnit XML report.")
@click.option("--update-snapshots", "update", is_flag=True, help="Update snapshots with the current responses.")
@click.option("--pytest", "code", type=_FILE, metavar="FILE", help="Write the cases as a pytest file; run nothing.")
@click.option(
    "--from-capture",
    "capture_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Make cases from a capture; run nothing.",
)
@click.option("--where", default="", metavar="FILTER", help="With --from-capture: only requests that match.")
@click.option("-o", "--output", "out", type=_FILE, metavar="FILE", help="With --from-capture: the file of cases.")
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.argument("url", required=False, metavar="[URL | NAME | -- COMMAND]")
@headless_settings
@click.pass_obj
def command(env: CliEnv, /, file: Path | None, url: str | None, **options: Any) -> ExitStatus:
    """Run test cases against a server; exit 1 if one fails.

    Each case is a request and what its response must be. --from-capture makes a case of each call in a capture, with
    its result as a snapshot, and adds it to NAME.cases.yaml beside the capture; existing cases are not changed.
    """
    capture_file, where, out = (options.pop(name) for name in ("capture_file", "where", "out"))
    if capture_file is not None:
        if file is not None or url is not None or env.server_argv is not None:
            raise UsageError("--from-capture takes no server and no other file", hint="Name the new file with -o FILE.")
        return _make_cases(Output(env, quiet=options["quiet"]), capture_file, where, out)
    if where or out is not None:
        raise UsageError(f"{'--where' if where else '--output'} needs --from-capture")
    if file is None:
        raise UsageError(
            "missing the file of test cases", hint="Make one: mcp-inspect test --from-capture session.mcpcap"
        )
    words, junit, update, code = (options.pop(name) for name in ("words", "junit", "update", "code"))
    output = Output(env, as_json=options["as_json"], quiet=options["quiet"])
    if env.server_argv is None and url is None:
        raise UsageError("no server to test", hint="Name a URL, or a server's command after --.")
    found = open_cases(file)
    cases = chosen_cases(found, words, file)
    for case in cases:
        read_answers(case)  # errors are reported before a server is started
    if code is not None:
        return _write_code(output, code, cases, env, url)
    answers = CaseResponses()
    options |= {"policies": ((NAME, answers.answer),)}
    if any(case.answers for case in cases):
        options |= {"capabilities_instead": frozenset(capabilities.ALL)}
    chosen = choose(env, url, options)

    ran: list[CaseRun] = []

    async def work(visit: CommandSession) -> ExitStatus:
        bench = Bench(visit.session, answers, Normal(), lambda: _alone(chosen, env))
        async for each in run_all(bench, cases):
            ran.append(each)
            tell(output, each)
        return ExitStatus.OK

    status = visit(env, url, options, work)
    if status is not ExitStatus.OK:
        return status
    if junit is not None:
        write_whole(junit, as_junit(ran, str(file)))
    return told(output, ran, file, found, update=update)


def _alone(chosen: TargetOptions, env: CliEnv) -> Session:
    """A connection for one case, without a capture of its own."""
    settings = settings_for(chosen, env, afresh=True)
    return open_session(chosen.target, start_capture(None), settings)


def _write_code(
    output: Output, path: Path, cases: Sequence[CaseDefinition], env: CliEnv, url: str | None
) -> ExitStatus:
    if path.exists():
        raise UsageError(f"{path} already exists", hint="Choose another file: it may have been edited.")
    target = (url,) if url else tuple(env.server_argv or ())
    write_whole(path, pytest_file(cases, target).encode())
    output.narrate(f"wrote {path}: {len(cases):,} tests; run them with pytest {path}")
    return ExitStatus.OK


def _make_cases(output: Output, capture: Path, where: str, out: Path | None) -> ExitStatus:
    """Add a case for each call of a capture to a file."""
    demand_file(capture, "mcp-inspect without arguments lists recent captures.")
    with loaded_capture(output, capture) as journal:
        chosen = frozenset(matching_entries(output, journal, where)) if where else None
        found = accounts(journal).operations
    cases = promoted(found, chosen)
    if not cases:
        raise UsageError("no request of the capture can become a test case", hint=_hint(where))
    path = out or beside(capture)
    count = add_cases(path, cases)
    cases_now = "1 case" if count == 1 else f"{count:,} cases"
    output.narrate(f"wrote {path}: {cases_now}. Run: mcp-inspect test {path} TARGET")
    return ExitStatus.OK


def _hint(where: str) -> str:
    if where:
        return "Only requests that match --where and have a response can: mcp-inspect tail FILE lists them."
    return "Tool calls, resource reads, prompts and completions with a response can; --where chooses other requests."
