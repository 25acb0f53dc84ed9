"""The envelope: invalid messages, ids, batches, codes."""

from tests.checks.both import of_one
from tests.checks.talks import META, Cases, Talk, asked, told

_PING = b'{"jsonrpc":"2.0","id":2,"result":{}}'
CASES: Cases = {
    "invalid-json-rpc": (lambda: Talk().frame(b'"hello"'), lambda: Talk().ask("ping").frame(_PING)),
    "jsonrpc-member-invalid": (
        lambda: Talk().ask("ping").frame(b'{"id":2,"result":{}}'),
        lambda: Talk().ask("ping").frame(_PING),
    ),
    "result-and-error": (
        lambda: Talk().ask("ping").frame(b'{"jsonrpc":"2.0","id":2,"result":{},"error":{"code":1,"message":"x"}}'),
        lambda: Talk().ask("ping").frame(_PING),
    ),
    "error-object-invalid": (lambda: Talk().ask("ping").error("1"), lambda: Talk().ask("ping").error(1)),
    "request-id-invalid": (
        lambda: Talk().frame(b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}'),
        lambda: Talk().frame(b'{"jsonrpc":"2.0","id":"1.5","method":"ping"}'),
    ),
    "request-id-reused": (
        lambda: Talk().demand("ping", id_=5).demand("ping", id_=5),
        lambda: Talk().demand("ping", id_=5).demand("ping", id_="5"),
    ),
    "unexpected-response": (lambda: Talk().answer({}, 99), lambda: Talk().ask("ping").answer({})),
    "id-spelling-changed": (
        lambda: Talk().ask("ping").frame(b'{"jsonrpc":"2.0","id":2.0,"result":{}}'),
        lambda: Talk().ask("ping").frame(_PING),
    ),
    "duplicate-response": (
        lambda: Talk().ask("ping").answer({}).answer({}),
        lambda: Talk().ask("ping").answer({}).ask("ping").answer({}),
    ),
    "error-without-id": (
        lambda: Talk().ask("ping").frame(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"x"}}'),
        lambda: Talk().ask("ping").frame(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}'),
    ),
    "notification-with-id": (
        lambda: Talk().demand("notifications/message", {"level": "info", "data": 1}),
        told("notifications/message", {"level": "info", "data": 1}),
    ),
    "batch-unsupported": (
        lambda: Talk(3).ask("ping").frame(b"[" + _PING + b"]"),
        lambda: Talk(2).ask("ping").frame(b"[" + _PING + b"]"),
    ),
    "batch-not-specified": (
        lambda: Talk(1).ask("ping").frame(b"[" + _PING + b"]"),
        lambda: Talk(1).ask("ping").frame(_PING),
    ),
    "client-capability-not-declared": (
        lambda: Talk(client={}).demand("roots/list"),
        lambda: Talk().demand("roots/list"),
    ),
    "server-request-not-allowed": (lambda: Talk(5).demand("ping"), lambda: Talk(4).demand("ping")),
    "unknown-notification": (told("notifications/nonsense"), told("notifications/tools/list_changed")),
    "invalid-meta": (asked("ping", {"_meta": {"-x": 1}}), asked("ping", {"_meta": {"com.example/x-1": 1}})),
    "reserved-error-code": (
        lambda: Talk(5).ask("tools/list").error(-32050),
        lambda: Talk(4).ask("tools/list").error(-32050),
    ),
    "obsolete-error-code": (
        lambda: Talk(5).ask("resources/read").error(-32002),
        lambda: Talk(4).ask("resources/read").error(-32002),
    ),
    "undefined-error-code": (
        lambda: Talk(5).ask("tools/list").error(-32001),
        lambda: Talk(5).ask("tools/list").error(-31999),
    ),
    "invalid-trace-context": (
        asked("tools/list", {"tools": [], "_meta": {"traceparent": "00-1-2-3"}}, 5),
        asked("tools/list", {"tools": [], "_meta": {"traceparent": f"00-{'a' * 32}-{'b' * 16}-01"}}, 5),
    ),
}


def test_an_id_in_another_spelling_is_reported_once_and_nothing_else_is() -> None:
    talk = Talk().ask("ping").frame(b'{"jsonrpc":"2.0","result":{},"id":2e0}')
    talk = talk.ask("ping").frame(b'{"jsonrpc":"2.0","result":{},"id":3.0}')
    found = talk.findings()
    assert [each.id for each in found] == ["id-spelling-changed"]
    assert "the id 2e0, the request 2" in found[0].sentence


def test_error_without_id_when_a_notification_was_sent_over_http_advises_202() -> None:
    talk = Talk(1, transport="http").post().inform("notifications/initialized").head()
    talk.frame(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}')
    (found,) = of_one(talk.findings(), "error-without-id")
    assert found.sentence == "notifications/initialized was answered with an error: Method not found"
    assert found.fix == "Return HTTP 202 without a body: a notification has no response."


def test_id_type_changed_replaces_unexpected_response() -> None:
    found = {each.id for each in Talk().ask("ping").answer({}, "2").findings()}
    assert "id-type-changed" in found
    assert "unexpected-response" not in found


def test_legacy_response_to_discover_is_not_judged() -> None:
    meta = {META + "protocolVersion": "x", META + "clientCapabilities": {}}
    talk = Talk(4, opened=False).ask("server/discover", {"_meta": meta}).error(-32000)
    assert not talk.findings()


def test_a_reserved_prefix_with_an_unknown_name_is_a_hint() -> None:
    def found(key: str) -> list[str]:
        return [each.severity for each in of_one(asked("ping", {"_meta": {key: 1}})().findings(), "invalid-meta")]

    assert found(META + "news") == ["hint"]
    assert found("tools.mcp.com/a") == ["hint"]
    assert found("openai/toolInvocation/invoking") == []
    assert found(META + "related-task") == found("com.example.mcp/a") == found("com.mcpish/a") == []


def test_an_event_within_an_event_is_formatted_twice() -> None:
    posted = Talk(4, transport="http").post().ask("ping").head(200, "text/event-stream")
    (found,) = of_one(posted.event(b"event: message\n" + _PING).findings(), "invalid-json-rpc")
    assert "formatted twice" in found.sentence
