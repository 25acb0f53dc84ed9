"""JSON as lines, read from bytes."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.present.json_text import LINE_LIMIT, JsonLines, ScanError, dotted, json_path, line_of, pointer, scan
from inspector.present.spans import Span

SAMPLE = (
    b'{"jsonrpc":"2.0","id":7,"params":{"name":"search","arguments":{"q":"x\\n\\u00e9","items":[1,[2.50,-3e2],'
    b'{"deep key":true}],"none":null,"empty":{}}}}'
)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=25,
)


def plain(spans: list[Span]) -> str:
    return "".join(text for text, _ in spans)


def shown(lines: JsonLines) -> list[str]:
    return [plain(lines.line(index)) for index in range(lines.count)]


def at(lines: JsonLines, part: str) -> int:
    return next(index for index, line in enumerate(shown(lines)) if part in line)


def test_json_is_indented_and_otherwise_as_it_came() -> None:
    lines = JsonLines(SAMPLE)
    assert lines.problem == ""
    assert shown(lines)[:8] == [
        "{",
        '  "jsonrpc": "2.0",',
        '  "id": 7,',
        '  "params": {',
        '    "name": "search",',
        '    "arguments": {',
        '      "q": "x\\n\\u00e9",',
        '      "items": [',
    ]
    assert "          2.50," in shown(lines)
    assert "          -3e2" in shown(lines)


def test_each_part_of_a_line_has_its_meaning() -> None:
    lines = JsonLines(b'{"a": "b: c", "n": -1.5, "t": true, "z": null, "o": {}, "l": [[], 1]}')
    roles = [[(text, role) for text, role in lines.line(index) if text.strip()] for index in range(lines.count)]
    assert roles[0] == [("{", "punctuation")]
    assert roles[1] == [('"a"', "key"), (": ", "punctuation"), ('"b: c"', "string"), (",", "punctuation")]
    assert roles[2][2] == ("-1.5", "number")
    assert roles[3][2] == ("true", "literal")
    assert roles[4][2] == ("null", "literal")
    assert roles[5][2] == ("{}", "punctuation")
    assert roles[7] == [("[]", "punctuation"), (",", "punctuation")]
    assert roles[8] == [("1", "number")]


@pytest.mark.parametrize(
    "raw", [b"Starting server\nready [31m\x1b[0m\n", b"{not json}", b"[1,", b"[" * 100_000 + b"]" * 100_000]
)
def test_invalid_json_is_shown_as_received_with_a_problem(raw: bytes) -> None:
    lines = JsonLines(raw)
    assert lines.problem.endswith(".")
    assert lines.count == raw.count(b"\n") + 1
    assert all(role in {"foreign", "muted"} for index in range(lines.count) for _, role in lines.line(index))
    assert all(plain(lines.line(index)).isprintable() for index in range(lines.count))
    assert lines.path(0) == ""
    assert lines.fold_partner(0) is None


def test_an_empty_payload_has_no_line() -> None:
    assert JsonLines(b"").count == 0
    assert JsonLines(b"").find("x") is None


def test_foreign_bytes_and_signs_are_made_visible() -> None:
    lines = JsonLines(b'{"\xff\xe2\x80\xaekey": "\xc2\x9b\xf3\xa0\x81\x81"}')
    assert plain(lines.line(1)) == '  "‹xFF›‹U+202E›key": "‹U+009B›‹U+E0041›"'


def test_a_long_string_shows_its_beginning_and_its_size() -> None:
    lines = JsonLines(b'{"blob": "' + "é".encode() * 600_000 + b'", "x": 1}')
    text = plain(lines.line(1))
    assert text.startswith('  "blob": "éé')
    assert text.endswith("é… 1.2 MB")
    assert len(text) < LINE_LIMIT
    assert lines.long(1)
    assert not lines.long(2)
    assert len(plain(lines.line(1, limit=64_000))) > 31_000


def test_a_value_and_its_end_are_partners() -> None:
    lines = JsonLines(SAMPLE)
    for part in ('"params": {', '"items": [', "        ["):
        first = at(lines, part)
        last = lines.fold_partner(first)
        assert last is not None
        assert lines.fold_partner(last) == first
        assert lines.depth(last) == lines.depth(first)
    assert lines.fold_partner(0) == lines.count - 1
    assert lines.fold_partner(lines.count - 1) == 0
    assert lines.fold_partner(1) is None
    assert lines.fold_partner(at(lines, "{}")) is None


@pytest.mark.parametrize(
    ("part", "path"),
    [
        ('"id": 7', "id"),
        ('"q"', "params.arguments.q"),
        ("1,", "params.arguments.items[0]"),
        ("-3e2", "params.arguments.items[1][1]"),
        ('"deep key"', 'params.arguments.items[2]["deep key"]'),
        ("null", "params.arguments.none"),
    ],
)
def test_a_line_knows_its_path(part: str, path: str) -> None:
    lines = JsonLines(SAMPLE)
    assert lines.path(at(lines, part)) == path


def test_the_end_of_a_value_has_the_path_of_its_beginning() -> None:
    lines = JsonLines(SAMPLE)
    first = at(lines, '"items": [')
    last = lines.fold_partner(first)
    assert last is not None
    assert lines.path(last) == "params.arguments.items"
    assert lines.path(0) == lines.path(lines.count - 1) == ""


def paths(value: Any, path: str = "") -> list[str]:
    """The paths of all lines of an indented value, by a way of their own."""
    if isinstance(value, dict) and value:
        inside = [step for key, each in value.items() for step in paths(each, f"{path}.{key}")]
        return [path, *inside, path]
    if isinstance(value, list) and value:
        inside = [step for index, each in enumerate(value) for step in paths(each, f"{path}[{index}]")]
        return [path, *inside, path]
    return [path]


@given(JSON.filter(lambda value: isinstance(value, dict | list)), st.randoms())
def test_paths_and_partners_hold_for_any_json_in_any_order(value: Any, random: Any) -> None:
    named = json.loads(
        json.dumps(value), object_pairs_hook=lambda pairs: {f"k{n}": v for n, (_, v) in enumerate(pairs)}
    )
    lines = JsonLines(json.dumps(named).encode())
    expected = [path.removeprefix(".") for path in paths(named)]
    assert lines.count == len(expected)
    order = list(range(lines.count))
    random.shuffle(order)
    for index in order:
        assert lines.path(index) == expected[index]
        partner = lines.fold_partner(index)
        assert partner is None or lines.fold_partner(partner) == index


def test_a_value_is_given_without_its_key_and_comma() -> None:
    lines = JsonLines(SAMPLE)
    assert lines.value(at(lines, '"id"')) == b"7"
    assert lines.value(at(lines, '"q"')) == b'"x\\n\\u00e9"'
    assert json.loads(lines.value(at(lines, '"items"'))) == [1, [2.5, -300.0], {"deep key": True}]
    assert lines.value(lines.count - 1) == lines.value(0)
    assert json.loads(lines.value(0)) == json.loads(SAMPLE)
    assert JsonLines(b"log line,").value(0) == b"log line,"


def test_a_search_goes_on_from_where_it_is_and_around_the_end() -> None:
    lines = JsonLines(b'["needle", "hay", "Needle", "hay"]')
    assert [lines.find("needle", start) for start in (0, 1, 2, 3, 4)] == [1, 1, 3, 3, 1]
    assert [lines.find("needle", start, backwards=True) for start in (4, 3, 2, 0)] == [3, 3, 1, 3]
    assert lines.find("Needle") == 3
    assert lines.find("absent") is None
    assert lines.find("") is None
    assert lines.matches("needle") == 2
    assert lines.matches("hay", limit=1) == 1
    assert lines.matches("") == 0


def test_a_letter_that_is_written_as_an_escape_is_found() -> None:
    for raw in (b'["caf\\u00e9"]', b'["caf\\u00E9"]', '["café"]'.encode()):
        assert JsonLines(raw).find("café") == 1
    assert JsonLines(rb'["\ud83d\ude00"]').find("😀") == 1
    assert JsonLines(rb'["say \"hi\""]').find('"hi"') == 1
    assert JsonLines(b'["a.b"]').find("a?b") is None


def test_nesting_that_would_fill_the_memory_stays_as_it_came() -> None:
    raw = b"[" + b",".join([b"[" * 900 + b"]" * 900] * 1_000) + b"]"
    lines = JsonLines(raw)
    assert "deeply" in lines.problem
    assert lines.count == 1


def test_brackets_inside_strings_are_no_nesting() -> None:
    assert JsonLines(b'["' + b"[" * 200_000 + b'"]').count == 3


JSON_SCAN_JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=25,
)


@given(JSON_SCAN_JSON, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_scan_keeps_every_value(value: Any, indent: Any, ascii_only: bool) -> None:
    raw = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode(errors="surrogatepass")
    text = scan(raw).text
    before, after = (json.loads(each.decode(errors="surrogatepass")) for each in (raw, text))
    assert repr(after) == repr(before)


@given(JSON_SCAN_JSON.filter(lambda value: "NaN" not in json.dumps(value) and "Infinity" not in json.dumps(value)))
def test_scan_indents_as_msgspec(value: Any) -> None:
    raw = json.dumps(value).encode()
    try:
        fast = msgspec.json.format(raw, indent=2)
    except msgspec.MsgspecError:  # halves of surrogate pairs
        return
    assert scan(raw).text == fast


@given(st.binary(max_size=40) | st.text(alphabet='{}[]",:01 truefalsn\\', max_size=40).map(str.encode))
def test_scan_without_note_accepts_json_only(raw: bytes) -> None:
    try:
        msgspec.json.format(raw)
        is_json = True
    except msgspec.MsgspecError:
        is_json = False
    try:
        found = scan(raw)
    except ScanError:
        assert not is_json
    else:
        assert is_json or found.notes


@pytest.mark.parametrize(
    ("raw", "note"),
    [
        (b'{"a": NaN, "b": [Infinity, -Infinity]}', "NaN"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        (b'["\\ud800"]', "surrogate"),
        (b'["\\udc00x"]', "surrogate"),
        (b'["a\tb"]', "control characters"),
        (b'["\\q"]', "escape"),
    ],
)
def test_tolerated_deviation_has_a_note(raw: bytes, note: str) -> None:
    assert any(note in told for told in scan(raw).notes)


def test_a_whole_surrogate_pair_is_nothing_to_tell_of() -> None:
    assert scan(b'["\\ud83d\\ude00"]').notes == ()


def test_keys_that_are_there_twice_stay_twice() -> None:
    assert scan(b'{"a":1,"a":2}').text == b'{\n  "a": 1,\n  "a": 2\n}'


def test_two_thousand_levels_are_walked_through() -> None:
    text = scan(b"[" * 2000 + b"]" * 2000).text
    assert text.count(b"\n") == 2 * 1999
    with pytest.raises(ScanError, match="deeper"):
        scan(b"[" * 3000 + b"]" * 3000)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"[1,", "ends at byte 3"),
        (b"[1,]", "a value at byte 3"),
        (b'{"a" 1}', "a colon at byte 5"),
        (b"{1:2}", "a key or } at byte 1"),
        (b"[1 2]", "a comma, } or ] at byte 3"),
        (b"[1]x", "extra data at byte 3"),
        (b'["abc', "unterminated string at byte 1"),
        (b'["a\nb"]', "unterminated string"),
        (b"hello", "a value at byte 0"),
        (b"", "ends at byte 0"),
    ],
)
def test_scan_error_has_its_place(raw: bytes, words: str) -> None:
    with pytest.raises(ScanError) as refused:
        scan(raw)
    assert words in str(refused.value)


JSON_PLACES_SAMPLE = JsonLines(b'{"a": [1, {"b c": {"d-e": 2, "x/y~z": 3, "\\u00e9\\u202e": 4, "a": 1, "a": 2}}]}')


def line(part: str) -> int:
    found = JSON_PLACES_SAMPLE.find(part)
    assert found is not None
    return found


def test_a_place_is_written_in_three_ways() -> None:
    steps = JSON_PLACES_SAMPLE.places.steps(line('"d-e"'))
    assert steps == ("a", 1, "b c", "d-e")
    assert dotted(steps) == 'a[1]["b c"].d-e'
    assert json_path(steps) == '$.a[1]["b c"]["d-e"]'
    assert pointer(steps) == "/a/1/b c/d-e"


def test_signs_that_pointers_are_made_of_are_escaped() -> None:
    assert pointer(JSON_PLACES_SAMPLE.places.steps(line('"x/y~z"'))).endswith("/x~1y~0z")


def test_escapes_of_a_key_are_read_in_a_pointer_and_made_visible() -> None:
    assert pointer(JSON_PLACES_SAMPLE.places.steps(line("u202e"))).endswith("/é‹U+202E›")


def test_the_outside_has_no_steps() -> None:
    assert JSON_PLACES_SAMPLE.places.steps(0) == ()
    assert (dotted(()), json_path(()), pointer(())) == ("", "$", "")


def follow(value: Any, steps: tuple[str | int, ...]) -> Any:
    for step in steps:
        value = value[step if isinstance(step, int) else json.loads(f'"{step}"')]
    return value


@given(JSON_SCAN_JSON)
def test_the_steps_lead_to_the_value_of_the_line(value: Any) -> None:
    raw = json.dumps(value).encode()
    lines = JsonLines(raw)
    if lines.problem:
        return
    for index in range(lines.count):
        assert repr(follow(json.loads(raw), lines.places.steps(index))) == repr(json.loads(lines.value(index)))


@given(JSON_SCAN_JSON)
def test_items_are_counted_as_the_parser_counts_them(value: Any) -> None:
    lines = JsonLines(json.dumps(value).encode())
    if lines.problem:
        return
    for index in range(lines.count):
        last = lines.fold_partner(index)
        if last is not None and last > index:
            assert lines.places.items(index, last) == len(json.loads(lines.value(index)))


_PAYLOAD = b'{"a":[1,{"b/c":{"~":[]}},[[],[3]]],"\\u0061b":{"x":1,"x]":"]"},"":0}'


@pytest.mark.parametrize(
    ("wanted", "value"),
    [
        ("", None),
        ("/a", None),
        ("/a/0", b"1"),
        ("/a/1/b~1c/~0", b"[]"),
        ("/a/2/1/0", b"3"),
        ("/ab/x]", b'"]"'),
        ("/", b"0"),
    ],
)
def test_a_pointer_leads_to_its_value(wanted: str, value: bytes | None) -> None:
    lines = JsonLines(_PAYLOAD)
    line = line_of(lines, wanted)
    assert pointer(lines.places.steps(line)) == wanted
    assert value is None or lines.value(line) == value


@pytest.mark.parametrize(
    ("wanted", "reached"), [("/a/9", "/a"), ("/a/x/y", "/a"), ("/nothing", ""), ("/a/0/b", "/a/0")]
)
def test_a_pointer_out_of_the_payload_leads_as_far_as_it_goes(wanted: str, reached: str) -> None:
    lines = JsonLines(_PAYLOAD)
    assert pointer(lines.places.steps(line_of(lines, wanted))) == reached


@pytest.mark.parametrize("payload", [b"", b"not JSON", b"7", b"[]"])
def test_line_of_an_unknown_pointer_is_the_first(payload: bytes) -> None:
    assert line_of(JsonLines(payload), "/a/0") == 0


_JSON = st.recursive(
    st.none() | st.integers() | st.text(st.characters(codec="utf-8"), max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text('ab/~]}" ', max_size=3), inner, max_size=4),
    max_leaves=20,
)


@given(_JSON)
def test_every_line_s_pointer_leads_back_to_it(value: object) -> None:
    lines = JsonLines(json.dumps(value).encode())
    for line in range(lines.count):
        if not lines.closes(line):
            assert line_of(lines, pointer(lines.places.steps(line))) == line
