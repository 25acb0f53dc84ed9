"""Filters parsed into trees; errors with their column."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.errors import FilterError
from inspector.filters.language.completion import describe
from inspector.filters.language.fields import BY_NAME, And, BareText, Compare, FieldScope, Has, Not, Op, Or, Ref, Value
from inspector.filters.language.parser import DEEPEST, LONGEST, TokenKind, parse, read, shorthand, span, tokens


def pieces(text: str) -> list[str]:
    return [token.text for token in tokens(text)[:-1]]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a==b", ["a", "==", "b"]),
        ("tools/call 2025-06-18 m:x", ["tools/call", "2025-06-18", "m:x"]),
        ("-kind:x -5 a-b", ["-", "kind:x", "-5", "a-b"]),
        ('a[0]["b c"]', ["a", "[", "0", "]", "[", "b c", "]"]),
        ("m ~ (a|b)) x", ["m", "~", "(a|b)", ")", "x"]),
        ('"\\d+ \\"q\\" \\u0041\\n"', ['\\d+ "q" A\n']),
        ("'it\"s'", ['it"s']),
        ("!a && b || c", ["!", "a", "&&", "b", "||", "c"]),
    ],
)
def test_text_falls_into_pieces(text: str, found: list[str]) -> None:
    assert pieces(text) == found


def test_tokens_have_columns() -> None:
    assert [(token.column, token.end) for token in tokens('ab  "c"')] == [(0, 2), (4, 7), (7, 7)]
    assert tokens("")[0].kind is TokenKind.END


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ('a == "b', 5, "missing closing"),
        ("a\x00b", 1, "control character"),
        ("\x1b[31m", 0, "control character"),
        ("x" * (LONGEST + 1), LONGEST, "too long"),
    ],
)
def test_token_error_has_a_column(text: str, column: int, said: str) -> None:
    with pytest.raises(FilterError, match=said) as caught:
        tokens(text)
    assert caught.value.column == column


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        columns = [token.column for token in tokens(text)]
    except FilterError as error:
        columns = [error.column]
    assert columns == sorted(columns)
    assert all(0 <= column <= len(text) for column in columns)


def test_or_binds_less_than_and_and_not_most() -> None:
    a, b, c = BareText("a"), BareText("b"), BareText("c")
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
    assert parse("req.id == 7") == Compare(Ref("id", (), FieldScope.REQUEST), Op.EQ, (7,))
    assert parse('any.http.header["MCP-Name"] == x') == Compare(
        Ref("http.header", ("mcp-name",), FieldScope.ANY), Op.EQ, ("x",)
    )


def test_a_set_holds_several() -> None:
    assert parse('tool in {a, "b c" d}') == Compare(Ref("tool"), Op.IN, ("a", "b c", "d"))


def test_nothing_is_no_filter() -> None:
    assert parse("") is None
    assert parse("  \t") is None


@pytest.mark.parametrize(
    ("text", "operator", "meant"),
    [
        ("tool = echo", "=", "=="),
        ("tool=echo", "=", "=="),
        ("dur => 3s", "=>", ">="),
        ("tool =~ x", "=~", "~"),
        ("tool <> x", "<>", "!="),
        ("tool like x", "like", "contains"),
        ("a AND b", "AND", "and"),
        ("tool == a & pending", "&", "and"),
    ],
)
def test_an_operator_of_another_language_is_rejected_with_the_one_to_use(text: str, operator: str, meant: str) -> None:
    with pytest.raises(FilterError) as caught:
        parse(text)
    assert str(caught.value) == f"unknown operator `{operator}`; did you mean `{meant}`?"
    assert caught.value.column == text.index(operator)


@pytest.mark.parametrize("text", ["like", "tool like", '"&"', "is eq", "mark is:error", "not not tool"])
def test_keyword_elsewhere_is_text(text: str) -> None:
    assert parse(text) is not None


def test_a_wrong_choice_names_the_nearest_one() -> None:
    for text, near in (("kind:requst", "request"), ("is:eror", "is:error"), ("status == pendng", "pending")):
        with pytest.raises(FilterError, match=f"did you mean `{near}`"):
            parse(text)


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("(a", 0, "unclosed `\\(`"),
        ("a)", 1, "unmatched `\\)`"),
        ("a and", 5, "expected a field or text"),
        ("== 3", 0, "expected a field or text"),
        ("tool ==", 7, "unexpected end of filter: expected a value"),
        ("tool == and", 11, ""),
        ("tol == 3", 0, "did you mean `tool`"),
        ("any.foo == 3", 0, "unknown field `any.foo`"),
        ("tool > 3", 5, "does not apply to tool"),
        ("dur ~ x", 4, "does not apply to dur"),
        ("pending == true", 8, "pending takes no value"),
        ("tool.x == 3", 0, "unknown field"),
        ("method[0] == x", 6, "method has no members"),
        ('method ~ "("', 9, "not a regular expression"),
        ('method ~ "(a{1000}){1000}"', 9, "too big"),
        ("tool in {", 8, "unclosed `{`"),
        ("tool in {}", 8, "empty set"),
        ("tool in x", 8, "expected a set"),
        ("params..x == 1", 0, "missing name"),
        ("params[x] == 1", 7, "expected an index"),
        ("http.header == x", 0, "missing header name"),
        ('""', 0, "empty text"),
        ("@slow", 0, "unknown named filter `@slow`"),
    ],
)
def test_parse_error_has_a_column(text: str, column: int, said: str) -> None:
    if not said:
        assert parse(text) is not None  # a keyword where a value is expected is a value
        return
    with pytest.raises(FilterError, match=said) as caught:
        parse(text)
    assert caught.value.column == column


def test_named_filter_is_expanded() -> None:
    named = {"slow": "dur > 1s", "bad": "@slow or is:error", "loop": "x or @loop", "wrong": "dur >", "empty": " "}
    assert describe(parse("@bad and tool", named=named)) == ("(dur > 1s or failed) and tool")
    for name, said in [("loop", "refers to itself"), ("wrong", "in `@wrong`"), ("empty", "is empty")]:
        with pytest.raises(FilterError, match=said):
            parse(f"@{name}", named=named)


def test_a_long_filter_is_read_and_a_deep_one_refused() -> None:
    long = " or ".join(f"tool == t{number}" for number in range(700))
    assert len(long) > 10_000
    assert isinstance(parse(long), Or)
    assert parse("(" * DEEPEST + "a" + ")" * DEEPEST) == BareText("a")
    assert parse("not " * 4001 + "a") == Not(BareText("a"))
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


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("m:tools/call", 'method contains "tools/call"'),
        ("t:search", 'tool contains "search"'),
        ('t:"a b"', 'tool contains "a b"'),
        ("-kind:notification", "not kind == notification"),
        (">500ms", "dur > 500ms"),
        (">10k", "size > 10k"),
        ("is:pending", "pending"),
        ("is:stderr", "kind == stderr"),
        ("is:error", "failed"),
        ("error", "failed"),
        ("not error", "not failed"),
        ('"error"', '"error"'),
        ("error.code", "error.code"),
        ("resp.error", "resp.error"),
        ("larger-than:10k", "size > 10k"),
        ("slower-than:2s", "dur > 2s"),
        ("error.code:-32602", "error.code == -32602"),
        ("status:late", "status == late"),
        ("foo bar", '"foo" and "bar"'),
    ],
)
def test_a_shorthand_is_expanded(short: str, full: str) -> None:
    assert describe(parse(short)) == full


def test_other_scheme_is_no_shorthand() -> None:
    assert shorthand("http") is None
    assert [describe(parse(text)) for text in ("http://x", "urn:isbn:1", "12:30")] == [
        '"http://x"',
        '"urn:isbn:1"',
        '"12:30"',
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tol:x", "did you mean `tool`"),
        ("is:purple", "unknown value `purple` of is:"),
        ("m:", "missing value"),
        (">5", "missing unit"),
        ("kind:purple", "unknown kind `purple`"),
    ],
)
def test_wrong_shorthand_is_refused(text: str, said: str) -> None:
    with pytest.raises(FilterError, match=said):
        parse(text)


TODAY = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("dur", "500ms", 500_000_000),
        ("dur", "1.5s", 1_500_000_000),
        ("dur", "2m", 120_000_000_000),
        ("dur", "3us", 3000),
        ("size", "200", 200),
        ("size", "10k", 10_000),
        ("size", "1.5MB", 1_500_000),
        ("size", "64KiB", 65_536),
        ("n", "1_000", 1000),
        ("progress", "0.5", 0.5),
        ("kind", "Error", "error"),
        ("status", '"tool error"', "tool-error"),
        ("id", "7", 7),
        ("id", '"7"', "7"),
        ("params", "true", True),
        ("params", "null", None),
        ("params", "1e3", 1000),
        ("params", "abc", "abc"),
        ("tool", "7", "7"),
        ("time", "12:30", 1_795_350_600_000_000_000),
        ("time", "2026-11-22T12:30:00.25", 1_795_350_600_250_000_000),
    ],
)
def test_a_value_is_read_as_its_field_has_it(field: str, text: str, value: Value) -> None:
    found = read(tokens(text)[0], BY_NAME[field], TODAY)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("dur", "5", "a time with its unit"),
        ("dur", "5k", "a time with its unit"),
        ("size", "5parsec", "a size"),
        ("n", "many", "a number"),
        ("kind", "foo", "unknown kind `foo`: expected one of request, notification"),
        ("time", "soon", "a time of day"),
        ("time", "25:61", "invalid time"),
        ("pending", "true", "takes no value"),
    ],
)
def test_wrong_value_is_refused(field: str, text: str, said: str) -> None:
    with pytest.raises(FilterError, match=said):
        read(tokens(text)[0], BY_NAME[field], TODAY)


def test_span_is_recognized_as_time() -> None:
    assert [span(text) for text in ("500ms", "2s", "10k", "5m", "x")] == [True, True, False, False, False]
