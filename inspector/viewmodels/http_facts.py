"""HTTP as it was: the request line, the status, the headers in their order, with what is secret masked.

Headers are shown with case and duplicates as on the wire. `reveal` shows what is masked, and is for the person
who asked for it, never for a file.
"""

from inspector.capture.journal import HttpExchange, Journal
from inspector.protocol.facts import HttpFact
from inspector.viewmodels import text
from inspector.viewmodels.lines import Fact, Section, fact
from inspector.viewmodels.secrets import is_secret, masked_url, masked_value


def http_sections(journal: Journal, http: int | None, *, reveal: bool = False) -> tuple[Section, ...]:
    """Request, response and end of one HTTP exchange; nothing for None or for one that was not seen."""
    exchange = journal.http_exchanges.get(http) if http is not None else None
    return () if exchange is None else exchange_sections(exchange, reveal=reveal)


def exchange_sections(exchange: HttpExchange, *, reveal: bool = False) -> tuple[Section, ...]:
    """Request, response and end of an exchange, as far as they were seen."""
    found = [_request(exchange.request, reveal), _response(exchange, reveal), _end(exchange)]
    return tuple(section for section in found if section is not None)


def header_facts(fact_: HttpFact, *, reveal: bool = False) -> tuple[Fact, ...]:
    """Headers as facts, in their order."""
    return tuple(_header(name, value, reveal) for name, value in fact_.headers)


def _header(name: str, value: str, reveal: bool) -> Fact:
    if reveal:
        return fact(name, value)
    shown = masked_value(name, value)
    return Fact(text.visible(name, limit=200), shown[:2000], "muted" if is_secret(name) else "text")


def _request(request: HttpFact | None, reveal: bool) -> Section | None:
    if request is None:
        return None
    target = text.visible(request.target, limit=2000) if reveal else masked_url(request.target)
    title = f"{text.visible(request.method, limit=20)} {target}"
    return Section(title, header_facts(request, reveal=reveal), note=text.visible(request.version, limit=20))


def _response(exchange: HttpExchange, reveal: bool) -> Section | None:
    response = exchange.response
    if response is None:
        return None
    asked, came = exchange.requested_ns, exchange.responded_ns
    after = "" if asked is None or came is None else f"after {text.human_duration(max(0, came - asked))}"
    version = text.visible(response.version, limit=20)
    title = f"{response.status} {text.visible(response.reason, limit=80)}".rstrip()
    note = " ".join(part for part in (version, after) if part)
    return Section(title, header_facts(response, reveal=reveal), note=note)


def _end(exchange: HttpExchange) -> Section | None:
    end = exchange.end
    if end is None:
        return None
    facts: list[Fact] = []
    if end.body_bytes is not None:
        facts.append(Fact("body", f"{end.body_bytes} bytes"))
    if end.why:
        facts.append(fact("why", end.why, "warning"))
    began, ended = exchange.requested_ns, exchange.ended_ns
    if began is not None and ended is not None:
        facts.append(Fact("took", text.human_duration(max(0, ended - began))))
    return Section("End", tuple(facts))
