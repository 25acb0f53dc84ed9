"""What a call of the demo may tell its client, and when."""

from typing import Any

import pytest

from inspector.demo import eras
from inspector.demo.call import META, PARSE_ERROR, Call, Link, Options, Refusal, dump, parse
from inspector.demo.station import LOGBOOK, Change, Station


def a_call(sent: list[Any], era: eras.Era, **meta: Any) -> Call:
    async def keep(message: Any) -> None:
        sent.append(message)

    return Call(1, "tools/call", {"_meta": meta}, era, Link(keep), keep, Station(), Options())


async def test_progress_is_told_only_with_a_token() -> None:
    sent: list[Any] = []
    await a_call(sent, eras.NEWEST_LEGACY).progress(1, 2, "half")
    assert not sent
    await a_call(sent, eras.NEWEST_LEGACY, progressToken=7).progress(1, 2, "half")
    assert sent[0]["params"] == {"progressToken": 7, "progress": 1, "total": 2, "message": "half"}


async def test_progress_has_no_message_in_the_first_revision() -> None:
    sent: list[Any] = []
    await a_call(sent, eras.BEFORE_STREAMABLE_HTTP, progressToken="t").progress(1, message="half")
    assert sent[0]["params"] == {"progressToken": "t", "progress": 1}


async def test_a_stateless_request_sees_logs_only_if_it_asks() -> None:
    sent: list[Any] = []
    await a_call(sent, eras.NEWEST_MODERN).log("emergency", "fire")
    assert not sent
    asking = a_call(sent, eras.NEWEST_MODERN, **{META + "logLevel": "error"})
    await asking.log("warning", "smoke")
    await asking.log("error", "fire")
    assert [message["params"]["data"] for message in sent] == ["fire"]


async def test_a_connection_hears_of_lists_unasked_and_of_resources_it_watches() -> None:
    sent: list[Any] = []
    link = a_call(sent, eras.NEWEST_LEGACY).link
    await link.hear(Change("resource", LOGBOOK))
    await link.hear(Change("tools"))
    link.watched.add(LOGBOOK)
    await link.hear(Change("resource", LOGBOOK))
    assert [message["method"] for message in sent] == [
        "notifications/tools/list_changed",
        "notifications/resources/updated",
    ]


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe", b'{"a": NaN}', b"[" * 100_000, b"1" * 10_000])
def test_what_is_no_json_is_refused_whatever_is_wrong_with_it(data: bytes) -> None:
    with pytest.raises(Refusal) as refused:
        parse(data)
    assert refused.value.code == PARSE_ERROR


def test_a_message_is_one_line_even_with_half_a_character_in_it() -> None:
    assert dump({"a": "x\ny\ud800"}) == b'{"a":"x\\ny?"}'
