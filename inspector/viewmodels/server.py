"""What is known of the server and of how it is reached: identity, what both sides can do, process, HTTP, traffic.

Everything here was said by somebody or counted; nothing is judged. Values of environment variables are never known
here, only their names.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from inspector.capture.journal import HttpExchange, Journal
from inspector.capture.store import Entry
from inspector.protocol import peek
from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.facts import ProcessEvent, ProcessFact
from inspector.protocol.jsonrpc import encode
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.things import LISTS
from inspector.viewmodels import signs, text, words
from inspector.viewmodels.extensions import extensions_section
from inspector.viewmodels.lines import Fact, Line, Section, fact, paragraph
from inspector.viewmodels.memory import memory_of
from inspector.viewmodels.pings import ping_section
from inspector.viewmodels.secrets import masked_url, masked_value

_MANY = 10_000
"""Entries from which on it is said what they cost."""
_SESSION = "mcp-session-id"


def server_sections(journal: Journal, *, origins: Mapping[str, str] | None = None) -> tuple[Section, ...]:
    """All that is known, in the order in which it is read; sections without content are left out.

    `origins` says where each variable of the child's environment came from.
    """
    opening = journal.conversation.opening
    sections = (
        *(opening_sections(opening) if opening is not None else ()),
        process_section(journal, origins=origins or {}),
        http_section(journal),
        ping_section(journal),
        Section("Traffic", tuple(_counts(journal))),
        stderr_section(journal),
        Section("Notices", lines=tuple(line for notice in journal.notices for line in paragraph(notice, "warning"))),
    )
    return tuple(section for section in sections if section.facts or section.lines)


def opening_sections(opening: Opening) -> tuple[Section, ...]:
    """What the opening of the conversation says: who, by which rules, and what each side can do."""
    return (
        Section("Server", tuple(_identity(opening.server))),
        Section("Protocol", tuple(_protocol(opening))),
        Section("The server can", tuple(_capabilities(opening.capabilities)), note="declared by the server"),
        Section("We can", tuple(_capabilities(opening.client_capabilities)), note="declared to the server"),
        extensions_section(opening),
        Section("Instructions", lines=paragraph(opening.instructions, "foreign", limit=50_000)),
    )


def _identity(server: Mapping[str, Any]) -> Iterable[Fact]:
    for key, value in server.items():
        if isinstance(value, str):
            yield fact(key, value, "strong" if key == "name" else "text")
        elif key == "icons" and isinstance(value, list):
            yield from (fact("icon", _icon(peek.text(icon, "src")), "muted") for icon in value[:10])
        else:
            yield fact(key, text.decode(encode(value)))


def _icon(source: str | None) -> str:
    """An icon is never fetched, so it is a name; one that is written out is its kind and its length."""
    if source is None or not source.startswith("data:"):
        return source or "no src"
    kind = source[5:].partition(",")[0].partition(";")[0]
    return f"{kind[:100]} in place, {len(source)} characters"


def _protocol(opening: Opening) -> Iterable[Fact]:
    revision = opening.revision
    yield fact("revision", revision.date)
    yield Fact("era", f"{opening.era}")
    if opening.offered and opening.offered != revision.date:
        yield fact("offered", opening.offered)
    if opening.supported:
        yield fact("supported", ", ".join(opening.supported))
    yield fact("specified at", revision.page, "muted")
    for warning in opening.warnings:
        yield fact("warning", warning, "warning")


def _capabilities(declared: Mapping[str, Any]) -> Iterable[Fact]:
    """Each capability with what it says of itself."""
    for name, value in declared.items():
        if name != "extensions" or not isinstance(value, dict):
            yield fact(name, _capability(value))
        else:
            yield fact(name, ", ".join(value) or "none")


def _capability(value: Any) -> str:
    if not isinstance(value, dict):
        return text.decode(encode(value))
    said = [name if inner in (True, {}) else f"{name}: {text.decode(encode(inner))}" for name, inner in value.items()]
    return ", ".join(said) or "yes"


def process_section(journal: Journal, *, origins: Mapping[str, str] | None = None) -> Section:
    """How the child was started and what became of it; empty if there is none."""
    opened = journal.connection
    if opened is None or not opened.argv:
        return Section("Process")
    facts = [
        Fact("command", words.command_line(opened.argv)),
        fact("directory", opened.cwd),
        *_life(journal.processes, live=journal.live),
    ]
    facts += [_variable(name, origins or {}) for name in opened.env_names]
    return Section("Process", tuple(facts))


def _variable(name: str, origins: Mapping[str, str]) -> Fact:
    origin = origins.get(name, "")
    return fact(f"${name}", f"set: {origin}" if origin else "set", "muted")


def _life(processes: Iterable[Entry], *, live: bool) -> Iterable[Fact]:
    """The steps of the last child's life, dated from its start.

    Not for how long it has run: that would change while nothing happens.
    """
    started: int | None = None
    exited = False
    found: list[Fact] = []
    for entry in processes:
        if not isinstance(entry.what, ProcessFact):
            continue
        if entry.what.event is ProcessEvent.SPAWN:
            started, exited = entry.time_ns, False
            found = [Fact("pid", str(entry.what.pid)), Fact("started", text.clock(entry.wall_ns))]
            continue
        after = "" if started is None else f"{text.human_duration(max(0, entry.time_ns - started))}  "
        exited = exited or entry.what.event is ProcessEvent.EXIT
        found.append(Fact("after", after + words.sentence(entry.what)[0], words.sentence(entry.what)[1]))
    if started is not None and not exited and live:
        found.append(Fact("state", "running", "ok"))
    return found


def http_section(journal: Journal) -> Section:
    """Where the server is reached over HTTP, and how that went; empty elsewhere."""
    opened = journal.connection
    if opened is None or not opened.url:
        return Section("HTTP")
    facts = [
        Fact("url", masked_url(opened.url)),
        Fact("carriage", words.TRANSPORTS.get(opened.transport) or text.visible(opened.transport, limit=40)),
    ]
    revision = journal.conversation.opening.revision if journal.conversation.opening else None
    if revision is not None and opened.transport == "http":
        facts.append(Fact("way", f"{revision.carriage}".replace("_", " ")))
    exchanges = list(journal.http_exchanges.values())
    if session := _session_id(journal, len(exchanges)):
        facts.append(Fact("session", masked_value(_SESSION, session)))
    facts.append(Fact("exchanges", f"{len(exchanges):,}"))
    facts += _last_status(exchanges)
    return Section("HTTP", tuple(facts))


def _last_status(exchanges: Sequence[HttpExchange]) -> Iterable[Fact]:
    """What the server answered last, and to what."""
    last = next((each for each in reversed(exchanges) if each.response is not None), None)
    if last is None or last.response is None:
        return
    status = f"{last.response.status} {text.visible(last.response.reason, limit=80)}".rstrip()
    method = f", to {text.visible(last.request.method, limit=20)}" if last.request else ""
    good = (last.response.status or 0) < 400
    yield Fact("last status", status + method, "ok" if good else "warning")


def _session_id(journal: Journal, count: int) -> str:
    """The one that the server gave last; it is looked for in the first and the last exchanges only."""
    exchanges = list(journal.http_exchanges.values())
    for exchange in [*exchanges[-5:][::-1], *exchanges[: min(20, count)]]:
        for seen in (exchange.response, exchange.request):
            found = next((value for name, value in (seen.headers if seen else ()) if name.lower() == _SESSION), "")
            if found:
                return found
    return ""


def _counts(journal: Journal) -> Iterable[Fact]:
    exchanges = journal.conversation.exchanges
    yield Fact("entries", f"{journal.count:,}")
    yield Fact("exchanges", f"{len(exchanges):,}")
    tally = exchanges.tally()
    states = {
        "in flight": tally[ExchangeState.PENDING],
        "errors": tally[ExchangeState.ERROR],
        "tool errors": exchanges.tool_errors,
        "cancelled": tally[ExchangeState.CANCELLED],
        "late": tally[ExchangeState.LATE],
        "lost": tally[ExchangeState.LOST],
    }
    yield from (Fact(name, f"{count:,}") for name, count in states.items() if count)
    conversation = journal.conversation
    if unknown := conversation.visits.unknown(conversation.questions):
        yield fact("never asked", f"{len(unknown):,} called complete: {', '.join(unknown[:5])}", "warning")
    for kind in LISTS:
        listing = journal.conversation.catalogue.listings[kind]
        if listing.asked:
            more = f", {listing.pages} pages" if listing.pages > 1 else ""
            stale = f" {signs.WARNING} the server says they changed" if listing.outdated else ""
            yield Fact(kind, f"{len(listing.items):,}{more}{stale}", "warning" if stale else "text")
    if journal.count >= _MANY:
        yield Fact("memory", memory_of(journal).sentence)


def stderr_section(journal: Journal, last: int = 40) -> Section:
    """The last lines of the child's stderr, oldest first."""
    shown = list(journal.stderr_tail)[-last:]
    return Section("stderr", lines=tuple(stderr_line(line) for line in shown))


def stderr_line(line: bytes) -> Line:
    """One line of stderr, safe to show."""
    return ((text.visible(text.decode(line), limit=2000), "stderr"),)
