"""How skills are listed, asked for by URI, and read: lazily, a file at a time, each compared with its entry.

"Hosts MUST NOT retrieve a skill's files ahead of need" (extension io.modelcontextprotocol/skills, Lazy Retrieval): a
list reads nothing, and checking a skill stops at the first file that is not what the entry says.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.flows.call import Called, call
from inspector.protocol.flows.steps import Flow, Replied, Reply, Send
from inspector.protocol.jsonrpc import Answer
from inspector.protocol.revisions._shape import Revision
from inspector.protocol.skills import GET, LIST, READ, Skill, SkillFile, Verified, verify

_MOST_PAGES = 1000


class SkillPages(msgspec.Struct, frozen=True):
    """The skills as far as they were listed."""

    skills: tuple[Skill, ...]
    stopped: str = ""
    """Why listing ended before the server said so; "" if the list is whole."""
    failed: Reply | None = None
    """What was received instead of a page, if that is the reason."""


class SkillRead(msgspec.Struct, frozen=True):
    """The outcome of reading one file."""

    file: SkillFile
    reply: Reply | None
    """None if it was not asked for."""
    verified: Verified | None
    """None where no result came."""
    refused: str = ""
    """Why it was not asked for; "" if it was."""

    @property
    def ok(self) -> bool:
        """Whether it came and is what the entry says."""
        return self.verified is not None and self.verified.ok


def list_skills(*, revision: Revision) -> Flow[SkillPages]:
    """All pages of skills/list. A cursor that comes twice ends it."""
    skills: list[Skill] = []
    seen: set[str] = set()
    params: Any = None
    for page in range(1, _MOST_PAGES + 1):
        reply: Reply = yield Send(LIST, params, revision=revision)
        result = _result(reply)
        if result is None:
            return SkillPages(tuple(skills), f"page {page} could not be had", reply)
        skills += map(Skill, peek.items(result, "skills"))
        cursor = peek.text(result, "nextCursor")
        if cursor is None:
            whole = isinstance(peek.at(result, "skills"), list)
            return SkillPages(tuple(skills), "" if whole else "the result has no array 'skills'")
        if cursor in seen:
            return SkillPages(tuple(skills), f"the server gave the cursor {cursor[:80]!r} a second time")
        seen.add(cursor)
        params = {"cursor": cursor}
    return SkillPages(tuple(skills), f"more than {_MOST_PAGES} pages")


def get_skill(uri: str, *, revision: Revision) -> Flow[tuple[Skill | None, Reply]]:
    """The entry of one skill, listed or not; None where none came."""
    reply: Reply = yield Send(GET, {"uri": uri}, revision=revision)
    entry = peek.at(_result(reply), "skill")
    return (None if entry is None else Skill(entry)), reply


def read_skill_file(skill: Skill, file: SkillFile, *, revision: Revision) -> Flow[SkillRead]:
    """Read one file and hold it against its entry. One that the entry must not list is not asked for."""
    if refused := _not_to_be_read(skill, file):
        return SkillRead(file, None, None, refused)
    called: Called = yield from call(READ, {"uri": file.uri}, revision=revision)
    result = _result(called.reply)
    return SkillRead(file, called.reply, None if result is None else verify(skill, file, result))


def check_skill(skill: Skill, files: Iterable[SkillFile], *, revision: Revision) -> Flow[tuple[SkillRead, ...]]:
    """Read files in their order, up to the first that is not what the entry says."""
    reads: list[SkillRead] = []
    for file in files:
        read = yield from read_skill_file(skill, file, revision=revision)
        reads.append(read)
        if not read.ok:
            break
    return tuple(reads)


def _not_to_be_read(skill: Skill, file: SkillFile) -> str:
    if skill.flaw:
        return skill.flaw
    return "" if skill.is_dynamic and file.is_manifest else file.flaw


def _result(reply: Reply) -> Any:
    """The result in a reply; None if it has none."""
    if not isinstance(reply, Replied) or not isinstance(reply.message, Answer):
        return None
    return reply.message.result if isinstance(reply.message.result, dict) else {}
