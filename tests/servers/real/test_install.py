"""The installer: does nothing twice, and never mixes versions. And where the servers are looked for."""

import re
from pathlib import Path

import pytest

from tests.servers import real
from tests.servers.real import NotInstalled, argv, install, reason_to_skip, versions


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    seen: list[tuple[str, ...]] = []
    monkeypatch.setattr(install, "_run", lambda *argv: seen.append(argv))
    return seen


def test_a_second_run_installs_nothing(tmp_path: Path, commands: list[tuple[str, ...]]) -> None:
    assert install.bring_up(tmp_path / "node", {"a": "1"})
    assert not install.bring_up(tmp_path / "node", {"a": "1"})
    assert [command[-1] for command in commands] == ["a@1"]


def test_node_from_npm_is_unpacked_by_its_own_script(tmp_path: Path, commands: list[tuple[str, ...]]) -> None:
    install.bring_up(tmp_path / "conformance", {"a": "1", "node": "24.21.0"})
    assert (commands[-1][1], commands[-1][-1]) == ("rebuild", "node")


def test_other_version_reinstalls_the_environment(tmp_path: Path, commands: list[tuple[str, ...]]) -> None:
    install.bring_up(tmp_path / "node", {"a": "1"})
    (tmp_path / "node" / "left-over").touch()
    assert install.bring_up(tmp_path / "node", {"a": "2"})
    assert not (tmp_path / "node" / "left-over").exists()
    assert commands[-1][-1] == "a@2"


def test_an_environment_that_was_moved_is_made_again(tmp_path: Path, commands: list[tuple[str, ...]]) -> None:
    install.bring_up(tmp_path / "node", {"a": "1"})
    (tmp_path / "node" / "bin").mkdir()
    (tmp_path / "node" / "bin" / "pip").write_text("#!/where/it/was/node/bin/python\n")
    assert install.bring_up(tmp_path / "node", {"a": "1"})


def test_an_interrupted_installation_is_not_taken_for_a_whole_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*argv: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(install, "_run", fails)
    with pytest.raises(KeyboardInterrupt):
        install.bring_up(tmp_path / "node", {"a": "1"})
    monkeypatch.setattr(install, "_run", lambda *argv: None)
    assert install.bring_up(tmp_path / "node", {"a": "1"})


def test_every_version_is_pinned_exactly() -> None:
    pins = [pin for packages in versions().values() for pin in packages.values()]
    assert len(pins) >= 6
    assert all(re.fullmatch(r"\d+(\.\d+)+(-alpha\.\d+)?", pin) for pin in pins)


def test_a_server_that_is_not_installed_is_refused_with_the_command_that_installs_it(tmp_path: Path) -> None:
    with pytest.raises(NotInstalled, match=r"python -m tests\.servers\.real\.install"):
        argv("everything", tmp_path)


def test_a_server_and_an_interpreter_are_found_by_their_names(tmp_path: Path) -> None:
    script = tmp_path / "node" / "node_modules" / ".bin" / "mcp-server-memory"
    python = tmp_path / "mcp2" / "bin" / "python"
    earlier = tmp_path / "earlier" / "node_modules" / ".bin" / "mcp-server-everything"
    for program in (script, python, earlier):
        program.parent.mkdir(parents=True)
        program.touch()
    assert argv("earlier everything", tmp_path) == (str(earlier),)
    assert argv("memory", tmp_path) == (str(script),)
    assert argv("mcp2", tmp_path) == (str(python),)


def test_an_unknown_name_is_a_mistake_in_the_test(tmp_path: Path) -> None:
    for name in ("nothing", "earlier memory"):
        with pytest.raises(KeyError):
            argv(name, tmp_path)


def test_without_the_servers_their_tests_are_skipped_here_and_never_in_ci(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(real, "PLACE", tmp_path / "nothing")
    monkeypatch.delenv("CI", raising=False)
    assert "run `python -m tests.servers.real.install`" in reason_to_skip()
    monkeypatch.setenv("CI", "true")
    assert reason_to_skip() == ""
