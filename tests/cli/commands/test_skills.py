"""`mcp-inspect skills`: the list, reading and verifying, and a mismatch with both values."""

import hashlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from inspector.cli.commands.skills import demand_skills
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession
from inspector.errors import UsageError
from inspector.protocol.capabilities import SKILLS
from tests.cli.running import demo, inspect, scripted

TEXT = "---\nname: knots\ndescription: How\n---\n# Knots\n"
URI = "skill://knots/SKILL.md"


def _server(log: Path, *, served: str = TEXT, **changed: Any) -> tuple[str, ...]:
    """A server with one skill of two files."""
    data = TEXT.encode()
    own = {"uri": URI, "digest": f"sha256:{hashlib.sha256(data).hexdigest()}", "size": len(data)}
    more = {"uri": "skill://knots/more.md", "digest": f"sha256:{hashlib.sha256(b'm').hexdigest()}", "size": 1}
    entry = {"uri": URI, "frontmatter": {"name": "knots", "description": "How"}, "resources": [own | changed, more]}
    return scripted(
        {
            "skills/list": {"result": {"skills": [entry]}},
            "skills/get": {"result": {"skill": entry}},
            "resources/read": {"result": {"contents": [{"uri": URI, "text": served}]}},
        },
        f"log={log}",
        capabilities={"resources": {}, "extensions": {SKILLS: {}}},
    )


def _methods(log: Path) -> list[str]:
    return [json.loads(line)["method"] for line in log.read_text().splitlines()]


def test_listing_reads_nothing(tmp_path: Path) -> None:
    log = tmp_path / "log"
    ran = inspect("skills", "--json", "--era", "legacy", *_server(log)).exits(0)
    assert _methods(log) == ["initialize", "notifications/initialized", "skills/list"]
    assert [(each["uri"], each["flaws"]) for each in ran.data["skills"]] == [(URI, [])]


def test_the_list_of_the_demo_is_readable() -> None:
    ran = inspect("skills", "--era", "modern", *demo())
    assert ran.stdout.startswith("3 skills  no files read\nlamp-lighting  skill://keepers/lamp-lighting/SKILL.md\n")


def test_all_files_of_a_skill_are_read_and_verified() -> None:
    ran = inspect("skills", "lamp-lighting", "--json", "--era", "modern", *demo()).exits(0)
    assert [(file["path"], file["ok"]) for file in ran.data["files"]] == [
        ("SKILL.md", True),
        ("references/oils.md", True),
        ("scripts/trim.py", True),
    ]


def test_one_file_is_shown_whole() -> None:
    ran = inspect("skills", "lamp-lighting", "scripts/trim.py", "--era", "modern", *demo()).exits(0)
    assert "✓ scripts/trim.py" in ran.stdout
    assert "print(round(0.4 * hours, 1))" in ran.stdout


def test_skill_file_with_another_hash_stops_the_reading() -> None:
    ran = inspect("skills", "forged-chart", "--era", "modern", *demo()).exits(ExitStatus.FINDINGS)
    promised = hashlib.sha256(b"buoy,fathoms\nfirst,9\nsecond,7\n").hexdigest()
    served = hashlib.sha256(b"buoy,fathoms\nfirst,2\nsecond,1\n").hexdigest()
    assert f"soundings.csv: sha256 differs: listed sha256:{promised}, received sha256:{served}" in ran.stderr
    assert "first,2" not in ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("served", "changed", "said"),
    [
        (TEXT + "x", {}, f"size differs: listed {len(TEXT)} bytes, received {len(TEXT) + 1} bytes"),
        (TEXT, {"digest": "sha256:" + "0" * 64}, f"sha256 differs: listed sha256:{'0' * 64}"),
    ],
)
def test_nothing_is_read_after_a_mismatch(tmp_path: Path, served: str, changed: dict[str, Any], said: str) -> None:
    log = tmp_path / "log"
    ran = inspect("skills", "knots", "--era", "legacy", *_server(log, served=served, **changed))
    assert ran.status == ExitStatus.FINDINGS
    assert said in ran.stderr
    assert "1 more not read" in ran.stderr
    assert _methods(log).count("resources/read") == 1


def test_front_matter_that_differs_is_a_mismatch(tmp_path: Path) -> None:
    text = TEXT.replace("How", "Why")
    size = {"size": len(text), "digest": f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"}
    ran = inspect("skills", "knots", "--era", "legacy", *_server(tmp_path / "log", served=text, **size))
    assert ran.status == ExitStatus.FINDINGS
    assert "front matter differs: listed description: How, received description: Why" in ran.stderr


def test_a_skill_is_found_by_its_uri_without_a_list(tmp_path: Path) -> None:
    log = tmp_path / "log"
    inspect("skills", URI, "SKILL.md", "--era", "legacy", *_server(log)).exits(0)
    assert _methods(log)[2:] == ["skills/get", "resources/read"]


def test_unlisted_skill_is_refused_with_the_listed_ones(tmp_path: Path) -> None:
    ran = inspect("skills", "bends", "--era", "legacy", *_server(tmp_path / "log")).exits(ExitStatus.USAGE)
    assert "no skill is listed as 'bends'" in ran.stderr
    assert "There are: knots." in ran.stderr
    ran = inspect("skills", "knots", "../secret", "--era", "legacy", *_server(tmp_path / "log"))
    assert "'../secret' is not listed among the files of knots" in ran.stderr


def test_skills_of_an_undeclared_server_are_requested_only_with_anyway() -> None:
    inspect("skills", "--era", "legacy", *demo()).exits(ExitStatus.USAGE, f"the server does not declare {SKILLS}")
    asked = inspect("skills", "--anyway", "--era", "legacy", *demo()).exits(ExitStatus.TOOL_ERROR)
    assert "skills/list failed with JSON-RPC error -32601" in asked.stderr


def test_skills_are_listed_over_http(demo_url: str) -> None:
    ran = inspect("skills", "night-reports", "--json", "--era", "modern", demo_url).exits(0)
    assert [check["name"] for check in ran.data["files"][0]["checks"]] == ["front matter"]


def visit(capabilities: dict[str, Any]) -> CommandSession:
    return cast(CommandSession, SimpleNamespace(opening=SimpleNamespace(capabilities=capabilities)))


def test_demand_skills_raises_unless_declared_or_anyway() -> None:
    with pytest.raises(UsageError, match=SKILLS):
        demand_skills(visit({"tools": {}}), anyway=False)
    demand_skills(visit({"tools": {}}), anyway=True)
    demand_skills(visit({"extensions": {SKILLS: {}}}), anyway=False)
