"""What is remembered of a target outlives the program; what is broken is no memory, and never a failure."""

import logging
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.config.eras import MOST, Eras, process_key, revealed_era, url_key
from inspector.protocol.revisions._shape import Era

_KEY = url_key("https://example.org/mcp")


def test_remembered_era_is_found_by_the_next_run(tmp_path: Path) -> None:
    Eras(tmp_path).remember(_KEY, Era.LEGACY)
    assert Eras(tmp_path).get(_KEY) is Era.LEGACY
    assert Eras(tmp_path).get(_KEY) == "legacy"
    assert Eras(tmp_path).get("another") is None


def test_newer_era_replaces_the_older(tmp_path: Path) -> None:
    eras = Eras(tmp_path)
    eras.remember(_KEY, Era.LEGACY)
    eras.remember(_KEY, Era.MODERN)
    assert eras.get(_KEY) is Era.MODERN


def test_forgotten_era_is_gone(tmp_path: Path) -> None:
    eras = Eras(tmp_path)
    eras.remember(_KEY, Era.LEGACY)
    eras.forget(_KEY)
    eras.forget("never known")
    assert eras.get(_KEY) is None


def test_asking_makes_no_file(tmp_path: Path) -> None:
    assert Eras(tmp_path / "state").get(_KEY) is None
    assert not (tmp_path / "state").exists()


def test_the_file_is_its_owners_alone_and_alone(tmp_path: Path) -> None:
    state = tmp_path / "state"
    Eras(state).remember(_KEY, Era.MODERN)
    (file,) = state.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(state.stat().st_mode) == 0o700


def test_the_file_names_no_target(tmp_path: Path) -> None:
    Eras(tmp_path).remember(process_key(["server", "--token=secret"], Path("/")), Era.MODERN)
    assert b"secret" not in (tmp_path / "eras.json").read_bytes()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"format":1,"eras":{"a":"jurassic"}}',
        b'{"format":1,"eras":{"a":1}}',
        b'{"format":2,"eras":{"a":"legacy"}}',
    ],
    ids=lambda content: repr(content[:40]),
)
def test_a_broken_file_is_no_memory_and_is_replaced(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "eras.json").write_bytes(content)
    assert Eras(tmp_path).get("a") is None
    Eras(tmp_path).remember("a", Era.LEGACY)
    assert Eras(tmp_path).get("a") is Era.LEGACY


@given(st.binary())
def test_no_file_is_a_failure(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    state = tmp_path_factory.mktemp("state")
    (state / "eras.json").write_bytes(content)
    assert Eras(state).get("a") is None


def test_a_memory_that_cannot_be_kept_is_a_line_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").touch()
    with caplog.at_level(logging.WARNING):
        Eras(tmp_path / "file").remember(_KEY, Era.LEGACY)
    assert "cannot store" in caplog.text


def test_a_write_that_fails_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    eras = Eras(tmp_path)
    eras.remember(_KEY, Era.LEGACY)

    def disk_full(*paths: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", disk_full)
        eras.remember(_KEY, Era.MODERN)
    assert eras.get(_KEY) is Era.LEGACY
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == ["eras.json"]
    assert "no space left" in caplog.text


def test_the_target_not_heard_of_for_longest_is_forgotten_first(tmp_path: Path) -> None:
    eras = Eras(tmp_path)
    for number in range(MOST):
        eras.remember(str(number), Era.LEGACY)
    eras.remember("0", Era.LEGACY)
    eras.remember("one more", Era.MODERN)
    assert eras.get("0") is Era.LEGACY
    assert eras.get("1") is None
    assert eras.get("2") is Era.LEGACY


def test_target_keys_differ_in_all_that_matters() -> None:
    here, there = Path("/a"), Path("/b")
    keys = [
        process_key(["a", "b"], here),
        process_key(["a b"], here),
        process_key(["a", "b"], there),
        process_key(["a", "\udcff"], here),
        url_key("https://example.org/mcp"),
        url_key("https://example.org/mcp?x=1"),
    ]
    assert len(set(keys)) == len(keys)
    assert url_key("https://example.org/mcp#top") == _KEY


def environment(place: Path, *versions: str, requires: str = "mcp[cli]>=1.6") -> Path:
    """An environment with these versions of the SDK and a console script `serve`; its `bin`."""
    packages, bin_ = place / "lib" / "python3.12" / "site-packages", place / "bin"
    bin_.mkdir(parents=True)
    for version in versions:
        (packages / f"mcp-{version}.dist-info").mkdir(parents=True)
    own = packages / "serve_it-1.0.dist-info"
    own.mkdir(parents=True)
    (own / "entry_points.txt").write_text("[console_scripts]\nserve = serve_it:main\n")
    (own / "METADATA").write_text(f"Name: serve-it\nRequires-Dist: {requires}\n")
    (packages / "serve_it").mkdir()
    (packages / "serve_it" / "__init__.py").write_text("from .main import main\n")
    (packages / "serve_it" / "main.py").write_text("import os\nfrom mcp.server.fastmcp import FastMCP\n")
    (bin_ / "python").symlink_to("/usr/bin/env")
    (bin_ / "serve").write_text(f"#!{bin_ / 'python'}\nfrom serve_it import main\n")
    (bin_ / "serve").chmod(0o755)
    return bin_


def test_a_console_script_reveals_the_sdk_that_it_requires(tmp_path: Path) -> None:
    bin_ = environment(tmp_path / "one", "1.30.0")
    assert revealed_era([str(bin_ / "serve")], {}, "/") is Era.LEGACY
    assert revealed_era(["serve", "--db", "x"], {"PATH": str(bin_)}, "/") is Era.LEGACY
    assert revealed_era([str(environment(tmp_path / "two", "2.3.0") / "serve")], {}, "/") is None
    assert revealed_era([str(environment(tmp_path / "both", "1.30.0", "2.3.0") / "serve")], {}, "/") is None
    assert revealed_era([str(environment(tmp_path / "none") / "serve")], {}, "/") is None
    other = environment(tmp_path / "other", "1.30.0", requires="mcp-types>=2")
    assert revealed_era([str(other / "serve")], {}, "/") is None


def test_a_long_interpreter_is_found_behind_the_shell(tmp_path: Path) -> None:
    bin_ = environment(tmp_path / "env", "1.2")
    (bin_ / "serve").write_text(f"#!/bin/sh\n'''exec' \"{bin_ / 'python'}\" \"$0\" \"$@\"\n' '''\n")
    assert revealed_era([str(bin_ / "serve")], {}, "/") is Era.LEGACY


@pytest.mark.parametrize(
    ("text", "era"),
    [
        ("from mcp.server import Server", Era.LEGACY),
        ("import os\n    import mcp", Era.LEGACY),
        ("from fastmcp import FastMCP", Era.LEGACY),
        ("import mcp_types", None),
        ("import json, sys  # a server without the SDK", None),
        ("", None),
    ],
)
def test_a_script_reveals_the_sdk_that_it_imports(tmp_path: Path, text: str, era: Era | None) -> None:
    python = str(environment(tmp_path / "env", "1.30.0") / "python")
    (tmp_path / "server.py").write_text(text)
    assert revealed_era([python, "-u", "server.py"], {}, str(tmp_path)) is era
    assert revealed_era([python, "-m", "server"], {}, str(tmp_path)) is era
    assert revealed_era([python, "-c", text], {}, str(tmp_path)) is era


def test_a_module_and_a_project_reveal_it_too(tmp_path: Path) -> None:
    bin_ = environment(tmp_path / "project" / ".venv", "1.9.4")
    assert revealed_era([str(bin_ / "python"), "-m", "serve_it"], {}, "/") is Era.LEGACY
    uv = tmp_path / "bin" / "uv"
    uv.parent.mkdir()
    uv.write_bytes(b"\x7fELF")
    uv.chmod(0o755)
    run = ["uv", "--directory", str(tmp_path / "project"), "run"]
    path = {"PATH": str(uv.parent)}
    assert revealed_era([*run, "serve"], path, "/") is Era.LEGACY
    (tmp_path / "project" / "server.py").write_text("import mcp")
    assert revealed_era([*run, "server.py"], path, "/") is Era.LEGACY
    assert revealed_era([*run, "python", "server.py"], path, "/") is Era.LEGACY
    assert revealed_era([*run, "--with", "mcp==2", "serve"], path, "/") is None
    (tmp_path / "project" / "server.py").write_text("# /// script\n# dependencies = []\n# ///\nimport mcp")
    assert revealed_era([*run, "server.py"], path, "/") is None


def test_an_installed_tool_reveals_it_by_uvx_and_no_other_does(tmp_path: Path) -> None:
    tools = tmp_path / ".local" / "share" / "uv" / "tools"
    environment(tools / "serve", "1.30.0")
    environment(tools / "modern", "2.3.0")
    (tools / "modern" / "bin" / "serve").rename(tools / "modern" / "bin" / "modern")
    commands = tmp_path / "bin"
    commands.mkdir()
    for name in ("uv", "uvx"):
        (commands / name).write_bytes(b"\x7fELF")
        (commands / name).chmod(0o755)
    env = {"PATH": str(commands), "HOME": str(tmp_path)}
    assert revealed_era(["uvx", "serve", "--db", "x"], env, "/") is Era.LEGACY
    assert revealed_era(["uvx", "-q", "serve"], env, "/") is Era.LEGACY
    assert revealed_era(["uv", "tool", "run", "serve"], env, "/") is Era.LEGACY
    elsewhere = {"PATH": str(commands), "UV_TOOL_DIR": str(tools)}
    assert revealed_era(["uvx", "serve"], elsewhere, "/") is Era.LEGACY
    assert revealed_era(["uvx", "serve"], {**env, "XDG_DATA_HOME": str(tmp_path / "none")}, "/") is None
    for words in (
        *(["modern"], ["serve@latest"], ["serve@2.0"], ["--isolated", "serve"], ["--with", "mcp>=2", "serve"]),
        *(["--from", "serve", "serve"], ["--refresh", "serve"], ["other"], ["../serve"], []),
    ):
        assert revealed_era(["uvx", *words], env, "/") is None
    assert revealed_era(["uvx", "serve"], {**env, "UV_ISOLATED": "1"}, "/") is None


def test_revealed_era_is_none_if_unknown(tmp_path: Path) -> None:
    bin_ = environment(tmp_path / "env", "1.30.0")
    (tmp_path / "mcp").mkdir()
    os.mkfifo(tmp_path / "pipe")
    assert revealed_era([str(bin_ / "serve")], {"PYTHONPATH": f"/nowhere:{tmp_path}"}, "/") is None
    for argv in ([], [""], ["\0"], ["/nowhere/python"], [str(tmp_path)], [str(bin_ / "python")]):
        assert revealed_era(argv, {}, "/") is None
    assert revealed_era([str(bin_ / "python"), str(tmp_path / "pipe")], {}, "/") is None
    assert revealed_era([str(bin_ / "python"), "-X", "dev", "-m", "serve_it"], {}, "/") is None
