"""Every module has a test file of its own, at the same place in the tree, that imports it and tests something.

Exempt are `__init__` and `__main__` (which hold nothing to test) and files whose name starts with an underscore
(which are tested through the package they belong to).
"""

import ast
from pathlib import PurePosixPath

import pytest

from tests.architecture.imports import imports
from tests.architecture.sources import Source, read, sources

_TESTED_TOGETHER: dict[str, tuple[str, str]] = {
    f"inspector/protocol/revisions/r{row}.py": (
        "tests/protocol/revisions/test_table.py",
        "a row is data: what holds for one row is asked of all of them",
    )
    for row in ("2024_11_05", "2025_03_26", "2025_06_18", "2025_11_25", "2026_07_28")
}
"""A module → the file that tests it instead, and why it has none of its own."""


def _place(source: Source) -> str:
    """Return where the test of a module belongs; "" if it needs none."""
    path = PurePosixPath(source.path)
    if path.name.startswith("_"):
        return ""
    if source.path in _TESTED_TOGETHER:
        return _TESTED_TOGETHER[source.path][0]
    return str(PurePosixPath("tests", *path.parts[1:-1], f"test_{path.name}"))


def _faults(source: Source, tests: dict[str, Source]) -> list[str]:
    place = _place(source)
    if not place:
        return []
    if place not in tests:
        return [f"{source.path} has no {place}"]
    functions = [
        node for node in ast.walk(tests[place].tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    if not any(function.name.startswith("test_") for function in functions):
        return [f"{place} tests nothing"]
    if place == _TESTED_TOGETHER.get(source.path, ("",))[0]:
        return []
    known = any(wanted.is_of(source.module) for wanted in imports(tests[place]))
    return [] if known else [f"{place} does not import {source.module}"]


def test_every_module_has_its_test_file() -> None:
    tests = {source.path: source for source in sources("tests")}
    assert not [fault for source in sources("inspector") for fault in _faults(source, tests)]


def test_every_module_that_is_tested_elsewhere_exists() -> None:
    assert {source.path for source in sources("inspector")} >= set(_TESTED_TOGETHER)


_MODULE = read("inspector/a/b.py", "")
_TEST = "from inspector.a.b import c\ndef test_it(): ..."


@pytest.mark.parametrize(
    "tests",
    [
        {},
        {"tests/a/test_c.py": _TEST},
        {"tests/a/test_b.py": ""},
        {"tests/a/test_b.py": "from inspector.a.b import c"},
        {"tests/a/test_b.py": "from inspector.a.bc import c\ndef test_it(): ..."},
    ],
)
def test_a_module_without_its_test_is_found(tests: dict[str, str]) -> None:
    assert _faults(_MODULE, {path: read(path, text) for path, text in tests.items()})


def test_a_module_with_its_test_is_left_alone() -> None:
    assert not _faults(_MODULE, {"tests/a/test_b.py": read("tests/a/test_b.py", _TEST)})
    assert not _faults(read("inspector/a/__init__.py", ""), {})
    assert not _faults(read("inspector/a/_b.py", ""), {})
