"""The pane with one server request: its form, its actions, and the line below."""

from typing import get_args

import pytest
from textual.widgets import Input

from inspector.protocol.server_requests import ErrorReply, Reply, RequestKind, ServerRequest, accepted, declined
from inspector.session.inbox import Ticket
from inspector.tui.screens.inbox.rows import RequestRow
from inspector.tui.screens.inbox.server_request import (
    AnswerBar,
    DeclineAll,
    QuestionAction,
    QuestionPane,
    ResponseState,
    open_link,
    place_of,
)
from tests.tui.screen_text import press, shows, text
from tests.tui.screens.asking import Asking
from tests.tui.screens.inbox.test_panel import Inbox, opened
from tests.tui.widgets.showing import Showing
from tests.waiting import until


def asks(kind: RequestKind = RequestKind.ELICITATION, **params: object) -> ServerRequest:
    return ServerRequest(kind, params, 1, 1, 0)


class Bar(Showing):
    def __init__(self) -> None:
        self.bar = AnswerBar()
        super().__init__(self.bar)

    def on_press_bar_pressed(self, event: AnswerBar.Pressed) -> None:
        self.posted.append(event)

    @property
    def actions(self) -> list[str]:
        return [event.action for event in self.posted if isinstance(event, AnswerBar.Pressed)]


async def test_each_kind_of_question_has_its_answers() -> None:
    async with (app := Bar()).run_test(size=(90, 3)) as pilot:
        shown = []
        for server_request in (
            asks(),
            asks(mode="url", url="https://a.example"),
            asks(RequestKind.SAMPLING),
            asks(RequestKind.ROOTS),
        ):
            app.bar.say(server_request, ResponseState())
            await pilot.pause()
            shown.append(app.rows()[0])
    assert [word in shown[0] for word in ("Respond ^j", "Decline ^d", "Cancel ^x", "[Form] JSON")] == [True] * 4
    assert "Open link x o" in shown[1]
    assert "JSON" not in shown[1]
    assert ("Respond ^j" in shown[2], "Decline ^d" in shown[2], "Cancel" in shown[2]) == (True, True, False)
    assert "Respond ^j" in shown[3]


async def test_a_link_that_is_not_opened_has_no_button_for_it() -> None:
    async with (app := Bar()).run_test(size=(90, 3)) as pilot:
        app.bar.say(asks(mode="url", url="javascript:1"), ResponseState())
        await pilot.pause()
        assert "Open" not in app.rows()[0]


async def test_answer_bar_describes_its_buttons() -> None:
    async with (app := Bar()).run_test(size=(90, 3)) as pilot:
        app.bar.say(asks(), ResponseState(problems=1))
        await pilot.pause()
        assert "✗ 1 error" in app.rows()[0]
        app.bar.say(asks(), ResponseState(problems=1, awaited=1))
        await pilot.pause()
        assert "1 required" in app.rows()[0]
        assert "error" not in app.rows()[0]
        app.bar.say(asks(), ResponseState(problems=2, armed=True))
        await pilot.pause()
        assert "Respond anyway ^j" in app.rows()[0]
        app.bar.say(None, ResponseState(), roots=True)
        await pilot.pause()
        assert "List these roots ^j" in app.rows()[0]
        app.bar.say(None, ResponseState())
        await pilot.pause()
        assert app.rows()[0] == ""


async def test_answer_bar_accepts_enter_and_clicks() -> None:
    async with (app := Bar()).run_test(size=(90, 3)) as pilot:
        app.bar.say(asks(), ResponseState())
        app.bar.focus()
        await pilot.press("enter")
        await pilot.click(AnswerBar, offset=(app.rows()[0].index("Decline") + 1, 0))
        await pilot.click(AnswerBar, offset=(app.rows()[0].index("JSON"), 0))
        await pilot.pause()
    assert app.actions == ["accept", "decline", "json"]


async def test_after_a_visit_the_call_is_made_again() -> None:
    async with (app := Bar()).run_test(size=(90, 3)) as pilot:
        params = {"mode": "url", "url": "https://a.example"}
        app.bar.say(ServerRequest(RequestKind.ELICITATION, params, 1, 1, 0, visit=True), ResponseState())
        await pilot.pause()
        assert "Call again ^j" in app.rows()[0]


@pytest.fixture
async def subject() -> Asking:
    return Asking()


async def test_place_is_shown_for_several_waiting_requests(subject: Asking) -> None:
    first = subject.ask_city()
    assert place_of(first, subject) == ""
    second = subject.ask_city()
    assert (place_of(first, subject), place_of(second, subject), place_of(None, subject)) == ("1 of 2", "2 of 2", "")
    await subject.inbox.answer(first, declined())
    assert (place_of(first, subject), place_of(second, subject)) == ("", "")


async def test_the_second_press_declines_exactly_what_the_first_one_saw(subject: Asking) -> None:
    for _ in range(3):
        subject.ask_city()
    declining = DeclineAll()
    assert "all 3" in await declining.press(subject)
    model = subject.ask_model()
    assert "all 4" in await declining.press(subject)
    asked = subject.inbox.waiting
    assert len(asked) == 4
    assert "4 requests declined" in await declining.press(subject)
    assert not subject.inbox.waiting
    assert subject.inbox.tickets[0].reply == declined()
    assert isinstance(model.reply, ErrorReply)
    assert "No server requests waiting" in await declining.press(subject)


async def test_fifty_at_once_are_counted_answered_one_by_one_and_then_declined_together(subject: Asking) -> None:
    tickets = [subject.ask_city(f"Question {number}?") for number in range(50)]
    async with (app := Inbox(subject)).run_test(size=(80, 40)) as pilot:
        await opened(pilot, app, "Question 0?")
        await shows(app, "1 of 50")
        for number, city in enumerate(("Oslo", "Rome")):
            await pilot.press(*city, "ctrl+j")
            await shows(app, f"1 of {49 - number}", f"Question {number + 1}?")  # the next form, without a key
            assert tickets[number].reply == accepted({"city": city})
            await until(lambda: _typing_in(app, tickets[number + 1].server_request), "its first field has the focus")  # noqa: B023
        await press(pilot, "escape", shows=("48 waiting", "decline all  x D"))
        await pilot.press("x D", "x D")
        await until(lambda: all(ticket.reply is not None for ticket in tickets), "all are declined")
        await shows(app, "0 waiting")
        assert [ticket.reply for ticket in tickets[2:]] == [declined()] * 48


async def test_the_next_form_opens_though_the_screen_looks_before_the_focus_has_left_the_last_one(
    subject: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    tickets = [subject.ask_city(f"Question {number}?") for number in range(3)]
    app = Inbox(subject)
    answer = subject.inbox.answer

    async def answer_and_look(ticket: Ticket, reply: Reply) -> bool:
        done = await answer(ticket, reply)
        app.panel.sync()
        return done

    monkeypatch.setattr(subject.inbox, "answer", answer_and_look)
    async with app.run_test(size=(80, 40)) as pilot:
        await opened(pilot, app, "Question 0?")
        await pilot.press(*"Oslo", "ctrl+j")
        await until(lambda: _typing_in(app, tickets[1].server_request), "the next form has the focus")


def _typing_in(app: Inbox, server_request: ServerRequest) -> bool:
    """Whether keys go into an empty field of a question's form."""
    field = app.focused
    return app.panel.pane.server_request is server_request and isinstance(field, Input) and not field.value


def link(url: str) -> ServerRequest:
    return ServerRequest(RequestKind.ELICITATION, {"mode": "url", "url": url}, 1, 1, 0)


@pytest.mark.parametrize(
    ("url", "remote", "has_browser", "went", "told"),
    [
        ("https://pay.example/x", False, True, ["https://pay.example/x"], "Opened in the browser: pay.example"),
        ("https://pay.example/x", False, False, ["https://pay.example/x"], "No browser found"),
        ("https://pay.example/x", True, True, [], "on another machine"),
        ("file:///etc/passwd", False, True, [], "Not opened: "),
        ("", False, True, [], "Not opened: "),
    ],
)
def test_open_url_reports_where_it_went(
    url: str, remote: bool, has_browser: bool, went: list[str], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []
    said: list[str] = []
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    if remote:
        monkeypatch.setenv("SSH_CONNECTION", "1.2.3.4 5 6.7.8.9 22")

    def browser(url: str) -> bool:
        tried.append(url)
        return has_browser

    monkeypatch.setattr("webbrowser.open", browser)
    done = open_link(link(url), lambda what, grave: said.append(what))
    assert (tried, done) == (went, bool(went) and has_browser)
    assert told in said[0]


class Pane(Showing):
    def __init__(self, subject: Asking) -> None:
        self.pane = QuestionPane(subject)
        super().__init__(self.pane)

    def on_question_pane_answered(self, event: QuestionPane.Answered) -> None:
        self.posted.append(event)


async def test_empty_pane_takes_no_action() -> None:
    async with (app := Pane(Asking())).run_test(size=(80, 24)):
        await app.pane.show(None)
        app.pane.tick()
        await app.pane.do("accept")
        await shows(app, "No server requests yet")
        assert app.posted == []


async def test_json_that_can_not_be_read_is_not_sent() -> None:
    subject = Asking()
    ticket = subject.ask_city()
    async with (app := Pane(subject)).run_test(size=(80, 40)) as pilot:
        await app.pane.show(RequestRow(ticket.server_request, ticket))
        await app.pane.do("json")
        await until(lambda: app.pane.form.as_json, "JSON is shown")
        await pilot.press(*"{{")
        await until(lambda: app.pane.form.json_problem, "it can't be read")
        await app.pane.do("accept")
        await pilot.pause()
        assert app.posted == []


async def test_a_schema_that_is_none_can_be_answered_by_json() -> None:
    subject = Asking()
    ticket = subject.ask(message="?", requestedSchema=["nonsense"])
    async with (app := Pane(subject)).run_test(size=(80, 40)) as pilot:
        await app.pane.show(RequestRow(ticket.server_request, ticket))
        await app.pane.form.take({"a": [1]})
        await app.pane.do("accept")
        await until(lambda: app.posted, "it is answered")
        await pilot.pause()
        (answered,) = app.posted
        assert isinstance(answered, QuestionPane.Answered)
        assert answered.reply == accepted({"a": [1]})


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
    async with (app := Pane(subject)).run_test(size=(80, 24), notifications=True) as pilot:
        await app.pane.show(RequestRow(ticket.server_request, ticket))
        await app.pane.do("open")
        await pilot.pause()
        assert "Copy the URL" in " ".join(text(app).replace("▌", "").split())
    assert bool(went) is not remote


async def test_only_actions_that_mean_something_are_offered() -> None:
    async with (app := Pane(subject := Asking())).run_test(size=(80, 24)):
        found = []
        for ticket in (subject.ask_city(), subject.ask_link(), subject.ask_model(), subject.ask(RequestKind.ROOTS)):
            await app.pane.show(RequestRow(ticket.server_request, ticket))
            found.append([action for action in get_args(QuestionAction) if app.pane.can(action)])
        await app.pane.show_roots()
        assert [action for action in get_args(QuestionAction) if app.pane.can(action)] == ["accept", "json"]
    assert found == [
        ["accept", "decline", "dismiss", "json", "again", "all"],
        ["accept", "decline", "dismiss", "open", "all"],
        ["accept", "decline", "json", "again", "all"],
        ["accept", "decline", "json", "again", "all"],
    ]
