"""What is known beside the messages."""

from inspector.capture.connection_facts import TAIL_BYTES, TAIL_LINES
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, HttpEvent, HttpFact, ProcessFact, SseNote, Stderr
from tests.capture.recording import FACTS, anonymous, http_life, life, over


def test_connection_and_end_are_the_last_ones() -> None:
    journal = over(anonymous())
    assert (journal.connection, journal.ended) == (None, None)
    life(journal)
    assert journal.connection == FACTS[0]
    assert journal.ended is not None
    assert journal.ended.why == "the server ended with exit code 3"


def test_a_connection_that_opens_again_has_not_ended() -> None:
    journal = over(anonymous())
    states = []
    for fact in (FACTS[0], FACTS[2], FACTS[1], ConnectionFact(ConnectionEvent.CLOSE, "http")):
        journal.fact(fact)
        states.append((journal.connection, journal.ended))
    assert states == [
        (FACTS[0], None),
        (FACTS[0], FACTS[2]),
        (FACTS[1], None),
        (FACTS[1], ConnectionFact(ConnectionEvent.CLOSE, "http")),
    ]


def test_renewed_session_neither_opens_nor_ends_the_connection() -> None:
    journal = over(anonymous())
    journal.fact(FACTS[0])
    journal.fact(ConnectionFact(ConnectionEvent.RENEW, "http", why="lost"))
    assert (journal.connection, journal.ended) == (FACTS[0], None)
    assert journal.connection_facts.connections == 1


def test_process_facts_are_kept_with_their_times() -> None:
    journal = over(anonymous())
    life(journal)
    facts = [entry.what for entry in journal.processes]
    assert [fact.event for fact in facts if isinstance(fact, ProcessFact)] == ["spawn", "exit"]
    assert journal.processes[0].time_ns < journal.processes[1].time_ns


def test_the_last_lines_of_stderr_are_at_hand_and_bounded() -> None:
    journal = over(anonymous())
    for i in range(300):
        journal.fact(Stderr(b"%d" % i))
    journal.fact(Stderr(b"x" * 100_000))
    assert len(journal.stderr_tail) == TAIL_LINES
    assert journal.stderr_tail[0] == b"101"
    assert len(journal.stderr_tail[-1]) == TAIL_BYTES


def test_an_http_exchange_has_its_facts_and_times() -> None:
    journal = over(anonymous())
    http_life(journal)
    exchange = journal.http_exchanges[1]
    assert (exchange.request, exchange.response, exchange.end) == (FACTS[8], FACTS[9], FACTS[10])
    assert exchange.requested_ns is not None
    assert exchange.responded_ns is not None
    assert exchange.ended_ns is not None
    assert exchange.requested_ns < exchange.responded_ns < exchange.ended_ns


def test_http_exchange_has_none_for_unseen_parts() -> None:
    journal = over(anonymous())
    journal.fact(SseNote(1, b""))
    assert journal.http_exchanges == {}
    journal.fact(HttpFact(HttpEvent.RESPONSE, 5, status=200))
    exchange = journal.http_exchanges[5]
    assert exchange.http == 5
    assert (exchange.request, exchange.end, exchange.requested_ns, exchange.ended_ns) == (None, None, None, None)
    journal.fact(HttpFact(HttpEvent.ERROR, 5, why="reset"))
    assert exchange.end is not None


def test_newer_http_exchange_of_a_number_replaces_the_older() -> None:
    journal = over(anonymous())
    journal.fact(HttpFact(HttpEvent.REQUEST, 1, method="GET"))
    old = journal.http_exchanges[1]
    journal.fact(HttpFact(HttpEvent.REQUEST, 1, method="POST"))
    assert journal.http_exchanges[1] is not old
    request = journal.http_exchanges[1].request
    assert request is not None
    assert request.method == "POST"
