"""The client that the conformance suite runs: a scenario that the environment names, against servers of ours."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from inspector.cli.exit_status import ExitStatus
from inspector.errors import UsageError
from inspector.protocol.revisions._shape import Era
from inspector.protocol.server_requests import RequestKind
from inspector.transports.http.listener import HttpRequest
from tests.architecture.sources import ROOT
from tests.cli.running import MODERN
from tests.conformance import client
from tests.servers.http_fixtures import Handler, serving
from tests.servers.streams import LEGACY, legacy, modern, tools
from tests.session.talking import DISCOVERED, WISH, Server, options, reply, session
from tests.transports.memory import Peer


def asked(requests: Sequence[HttpRequest], method: str) -> list[Any]:
    bodies = [json.loads(each.body) for each in requests if each.method == "POST"]
    return [body["params"] for body in bodies if body["method"] == method]


@pytest.mark.parametrize(("server", "wire"), [(legacy, LEGACY), (modern, MODERN)])
async def test_the_scenario_is_played_at_the_wire_that_the_environment_names(
    server: Callable[[Any], Handler], wire: str
) -> None:
    async with serving(server(tools())) as site:
        await client.play(site.url, {client.SCENARIO: "tools_call", client.VERSION: wire})
    (call,) = asked(site.requests, "tools/call")
    assert call["arguments"] == {"a": 5, "b": 3}
    opening = "initialize" if wire == LEGACY else "server/discover"
    assert [json.loads(site.requests[0].body)["method"]] == [opening]


def test_a_server_that_is_not_there_is_a_failure_of_ours_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert client.main("http://127.0.0.1:9/mcp", {}) == ExitStatus.UNREACHABLE
    assert "refuses connections" in capsys.readouterr().err


def test_a_context_that_is_no_json_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert client.main("http://127.0.0.1:9/mcp", {client.CONTEXT: "{"}) == ExitStatus.USAGE
    assert "is no JSON" in capsys.readouterr().err


TOOLS = [
    {"name": "add_numbers", "inputSchema": {"type": "object", "properties": {"a": {"type": "number"}}}},
    {"name": "json_schema_2020_12_tool", "inputSchema": {"$defs": {"x": True}, "type": "object", "required": ["n"]}},
    {
        "name": "badly_mirrored",
        "inputSchema": {"type": "object", "properties": {"p": {"type": "object", "x-mcp-header": "P"}}},
    },
]
ANSWERS: dict[str, Any] = {
    "server/discover": DISCOVERED | {"resultType": "complete"},
    "tools/list": {"tools": TOOLS},
    "resources/list": {"resources": [{"uri": "a://b"}]},
    "prompts/list": {"prompts": [{"name": "greet", "arguments": [{"name": "whom"}]}]},
}
Asked = list[tuple[str, Any]]


def recording(asked: Asked, answers: Mapping[str, Any] = ANSWERS) -> Server:
    """A server of the stateless era that keeps what it is asked, but for the opening."""

    async def serve(peer: Peer) -> None:
        while (payload := await peer.receive()) is not None:
            message = json.loads(payload)
            params = {name: value for name, value in message.get("params", {}).items() if name != "_meta"}
            if message["method"] != "server/discover":
                asked.append((message["method"], params))
            reply(peer, message, {"resultType": "complete", **answers.get(message["method"], {})})

    return serve


async def played(name: str, context: Any = None) -> Asked:
    """What a server is asked in a scenario."""
    asked: Asked = []
    async with session(recording(asked), options(replace(WISH, era=Era.MODERN))) as live:
        await client.play_of(name)(live, context or {})
    return asked


LISTED: tuple[str, Any] = ("tools/list", {})


@pytest.mark.parametrize("name", ["initialize", "json-schema-ref-no-deref", "one that nobody knows", ""])
async def test_a_visitor_lists_the_tools_and_leaves(name: str) -> None:
    assert await played(name) == [LISTED]


@pytest.mark.parametrize("name", ["auth/metadata-default", "auth/one of tomorrow"])
async def test_behind_a_login_the_first_tool_is_called(name: str) -> None:
    assert await played(name) == [LISTED, ("tools/call", {"name": "add_numbers", "arguments": {}})]


async def test_two_numbers_are_added() -> None:
    assert (await played("tools_call"))[1][1]["arguments"] == {"a": 5, "b": 3}


async def test_a_tool_whose_headers_can_not_be_mirrored_is_not_called() -> None:
    calls = [params["name"] for method, params in await played("http-invalid-tool-headers") if method == "tools/call"]
    assert calls == ["add_numbers", "json_schema_2020_12_tool"]


async def test_everything_is_called_read_and_got_for_the_routing_headers() -> None:
    asked = await played("http-standard-headers")
    assert ("resources/read", {"uri": "a://b"}) in asked
    assert ("prompts/get", {"name": "greet", "arguments": {"whom": "x"}}) in asked


async def test_calls_that_the_suite_names_are_made_with_exactly_these_arguments() -> None:
    calls = [{"name": "one", "arguments": {"a": None, "b": ""}}, {"name": "two", "arguments": {}}]
    assert [params for method, params in await played("http-custom-headers", {"toolCalls": calls})][1:] == calls


async def test_a_schema_is_sent_back_as_it_came() -> None:
    assert (await played("json-schema-2020-12-preservation"))[1] == (
        "tools/call",
        {"name": "json_schema_echo", "arguments": {"schema": TOOLS[1]["inputSchema"]}},
    )


async def test_calls_are_made_in_the_order_that_is_judged() -> None:
    names = [params.get("name") for _, params in await played("sep-2322-client-request-state")]
    assert names[1:] == [
        "test_mrtr_echo_state",
        "test_mrtr_unrelated",
        "test_mrtr_no_state",
        "test_mrtr_no_result_type",
    ]


async def test_skills_are_listed_and_none_is_read() -> None:
    assert [method for method, _ in await played("sep-2640-client-no-prefetch")] == ["skills/list"]


def test_the_context_is_json_or_absent() -> None:
    assert client.context_of({}) == {}
    assert client.context_of({client.CONTEXT: '{"client_id": "x"}'}) == {"client_id": "x"}
    with pytest.raises(UsageError, match=f"{client.CONTEXT} is no JSON"):
        client.context_of({client.CONTEXT: "{"})


def test_conformance_context_becomes_login_options() -> None:
    context = {"client_id": "me", "client_secret": "s", "private_key_pem": "PEM", "valid_jwt": "j", "wrong": 5}
    wishes = client.wishes_of(context)
    assert (wishes.client_id, wishes.client_secret, wishes.private_key) == ("me", "s", "PEM")
    assert (wishes.assertion, wishes.algorithm, wishes.provider) == ("j", "ES256", None)


def test_an_identity_provider_is_taken_from_the_context_too() -> None:
    context = {"idp_token_endpoint": "https://idp/token", "idp_client_id": "c", "idp_id_token": "t"}
    provider = client.wishes_of(context).provider
    assert provider is not None
    assert provider.token_endpoint == "https://idp/token"


def test_questions_are_answered_with_yes_and_with_what_the_schema_proposes() -> None:
    elicitation, sampling = client.answers_of("elicitation-sep1034-client-defaults")
    assert (elicitation.kind, elicitation.answer, elicitation.content) == (RequestKind.ELICITATION, "accept", None)
    assert (sampling.kind, sampling.answer) == (RequestKind.SAMPLING, "text")
    assert client.answers_of("sep-2322-client-request-state")[0].content == {"confirmed": True}


def test_the_program_knows_no_scenario_of_the_suite_and_not_its_environment() -> None:
    words = ("MCP_CONFORMANCE", "test_mrtr", "conformance-test.local", "sep-2640", "add_numbers")
    files = list((ROOT / "inspector").rglob("*.py"))
    assert len(files) > 100
    assert [each for each in files for word in words if word in each.read_text()] == []
