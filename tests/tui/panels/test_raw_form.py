"""The form of a message written by hand."""

from textual.app import App, ComposeResult

from inspector.protocol.drafts import Draft, DraftKind
from inspector.tui.panels.raw_form import RawForm
from inspector.tui.styles import THEMES
from tests.tui.screen_text import text
from tests.waiting import until


class Writing(App[None]):
    """An app with the form alone."""

    def __init__(self) -> None:
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = THEMES[0].name
        self.form = RawForm()

    def compose(self) -> ComposeResult:
        yield self.form


async def test_what_is_put_in_is_what_is_written() -> None:
    drafts = [
        Draft(DraftKind.REQUEST, "a/b", '{"x": 1}', "7", stamp=False, headers=(("X-Y", "z"), ("A", "b"))),
        Draft(DraftKind.NOTIFICATION, "notifications/x", "", stamp=True),
        Draft(DraftKind.BATCH, text="[]"),
        Draft(DraftKind.EXACT, text="{\n", stamp=False),
    ]
    async with Writing().run_test(size=(100, 30)) as pilot:
        form = pilot.app.query_one(RawForm)
        for draft in drafts:
            form.take(draft)
            await pilot.pause()
            assert form.draft == draft


async def test_what_a_kind_does_not_have_is_not_asked_for() -> None:
    async with Writing().run_test(size=(100, 30)) as pilot:
        form = pilot.app.query_one(RawForm)
        form.offer(["ping"], over_http=False)
        await until(lambda: "Method" in text(pilot.app) and "Headers" not in text(pilot.app), "no headers on stdio")
        form.take(Draft(DraftKind.EXACT, text="hello"))
        await until(lambda: "Method" not in text(pilot.app), "no method of exact text")
        await until(lambda: "This is no JSON-RPC message: not JSON" in text(pilot.app), "the fault is said")


async def test_a_header_that_is_none_is_said() -> None:
    async with Writing().run_test(size=(100, 30)) as pilot:
        form = pilot.app.query_one(RawForm)
        form.offer(["ping"], over_http=True)
        form.take(Draft(method="ping"))
        await until(lambda: "nothing odd about it" in text(pilot.app), "a good draft")
        form._headers.value = "nonsense"
        await until(lambda: "a header needs a name" in text(pilot.app), "the fault is said")
