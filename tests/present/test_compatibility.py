"""Hosts as lines: the matrix, its notes, words for a finding, and the line above a form."""

from datetime import date
from typing import Any

import msgspec

from inspector.capture.store.load import load
from inspector.checks.compat.matrix import CheckedDefinitions
from inspector.checks.compat.packs import CompatSource, known_hosts, usual_hosts
from inspector.checks.findings import Confidence, Finding, Severity
from inspector.present.compatibility import (
    compatibility_matrix,
    concerned_as_json,
    dated,
    definitions_of,
    host_as_json,
    host_lines,
    is_old,
    matrix_as_json,
    matrix_lines,
    outlook_of,
    words_of,
)
from inspector.present.spans import plain
from tests.captures.record import sample

HOSTS = known_hosts()

_TOOL: dict[str, Any] = {"name": "fine", "description": "d", "inputSchema": {"type": "object"}}
_BAD = _TOOL | {"name": "bad\x1b[31m", "inputSchema": {"type": "object", "anyOf": []}}
_FINDING = Finding("input-schema-not-object", Severity.ERROR, Confidence.CERTAIN, "x", (1,))


def _lines(*tools: object, width: int = 80, every: bool = False) -> list[str]:
    return [
        plain(line) for line in matrix_lines(compatibility_matrix(CheckedDefinitions(tools, "s")), width, every=every)
    ]


def test_the_matrix_has_a_column_for_each_host_and_fits_its_width() -> None:
    lines = _lines(_TOOL, _BAD | {"name": "x" * 100})
    assert lines[0].split() == [host.short[:3] for host in usual_hosts()]
    assert _lines(_BAD, width=160)[0].split() == [host.short for host in usual_hosts()]
    assert all(len(line.rstrip()) <= 80 for line in lines[:3])
    assert lines[2].startswith("xxxxxxxxx")
    assert "…" in lines[2]


def test_a_tool_of_which_nothing_is_known_is_only_counted_unless_all_are_wanted() -> None:
    assert "and 1 tool without known problems" in _lines(_TOOL, _BAD)
    assert "and 2 tools without known problems" in _lines(_TOOL, _TOOL | {"name": "also"}, _BAD)
    assert any(line.startswith("fine") for line in _lines(_TOOL, _BAD, every=True))


def test_a_tool_that_is_lost_because_of_another_one_has_a_mark_of_its_own() -> None:
    lines = _lines(_TOOL, _TOOL | {"name": "rootless", "inputSchema": {}}, width=160, every=True)
    columns, fine = lines[0].split(), lines[2].split()
    assert dict(zip(columns, fine[1:], strict=True))["ClCod"] == "✗oth"
    assert dict(zip(columns, lines[3].split()[1:], strict=True))["ClCod"] == "✗all"
    assert any("✗oth lost because of another tool" in line for line in lines)


def test_counted_tools_that_another_one_takes_along_are_not_called_fine() -> None:
    lines = _lines(_TOOL, _TOOL | {"name": "rootless", "inputSchema": {}})
    assert "and 1 tool without known problems of its own: lost where another one is ✗a" in lines


def test_a_note_names_a_tool_once() -> None:
    bad = _TOOL | {"name": "bad", "inputSchema": {"type": "objekt", "properties": {}, "required": "a"}}
    named = [line.strip() for line in _lines(bad, width=160) if line.strip().startswith("bad")]
    assert named
    assert not [line for line in named if "bad, bad" in line]


def test_each_mark_is_explained_and_has_its_source_and_date() -> None:
    lines = "\n".join(_lines(_BAD))
    assert "~ changed" in lines
    assert "Claude Code merges the branches into the properties of the root" in lines
    assert "seen in 2.1.332, observed  https://www.npmjs.com/package/@anthropic-ai/claude-code/v/2.1.332" in lines
    assert "reported, read in its code, old  https://github.com/microsoft/vscode-copilot-chat" in lines
    assert "accepts it" not in lines  # a tick needs no note


def test_a_server_s_words_act_on_nothing() -> None:
    assert not any("\x1b" in line for line in _lines(_BAD))


def test_the_matrix_as_json_leaves_out_what_is_not_known() -> None:
    found = matrix_as_json(
        compatibility_matrix(CheckedDefinitions((_TOOL, _BAD), "git"), [HOSTS["claude-code"], HOSTS["cursor"]])
    )
    assert [host["id"] for host in found["hosts"]] == ["claude-code", "cursor"]
    assert found["tools"][0] == {
        "name": "fine",
        "shown_as": {"claude-code": "mcp__git__fine", "cursor": "gitfine"},
        "hosts": {},
    }
    cell = next(each for each in found["tools"][1]["hosts"]["claude-code"] if each["pointer"] != "/name")
    assert (cell["effect"], cell["pointer"]) == ("changed", "/inputSchema/anyOf")
    assert (cell["source"]["how"], cell["source"]["older_than"]) == ("observed", None)


def test_matrix_as_json_names_the_tool_that_takes_another_one_along() -> None:
    rootless = _TOOL | {"name": "rootless", "inputSchema": {}}
    hosts = [HOSTS["claude-code"], HOSTS["cursor"]]
    first, second = matrix_as_json(compatibility_matrix(CheckedDefinitions((_TOOL, rootless), "git"), hosts))["tools"]
    assert first["lost_because_of"] == {"claude-code": "rootless"}
    assert "lost_because_of" not in second


def test_a_surface_is_read_from_a_conversation() -> None:
    journal = load(sample("evening"))
    surface = definitions_of(journal.conversation)
    named = definitions_of(journal.conversation, "lights")
    journal.close()
    assert len(surface.tools) > 10
    assert (surface.pages, named.server) == (surface.pages, "lights")
    assert surface.server
    assert surface.uses >= {"resources", "prompts"}


def test_hosts_that_do_the_same_about_a_finding_are_named_together() -> None:
    words = words_of(_FINDING)
    assert any(
        "TypeScript SDK 1 (1.32.2, 2026-11-28), TypeScript SDK 2 (2.4.0, 2026-11-28)" in each for each, _ in words
    )
    assert {each["host"] for each in concerned_as_json(_FINDING)} >= {"vscode", "typescript-sdk-1"}


def test_compatibility_statement_has_version_and_date_unless_chosen() -> None:
    chosen = msgspec.structs.replace(_FINDING, chosen=True)
    assert not any("version not named" in names for names, _ in words_of(_FINDING))
    assert all(each["source"]["seen_in"] and each["source"]["date"] for each in concerned_as_json(_FINDING))
    assert len(concerned_as_json(chosen)) >= len(concerned_as_json(_FINDING))
    assert CompatSource(
        "https://github.com/a/b/blob/" + "0123456789abcdef" * 2 + "01234567/x.ts", date(2026, 1, 1)
    ).label == ("commit 0123456789ab, 2026-01-01, reported")


def test_outlook_has_the_worst_effect_and_a_count() -> None:
    line = plain(outlook_of(_TOOL | {"inputSchema": {"anyOf": []}}))
    assert line == ("✗ in clients: Claude Code (2.1.332, 2026-11-28) drops every tool of the server (8 more clients)")
    assert outlook_of(_TOOL) == ()
    assert outlook_of(7) == ()


def test_host_lines_have_sources() -> None:
    lines = [plain(line) for line in host_lines([HOSTS["gemini-cli"]])]
    assert lines[0] == "Gemini CLI  gemini-cli"
    assert any("removes the middle, over 63 characters" in line for line in lines)
    assert any("not supported" in line for line in lines)
    assert host_as_json(HOSTS["codex"])["limits"][0]["name"] == "start"


def test_an_old_source_is_called_old() -> None:
    old = CompatSource("https://a", date(2025, 1, 1), "1.0", Confidence.GUESS)
    assert is_old(old)
    assert dated(HOSTS["cursor"], old) == "2025-01-01, seen in 1.0, reported, a guess, old  https://a"
    assert dated(HOSTS["codex"], old).endswith(", reported, a guess, older than 0.171.0  https://a")
    assert not is_old(CompatSource("https://a", date(2026, 11, 22)))
