"""The README keeps its promises: two commands that stand alone, places that exist, every room on the map."""

import re

from inspector.cli.exit_status import MEANINGS
from inspector.filters.language.fields import FIELDS
from inspector.filters.language.parser import parse
from tests.architecture.sources import ROOT
from tests.screens.pictures import SHOWN
from tests.servers.real import versions

_README = (ROOT / "README.md").read_text()


def _blocks(language: str) -> list[str]:
    """Return what stands in the fences of a language, in order; "" is the language of pictures."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", _README, re.MULTILINE | re.DOTALL)
    return [text for name, text in found if name == language]


def test_the_first_two_commands_each_do_the_whole_set_up_in_one_line() -> None:
    demo, tests = _blocks("sh")[:2]
    for command in (demo, tests):
        assert command.count("\n") == 1
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install ")
    assert demo.endswith("/mcp-inspect demo\n")
    assert tests.endswith("/pytest -n auto --dist worksteal\n")
    assert "\npytest -n auto --dist worksteal -m '' " in (ROOT / ".ci/run").read_text()


def test_every_file_that_is_named_exists() -> None:
    named = re.findall(r"`((?:inspector|tests|\.ci)/[^` ]*)`", _README) + re.findall(r"\]\((\w[\w./]*)\)", _README)
    assert len(named) > 7
    assert not [name for name in named if "://" not in name and not (ROOT / name).exists()]


def test_the_exit_statuses_are_those_of_the_program() -> None:
    rows = re.findall(r"^\| (\d+) \| (.+) \|$", _README, re.MULTILINE)
    assert rows == [(str(int(status)), meaning) for status, meaning in MEANINGS.items()]


def test_every_picture_is_of_a_screen_of_today() -> None:
    shown = re.findall(r"!\[[^]]+\]\(screenshots/([\w-]+)\.svg\)", _README)
    assert shown
    assert set(shown) <= set(SHOWN)
    assert _README.index(f"screenshots/{shown[0]}.svg") < _README.index("## ")


def test_the_matrix_of_revisions_has_its_place() -> None:
    assert _README.index("<!-- revisions:begin -->") < _README.index("<!-- revisions:end -->")


def test_the_fields_of_filters_are_those_of_the_program() -> None:
    rows = re.findall(r"^\| `([\w.]+)` \| (\w+) \| (.+) \| `(.+)` \|$", _README, re.MULTILINE)
    said = [f"{field.help}{': ' * bool(field.choices)}{', '.join(field.choices)}" for field in FIELDS]
    assert [row[:2] for row in rows] == [(field.name, field.type.value) for field in FIELDS]
    assert [row[2] for row in rows] == said
    assert [row[3] for row in rows] == [field.example for field in FIELDS]


def test_the_filters_that_are_shown_can_be_read() -> None:
    (shown,) = _blocks("text")
    examples = [each for line in shown.splitlines() for each in re.split(r"  +", line) if each]
    assert len(examples) == 6
    assert all(parse(each) is not None for each in examples)


def test_the_conformance_suite_is_named_with_the_version_that_is_run() -> None:
    suite = "@modelcontextprotocol/conformance"
    assert f"`{suite}` {versions()['conformance'][suite]}" in _README
