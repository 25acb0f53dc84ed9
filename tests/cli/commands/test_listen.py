"""`mcp-inspect listen`: changes of lists and resources, and what a server does not grant."""

import json

import pytest

from inspector.cli.commands.listen import ListenLimits, changes_options
from inspector.cli.exit_status import ExitStatus
from tests.cli.running import demo, inspect, scripted, server

QUICK = ("--weather", "0.05")


@pytest.mark.parametrize("era", ["--legacy-only", "--modern-only"])
def test_resources_and_lists_are_heard_of_together(era: str) -> None:
    words = ("--tools", "--uri", "lighthouse://barometer", "--count", "1", "--json")
    ran = inspect("listen", *words, *demo(era, *QUICK)).exits(0)
    assert json.loads(ran.stdout)["params"]["uri"] == "lighthouse://barometer"
    assert "subscribed to list of tools, lighthouse://barometer" in ran.stderr


def test_without_a_word_on_which_it_listens_for_all_that_is_offered() -> None:
    inspect("listen", "--for", "0.05", *demo("--modern-only")).exits(0, "subscribed to list of tools")


def test_listen_reports_notifications_that_are_not_granted() -> None:
    ran = inspect("listen", "--tools", "--prompts", "--for", "0.05", *demo("--modern-only")).exits(0)
    assert "! the server does not declare change notifications for the list of prompts" in ran.stderr
    assert "! the server did not grant: list of prompts" in ran.stderr


def test_nothing_offered_is_an_error_with_a_way_out() -> None:
    ran = inspect("listen", "--prompts", *demo("--modern-only")).exits(ExitStatus.USAGE)
    assert "mcp-inspect request subscriptions/listen" in ran.stderr
    inspect("listen", *scripted({})).exits(ExitStatus.USAGE, "does not declare listChanged")


@pytest.mark.parametrize(
    ("how", "status", "says"),
    [
        ("nothing", ExitStatus.TOOL_ERROR, "the server granted nothing of it"),
        ("refuses", ExitStatus.TOOL_ERROR, "subscriptions/listen: the server answered with error -32603: full"),
        ("ends", ExitStatus.UNREACHABLE, "1 of 5 notifications before the server ended it"),
        ("leaves", ExitStatus.UNREACHABLE, "the connection ended"),
    ],
)
def test_listen_to_a_failing_stream_fails(how: str, status: ExitStatus, says: str) -> None:
    ran = inspect("listen", "--tools", "--count", "5", "--json", *server("listened_to", how)).exits(status)
    assert says in ran.error["message"]


def test_the_servers_end_is_no_fault_where_nothing_was_counted() -> None:
    ran = inspect("listen", "--tools", *server("listened_to", "ends")).exits(0)
    assert "change notifications stopped: the server ended it" in ran.stderr


BAROMETER = "lighthouse://barometer"
CAN = {"capabilities": {"resources": {"subscribe": True}}}


@pytest.mark.parametrize("era", ["--legacy-only", "--modern-only"])
def test_each_update_is_a_line_of_json(era: str) -> None:
    ran = inspect("subscribe", BAROMETER, "--count", "2", "--json", *demo(era, *QUICK))
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    assert ran.status == 0
    assert [line["method"] for line in lines] == ["notifications/resources/updated"] * 2
    assert {line["params"]["uri"] for line in lines} == {BAROMETER}
    assert lines[0]["entry"] < lines[1]["entry"]
    assert lines[0]["time"] <= lines[1]["time"]
    assert f"subscribed to {BAROMETER}" in ran.stderr


def test_without_json_it_is_a_readable_line() -> None:
    ran = inspect("subscribe", BAROMETER, "--count", "1", *demo(*QUICK))
    assert ran.stdout.split()[1:] == ["resources/updated", BAROMETER]


def test_after_its_time_it_ends_well_if_nothing_was_promised() -> None:
    ran = inspect("subscribe", BAROMETER, "--for", "0.05", *demo("--weather", "0"))
    assert (ran.status, ran.stdout) == (0, "")


def test_too_few_updates_in_its_time_are_a_timeout() -> None:
    ran = inspect("subscribe", BAROMETER, "--for", "0.05", "--count", "3", "--json", *demo("--weather", "0"))
    assert ran.status == ExitStatus.TIMEOUT
    assert ran.error["message"] == "received 0 of 3 notifications within 0.05 s"


def test_subscribe_without_server_support_sends_nothing() -> None:
    ran = inspect("subscribe", "a:b", *scripted({})).exits(ExitStatus.USAGE)
    assert "does not declare change notifications for single resources" in ran.stderr
    assert "mcp-inspect request resources/subscribe" in ran.stderr


def test_subscribe_reports_the_servers_error() -> None:
    ran = inspect("subscribe", "a:b", "--json", *scripted({}, **CAN)).exits(ExitStatus.TOOL_ERROR)
    assert ran.error["message"] == "resources/subscribe: the server answered with error -32601: no such method"
    assert ran.error["jsonrpc_error"]["code"] == -32601


def test_a_server_that_goes_away_is_unreachable() -> None:
    ran = inspect("subscribe", "a:b", "c:d", "--json", *scripted({"resources/subscribe": "death"}, **CAN))
    assert ran.status == ExitStatus.UNREACHABLE


def test_a_url_alone_is_no_resource() -> None:
    inspect("subscribe", "https://example.com/mcp").exits(ExitStatus.USAGE, "no resource named")


def test_nothing_makes_an_end_by_itself() -> None:
    assert ListenLimits() == ListenLimits(None, None)


def test_how_much_is_enough_is_a_positive_number() -> None:
    for words in (("--count", "0"), ("--for", "0")):
        inspect("listen", *words, *server("listened_to", "grants")).exits(2, words[0])


def test_the_options_stand_on_any_command() -> None:
    import click

    command = click.command("x")(changes_options(lambda: None))
    assert sorted(option.name or "" for option in command.params) == ["count", "seconds"]
