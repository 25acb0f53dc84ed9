"""The README keeps its promises: two commands that stand alone, places that exist, every room on the map."""

import re

from tests.architecture.sources import ROOT

_README = (ROOT / "README.md").read_text()


def _commands() -> list[str]:
    return re.findall(r"^```sh\n(.*?)^```", _README, re.MULTILINE | re.DOTALL)


def _floors() -> str:
    """Return the second picture of the map: rooms in the order in which they may import."""
    return re.findall(r"^```\n(.*?)^```", _README, re.MULTILINE | re.DOTALL)[1]


def _rooms() -> set[str]:
    return {place.parent.name for place in (ROOT / "inspector").glob("*/__init__.py")}


def test_the_first_two_commands_each_do_the_whole_set_up_in_one_line() -> None:
    demo, tests = _commands()[:2]
    for command in (demo, tests):
        assert command.count("\n") == 1
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install ")
    assert demo.endswith("/mcp-inspect demo\n")
    assert tests.endswith("/pytest\n")


def test_every_file_that_is_named_exists() -> None:
    named = re.findall(r"`((?:inspector|tests|\.ci)/[^` ]*)`", _README) + re.findall(r"\]\((\w[\w./]*)\)", _README)
    assert len(named) > 7
    assert not [name for name in named if "://" not in name and not (ROOT / name).exists()]


def test_every_room_is_on_both_maps_and_no_other() -> None:
    assert set(re.findall(r"^[├└]─ (\w+)/", _README, re.MULTILINE)) == _rooms()
    assert set(_floors().split()) == _rooms() | {"errors"}


def test_the_matrix_of_revisions_has_its_place() -> None:
    assert _README.index("<!-- revisions:begin -->") < _README.index("<!-- revisions:end -->")
