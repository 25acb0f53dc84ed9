"""`mcp-inspect test` and `run`: run the test cases and saved calls of a file against a server."""

import asyncio
import xml.etree.ElementTree as Xml
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import click
import msgspec

from inspector.atomic_write import write_whole
from inspector.capture.compare.normal import Normal
from inspector.capture.compare.operations import accounts
from inspector.capture.format.lines import demand_file
from inspector.capture.journal import start_capture
from inspector.capture.store.load import load
from inspector.cli.captures import loaded_capture, matching_entries
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, visit
from inspector.cli.help import documented
from inspector.cli.launch import settings_for
from inspector.cli.options import headless_settings, watch_option
from inspector.cli.output import Output
from inspector.cli.process import leaving_no_child
from inspector.cli.requests import result_lines
from inspector.cli.targets import TargetOptions, choose
from inspector.cli.watching import Ran, run_watching
from inspector.errors import UsageError
from inspector.features.blame.play import ScriptPlayer
from inspector.features.blame.script import script_of
from inspector.features.cases.collection import (
    SUFFIX,
    CallInPlan,
    Collection,
    collections_near,
    near_to,
    open_collection,
    planned,
)
from inspector.features.cases.file import add_cases, beside, open_cases, with_values
from inspector.features.cases.making import promoted, pytest_file
from inspector.features.cases.model import CaseDefinition, Cases, Expectation, ExpectationKind
from inspector.features.cases.running import (
    NAME,
    ActualResponse,
    Bench,
    CaseResponses,
    CaseRun,
    judge,
    read_answers,
    run_all,
    value_at,
)
from inspector.features.cases.values import Values, secret_from
from inspector.present.result import Finished, result_view
from inspector.present.spans import Line, Span
from inspector.protocol import capabilities, peek
from inspector.protocol.changes import ABSENT
from inspector.protocol.credentials import SecretValues
from inspector.session.open import open_session
from inspector.session.session import Session
from inspector.text import counted, visible

_RESPONSE_S = 60.0

_EXAMPLES = (
    "mcp-inspect test session.cases.yaml -- node server.js",
    "mcp-inspect test --junit junit.xml -k search session.cases.yaml https://example.com",
    "mcp-inspect test --update-snapshots session.cases.yaml -- node server.js",
    "mcp-inspect test --from-capture session.mcpcap --where 'tool == search'",
)

_FILE = click.Path(path_type=Path, dir_okay=False)

_RUN_EXAMPLES = (
    "mcp-inspect run",
    "mcp-inspect run 'create issue' --env dev -- node server.js",
    "mcp-inspect run issues.mcp.yaml https://example.com/mcp",
    "mcp-inspect run issues.mcp.yaml#create --json",
)


class CaseRuns(msgspec.Struct, frozen=True):
    """Cases to run, with the values for their markers."""

    collection: Collection
    plan: tuple[CallInPlan, ...]
    values: Values

    @property
    def cases(self) -> tuple[CaseDefinition, ...]:
        """The cases in execution order."""
        return tuple(each.case for each in self.plan)


def open_runs(env: CliEnv, collection: Collection, chosen: Sequence[CaseDefinition]) -> CaseRuns:
    """Determine what these cases need, so that errors are reported before a server is started. Raises: UsageError."""
    plan = planned(collection, chosen)
    values = Values(collection, secret_from(env.environ))
    values.prepare(plan)
    for each in plan:
        read_answers(each.case)
    return CaseRuns(collection, plan, values)


def perform(
    env: CliEnv, url: str | None, options: dict[str, Any], runs: CaseRuns, done: Callable[[CaseRun], None]
) -> ExitStatus:
    """Run cases over one session. `done` is called after each case. Without `url`, the server is that of the file."""
    if env.server_argv is None and url is None:
        url = runs.collection.target or None
    if env.server_argv is None and url is None:
        raise UsageError("no server to test", hint="Name a URL, or a server's command after --.")
    answers = CaseResponses()
    options |= {"policies": ((NAME, answers.answer),)}
    if any(case.answers for case in runs.cases):
        options |= {"capabilities_instead": frozenset(capabilities.ALL)}
    if not options["revision"] and options["era"] == "auto" and not options["as_client"]:
        options["revision"] = runs.collection.cases.revision
    chosen = choose(env, url, options)
    recorded = [case for case in runs.cases if case.session]
    if recorded:
        with leaving_no_child():
            asyncio.run(_play_sessions(env, chosen, runs, recorded, done))
        if len(recorded) == len(runs.cases):
            return ExitStatus.OK

    async def work(visit: CommandSession) -> ExitStatus:
        if runs.values.secrets:
            visit.session.journal.mask_with(SecretValues(runs.values.secrets).masked)
        bench = Bench(visit.session, answers, Normal(), lambda: _alone(chosen, env))
        async for each in run_all(bench, [case for case in runs.cases if not case.session], runs.values):
            done(each)
        return ExitStatus.OK

    return visit(env, url, options, work)


async def _play_sessions(
    env: CliEnv, chosen: TargetOptions, runs: CaseRuns, cases: Sequence[CaseDefinition], done: Callable[[CaseRun], None]
) -> None:
    """Run cases that send the messages of a capture, each against a fresh server. Raises: CaptureError, UsageError."""
    for case in cases:
        path = Path(runs.collection.path).parent / case.session
        demand_file(path, f"Case {case.name!r} needs the capture that its `session` names.")
        with closing(load(path)) as journal:
            script = script_of(journal)
        player = ScriptPlayer(chosen.target, env.environ, chosen.clocks.idle_s or _RESPONSE_S)
        player.keeps_pauses = True
        about = peek.text(case.params, "name") or peek.text(case.params, "uri")
        reply = (await player.play(script)).replies.get(f"{case.request} {about}" if about else case.request)
        response = ActualResponse(reply or {}, why="" if reply else "no response")
        done(CaseRun(case, response, tuple(judge(case, response, Normal()))))


def chosen_cases(found: Cases, words: Sequence[str], file: Path) -> tuple[CaseDefinition, ...]:
    """Return the cases whose names contain one of the words; all without words.

    Raises: UsageError if there are none.
    """
    cases = tuple(case for case in found.cases if not words or any(word in case.name for word in words))
    if not cases:
        which = f"no case of {file} has {' or '.join(map(repr, words))} in its name" if words else f"{file}: no cases"
        raise UsageError(which, hint=f"It has {len(found.cases):,}.")
    return cases


def tell(output: Output, ran: CaseRun) -> None:
    """Print a line for a case, and one for each failed expectation."""
    if not output.as_json:
        output.lines(_lines(ran))


def report_runs(output: Output, ran: Sequence[CaseRun], file: Path, found: Cases, *, update: bool) -> ExitStatus:
    """Print the totals, update snapshots if `update` is set, and return the exit status."""
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
    """Return a JUnit suite with a test for each case."""
    failed = [each for each in ran if not each.passed]
    suite = Xml.Element("testsuite", name=visible(file), tests=str(len(ran)), failures=str(len(failed)))
    for name in ("errors", "skipped"):
        suite.set(name, "0")
    suite.set("time", f"{sum(each.response.ms or 0 for each in ran) / 1000:.3f}")
    for each in ran:
        seconds = f"{(each.response.ms or 0) / 1000:.3f}"
        case = Xml.SubElement(suite, "testcase", classname="mcp", name=visible(each.case.name), time=seconds)
        if each.failures:
            sentences = [visible(failure.sentence) for failure in each.failures]
            Xml.SubElement(case, "failure", message=sentences[0]).text = "\n".join(sentences)
    text: str = Xml.tostring(suite, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def _lines(ran: CaseRun) -> list[Line]:
    sign: Span = ("ok    ", "ok") if ran.passed else ("FAIL  ", "error")
    took: Span = ("" if ran.response.ms is None else f"  {ran.response.ms:,.0f} ms", "faint")
    lines: list[Line] = [(sign, (visible(ran.case.name), "text"), took)]
    return lines + [(("      ", "text"), (visible(failure.sentence), "error")) for failure in ran.failures]


def _sum(count: int, failed: int, new: int) -> Line:
    passed = count - failed
    parts: list[Span] = [(f"{passed:,} of {count:,} as expected", "error" if failed else "ok")]
    if new:
        parts.append((f", {counted(new, 'snapshot')} updated", "accent"))
    return tuple(parts)


def _as_json(ran: Sequence[CaseRun], file: Path, new: int, failed: int) -> dict[str, Any]:
    return {
        "file": str(file),
        "cases": [
            {
                "name": each.case.name,
                "passed": each.passed,
                "ms": each.response.ms,
                "failures": [_failure(failure.sentence, failure.expectation) for failure in each.failures],
                "reply": None if each.passed else each.response.reply,
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
    """Return the actual value at the place of a snapshot; ABSENT if there is none, or for other expectations."""
    return value_at(ran.response.reply, expectation.at) if expectation.kind is ExpectationKind.SNAPSHOT else ABSENT


def _new_snapshots(ran: Sequence[CaseRun]) -> list[tuple[Expectation, Any]]:
    """Return failed snapshots with their new values. A snapshot whose place is missing is not updated."""
    failed = [(each, failure.expectation) for each in ran for failure in each.failures]
    found = [(expectation, _value_for(each, expectation)) for each, expectation in failed if expectation is not None]
    return [(expectation, value) for expectation, value in found if value is not ABSENT]


def _save(file: Path, found: Cases, new: Sequence[tuple[Expectation, Any]]) -> None:
    normal = Normal()
    write_whole(file, with_values(found, [(each, normal(value)) for each, value in new]).encode())


environment_option = click.option(
    "--env", "environment", default="", metavar="NAME", help="Take variables from env/NAME.yaml beside the file."
)


@documented(
    "test",
    _EXAMPLES,
    "`file`, `cases` (`name`, `passed`, `ms`, `failures`, and `reply` of a failed case), `passed`, `failed`, `updated`",
)
@click.option(
    "-k", "--filter", "words", multiple=True, metavar="TEXT", help="Run only cases with this text in the name."
)
@environment_option
@watch_option
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
    if not options["watch"]:
        return _run_file(env, file, url, options).status
    if options["update"] or options["code"] is not None:
        raise UsageError("--watch goes with neither --update-snapshots nor --pytest")
    target = choose(env, url or _target_in(env, file, options["environment"]), options).target
    return run_watching(env, target, options, lambda env, options: _run_file(env, file, url, options), [file])


def _target_in(env: CliEnv, file: Path, environment: str) -> str | None:
    """Return the server that a file names if the command line names none."""
    return None if env.server_argv is not None else open_collection(file, environment).target or None


def _run_file(env: CliEnv, file: Path, url: str | None, options: dict[str, Any]) -> Ran:
    words, junit, update, code = (options.pop(name) for name in ("words", "junit", "update", "code"))
    environment = options.pop("environment")
    output = Output(env, as_json=options["as_json"], quiet=options["quiet"])
    collection = open_collection(file, environment)
    if env.server_argv is None and url is None and not collection.target:
        raise UsageError("no server to test", hint="Name a URL, or a server's command after --.")
    found = collection.cases
    runs = open_runs(env, collection, chosen_cases(found, words, file))
    if code is not None:
        return Ran(_write_code(output, code, runs, env, url))
    ran: list[CaseRun] = []

    def done(each: CaseRun) -> None:
        ran.append(each)
        tell(output, each)

    status = perform(env, url, options, runs, done)
    if status is not ExitStatus.OK:
        return Ran(status)
    if junit is not None:
        write_whole(junit, as_junit(ran, str(file)))
    facts = {each.case.name: f"failed: {each.failures[0].sentence}" if each.failures else "passed" for each in ran}
    return Ran(report_runs(output, ran, file, found, update=update), facts)


def _alone(chosen: TargetOptions, env: CliEnv) -> Session:
    """Return a session for one case without its own capture."""
    return open_session(chosen.target, start_capture(None), settings_for(chosen, env, afresh=True))


def _write_code(output: Output, path: Path, runs: CaseRuns, env: CliEnv, url: str | None) -> ExitStatus:
    if path.exists():
        raise UsageError(f"{path} already exists", hint="Choose another file: it may have been edited.")
    if any(each.references or each.save or each.session for each in runs.cases):
        what = "variables, saved values or a recorded session"
        raise UsageError(f"--pytest can't write cases with {what}", hint="Choose others with -k.")
    target = (url,) if url else tuple(env.server_argv or ())
    cases = [runs.values.resolved(each) for each in runs.cases]
    write_whole(path, pytest_file(cases, target).encode())
    output.narrate(f"wrote {path}: {len(cases):,} tests; run them with pytest {path}")
    return ExitStatus.OK


def _make_cases(output: Output, capture: Path, where: str, out: Path | None) -> ExitStatus:
    """Add a case for each call of a capture to a file."""
    demand_file(capture, "mcp-inspect without arguments lists recent captures.")
    with loaded_capture(output, capture) as journal:
        chosen = frozenset(matching_entries(output, journal, where)) if where else None
        found, opening = accounts(journal).operations, journal.conversation.opening
    cases = promoted(found, chosen)
    if not cases:
        raise UsageError("no request of the capture can become a test case", hint=_hint(where))
    path, revision = out or beside(capture), opening.revision.date if opening is not None else ""
    count = add_cases(path, cases, revision)
    now = open_cases(path).revision
    if revision and now != revision:
        output.warn(
            f"the capture is of {revision}, and {path} {f'of {now}' if now else 'names no `revision`'}: results differ "
            "between versions; -o FILE writes another file"
        )
    cases_now = "1 case" if count == 1 else f"{count:,} cases"
    output.narrate(f"wrote {path}: {cases_now}. Run: mcp-inspect test {path} TARGET")
    return ExitStatus.OK


def _hint(where: str) -> str:
    if where:
        return "Only requests that match --where and have a response can: mcp-inspect tail FILE lists them."
    return "Tool calls, resource reads, prompts and completions with a response can; --where chooses other requests."


# Saved calls


@documented(
    "run",
    _RUN_EXAMPLES,
    "`file`, `environment`, `calls` (`name`, `passed`, `ms`, `failures`, `saved`, and `result` or `error`), "
    "`passed`, `failed`; without a name `calls` (`name`, `request`, `target`, `file`)",
)
@environment_option
@click.argument("what", required=False, metavar="[CALL | FILE]")
@click.argument("url", required=False, metavar="[TARGET]")
@headless_settings
@click.pass_obj
def run_command(
    env: CliEnv, /, what: str | None, url: str | None, environment: str, as_json: bool, **options: Any
) -> ExitStatus:
    """Run a saved call, or all calls of a file in order; exit 1 if one fails.

    A call that uses others runs after them. NAME is looked for in the *.mcp.yaml files of this directory, or of the
    nearest directory above it. The server is that of the environment or the file, unless one is named here. Without
    arguments the saved calls are listed.
    """
    output = Output(env, as_json=as_json, quiet=options["quiet"])
    options["as_json"] = as_json
    if what is None:
        return _list(output)
    path, name = _found(what)
    collection = open_collection(path, environment)
    calls = collection.cases.cases if name is None else (_named(collection, name),)
    if not calls:
        raise UsageError(f"{path}: no cases", hint="Add one below `cases:`.")
    runs = open_runs(env, collection, calls)
    ran: list[CaseRun] = []

    def done(each: CaseRun) -> None:
        ran.append(each)
        if as_json:
            output.narrate(f"{len(ran)} of {len(runs.plan)}: {visible(each.case.name, limit=200)}")
            return
        tell(output, each)
        if name is not None and each.case.name == name:
            output.lines(_result(each))

    status = perform(env, url, options, runs, done)
    if status is not ExitStatus.OK:
        return status
    failed = sum(not each.passed for each in ran)
    if as_json:
        output.data(_runs_as_json(runs, ran, environment, failed))
    elif len(ran) > 1:
        output.lines([((f"{len(ran) - failed:,} passed, {failed:,} failed", "error" if failed else "ok"),)])
    return ExitStatus.FINDINGS if failed else ExitStatus.OK


def _list(output: Output) -> ExitStatus:
    """List the saved calls of the project. A file that can't be read is reported and skipped."""
    files = collections_near(Path.cwd())
    if not files:
        raise UsageError(f"no *{SUFFIX} file here", hint="In the terminal interface, `x s` on Tools saves a call.")
    calls: list[dict[str, str]] = []
    for path in files:
        try:
            found = open_collection(path)
        except UsageError as error:
            output.warn(str(error))
            continue
        calls += (
            {"name": each.name, "request": each.request, "target": _about(each), "file": path.name}
            for each in found.cases.cases
        )
    if output.as_json:
        output.data({"calls": calls})
        return ExitStatus.OK
    widest = min(40, max((len(each["name"]) for each in calls), default=0))
    for each in calls:
        name = visible(each["name"], limit=200)
        what = f"{visible(each['request'], limit=60)} {visible(each['target'], limit=200)}".rstrip()
        output.lines([((name.ljust(widest), "strong"), (f"  {what}", "text"), (f"  {each['file']}", "faint"))])
    return ExitStatus.OK


def _about(case: CaseDefinition) -> str:
    return peek.text(case.params, "name") or peek.text(case.params, "uri") or ""


def _found(what: str) -> tuple[Path, str | None]:
    """Return the file, and the name of the call; None for the whole file. Raises: UsageError."""
    file, hash_, name = what.rpartition("#")
    if hash_ and file.endswith((".yaml", ".yml")):
        return Path(file), name
    if what.endswith((".yaml", ".yml")) or Path(what).is_file():
        return Path(what), None
    files = collections_near(Path.cwd())
    homes: list[Path] = []
    names: list[str] = []
    unreadable: list[UsageError] = []
    for path in files:
        try:
            found = [each.name for each in open_collection(path).cases.cases]
        except UsageError as error:
            unreadable.append(error)
            continue
        names += found
        homes += [path] * (what in found)
    if len(homes) > 1:
        where = ", ".join(path.name for path in homes)
        raise UsageError(f"several files have a call named {what!r}: {where}", hint=f"Write {homes[0].name}#{what}.")
    if homes:
        return homes[0], what
    if unreadable:
        raise unreadable[0]
    if not files:
        raise UsageError(f"{what!r} is not a file, and there is no *{SUFFIX} file here", hint="Name a file of calls.")
    hint = near_to(what, names) or "`mcp-inspect run` lists the saved calls."
    raise UsageError(f"no saved call is named {what!r}", hint=hint)


def _named(collection: Collection, name: str) -> CaseDefinition:
    found = {each.name: each for each in collection.cases.cases}
    if name not in found:
        hint = near_to(name, [*found]) or f"There are: {', '.join(found)}."
        raise UsageError(f"{collection.path}: no call is named {name!r}", hint=hint)
    return found[name]


def _result(ran: CaseRun) -> Iterator[Line]:
    """Return the result of a call as `call` prints it."""
    if not ran.response.reply:
        return
    finished = Finished(
        method=ran.case.request,
        target=_about(ran.case),
        result=ran.response.reply.get("result"),
        error=ran.response.reply.get("error"),
        duration_ns=None if ran.response.ms is None else int(ran.response.ms * 1e6),
        output_schema=ran.response.output_schema,
    )
    yield from result_lines(result_view(finished, None))


def _runs_as_json(runs: CaseRuns, ran: Sequence[CaseRun], environment: str, failed: int) -> dict[str, Any]:
    return {
        "file": str(runs.collection.path),
        "environment": environment,
        "calls": [
            {
                "name": each.case.name,
                "passed": each.passed,
                "ms": each.response.ms,
                "failures": [failure.sentence for failure in each.failures],
                "saved": {
                    saved.name: runs.values.masked(value)
                    for saved in each.case.save
                    if (value := runs.values.known(saved.name)) is not ABSENT
                },
                **each.response.reply,
            }
            for each in ran
        ],
        "passed": len(ran) - failed,
        "failed": failed,
    }
