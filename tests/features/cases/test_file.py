"""Case files: reading, errors with their line, and edits that keep comments."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.errors import UsageError
from inspector.features.cases import file, reading
from inspector.features.cases.file import add_cases, as_yaml, beside, open_cases, with_cases, with_values, written
from inspector.features.cases.model import CaseDefinition, Expectation, ExpectationKind
from inspector.features.cases.reading import read_cases


def test_cases_file_is_beside_its_capture(tmp_path: Path) -> None:
    assert beside(tmp_path / "a.mcpcap") == tmp_path / "a.cases.yaml"
    assert beside(tmp_path / "a.log") == tmp_path / "a.log.cases.yaml"


def test_cases_are_added_to_a_new_file_and_to_one_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "a.cases.yaml"
    assert add_cases(path, [CaseDefinition("a", "ping")]) == 1
    assert add_cases(path, [CaseDefinition("b", "ping", {"n": 1})]) == 2
    assert [each.name for each in open_cases(path).cases] == ["a", "b"]


def test_line_ends_of_a_cases_file_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.cases.yaml"
    path.write_bytes(b"# mine\r\nmcp-inspect-cases: 1\r\ncases: []\r\n")
    add_cases(path, [CaseDefinition("a", "ping")])
    assert path.read_bytes().startswith(b"# mine\r\nmcp-inspect-cases: 1\r\ncases: [")


def test_other_file_is_not_taken_for_cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.cases.yaml"
    for content, said in ((b"a: 1", "unknown key 'a' in a file of cases"), (b"\xff", "byte 0 is not UTF-8")):
        path.write_bytes(content)
        with pytest.raises(UsageError, match=said):
            add_cases(path, [CaseDefinition("a", "ping")])
        assert path.read_bytes() == content
    with pytest.raises(UsageError, match="can't be read: Is a directory"):
        open_cases(tmp_path)
    (tmp_path / "a.mcpcap").write_text('{"r":"head"}\n')
    with pytest.raises(UsageError, match="is a capture, not a file of cases"):
        open_cases(tmp_path / "a.mcpcap")
    with pytest.raises(UsageError, match="can't be read: No such file"):
        open_cases(tmp_path / "none")
    monkeypatch.setattr(file, "LARGEST", 0)
    with pytest.raises(UsageError, match="larger than any file of cases"):
        open_cases(path)


_HEAD = "mcp-inspect-cases: 1\ncases:\n"
_CASE = _HEAD + "  - name: a\n    request: ping\n"


def _fault(text: str) -> str:
    with pytest.raises(UsageError) as raised:
        read_cases(text, "my.yaml")
    return str(raised.value)


def test_handwritten_case_is_read_with_spans() -> None:
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
        (ExpectationKind.TYPE, place, "string", 11),
        (ExpectationKind.MATCHES, place, "^[0-9]+$", 12),
        (ExpectationKind.FASTER, "/result", 200, 13),
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
        (_CASE + "    name: b\n", "line 5: duplicate member 'name' in a case"),
        (_CASE + "    wait: 5\n", "line 5: unknown key 'wait' in a case"),
        (_CASE + "    params: [1]\n", "line 5: params are no object"),
        (_CASE + "    params: {a: 1,\n      a: 2}\n", "line 6: duplicate member 'a' in an object"),
        (_CASE + "    params: {[1]: 2}\n", "line 5: the name of a member is a text"),
        (_CASE + "    isolate: yes\n", "line 5: isolate is true or false"),
        (_CASE + "  - name: a\n    request: b\n", "line 5: there is another case named 'a'"),
        (_CASE + "    params: &x {}\n    answers: [*x]\n", "my.yaml, line 6: an alias (*) is not taken here"),
        (_CASE + "    params: !!python/object:os.system {}\n", "line 5: the tag tag:yaml.org,2002:python/object"),
        (_CASE + "    params: {a: !mine 5}\n", "line 5: the tag !mine means nothing here"),
        (_CASE + "    params: {a: !!int abc}\n", "line 5: this is no int of JSON"),
        (_CASE + "    params: {a: !!float .inf}\n", "line 5: this is no float of JSON"),
        (_CASE + f"    params: {{a: {'9' * 5000}}}\n", "line 5: a number that can't be read"),
        (_CASE + "    params: {a: \x1b[2J}\n", "line 5: the letter U+001B is not allowed in YAML"),
        (_CASE + "---\na: 1\n", "my.yaml, line 5: but found another document"),
        (_CASE + "    expect: {at: /result}\n", "line 5: expect is a list"),
        (_CASE + "    expect: [{at: /result}]\n", "line 5: an expectation that expects nothing"),
        (_CASE + "    expect: [{at: result, equals: 1}]\n", "line 5: 'result' is not a JSON Pointer"),
        (_CASE + "    expect: [{equal: 1}]\n", "line 5: unknown key 'equal' in an expectation"),
        (_CASE + "    expect: [{type: text}]\n", "type: 'text' is not one of null, boolean"),
        (_CASE + "    expect: [{type: []}]\n", "type: an empty list is not one of"),
        (_CASE + "    expect: [{type: [[]]}]\n", "type: [] is not one of"),
        (_CASE + "    expect: [{exists: 1}]\n", "exists: true or false is expected"),
        (_CASE + "    expect: [{matches: '('}]\n", "matches: a regular expression is expected"),
        (_CASE + "    expect: [{schema: inputSchema}]\n", "schema: a schema or outputSchema is expected"),
        (_CASE + "    expect: [{faster: 0}]\n", "faster: milliseconds are expected, more than 0"),
        (_CASE + "    expect: [{faster: true}]\n", "faster: milliseconds are expected, more than 0"),
    ],
)
def test_invalid_case_is_an_error_with_its_line(text: str, said: str) -> None:
    assert said in _fault(text)


def test_deep_or_large_cases_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "my.yaml: it is nested too deeply" in _fault(_CASE + "    params: {a: " + "[" * 1000 + "]" * 1000 + "}\n")
    monkeypatch.setattr(reading, "LARGEST", 1000)
    assert "more than 1,000 characters" in _fault("#" * 1001)


def test_a_bomb_of_aliases_is_refused_before_it_grows() -> None:
    bomb = "a: &a [1]\n" + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{f'*{chr(97 + n)},' * 9}]\n" for n in range(20))
    assert "line 2: an alias" in _fault(bomb)


@given(st.text(max_size=200), st.sampled_from(["", _HEAD, _CASE + "    expect:\n      - equals: "]))
@settings(max_examples=60, deadline=None)
def test_arbitrary_cases_file_is_read_or_refused(text: str, before: str) -> None:
    try:
        found = read_cases(before + text, "f")
    except UsageError:
        assert _fault(before + text).startswith("my.yaml")
    else:
        assert all(isinstance(each, CaseDefinition) for each in found.cases)


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


TEXTS = st.text(st.characters(), max_size=30) | st.sampled_from(
    ["\ud800", "😀", "\x00\x1b[31m\x7f", "\u2028\x85\ufeff", "# no comment", "*a", "yes", "1e5", "k" * 1500, '"\\']
)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda below: st.lists(below, max_size=4) | st.dictionaries(TEXTS, below, max_size=4),
    max_leaves=12,
)
_BY_HAND = """\
# Mine.
mcp-inspect-cases: 1
cases:
- name: sum          # of two
  request: tools/call
  params:
    name: add
    arguments: {a: 2, b: 3}
  expect:
  - snapshot:
    - 1
    - two
    # the value is above
    at: /result/list
  -
    # on a line of its own
    faster: 200

# The second one.
- name: hello
  request: ping
  expect: [{exists: true}]   # short
# The end.
"""
_SUM = {"name": "add", "arguments": {"a": 2, "b": 3}}


def _case(
    value: Any, kind: ExpectationKind = ExpectationKind.EQUALS, at: str = "/result", **more: Any
) -> CaseDefinition:
    return CaseDefinition("a", "tools/call", _SUM, (Expectation(kind, value, at),), **more)


def _same(one: Any, other: Any) -> bool:
    return repr(one) == repr(other)


@given(JSON, JSON)
@settings(max_examples=40, deadline=None)
def test_json_values_survive_writing_and_reading(value: Any, answer: Any) -> None:
    case = CaseDefinition(
        "a", "x", {"it": value}, (Expectation(ExpectationKind.EQUALS, value),), (answer,), isolate=True
    )
    for text in (with_cases("", [case], "f"), with_cases('{"mcp-inspect-cases": 1, "cases": []}', [case], "f")):
        (found,) = read_cases(text, "f").cases
        assert _same((found.params, found.answers, found.isolate), (case.params, case.answers, True))
        assert _same(found.expect[0].value, value)


@given(JSON, TEXTS)
@settings(max_examples=40, deadline=None)
def test_a_value_is_one_line_of_letters_that_can_be_seen(value: Any, name: str) -> None:
    assert as_yaml(value).isprintable()
    assert all(line.isprintable() for line in written(CaseDefinition(name, name, {name: value})).splitlines())


def test_values_outside_json_are_refused() -> None:
    with pytest.raises(UsageError, match="NaN is no value of JSON"):
        with_cases("", [_case(float("nan"))], "f")
    deep: Any = 1
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(UsageError, match="nested too deeply"):
        with_cases("", [_case(deep)], "f")


def test_handwritten_parts_survive_added_expectations() -> None:
    more = [
        _case(5, at="/result/sum"),
        CaseDefinition("p", "ping", expect=(Expectation(ExpectationKind.TYPE, "object"),)),
        _case(6),
    ]
    new = CaseDefinition("other", "resources/read", {"uri": "x:y"}, (Expectation(ExpectationKind.EXISTS, True),))
    text = with_cases(_BY_HAND, [*more, new], "f")
    assert [line for line in _BY_HAND.splitlines() if line not in text.splitlines()] == [
        "  expect: [{exists: true}]   # short"
    ]
    first, second, third = read_cases(text, "f").cases
    assert [(each.kind, each.at, each.value) for each in first.expect] == [
        (ExpectationKind.EQUALS, "/result/sum", 5),
        (ExpectationKind.EQUALS, "/result", 6),
        (ExpectationKind.SNAPSHOT, "/result/list", [1, "two"]),
        (ExpectationKind.FASTER, "/result", 200),
    ]
    assert '  expect: [{"at": "/result", "type": "object"}, {exists: true}]   # short\n' in text
    assert [each.kind for each in second.expect] == [ExpectationKind.TYPE, ExpectationKind.EXISTS]
    assert (third.name, third.expect[0].kind) == ("other", ExpectationKind.EXISTS)


def test_known_expectation_changes_nothing() -> None:
    text = with_cases("", [_case(5), _case(7, at="/result/b")], "f")
    assert len(read_cases(text, "f").cases) == 1
    assert with_cases(text, [_case(7, at="/result/b"), _case(5)], "f") == text


def test_an_answer_that_has_changed_since_is_a_case_of_its_own() -> None:
    text = with_cases(
        "", [_case(1, ExpectationKind.SNAPSHOT), _case(2, ExpectationKind.SNAPSHOT), _case(3, at="/error/code")], "f"
    )
    found = read_cases(text, "f").cases
    assert [(each.name, [one.value for one in each.expect]) for each in found] == [
        ("a", [1]),
        ("a (2)", [2]),
        ("a (3)", [3]),
    ]
    again = with_cases(text, [_case(2, ExpectationKind.SNAPSHOT)], "f")
    assert again == text


@pytest.mark.parametrize(
    "before",
    [
        "mcp-inspect-cases: 1",
        "mcp-inspect-cases: 1\ncases:",
        "mcp-inspect-cases: 1\ncases: []\n",
        "cases:  # none yet\nmcp-inspect-cases: 1\n",
        '{"mcp-inspect-cases": 1, "cases": [{"name": "x", "request": "ping"}]}',
        "mcp-inspect-cases: 1\ncases:\n    - name: x\n      request: ping",
        "mcp-inspect-cases: 1\ncases: [\n  {name: x, request: ping},\n]\n",
        "cases:\n- name: x\n  request: |\n    ping\nmcp-inspect-cases: 1\n",
        "\ufeffmcp-inspect-cases: 1\r\ncases:\r\n- name: x\r\n  request: ping\r\n",
    ],
)
def test_a_case_finds_its_place_in_a_list_of_any_style(before: str) -> None:
    text = with_cases(before, [_case(5)], "f")
    *others, new = read_cases(text, "f").cases
    assert (new.name, [each.value for each in new.expect]) == ("a", [5])
    assert len(others) == ("name: x" in before or '"x"' in before)


def test_snapshots_are_replaced_where_they_stand_and_nowhere_else() -> None:
    text = _BY_HAND + (
        "- name: more\n  request: ping\n  expect:\n  - snapshot: {a: 1}   # flow\n  - snapshot: |\n      text\n\n"
        "  - snapshot:\n  - {snapshot: old, at: /result/x}\n  - snapshot:\n      a: 1\n      # inside\n  # behind\n"
    )
    found = read_cases(text, "f")
    taken = [each for case in found.cases for each in case.expect if each.kind is ExpectationKind.SNAPSHOT]
    new = with_values(found, [(each, {"n": at}) for at, each in enumerate(taken)])
    again = [
        each for case in read_cases(new, "f").cases for each in case.expect if each.kind is ExpectationKind.SNAPSHOT
    ]
    assert [each.value for each in again] == [{"n": at} for at in range(6)]
    assert '  - snapshot: {"n": 1}   # flow\n' in new
    assert '  - {snapshot: {"n": 4}, at: /result/x}\n' in new
    kept = ("# Mine.", "# of two", "# the value is above", "# The second one.", "# The end.", "# inside", "# behind")
    assert [each for each in kept if each not in new] == []
    assert with_values(found, []) == text


def test_a_thousand_cases_are_one_reading_and_not_a_thousand(monkeypatch: pytest.MonkeyPatch) -> None:
    times: list[str] = []

    def counted(text: str, name: str) -> Any:
        times.append(name)
        return read_cases(text, name)

    monkeypatch.setattr(file, "read_cases", counted)
    text = with_cases("", [CaseDefinition(f"c{n}", "ping", {"n": n}) for n in range(200)], "f")
    assert len(times) == 2
    assert text.count("request") == 200
