"""`--as CLIENT`: what the server sees of it; and `mcp-inspect profile`, which makes a profile from a capture."""

import errno
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from inspector.capture.store.load import load
from inspector.cli.exit_status import ExitStatus
from inspector.config.profiles import read_profile
from inspector.protocol.frames import Direction
from tests.cli.running import demo, inspect, scripted

MANY = {"tools/list": {"result": {"tools": [{"name": "a", "inputSchema": {"type": "object"}}], "nextCursor": "more"}}}


def sent(capture: Path) -> list[str]:
    """The methods of the requests to the server, in order, without our ping."""
    journal = load(capture)
    try:
        return [
            each.method
            for each in journal.conversation.exchanges
            if each.sender is Direction.TO_SERVER and each.method != "ping"
        ]
    finally:
        journal.close()


def opening(capture: Path) -> Any:
    journal = load(capture)
    try:
        assert journal.conversation.opening is not None
        return journal.conversation.opening
    finally:
        journal.close()


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    return tmp_path / "it.mcpcap"


def ping(name: str, capture: Path, *words: str, env: Mapping[str, str] | None = None) -> None:
    """Open a session like that client, and send one ping."""
    ran = inspect(
        "request", "ping", "--as", name, "--capture", str(capture), *(words or demo("--legacy-only")), env=env
    )
    assert ran.status in (0, 5), ran.stderr  # a scripted server answers a ping with an error


def test_profile_has_name_version_and_capabilities_of_the_client(capture: Path) -> None:
    ping("codex", capture)
    found = opening(capture)
    assert found.client["name"] == "codex-mcp-client"
    assert found.client["title"] == "Codex"
    assert found.client_capabilities["elicitation"] == {"form": {}, "url": {}}
    assert found.offered == "2025-06-18"


def test_profile_sends_the_opening_requests_of_the_client(capture: Path) -> None:
    ping("vscode", capture)
    assert sent(capture) == ["initialize", "logging/setLevel", "prompts/list", "tools/list"]


def test_profile_does_not_request_undeclared_lists(capture: Path) -> None:
    ping("gemini", capture, *scripted(MANY, capabilities={"tools": {}}))
    assert "prompts/list" not in sent(capture)
    assert "resources/list" not in sent(capture)


def test_profile_reads_as_many_pages_as_the_client(capture: Path) -> None:
    ping("gemini", capture, *scripted(MANY, capabilities={"tools": {}}))
    assert sent(capture).count("tools/list") == 1


def test_options_go_before_the_profile(capture: Path) -> None:
    ping("codex", capture, "--revision", "2025-03-26", *demo("--legacy-only"))
    assert opening(capture).offered == "2025-03-26"


def test_the_environment_is_that_of_the_client(capture: Path) -> None:
    ping("codex", capture, env={"LANG": "C", "SECRET_OF_MINE": "x"})
    journal = load(capture)
    names = journal.connection.env_names if journal.connection else ()
    journal.close()
    assert "LANG" in names
    assert "SECRET_OF_MINE" not in names


def test_capabilities_of_ones_own_do_not_go_with_it() -> None:
    inspect("info", "--as", "codex", "--capability", "sampling", *demo()).exits(2, "--capability")


def test_a_server_that_starts_too_slowly_for_that_client_is_reported(tmp_path: Path) -> None:
    slow = tmp_path / "slow.yaml"
    slow.write_text("name: Hasty\nclient: {name: hasty}\ncapabilities: {}\nera: legacy\ntimeouts: {start: 0.2}\n")
    ran = inspect("info", "--as", str(slow), "--", "sleep", "600")
    assert ran.status != 0
    assert "did not open within 0.2 s" in ran.stderr


def test_known_clients_are_listed() -> None:
    listed = inspect("profile", "--json").data["profiles"]
    assert [each["id"] for each in listed] == ["claude-code", "codex", "cursor", "gemini-cli", "vscode"]
    assert inspect("profile").stdout.count("\n") == len(listed)
    assert yaml.safe_load(inspect("profile", "vscode").stdout)["client"]["name"] == "Visual Studio Code"


def test_a_profile_made_from_a_capture_behaves_like_that_client(capture: Path, tmp_path: Path) -> None:
    ping("gemini", capture)
    file, again = tmp_path / "made.yaml", tmp_path / "again.mcpcap"
    inspect("profile", str(capture), "-o", str(file)).exits(0, "unknown: timeouts")
    made = read_profile(file)
    assert made.client["name"] == "gemini-cli-mcp-client"
    ping(str(file), again)
    assert sent(again) == sent(capture)
    assert opening(again).client_capabilities == opening(capture).client_capabilities
    assert inspect("profile", str(capture), "-o", str(file)).status == 2, "it exists"


def test_a_client_that_fell_back_from_discover_has_the_era_auto(capture: Path, tmp_path: Path) -> None:
    ping("claude-code", capture)
    assert sent(capture)[:3] == ["server/discover", "initialize", "tools/list"]
    assert inspect("profile", str(capture), "-o", str(tmp_path / "made.yaml")).status == 0
    made = read_profile(tmp_path / "made.yaml")
    assert (made.era, made.protocol_version) == ("auto", "2025-11-25")


def test_a_capture_without_an_opening_makes_none(tmp_path: Path) -> None:
    assert inspect("profile", str(tmp_path / "none.mcpcap")).status != 0


def test_diff_names_both_clients(tmp_path: Path) -> None:
    one, other = tmp_path / "one.mcpcap", tmp_path / "other.mcpcap"
    ping("codex", one)
    ping("vscode", other)
    ran = inspect("diff", str(one), str(other)).exits(1).prints("− codex-mcp-client")
    assert "+ Visual Studio Code 1.109.0, declares elicitation, roots, sampling, tasks" in ran.stdout
    assert len(inspect("diff", "--json", str(one), str(other)).data["clients"]) == 2
    assert "Clients" not in inspect("diff", str(one), str(one)).stdout


@pytest.mark.parametrize("words", [("profile", "cursor", "-o"), ("config", "edit")])
def test_file_on_a_full_disk_is_one_clear_line(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> tuple[int, str]:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setenv("MCP_INSPECT_HOME", str(tmp_path / "own"))
    monkeypatch.setenv("EDITOR", "true")
    monkeypatch.setattr("tempfile.mkstemp", full)
    ran = inspect(*words, *((str(tmp_path / "p.yaml"),) if words[0] == "profile" else ())).exits(ExitStatus.USAGE)
    assert "No space left on device" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1
    assert [*tmp_path.glob("*.yaml")] == []
