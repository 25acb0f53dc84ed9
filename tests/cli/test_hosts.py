"""Hosts and neighbours on the command line."""

from pathlib import Path

import pytest

from inspector.cli.hosts import chosen_hosts, tools_beside
from inspector.errors import UsageError
from tests.captures.record import sample


def test_hosts_are_chosen_by_lists_of_ids_each_once() -> None:
    found = chosen_hosts(["claude-code, VSCode", "claude-code"])
    assert [host.id for host in found] == ["claude-code", "vscode"]
    assert chosen_hosts([]) == ()


def test_an_sdk_without_a_version_means_all_of_them() -> None:
    assert [host.id for host in chosen_hosts(["python-sdk"])] == ["python-sdk-1", "python-sdk-2"]


@pytest.mark.parametrize("word", ["nobody", "", "python"])
def test_what_means_no_host_is_said_with_those_there_are(word: str) -> None:
    with pytest.raises(UsageError, match="nothing is known of a host") as caught:
        chosen_hosts([word])
    assert "claude-code" in caught.value.hint


def test_the_tools_of_a_neighbour_are_read_from_its_capture() -> None:
    ((name, tools),) = tools_beside([sample("evening")]).items()
    assert name
    assert "add" in tools
    with pytest.raises(UsageError, match="no such file"):
        tools_beside([Path("nothing.mcpcap")])
