"""Skills of a conversation as rows: each skill, and below it its files with the outcome of reading them.

Everything is read from the journal, so that a recording shows its own skills. A read is verified against the entry
known at that time. When an entry is received again, none of its files counts as verified.
"""

from collections.abc import Sequence

import msgspec

from inspector import text
from inspector.capture.journal import Journal
from inspector.capture.messages import request_of, response_of, result_response_of
from inspector.present import spans as signs
from inspector.present.rows import RowSource, RowView
from inspector.present.skills import amount, file_row
from inspector.present.spans import Role, Span, lay
from inspector.protocol import jsonrpc, peek
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.frames import Direction
from inspector.protocol.skills import GET, LIST, READ, Skill, SkillFile, Verified, same_names, verify


class Held(msgspec.Struct):
    """A skill's entry, and the reads of its files since."""

    skill: Skill
    since: int
    """Number of the exchange with the entry."""
    reads: dict[str, Verified] = msgspec.field(default_factory=dict)
    """Newest content by URI, verified against the entry."""
    errors: dict[str, str] = msgspec.field(default_factory=dict)
    """Error of the newest read by URI."""
    running: set[str] = msgspec.field(default_factory=set)
    """URIs that are being read."""


class SkillRow(msgspec.Struct, frozen=True):
    """Row of the list: a skill or one of its files."""

    held: Held
    file: SkillFile | None = None


class SkillIndex(RowSource):
    """Known skills; `take` updates them."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._seen = 0
        self._open: list[int] = []
        self._entries: dict[str, Held] = {}
        self.rows: list[SkillRow] = []
        self.listed = False
        """Whether a list was requested."""
        self.refusal = ""
        """Why the newest list request failed; "" if it did not."""
        self._twice: frozenset[str] = frozenset()

    def take(self) -> bool:
        """Process new exchanges; return whether any was about skills."""
        exchanges = self._journal.conversation.exchanges
        count = len(exchanges)
        numbers = [*self._open, *range(self._seen, count)]
        self._seen, self._open, changed = count, [], False
        for place in numbers:
            exchange = exchanges[place]
            if exchange.method not in (LIST, GET, READ) or exchange.sender is not Direction.TO_SERVER:
                continue
            if exchange.is_open:
                self._open.append(place)
            changed = self._note(exchange) or changed
        if changed:
            self._arrange()
        return changed

    def _note(self, exchange: Exchange) -> bool:
        if exchange.method == READ:
            return self._read(exchange)
        self.listed = self.listed or exchange.method == LIST
        if exchange.is_open:
            return exchange.method == LIST and not self._entries
        result = _result(self._journal, exchange)
        if exchange.method == GET:
            return self._got(exchange, result)
        if result is None:
            self.refusal = _why_not(self._journal, exchange)
            return True
        self.refusal = ""
        asked = request_of(self._journal, exchange)
        if asked is None or peek.text(asked.params, "cursor") is None:
            self._entries = {}
        for place, raw in enumerate(peek.items(result, "skills")):
            skill = Skill(raw)
            self._entries[skill.uri or f"?{place}"] = Held(skill, exchange.number)
        return True

    def _got(self, exchange: Exchange, result: object) -> bool:
        raw = peek.at(result, "skill")
        if raw is None:
            return False
        skill = Skill(raw)
        self._entries[skill.uri] = Held(skill, exchange.number)
        return True

    def _read(self, exchange: Exchange) -> bool:
        uri, found = exchange.target, False
        for held in self._entries.values():
            file = next((file for file in held.skill.files if file.uri == uri), None)
            if file is None or exchange.number < held.since:
                continue
            found = True
            held.running.discard(uri)
            if exchange.is_open:
                held.running.add(uri)
            elif (result := _result(self._journal, exchange)) is None:
                held.reads.pop(uri, None)
                held.errors[uri] = _why_not(self._journal, exchange)
            else:
                held.errors.pop(uri, None)
                held.reads[uri] = verify(held.skill, file, result)
        return found

    def _arrange(self) -> None:
        self._generation += 1
        self._twice = same_names(held.skill for held in self._entries.values())
        self.rows = [
            row
            for held in self._entries.values()
            for row in (SkillRow(held), *(SkillRow(held, file) for file in held.skill.files))
        ]

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def skills(self) -> int:
        return len(self._entries)

    def row(self, index: int, width: int) -> RowView:
        row = self.rows[index]
        spans = self._skill(row.held) if row.file is None else _file(row.held, row.file)
        return RowView(lay(spans, width))

    def header(self, width: int) -> Sequence[Span]:
        return lay([("Skill and files", "muted")], width)

    def _skill(self, held: Held) -> list[Span]:
        skill = held.skill
        flaws = skill.flaws
        spans: list[Span] = [(text.visible(skill.name, limit=80) or "(no name)", "warning" if flaws else "method")]
        if skill.name in self._twice:
            spans.append((f"  {text.visible(skill.root, limit=100)}", "target"))
        spans.append((f"  {amount(skill)}", "faint"))
        return [*spans, (f"  {signs.WARNING} {text.visible(flaws[0], limit=100)}", "warning")] if flaws else spans


def _file(held: Held, file: SkillFile) -> list[Span]:
    path, claimed = file_row(file)
    word, role = state_of(held, file)
    return [("  ", "text"), (path or "(no uri)", "target"), (f"  {word}", role), (f"  {claimed}", "faint")]


def state_of(held: Held, file: SkillFile) -> tuple[str, Role]:
    """Return the outcome of reading a file, as a short text."""
    if file.uri in held.running:
        return f"{signs.PENDING} reading", "pending"
    if held.errors.get(file.uri):
        return f"{signs.ERROR} not read: {text.visible(held.errors[file.uri], limit=100)}", "error"
    read = held.reads.get(file.uri)
    if read is None:
        unfit = file.flaw if not (held.skill.is_dynamic and file.is_manifest) else ""
        return (f"{signs.WARNING} {unfit}", "warning") if unfit else (f"{signs.NOTE} not read", "faint")
    if read.problem:
        return f"{signs.ERROR} {text.visible(read.problem, limit=100)}", "error"
    if (mismatch := read.mismatch) is not None:
        return f"{signs.ERROR} {mismatch.name} differs", "error"
    return f"{signs.OK} {'as listed' if not held.skill.is_dynamic else 'front matter as listed'}", "ok"


def _result(journal: Journal, exchange: Exchange) -> object:
    """Return the result of an exchange; None if there is none."""
    response = result_response_of(journal, exchange)
    return None if response is None else peek.mapping(response.result)


def _why_not(journal: Journal, exchange: Exchange) -> str:
    response = response_of(journal, exchange)
    if isinstance(response, jsonrpc.ErrorResponse):
        return f"error {response.code}: {response.message}"
    return exchange.why or ("cancelled" if exchange.state is ExchangeState.CANCELLED else "no response")
