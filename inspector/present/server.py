"""What is known about the server and the connection: identity, capabilities, process, HTTP, traffic.

Everything here was reported or counted; nothing is judged. Values of environment variables are never known here,
only their names.
"""

import os
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

import msgspec

from inspector import text
from inspector.capture.connection_facts import HttpExchange
from inspector.capture.format.records import Entry
from inspector.capture.journal import Journal
from inspector.capture.store.snapshot import columns_of
from inspector.config.paths import APP
from inspector.present import spans, words
from inspector.present.http import masked_url, masked_value
from inspector.present.spans import Fact, Line, Role, Section, fact, paragraph
from inspector.protocol import peek
from inspector.protocol.capabilities import Negotiated, negotiated
from inspector.protocol.credentials import MASK
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.facts import ProcessEvent, ProcessFact, header
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import encode
from inspector.protocol.listed_items import LISTS
from inspector.protocol.revisions._shape import Revision
from inspector.protocol.revisions.openings import Opening
from inspector.text import human_size, lazy_pattern

TITLE = "Extensions"
_SIDES = {(True, True): "both sides", (True, False): "server only", (False, True): "client only"}
MOST = 100
"""Maximum number of recent round trips that are shown."""
_LOOKED_THROUGH = 20_000
"""Maximum exchanges that are searched, from the newest on."""
PING, DISCOVER = "ping", "server/discover"
_CAME = (ExchangeState.ANSWERED, ExchangeState.ERROR)
_MANY = 10_000
"""Number of entries from which their memory use is shown."""
_SESSION = "mcp-session-id"
UNEXPANDED = lazy_pattern(r"\$\{[^}]{1,200}\}")
"""Looks like a variable that a shell would expand."""
_MAX_VALUE_CHARS = 300
HARMLESS = frozenset({"HOME", "LANG", "LOGNAME", "PATH", "PWD", "SHELL", "TERM", "USER"})


class MemoryUse(msgspec.Struct, frozen=True):
    """Memory use of a journal."""

    resident_bytes: int
    """Resident memory of the whole process; 0 if unknown."""
    entries: int
    exchanges: int
    index_bytes: int
    """Bytes of all columns: of the entries and of the exchanges. Payloads stay in the file."""
    at_hand: int
    """Number of recently read entries that are cached whole."""
    at_hand_bytes: int
    at_hand_most: int
    """Limit of the bytes of cached entries."""
    threads: int

    @property
    def each(self) -> float:
        """Bytes of the columns per entry."""
        return self.index_bytes / self.entries if self.entries else 0.0

    @property
    def sentence(self) -> str:
        resident = human_size(self.resident_bytes) if self.resident_bytes else "unknown"
        return f"{resident} total, {self.each:.0f} bytes an entry in the index"


def extensions_section(opening: Opening) -> Section:
    """Return a fact per extension, and its meaning; empty if none is declared."""
    found = negotiated(opening.capabilities, opening.client_capabilities)
    return Section(TITLE, tuple(each for extension in found for each in _facts(extension)))


def _facts(extension: Negotiated) -> list[Fact]:
    by = _SIDES[extension.by_server, extension.by_us]
    settings = [
        f"{who} {text.decode(encode(value))[:500]}"
        for who, value in (("server", extension.theirs), ("we", extension.ours))
        if value
    ]
    message = f"{by}: {'; '.join(settings)}" if settings else by
    facts = [fact(extension.name, message, "text" if extension.by_server else "muted")]
    return [*facts, Fact("", extension.meaning, "faint")] if extension.meaning else facts


# Memory use of a journal and of its caches. Each part is bounded or a column.


def memory_of(journal: Journal) -> MemoryUse:
    """Return the current memory use of a journal."""
    exchanges = journal.conversation.exchanges
    owners = (journal.store, exchanges, journal.conversation.operations)
    columns = [column for owner in owners for column in columns_of(owner).values()]
    count, used, most = journal.store.at_hand
    return MemoryUse(
        resident_bytes=resident_bytes(),
        entries=journal.count,
        exchanges=len(exchanges),
        index_bytes=sum(map(sys.getsizeof, columns)),
        at_hand=count,
        at_hand_bytes=used,
        at_hand_most=most,
        threads=threading.active_count(),
    )


def resident_bytes() -> int:
    """Return the resident memory of this process in bytes; 0 if the system does not report it."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return _most_resident()


def _most_resident() -> int:
    """Return the peak resident memory, the only figure that some systems report."""
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


# Round trips of pings, as recorded in frames. A revision without pings uses the request that is closest to one.


def method_of(revision: Revision) -> str:
    """Return the request whose round trip is measured; "" if the revision has none."""
    return next((method for method in (PING, DISCOVER) if method in revision.client_requests), "")


def pings(journal: Journal, method: str) -> list[Exchange]:
    """Return the client's latest pings, newest first, without the request that opened the conversation."""
    exchanges = journal.conversation.exchanges
    newest = (exchanges[at] for at in range(len(exchanges) - 1, -1, -1))
    found = (each for each in islice(newest, _LOOKED_THROUGH) if _is_ping(each, method))
    return list(islice(found, MOST))


def _is_ping(exchange: Exchange, method: str) -> bool:
    opens = method == DISCOVER and (exchange.probe or exchange.number == 1)
    return exchange.method == method and exchange.sender is Direction.TO_SERVER and not opens


def ping_section(journal: Journal) -> Section:
    """Return the round trips, for the server's screen; empty before the first."""
    opening = journal.conversation.opening
    method = method_of(opening.revision) if opening is not None else ""
    sent = pings(journal, method) if method else []
    if not sent:
        return Section("Ping")
    note = "" if method == PING else f"{method} (no ping in this protocol version)"
    return Section("Ping", tuple(_pings_facts(sent)), note=note)


def _pings_facts(sent: list[Exchange]) -> list[Fact]:
    newest = sent[0]
    taken = [each.duration_ns for each in sent if each.duration_ns is not None and each.state in _CAME]
    facts = [Fact("last", *_outcome(newest))]
    if taken:
        from statistics import median  # not needed for the first paint

        facts.append(Fact("least", text.human_duration(min(taken))))
        facts.append(Fact("median", f"{text.human_duration(round(median(taken)))} of the last {len(taken)}"))
        facts.append(Fact("most", text.human_duration(max(taken))))
    if missing := sum(each.state not in _CAME and not each.is_open for each in sent):
        facts.append(Fact("without response", f"{missing:,}", "warning"))
    return facts


def _outcome(exchange: Exchange) -> tuple[str, Role]:
    if exchange.is_open:
        return f"{spans.PENDING} Pending", "pending"
    if exchange.state not in _CAME or exchange.duration_ns is None:
        return f"{spans.ERROR} {exchange.state.value.capitalize()}", "error"
    error = f", error {exchange.error_code}" if exchange.state is ExchangeState.ERROR else ""
    return text.human_duration(exchange.duration_ns) + error, "warning" if error else "ok"


def server_sections(journal: Journal, *, origins: Mapping[str, str] | None = None) -> tuple[Section, ...]:
    """Return everything that is known, in reading order, without empty sections.

    `origins` is the source of each variable of the child's environment.
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
    """Return what the opening of the conversation reports: identity, protocol, and what each side can do."""
    return (
        Section("Server", tuple(_identity(opening.server))),
        Section("Client", tuple(_identity(opening.client)) if other_client(opening) else ()),
        Section("Protocol", tuple(_protocol(opening))),
        Section("Server capabilities", tuple(_capabilities(opening.capabilities)), note="declared by the server"),
        Section(
            "Client capabilities", tuple(_capabilities(opening.client_capabilities)), note="declared to the server"
        ),
        extensions_section(opening),
        Section("Instructions", lines=paragraph(opening.instructions, "foreign", limit=50_000)),
    )


def other_client(opening: Opening) -> str:
    """Return the name of the client if it is not mcp-inspect under its own name; else "".

    Captures of a tap have one, and so have sessions with `--as`.
    """
    name = peek.text(opening.client, "name") or ""
    return "" if name == APP else name


def parties(opening: Opening) -> tuple[str, str]:
    """Return the names of client and server with their versions, as they gave them."""
    client, server = (
        " ".join(filter(None, (peek.text(side, "name"), peek.text(side, "version"))))
        for side in (opening.client, opening.server)
    )
    return client or "unnamed client", server or "unnamed server"


def _identity(server: Mapping[str, Any]) -> Iterable[Fact]:
    for key, value in server.items():
        if isinstance(value, str):
            yield fact(key, value, "strong" if key == "name" else "text")
        elif key == "icons" and isinstance(value, list):
            yield from (fact("icon", _icon(peek.text(icon, "src")), "muted") for icon in value[:10])
        else:
            yield fact(key, text.decode(encode(value)))


def _icon(source: str | None) -> str:
    """Return an icon's URL, because icons are never fetched; for a data URI its type and length."""
    if source is None or not source.startswith("data:"):
        return source or "no src"
    kind = source[5:].partition(",")[0].partition(";")[0]
    return f"{text.cut(kind, 100)} as a data URI, {len(source)} characters"


def _protocol(opening: Opening) -> Iterable[Fact]:
    revision = opening.revision
    yield fact("protocol version", revision.date)
    yield Fact("era", f"{opening.era}")
    if opening.offered and opening.offered != revision.date:
        yield fact("offered", f"{opening.offered}; the server answered with {revision.date}")
    if opening.supported:
        yield fact("supported", ", ".join(opening.supported))
    yield fact("specification", revision.page, "muted")
    for warning in opening.warnings:
        yield fact("warning", warning, "warning")


def _capabilities(declared: Mapping[str, Any]) -> Iterable[Fact]:
    for name, value in declared.items():
        if name != "extensions" or not isinstance(value, dict):
            yield fact(name, _capability(value))
        else:
            yield fact(name, ", ".join(value) or "none")


def _capability(value: Any) -> str:
    if not isinstance(value, dict):
        return text.decode(encode(value))
    lines = [name if inner in (True, {}) else f"{name}: {text.decode(encode(inner))}" for name, inner in value.items()]
    return ", ".join(lines) or "yes"


def process_section(journal: Journal, *, origins: Mapping[str, str] | None = None) -> Section:
    """Return how the child process was started and how it ended; empty if there is none."""
    opened = journal.connection
    if opened is None or not opened.argv:
        return Section("Process")
    facts = [
        Fact("command", words.command_line(opened.argv)),
        fact("directory", opened.cwd),
        *_process_facts(journal.processes, live=journal.live),
    ]
    facts += [_variable(name, origins or {}) for name in opened.env_names]
    return Section("Process", tuple(facts))


def _variable(name: str, origins: Mapping[str, str]) -> Fact:
    origin = origins.get(name, "")
    return fact(f"${name}", f"set: {origin}" if origin else "set", "muted")


def _process_facts(processes: Iterable[Entry], *, live: bool) -> Iterable[Fact]:
    """Yield the steps of the last child's life, dated from its start.

    The running time is left out: it would change while nothing happens.
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
    """Return the HTTP endpoint and a summary of its traffic; empty for other transports."""
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
    """Yield the last HTTP status of the server, with the method of its request."""
    last = next((each for each in reversed(exchanges) if each.response is not None), None)
    if last is None or last.response is None:
        return
    status = f"{last.response.status} {text.visible(last.response.reason, limit=80)}".rstrip()
    method = f", to {text.visible(last.request.method, limit=20)}" if last.request else ""
    good = (last.response.status or 0) < 400
    yield Fact("last status", status + method, "ok" if good else "warning")


def _session_id(journal: Journal, count: int) -> str:
    """Return the last session id; only the first and the last exchanges are searched."""
    exchanges = list(journal.http_exchanges.values())
    for exchange in [*exchanges[-5:][::-1], *exchanges[: min(20, count)]]:
        for seen in (exchange.response, exchange.request):
            if seen is not None and (found := header(seen.headers, _SESSION)):
                return found
    return ""


def _counts(journal: Journal) -> Iterable[Fact]:
    exchanges = journal.conversation.exchanges
    yield Fact("entries", f"{journal.count:,}")
    yield Fact("exchanges", f"{len(exchanges):,}")
    tally = exchanges.tally()
    states = {
        "pending": tally[ExchangeState.PENDING],
        "errors": tally[ExchangeState.ERROR],
        "tool errors": exchanges.tool_errors,
        "cancelled": tally[ExchangeState.CANCELLED],
        "late": tally[ExchangeState.LATE],
        "lost": tally[ExchangeState.LOST],
    }
    yield from (Fact(name, f"{count:,}") for name, count in states.items() if count)
    conversation = journal.conversation
    if unknown := conversation.visits.unknown(conversation.server_requests):
        yield fact("never called", f"{len(unknown):,} called complete: {', '.join(unknown[:5])}", "warning")
    for kind in LISTS:
        listing = journal.conversation.catalogue.listings[kind]
        if listing.asked:
            more = f", {listing.pages} pages" if listing.pages > 1 else ""
            stale = f" {spans.WARNING} changed on the server" if listing.outdated else ""
            yield Fact(kind, f"{len(listing.items):,}{more}{stale}", "warning" if stale else "text")
    if journal.count >= _MANY:
        yield Fact("memory", memory_of(journal).sentence)


def stderr_section(journal: Journal, last: int = 40) -> Section:
    """Return the last lines of the child's stderr, oldest first."""
    shown = list(journal.stderr_tail)[-last:]
    return Section("stderr", lines=tuple(stderr_line(line) for line in shown))


def stderr_line(line: bytes) -> Line:
    """Return one line of stderr, safe to show."""
    return ((text.visible(text.decode(line).rstrip(), limit=2000), "stderr"),)


# What the server's screen shows besides reported and counted facts: the child's variables, and the recording.


def environment_section(
    names: Iterable[str], values: Mapping[str, str], origins: Mapping[str, str], *, reveal: bool
) -> Section:
    """Return the child's variables with the source of each. `values` is empty if they are unknown."""
    facts = tuple(_belongings_variable(name, values.get(name), origins.get(name, ""), reveal=reveal) for name in names)
    return Section("Environment", facts)


def _belongings_variable(name: str, value: str | None, origin: str, *, reveal: bool) -> Fact:
    reveal = reveal or name in HARMLESS
    shown = "set" if value is None else "(empty)" if not value else value[:_MAX_VALUE_CHARS] if reveal else MASK
    found = UNEXPANDED.search(value or "")
    if found is not None:
        shown = f"{shown}  {spans.WARNING} {found[0]} is not expanded"
    message = f"{shown}  {spans.NOTE} {origin}" if origin else shown
    return fact(name, message, "warning" if found else "text" if reveal and value else "muted")


def _size(journal: Journal) -> Iterable[Fact]:
    """Yield the current size of the file; nothing if it does not exist."""
    if journal.capture_path is not None:
        with suppress(OSError):
            yield Fact("size", text.human_size(journal.capture_path.stat().st_size))


def recording_section(journal: Journal) -> Section:
    """Return where the session is recorded, and what the user should know about that."""
    notices = tuple(line for notice in journal.notices for line in paragraph(f"{spans.WARNING} {notice}", "warning"))
    if journal.capture_path is None:
        return Section("Recording", (Fact("file", "off: the session is lost when it ends", "muted"),), notices)
    state = ("recording", "ok") if journal.recording else ("recording stopped", "warning")
    if journal.loaded:
        state = ("capture, read-only", "muted")
    facts = (
        Fact("state", *state),  # type: ignore[arg-type]
        fact("file", str(journal.capture_path)),
        *_size(journal),
        Fact("since", text.clock(journal.started_wall_ns)),
    )
    return Section("Recording", facts, notices)
