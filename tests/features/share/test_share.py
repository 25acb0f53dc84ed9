"""Shared copies: every text of every record passes the redactor, also in fields that are new."""

import base64
import json
import os
import re
import stat
import tracemalloc
from pathlib import Path
from typing import Any, get_args
from urllib.parse import unquote

import msgspec
import pytest

from inspector.capture.format.file import CaptureFile, create
from inspector.capture.format.notes import Mark, Notes, NotesFile, View
from inspector.capture.format.records import (
    Dated,
    FrameRecord,
    GapRecord,
    Head,
    HttpRecord,
    RedactRecord,
    from_line,
    to_line,
)
from inspector.capture.format.verify import CaptureState, verify
from inspector.capture.store.load import load
from inspector.errors import UsageError
from inspector.features.share.known import KnownSecrets, Pseudonyms, read_path
from inspector.features.share.redactor import Redactor
from inspector.features.share.share import (
    SHARED,
    RecordRedactor,
    ShareRequest,
    ShareResult,
    Sharing,
    copied_notes,
    keep_notes,
)
from inspector.protocol.facts import Stderr
from inspector.protocol.frames import Frame
from tests.capture.recording import FACTS, HEAD, came, over, sent
from tests.entries import kept, whats
from tests.features.share.planting import GIVEN, NAMED, PLANTED, planted

SECRET = "a secret word 77"
ENUMS = {"dir": "s2c", "ch": "sse", "eol": "lf"}
EVENTS = {"conn": "open", "proc": "exit", "http": "request"}
TEXTS = (str, str | None)


def _known() -> KnownSecrets:
    known = KnownSecrets()
    known.add(SECRET, "secret:1")
    return known


def _copyist(known: KnownSecrets) -> RecordRedactor:
    redactor = Redactor(Pseudonyms(b"key"), known)
    redactor.activate(list(known))
    return RecordRedactor(redactor)


def _full(kind: Any) -> Any:
    """A record with the secret in each field that takes a text."""
    info = msgspec.inspect.type_info(kind)
    assert isinstance(info, msgspec.inspect.StructType)
    values = {field.name: _value(field.type) for field in info.fields}
    values |= {name: value for name, value in ENUMS.items() if name in values}
    if "ev" in values:
        values["ev"] = EVENTS[str(kind.__struct_config__.tag)]
    values.pop("b64", None)
    return msgspec.convert(
        {"r": kind.__struct_config__.tag} | {name: value for name, value in values.items() if value is not None}, kind
    )


def _value(told: Any) -> Any:
    i = msgspec.inspect
    match told:
        case i.StrType():
            return SECRET
        case i.IntType():
            return 7
        case i.FloatType():
            return 7.5
        case i.BoolType():
            return True
        case i.StructType():
            return {field.name: _value(field.type) for field in told.fields}
        case i.VarTupleType():
            return [_value(told.item_type)]
        case i.TupleType():
            return [_value(each) for each in told.item_types]
        case i.UnionType():
            return next((value for each in told.types if (value := _value(each)) is not None), None)
        case _:
            return None


@pytest.mark.parametrize("kind", [*get_args(Dated), Head, GapRecord], ids=lambda kind: kind.__name__)
def test_no_text_of_a_record_goes_past(kind: Any) -> None:
    known = _known()
    record, copyist = _full(kind), _copyist(known)
    assert to_line(record).count(SECRET.encode()) >= 2, "it was filled"
    if isinstance(record, Head):
        copy: Any = copyist.head(record)
        assert copy.redaction == SHARED
    else:
        copy = copyist.gap(record) if isinstance(record, GapRecord) else copyist.dated(record, 3)
    left = known.survivor(to_line(msgspec.structs.replace(copy, format="") if isinstance(copy, Head) else copy))
    assert left is None


def test_headers_keep_their_schemes_and_cookies_their_names() -> None:
    headers = (
        ("authorization", "Bearer abc"),
        ("Set-Cookie", "sid=abc; Path=/; HttpOnly"),
        ("X-Api-Key", "abc"),
        ("Accept", "text/html"),
        ("Authorization", "Bearer •••••• (40 characters)"),
    )
    record = HttpRecord(n=1, tm=1, ex=1, ev="request", headers=headers)  # type: ignore[arg-type]  # a name will do
    copy = _copyist(_known()).dated(record, 1)
    assert isinstance(copy, HttpRecord)
    name = Pseudonyms(b"key").text("abc")
    assert [value for _, value in copy.headers] == [
        f"Bearer {name}",
        f"sid={name}; Path=/; HttpOnly",
        name,
        "text/html",
        "Bearer •••••• (40 characters)",
    ]


def test_notes_are_copied_without_secrets(tmp_path: Path) -> None:
    one, two = tmp_path / "one.mcpcap", tmp_path / "two.mcpcap"
    kept = Notes({3: Mark(3, "red", "password=hunter22")}, (View("v", "text ~ 'token=abcdef'"),), 2, "by hand")
    NotesFile(one, "id").change(lambda _: kept)
    notes = copied_notes(one, "id", Redactor(Pseudonyms(b"key"), KnownSecrets()))
    keep_notes(notes, two, "id")
    read = NotesFile(two, "id").read()
    assert (read.marks[3].color, read.reference, read.remark, read.views[0].name) == ("red", 2, "by hand", "v")
    assert read.marks[3].text.startswith("password=rdct_")
    assert "abcdef" not in read.views[0].filter


WISH = ShareRequest(
    b"a key of some bytes",
    ((GIVEN["LIGHTHOUSE_KEY"], "env:LIGHTHOUSE_KEY"), (GIVEN["DATABASE"], "env:DATABASE"), (NAMED, "secret:1")),
    (read_path("params.arguments.path"),),
    ("annelise",),
    ("/home/annelise",),
)


def shared(path: Path, out: Path, wish: ShareRequest = WISH, *, overwrite: bool = False) -> ShareResult:
    sharing = Sharing(path, wish)
    try:
        sharing.learn()
        return sharing.write(out, overwrite=overwrite)
    finally:
        sharing.close()


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("shared")
    shared(planted(directory / "planted.mcpcap"), directory / "copy.mcpcap")
    return directory / "copy.mcpcap"


def _readings(data: str, depth: int = 0) -> list[str]:
    """The text, and what it holds when it is unescaped, unquoted and decoded, again and again."""
    found = [data]
    if depth < 4:
        if "\\" in data:
            unescaped = re.sub(r"\\u00([0-9a-fA-F]{2})", lambda hit: chr(int(hit[1], 16)), data)
            found += _readings(re.sub(r"\\(.)", r"\1", unescaped), depth + 1)
        if "%" in data:
            found += _readings(unquote(data), depth + 1)
        for run in re.findall(r"[A-Za-z0-9+/_-]{12,}", data):
            whole = run[: len(run) // 4 * 4].replace("-", "+").replace("_", "/")
            held = base64.b64decode(whole).decode("latin-1")
            found += _readings(held, depth + 1) if held.isascii() else [held]
        found += [bytes.fromhex(run).decode("latin-1") for run in re.findall(r"(?:[0-9a-f]{2}){8,}", data)]
    return found


@pytest.mark.parametrize("place", PLANTED)
def test_a_planted_secret_is_not_in_the_copy(copy: Path, place: str) -> None:
    original = copy.with_name("planted.mcpcap").read_text()
    readings = _readings(copy.read_text())
    secret = PLANTED[place]
    assert any(secret in reading for reading in _readings(original)), "it was planted"
    assert not [reading for reading in readings if secret in reading]


def test_the_copy_opens_with_every_entry(copy: Path) -> None:
    before, after = load(copy.with_name("planted.mcpcap")), load(copy)
    assert after.count == before.count
    assert after.notices == before.notices == ()
    kinds = [(before.store.kind(n), after.store.kind(n)) for n in range(1, after.count + 1)]
    assert all(one == other for one, other in kinds)


def test_share_keeps_harmless_entries_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "x.mcpcap"
    journal = over(CaptureFile(create(path), path))
    for fact in FACTS:
        journal.fact(fact)
    strange = [
        b'{"a":1E2, "a" : 1.0,"s":"\\u0061\\/", "maxTokens": 5, "progressToken":7}',
        b"\xff\x00",
        b"",
        b"Server up",
    ]
    for payload in strange:
        came(journal, payload)
    journal.close()
    done = shared(path, tmp_path / "y.mcpcap")
    assert done.replaced == 0
    found = whats(tmp_path / "y.mcpcap")
    assert found[: len(FACTS)] == list(FACTS)
    assert [what.payload for what in found if isinstance(what, Frame)] == strange


def test_equal_secrets_stay_equal_and_others_differ(copy: Path) -> None:
    marks: dict[str, set[str]] = {}
    for line in copy.read_bytes().splitlines():
        if isinstance(record := from_line(line), RedactRecord):
            marks.setdefault(record.path, set()).add(record.kh)
    late = next(mark for path, mark in marks.items() if path == "headers.X-Api-Key")
    assert late == marks["raw.params.v"]
    assert late.isdisjoint(marks["headers.Mcp-Session-Id"])


def test_a_value_keeps_its_type_and_the_class_of_its_length(tmp_path: Path) -> None:
    path = tmp_path / "x.mcpcap"
    journal = over(CaptureFile(create(path), path))
    sent(journal, b'{"params":{"password":"abc","secret":1234567,"token":true,"apiKey":null,"cookie":["ab",""]}}')
    journal.close()
    shared(path, tmp_path / "y.mcpcap")
    frames = [from_line(line) for line in (tmp_path / "y.mcpcap").read_bytes().splitlines()]
    (frame,) = [record for record in frames if isinstance(record, FrameRecord)]
    params = json.loads(frame.raw or "")["params"]
    assert re.fullmatch(r"rdct_[a-z2-7]{7}", params["password"])
    assert 10**7 <= params["secret"] < 10**8
    assert (params["token"], params["apiKey"], params["cookie"][1]) == (True, None, "")
    assert frame.len == len((frame.raw or "").encode())


def test_copy_is_marked_as_redacted(copy: Path) -> None:
    verdict = verify(copy)
    assert verdict.state is CaptureState.REDACTED
    assert verdict.covered == 0
    assert b'"sum"' not in copy.read_bytes()
    assert stat.S_IMODE(os.stat(copy).st_mode) == 0o600


def test_one_key_gives_one_copy_and_another_key_another(tmp_path: Path) -> None:
    path = planted(tmp_path / "x.mcpcap")
    for name, key in (("a", b"one"), ("b", b"one"), ("c", b"two")):
        shared(path, tmp_path / name, ShareRequest(key))
    a, b, c = ((tmp_path / name).read_bytes() for name in "abc")
    assert a == b != c


def test_a_copy_of_a_copy_keeps_the_pseudonyms_of_texts(copy: Path, tmp_path: Path) -> None:
    shared(copy, tmp_path / "again", ShareRequest(b"another key"))
    first, again = copy.read_bytes().splitlines(), (tmp_path / "again").read_bytes().splitlines()
    frames = [
        [line for line in lines if b'"r":"frame"' in line and b"auth_pin_secret" not in line]
        for lines in (first, again)
    ]
    assert frames[0] == frames[1]


def test_share_never_overwrites_the_original(tmp_path: Path) -> None:
    path = planted(tmp_path / "x.mcpcap")
    before = path.read_bytes()
    (tmp_path / "y").write_text("mine")
    with pytest.raises(UsageError, match="already exists"):
        shared(path, tmp_path / "y")
    assert (tmp_path / "y").read_text() == "mine"
    (tmp_path / "link").symlink_to(path)
    for out in (path, tmp_path / "link"):
        with pytest.raises(UsageError, match="is the original"):
            shared(path, out, overwrite=True)
    shared(path, tmp_path / "y", overwrite=True)
    assert path.read_bytes() == before
    assert sorted(each.name for each in tmp_path.iterdir() if each.name != "home") == ["link", "x.mcpcap", "y"]


def test_a_secret_that_is_left_is_refused_and_no_file_stays(tmp_path: Path) -> None:
    """The names of fields are no text that can be replaced, so a secret called like one is left."""
    path = planted(tmp_path / "x.mcpcap")
    with pytest.raises(UsageError, match="a secret would have been left in the copy, as it is, at byte"):
        shared(path, tmp_path / "y", ShareRequest(b"key", (("format", "secret:1"),)))
    assert [each.name for each in tmp_path.iterdir() if each.name != "home"] == ["x.mcpcap"]


@pytest.mark.parametrize("count", [7, 60])
def test_unreadable_lines_are_left_out_and_counted(tmp_path: Path, count: int) -> None:
    path = planted(tmp_path / "x.mcpcap")
    whole = path.read_bytes()
    path.write_bytes(whole[:-count] + b'\n{"r":"later","secret":1}\nrubbish\n{"r":"fra')
    done = shared(path, tmp_path / "y")
    assert done.left_out == {"unreadable": 2, "unknown": 1, "partial": 1}
    assert verify(tmp_path / "y").state is CaptureState.REDACTED
    assert HEAD.id.encode() in (tmp_path / "y").read_bytes()


def test_a_long_capture_takes_no_more_memory_than_a_short_one(tmp_path: Path) -> None:
    """The peak of what Python holds, for captures of 1.5 and of 5 MB."""
    peaks = []
    for count in (150, 500):
        path = tmp_path / f"{count}.mcpcap"
        journal = over(CaptureFile(create(path), path))
        for n in range(count):
            sent(journal, b'{"id":%d,"params":{"text":"%s","password":"value-%06d"}}' % (n, b"word " * 2000, n % 5))
        journal.close()
        tracemalloc.start()
        try:
            assert shared(path, tmp_path / f"{count}.out").replaced == count
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    assert peaks[1] < peaks[0] * 1.5


_KEY_LINES = (
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
    "MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu",
    "NMoSfm76oqFvAp8Gy0iz5sxjZmSnXyCdPEovGhLa0VzMaQ8s",
    "Qw==",
)
_GITHUB = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
_LATE = "kingfisher-4711-perch"


def _as_stderr(tmp_path: Path, lines: tuple[str, ...], *, late: str = "") -> str:
    """A server's stderr as a shared copy shows it; `late` is told as a password afterwards."""
    path = tmp_path / "x.mcpcap"
    journal = over(CaptureFile(create(path), path))
    for line in lines:
        journal.fact(Stderr(line.encode()))
    if late:
        sent(journal, json.dumps({"id": 1, "params": {"password": late}}).encode())
    journal.close()
    shared(path, tmp_path / "y.mcpcap", ShareRequest(b"a key of some bytes"))
    return "\n".join(line.payload.decode() for line in kept(tmp_path / "y.mcpcap", Stderr))


@pytest.mark.parametrize("prefix", ["", "[server] ", "2026-07-28 10:15:07 ERROR ", "  | "])
@pytest.mark.parametrize("kind", ["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"])
def test_a_private_key_over_many_lines_of_stderr_is_not_in_the_copy(tmp_path: Path, prefix: str, kind: str) -> None:
    key = (f"-----BEGIN {kind}-----", *_KEY_LINES, f"-----END {kind}-----")
    before, after = "listening on port 8080", "connected to database"
    said = _as_stderr(tmp_path, (before, *(prefix + line for line in key), after))
    assert not [line for line in _KEY_LINES if line in said]
    assert before in said
    assert after in said


def test_other_lines_may_come_between_those_of_a_key_and_its_end_may_be_missing(tmp_path: Path) -> None:
    lines = ["-----BEGIN PRIVATE KEY-----", *_KEY_LINES[:2], "GET /health 200 in 3 ms", _KEY_LINES[2]]
    said = _as_stderr(tmp_path, (*lines, *["worker is idle now"] * 60, "ThisIsNoPartOfAKeyAnyMoreAtAll"))
    assert not [line for line in _KEY_LINES if line in said]
    assert "GET /health 200" in said
    assert "ThisIsNoPartOfAKeyAnyMoreAtAll" in said


def test_a_sentence_about_a_begin_line_begins_no_key(tmp_path: Path) -> None:
    lines = ("it looks for -----BEGIN PRIVATE KEY----- and what follows", "npx @modelcontextprotocol/server-everything")
    assert _as_stderr(tmp_path, lines).split("\n")[1:] == [lines[1]]


@pytest.mark.parametrize("name", ["password=", "db_password =", "API_KEY:", "clientSecret: |", "Authorization: Bearer"])
@pytest.mark.parametrize("prefix", ["", "12:00:01 DEBUG "])
def test_a_value_on_the_line_after_its_name_is_not_in_the_copy(tmp_path: Path, name: str, prefix: str) -> None:
    said = _as_stderr(tmp_path, (f"{prefix}{name}", f"{prefix}  hunter2-9xy", "then it went on"))
    assert "hunter2" not in said
    assert "then it went on" in said


@pytest.mark.parametrize("at", [3, 20])
def test_the_second_half_of_a_wrapped_token_is_not_in_the_copy_whatever_follows(tmp_path: Path, at: int) -> None:
    said = _as_stderr(tmp_path, ("with " + _GITHUB[:at], _GITHUB[at:] + " and so on"))
    assert _GITHUB[at:] not in said
    assert "and so on" in said


@pytest.mark.parametrize("at", [10, 20, 30, 36])
@pytest.mark.parametrize("before", ["token: ", "cloning with ", "2026-07-28 10:00:00 using https://x.example/ and "])
def test_no_half_of_a_wrapped_token_is_in_the_copy(tmp_path: Path, at: int, before: str) -> None:
    said = _as_stderr(tmp_path, (before + _GITHUB[:at], _GITHUB[at:], "ready to serve"))
    assert _GITHUB[:at] not in said
    assert _GITHUB[at:] not in said
    assert "ready to serve" in said


def test_a_token_that_was_wrapped_twice_is_not_in_the_copy(tmp_path: Path) -> None:
    jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJrZWVwZXIiLCJpYXQiOjE1MTYyMzkwMjJ9.c2lnbmF0dXJlMTIzNDU2Nzg5MGFiY2RlZg"
    parts = ("Authorization: Bearer " + jwt[:30], jwt[30:60], jwt[60:])
    said = _as_stderr(tmp_path, (*parts, "done with it"))
    assert not [part for part in (jwt[:30], jwt[30:60], jwt[60:]) if part in said]
    assert "done with it" in said


def test_a_value_that_is_known_late_is_found_over_the_end_of_a_line(tmp_path: Path) -> None:
    said = _as_stderr(tmp_path, ("opening with " + _LATE[:11], _LATE[11:] + " as it was said"), late=_LATE)
    assert _LATE[:11] not in said
    assert _LATE[11:] not in said
    assert "as it was said" in said


def test_text_similar_to_a_known_secret_is_kept(tmp_path: Path) -> None:
    lines = (
        *("max_tokens=", "4096 of 8192 tokens used", "keyboard:", "qwertz2", "tokenizer: ", "cl100k_base"),
        *("password: ", "Server listening on http://127.0.0.1:8080/mcp", "please enter a token:", "user=bob7 host=db1"),
        *(
            "primaryKey:",
            "order_id2",
            f"token={_GITHUB}",
            "2026-07-28 12:00:00 INFO ready",
            f"token={_GITHUB}",
            "Listening",
        ),
    )
    said = _as_stderr(tmp_path, lines)
    kept = [line for line in lines if _GITHUB not in line]
    assert [line for line in kept if line not in said] == []


@pytest.mark.parametrize("prefix", ["", "2026-07-28 app-1 | "])
def test_a_text_of_many_lines_in_a_message_is_looked_at_in_the_same_way(tmp_path: Path, prefix: str) -> None:
    lines = ["-----BEGIN PRIVATE KEY-----", *_KEY_LINES, "-----END PRIVATE KEY-----", "password=", "hunter2-9xy"]
    lines += ["token " + _GITHUB[:25], _GITHUB[25:], "and on it goes"]
    path = tmp_path / "x.mcpcap"
    journal = over(CaptureFile(create(path), path))
    came(journal, json.dumps({"id": 1, "result": {"text": "\n".join(prefix + line for line in lines)}}).encode())
    for line in lines:
        came(journal, (prefix + line).encode())
        params = {"level": "info", "data": prefix + line}
        came(journal, json.dumps({"method": "notifications/message", "params": params}).encode())
    journal.close()
    shared(path, tmp_path / "y.mcpcap", ShareRequest(b"a key of some bytes"))
    copy = (tmp_path / "y.mcpcap").read_text()
    assert not [part for part in (*_KEY_LINES, "hunter2-9xy", _GITHUB[:25], _GITHUB[25:]) if part in copy]
    assert copy.count("and on it goes") == 3


def test_names_are_the_same_for_the_copy_as_for_the_capture(tmp_path: Path) -> None:
    named = {
        "HASURA_GRAPHQL_ADMIN_SECRET": "hasura-1x9",
        "MAXMIND_API_KEY": "maxmind-2x9",
        "issuerPrivateKey": "issuer-3x9",
        "accessTokens": "access-4x9",
        "AccessKey": "key-5x9",
        "X-SubscriptionKey": "sub-6x9",
        "X-Pat": "pat-7x9",
    }
    path = tmp_path / "x.mcpcap"
    journal = over(CaptureFile(create(path), path))
    sent(journal, json.dumps({"id": 1, "params": named}).encode())
    for name, value in named.items():
        journal.fact(Stderr(f"{name}={value}z and https://h/?{name}={value}y".encode()))
    for query in ("accesskey=acck-8x9", "%74oken=pct-9x9", "a=1&api%5Fkey=pct-0x9"):
        sent(journal, json.dumps({"id": 2, "params": {"url": f"https://h/mcp?{query}"}}).encode())
    journal.close()
    shared(path, tmp_path / "y.mcpcap", ShareRequest(b"a key of some bytes"))
    assert "x9" not in re.sub(r"rdct_[a-z2-7]+", "", (tmp_path / "y.mcpcap").read_text())
