"""The app checks by itself, from shortly after the first picture until it ends."""

from pathlib import Path

from inspector.tui.app import InspectApp
from inspector.tui.checking import Checking
from tests.captures.record import sample
from tests.waiting import until


async def test_the_app_has_everything_checked_and_leaves_no_thread(tmp_path: Path) -> None:
    app = InspectApp(replay=sample("wreck"))
    app.CHECKS_AFTER_S = 0.01
    async with app.run_test(size=(120, 36)):
        assert app.subject.checks_so_far is None
        await until(lambda: app.checker is not None and app.subject.checks.is_done, "all was checked")
        assert [each.id for each in app.subject.checks.all]
        checker = app.checker
    assert checker is not None
    await until(lambda: not checker._thread.is_alive(), "its thread had ended")
    assert not checker.has_failed
    await app.subject.end()


def test_it_is_the_app_that_checks() -> None:
    assert issubclass(InspectApp, Checking)
