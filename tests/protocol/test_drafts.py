"""Drafts of messages: the bytes that come of them, right or wrong."""

import json
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.protocol.drafts import Composed, Draft, DraftKind, compose, draft_of, fault_in, header_pairs, oddities
from inspector.protocol.request_meta import ClientIdentity
from inspector.protocol.revisions._shape import Era, Revision
from inspector.protocol.revisions.table import ROWS, newest_of

CLIENT = ClientIdentity({"name": "test", "version": "0"})
LEGACY, MODERN = newest_of(Era.LEGACY), newest_of(Era.MODERN)


def made(draft: Draft, revision: Revision | None = LEGACY) -> Composed:
    return compose(draft, revision, CLIENT, count(7).__next__)


def test_a_request_gets_the_next_free_id_and_its_params_as_they_were_typed() -> None:
    found = made(Draft(method="tools/list", text='{"cursor":  "2"}'))
    assert found.payload == b'{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":  "2"}}'
    assert found.notes == ()


@pytest.mark.parametrize(("typed", "sent"), [("9", b"9"), ('"9"', b'"9"'), ("abc", b'"abc"'), ("null", b"null")])
def test_an_id_is_json_or_a_word(typed: str, sent: bytes) -> None:
    assert b'"id":' + sent + b"," in made(Draft(method="x", id=typed)).payload


def test_invalid_id_is_sent_with_a_note() -> None:
    assert made(Draft(method="x", id="1.5")).notes == (
        "The id is a fraction.",
        "A request without a possible response: its id is neither a string nor an integer.",
    )


def test_params_that_are_no_json_go_out_as_they_are() -> None:
    found = made(Draft(method="x", text='{"a": '), MODERN)
    assert found.payload == b'{"jsonrpc":"2.0","id":7,"method":"x","params":{"a": }'
    assert "line 1, column 7: expecting value" in found.notes[0]
    assert found.notes[1] == "Nothing can be added to them."


def test_revision_metadata_is_added_unless_switched_off() -> None:
    stamped = made(Draft(method="resources/read", text='{"uri":"a://b"}'), MODERN)
    meta = json.loads(stamped.payload)["params"]["_meta"]
    assert meta["io.modelcontextprotocol/protocolVersion"] == MODERN.date
    assert stamped.headers["Mcp-Name"] == "a://b"
    plain = made(Draft(method="resources/read", text='{"uri":"a://b"}', stamp=False), MODERN)
    assert b"_meta" not in plain.payload
    assert plain.headers == {}


def test_the_arguments_of_a_call_are_mirrored_where_its_tool_wants_that() -> None:
    schema = {"type": "object", "properties": {"harbour": {"type": "string", "x-mcp-header": "Harbour"}}}
    draft = Draft(method="tools/call", text='{"name":"tide","arguments":{"harbour":"Teal Bay"}}')
    found = compose(draft, MODERN, CLIENT, count(1).__next__, {"tide": schema}.get)
    assert found.headers["Mcp-Param-Harbour"] == "Teal Bay"
    assert "Mcp-Param-Harbour" not in made(draft, MODERN).headers


def test_a_notification_has_no_id_and_nothing_is_added_to_it() -> None:
    found = made(Draft(DraftKind.NOTIFICATION, "notifications/x", "[1]"), MODERN)
    assert found.payload == b'{"jsonrpc":"2.0","method":"notifications/x","params":[1]}'
    assert found.headers["Mcp-Method"] == "notifications/x"


def test_headers_of_the_person_win() -> None:
    found = made(Draft(method="ping", headers=(("MCP-Protocol-Version", "1999"),)))
    assert found.headers["MCP-Protocol-Version"] == "1999"


def test_the_messages_of_a_batch_get_what_they_lack() -> None:
    text = '[{"method":"a"},{"method":"notifications/b"},{"method":"c","id":null},{"id":1,"result":{}},3]'
    found = made(Draft(DraftKind.BATCH, text=text))
    assert json.loads(found.payload) == [
        {"jsonrpc": "2.0", "id": 7, "method": "a"},
        {"jsonrpc": "2.0", "method": "notifications/b"},
        {"jsonrpc": "2.0", "method": "c", "id": None},
        {"id": 1, "result": {}},
        3,
    ]
    assert f"{LEGACY.date} has no batches." in found.notes
    with_batches = next(row for row in ROWS if row.batches)
    assert made(Draft(DraftKind.BATCH, text='[{"method":"a"}]'), with_batches).notes == ()


@pytest.mark.parametrize("text", ["{", "{}", ""])
def test_a_batch_that_is_none_goes_out_all_the_same(text: str) -> None:
    found = made(Draft(DraftKind.BATCH, text=text))
    assert found.payload == (text.encode() or b"[]")
    assert found.notes


def test_exact_text_is_unchanged_with_notes() -> None:
    found = made(Draft(DraftKind.EXACT, text='{"jsonrpc":"3",\n"method":"x","id":1} '))
    assert found.payload == b'{"jsonrpc":"3",\n"method":"x","id":1} '
    assert found.notes == ('"jsonrpc" is not "2.0".',)
    assert oddities(b"hello") == ("Not a JSON-RPC message: not JSON.",)
    twice = b'[{"jsonrpc":"2.0","id":1,"method":"x"},{"jsonrpc":"2.0","id":1,"method":"x"}]'
    assert oddities(twice) == ("The id 1 is not unique.",)


def test_a_message_that_crossed_becomes_a_draft_of_it() -> None:
    assert draft_of(b'{"jsonrpc":"2.0","id":3,"method":"x","params":{"a":1}}') == Draft(
        DraftKind.REQUEST, "x", '{\n  "a": 1\n}'
    )
    assert draft_of(b'{"jsonrpc":"2.0","method":"n"}') == Draft(DraftKind.NOTIFICATION, "n")
    for other in (b'{"id":1,"method":"x"}', b'{"jsonrpc":"2.0","id":1,"result":{}}', b"no", b'[{"method":"x"}]'):
        assert draft_of(other) == Draft(DraftKind.EXACT, text=other.decode(), stamp=False)


def test_json_fault_has_line_and_column() -> None:
    assert fault_in('{\n"a": x}') == "line 2, column 6: expecting value"
    assert fault_in("  ") == ""
    assert fault_in("[" * 100_000) == "it is nested too deeply to be checked"
    assert "digits" in fault_in("1" * 5000)


def test_headers_are_lines() -> None:
    assert header_pairs(["A: b: c", "", " X-Y :z"]) == ((("A", "b: c"), ("X-Y", "z")), "")
    assert header_pairs(["A: b", "nothing"]) == ((("A", "b"),), "nothing")
    assert header_pairs(["A: \x1b[31m"])[1] == "A: \x1b[31m"


@given(st.sampled_from(DraftKind), st.text(), st.text(), st.text(), st.booleans())
def test_any_draft_becomes_bytes(kind: DraftKind, method: str, text: str, id_: str, stamp: bool) -> None:
    for revision in (LEGACY, MODERN, None):
        assert isinstance(made(Draft(kind, method, text, id_, stamp), revision).payload, bytes)
