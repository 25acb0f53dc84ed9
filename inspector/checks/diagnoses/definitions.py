"""Diagnoses of server definitions: names, texts, size, order, changes and content types.

Several checks examine the same page; its `CheckMoment` caches what was parsed.
"""

import base64
import json
import re
from binascii import Error as NotBase64
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from inspector.checks.compat.matrix import tokens_of
from inspector.checks.compat.packs import CompatEffect, facts_about, known_hosts, usual_hosts
from inspector.checks.definitions.schemas import WalkBudget, keywords_of
from inspector.checks.definitions.texts import all_of, hidden_in, may_hide, may_order, order_in, texts_in, units
from inspector.checks.definitions.tools import SeenTool, shown_name, traits_of, writes
from inspector.checks.findings import Confidence, Severity
from inspector.checks.foreign_text import and_more
from inspector.checks.registry import Violation, diagnoses_of
from inspector.checks.rules.tools import was_requested_again
from inspector.checks.rules.utilities import endless
from inspector.checks.state import CheckMoment
from inspector.protocol import peek
from inspector.protocol.changes import differences, key_of
from inspector.protocol.fingerprints import INSTRUCTIONS, Remembered, content_hash
from inspector.protocol.listed_items import KIND_OF_METHOD, LISTS
from inspector.text import cut

_, warning, hint = diagnoses_of("server/tools")

LIST = "answer tools/list"
MOST_WITH: Final = 60
"""Maximum tools of a page whose traits of one kind are kept; no check reports more per message."""
_COUNTED: Final = frozenset(("input-dialect", "output-dialect"))
"""Kinds that are always kept, because a check counts all of them; a tool has at most one of each."""

_WARNING, _HINT = Severity.WARNING, Severity.HINT
_MOST = 10
_SAME: Final = re.compile(r"[^A-Za-z0-9]")
_ERROR = Severity.ERROR
_OPENINGS = ("answer initialize", "answer server/discover")
_LISTS = (LIST, "answer prompts/list", "answer resources/list", "answer resources/templates/list", *_OPENINGS)
_MEMBERS = ("tools", "prompts", "resources", "resourceTemplates")
_KINDS = {"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources"}
_MANY_PAGES = 100
_SURFACE_MEMORY_HINT = Severity.HINT
_ONE = {"tools": "tool", "prompts": "prompt", "templates": "template"}
_MOST_PLACES = 4
_FIX = "Review the changes before you trust the server: D in Tools shows the word diff, as does mcp-inspect diff."
_SURFACE_MEMORY_LISTS = tuple(f"answer {LISTS[kind].method}" for kind in _ONE)
_MAGIC = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
)
_ZIPPED = ("application/vnd.", "application/epub", "application/java", "application/x-")
"""Types whose content is a zip file."""
_LOOKED_AT = 1 << 20

FEW_TOOLS, FEW_TOKENS = 40, 5000
"""Too few for any client's limit: the facts about clients are then not read."""


class _Pages(msgspec.Struct):
    """What is known of the tool list until its last page has come."""

    more: Violation | None = None

    def taken(self) -> Iterator[Violation]:
        """Yield it once."""
        found, self.more = self.more, None
        if found is not None:
            yield found


def tools_seen(case: CheckMoment) -> tuple[SeenTool, ...]:
    """Return every tool of the page that is an object."""
    if case.tools is None:
        case.tools = tuple(_tools_seen(case))
    return case.tools


def _tools_seen(case: CheckMoment) -> Iterator[SeenTool]:
    budget = WalkBudget()
    tools_with: Counter[str] = Counter()
    enough: set[str] = set()
    passed_over: frozenset[str] = frozenset()
    for at, tool in enumerate(peek.items(case.value, "tools")):
        case.rest(at)
        if type(tool) is not dict:
            continue
        kept = [each for each in traits_of(tool, budget, passed_over) if each.kind not in enough]
        tools_with.update({each.kind for each in kept} - _COUNTED)
        if more := {each.kind for each in kept if tools_with[each.kind] >= MOST_WITH}:
            enough |= more
            passed_over = keywords_of(enough)
        yield SeenTool(f"/result/tools/{at}", called(tool, at), tool, tuple(kept))


def called(item: Any, at: int) -> str:
    """Return the name of a tool, prompt or resource for a sentence."""
    return cut(peek.text(item, "name") or f"number {at + 1}", 80)


def violations_of(case: CheckMoment, *kinds: str, most: int = 1 << 30) -> Iterator[Violation]:
    """Yield a violation for each trait of these kinds, at most `most` per tool."""
    for at, seen in enumerate(tools_seen(case)):
        case.rest(at)
        found = [each for each in seen.traits if each.kind in kinds]
        for each in found[:most]:
            yield Violation(f"{seen.name}: {each.sentence}", seen.place + each.pointer, trait=each.kind)


def one_of_all(case: CheckMoment, *kinds: str, fix: str = "", severity: Severity | None = None) -> Iterator[Violation]:
    """Yield one violation for all tools with traits of these kinds: the first, with their number and some names."""
    found = [*violations_of(case, *kinds, most=1)]
    if found:
        first, *others = found
        names = [cut(each.sentence.partition(": ")[0], 60) for each in others]
        sentence = first.sentence + and_more(names, "tool", all_of_them=len(found) < MOST_WITH)
        yield replace(first, sentence=sentence, severity=severity, fix=fix)


def is_paged(case: CheckMoment) -> bool:
    """Whether the response is one page of several."""
    return peek.has(case.value, "nextCursor") or is_later_page(case)


def is_later_page(case: CheckMoment) -> bool:
    """Whether the response is a page after the first."""
    return case.asked is not None and peek.has(case.asked.params, "cursor")


# Tool names in clients


@warning("Tool name is long or ambiguous", LIST, heavy=True)
def tool_name_length(case: CheckMoment) -> Iterator[Violation]:
    """Names that are too long with the server's name as prefix, or equal once clients have normalised them.

    Fix: Shorten the name: clients with several servers prefix it with the server name.
    """
    server = peek.text(case.state.opening.server if case.state.opening else None, "name") or ""
    seen_as: dict[str, str] = {}
    count = 0
    for seen in tools_seen(case):
        name = peek.text(seen.tool, "name") or ""
        before = seen_as.setdefault(_SAME.sub("_", name).lower(), name)
        if before != name:
            how = "except for case" if before.lower() == name.lower() else "except for punctuation"
            sentence, fix = f"{cut(before, 80)!r} and {seen.name!r} are the same {how}", "Rename one of the two."
            yield Violation(sentence, f"{seen.place}/name", severity=_HINT, fix=fix)
        hosts = _too_long_for(server, name) if len(name) <= 128 and count < _MOST else ()
        if hosts:
            count += 1
            whose = f"as a tool of {cut(server, 40)!r} " if len(name) <= 64 and server else ""
            sentence = f"{seen.name} has {len(name)} characters; {whose}it exceeds {_limits(hosts)}{_listed(hosts)}"
            mild = None if len(name) > 64 else _HINT
            yield Violation(sentence, f"{seen.place}/name", severity=mild, trait="shown-name-length", hosts=hosts)


def _too_long_for(server: str, name: str) -> tuple[str, ...]:
    """Return the clients for which the name is too long; without a server name only its own length counts."""
    if len(server) + len(name) < 40:
        return ()
    hosts = (host for host in usual_hosts() if host.naming is not None)
    return tuple(host.id for host in hosts if host.naming and shown_name(host.naming, server, name).is_too_long)


def _limits(hosts: tuple[str, ...]) -> str:
    """Return how many characters these clients allow with the prefix, as the beginning of a phrase."""
    limits = sorted({host.naming.longest for id_, host in known_hosts().items() if id_ in hosts and host.naming})
    many = f"{limits[0]} to {limits[-1]}" if len(limits) > 1 else str(*limits)
    return f"the {many} characters, with its prefix, of " if limits else ""


def _listed(hosts: tuple[str, ...]) -> str:
    """Return the limits of clients with known version and date; without any, what the clients have in common."""
    sources = ((host.name, host.naming_source) for id_, host in known_hosts().items() if id_ in hosts)
    named = [f"{name} ({source.label})" for name, source in sources if source is not None and source.version]
    return ", ".join(named) or "a limit of 64 characters"


@hint("`readOnlyHint` on a tool whose name suggests writing", LIST, heavy=True, confidence=Confidence.GUESS)
def read_only_hint_doubtful(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Remove readOnlyHint unless the tool only reads: clients may call such a tool without confirmation."""
    for seen in tools_seen(case):
        if word := writes(seen.tool):
            place = f"{seen.place}/annotations/readOnlyHint"
            yield Violation(
                f"{seen.name} has readOnlyHint, but its name contains “{word}”", place, trait="read-only-writes"
            )


@hint("`x-mcp-header` is invalid over HTTP", LIST, topic="http", since="2026-07-28", heavy=True)
def mirrored_header_unusable(case: CheckMoment) -> Iterator[Violation]:
    """Over HTTP, `mirrored-header-invalid` reports it instead.

    Fix: Correct it before the server is used over HTTP, where clients must ignore such a tool.
    """
    if case.state.is_http:
        return
    for seen in tools_seen(case):
        for trait in seen.traits:
            if trait.kind == "mirrored":
                yield Violation(f"{seen.name}: {trait.sentence}", seen.place + trait.pointer, trait=trait.kind)


@hint("Tool name is also used by another server", LIST, heavy=True)
def tool_name_collision(case: CheckMoment) -> Iterator[Violation]:
    """Compares with the other servers of the same configuration, as far as known.

    Fix: Rename the tool: a model may confuse the two.
    """
    beside = case.state.beside
    for seen in tools_seen(case) if beside else ():
        name = peek.text(seen.tool, "name") or ""
        others = [server for server, names in beside.items() if name in names]
        if others:
            yield Violation(f"{seen.name} is also a tool of {cut(', '.join(others), 80)}", f"{seen.place}/name")


# Texts for a model


@warning("Text for the model is too long", LIST, *_OPENINGS, heavy=True)
def text_too_long(case: CheckMoment) -> Iterator[Violation]:
    """Examines the description of a tool, or the instructions of the server.

    Fix: State the most important facts first, and move the rest to a resource or another tool.
    """
    for seen in tools_seen(case) if case.method == "tools/list" else ():
        message = peek.text(seen.tool, "description") or ""
        yield from _cut(seen.name + "'s description", message, f"{seen.place}/description", "description-length")
    if case.method != "tools/list":
        message = peek.text(case.value, "instructions") or ""
        yield from _cut("the server's instructions", message, "/result/instructions", "instructions-length")


def _cut(what: str, message: str, place: str, trait: str) -> Iterator[Violation]:
    if len(message) < 1000:
        return
    length = units(message)
    cutting = [each for each in facts_about(trait, usual_hosts(), length) if each[1].source.version]
    if cutting:
        host, fact = cutting[0]
        last = " ".join(message[max(0, fact.over - 40) : fact.over].split())
        who = f"{host.name} ({fact.source.label})"
        have, them = ("have", "them") if what.endswith("s") else ("has", "it")
        sentence = f"{what} {have} {length:,} characters; {who} truncates {them} at “…{last}”"
        yield Violation(sentence, place, trait=trait, hosts=tuple(host.id for host, _ in cutting))


def _model_texts(case: CheckMoment) -> Iterator[tuple[str, str, Any]]:
    """Yield each text in a response that a model reads: pointer, name, text."""
    for member in _MEMBERS:
        for at, item in enumerate(peek.items(case.value, member)):
            case.rest(at)
            if type(item) is dict:
                yield f"/result/{member}/{at}", called(item, at), item
    if peek.has(case.value, "instructions"):
        yield "/result/instructions", "the server's instructions", peek.at(case.value, "instructions")


@warning("Hidden text", *_LISTS, heavy=True)
def hidden_text(case: CheckMoment) -> Iterator[Violation]:
    """Invisible characters without a use in any script; reported once per tool, prompt or resource.

    Fix: Treat the server as hostile until its author explains the text: a model reads it, a person does not see it.
    """
    for place, name, item in _model_texts(case):
        for pointer, text in texts_in(item) if may_hide(all_of(item)) else ():
            if hidden := hidden_in(text):
                severity = _ERROR if hidden.is_grave else None
                yield Violation(f"{name} contains {hidden.sentence}", place + pointer, severity=severity)
                break


@warning("Possible prompt injection", *_LISTS, heavy=True, confidence=Confidence.GUESS)
def prompt_injection(case: CheckMoment) -> Iterator[Violation]:
    """Phrases known from attacks; reported once per tool, prompt or resource.

    Fix: Read the text before you trust the server. Texts without a finding may still be hostile.
    """
    for place, name, item in _model_texts(case):
        for pointer, text in texts_in(item) if may_order(all_of(item)) else ():
            if order := order_in(text):
                yield Violation(f"{name} contains the instruction {order!r}", place + pointer)
                break


# Size and order of lists


@hint("Too many tools", LIST)
def too_many_tools(case: CheckMoment) -> Iterator[Violation]:
    """Reports the number of tools and the approximate cost of their definitions per request, at the last page.

    Fix: Group tools so that users can choose, or split the server.
    """
    if peek.has(case.value, "nextCursor"):
        return
    here = peek.items(case.value, "tools")
    before = [known.item for known in case.state.lists.known["tools"].values()] if is_later_page(case) else []
    count, tokens = len(here) + len(before), tokens_of([here, before])
    if count < FEW_TOOLS and tokens < FEW_TOKENS:
        return
    for trait, amount, sentence in (
        ("tool-count", count, f"{count:,} tools"),
        ("definition-tokens", tokens, f"the definitions of {count:,} tools need about {tokens:,} tokens (estimated)"),
    ):
        found = facts_about(trait, usual_hosts(), amount)
        if found:
            named = [each for each in found if each[1].source.version]
            worst = _WARNING if named and named[0][1].effect is CompatEffect.BREAKS else None
            hosts = tuple(host.id for host, _ in found)
            strict = min((each for each in named if each[1].over), key=lambda each: each[1].over, default=None)
            sentence += f", more than the {strict[1].over:,} of {strict[0].name}" if strict else ""
            yield Violation(sentence, "/result/tools", severity=worst, trait=trait, hosts=hosts)


@warning(
    "List has another order than before",
    *(f"answer {each}" for each in _KINDS),
    mild_until="2025-11-25",
    mild=_HINT,
    is_diagnosis=False,
)
def list_order_changed(case: CheckMoment) -> Iterator[Violation]:
    """Another order invalidates prompt caches. Since 2026-07-28 the specification requests a stable order of tools.

    Fix: Sort the list.
    """
    kind = _KINDS[case.method]
    if is_paged(case) or (case.is_modern and kind != "tools"):
        return
    before = list(case.state.lists.known[kind])
    if not before:
        return
    key = "uri" if kind == "resources" else "name"
    now = [name for each in peek.items(case.value, kind) if (name := peek.text(each, key)) is not None]
    if before != now and sorted(before) == sorted(now):
        yield Violation(f"the same {kind} are returned in another order than before", f"/result/{kind}")


@hint("Tool list has several pages, or never ends", LIST, "end", topic="server/utilities/pagination")
def pagination_incomplete(case: CheckMoment) -> Iterator[Violation]:
    """Some clients read the first page only; a list whose cursor repeats never ends.

    A second page is reported with the last one, or at the end, so that an endless list is one finding.

    Fix: Omit nextCursor on the last page.
    """
    pages = case.state.notes(_Pages)
    if case.message is None:
        yield from pages.taken()
        return
    cursor = peek.text(case.value, "nextCursor")
    if not is_later_page(case):
        if cursor is not None and peek.items(case.value, "tools"):
            fix = "Use one page if the list is short; several pages are legal."
            sentence = "the tool list has more than one page"
            pages.more = Violation(sentence, "/result/nextCursor", (case.n,), trait="more-pages", fix=fix, instead=True)
        return
    if was_requested_again(case):
        return
    if cursor is not None and cursor in case.state.lists.cursors.get(case.method, ()):
        pages.more = None
        yield endless(case, cursor)
        return
    if cursor is None:
        yield from pages.taken()
    known = case.state.lists.known["tools"]
    names = [peek.text(each, "name") for each in peek.items(case.value, "tools")]
    if names and all(name in known and known[name].frame < case.n for name in names):
        fix = "Start each page where the previous one ended."
        yield Violation("this page repeats the tools of earlier pages", "/result/tools", severity=_WARNING, fix=fix)
    if len(case.state.lists.cursors.get(case.method, ())) == _MANY_PAGES:
        yield Violation(
            f"the tool list has more than {_MANY_PAGES} pages", "/result/nextCursor", fix="Use larger pages."
        )


# Changes since the definitions were stored


@warning(
    "Definition changed since it was approved",
    *_SURFACE_MEMORY_LISTS,
    *_OPENINGS,
    topic="",
    heavy=True,
    fix=_FIX,
    wanted=lambda case: bool(case.state.seen),
)
def definition_changed(case: CheckMoment) -> Iterator[Violation]:
    """Compares each definition by hash; new definitions next to known ones are a hint."""
    kind = KIND_OF_METHOD.get(case.method, "")
    known = case.state.seen.get(kind or INSTRUCTIONS)
    if known is None:
        return
    if not kind:
        yield from _instructions(case.value, known)
        return
    member = LISTS[kind].member
    for at, raw in enumerate(peek.items(case.value, member)):
        key, place = key_of(kind, raw), f"/result/{member}/{at}"
        if key not in known.items:
            sentence = f"the {_ONE[kind]} {cut(key, 80)} is new {_since(known)}"
            yield Violation(sentence, place, severity=_SURFACE_MEMORY_HINT)
            continue
        hash_, before = known.items[key]
        if hash_ != content_hash(raw):
            yield Violation(f"the {_ONE[kind]} {cut(key, 80)} changed {_since(known)}{_where(before, raw)}", place)


def _instructions(result: Any, known: Remembered) -> Iterator[Violation]:
    hash_, _ = known.items.get("", ("", None))
    if hash_ != content_hash(peek.text(result, "instructions") or ""):
        yield Violation(f"the instructions changed {_since(known)}", "/result/instructions")


def _since(known: Remembered) -> str:
    """Return the date of the stored definitions; a lock file has none."""
    if not known.since:
        return "since the lock file was written"
    try:
        return f"since {datetime.fromtimestamp(known.since, UTC).astimezone().date().isoformat()}"
    except (OverflowError, ValueError, OSError):
        return "since it was approved"


def _where(before: Any, after: Any) -> str:
    places = [cut(change.path, 80) for change in differences(before, after)] if before is not None else []
    more = f" and {len(places) - _MOST_PLACES} more" if len(places) > _MOST_PLACES else ""
    return f": {', '.join(places[:_MOST_PLACES])}{more}" if any(places) else ""


# Contents of resources and prompts


@warning(
    "`mimeType` does not match the contents",
    "answer resources/read",
    "answer prompts/get",
    topic="server/resources",
    heavy=True,
    confidence=Confidence.LIKELY,
)
def resource_mime_type_mismatch(case: CheckMoment) -> Iterator[Violation]:
    """Decided by the first bytes, or by parsing JSON.

    Fix: Set the mimeType of the contents; clients choose by it how to handle them.
    """
    for place, item in _contents(case):
        sentence = (peek.text(item, "mimeType") or "").split(";")[0].strip().lower()
        data = peek.text(item, "blob") or peek.text(item, "data")
        text = peek.text(item, "text")
        if data and (twice := _sniffed_twice(data)):
            sentence = f"the contents are base64 of base64: they were encoded twice, and are {twice}"
            yield Violation(sentence, place, fix="Encode the bytes once.")
        elif sentence and data and (found := _sniffed(data)) and not _is(found, sentence):
            yield Violation(f"mimeType is {cut(sentence, 60)}, but the contents look like {found}", f"{place}/mimeType")
        elif text is not None and sentence == "application/json" and not _is_json(text):
            yield Violation("mimeType is application/json, but the contents are not JSON", f"{place}/mimeType")


def _contents(case: CheckMoment) -> Iterator[tuple[str, Any]]:
    for at, item in enumerate(peek.items(case.value, "contents")):
        yield f"/result/contents/{at}", item
    for at, message in enumerate(peek.items(case.value, "messages")):
        content = peek.mapping(message, "content")
        inner = "resource" in content
        yield f"/result/messages/{at}/content" + ("/resource" if inner else ""), content.get("resource", content)


def _sniffed(data: str) -> str:
    try:
        head = base64.b64decode(data[:16], validate=True)
    except (NotBase64, ValueError):
        return ""
    return next((kind for magic, kind in _MAGIC if head.startswith(magic)), "")


def _sniffed_twice(data: str) -> str:
    """Return the type of contents whose base64 was encoded once more; "" for others."""
    try:
        return _sniffed(base64.b64decode(data[:32], validate=True).decode("ascii"))
    except ValueError:
        return ""


def _is(found: str, message: str) -> bool:
    if message in (found, "application/octet-stream") or (found == "image/jpeg" and message == "image/jpg"):
        return True
    return found == "application/zip" and (message.startswith(_ZIPPED) or message.endswith("+zip"))


def _is_json(text: str) -> bool:
    if len(text) > _LOOKED_AT:
        return True
    try:
        json.loads(text)
    except ValueError:
        return False
    except RecursionError:
        return True
    return True
