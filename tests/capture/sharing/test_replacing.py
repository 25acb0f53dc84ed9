"""Replacements are noted, and learnt where that is wished."""

from inspector.capture.sharing.known import Known
from inspector.capture.sharing.pseudonyms import Pseudonyms
from inspector.capture.sharing.replacing import Replacing


def test_what_is_replaced_is_noted_and_learnt() -> None:
    known = Known()
    replacing = Replacing(Pseudonyms(b"key"), known, learns=True)
    replacing.where = "headers.X"
    new = replacing.secret("value-12345", "header")
    assert replacing.secret(new, "header") == new
    replacing.secret("annelise-1", "home")
    assert replacing.number("1234", "key") != "1234"
    assert [(each.rule, each.path, each.kind) for each in replacing.found] == [
        ("header", "headers.X", "string"),
        ("home", "headers.X", "string"),
        ("key", "headers.X", "number"),
    ]
    assert [each.value for each in known] == ["value-12345"]


def test_only_what_is_looked_for_is_replaced() -> None:
    known = Known()
    known.add("1234", "secret:1")
    replacing = Replacing(Pseudonyms(b"key"), known, learns=False)
    assert (replacing.plain("a1234"), replacing.rule_of("51234")) == ("a1234", "")
    before = replacing.activate_within("x\\u0031234")
    assert before == []
    assert replacing.plain("a1234") == replacing.spelt("a1234") != "a1234"
    assert replacing.rule_of("51234") == "secret:1"
