"""Round trips of pings: what the frames say of them. A revision without a ping has the request that comes nearest.

Source: specification, basic/utilities/ping (until 2025-11-25); 2026-07-28 has none, and `server/discover` in its place.
"""

from itertools import islice
from statistics import median

from inspector.capture.journal import Journal
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.frames import Direction
from inspector.protocol.revisions._shape import Revision
from inspector.viewmodels import signs, text
from inspector.viewmodels.lines import Fact, Section
from inspector.viewmodels.roles import Role

MOST = 100
"""So many of the last round trips are told of."""
_LOOKED_THROUGH = 20_000
"""Exchanges, from the newest on."""
PING, DISCOVER = "ping", "server/discover"


def method_of(revision: Revision) -> str:
    """The request whose round trip is measured; "" if the revision has none for that."""
    return next((method for method in (PING, DISCOVER) if method in revision.client_requests), "")


def pings(journal: Journal, method: str) -> list[Exchange]:
    """The last ones that the client sent, newest first. The request that opened the conversation is none."""
    exchanges = journal.conversation.exchanges
    newest = (exchanges[at] for at in range(len(exchanges) - 1, -1, -1))
    found = (each for each in islice(newest, _LOOKED_THROUGH) if _is_ping(each, method))
    return list(islice(found, MOST))


def _is_ping(exchange: Exchange, method: str) -> bool:
    opens = method == DISCOVER and (exchange.probe or exchange.number == 1)
    return exchange.method == method and exchange.sender is Direction.TO_SERVER and not opens


def ping_section(journal: Journal) -> Section:
    """The round trips, for the server's screen; empty before the first."""
    opening = journal.conversation.opening
    method = method_of(opening.revision) if opening is not None else ""
    sent = pings(journal, method) if method else []
    if not sent:
        return Section("Ping")
    note = "" if method == PING else f"by {method}: this revision has no ping"
    return Section("Ping", tuple(_facts(sent)), note=note)


def _facts(sent: list[Exchange]) -> list[Fact]:
    newest = sent[0]
    taken = [each.duration_ns for each in sent if each.duration_ns is not None and each.state in _CAME]
    facts = [Fact("last", *_came(newest))]
    if taken:
        facts.append(Fact("least", text.human_duration(min(taken))))
        facts.append(Fact("median", f"{text.human_duration(round(median(taken)))} of the last {len(taken)}"))
        facts.append(Fact("most", text.human_duration(max(taken))))
    if missing := sum(each.state not in _CAME and not each.is_open for each in sent):
        facts.append(Fact("without answer", f"{missing:,}", "warning"))
    return facts


_CAME = (ExchangeState.ANSWERED, ExchangeState.ERROR)


def _came(exchange: Exchange) -> tuple[str, Role]:
    if exchange.is_open:
        return f"{signs.PENDING} on its way", "pending"
    if exchange.state not in _CAME or exchange.duration_ns is None:
        return f"{signs.ERROR} {exchange.state.value}", "error"
    error = f", answered with error {exchange.error_code}" if exchange.state is ExchangeState.ERROR else ""
    return text.human_duration(exchange.duration_ns) + error, "warning" if error else "ok"
