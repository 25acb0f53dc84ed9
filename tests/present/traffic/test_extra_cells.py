"""Columns that the reader chose: what they hold for requests, answers, notifications and lines that have nothing."""

import pytest

from inspector.present.spans import plain
from inspector.present.traffic.columns import FIELD, Appearance
from inspector.present.traffic.extra_cells import ExtraCells, field_ref
from inspector.present.traffic.log import LogModel
from tests.present.tape import Tape


def _cell(tape: Tape, name: str, n: int, *, tree: bool = True) -> str:
    cells: dict[str, list[tuple[str, str]]] = {}
    number = tape.journal.store.exchange(n)
    exchange = tape.journal.conversation.exchanges[number - 1] if number else None
    ExtraCells(tape.journal).add(cells, {name}, n, exchange, tree=tree, now_ns=tape.now)  # type: ignore[arg-type]
    return plain(cells.get(name, []))  # type: ignore[arg-type]


def _field(tape: Tape, field: str, n: int, *, tree: bool = True) -> str:
    return _cell(tape, FIELD + field, n, tree=tree)


def _call(tape: Tape) -> tuple[int, int]:
    request = tape.call(7, "search", {"q": "x", "deep": {"list": [1, 2]}})
    tape.wait(31)
    return request, tape.answer(7, {"content": [], "structuredContent": {"hits": 3}})


def test_a_field_of_the_arguments_and_one_of_the_answer_stand_in_the_row_of_the_exchange(tape: Tape) -> None:
    request, answer = _call(tape)
    assert _field(tape, "args.q", request) == "x"
    assert _field(tape, "args.deep.list[1]", request) == "2"
    assert _field(tape, "result.structuredContent.hits", request) == "3"
    assert _field(tape, "result.structuredContent.hits", request, tree=False) == ""
    assert _field(tape, "result.structuredContent.hits", answer, tree=False) == "3"
    assert _field(tape, "args.missing", request) == ""


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("tool", "search"),
        ("prompt", ""),
        ("target", "search"),
        ("method", "tools/call"),
        ("status", "ok"),
        ("id", "7"),
        ("dur", "31 ms"),
        ("age", ""),
        ("pending", ""),
        ("kind", "request"),
        ("dir", "c2s"),
        ("n", "1"),
        ("channel", "stdin"),
        ("error.code", ""),
        ("http.status", ""),
        ("sse.id", ""),
    ],
)
def test_every_field_of_a_row_can_be_a_column(tape: Tape, field: str, said: str) -> None:
    request, _ = _call(tape)
    assert _field(tape, field, request) == said


def test_pending_field_has_an_age(tape: Tape) -> None:
    request = tape.call(1, "slow")
    tape.wait(1500)
    assert _field(tape, "age", request) == "1.50 s"
    assert _field(tape, "pending", request) == "pending"


def test_the_error_of_an_answer_is_read(tape: Tape) -> None:
    request = tape.call(1, "x")
    tape.error(1, -32602, "no\x1b[2Jsuch")
    assert _field(tape, "error.message", request) == "no␛[2Jsuch"
    assert _field(tape, "error.code", request) == "-32602"


def test_the_status_of_http_and_the_session_stand_by_their_messages() -> None:
    tape = Tape(http=True)
    tape.posted(1, 404, (("Mcp-Session-Id", "abc-secret"),))
    request = tape.call(1, "x", http=1)
    assert _cell(tape, "http", request) == "404"
    assert _field(tape, "http.status", request) == "404"
    session = _cell(tape, "session", request)
    assert len(session) == 6
    assert "abc" not in session
    assert "s3cr3t" not in _field(tape, 'http.header["authorization"]', request)


def test_the_id_is_shown_as_json(tape: Tape) -> None:
    request = tape.request("7", "ping")
    assert _cell(tape, "id", request) == '"7"'


@pytest.mark.parametrize("junk", ["", "nonsense", "tool == x", "a and b", "(", "args.", "http.header"])
def test_unknown_field_is_no_column(junk: str) -> None:
    assert field_ref(junk) is None


def test_field_column_is_in_header_and_row(tape: Tape) -> None:
    _call(tape)
    model = LogModel(tape.journal, tape.clock)
    model.refresh()
    model.look = Appearance(chosen=("what", "=args.q", "id", "=nonsense", "status"))
    row, head = plain(model.row(0, 100).spans), plain(model.header(100))
    assert row[head.index("args.q") :].split()[0] == "x"
    assert row.rstrip().endswith("✓ OK")


def test_hostile_values_are_made_visible_and_short(tape: Tape) -> None:
    request = tape.call(1, "x", {"q": "\x1b]52;c;AAAA\x07" * 100, "big": ["y" * 100] * 100})
    assert "\x1b" not in _field(tape, "args.q", request)
    assert len(_field(tape, "args.big", request)) < 100
