"""Extensions: what is declared, options that switch them, and what both sides have in common."""

from typing import Any

import pytest

from inspector.errors import UsageError
from inspector.protocol.capabilities import (
    ALL,
    APP_TYPE,
    SKILLS,
    UI,
    advertised,
    declared,
    declares,
    full_name,
    negotiated,
    offered_in,
    parse_offers,
    refusal_of,
)
from inspector.protocol.request_meta import ClientIdentity
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.table import ROWS, newest_of
from inspector.protocol.server_requests import RequestKind, ServerRequest

LEGACY, MODERN = newest_of(Era.LEGACY), newest_of(Era.MODERN)


def test_unasked_only_what_is_supported_is_declared_and_only_where_there_are_extensions() -> None:
    assert advertised().in_revision(MODERN) == {SKILLS: {}}
    assert advertised().in_revision(LEGACY) == {}


def test_requested_extensions_are_declared_with_settings() -> None:
    found = advertised(["ui", 'com.example/x={"deep": [1]}'], ["skills"])
    expected = {UI: {"mimeTypes": [APP_TYPE]}, "com.example/x": {"deep": [1]}}
    assert found.in_revision(LEGACY) == found.in_revision(MODERN) == expected
    assert (advertised((), ["all"]).supported, advertised((), ["all"]).withholds_tasks) == ({}, True)


def test_settings_that_are_no_json_are_refused() -> None:
    with pytest.raises(UsageError, match="invalid JSON"):
        advertised(["ui={"])
    with pytest.raises(UsageError, match="needs a name"):
        advertised(["={}"])


def test_short_names_stand_for_long_ones() -> None:
    assert (full_name("apps"), full_name("skills"), full_name("com.example/x")) == (UI, SKILLS, "com.example/x")


def test_client_capabilities_include_extensions() -> None:
    client = ClientIdentity({}, frozenset({"roots"}), advertised(["ui"]))
    assert client.capabilities(MODERN) == {"roots": {}, "extensions": {SKILLS: {}, UI: {"mimeTypes": [APP_TYPE]}}}
    assert "extensions" not in ClientIdentity({}).capabilities(MODERN)


def test_negotiated_extensions_distinguish_sides() -> None:
    server = {"extensions": {SKILLS: {"directoryRead": True}, "com.example/x": {}}}
    found = negotiated(server, {"extensions": {SKILLS: {}, UI: {}}})
    assert [(each.name, each.by_server, each.by_us) for each in found] == [
        (SKILLS, True, True),
        ("com.example/x", True, False),
        (UI, False, True),
    ]
    assert found[0].meaning.startswith("Agent skills")
    assert found[1].meaning == ""
    assert negotiated({"extensions": []}, None) == ()


def test_null_declares_nothing() -> None:
    assert declares({"extensions": {SKILLS: {}}}, SKILLS)
    assert not declares({"extensions": {SKILLS: None}}, SKILLS)
    assert not declares({}, SKILLS)


SAYS: list[dict[str, Any]] = [
    {"roots": {"listChanged": True}, "sampling": {}},
    {"roots": {"listChanged": True}, "sampling": {}},
    {"roots": {"listChanged": True}, "sampling": {}, "elicitation": {}},
    {"roots": {"listChanged": True}, "sampling": {"tools": {}}, "elicitation": {"form": {}, "url": {}}}
    | {
        "tasks": {
            "list": {},
            "cancel": {},
            "requests": {"sampling": {"createMessage": {}}, "elicitation": {"create": {}}},
        }
    },
    {"roots": {}, "sampling": {"tools": {}}, "elicitation": {"form": {}, "url": {}}}
    | {"extensions": {"io.modelcontextprotocol/tasks": {}}},
]


def asks(kind: RequestKind, **params: Any) -> ServerRequest:
    return ServerRequest(kind, params, 1, 1, 0)


@pytest.mark.parametrize(("at", "says"), list(enumerate(SAYS)))
def test_everything_is_declared_in_the_words_of_each_revision(at: int, says: dict[str, Any]) -> None:
    assert declared(ALL, ROWS[at]) == says


def test_unoffered_capability_is_not_declared() -> None:
    assert declared((), ROWS[-1]) == {}
    assert declared({"elicitation.url"}, ROWS[-1]) == {"elicitation": {"url": {}}}
    assert declared({"sampling"}, ROWS[-1]) == {"sampling": {}}


def test_only_questions_that_are_answered_at_all_are_answered_as_tasks() -> None:
    assert declared({"tasks"}, ROWS[3]) == {}
    assert declared({"tasks", "sampling"}, ROWS[3])["tasks"]["requests"] == {"sampling": {"createMessage": {}}}
    assert declared({"tasks"}, ROWS[2]) == {}
    assert declared({"tasks"}, ROWS[4]) == {"extensions": {"io.modelcontextprotocol/tasks": {}}}


def test_a_mode_that_a_revision_can_not_name_is_not_offered_there() -> None:
    assert declared({"elicitation.url"}, ROWS[2]) == {}
    assert offered_in(ROWS[2], ALL) == {"roots", "sampling", "elicitation.form"}
    assert offered_in(ROWS[0], ALL) == {"roots", "sampling"}
    assert offered_in(ROWS[4], ALL) == set(ALL)


def test_names_bring_what_belongs_to_them() -> None:
    assert parse_offers(["elicitation"]) == {"elicitation.form", "elicitation.url"}
    assert parse_offers(["sampling.tools", "roots"]) == {"sampling", "sampling.tools", "roots"}
    assert parse_offers([]) == frozenset()
    with pytest.raises(UsageError, match="'tea' is not a client capability"):
        parse_offers(["roots", "tea"])


@pytest.mark.parametrize(
    ("offers", "asked", "code", "says"),
    [
        ((), asks(RequestKind.ELICITATION), -32601, "has not declared elicitation"),
        (("elicitation.form",), asks(RequestKind.ELICITATION, mode="url"), -32602, "in url mode"),
        (("elicitation.url",), asks(RequestKind.ELICITATION), -32602, "in form mode"),
        (ALL, asks(RequestKind.ELICITATION, mode="song"), -32602, "in song mode"),
        (("roots",), asks(RequestKind.SAMPLING), -32601, "sampling/createMessage"),
        (("sampling",), asks(RequestKind.SAMPLING, tools=[]), -32602, "sampling.tools"),
        (("sampling",), asks(RequestKind.SAMPLING, toolChoice={}), -32602, "sampling.tools"),
        (("sampling",), asks(RequestKind.ROOTS), -32601, "roots/list"),
    ],
)
def test_a_question_beyond_what_was_offered_is_refused_by_the_right_code(
    offers: tuple[str, ...], asked: ServerRequest, code: int, says: str
) -> None:
    refusal = refusal_of(asked, offers)
    assert refusal is not None
    assert refusal.code == code
    assert says in refusal.message


@pytest.mark.parametrize(
    ("offers", "asked"),
    [
        (("elicitation.form",), asks(RequestKind.ELICITATION)),
        (("elicitation.url",), asks(RequestKind.ELICITATION, mode="url")),
        (("sampling",), asks(RequestKind.SAMPLING)),
        (("sampling", "sampling.tools"), asks(RequestKind.SAMPLING, tools=[])),
        (("roots",), asks(RequestKind.ROOTS)),
    ],
)
def test_offered_request_is_not_refused(offers: tuple[str, ...], asked: ServerRequest) -> None:
    assert refusal_of(asked, offers) is None
