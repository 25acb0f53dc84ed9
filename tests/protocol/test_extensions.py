"""Extensions: what is declared, by switches, and what both sides said."""

import pytest

from inspector.errors import UsageError
from inspector.protocol.extensions import (
    APP_TYPE,
    SKILLS,
    UI,
    advertised,
    declares,
    full_name,
    negotiated,
)
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.table import newest_of
from inspector.protocol.stamp import ClientIdentity

LEGACY, MODERN = newest_of(Era.LEGACY), newest_of(Era.MODERN)


def test_unasked_only_what_is_supported_is_declared_and_only_where_there_are_extensions() -> None:
    assert advertised().in_revision(MODERN) == {SKILLS: {}}
    assert advertised().in_revision(LEGACY) == {}


def test_what_is_asked_for_is_declared_everywhere_with_its_settings() -> None:
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


def test_a_client_says_its_extensions_among_its_capabilities() -> None:
    client = ClientIdentity({}, frozenset({"roots"}), advertised(["ui"]))
    assert client.capabilities(MODERN) == {
        "roots": {},
        "extensions": {SKILLS: {}, UI: {"mimeTypes": [APP_TYPE]}},
    }
    assert "extensions" not in ClientIdentity({}).capabilities(MODERN)


def test_both_sides_are_told_apart() -> None:
    server = {"extensions": {SKILLS: {"directoryRead": True}, "com.example/x": {}}}
    found = negotiated(server, {"extensions": {SKILLS: {}, UI: {}}})
    assert [(each.name, each.by_server, each.by_us) for each in found] == [
        (SKILLS, True, True),
        ("com.example/x", True, False),
        (UI, False, True),
    ]
    assert found[0].meaning.startswith("It serves agent skills")
    assert found[1].meaning == ""
    assert negotiated({"extensions": []}, None) == ()


def test_null_declares_nothing() -> None:
    assert declares({"extensions": {SKILLS: {}}}, SKILLS)
    assert not declares({"extensions": {SKILLS: None}}, SKILLS)
    assert not declares({}, SKILLS)
