"""`mcp-inspect roots`: the result that a server would get, without a server."""

from pathlib import Path

from tests.cli.running import inspect


def test_roots_are_what_a_server_would_get(tmp_path: Path) -> None:
    words = ("--root", str(tmp_path), "--root-uri", "file:///x")
    told = {"roots": [{"uri": tmp_path.as_uri(), "name": tmp_path.name}, {"uri": "file:///x"}]}
    assert inspect("roots", *words, "--json").data == told
    assert inspect("roots", *words).stdout == f"{tmp_path.as_uri()}  {tmp_path.name}\nfile:///x\n"


def test_roots_without_any_is_empty() -> None:
    assert inspect("roots", "--json").data == {"roots": []}
    ran = inspect("roots")
    assert (ran.status, ran.stdout) == (0, "")
    assert "no roots" in ran.stderr


def test_roots_takes_no_server() -> None:
    inspect("roots", "--", "x").exits(2, "takes no server's command")
