"""Nothing outside `protocol/revisions/` and the checks names a revision, or asks which of two is the newer.

A revision's differences are facts and strategies of its row in the table; a date elsewhere is a fact that the table
is missing. Checks declare the versions that they apply to. Comments and docstrings may say what they like.
"""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.architecture.sources import ROOT, Source, docstrings, dotted, read, sources

_ROWS = [file.stem[1:] for file in (ROOT / "inspector/protocol/revisions").glob("r20*.py")]
_DATE = re.compile("|".join([r"^20\d\d-\d\d-\d\d$", *(row.replace("_", "-") for row in _ROWS)]))
"""A string that is nothing but a date, or one that has a known revision in it; other dates are only examples."""
_NAME = re.compile(r"(?<!\d)20\d\d_\d\d_\d\d(?!\d)")
_SUBJECT = re.compile(r"(^|\.)(\w+_)?(revision|protocol_version)(\.\w+)?$")
_HOMES = {
    "inspector/protocol/revisions/": "the table itself",
    "inspector/checks/rules/": "a check declares the versions that it applies to",
    "inspector/checks/diagnoses/": "likewise",
    "inspector/demo/call.py": "the demo server is a second opinion and reads no table of ours",
}


def _faults(source: Source) -> list[str]:
    if any(source.path.startswith(home) for home in _HOMES):
        return []
    found = [*_literals(source), *_names(source), *_comparisons(source)]
    return [f"{source.path}:{line}: {what}" for line, what in found]


def _literals(source: Source) -> Iterator[tuple[int, str]]:
    prose = docstrings(source.tree)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Constant) and id(node) not in prose:
            value = node.value.decode(errors="replace") if isinstance(node.value, bytes) else node.value
            if isinstance(value, str) and _DATE.search(value):
                yield node.lineno, f"names a revision: {value[:60]!r}"


def _names(source: Source) -> Iterator[tuple[int, str]]:
    for node in ast.walk(source.tree):
        named = [getattr(node, field, None) for field in ("id", "attr", "module", "name")]
        for name in named:
            if isinstance(name, str) and _NAME.search(name):
                yield getattr(node, "lineno", 0), f"names a revision: {name}"


def _comparisons(source: Source) -> Iterator[tuple[int, str]]:
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Compare):
            continue
        ordered = any(isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in node.ops)
        if ordered and any(_SUBJECT.search(dotted(side)) for side in (node.left, *node.comparators)):
            yield node.lineno, f"compares revisions: {ast.unparse(node)}"


def test_no_revision_is_named_or_compared_outside_the_table() -> None:
    assert not [fault for source in sources("inspector") for fault in _faults(source)]


def test_no_data_file_names_a_revision_outside_the_table() -> None:
    others = (file for file in (ROOT / "inspector").rglob("*") if file.suffix in (".json", ".toml", ".tcss", ".yaml"))
    clients = ROOT / "inspector/config/clients"  # the version that a client asks for is a fact about that client
    assert not [file for file in others if file.parent != clients and _DATE.search(file.read_text(errors="replace"))]


def test_the_table_is_where_this_test_thinks_it_is() -> None:
    table = [source for source in sources("inspector") if source.path.startswith("inspector/protocol/revisions/")]
    assert [literal for source in table for literal in _literals(source)]


@pytest.mark.parametrize(
    "text",
    [
        "newest = '2026-07-28'",
        "newest = b'2026-07-28'",
        "next = '2031-12-31'",
        "link = f'https://example.org/specification/2025-06-18/{page}'",
        "from inspector.protocol.revisions.r2025_06_18 import row",
        "row = revisions.r2025_06_18",
        "if exchange.revision > other: pass",
        "if a <= self.protocol_version: pass",
        "if revision.name >= oldest: pass",
    ],
)
def test_a_named_or_compared_revision_is_found(text: str) -> None:
    assert _faults(read("inspector/session/a.py", text))


@pytest.mark.parametrize(
    "text",
    [
        "'''Since 2026-07-28 each request declares itself.'''",
        "class A:\n    field: int\n    '''Since 2026-07-28.'''",
        "x = 1  # gone in 2026-07-28",
        "example = 'a date, such as 2031-12-31'",
        "if answered.revision != asked.revision: pass",
        "if len(revisions) > 1: pass",
    ],
)
def test_prose_and_equality_are_left_alone(text: str) -> None:
    assert not _faults(read("inspector/session/a.py", text))
