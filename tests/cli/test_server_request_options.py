"""What is offered to a server, and the answers to what it asks, as the command line says it."""

import asyncio
import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.exit_status import ExitStatus
from inspector.cli.server_request_options import KEY_ENV, ResponseOptions, read_model, read_response_options
from inspector.errors import UsageError
from inspector.protocol import capabilities as offers
from inspector.protocol import peek
from inspector.protocol.frames import Direction
from inspector.protocol.server_requests import RequestKind, Root
from inspector.sampler.choice import Approve
from tests.cli.running import demo, inspect
from tests.entries import frames_to
from tests.servers.model import KEY, Endpoint, as_json, call, completion, endpoint


def _read(**options: Any) -> ResponseOptions:
    return read_response_options(options)


def _file(place: Path, *kinds: str) -> Path:
    answers = {"elicitation": "accept", "sampling": "text", "roots": "error"}
    file = place / "answers.json"
    file.write_text(json.dumps([{"kind": kind, "answer": answers[kind]} for kind in kinds]))
    return file


def test_capabilities_without_a_user_are_tasks_only() -> None:
    assert _read().offers(has_person=True) == frozenset(offers.ALL)
    assert _read().offers(has_person=False) == {offers.TASKS}


def test_without_a_person_that_is_offered_which_was_prepared(tmp_path: Path) -> None:
    assert _read(root=(str(tmp_path),)).offers(has_person=False) == {offers.ROOTS, offers.TASKS}
    sampling = _read(responses=_file(tmp_path, "sampling"))
    assert sampling.offers(has_person=False) == {offers.SAMPLING, offers.TASKS}
    both = _read(responses=_file(tmp_path, "elicitation", "sampling"))
    assert both.offers(has_person=False) == {offers.SAMPLING, offers.FORM, offers.URL, offers.TASKS}
    assert [each.kind for each in both.prepared] == [RequestKind.ELICITATION, RequestKind.SAMPLING]


@pytest.mark.parametrize(
    ("capability", "no_capability", "made"),
    [
        ((), ("elicitation,roots",), {offers.SAMPLING, offers.SAMPLING_TOOLS, offers.TASKS}),
        ((), ("sampling,tasks",), {offers.ROOTS, offers.FORM, offers.URL}),
        ((), ("sampling.tools", "elicitation.url"), {offers.ROOTS, offers.SAMPLING, offers.FORM, offers.TASKS}),
        (("sampling",), ("all",), {offers.SAMPLING}),
        (("roots, elicitation.form",), ("all",), {offers.ROOTS, offers.FORM}),
        ((), ("all",), set()),
    ],
)
def test_offers_are_switches(capability: tuple[str, ...], no_capability: tuple[str, ...], made: set[str]) -> None:
    assert _read(capability=capability, no_capability=no_capability).offers(has_person=True) == made


def test_more_may_be_offered_than_can_be_answered() -> None:
    assert _read(capability=("all",)).offers(has_person=False) == frozenset(offers.ALL)


def test_roots_are_directories_and_uris(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a b").mkdir()
    monkeypatch.chdir(tmp_path)
    assert _read(root=("a b",), root_uri=("file:///x", "odd:thing")).roots == (
        Root((tmp_path / "a b").as_uri(), "a b"),
        Root("file:///x"),
        Root("odd:thing"),
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--capability", "elicitation,telepathy"), "'telepathy' is not a client capability"),
        (("--root", "/no/such/place"), "--root /no/such/place: no such directory"),
        (("--root-uri", "plain words"), "invalid --root-uri 'plain words'"),
        (("--root-uri", "http://[x"), "invalid --root-uri"),
        (("--responses", "/no/such/file"), "--responses /no/such/file"),
    ],
)
def test_wrong_capability_options_start_no_server(words: tuple[str, ...], said: str) -> None:
    inspect("info", *words, "--", "no-such-program").exits(2, said)


def test_a_name_that_is_none_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="not a client capability"):
        _read(no_capability=("x",))


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_declared_capabilities_are_those_chosen(tmp_path: Path, era: str) -> None:
    capture = tmp_path / "a.mcpcap"
    words = ("--no-capability", "all", "--capability", "roots,elicitation.form", "--no-extension", "all")
    more = ("--era", era, "--capture", str(capture))
    assert inspect("list", "tools", *words, *more, *demo()).status == 0
    declared = [peek.at(params, *path) for params in _asked(capture) for path in _WHERE if peek.at(params, *path)]
    assert declared
    for capabilities in declared:
        assert set(capabilities) == {"roots", "elicitation"}
        assert capabilities["elicitation"] == {"form": {}}


_WHERE = (("capabilities",), ("_meta", "io.modelcontextprotocol/clientCapabilities"))


def _asked(capture: Path) -> list[Any]:
    """The params of every request that was sent."""
    return [json.loads(frame.payload).get("params") for frame in frames_to(capture, Direction.TO_SERVER)]


URL = "http://127.0.0.1:9/v1"


def _sampler_read(env: dict[str, str] | None = None, **options: Any) -> Any:
    return read_model({"sampler_url": URL, "sampler_model": "tide"} | options, env or {})


def test_without_its_options_there_is_no_model() -> None:
    assert read_model({}, {KEY_ENV: "x"}) is None


def test_the_key_comes_from_the_environment_and_needs_none_for_a_model_of_one_s_own() -> None:
    assert _sampler_read({KEY_ENV: " sk-1\n"}).key.header() == {"Authorization": "Bearer sk-1"}
    assert _sampler_read({"OTHER": "sk-2", KEY_ENV: "sk-1"}, sampler_key_env="OTHER").key.header()["Authorization"] == (
        "Bearer sk-2"
    )
    assert _sampler_read().key.header() == {}


def test_sampler_approval_defaults_to_always() -> None:
    assert _sampler_read().approve is Approve.ALWAYS
    assert _sampler_read(sampler_approve="never").approve is Approve.NEVER


@pytest.mark.parametrize(
    ("env", "options", "told"),
    [
        ({}, {"sampler_model": None}, "--sampler-url without --sampler-model"),
        ({}, {"sampler_url": None}, "--sampler-model without --sampler-url"),
        ({}, {"sampler_url": "ftp://x"}, "invalid --sampler-url 'ftp://x'"),
        ({}, {"sampler_url": "http://a b/"}, "invalid --sampler-url 'http://a b/'"),
        ({}, {"sampler_url": "http://[::1/"}, "invalid --sampler-url 'http://[::1/'"),
        ({}, {"sampler_url": "http://:sk@host/v1"}, "contains credentials"),
        ({}, {"sampler_key_env": "NO_SUCH"}, "NO_SUCH: the environment variable is not set"),
        ({KEY_ENV: "sk-1\nX-Evil: 1"}, {}, "invalid key"),
        ({}, {"sampler_timeout": 0.0}, "invalid --sampler-timeout 0"),
    ],
)
def test_wrong_sampler_options_are_refused_without_quoting_keys(
    env: dict[str, str], options: dict[str, Any], told: str
) -> None:
    with pytest.raises(UsageError) as caught:
        _sampler_read(env, **options)
    assert told in str(caught.value)
    assert "sk-1" not in f"{caught.value} {caught.value.hint}"


@pytest.fixture
def model() -> Iterator[Endpoint]:
    """An endpoint on a loop of its own: the command runs one itself."""
    ready, enough = threading.Event(), asyncio.Event()
    made: list[Endpoint] = []
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with endpoint() as there:
            made.append(there)
            ready.set()
            await enough.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    assert ready.wait(10)
    yield made[0]
    loop.call_soon_threadsafe(enough.set)
    thread.join()
    loop.close()


def _options(model: Endpoint, approve: str = "never") -> tuple[str, ...]:
    return ("--sampler-url", model.url, "--sampler-model", "tide", "--sampler-approve", approve)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_model_answers_a_server_and_the_key_is_seen_nowhere(model: Endpoint, era: str, tmp_path: Any) -> None:
    model.answer = lambda body: as_json(completion("Mist and herring."))
    capture = tmp_path / "c.mcpcap"
    options = (*_options(model), "--capture", str(capture), "--era", era)
    ran = inspect("call", "sampling_request", *options, *demo(), env={KEY_ENV: KEY}).exits(ExitStatus.OK)
    assert "The model (tide-1) responded: Mist and herring." in ran.stdout
    assert f"tide at 127.0.0.1:{model.url.rpartition(':')[2].partition('/')[0]}" in ran.stderr
    assert KEY not in ran.stdout + ran.stderr + capture.read_bytes().decode("latin-1")
    assert model.headers[0]["authorization"] == f"Bearer {KEY}"


def test_model_failure_fails_the_command_without_the_key(model: Endpoint) -> None:
    model.answer = lambda body: as_json({"error": {"message": f"Incorrect API key: {KEY}"}}, 401)
    ran = inspect("call", "sampling_request", *_options(model), "--json", *demo(), env={KEY_ENV: KEY})
    assert ran.status == ExitStatus.TOOL_ERROR
    assert "failed: the model's endpoint answered HTTP 401: Incorrect API key: [key]" in ran.error["message"]
    assert "--sampler-key-env" in ran.error["hint"]
    assert KEY not in ran.stdout + ran.stderr


def test_sampling_approval_without_a_user_starts_no_server(model: Endpoint) -> None:
    ran = inspect("call", "sampling_request", *_options(model, "always"), "--json", "--", "/no/such/server")
    assert ran.status == ExitStatus.USAGE
    assert "sampling needs approval" in ran.error["message"]
    assert "--sampler-approve never" in json.dumps(ran.error)
    assert model.asked == []


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_loop_of_tools_goes_round_between_server_and_model(model: Endpoint, era: str) -> None:
    def answer(body: Any) -> Any:
        if body["messages"][-1]["role"] == "tool":
            return as_json(completion("High water, and fish."))
        return as_json(completion("I look.", reason="tool_calls", tool_calls=[call("tide_at", '{"hour": 6}')]))

    model.answer = answer
    ran = inspect("call", "sampling_request", "-a", "with_tools=true", *_options(model), "--era", era, *demo())
    assert "The model (tide-1) responded: High water, and fish." in ran.stdout
    first, second = model.asked
    assert (first["tools"][0]["function"]["name"], first["tool_choice"]) == ("tide_at", "auto")
    assistant, tool = second["messages"][-2:]
    assert assistant["tool_calls"][0]["id"] == tool["tool_call_id"] == "call_7"
    assert tool["content"]


@pytest.mark.parametrize("name", [KEY_ENV, "MY_KEY"])
def test_a_server_that_inherits_our_environment_does_not_get_the_key(name: str) -> None:
    options = ("--sampler-url", URL, "--sampler-model", "tide", "--sampler-approve", "never", "--inherit-env")
    named = () if name == KEY_ENV else ("--sampler-key-env", name)
    prints = "import os, sys; sys.stderr.write(f'seen {os.environ.get(sys.argv[1])} {os.environ.get(\"OTHER\")}\\n')"
    ran = inspect(
        "info", *options, *named, "--", sys.executable, "-c", prints, name, env={name: KEY, "OTHER": "still here"}
    )
    assert "seen None still here" in ran.stderr
    assert KEY not in ran.stdout + ran.stderr
