"""One question in full, and what a deed does to it."""

from typing import get_args

import pytest

from inspector.protocol.questions import Kind, accepted
from inspector.tui.panels.inbox_rows import Asked
from inspector.tui.panels.question_pane import Deed, QuestionPane
from tests.tui.panels.asking import Asking
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing
from tests.waiting import until


class Pane(Showing):
    def __init__(self, subject: Asking) -> None:
        self.pane = QuestionPane(subject)
        super().__init__(self.pane)

    def on_question_pane_answered(self, event: QuestionPane.Answered) -> None:
        self.posted.append(event)


async def test_before_anything_is_asked_it_says_so_and_takes_no_deed() -> None:
    subject = Asking()
    app = Pane(subject)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.pane.show(None)
        app.pane.tick()
        await app.pane.do("accept")
        await pilot.pause()
        assert "Nothing was asked yet" in text(app)
        assert app.posted == []
    subject.journal.close()


async def test_json_that_can_not_be_read_is_not_sent() -> None:
    subject = Asking()
    ticket = subject.ask_city()
    app = Pane(subject)
    async with app.run_test(size=(80, 40)) as pilot:
        await app.pane.show(Asked(ticket.question, ticket))
        await app.pane.do("json")
        await until(lambda: app.pane.form.as_json, "JSON is shown")
        await pilot.press(*"{{")
        await until(lambda: app.pane.form.json_problem, "it can't be read")
        await app.pane.do("accept")
        await pilot.pause()
        assert app.posted == []
    subject.journal.close()


async def test_a_schema_that_is_none_can_be_answered_by_json() -> None:
    subject = Asking()
    ticket = subject.ask(message="?", requestedSchema=["nonsense"])
    app = Pane(subject)
    async with app.run_test(size=(80, 40)) as pilot:
        await app.pane.show(Asked(ticket.question, ticket))
        await app.pane.form.take({"a": [1]})
        await app.pane.do("accept")
        await until(lambda: app.posted, "it is answered")
        await pilot.pause()
        (answered,) = app.posted
        assert isinstance(answered, QuestionPane.Answered)
        assert answered.reply == accepted({"a": [1]})
    subject.journal.close()


@pytest.mark.parametrize("remote", [True, False])
async def test_over_ssh_and_without_a_browser_a_link_is_only_shown(
    remote: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    went: list[str] = []
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    if remote:
        monkeypatch.setenv("SSH_CONNECTION", "1.2.3.4 5 6.7.8.9 22")
    monkeypatch.setattr("webbrowser.open", lambda url: went.append(url))
    subject = Asking()
    ticket = subject.ask_link()
    app = Pane(subject)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await app.pane.show(Asked(ticket.question, ticket))
        await app.pane.do("open")
        await pilot.pause()
        assert "copy the link from here" in " ".join(text(app).replace("▌", "").split())
    assert bool(went) is not remote
    subject.journal.close()


async def test_only_deeds_that_mean_something_are_offered() -> None:
    subject = Asking()
    app = Pane(subject)
    async with app.run_test(size=(80, 24)):
        found = []
        for ticket in (subject.ask_city(), subject.ask_link(), subject.ask_model(), subject.ask(Kind.ROOTS)):
            await app.pane.show(Asked(ticket.question, ticket))
            found.append([deed for deed in get_args(Deed) if app.pane.can(deed)])
        await app.pane.show_roots()
        assert [deed for deed in get_args(Deed) if app.pane.can(deed)] == ["accept", "json"]
    assert found == [
        ["accept", "decline", "dismiss", "json", "again", "all"],
        ["accept", "decline", "dismiss", "open", "all"],
        ["accept", "decline", "json", "again", "all"],
        ["accept", "decline", "json", "again", "all"],
    ]
    subject.journal.close()
