"""The verdict of shapes, revision by revision, on small messages and on the same with one thing wrong."""

from typing import Any

import pytest

from inspector.checks.shapes.judge import MOST, judge_of, rules, strangers

_TEXT = {"type": "text", "text": "a"}
_LINK = {"type": "resource_link", "uri": "a:b", "name": "b"}
_AUDIO = {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}


@pytest.mark.parametrize(
    ("name", "value", "fine"),
    [
        ("Called", {"content": [_TEXT]}, [1, 2, 3, 4]),
        ("Called", {"content": [_AUDIO]}, [2, 3, 4]),
        ("Called", {"content": [_LINK]}, [3, 4]),
        ("Called", {"content": [_LINK], "resultType": "complete"}, [3, 4, 5]),
        ("Called", {"content": [_TEXT], "structuredContent": [1], "resultType": "complete"}, [1, 2, 5]),
        ("Called", {"content": []}, [1, 2, 3, 4]),
        ("Called", {"content": _TEXT}, []),
        ("Tools", {"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {"b": True}}}]}, []),
        ("Tool", {"name": "a", "inputSchema": {"type": "object", "properties": {"b": True}}}, [5]),
        ("Tool", {"name": "a", "inputSchema": {"type": "object"}, "icons": [{"src": "x", "theme": "blue"}]}, [1, 2, 3]),
        ("Tool", {"name": "a", "inputSchema": {"type": "object"}, "outputSchema": {"type": "array"}}, [1, 2, 5]),
        ("Said", {"role": "user", "content": [_TEXT]}, []),
        ("Sampled", {"role": "user", "content": [_TEXT]}, [4, 5]),
        ("Contents", {"uri": "a:b"}, []),
        ("Cancelled", {}, [4]),
        (
            "Task",
            {"taskId": "t", "status": "working", "createdAt": "x", "lastUpdatedAt": "y", "ttl": None},
            [1, 2, 3, 4, 5],
        ),
        ("Annotations", {"priority": 1.5}, []),
        ("Annotations", {"lastModified": 3}, [1, 2]),
    ],
)
def test_shape_validity_depends_on_the_revision(name: str, value: Any, fine: list[int]) -> None:
    assert [row for row in range(1, 6) if not judge_of(row, name)(value)] == fine


@pytest.mark.parametrize(
    ("value", "pointer", "said", "rule"),
    [
        (None, "", "must be an object, got null", "prompt-name-missing"),
        ("{a}", "", "must be an object, got the string '{a}'", "prompt-name-missing"),
        ('{"name":"a"}', "", "must be an object, got a string with JSON (encoded twice)", "prompt-name-missing"),
        ({"Name": "a"}, "/name", "is missing; found 'Name' instead", "prompt-name-missing"),
        ({"names": "a"}, "/name", "is missing; found 'names' instead", "prompt-name-missing"),
        ({}, "/name", "is missing", "prompt-name-missing"),
        ({"name": 3}, "/name", "must be a string, got 3", "prompt-name-missing"),
        ({"name": "a", "title": None}, "/title", "is null; omit it instead", "null-optional-member"),
        (
            {"name": "a", "arguments": [{"name": "b"}, 3]},
            "/arguments/1",
            "must be an object, got a number",
            "prompt-name-missing",
        ),
        ({"name": "a", "_meta": []}, "/_meta", "must be an object, got an array", "invalid-meta"),
    ],
)
def test_shape_fault_has_pointer_sentence_and_rule(value: Any, pointer: str, said: str, rule: str) -> None:
    (fault,) = judge_of(4, "Prompt")(value)
    assert (fault.pointer, fault.sentence, fault.rule) == (pointer, said, rule)


@pytest.mark.parametrize(
    ("uri", "rules_", "hard"),
    [
        ("a:b", [], True),
        ("b", ["invalid-uri"], True),
        ("file:///a b", ["invalid-uri"], False),
        ("project://{id}/config", ["invalid-uri"], False),
        ("http://[::1]/a%20b?c=d#e", [], True),
    ],
)
def test_a_uri_has_a_scheme_and_no_odd_characters(uri: str, rules_: list[str], *, hard: bool) -> None:
    faults = judge_of(4, "Resource")({"uri": uri, "name": "b"})
    assert [fault.rule for fault in faults] == rules_
    assert all(fault.hard is hard for fault in faults)


def test_shape_faults_of_a_long_list_are_limited() -> None:
    assert len(judge_of(4, "Tools")({"tools": [3] * 1000})) == MOST


def test_names_in_pointers_are_escaped() -> None:
    (fault,) = judge_of(4, "Abilities")({"experimental": {"a/b~c": 1}})
    assert fault.pointer == "/experimental/a~1b~0c"


def test_the_rules_of_shapes_are_known() -> None:
    assert {
        "tool-incomplete",
        "unknown-content-type",
        "null-optional-member",
        "invalid-uri",
        "invalid-base64",
    } <= rules()


@pytest.mark.parametrize(
    ("block", "sentence"),
    [
        ({"type": "image", "data": "aGk=", "mime_type": "image/png"}, "is missing; found 'mime_type' instead"),
        ({"type": "image", "data": "data:image/png;base64,aGk=", "mimeType": "a/b"}, "is a data: URL; only"),
        ({"type": "image", "data": "data:", "mimeType": "a/b"}, "is not base64: invalid characters"),
        (
            {"type": "image", "data": "https://a.example/b.png", "mimeType": "a/b"},
            "is a URL, 'https://a.example/b.png'; the base64",
        ),
        ({"type": "image", "data": "/9j/4AA", "mimeType": "a/b"}, "is not base64: its length"),
        ({"type": "resource", "uri": "a:b", "text": "x"}, "is missing; uri and text belong inside it"),
        ({"type": "resource", "_meta": {}}, "is missing"),
    ],
)
def test_shape_fault_names_the_value_in_place_of_a_member(block: dict[str, Any], sentence: str) -> None:
    (fault,) = judge_of(4, "Block")(block)
    assert fault.sentence.startswith(sentence)
    assert ("; " in fault.sentence) == ("; " in sentence)


def test_members_of_other_rows_are_found_with_their_place_and_their_rows() -> None:
    (found,) = strangers(2, "Tools", {"tools": [{"title": "t"}, {"title": "u"}]})
    assert (found.type, found.member, found.pointer, found.rows) == ("Tool", "title", "/tools/0/title", (3, 4, 5))


def test_a_member_whose_kind_changed_is_no_stranger() -> None:
    assert not strangers(5, "Tools", {"tools": [{"outputSchema": {"type": "string"}}]})


def test_schemas_have_the_keywords_that_they_like() -> None:
    assert not strangers(5, "Tools", {"tools": [{"inputSchema": {"type": "object", "properties": {}}}]})
    assert not strangers(1, "Tools", {"tools": [{"inputSchema": {"$schema": "x", "properties": {}}}]})


def test_content_blocks_are_distinguished_by_type() -> None:
    blocks = [{"type": "resource_link", "uri": "a:b", "name": "n", "icons": []}, {"type": "text", "icons": []}]
    assert [each.pointer for each in strangers(3, "Called", {"content": blocks})] == ["/content/0/icons"]


def test_values_of_any_kind_are_taken() -> None:
    for value in (None, 1, "a", [], [[1]], {"tools": {"a": 1}}, {"tools": [None, [{"title": 1}]]}):
        assert strangers(1, "Tools", value) in ([], strangers(1, "Tools", value))


def test_a_long_list_is_not_looked_at_to_its_end() -> None:
    tools: list[object] = [{"name": "a"}] * 10_000 + [{"icons": []}]
    assert not strangers(3, "Tools", {"tools": tools})
