"""All chapters are on the list, in order."""

import ast
import re

from inspector.checks.catalog import AREAS, all_checks, area_of
from inspector.checks.registry import CHECKS
from tests.architecture.sources import docstrings, sources


def test_the_list_has_every_check_once_by_area() -> None:
    found = [each.id for each in all_checks()]
    assert sorted(found) == sorted(CHECKS)
    areas = [area_of(each) for each in all_checks()]
    assert list(dict.fromkeys(areas)) == list(AREAS)
    assert areas == sorted(areas, key=list(AREAS).index)


def test_every_chapter_declares_something() -> None:
    homes = {each.judge.__module__ for each in all_checks() if each.judge}
    assert homes == {f"inspector.checks.{module}" for modules in AREAS.values() for module in modules}


_NAMED = re.compile(
    r"\b(Claude|VS ?Code|Cursor|Codex|Gemini|Windsurf|Heroku|Cloudflare|Azure|nginx|rmcp|FastMCP|hosts?|model APIs?)\b"
    r"|(Python|TypeScript|Go|Rust|Java|C#|Kotlin|official) (SDK|Inspector)|\bSDK \d"
)
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}")
_MEANT_OTHERWISE = re.compile(
    r"(?i)host header|this host|allow the host|host and port|guard against other hosts|Host:?[ ,]"
)


def test_claims_about_programs_have_version_and_date() -> None:
    claims = []
    for folder in ("rules", "diagnoses"):
        for source in sources(f"inspector/checks/{folder}"):
            alone = docstrings(source.tree)
            patterns = {
                id(each)
                for call in ast.walk(source.tree)
                if ast.unparse(call).startswith("re.compile(")
                for each in ast.walk(call)
            }
            claims += [
                f"{source.path}:{node.lineno}: {node.value}"
                for node in ast.walk(source.tree)
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value
                if id(node) not in alone and id(node) not in patterns
                if _NAMED.search(node.value)
                if not _DATED.search(node.value) and not _MEANT_OTHERWISE.search(node.value)
            ]
    assert not claims
