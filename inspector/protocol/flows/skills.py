"""Flows that list skills, get one by URI, and read files lazily, each verified against its entry.

"Hosts MUST NOT retrieve a skill's files ahead of need" (extension io.modelcontextprotocol/skills, Lazy Retrieval):
listing reads no files, and checking a skill stops at the first file that differs from its entry.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.flows.call import Called, call
from inspector.protocol.flows.steps import Flow, Replied, Reply, Send
from inspector.protocol.jsonrpc import ResultResponse
from inspector.protocol.revisions._shape import Revision
from inspector.protocol.skills import GET, LIST, READ, Skill, SkillFile, Verified, verify
from inspector.text import cut

_MOST_PAGES = 1000


class SkillPages(msgspec.Struct, frozen=True):
    """The fetched part of the list of skills."""

    skills: tuple[Skill, ...]
    stopped: str = ""
    """Why fetching ended before the server's end of the list; "" if the list is complete."""
    failed: Reply | None = None
    """What was received instead of a page, if that is the reason."""


class SkillRead(msgspec.Struct, frozen=True):
    """The outcome of reading a file."""

    file: SkillFile
    reply: Reply | None
    """The reply; None if the file was not requested."""
    verified: Verified | None
    """The verified content; None without a result."""
    refused: str = ""
    """Why the file was not requested; "" if it was."""

    @property
    def ok(self) -> bool:
        """Whether it was read and matches its entry."""
        return self.verified is not None and self.verified.ok


def list_skills(*, revision: Revision) -> Flow[SkillPages]:
    """Fetch all pages of skills/list. A repeated cursor ends the list."""
    skills: list[Skill] = []
    seen: set[str] = set()
    params: Any = None
    for page in range(1, _MOST_PAGES + 1):
        reply: Reply = yield Send(LIST, params, revision=revision)
        result = _result(reply)
        if result is None:
            return SkillPages(tuple(skills), f"page {page} could not be fetched", reply)
        skills += map(Skill, peek.items(result, "skills"))
        cursor = peek.text(result, "nextCursor")
        if cursor is None:
            whole = isinstance(peek.at(result, "skills"), list)
            return SkillPages(tuple(skills), "" if whole else "the result has no array 'skills'")
        if cursor in seen:
            return SkillPages(tuple(skills), f"the server gave the cursor {cut(cursor, 80)!r} a second time")
        seen.add(cursor)
        params = {"cursor": cursor}
    return SkillPages(tuple(skills), f"more than {_MOST_PAGES} pages")


def get_skill(uri: str, *, revision: Revision) -> Flow[tuple[Skill | None, Reply]]:
    """Get the entry of one skill, listed or not; None if the server returned none."""
    reply: Reply = yield Send(GET, {"uri": uri}, revision=revision)
    entry = peek.at(_result(reply), "skill")
    return (None if entry is None else Skill(entry)), reply


def read_skill_file(skill: Skill, file: SkillFile, *, revision: Revision) -> Flow[SkillRead]:
    """Read a file and verify it against its entry. A file with an invalid entry is not requested."""
    if refused := _not_to_be_read(skill, file):
        return SkillRead(file, None, None, refused)
    called: Called = yield from call(READ, {"uri": file.uri}, revision=revision)
    result = _result(called.reply)
    return SkillRead(file, called.reply, None if result is None else verify(skill, file, result))


def check_skill(skill: Skill, files: Iterable[SkillFile], *, revision: Revision) -> Flow[tuple[SkillRead, ...]]:
    """Read files in order, up to the first that differs from its entry."""
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
    if not isinstance(reply, Replied) or not isinstance(reply.message, ResultResponse):
        return None
    return reply.message.result if isinstance(reply.message.result, dict) else {}
