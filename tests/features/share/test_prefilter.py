"""What the sieve lets through is what the redactor leaves alone: it may keep back too much, and never too little."""

import base64
import json
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.capture.format.records import FrameRecord, HttpRecord, StderrRecord, from_line, to_line
from inspector.features.share.known import KnownSecrets, Pseudonyms, read_path
from inspector.features.share.redactor import RecordFilter, Redactor
from inspector.features.share.share import RecordRedactor
from inspector.protocol.facts import HttpEvent
from inspector.protocol.frames import Channel, Direction
from tests.features.share.planting import PLANTED

USERS, HOMES, PATHS = ("jürgen", "annelise"), ("/home/annelise", "/srv/jürgen"), (read_path("params.arguments.path"),)
_NAMES = (
    *("password", "api key", "apiKey", "Session ID", "token_type", "maxTokens", "x[token]", "pin", "key", "state"),
    *(
        "tokén",
        "to-ken",
        "author",
        "Authorization",
        "note",
        "value",
        "name",
        "headers",
        "code verifier",
        "\u2014secret",
    ),
)
_VALUES = (
    *(
        "hunter22",
        "ghp_0123456789abcdefABCDEF",
        "task-force-one-two-three",
        "Basic QWxhZGRpbjpvcGVu",
        "42",
        "plain word",
    ),
    *("https://a:b1@c.d/e", "a@b.c", "?code=abc12345", "&x=1", "/home/berta/x", "C:\\Users\\berta", "jürgen", "%41%42"),
    *(
        "structuredContent",
        "notifications/progress",
        "1//0abcdefghijklmnopqrstu",
        "--token abc12345",
        "ba\u017fic aaaa1111",
    ),
)
_WRITTEN = st.sampled_from(_NAMES) | st.sampled_from(_VALUES) | st.text(max_size=8)


@st.composite
def _texts(draw: st.DrawFn) -> str:
    """A text as captures have them: prose, pairs, JSON in JSON, base64, what a URL escapes."""
    name, value = draw(st.sampled_from(_NAMES)), draw(_WRITTEN)
    joint = draw(st.sampled_from([": ", "=", " => ", ":", " ", "\n", '": "']))
    text = draw(st.sampled_from([f"{name}{joint}{value}", json.dumps({name: value}), f"{value} {name}", value]))
    for _ in range(draw(st.integers(0, 2))):
        wrap = draw(st.integers(0, 5))
        if wrap == 0:
            text = json.dumps({"name": name, "value": text}, ensure_ascii=draw(st.booleans()))
        elif wrap == 1:
            text = base64.b64encode(text.encode("utf-8", "replace")).decode()
        elif wrap == 2:
            text = quote(text, safe="", errors="replace")
        elif wrap == 3:
            text = json.dumps([text, {"text": text}], ensure_ascii=draw(st.booleans()))
        elif wrap == 4:
            text = f"\n{text}\t{value}"
        else:
            text = text.replace("a", "\\u0061")
    return text


def _redactor() -> Redactor:
    return Redactor(Pseudonyms(b"key"), KnownSecrets(), paths=PATHS, users=USERS, homes=HOMES)


def _frame(text: str) -> FrameRecord:
    return FrameRecord(n=1, c="c1", dir=Direction.FROM_SERVER, ch=Channel.STDOUT, tm=1, origin="server", raw=text)


@settings(max_examples=80, deadline=None)
@given(st.lists(_texts(), min_size=1, max_size=4), st.booleans())
def test_nothing_would_be_replaced_in_a_line_that_is_let_through(texts: list[str], is_ascii: bool) -> None:
    sieve = RecordFilter(paths=PATHS, persons=(*USERS, *HOMES))
    records: list[FrameRecord | StderrRecord | HttpRecord] = [
        _frame(text.encode("utf-8", "replace").decode()) for text in texts
    ]
    records += [
        StderrRecord(c="c1", tm=1, raw=texts[0].encode("utf-8", "replace").decode()),
        HttpRecord(
            c="c1",
            tm=1,
            ex=1,
            ev=HttpEvent.REQUEST,
            headers=((texts[0].encode("utf-8", "replace").decode(), "x12345678"),),
        ),
    ]
    lines = [to_line(record).rstrip(b"\n") for record in records]
    if is_ascii:  # other programs spell a capture otherwise
        lines = [json.dumps(json.loads(line)).encode() for line in lines]
    suspects = sieve.suspects(lines)
    for at, line in enumerate(lines):
        if at not in suspects:
            record = from_line(line)
            assert isinstance(record, FrameRecord | StderrRecord | HttpRecord)
            redactor = _redactor()
            assert RecordRedactor(redactor).dated(record, record.n) == record
            assert not redactor.found


@pytest.mark.parametrize("place", sorted(set(PLANTED) - {"environment", "file", "late", "path", "user", "number"}))
def test_suspects_have_secrets_by_name_or_form(place: str) -> None:
    line = to_line(_frame(json.dumps({"result": {"password": PLANTED[place]}}))).rstrip(b"\n")
    assert RecordFilter().suspects([b"{}", line, b"{}"]) == [1]


def test_most_of_what_servers_say_is_let_through() -> None:
    told = [
        {"id": 1, "method": "tools/call", "params": {"name": "add", "_meta": {"progressToken": 7}}},
        {"method": "notifications/progress", "params": {"progressToken": 7, "progress": 1}},
        {"id": 1, "result": {"content": [{"type": "text", "text": "path: /tmp/a, a task-force, 5 tokens, ü"}]}},
        {"id": 2, "result": {"tools": [{"name": "t", "inputSchema": {"type": "object"}}], "nextCursor": "3"}},
    ]
    lines = [to_line(_frame(json.dumps(each, ensure_ascii=False))).rstrip(b"\n") for each in told * 50]
    assert RecordFilter(persons=("annelise",)).suspects(lines) == []


def test_short_base64_is_held_with_its_content() -> None:
    word = base64.b64encode(b"a harmless text").decode()
    sieve = RecordFilter()
    assert sieve.suspects([to_line(_frame(word)).rstrip(b"\n")]) == []
    assert sieve.held == {word.encode(): b"a harmless text"}
