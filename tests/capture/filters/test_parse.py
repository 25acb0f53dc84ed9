"""The grammar, and everything that is none of it: one sentence at a column, whatever was typed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.capture.filters.normal import describe
from inspector.capture.filters.parse import DEEPEST, parse
from inspector.capture.filters.terms import And, Compare, Has, Not, Op, Or, Ref, Scope, Words
from inspector.errors import FilterError


def test_or_binds_less_than_and_and_not_most() -> None:
    a, b, c = Words("a"), Words("b"), Words("c")
    assert parse("a or b and not c") == Or((a, And((b, Not(c)))))
    assert parse("(a or b) c") == And((Or((a, b)), c))
    assert parse("a && b || !c") == Or((And((a, b)), Not(c)))


def test_a_field_alone_asks_whether_it_is_there() -> None:
    assert parse("pending tool") == And((Has(Ref("pending")), Has(Ref("tool"))))


def test_a_path_leads_into_json() -> None:
    assert parse('args.a["b c"][0].d[*].e == 3') == Compare(Ref("args", ("a", "b c", 0, "d", None, "e")), Op.EQ, (3,))
    assert parse("error.message ~ x") == Compare(Ref("error", ("message",)), Op.MATCHES, ("x",))
    assert parse("error.code == 1") == Compare(Ref("error.code"), Op.EQ, (1,))


def test_a_scope_asks_another_message() -> None:
    assert parse("req.id == 7") == Compare(Ref("id", (), Scope.REQUEST), Op.EQ, (7,))
    assert parse('any.http.header["MCP-Name"] == x') == Compare(
        Ref("http.header", ("mcp-name",), Scope.ANY), Op.EQ, ("x",)
    )


def test_a_set_holds_several() -> None:
    assert parse('tool in {a, "b c" d}') == Compare(Ref("tool"), Op.IN, ("a", "b c", "d"))


def test_nothing_is_no_filter() -> None:
    assert parse("") is None
    assert parse("  \t") is None


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("(a", 0, "this bracket is not closed"),
        ("a)", 1, "this bracket closes nothing"),
        ("a and", 5, "a field or a text is expected"),
        ("== 3", 0, "a field or a text is expected"),
        ("tool ==", 7, "a value is expected"),
        ("tool == and", 11, ""),
        ("tol == 3", 0, "did you mean tool"),
        ("any.foo == 3", 0, "there is no field any.foo"),
        ("tool > 3", 5, "tool has no order"),
        ("dur ~ x", 4, "dur is no text"),
        ("pending == true", 8, "set or not"),
        ("tool.x == 3", 0, "there is no field"),
        ("method[0] == x", 6, "nothing inside"),
        ('method ~ "("', 9, "no regular expression"),
        ('method ~ "(a{1000}){1000}"', 9, "too big"),
        ("tool in {", 8, "this brace is not closed"),
        ("tool in {}", 8, "an empty set"),
        ("tool in x", 8, "a set in braces"),
        ("params..x == 1", 0, "a name is missing"),
        ("params[x] == 1", 7, "a position"),
        ("http.header == x", 0, "a header is named so"),
        ('""', 0, "an empty text"),
        ("@slow", 0, "no filter named @slow"),
    ],
)
def test_what_is_wrong_is_told_where_it_is(text: str, column: int, said: str) -> None:
    if not said:
        assert parse(text) is not None  # a keyword where a value is expected is a value
        return
    with pytest.raises(FilterError, match=said) as caught:
        parse(text)
    assert caught.value.column == column


def test_a_name_stands_for_its_filter() -> None:
    named = {"slow": "dur > 1s", "bad": "@slow or is:error", "loop": "x or @loop", "wrong": "dur >", "empty": " "}
    assert describe(parse("@bad and tool", named=named)) == ("(dur > 1s or failed) and tool")
    for name, said in [("loop", "leads back"), ("wrong", "in @wrong"), ("empty", "is empty")]:
        with pytest.raises(FilterError, match=said):
            parse(f"@{name}", named=named)


def test_a_long_filter_is_read_and_a_deep_one_refused() -> None:
    long = " or ".join(f"tool == t{number}" for number in range(700))
    assert len(long) > 10_000
    assert isinstance(parse(long), Or)
    assert parse("(" * DEEPEST + "a" + ")" * DEEPEST) == Words("a")
    assert parse("not " * 4001 + "a") == Not(Words("a"))
    with pytest.raises(FilterError, match="deep"):
        parse("(" * 9000)
    chain = {f"n{number}": f"(({'@n' + str(number + 1) if number < 200 else 'a'}))" for number in range(201)}
    with pytest.raises(FilterError, match="deep"):
        parse("@n0", named=chain)


_PIECES = st.sampled_from(
    (
        *("tool", "dur", "params.a", "any.", "@x", "==", "~", "in", "{", "}", "(", ")", "[", "]", "and", "or", "not"),
        *('"a"', "5ms", "-", ",", "contains", "is:", "m:x", ">", "!", "&&", "\x00", "é", "*", "'"),
    )
)


@given(st.one_of(st.text(max_size=40), st.lists(_PIECES, max_size=12).map(" ".join), st.lists(_PIECES).map("".join)))
def test_any_text_is_a_filter_or_has_one_thing_wrong(text: str) -> None:
    wrong: FilterError | None = None
    try:
        term = parse(text, named={"x": "tool"})
    except FilterError as error:
        wrong = error
    if wrong is None:
        assert parse(describe(term)) == term
    else:
        assert 0 <= wrong.column <= len(text)
        assert "\n" not in str(wrong)
