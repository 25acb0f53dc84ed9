"""Every text of every record goes through the redactor: none is forgotten, also of fields that are new."""

from typing import Any, get_args

import msgspec
import pytest

from inspector.capture.records import Dated, GapRecord, Head, HttpRecord, to_line
from inspector.capture.sharing.copies import SHARED, Copyist
from inspector.capture.sharing.known import Known
from inspector.capture.sharing.pseudonyms import Pseudonyms
from inspector.capture.sharing.redactor import Redactor

SECRET = "a secret word 77"
ENUMS = {"dir": "s2c", "ch": "sse", "eol": "lf"}
EVENTS = {"conn": "open", "proc": "exit", "http": "request"}
TEXTS = (str, str | None)


def _known() -> Known:
    known = Known()
    known.add(SECRET, "secret:1")
    return known


def _copyist(known: Known) -> Copyist:
    redactor = Redactor(Pseudonyms(b"key"), known)
    redactor.activate(list(known))
    return Copyist(redactor)


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
