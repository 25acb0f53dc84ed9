"""The documents keep their promises: commands, options, fields, links and pictures exist; the README is short."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from inspector.cli.command_group import commands
from inspector.cli.command_line import take_apart
from inspector.filters.language.parser import parse
from tests.architecture.sources import ROOT
from tests.screens.tour import NAME as TOUR
from tests.servers.real import versions
from tests.tables import TABLES, with_tables

PAGES = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").glob("*.md")),
)
_README = (ROOT / "README.md").read_text()
_LINES = 200
_PICTURE_BYTES = 2_000_000
_CONTEXT = click.Context(commands, info_name="mcp-inspect")
_NAMES = commands.list_commands(_CONTEXT)
_OTHERS = """
    --cli --strict --verify --prefix --snapshot-update --check --silent --full --small --into --api-key --dist
    --before --node --version --help --rm --table --user --proxy-user --run --late
""".split()  # noqa: SIM905
"""Options of other programs, and those that every program has."""


def _blocks(text: str, *languages: str) -> list[str]:
    """Return the contents of the fenced blocks of some languages, in order."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [block for name, block in found if name in languages]


def _command_lines(text: str) -> Iterator[str]:
    """Yield each command line of mcp-inspect in the blocks, and in code that begins with its name."""
    for block in _blocks(text, "sh", "console", "yaml"):
        for line in block.splitlines():
            if found := re.match(r"^(?:\$ |- run: )?(?:uvx )?(mcp-inspect .*?)(?: \| .*)?$", line):
                yield found[1]
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    yield from (" ".join(code.split()) for code in re.findall(r"`(mcp-inspect [^`]+)`", prose))


def _commands_of(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        for each in command.commands.values():
            yield from _commands_of(f"{name} {each.name}", each)


def _command(name: str) -> click.Command:
    command = commands.get_command(_CONTEXT, name)
    assert command is not None
    return command


def _parse(line: str) -> None:
    """Parse a command line without running it. Raises: UsageError or ClickException if it has an unknown part."""
    words = shlex.split(line)[1:]
    if set(words) <= {"--help", "--version", "-V", "COMMAND", "--help-all"}:
        return
    read = take_apart(words, _NAMES)
    command, ours = _command(read.command), list(read.ours)
    if isinstance(command, click.Group) and ours and not ours[0].startswith("-"):
        name = ours.pop(0)
        found = command.get_command(click.Context(command), name)
        assert found is not None, name
        command = found
    with click.Context(command, info_name=read.command) as context:
        command.make_parser(context).parse_args(ours)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_line_can_be_given(page: Path) -> None:
    for line in _command_lines(page.read_text()):
        try:
            _parse(line)
        except Exception as error:
            raise AssertionError(f"{page.name}: {line}: {error}") from error


def test_a_command_line_with_an_unknown_part_is_found() -> None:
    for line in ("mcp-inspect call --nonsense x -- node", "mcp-inspect auth nonsense URL", "mcp-inspect nonsense -- x"):
        with pytest.raises(Exception, match="nonsense"):
            _parse(line)
    text = "Try `mcp-inspect ping --count 3 -- x`:\n\n```sh\nmcp-inspect list tools -- x | jq\n```\n"
    assert list(_command_lines(text)) == ["mcp-inspect list tools -- x", "mcp-inspect ping --count 3 -- x"]


def test_every_option_that_is_mentioned_exists() -> None:
    every = dict(pair for name in _NAMES for pair in _commands_of(name, _command(name)))
    options = {
        option for command in every.values() for each in command.params for option in (*each.opts, *each.secondary_opts)
    }
    for page in PAGES:
        text = page.read_text()
        if page.name == "CHANGELOG.md":
            text = re.sub(r"`--[\w-]+`\s+→", "", text)
        mentioned = {
            option for code in re.findall(r"`([^`\n]+)`", text) for option in re.findall(r"(?<!\S)--[a-z][\w-]+", code)
        }
        unknown = sorted(mentioned - options - {*_OTHERS})
        assert not unknown, page.name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!\w+:)([^)\s]+)\)", page.read_text()):
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{page.name}: {target}"
        if anchor:
            assert anchor in _anchors(file.read_text()), f"{page.name}: {target}"


def _anchors(text: str) -> set[str]:
    """Return the anchors of the headings as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_is_named_exists(page: Path) -> None:
    named = re.findall(r"`((?:inspector|tests|docs|\.ci)/[^` ]*)`", page.read_text())
    assert not [name for name in named if "NAME" not in name and not (ROOT / name).exists()]


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "docs/index.md").read_text()
    assert not [
        page.name for page in (ROOT / "docs").glob("*.md") if page.name != "index.md" and f"({page.name})" not in index
    ]


def test_the_readme_is_short_and_begins_with_a_picture_that_loads_quickly() -> None:
    assert len(_README.splitlines()) <= _LINES
    picture = f"screenshots/{TOUR}"
    assert _README.index(picture) < _README.index("## ")
    assert (ROOT / picture).stat().st_size <= _PICTURE_BYTES


def test_the_first_two_commands_each_do_the_whole_set_up_in_one_line() -> None:
    demo, tests = _blocks(_README, "sh")[:2]
    for command in (demo, tests):
        assert command.count("\n") == 1
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install ")
    assert demo.endswith("/mcp-inspect demo\n")
    assert tests.endswith("/pytest -n auto --dist worksteal\n")
    script = (ROOT / ".ci/run").read_text()
    assert "for part in quick rest; do\n    pytest -n auto --dist worksteal --run=$part " in script


@pytest.mark.parametrize("page", TABLES)
def test_tables_that_come_from_the_program_are_up_to_date(page: str) -> None:
    assert (ROOT / page).read_text() == with_tables(page), "run python -m tests.tables"


def test_the_filters_that_are_shown_can_be_read() -> None:
    (shown,) = _blocks((ROOT / "docs/filters.md").read_text(), "text")
    examples = [each for line in shown.splitlines() for each in re.split(r"  +", line) if each]
    assert len(examples) == 6
    assert all(parse(each) is not None for each in examples)


def test_the_conformance_suite_is_named_with_the_version_that_is_run() -> None:
    suite = "@modelcontextprotocol/conformance"
    assert f"`{suite}`\n{versions()['conformance'][suite]}" in (ROOT / "docs/conformance.md").read_text()


def test_the_first_five_minutes_are_those_that_the_script_plays() -> None:
    from tests.stories.first_minutes import PAGE, table

    assert "\n".join(table()) in PAGE.read_text(), "run python -m tests.stories.first_minutes"
