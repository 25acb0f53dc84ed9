"""docs/cli.md and the man page agree with the commands."""

import tomllib

import pytest

from tests import manual
from tests.architecture.sources import ROOT


@pytest.mark.parametrize(("path", "write"), [(manual.PAGE, manual.page), (manual.MAN, manual.man)])
def test_the_reference_is_up_to_date(path: object, write: object) -> None:
    assert callable(write)
    assert (ROOT / str(path)).read_text() == write(), "run python -m tests.manual"


def test_manual_names_every_command_and_option() -> None:
    page, man = manual.PAGE.read_text(), manual.MAN.read_text()
    for _, words, command in manual.all_commands():
        assert f"\n### {words}\n" in page
        assert f".SS mcp\\-inspect {words}" in man
        for option in {name for param in command.params for name in param.opts if name.startswith("--")}:
            assert option in page or option == "--help-all"
            assert option.replace("-", "\\-") in man or option == "--help-all"


def test_the_wheel_contains_the_man_page() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert build["shared-data"] == {"docs/mcp-inspect.1": "share/man/man1/mcp-inspect.1"}
