"""What is known of a skill or a file of it."""

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from inspector.protocol.skills import verify
from inspector.tui.screens.skills.model import Held, SkillRow
from inspector.tui.screens.skills.panel import SkillDetail, SkillsPanel, why_not_read
from tests.architecture.sources import ROOT
from tests.cli.running import SERVERS
from tests.protocol.test_skills import TEXT, entry, listed, text_result
from tests.stories.persons import Person, at_a_replay, at_the_screen
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing
from tests.waiting import until


@pytest.mark.parametrize(
    ("served", "shown", "hidden"),
    [
        (TEXT, ["as in the entry", "# Knots", "A match shows"], "must not"),
        (TEXT + "!", ["must not be used"], "# Knots"),
    ],
)
async def test_only_what_is_as_listed_is_shown(served: str, shown: list[str], hidden: str) -> None:
    held = Held(entry(), 1)
    file = held.skill.files[0]
    async with Showing(SkillDetail()).run_test(size=(100, 30)) as pilot:
        detail = pilot.app.query_one(SkillDetail)
        detail.show(SkillRow(held, file))
        await until(lambda: "Not read yet" in text(pilot.app), "it was not read")
        held.reads[file.uri] = verify(held.skill, file, text_result(served))
        detail.show(SkillRow(held, file))
        await until(lambda: all(each in text(pilot.app) for each in shown), f"{shown}")
        assert hidden not in text(pilot.app)


async def test_an_entry_shows_its_front_matter_and_its_flaws() -> None:
    async with Showing(SkillDetail()).run_test(size=(100, 30)) as pilot:
        detail = pilot.app.query_one(SkillDetail)
        skill = entry(frontmatter={"name": "bends", "description": "How", "license": "CC0"})
        detail.show(SkillRow(Held(skill, 1)))
        await until(lambda: "CC0" in text(pilot.app) and "does not end in its name" in text(pilot.app), "the entry")
        detail.show(None)
        await until(lambda: "CC0" not in text(pilot.app), "nothing")


def test_why_not_read_names_the_reason() -> None:
    held = Held(entry(listed("../x", b"")), 1)
    assert why_not_read(held, held.skill.files[1]) == "it is not within the skill's directory"
    assert why_not_read(held, held.skill.files[0]) == ""


@asynccontextmanager
async def before_skills(tmp_path: Path, *flags: str, **sitting: Any) -> AsyncIterator[Person]:
    """A person on the screen, with the demo behind it."""
    environment = build_environment({"PYTHONPATH": str(ROOT)}, inherit_all=True)
    target = StdioTarget((sys.executable, "-m", "inspector.demo", *flags), environment, str(ROOT))
    async with at_the_screen(target, tmp_path / "demo.mcpcap", **sitting) as person:
        await person.sees("Connected")
        await person.press("g k")
        yield person


_CACHED = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


@asynccontextmanager
async def before_pages(tmp_path: Path, pages: list[Any], content: Any) -> AsyncIterator[Person]:
    """A person on the screen, with a server behind it that lists skills in these pages and has one file."""
    hello = {
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"resources": {}, "extensions": {"io.modelcontextprotocol/skills": {}}},
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "paged", "version": "1"}},
    }
    script = {
        "server/discover": {"result": {**hello, **_CACHED}},
        "skills/list": pages,
        "resources/read": {"result": {"contents": [content], **_CACHED}},
    }
    argv = (sys.executable, str(SERVERS / "scripted.py"), json.dumps(script))
    target = StdioTarget(argv, build_environment({}, inherit_all=False), str(ROOT))
    async with at_the_screen(target, tmp_path / "paged.mcpcap") as person:
        await person.sees("Connected")
        await person.press("g k")
        yield person


def read(person: Person) -> list[str]:
    """The URIs that were read."""
    return [message["params"]["uri"] for message in person.wire().sent("resources/read")]


async def test_opening_the_screen_lists_and_reads_nothing(tmp_path: Path) -> None:
    async with before_skills(tmp_path) as person:
        await person.sees("lamp-lighting  3 files", "night-reports  dynamic", "soundings.csv  · not read")
        assert any(isinstance(each, SkillsPanel) for each in person.pilot.app.screen.walk_children())
        assert len(person.wire().sent("skills/list")) == 1
        assert read(person) == []


async def test_a_file_is_read_on_demand_and_compared(tmp_path: Path) -> None:
    async with before_skills(tmp_path) as person:
        await person.sees("lamp-lighting")
        await person.press("j", "ctrl+j")
        await person.sees("SKILL.md  ✓ as listed", "front matter  ✓ as in the entry", "# Lighting the lamp")
        assert "A match shows that file and entry agree" in person.screen
        assert read(person) == ["skill://keepers/lamp-lighting/SKILL.md"]


async def test_verifying_stops_where_a_file_differs_and_shows_both_digests_and_no_content(tmp_path: Path) -> None:
    async with before_skills(tmp_path, size=(80, 24)) as person:
        await person.sees(
            "forged-chart", "Saved a baseline"
        )  # what is met for the first time is said until the next key
        await person.press("G", "x v", shows=("sha256 differs", "listed", "received", "must not be used"))
        assert "first,2" not in person.screen
        assert len(read(person)) == 2


async def test_a_file_can_be_read_while_the_rest_of_the_list_is_still_arriving(tmp_path: Path) -> None:
    uri = "skill://near/SKILL.md"
    listed = {"uri": uri, "frontmatter": {"name": "near", "description": "x"}, "resources": "dynamic"}
    content = {"uri": uri, "mimeType": "text/markdown", "text": "---\nname: near\ndescription: x\n---\n# Near by"}
    pages = [{"result": {"skills": [listed], "nextCursor": "more", **_CACHED}}, "silence"]
    async with before_pages(tmp_path, pages, content) as person:
        await person.sees(" near  dynamic", "⋯ listing")
        await person.press("j", "ctrl+j", shows="# Near by")
        assert read(person) == [uri]
        assert "Skills  1  ⋯ listing" in person.screen


async def test_keys_wait_while_the_skill_list_arrives(tmp_path: Path) -> None:
    async with before_pages(tmp_path, ["silence"], {}) as person:
        await person.sees("⋯ listing")
        for key in ("x v", "ctrl+j", "x g"):
            await person.press(key, shows="The list is still arriving.")
            person.pilot.app.clear_notifications()
            await until(lambda: "still arriving" not in person.screen, "the message has gone")
        assert read(person) == []


async def test_undeclared_skills_are_listed_on_request_only(tmp_path: Path) -> None:
    async with before_skills(tmp_path, "--legacy-only") as person:
        await person.sees("The server does not declare skills", "r lists skills anyway")
        assert person.wire().sent("skills/list") == []
        await person.press("r", shows="cannot list skills: error -32601")


async def test_skill_entry_can_be_fetched_again(tmp_path: Path) -> None:
    async with before_skills(tmp_path) as person:
        await person.sees("lamp-lighting")
        await person.press("j", "ctrl+j", shows="✓ as listed")
        await person.press("x g", shows="SKILL.md  · not read  452 B")
        assert json.dumps(person.wire().sent("skills/get")[0]).count("lamp-lighting") == 1


async def test_a_recording_shows_its_skills_and_what_became_of_them(tmp_path: Path) -> None:
    async with before_skills(tmp_path) as person:
        await person.sees("forged-chart")
        await person.press("G", "x v", shows="sha256 differs")
    async with at_a_replay(tmp_path / "demo.mcpcap") as person:
        await person.press("g k", shows=("lamp-lighting", "soundings.csv  ✗ sha256 differs"))
        await person.press("x v", shows="This is a recording.")
