"""`mcp-inspect subscribe`: updates of resources as they come, in both eras, and what keeps them from coming."""

import json

import pytest

from inspector.cli.exit_status import ExitStatus
from tests.cli.running import demo, inspect, scripted

BAROMETER = "lighthouse://barometer"
QUICK = ("--weather", "0.05")
CAN = {"capabilities": {"resources": {"subscribe": True}}}


@pytest.mark.parametrize("era", ["--legacy-only", "--modern-only"])
def test_each_update_is_a_line_of_json(era: str) -> None:
    ran = inspect("subscribe", BAROMETER, "--count", "2", "--json", *demo(era, *QUICK))
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    assert ran.status == 0
    assert [line["method"] for line in lines] == ["notifications/resources/updated"] * 2
    assert {line["params"]["uri"] for line in lines} == {BAROMETER}
    assert lines[0]["entry"] < lines[1]["entry"]
    assert lines[0]["time"] < lines[1]["time"]
    assert f"watching {BAROMETER}" in ran.stderr


def test_without_json_it_is_a_readable_line() -> None:
    ran = inspect("subscribe", BAROMETER, "--count", "1", *demo(*QUICK))
    assert ran.stdout.split()[1:] == ["resources/updated", BAROMETER]


def test_after_its_time_it_ends_well_if_nothing_was_promised() -> None:
    ran = inspect("subscribe", BAROMETER, "--for", "0.05", *demo("--weather", "0"))
    assert (ran.status, ran.stdout) == (0, "")


def test_too_few_updates_in_its_time_are_a_timeout() -> None:
    ran = inspect("subscribe", BAROMETER, "--for", "0.05", "--count", "3", "--json", *demo("--weather", "0"))
    assert ran.status == ExitStatus.TIMEOUT
    assert ran.error["message"] == "0 of 3 notifications came within 0.05 s"


def test_a_server_without_subscriptions_is_told_and_nothing_is_sent() -> None:
    ran = inspect("subscribe", "a:b", *scripted({}))
    assert ran.status == ExitStatus.USAGE
    assert "does not say that it tells of changes of single resources" in ran.stderr
    assert "mcp-inspect request resources/subscribe" in ran.stderr


def test_a_refusal_is_told_in_the_servers_words() -> None:
    ran = inspect("subscribe", "a:b", "--json", *scripted({}, **CAN))
    assert ran.status == ExitStatus.TOOL_ERROR
    assert ran.error["message"] == "resources/subscribe: the server answered with error -32601: no such method"
    assert ran.error["answer"]["code"] == -32601


def test_a_server_that_goes_away_is_unreachable() -> None:
    ran = inspect("subscribe", "a:b", "c:d", "--json", *scripted({"resources/subscribe": "death"}, **CAN))
    assert ran.status == ExitStatus.UNREACHABLE


def test_a_url_alone_is_no_resource() -> None:
    ran = inspect("subscribe", "https://example.com/mcp")
    assert ran.status == ExitStatus.USAGE
    assert "no resource named" in ran.stderr
