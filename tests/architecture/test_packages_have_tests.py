"""Each package under `inspector/` has tests at its place in `tests/`, or above it, that import from it."""

from pathlib import PurePosixPath

import pytest

from tests.architecture.imports import imports
from tests.architecture.sources import Source, read, sources


def _faults(modules: list[Source], tests: list[Source]) -> list[str]:
    """Return a line for each package with modules of its own that no test file at, below or above its place imports."""
    packages = {str(PurePosixPath(source.path).parent) for source in modules if not source.path.endswith("__.py")}
    covered = {package for test in tests for package in packages & _imported_near(test)}
    return [f"{package} has no tests" for package in sorted(packages - covered)]


def _imported_near(test: Source) -> set[str]:
    """Return the packages that a test file imports from and at, below or above whose place it is."""
    path = PurePosixPath(test.path)
    if not path.name.startswith("test_"):
        return set()
    place = PurePosixPath("inspector", *path.parent.parts[1:])
    imported = {each for wanted in imports(test) for each in PurePosixPath(wanted.name.replace(".", "/")).parents}
    return {str(each) for each in imported if each in (place, *place.parents) or place in each.parents}


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


@pytest.mark.parametrize("path", ["tests/a/test_b.py", "tests/a/deeper/test_anything.py", "tests/test_all.py"])
def test_a_package_with_tests_is_left_alone(path: str) -> None:
    assert not _faults([_MODULE], [read(path, _TEST)])
