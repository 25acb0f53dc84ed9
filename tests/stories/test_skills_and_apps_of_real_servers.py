"""A server that others wrote serves skills and brings an app: both are shown, and a skill that changes is caught."""

import json
import os
from pathlib import Path

import pytest

from inspector.cli.exit_status import ExitStatus
from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from inspector.protocol.capabilities import SKILLS
from tests.cli.running import Ran, inspect
from tests.servers.real import NotInstalled, argv, is_ci
from tests.stories.persons import at_the_screen

pytestmark = pytest.mark.real

_CHANDLER = str(Path(argv.__code__.co_filename).with_name("chandler.py"))
_SKILL = '---\nname: bowline\ndescription: Tie a bowline\nmetadata:\n  since: "1871"\n---\n# Bowline\n'


@pytest.fixture
def command(tmp_path: Path) -> tuple[str, ...]:
    """The server's command, with one skill of two files in its directory."""
    place = tmp_path / "skills" / "bowline"
    place.mkdir(parents=True)
    (place / "SKILL.md").write_text(_SKILL)
    (place / "rabbit.md").write_text("Out of the hole, around the tree.\n")
    try:
        return (*argv("fastmcp"), _CHANDLER, "stdio", str(tmp_path / "skills"))
    except NotInstalled as error:
        if is_ci():
            pytest.fail(str(error))
        pytest.skip(str(error))


def run(command: tuple[str, ...], *words: str) -> Ran:
    return inspect(*words, "--", *command)


def test_skills_are_listed_and_verified(command: tuple[str, ...]) -> None:
    listed = run(command, "skills", "--json").exits(0)
    assert [(each["frontmatter"]["name"], each["flaws"]) for each in listed.data["skills"]] == [("bowline", [])]
    verified = run(command, "skills", "bowline", "--json").exits(0)
    assert {file["path"]: file["ok"] for file in verified.data["files"]} == {"SKILL.md": True, "rabbit.md": True}
    unlisted = run(command, "skills", "skill://nowhere/SKILL.md").exits(ExitStatus.TOOL_ERROR)
    assert "skills/get failed with JSON-RPC error -32602" in unlisted.stderr


def test_both_sides_declare_the_extension_and_the_app_is_named(command: tuple[str, ...]) -> None:
    run(command, "info").prints(f"{SKILLS}  both sides", "knots  App: ui://chandler/knots")
    page = run(command, "read", "ui://chandler/knots").prints("the page is not rendered")
    assert "connectDomains  https://knots.example" in page.stdout


async def test_skill_file_changed_after_listing_is_not_shown(command: tuple[str, ...], tmp_path: Path) -> None:
    target = StdioTarget(command, build_environment(os.environ, inherit_all=False), str(tmp_path))
    async with at_the_screen(target, tmp_path / "skills.mcpcap") as person:
        await person.sees("Connected")
        await person.press("g", "k", shows=("bowline  2 files", "rabbit.md"))
        (tmp_path / "skills" / "bowline" / "rabbit.md").write_text("Into the hole, around the moon.!!\n")
        await person.press("x", "v", shows=("✓ as listed", "✗ sha256 differs"))
        await person.press("G", shows="The file does not match its entry and must not be used.")
        assert "moon" not in person.screen
        uris = [json.loads(json.dumps(each))["params"]["uri"] for each in person.wire().sent("resources/read")]
        assert len(uris) == 2


async def test_app_source_is_shown(command: tuple[str, ...], tmp_path: Path) -> None:
    target = StdioTarget(command, build_environment(os.environ, inherit_all=False), str(tmp_path))
    async with at_the_screen(target, None) as person:
        await person.sees("Connected")
        await person.press("2", shows="knots")
        await person.press("enter", shows="App: ui://chandler/knots")
        await person.press("escape", "v", "A", shows=("<!DOCTYPE html>", "https://knots.example", "not rendered"))
