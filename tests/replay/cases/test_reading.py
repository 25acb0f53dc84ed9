"""A file of cases: what JSON has is read, all else is a fault with its line."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.errors import UsageError
from inspector.replay.cases import reading
from inspector.replay.cases.model import Case, Expectation, Kind
from inspector.replay.cases.reading import read_cases

_HEAD = "mcp-inspect-cases: 1\ncases:\n"
_CASE = _HEAD + "  - name: a\n    request: ping\n"


def _fault(text: str) -> str:
    with pytest.raises(UsageError) as raised:
        read_cases(text, "my.yaml")
    return str(raised.value)


def test_a_case_as_somebody_writes_it_by_hand_is_read() -> None:
    text = (
        _HEAD + "  - name: sum  # why\n    request: tools/call\n    params: {name: add, arguments: {a: 2}}\n"
        "    isolate: true\n    answers:\n      - {kind: elicitation, answer: decline}\n"
        "    expect:\n      - at: /result/content/0/text\n        type: string\n        matches: '^[0-9]+$'\n"
        "      - faster: 200\n"
    )
    (case,) = read_cases(text, "f").cases
    place = "/result/content/0/text"
    assert (case.name, case.request, case.isolate, case.line) == ("sum", "tools/call", True, 3)
    assert case.params == {"name": "add", "arguments": {"a": 2}}
    assert case.answers == ({"kind": "elicitation", "answer": "decline"},)
    assert [(each.kind, each.at, each.value, each.line) for each in case.expect] == [
        (Kind.TYPE, place, "string", 11),
        (Kind.MATCHES, place, "^[0-9]+$", 12),
        (Kind.FASTER, "/result", 200, 13),
    ]
    assert [text[slice(*each.span)] for each in case.expect] == ["string", "'^[0-9]+$'", "200"]


@pytest.mark.parametrize(
    ("yaml", "value"),
    [
        *[("2026-01-01", "2026-01-01"), ("12:30:45", "12:30:45"), ("yes", "yes"), ("off", "off"), ("007", "007")],
        *[("0x1F", "0x1F"), ("1_000", "1_000"), (".inf", ".inf"), (".nan", ".nan"), ("<<", "<<"), ("=", "=")],
        *[("1e22", 1e22), ("1E-3", 0.001), ("-0.5", -0.5), ("1.5e+300", 1.5e300), ("12", 12), ("-7", -7)],
        *[("true", True), ("false", False), ("null", None), ("~", None), ("", None), ("True", "True")],
        *[("{1: a, true: b}", {"1": "a", "true": "b"}), ('"\\U0000D800"', "\ud800"), ("9" * 400, int("9" * 400))],
        *[("|\n          two\n          lines\n", "two\nlines\n"), ("!!str 5", "5"), ("'1'", "1")],
    ],
)
def test_only_what_json_has_is_more_than_a_text(yaml: str, value: object) -> None:
    (case,) = read_cases(f"{_CASE}    expect:\n      - equals: {yaml}\n", "f").cases
    assert case.expect[0].value == value
    assert type(case.expect[0].value) is type(value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "my.yaml: a file of cases is an object"),
        ("- 1", "my.yaml, line 1: a file of cases is an object"),
        ("mcp-inspect-cases: 2\ncases: []", "does not begin with mcp-inspect-cases: 1"),
        ("cases: []", "does not begin with mcp-inspect-cases: 1"),
        (_HEAD + "  - name: a\n   request: b\n", "my.yaml, line 4: expected <block end>"),
        (_HEAD + "  - name: a\n", "line 3: a case without request"),
        (_HEAD + "  - request: a\n", "line 3: a case without name"),
        (_HEAD + "  - 7\n", "line 3: a case is an object"),
        (_HEAD.replace("\ncases:", "\ncases: 7"), "line 2: cases is a list"),
        (_CASE + "    name: b\n", "line 5: 'name' stands twice in a case"),
        (_CASE + "    wait: 5\n", "line 5: 'wait' means nothing in a case"),
        (_CASE + "    params: [1]\n", "line 5: params are no object"),
        (_CASE + "    params: {a: 1,\n      a: 2}\n", "line 6: 'a' stands twice in an object"),
        (_CASE + "    params: {[1]: 2}\n", "line 5: the name of a member is a text"),
        (_CASE + "    isolate: yes\n", "line 5: isolate is true or false"),
        (_CASE + "  - name: a\n    request: b\n", "line 5: there is another case named 'a'"),
        (_CASE + "    params: &x {}\n    answers: [*x]\n", "my.yaml, line 6: an alias (*) is not taken here"),
        (_CASE + "    params: !!python/object:os.system {}\n", "line 5: the tag tag:yaml.org,2002:python/object"),
        (_CASE + "    params: {a: !mine 5}\n", "line 5: the tag !mine means nothing here"),
        (_CASE + "    params: {a: !!int abc}\n", "line 5: this is no int of JSON"),
        (_CASE + "    params: {a: !!float .inf}\n", "line 5: this is no float of JSON"),
        (_CASE + f"    params: {{a: {'9' * 5000}}}\n", "line 5: a number that can't be read"),
        (_CASE + "    params: {a: \x1b[2J}\n", "line 5: the letter U+001B can't stand in YAML"),
        (_CASE + "---\na: 1\n", "my.yaml, line 5: but found another document"),
        (_CASE + "    expect: {at: /result}\n", "line 5: expect is a list"),
        (_CASE + "    expect: [{at: /result}]\n", "line 5: an expectation that expects nothing"),
        (_CASE + "    expect: [{at: result, equals: 1}]\n", "line 5: 'result' is no JSON pointer"),
        (_CASE + "    expect: [{equal: 1}]\n", "line 5: 'equal' means nothing in an expectation"),
        (_CASE + "    expect: [{type: text}]\n", "type: 'text' is none of null, boolean"),
        (_CASE + "    expect: [{type: []}]\n", "type: an empty list is none of"),
        (_CASE + "    expect: [{type: [[]]}]\n", "type: [] is none of"),
        (_CASE + "    expect: [{exists: 1}]\n", "exists: true or false is expected"),
        (_CASE + "    expect: [{matches: '('}]\n", "matches: a regular expression is expected"),
        (_CASE + "    expect: [{schema: inputSchema}]\n", "schema: a schema or outputSchema is expected"),
        (_CASE + "    expect: [{faster: 0}]\n", "faster: milliseconds are expected, more than 0"),
        (_CASE + "    expect: [{faster: true}]\n", "faster: milliseconds are expected, more than 0"),
    ],
)
def test_what_cannot_be_meant_is_told_with_its_line(text: str, said: str) -> None:
    assert said in _fault(text)


def test_what_is_too_deep_or_too_large_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "my.yaml: it is nested too deeply" in _fault(_CASE + "    params: {a: " + "[" * 1000 + "]" * 1000 + "}\n")
    monkeypatch.setattr(reading, "LARGEST", 1000)
    assert "more than 1,000 characters" in _fault("#" * 1001)


def test_a_bomb_of_aliases_is_refused_before_it_grows() -> None:
    bomb = "a: &a [1]\n" + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{f'*{chr(97 + n)},' * 9}]\n" for n in range(20))
    assert "line 2: an alias" in _fault(bomb)


@given(st.text(max_size=200), st.sampled_from(["", _HEAD, _CASE + "    expect:\n      - equals: "]))
@settings(max_examples=60, deadline=None)
def test_whatever_a_file_holds_it_is_cases_or_a_fault(text: str, before: str) -> None:
    try:
        found = read_cases(before + text, "f")
    except UsageError:
        assert _fault(before + text).startswith("my.yaml")
    else:
        assert all(isinstance(each, Case) for each in found.cases)


def test_the_spans_of_values_end_where_the_values_do() -> None:
    text = (
        _CASE + "    expect:\n      - snapshot:\n          a: 1\n          b:\n            - 2\n"
        "          # about the next\n\n      # the next\n      - snapshot: |\n          x\n\n      - snapshot:\n"
        "# the end\n"
    )
    (case,) = read_cases(text, "f").cases
    assert [text[slice(*each.span)] for each in case.expect] == [
        "a: 1\n          b:\n            - 2",
        "|\n          x",
        "",
    ]
    assert isinstance(case.expect[0], Expectation)
