"""The run without `--run=whole` leaves no package and no feature out."""

from pathlib import Path

import inspector
from tests.quick_run import KEPT, LEFT_OUT, is_quick

_TESTS = Path(__file__).parent
_SOURCE = Path(inspector.__file__).parent
_PACKAGES = sorted(
    str(path.parent.relative_to(_SOURCE))
    for place in (_SOURCE, _SOURCE / "features", _SOURCE / "tui" / "screens")
    for path in place.glob("*/__init__.py")
)


def test_is_quick_each_package_and_feature_has_tests_that_run() -> None:
    for package in _PACKAGES:
        files = [str(path.relative_to(_TESTS)) for path in (_TESTS / package).rglob("test_*.py")]
        assert any(map(is_quick, files)), f"of {package} no test runs without --run=whole"


def test_left_out_places_exist() -> None:
    assert not [place for place in (*LEFT_OUT, *KEPT) if not (_TESTS / place).exists()]


def test_is_quick_files_of_a_folder_that_is_left_out_run_only_if_they_are_kept() -> None:
    assert not is_quick("stories/test_faults.py")
    assert is_quick("architecture/test_errors.py")
    assert is_quick("forms/test_values.py")
