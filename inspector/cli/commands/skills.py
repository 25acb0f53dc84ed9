"""`mcp-inspect skills`: list the skills of a server, and verify a skill's files against its entry."""

from collections.abc import Sequence
from typing import Any

import click

from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, answered, report_error, visit
from inspector.cli.help import documented
from inspector.cli.options import headless_settings
from inspector.errors import UsageError
from inspector.present.skills import read_lines, skill_lines
from inspector.present.spans import Line
from inspector.protocol import peek
from inspector.protocol.capabilities import SKILLS, declares
from inspector.protocol.flows.skills import SkillRead, check_skill, get_skill, list_skills
from inspector.protocol.jsonrpc import ErrorResponse
from inspector.protocol.skills import GET, LIST, READ, Skill, SkillFile

_EXAMPLES = (
    "mcp-inspect skills -- python server.py",
    "mcp-inspect skills lamp-lighting --json https://example.com/mcp",
    "mcp-inspect skills lamp-lighting references/oils.md -- python server.py",
)


@documented("skills", _EXAMPLES, "`skills`; with a name: its files with digest, size and `problem`")
@click.argument("words", nargs=-1, metavar="[NAME|URI [FILE…]] [URL | -- COMMAND]")
@click.option("--anyway", is_flag=True, help="Send the requests even if the server does not declare the extension.")
@headless_settings
@click.pass_obj
def command(env: CliEnv, /, words: tuple[str, ...], anyway: bool, **options: Any) -> ExitStatus:
    """List skills; with a name, read its files and verify size, digest and front matter.

    Reading stops at the first file that does not match its entry, with exit status 1.
    """
    url = words[-1] if words and env.server_argv is None else None
    named = words if url is None else words[:-1]

    async def work(visit: CommandSession) -> ExitStatus:
        demand_skills(visit, anyway=anyway)
        return await show_skill(visit, named[0], named[1:]) if named else await show_list(visit)

    return visit(env, url, options, work)


def demand_skills(visit: CommandSession, *, anyway: bool) -> None:
    """Check that the server declares skills, unless `anyway` is set. Raises: UsageError."""
    if anyway or declares(visit.opening.capabilities, SKILLS):
        return
    raise UsageError(f"the server does not declare {SKILLS}", hint="--anyway sends the requests nevertheless.")


async def show_list(visit: CommandSession) -> ExitStatus:
    """Print the entries without reading files. Raises: what `answered` raises."""
    found = await _listed(visit)
    if isinstance(found, ExitStatus):
        return found
    if visit.output.as_json:
        visit.output.data({"skills": [_entry(skill) for skill in found]})
    else:
        visit.output.lines(skill_lines(found))
    return ExitStatus.OK


async def show_skill(visit: CommandSession, name: str, files: Sequence[str]) -> ExitStatus:
    """Read the given files of a skill, or all, in order. Stop at the first mismatch.

    Raises: UsageError for an unknown file, and what `answered` raises.
    """
    skill = await _find(visit, name)
    if isinstance(skill, ExitStatus):
        return skill
    for flaw in skill.flaws:
        visit.output.warn(f"{skill.name}: {flaw}")
    wanted = [_file(skill, path) for path in files] or skill.files
    reads = await visit.session.perform(lambda revision: check_skill(skill, wanted, revision=revision))
    if visit.output.as_json:
        visit.output.data({"skill": _entry(skill), "files": [_read(read) for read in reads]})
    else:
        whole = len(files) == 1
        lines: list[Line] = [line for read in reads for line in read_lines(skill, read, whole=whole)]
        visit.output.lines(lines)
    return _judge(visit, skill, reads, len(wanted))


def _judge(visit: CommandSession, skill: Skill, reads: Sequence[SkillRead], wanted: int) -> ExitStatus:
    last = reads[-1] if reads else None
    if last is None or last.ok:
        return ExitStatus.FINDINGS if skill.flaws else ExitStatus.OK
    left = f"; {wanted - len(reads)} more not read" if wanted > len(reads) else ""
    if last.verified is not None and (mismatch := last.verified.mismatch) is not None:
        message = (
            f"{last.file.path}: {mismatch.name} differs: listed {mismatch.claimed}, received {mismatch.found}{left}"
        )
        hint = f"Do not use the content. If the skill has changed, {GET} returns the new entry."
        return visit.output.report("skill_mismatch", message, hint, ExitStatus.FINDINGS)
    if last.verified is not None or last.refused:
        problem = last.refused or (last.verified.problem if last.verified else "")
        return visit.output.report("skill_mismatch", f"{last.file.path}: {problem}{left}", "", ExitStatus.FINDINGS)
    assert last.reply is not None, "a skill without an error was read"
    message_of = answered(last.reply, READ).message
    return _refused(visit, READ, message_of if isinstance(message_of, ErrorResponse) else None)


async def _listed(visit: CommandSession) -> list[Skill] | ExitStatus:
    pages = await visit.session.perform(lambda revision: list_skills(revision=revision))
    if pages.failed is not None:
        message = answered(pages.failed, LIST).message
        return _refused(visit, LIST, message if isinstance(message, ErrorResponse) else None)
    if pages.stopped:
        visit.output.warn(f"{LIST}: {pages.stopped}; {len(pages.skills)} skills up to there")
    return list(pages.skills)


async def _find(visit: CommandSession, name: str) -> Skill | ExitStatus:
    """Find a skill by its URI, listed or not, or by its unique name."""
    if "://" in name:
        skill, reply = await visit.session.perform(lambda revision: get_skill(name, revision=revision))
        if skill is not None:
            return skill
        message = answered(reply, GET).message
        return _refused(visit, GET, message if isinstance(message, ErrorResponse) else None)
    found = await _listed(visit)
    if isinstance(found, ExitStatus):
        return found
    named = [skill for skill in found if skill.name == name]
    if len(named) == 1:
        return named[0]
    if named:
        uris = ", ".join(skill.uri for skill in named[:10])
        raise UsageError(f"{len(named)} skills are called {name!r}", hint=f"Name one by its URI: {uris}")
    known = ", ".join(skill.name for skill in found[:20]) or "none"
    raise UsageError(f"no skill is listed as {name!r}", hint=f"There are: {known}. One that is not listed has a URI.")


def _file(skill: Skill, path: str) -> SkillFile:
    """Find a file by its path or URI. Only listed files belong to the skill."""
    for file in skill.files:
        if path in (file.path, file.uri):
            return file
    known = ", ".join(file.path for file in skill.files[:20])
    raise UsageError(f"{path!r} is not listed among the files of {skill.name}", hint=f"There are: {known}.")


def _refused(visit: CommandSession, method: str, error: ErrorResponse | None) -> ExitStatus:
    if error is None:
        message = f"not found in the response to {method}"
        return visit.output.report("server_error", message, "", ExitStatus.PROTOCOL)
    return report_error(visit.output, method, error)


def _entry(skill: Skill) -> dict[str, Any]:
    raw = peek.mapping(skill.raw)
    return {**raw, "flaws": list(skill.flaws)}


def _read(read: SkillRead) -> dict[str, Any]:
    verified = read.verified
    return {
        "path": read.file.path,
        "uri": read.file.uri,
        "ok": read.ok,
        "checks": [] if verified is None else list(verified.checks),
        "problem": read.refused or (verified.problem if verified else "no response"),
    }
