"""`mcp-inspect revisions`: the table, three ways; the README's copy is the same."""

from inspector.cli.commands import revisions
from tests.architecture.sources import ROOT
from tests.cli.running import LEGACY, MODERN, inspect


def test_each_revision_has_a_block_in_the_text() -> None:
    ran = inspect("revisions")
    assert ran.status == 0
    assert LEGACY in ran.stdout
    assert f"\n\n{MODERN}\n  era                   modern\n" in ran.stdout


def test_the_readme_has_what_the_command_prints() -> None:
    readme = (ROOT / "README.md").read_text()
    between = readme.partition("<!-- revisions:begin -->")[2].partition("<!-- revisions:end -->")[0]
    assert between.strip() == inspect("revisions", "--markdown").stdout.strip(), (
        "put the output of mcp-inspect revisions --markdown between the marks"
    )


def test_as_json_each_revision_is_whole() -> None:
    rows = inspect("revisions", "--json").data["revisions"]
    assert [row["date"] for row in rows][-1] == MODERN
    assert "ping" not in rows[-1]["client_requests"]
    assert rows[0]["error_names"]["-32002"] == "resource not found"
    assert revisions.command.name == "revisions"
