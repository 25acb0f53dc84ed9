"""A focus on what is gone is given up."""

from textual.app import App, ComposeResult
from textual.widgets import Input

from inspector.tui.lost_focus import let_go


class Fields(App[None]):
    def compose(self) -> ComposeResult:
        yield Input(id="stays")
        yield Input(id="goes")

    def has_none(self) -> bool:
        """Whether nothing has the focus."""
        return self.screen.focused is None


async def test_only_what_is_gone_loses_the_focus() -> None:
    app = Fields()
    async with app.run_test() as pilot:
        gone = app.query_one("#goes", Input)
        await gone.remove()
        assert app.screen.focused is app.query_one("#stays")
        assert not let_go(app.screen)
        app.screen.focused = gone
        assert let_go(app.screen)
        assert app.has_none()
        assert not let_go(app.screen)
        await pilot.pause()
