"""`mcp-inspect checks`: the list, as text, as JSON and as the reference in docs/."""

from pathlib import Path

from inspector.checks.registry import CHECKS
from tests.cli.running import MODERN, inspect


def test_every_check_is_on_the_list() -> None:
    assert len(inspect("checks").exits(0).stdout.splitlines()) == len(CHECKS)


def test_as_json_each_has_its_severity_revisions_and_page() -> None:
    listed = {each["id"]: each for each in inspect("checks", "--json").data}
    assert listed.keys() == CHECKS.keys()
    assert listed["server-request-not-allowed"]["revisions"] == [MODERN]
    assert listed["server-request-not-allowed"]["severity"] == "error"
    assert listed["server-request-not-allowed"]["page"].startswith("https://modelcontextprotocol.io/")


def test_the_reference_of_checks_is_up_to_date() -> None:
    ran = inspect("checks", "--markdown")
    page = Path(__file__).parents[3] / "docs" / "checks.md"
    assert page.read_text() == ran.stdout, "run: mcp-inspect checks --markdown > docs/checks.md"
    assert all(f"`{id_}`" in ran.stdout for id_ in CHECKS)


def test_one_format_at_a_time() -> None:
    assert inspect("checks", "--json", "--markdown").status == 2
