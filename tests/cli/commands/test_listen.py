"""`mcp-inspect listen`: changes of lists and resources, and what a server does not grant."""

import json

import pytest

from inspector.cli.exit_status import ExitStatus
from tests.cli.running import demo, inspect, scripted, server

QUICK = ("--weather", "0.05")


@pytest.mark.parametrize("era", ["--legacy-only", "--modern-only"])
def test_resources_and_lists_are_heard_of_together(era: str) -> None:
    words = ("--tools", "--uri", "lighthouse://barometer", "--count", "1", "--json")
    ran = inspect("listen", *words, *demo(era, *QUICK))
    assert ran.status == 0
    assert json.loads(ran.stdout)["params"]["uri"] == "lighthouse://barometer"
    assert "watching list of tools, lighthouse://barometer" in ran.stderr


def test_without_a_word_on_which_it_listens_for_all_that_is_offered() -> None:
    ran = inspect("listen", "--for", "0.05", *demo("--modern-only"))
    assert ran.status == 0
    assert "watching list of tools" in ran.stderr


def test_what_the_server_does_not_offer_is_narrated() -> None:
    ran = inspect("listen", "--tools", "--prompts", "--for", "0.05", *demo("--modern-only"))
    assert ran.status == 0
    assert "! the server does not say that it tells of changes of the list of prompts" in ran.stderr
    assert "! the server did not grant: list of prompts" in ran.stderr


def test_nothing_offered_is_an_error_with_a_way_out() -> None:
    ran = inspect("listen", "--prompts", *demo("--modern-only"))
    assert ran.status == ExitStatus.USAGE
    assert "mcp-inspect request subscriptions/listen" in ran.stderr
    ran = inspect("listen", *scripted({}))
    assert ran.status == ExitStatus.USAGE
    assert "any of its lists may change" in ran.stderr


@pytest.mark.parametrize(
    ("how", "status", "says"),
    [
        ("nothing", ExitStatus.TOOL_ERROR, "the server granted nothing of it"),
        ("refuses", ExitStatus.TOOL_ERROR, "subscriptions/listen: the server answered with error -32603: full"),
        ("ends", ExitStatus.UNREACHABLE, "1 of 5 notifications came before the server ended it"),
        ("leaves", ExitStatus.UNREACHABLE, "the connection ended"),
    ],
)
def test_a_stream_that_goes_wrong_is_told(how: str, status: ExitStatus, says: str) -> None:
    ran = inspect("listen", "--tools", "--count", "5", "--json", *server("listened_to", how))
    assert ran.status == status
    assert says in ran.error["message"]


def test_the_servers_end_is_no_fault_where_nothing_was_counted() -> None:
    ran = inspect("listen", "--tools", *server("listened_to", "ends"))
    assert ran.status == 0
    assert "changes are not told of any more: the server ended it" in ran.stderr
