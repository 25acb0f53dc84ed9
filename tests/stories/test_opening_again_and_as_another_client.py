"""A real server from the start screen: opened, saved, opened again, and opened like another client."""

from pathlib import Path

import pytest

from inspector.cli.exit_status import ExitStatus
from tests.cli.running import inspect
from tests.servers.real import argv
from tests.stories.terminals import Window
from tests.waiting import PATIENCE_S


@pytest.mark.real
def test_a_server_is_typed_saved_and_opened_again_with_one_key(tmp_path: Path) -> None:
    (command,) = argv("everything")
    with Window((), tmp_path) as window:
        window.until(b"Demo server")
        window.press(command.encode())
        window.until(Path(command).name.encode())
        window.press(b"\r")
        window.until(b"prompts/list")
        window.press(b"q")
        assert window.ended(PATIENCE_S)
        assert window.status == ExitStatus.OK
    with Window((), tmp_path) as window:
        window.until(b"Saved and recent")
        window.until(b"tools")  # how it went
        window.press(b"\x1b[B")
        window.until(b"Add target")
        window.press(b"xe")
        window.until(b"Variables")
        since = len(window.written)
        window.press(b"\x0a")
        window.until(b"Saved  ", since=since)  # the row was one of a recent target before
        assert [*tmp_path.rglob("targets.yaml")]
        window.press(b"1")
        window.until(b"prompts/list")
        window.press(b"q")
        assert window.ended(PATIENCE_S)
        assert window.status == ExitStatus.OK


@pytest.mark.real
def test_screen_names_the_imitated_client(tmp_path: Path) -> None:
    with Window(("--as", "codex", "--", *argv("everything")), tmp_path) as window:
        window.until(b"as codex-mcp-client")
        window.press(b"9")
        window.until(b"--as Codex (")
        window.press(b"q")
        assert window.ended(PATIENCE_S)


@pytest.mark.real
def test_a_real_server_offers_two_clients_different_tools_and_diff_names_them(tmp_path: Path) -> None:
    for name in ("codex", "vscode"):
        ran = inspect("list", "tools", "--as", name, "--capture", str(tmp_path / name), "--", *argv("everything"))
        assert ran.status == 0, ran.stderr
        (tmp_path / name).rename(tmp_path / f"{name}.mcpcap")
    ran = inspect("diff", "--only", "tools/list", str(tmp_path / "codex.mcpcap"), str(tmp_path / "vscode.mcpcap"))
    assert ran.status == 1
    assert "− codex-mcp-client" in ran.stdout
    assert "+ Visual Studio Code" in ran.stdout
    assert "trigger-sampling-request" in ran.stdout
    inspect("profile", str(tmp_path / "vscode.mcpcap"), "-o", str(tmp_path / "made.yaml")).exits(0)
    again = inspect("list", "tools", "--json", "--as", str(tmp_path / "made.yaml"), "--", *argv("everything"))
    assert "trigger-sampling-request" in again.stdout
