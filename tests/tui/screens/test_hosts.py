"""The matrix over the whole screen."""

from typing import Any

from inspector.checks.hosts.matrix import Surface
from inspector.tui.screens.hosts import HostsScreen, MatrixLines, show_hosts
from inspector.tui.subject import Recording
from inspector.viewmodels.hosts import surface_matrix
from tests.captures.record import sample
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing
from tests.waiting import until

_TOOL: dict[str, Any] = {"name": "bad", "description": "d", "inputSchema": {"anyOf": []}}


async def test_the_tools_of_a_capture_are_shown_all_of_them_at_a_key_and_copied() -> None:
    app, subject = Showing(), Recording(sample("evening"))
    subject.load()
    async with app.run_test(size=(80, 24)) as pilot:
        show_hosts(app, subject)
        await until(lambda: "log_passage" in text(app), "what is known of is there")
        screen = app.screen
        assert isinstance(screen, HostsScreen)
        assert "ClC ClD VSC" in text(app)
        assert "hostile_text" not in text(app)
        await pilot.press("a")
        await until(lambda: "of which nothing" not in text(app), "all are there")
        await pilot.press("y")
        assert "Codex shows the inner part as any object" in app.clipboard
        await pilot.press("M")
        await until(lambda: app.screen is not screen, "the same key closes it")
    await subject.end()


def test_the_matrix_is_made_for_its_width_and_no_row_is_wider() -> None:
    lines = MatrixLines(surface_matrix(Surface((_TOOL,), "s")), every=False)
    for width in (60, 140):
        rows = ["".join(part for part, _ in lines.line(at, width)) for at in range(lines.count(width))]
        assert all(len(row) <= width for row in rows)
        assert any(row.startswith("bad") for row in rows)
