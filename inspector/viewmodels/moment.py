"""What was known at a moment: revision, capabilities, lists and how fresh they were, what was watched, what was open.

It is made of a journal as it was then, so it can't know what came later.
"""

from collections.abc import Iterable

import msgspec

from inspector.capture.journal import Journal
from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange
from inspector.protocol.facts import ProcessEvent, ProcessFact
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import Answer, read
from inspector.protocol.things import LISTS
from inspector.protocol.tracking.catalogue import Listing
from inspector.viewmodels import signs, text
from inspector.viewmodels.asked_level import asked_level
from inspector.viewmodels.lines import Fact, Line, Section, fact, plain
from inspector.viewmodels.log_look import seconds
from inspector.viewmodels.progress import said
from inspector.viewmodels.roles import Span
from inspector.viewmodels.task_state import state_of

_MOST = 50
"""Of anything there may be many of, so many are named."""
_NAMES = 20


def moment_sections(journal: Journal) -> tuple[Section, ...]:
    """All that was known when the newest entry of this journal had just come."""
    sections = (
        Section("State", tuple(_moment(journal))),
        Section("In flight", lines=tuple(_in_flight(journal)), note=_nothing(journal)),
        Section("Lists", tuple(_lists(journal))),
        Section("Watched", tuple(_watched(journal))),
        Section("Tasks", tuple(_tasks(journal))),
        Section("Asked of the client", tuple(_asked(journal))),
        Section("Can", tuple(_capabilities(journal))),
    )
    return tuple(section for section in sections if section.facts or section.lines or section.note)


def _moment(journal: Journal) -> Iterable[Fact]:
    count, opening = journal.count, journal.conversation.opening
    if not count:
        yield Fact("entry", "nothing has come yet", "muted")
        return
    since = max(0, journal.store.time_ns(count) - journal.started_ns)
    yield Fact("entry", f"#{count:,} at {text.clock(journal.store.wall_ns(count))}, {seconds(since)} s after the start")
    if opening is None:
        yield Fact("revision", "not settled yet", "warning")
    else:
        name, version = peek.text(opening.server, "name") or "", peek.text(opening.server, "version") or ""
        yield fact("revision", f"{opening.revision.date} ({opening.era})")
        yield fact("server", f"{name} {version}".strip() or "did not say who it is")
    yield from _process(journal)
    yield from _level(journal)


def _process(journal: Journal) -> Iterable[Fact]:
    if journal.ended is not None:
        yield fact("connection", f"ended: {journal.ended.why or 'closed'}", "warning")
    elif journal.connection is not None:
        yield Fact("connection", "open", "ok")
    steps = [entry.what for entry in journal.processes if isinstance(entry.what, ProcessFact)]
    if steps:
        gone = steps[-1].event is ProcessEvent.EXIT
        how = steps[-1].signal or f"code {steps[-1].code}"
        yield fact(
            "process", f"{steps[-1].pid} " + (f"ended with {how}" if gone else "runs"), "warning" if gone else "ok"
        )


def _level(journal: Journal) -> Iterable[Fact]:
    entries = journal.store.of_method("logging/setLevel")
    number = journal.store.exchange(entries[-1]) if entries else 0
    setting = journal.conversation.exchanges[number - 1] if number else None
    found, _ = asked_level(journal, setting, "")
    words = plain(found[2:]).strip()
    if words:
        yield Fact("log level", words, "muted")


def _in_flight(journal: Journal) -> Iterable[Line]:
    now = journal.store.time_ns(journal.count) if journal.count else 0
    pending = journal.conversation.pairs.pending
    for exchange in pending[:_MOST]:
        sent = exchange.sender is Direction.TO_SERVER
        way: Span = (signs.TO_SERVER, "to_server") if sent else (signs.FROM_SERVER, "from_server")
        named = text.visible(f"{exchange.method} {exchange.target}".strip(), limit=200)
        waits = text.human_duration(max(0, now - exchange.started_ns))
        progress = said(exchange.progress, running=True) if exchange.progress is not None else []
        yield (
            way,
            (f" {named}", "method"),
            (f"  #{exchange.request_frame}", "faint"),
            (f"  {signs.PENDING} for {waits}", "pending"),
            *(() if not progress else (("  ", "text"), *progress)),
        )
    if len(pending) > _MOST:
        yield ((f"and {len(pending) - _MOST:,} more", "muted"),)


def _nothing(journal: Journal) -> str:
    return "" if journal.conversation.pairs.count_open else "nothing"


def _lists(journal: Journal) -> Iterable[Fact]:
    for kind, listing in journal.conversation.catalogue.listings.items():
        if not listing.asked:
            yield Fact(kind, "not listed yet", "faint")
            continue
        names = [peek.text(item, "name") or peek.text(item, "uri") or "?" for item in listing.items[:_NAMES]]
        more = f" and {len(listing.items) - _NAMES:,} more" if len(listing.items) > _NAMES else ""
        count = f"{len(listing.items):,}" + ("" if listing.next_cursor is None else " so far")
        yield fact(kind, f"{count}: {', '.join(names)}{more}" if names else count)
        if listing.outdated:
            yield Fact("", f"{signs.WARNING} stale{_since(journal, kind, listing)}", "warning")


def _since(journal: Journal, kind: str, listing: Listing) -> str:
    """Since which word of the server's a list is stale: the first one after it was last asked for."""
    listed = LISTS[kind]
    asked = max(journal.store.of_method(listed.method), default=0)
    told = next((n for n in journal.store.of_method(listed.changed) if n > asked), None)
    return f" since #{told} ({listed.changed})" if told is not None else ""


def _watched(journal: Journal) -> Iterable[Fact]:
    watching = journal.conversation.subscriptions
    for uri in watching.watched[:_MOST]:
        update = watching.updates.get(uri)
        yield fact(uri, "watched" if update is None else f"updated {update.count} times, last in #{update.frame}")
    for stream in watching.open_streams[:_MOST]:
        granted = "not acknowledged yet" if stream.granted is None else _json(stream.granted.as_json())
        yield fact(f"stream #{stream.exchange.request_frame}", granted)


def _tasks(journal: Journal) -> Iterable[Fact]:
    for task in journal.conversation.tasks.all[-_MOST:]:
        if not task.ended:
            words, role = state_of(task)
            of = f", of #{journal.conversation.exchanges[task.exchange - 1].request_frame}" if task.exchange else ""
            yield Fact(text.visible(task.id, limit=60), words + of, role)


def _asked(journal: Journal) -> Iterable[Fact]:
    conversation = journal.conversation
    for question in conversation.questions[-_MOST:]:
        exchange = conversation.exchanges[question.exchange - 1] if question.exchange else None
        if exchange is not None and (exchange.is_open or (exchange.asks and not exchange.retried)):
            yield fact(question.kind, f"{question.message or 'no message'}  #{question.frame}", "warning")
    roots = _roots(journal)
    if roots is not None:
        yield fact("roots", ", ".join(roots) or "none")


def _roots(journal: Journal) -> list[str] | None:
    """Those that the server was told last; None if it never was."""
    exchanges = journal.conversation.exchanges
    for n in reversed(journal.store.of_method("roots/list")[-_MOST:]):
        number = journal.store.exchange(n)
        answer = _answer(journal, exchanges[number - 1]) if number else None
        if answer is not None:
            return [peek.text(root, "uri") or "?" for root in peek.items(answer, "roots")[:_NAMES]]
    return None


def _answer(journal: Journal, exchange: Exchange) -> object:
    if not exchange.answer_frame or exchange.answer_frame > journal.count:
        return None
    what = journal.store.entry(exchange.answer_frame).what
    messages = read(what.payload) if isinstance(what, Frame) else ()
    return next((each.result for each in messages if isinstance(each, Answer) and each.id == exchange.id), None)


def _capabilities(journal: Journal) -> Iterable[Fact]:
    opening = journal.conversation.opening
    if opening is not None:
        yield fact("server", _json(opening.capabilities))
        yield fact("client", _json(opening.client_capabilities))


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode(errors="replace")
