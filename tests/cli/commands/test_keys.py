"""`mcp-inspect keys`: the table of the interface, with the user's own keys, and the page that is made of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.cli.commands.keys import markdown_lines
from inspector.tui import keys
from tests.architecture.sources import ROOT
from tests.cli.running import inspect


@pytest.fixture(autouse=True)
def _default_keys() -> Iterator[None]:
    yield
    keys.rebind({})


def test_the_page_of_keys_is_up_to_date() -> None:
    page = (ROOT / "docs" / "keys.md").read_text(encoding="utf-8")
    assert page == "\n".join(markdown_lines()) + "\n", "run: mcp-inspect keys --markdown > docs/keys.md"


def test_the_table_is_printed_and_written_as_json() -> None:
    inspect("keys").exits(0).prints("traffic.tree")
    actions = inspect("keys", "--json").data["actions"]
    assert [each["id"] for each in actions] == [each.id for each in keys.ACTIONS]
    assert {frozenset(each) for each in actions} == {frozenset(("id", "keys", "where", "label", "sentence"))}


def test_own_keys_are_shown_and_mistakes_are_reported(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "keys.toml").write_text('"traffic.tree" = "z"\n"nothing" = "b"\n')
    ran = inspect("keys", "--json", env={"MCP_INSPECT_HOME": str(tmp_path)}).exits(2)
    assert "keys.toml:2: unknown action 'nothing'" in ran.stderr
    assert [each["keys"] for each in ran.data["actions"] if each["id"] == "traffic.tree"] == [["z"]]
