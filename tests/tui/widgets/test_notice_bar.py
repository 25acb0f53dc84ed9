"""The line that says that the server waits for an answer."""

from textual.widgets import Input

from inspector.protocol.questions import declined
from inspector.session.desk import Ticket
from inspector.tui.widgets.notice_bar import NoticeBar
from tests.tui.panels.asking import Asking
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing


class Notice(Showing):
    def __init__(self, subject: Asking) -> None:
        self.bar = NoticeBar(subject)
        super().__init__(self.bar)
        self.done: list[str] = []

    def action_show(self, name: str) -> None:
        self.done.append(name)

    def action_answer_here(self) -> None:
        self.done.append("here")


def shows(app: Notice) -> bool:
    return bool(app.bar.display)


def _oldest(app: Notice) -> Ticket | None:
    return app.bar.oldest


async def test_it_comes_and_goes_with_what_waits_and_news_are_told_once() -> None:
    subject = Asking()
    app = Notice(subject)
    async with app.run_test(size=(100, 5)) as pilot:
        assert app.bar.sync(shown="traffic") == ""
        assert not shows(app)
        ticket = subject.ask_city("Which\x1b city?")
        subject.ask_model()
        assert app.bar.sync(shown="traffic") == "harbour asks: Which␛ city? (and 1 more)"
        assert app.bar.sync(shown="traffic") == ""
        await pilot.pause()
        shown = text(app)
        assert "harbour asks in book: Which␛ city?" in shown
        assert "2 wait" in shown
        assert "5 Inbox" in shown
        assert "! here" in shown
        assert _oldest(app) is ticket
        await subject.answer(ticket, declined())
        await subject.answer(subject.tickets[1], declined())
        assert app.bar.sync(shown="traffic") == ""
        assert _oldest(app) is None
        assert not shows(app)
    subject.journal.close()


async def test_it_is_not_there_where_the_questions_themselves_are() -> None:
    subject = Asking()
    subject.ask_city()
    app = Notice(subject)
    async with app.run_test(size=(100, 5)):
        app.bar.sync(shown="inbox")
        assert not shows(app)
        app.bar.sync(shown="tools")
        assert shows(app)
    subject.journal.close()


async def test_its_age_runs_and_a_click_does_what_the_key_does() -> None:
    subject = Asking()
    subject.ask_city()
    app = Notice(subject)
    async with app.run_test(size=(100, 5)) as pilot:
        app.bar.sync(shown="traffic")
        subject.tape.wait(3000)
        app.bar.sync(shown="traffic")
        await pilot.pause()
        line = next(row for row in app.rows() if "harbour" in row)
        assert "3.00 s" in line
        await pilot.click(NoticeBar, offset=(line.index("Inbox"), 0))
        await pilot.click(NoticeBar, offset=(line.index("here"), 0))
        await pilot.pause()
    assert app.done == ["inbox", "here"]
    subject.journal.close()


async def test_what_is_asked_and_the_keys_have_room_before_who_asks() -> None:
    subject = Asking()
    subject.ask_city("Which of the many cities on this river do you mean, and why?")
    for width, shown in ((100, "harbour asks in book: Which of the many"), (58, "◆ asked: Which of the many")):
        app = Notice(subject)
        async with app.run_test(size=(width, 5)) as pilot:
            app.bar.sync(shown="traffic")
            await pilot.pause()
            (line,) = [row.strip() for row in app.rows() if "asked" in row or "asks" in row]
        assert shown in line
        assert "…" in line
        assert line.endswith("5 Inbox  ! here")
    subject.journal.close()


async def test_where_keys_are_text_only_those_are_offered_that_are_not() -> None:
    subject = Asking()
    subject.ask_city()
    bar, field = NoticeBar(subject), Input()
    app = Showing(field, bar)
    async with app.run_test(size=(100, 5)) as pilot:
        field.focus()
        await pilot.pause()
        bar.sync(shown="tools")
        await pilot.pause()
        assert "F12 here" in text(app)
        assert "!" not in text(app)
        assert "5 Inbox" not in text(app)
        app.set_focus(None)
        bar.sync(shown="tools")
        await pilot.pause()
        assert "5 Inbox  ! here" in text(app)
    subject.journal.close()


async def test_a_question_that_comes_before_the_line_is_there_is_told_once_it_is() -> None:
    subject = Asking()
    subject.ask_city("Which city?")
    app = Showing()
    async with app.run_test(size=(100, 5)) as pilot:
        bar = NoticeBar(subject)
        assert bar.sync(shown="traffic") == ""
        await app.mount(bar)
        assert bar.sync(shown="traffic") == "harbour asks: Which city?"
        await pilot.pause()
        assert "Which city?" in text(app)
    subject.journal.close()
