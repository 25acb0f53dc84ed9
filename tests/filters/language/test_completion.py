"""The normal form reads back to the same filter, whatever it holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.filters.language.completion import describe, path_text, quoted, suggest
from inspector.filters.language.fields import (
    BareText,
    Compare,
    FieldScope,
    Has,
    Op,
    Ref,
    Term,
    all_of,
    any_of,
    opposite,
)
from inspector.filters.language.parser import parse

_TEXTS = st.text(min_size=1, max_size=8)
_STEPS = st.one_of(_TEXTS, st.integers(-3, 99), st.none())
_SCOPES = st.sampled_from(FieldScope)
_VALUES = st.one_of(_TEXTS, st.integers(-(10**9), 10**9), st.booleans(), st.none())
_PATHS = st.builds(Ref, st.sampled_from(("params", "args", "result")), st.tuples(_STEPS, _STEPS), _SCOPES)
_LEAVES: st.SearchStrategy[Term] = st.one_of(
    st.builds(BareText, _TEXTS),
    st.builds(Has, st.one_of(_PATHS, st.builds(Ref, st.sampled_from(("pending", "tool")), st.just(()), _SCOPES))),
    st.builds(Compare, _PATHS, st.sampled_from((Op.EQ, Op.NE, Op.GT)), st.tuples(_VALUES)),
    st.builds(Compare, _PATHS, st.just(Op.IN), st.tuples(_VALUES, _VALUES)),
    st.builds(Compare, _PATHS, st.just(Op.CONTAINS), st.tuples(_TEXTS)),
    st.builds(Compare, st.just(Ref("dur")), st.just(Op.GT), st.tuples(st.integers(0, 10**14))),
    st.builds(Compare, st.just(Ref("size")), st.just(Op.LE), st.tuples(st.integers(0, 10**12))),
    st.builds(Compare, st.just(Ref("time")), st.just(Op.GE), st.tuples(st.integers(10**18, 2 * 10**18))),
)
_TERMS = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(all_of),
        st.lists(inner, min_size=1, max_size=3).map(any_of),
        inner.map(opposite),
    ),
    max_leaves=8,
)


@given(_TERMS)
def test_the_normal_form_means_the_same(term: Term) -> None:
    assert parse(describe(term)) == term


def test_describe_writes_readable_filters() -> None:
    text = 'not (tool == "a" or dur >= 90s) and args.q[0]["b c"] in {1, "x"} and any.pending'
    assert describe(parse(text)) == text.replace("90s", "90s")
    assert describe(None) == ""
    assert path_text(Ref("params", ("a", None))) == "params.a[*]"
    assert quoted('\x1b"\\') == '"\\u001b\\"\\\\"'


_SEEN = {"tool": ["search", "echo", "my tool"], "method": ["tools/call", "tools/list"], "error.code": ["-32602"]}


def proposed(before: str) -> list[str]:
    found = suggest(before, lambda name: _SEEN.get(name, ()), ("slow", "mine"))
    return [before[: found.start] + item.text for item in found.items]


@pytest.mark.parametrize(
    ("before", "first"),
    [
        ("to", "tool"),
        ("tool == se", "tool == search"),
        ('tool == "se', "tool == search"),
        ("tool == ", "tool == search"),
        ("tool == my", 'tool == "my tool"'),
        ("method == to", "method == tools/call"),
        ("a and kind == n", "a and kind == notification"),
        ("kind in {error, r", "kind in {error, request"),
        ("any.er", "any.error.code"),
        ("error.code == ", "error.code == -32602"),
        ("-pen", "-pending"),
        ("(pro", "(prompt"),
        ("tool ", "tool =="),
        ("dur ", "dur >"),
        ("x @s", "x @slow"),
        ("is:pe", "is:pending"),
        ("a an", "a and"),
    ],
)
def test_suggest_proposes_the_next_word(before: str, first: str) -> None:
    assert proposed(before)[0] == first


@pytest.mark.parametrize("before", ["xyzzy", '"to', "pending ", "tool == zzz", 'text ~ "to'])
def test_suggest_without_known_values_is_empty(before: str) -> None:
    assert proposed(before) == []


@given(st.text(max_size=30))
def test_suggest_accepts_any_prefix(before: str) -> None:
    assert 0 <= suggest(before, lambda name: ()).start <= len(before)
