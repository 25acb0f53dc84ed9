"""The list of tools with its search line."""

from inspector.tui.panels.tool_list import ToolSide
from inspector.tui.subject import Stage
from inspector.tui.widgets.log_list import LogList
from tests.tui.panels.acting import Acting
from tests.tui.panels.schemas import ADD, ECHO, TOOLS
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing
from tests.waiting import until


class Side(Showing):
    def __init__(self, subject: Acting) -> None:
        self.side = ToolSide(subject)
        super().__init__(self.side)

    def on_mount(self) -> None:
        self.set_interval(1 / 60, lambda: self.side.sync() if self.side.is_ready else None)

    def on_tool_side_chosen(self, event: ToolSide.Chosen) -> None:
        self.posted.append(event)

    @property
    def meant(self) -> list[tuple[str, bool]]:
        return [
            (message.tool.name if message.tool else "", message.opened)
            for message in self.posted
            if isinstance(message, ToolSide.Chosen)
        ]


async def test_tools_are_listed_with_what_they_claim_and_cost() -> None:
    app = Side(Acting(TOOLS))
    async with app.run_test(size=(60, 12)):
        await until(lambda: "echo" in text(app), "the tools are listed")
        assert "3 tools" in text(app)
        assert "~read-only" in text(app)
        assert "~destructive" in text(app)


async def test_a_tool_is_meant_once_the_cursor_rests_and_at_once_on_enter() -> None:
    app = Side(Acting(TOOLS))
    async with app.run_test(size=(60, 12)) as pilot:
        await until(lambda: app.meant == [("echo", False)], "the first is meant")
        app.side.focus_list()
        await pilot.press("j", "j")
        await until(lambda: app.meant[1:] == [("clear", False)], "the last is meant, the one between is not")
        await pilot.press("k", "enter")
        await until(lambda: app.meant[2:] == [("add", True)], "it is opened")


async def test_a_search_shows_what_matches_and_escape_shows_all() -> None:
    app = Side(Acting(TOOLS))
    async with app.run_test(size=(60, 12)) as pilot:
        await until(lambda: bool(app.meant), "the tools are there")
        app.side.search()
        await pilot.press(*"bay")
        await until(lambda: "1 of 3" in text(app), "one matches by its description")
        assert "clear" not in text(app)
        await pilot.press("enter")
        assert isinstance(app.focused, LogList)
        assert app.side.end_search()
        await until(lambda: "clear" in text(app), "all are shown again")
        assert not app.side.end_search()


async def test_a_new_list_keeps_the_chosen_tool() -> None:
    subject = Acting(TOOLS)
    app = Side(subject)
    async with app.run_test(size=(60, 12)) as pilot:
        await until(lambda: bool(app.meant), "the tools are there")
        app.side.focus_list()
        await pilot.press("j")
        await until(lambda: app.meant[-1][0] == "add", "add is chosen")
        subject.list([{"name": "new"}, ECHO, ADD])
        await until(lambda: "new" in text(app), "the new list is shown")
        assert app.side.chosen is not None
        assert app.side.chosen.name == "add"
        subject.tape.notify("notifications/tools/list_changed")
        await until(lambda: "changed since" in text(app), "it is said that the list is outdated")


async def test_an_empty_list_says_why() -> None:
    subject = Acting()
    subject.now_stage = Stage.CONNECTING
    app = Side(subject)
    async with app.run_test(size=(60, 12)):
        await until(lambda: "Fetching the tools" in text(app), "it waits")
        subject.now_stage = Stage.OPEN
        await until(lambda: "never listed" in text(app), "nobody asked")
        subject.list([])
        await until(lambda: "The server has no tools" in text(app), "there are none")
