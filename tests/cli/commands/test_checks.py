"""`mcp-inspect checks`: the list, as text and as JSON."""

from inspector.checks.registry import CHECKS
from tests.cli.running import MODERN, inspect


def test_every_check_is_on_the_list() -> None:
    ran = inspect("checks")
    assert ran.status == 0
    assert len(ran.stdout.splitlines()) == len(CHECKS)


def test_as_json_each_has_its_severity_revisions_and_page() -> None:
    listed = {each["id"]: each for each in inspect("checks", "--json").data}
    assert listed.keys() == CHECKS.keys()
    assert listed["server-request-not-allowed"]["revisions"] == [MODERN]
    assert listed["server-request-not-allowed"]["severity"] == "error"
    assert listed["server-request-not-allowed"]["page"].startswith("https://modelcontextprotocol.io/")
