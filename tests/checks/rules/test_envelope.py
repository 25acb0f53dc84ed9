"""The envelope: what is no message, ids, batches, codes."""

import pytest

from inspector.checks.rules import envelope
from tests.checks.both import assert_both, checks_of, of_one
from tests.checks.talks import META, Cases, Talk, asked, told

_PING = b'{"jsonrpc":"2.0","id":2,"result":{}}'
CASES: Cases = {
    "E01": (lambda: Talk().frame(b'"hello"'), lambda: Talk().ask("ping").frame(_PING)),
    "E02": (
        lambda: Talk().ask("ping").frame(b'{"id":2,"result":{}}'),
        lambda: Talk().ask("ping").frame(_PING),
    ),
    "E03": (
        lambda: Talk().ask("ping").frame(b'{"jsonrpc":"2.0","id":2,"result":{},"error":{"code":1,"message":"x"}}'),
        lambda: Talk().ask("ping").frame(_PING),
    ),
    "E05": (lambda: Talk().ask("ping").error("1"), lambda: Talk().ask("ping").error(1)),
    "E06": (
        lambda: Talk().frame(b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}'),
        lambda: Talk().frame(b'{"jsonrpc":"2.0","id":"1.5","method":"ping"}'),
    ),
    "E07": (
        lambda: Talk().demand("ping", id_=5).demand("ping", id_=5),
        lambda: Talk().demand("ping", id_=5).demand("ping", id_="5"),
    ),
    "E08": (lambda: Talk().answer({}, 99), lambda: Talk().ask("ping").answer({})),
    "E27": (
        lambda: Talk().ask("ping").frame(b'{"jsonrpc":"2.0","id":2.0,"result":{}}'),
        lambda: Talk().ask("ping").frame(_PING),
    ),
    "E09": (
        lambda: Talk().ask("ping").answer({}).answer({}),
        lambda: Talk().ask("ping").answer({}).ask("ping").answer({}),
    ),
    "E10": (
        lambda: Talk().ask("ping").frame(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"x"}}'),
        lambda: Talk().ask("ping").frame(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}'),
    ),
    "E11": (
        lambda: Talk().demand("notifications/message", {"level": "info", "data": 1}),
        told("notifications/message", {"level": "info", "data": 1}),
    ),
    "E13": (
        lambda: Talk(3).ask("ping").frame(b"[" + _PING + b"]"),
        lambda: Talk(2).ask("ping").frame(b"[" + _PING + b"]"),
    ),
    "E14": (
        lambda: Talk(1).ask("ping").frame(b"[" + _PING + b"]"),
        lambda: Talk(1).ask("ping").frame(_PING),
    ),
    "E15": (lambda: Talk(client={}).demand("roots/list"), lambda: Talk().demand("roots/list")),
    "E16": (lambda: Talk(5).demand("ping"), lambda: Talk(4).demand("ping")),
    "E17": (told("notifications/nonsense"), told("notifications/tools/list_changed")),
    "E18": (asked("ping", {"_meta": {"-x": 1}}), asked("ping", {"_meta": {"com.example/x-1": 1}})),
    "E20": (lambda: Talk(5).ask("tools/list").error(-32050), lambda: Talk(4).ask("tools/list").error(-32050)),
    "E21": (lambda: Talk(5).ask("resources/read").error(-32002), lambda: Talk(4).ask("resources/read").error(-32002)),
    "E22": (lambda: Talk(5).ask("tools/list").error(-32001), lambda: Talk(5).ask("tools/list").error(-31999)),
    "E24": (
        asked("tools/list", {"tools": [], "_meta": {"traceparent": "00-1-2-3"}}, 5),
        asked("tools/list", {"tools": [], "_meta": {"traceparent": f"00-{'a' * 32}-{'b' * 16}-01"}}, 5),
    ),
}


def test_each_check_has_a_fault_and_a_near_miss() -> None:
    assert set(CASES) == checks_of(envelope)


@pytest.mark.parametrize("id_", CASES)
def test_the_fault_is_found_and_the_near_miss_is_not(id_: str) -> None:
    assert_both(CASES, id_)


def test_an_id_in_another_spelling_is_reported_once_and_nothing_else_is() -> None:
    talk = Talk().ask("ping").frame(b'{"jsonrpc":"2.0","result":{},"id":2e0}')
    talk = talk.ask("ping").frame(b'{"jsonrpc":"2.0","result":{},"id":3.0}')
    found = talk.findings()
    assert [each.id for each in found] == ["E27"]
    assert "the id 2e0 and the request had 2" in found[0].sentence


def test_an_id_of_another_type_is_told_once() -> None:
    found = {each.id for each in Talk().ask("ping").answer({}, "2").findings()}
    assert "L-01" in found
    assert "E08" not in found


def test_what_an_older_server_answers_to_a_probe_is_not_judged_by_the_newer_revision() -> None:
    meta = {META + "protocolVersion": "x", META + "clientCapabilities": {}}
    talk = Talk(4, opened=False).ask("server/discover", {"_meta": meta}).error(-32000)
    assert not talk.findings()


def test_a_reserved_prefix_with_an_unknown_name_is_a_hint() -> None:
    def found(key: str) -> list[str]:
        return [each.severity for each in of_one(asked("ping", {"_meta": {key: 1}})().findings(), "E18")]

    assert found(META + "news") == ["hint"]
    assert found("tools.mcp.com/a") == ["hint"]
    assert found(META + "related-task") == found("com.example.mcp/a") == found("com.mcpish/a") == []
