"""What Textual does wrong does not reach us: looked at by what is alive afterwards, never by time."""

import gc
import weakref

from textual._styles_cache import StylesCache
from textual.app import App, ComposeResult
from textual.color import Color
from textual.widgets import Static

from inspector.tui import keys, upstream
from inspector.tui.screens.help import HelpScreen
from inspector.tui.widgets.scroller import Scroller

TIMES = 5


class Plain(App[None]):
    """An app with one line."""

    def compose(self) -> ComposeResult:
        yield Static("below")


async def alive_after_dialogs() -> tuple[int, int]:
    """How many dialogs, and how many widgets of them, are alive once they are closed."""
    upstream.install()
    dialogs: list[weakref.ref[HelpScreen]] = []
    inner: list[weakref.ref[StylesCache]] = []
    app = Plain()
    async with app.run_test(size=(120, 40)) as pilot:
        for _ in range(TIMES):
            screen = HelpScreen((keys.Where.EVERYWHERE, keys.Where.TRAFFIC))
            await app.push_screen(screen)
            await pilot.pause()
            await pilot.pause()
            scroller = screen.query_one(Scroller)
            assert scroller._styles_cache._cache, "the dialog was drawn"
            dialogs.append(weakref.ref(screen))
            inner.append(weakref.ref(scroller._styles_cache))
            del screen, scroller
            await pilot.press("escape")
            await pilot.pause()
        gc.collect()
        return sum(each() is not None for each in dialogs), sum(each() is not None for each in inner)


async def test_of_dialogs_that_were_closed_nothing_stays() -> None:
    screens, caches = await alive_after_dialogs()
    assert screens <= 1, "the last one may still be held by the message that closed it"
    assert caches <= 1


def test_the_two_grounds_are_what_textual_computes() -> None:
    above, below = Color(10, 20, 30, 0.5), Color(200, 100, 50)
    theirs = upstream._inner_outer(below, above)
    assert [each.background for each in theirs] == [below + above, below]


def test_grounds_are_shared_by_all_widgets() -> None:
    upstream.install()
    above, below = Color(1, 2, 3), Color(4, 5, 6)
    assert StylesCache().get_inner_outer(below, above) is StylesCache().get_inner_outer(below, above)
