"""The normal form reads back to the same filter, whatever it holds."""

from hypothesis import given
from hypothesis import strategies as st

from inspector.capture.filters.normal import describe, path_text, quoted
from inspector.capture.filters.parse import parse
from inspector.capture.filters.terms import Compare, Has, Op, Ref, Scope, Term, Words, all_of, any_of, opposite

_TEXTS = st.text(min_size=1, max_size=8)
_STEPS = st.one_of(_TEXTS, st.integers(-3, 99), st.none())
_SCOPES = st.sampled_from(Scope)
_VALUES = st.one_of(_TEXTS, st.integers(-(10**9), 10**9), st.booleans(), st.none())
_PATHS = st.builds(Ref, st.sampled_from(("params", "args", "result")), st.tuples(_STEPS, _STEPS), _SCOPES)
_LEAVES: st.SearchStrategy[Term] = st.one_of(
    st.builds(Words, _TEXTS),
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


def test_it_is_written_as_a_person_would() -> None:
    text = 'not (tool == "a" or dur >= 90s) and args.q[0]["b c"] in {1, "x"} and any.pending'
    assert describe(parse(text)) == text.replace("90s", "90s")
    assert describe(None) == ""
    assert path_text(Ref("params", ("a", None))) == "params.a[*]"
    assert quoted('\x1b"\\') == '"\\u001b\\"\\\\"'
