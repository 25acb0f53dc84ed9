"""Cases in a file: what is written is read back as the same, and what somebody wrote there stays."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.errors import UsageError
from inspector.replay.cases import writing
from inspector.replay.cases.model import Case, Expectation, Kind
from inspector.replay.cases.reading import read_cases
from inspector.replay.cases.writing import as_yaml, with_cases, with_values, written

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


def _case(value: Any, kind: Kind = Kind.EQUALS, at: str = "/result", **more: Any) -> Case:
    return Case("a", "tools/call", _SUM, (Expectation(kind, value, at),), **more)


def _same(one: Any, other: Any) -> bool:
    return repr(one) == repr(other)


@given(JSON, JSON)
@settings(max_examples=40, deadline=None)
def test_whatever_json_can_say_is_read_back_as_it_was(value: Any, answer: Any) -> None:
    case = Case("a", "x", {"it": value}, (Expectation(Kind.EQUALS, value),), (answer,), isolate=True)
    for text in (with_cases("", [case], "f"), with_cases('{"mcp-inspect-cases": 1, "cases": []}', [case], "f")):
        (found,) = read_cases(text, "f").cases
        assert _same((found.params, found.answers, found.isolate), (case.params, case.answers, True))
        assert _same(found.expect[0].value, value)


@given(JSON, TEXTS)
@settings(max_examples=40, deadline=None)
def test_a_value_is_one_line_of_letters_that_can_be_seen(value: Any, name: str) -> None:
    assert as_yaml(value).isprintable()
    assert all(line.isprintable() for line in written(Case(name, name, {name: value})).splitlines())


def test_what_json_cannot_say_is_refused_and_told() -> None:
    with pytest.raises(UsageError, match="NaN is no value of JSON"):
        with_cases("", [_case(float("nan"))], "f")
    deep: Any = 1
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(UsageError, match="nested too deeply"):
        with_cases("", [_case(deep)], "f")


def test_what_somebody_wrote_by_hand_stays_when_more_is_expected() -> None:
    more = [_case(5, at="/result/sum"), Case("p", "ping", expect=(Expectation(Kind.TYPE, "object"),)), _case(6)]
    new = Case("other", "resources/read", {"uri": "x:y"}, (Expectation(Kind.EXISTS, True),))
    text = with_cases(_BY_HAND, [*more, new], "f")
    assert [line for line in _BY_HAND.splitlines() if line not in text.splitlines()] == [
        "  expect: [{exists: true}]   # short"
    ]
    first, second, third = read_cases(text, "f").cases
    assert [(each.kind, each.at, each.value) for each in first.expect] == [
        (Kind.EQUALS, "/result/sum", 5),
        (Kind.EQUALS, "/result", 6),
        (Kind.SNAPSHOT, "/result/list", [1, "two"]),
        (Kind.FASTER, "/result", 200),
    ]
    assert '  expect: [{"at": "/result", "type": "object"}, {exists: true}]   # short\n' in text
    assert [each.kind for each in second.expect] == [Kind.TYPE, Kind.EXISTS]
    assert (third.name, third.expect[0].kind) == ("other", Kind.EXISTS)


def test_what_is_expected_already_changes_nothing() -> None:
    text = with_cases("", [_case(5), _case(7, at="/result/b")], "f")
    assert len(read_cases(text, "f").cases) == 1
    assert with_cases(text, [_case(7, at="/result/b"), _case(5)], "f") == text


def test_an_answer_that_has_changed_since_is_a_case_of_its_own() -> None:
    text = with_cases("", [_case(1, Kind.SNAPSHOT), _case(2, Kind.SNAPSHOT), _case(3, at="/error/code")], "f")
    found = read_cases(text, "f").cases
    assert [(each.name, [one.value for one in each.expect]) for each in found] == [
        ("a", [1]),
        ("a (2)", [2]),
        ("a (3)", [3]),
    ]
    again = with_cases(text, [_case(2, Kind.SNAPSHOT)], "f")
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
    taken = [each for case in found.cases for each in case.expect if each.kind is Kind.SNAPSHOT]
    new = with_values(found, [(each, {"n": at}) for at, each in enumerate(taken)])
    again = [each for case in read_cases(new, "f").cases for each in case.expect if each.kind is Kind.SNAPSHOT]
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

    monkeypatch.setattr(writing, "read_cases", counted)
    text = with_cases("", [Case(f"c{n}", "ping", {"n": n}) for n in range(200)], "f")
    assert len(times) == 2
    assert text.count("request") == 200
