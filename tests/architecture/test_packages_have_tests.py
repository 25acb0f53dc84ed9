"""Each package under `inspector/` has a test folder at the same place in `tests/` that imports from it."""

from pathlib import PurePosixPath

import pytest

from tests.architecture.imports import imports
from tests.architecture.sources import Source, read, sources


def _faults(modules: list[Source], tests: list[Source]) -> list[str]:
    """Return a line for each package with modules of its own that no test file at or below its place imports."""
    packages = {str(PurePosixPath(source.path).parent) for source in modules if not source.path.endswith("__.py")}
    covered = {package for test in tests for package in _covers(test)}
    return [f"{package} has no tests" for package in sorted(packages - covered)]


def _covers(test: Source) -> set[str]:
    """Return the packages that a test file imports from and at or below whose place it is."""
    path = PurePosixPath(test.path)
    if not path.name.startswith("test_"):
        return set()
    places = {str(PurePosixPath("inspector", *place.parts[1:])) for place in path.parents if place.parts[:1]}
    return {
        place for place in places for wanted in imports(test) if wanted.name.startswith(place.replace("/", ".") + ".")
    }


def test_every_package_has_tests() -> None:
    assert not _faults(list(sources("inspector")), list(sources("tests")))


_MODULE = read("inspector/a/b.py", "")
_TEST = "from inspector.a.b import c\ndef test_it(): ..."


@pytest.mark.parametrize(
    ("path", "text"),
    [("tests/c/test_b.py", _TEST), ("tests/a/b.py", _TEST), ("tests/a/test_b.py", "from inspector.d import c")],
)
def test_a_package_without_tests_is_found(path: str, text: str) -> None:
    assert _faults([_MODULE], [read(path, text)]) == ["inspector/a has no tests"]


def test_a_package_with_tests_is_left_alone() -> None:
    assert not _faults([_MODULE], [read("tests/a/deeper/test_anything.py", _TEST)])
