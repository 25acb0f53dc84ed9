"""Completions: asked for when the typist pauses, dropped when they come too late, taken one after the other."""

import asyncio
from typing import Any

import pytest

from inspector.errors import Disconnected
from inspector.protocol.flows.steps import Silent
from inspector.tui.panels import completions
from inspector.tui.panels.completions import Completions, Wanted
from inspector.tui.subject import Stage
from tests.tui.panels.acting import Error
from tests.tui.panels.offering import Offering
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing
from tests.waiting import until

REFERENCE = {"type": "ref/prompt", "name": "hail"}


def wanted(value: str, name: str = "ship", **others: str) -> Wanted:
    return Wanted(REFERENCE, name, value, others)


class Below(Showing):
    def __init__(self, subject: Offering) -> None:
        self.box = Completions(subject)
        super().__init__(self.box)

    def on_completions_taken(self, event: Completions.Taken) -> None:
        self.posted.append(event)


async def shows(app: Below, words: str) -> None:
    await until(lambda: words in text(app), f"{words!r} is on the screen:\n{text(app)}")


async def test_only_the_last_of_what_is_typed_quickly_is_asked_for() -> None:
    subject = Offering()
    app = Below(subject)
    async with app.run_test(size=(60, 12)):
        for value in ("a", "au", "auk"):
            app.box.consider(wanted(value, mood="grim"))
        await shows(app, "2 values")
        assert subject.asked == [
            {
                "ref": REFERENCE,
                "argument": {"name": "ship", "value": "auk"},
                "context": {"arguments": {"mood": "grim"}},
            }
        ]


async def test_the_oldest_revisions_are_asked_without_context() -> None:
    subject = Offering("2024-11-05", capabilities={})
    app = Below(subject)
    async with app.run_test(size=(60, 12)):
        app.box.consider(wanted("a", mood="grim"))
        await shows(app, "2 values")
        assert "context" not in subject.asked[0]


async def test_who_does_not_declare_completions_is_not_asked() -> None:
    subject = Offering(capabilities={"prompts": {}})
    app = Below(subject)
    async with app.run_test(size=(60, 12)):
        app.box.consider(wanted("a"))
        await shows(app, "the server completes no arguments")
        assert subject.asked == []


async def test_a_server_that_does_not_know_the_method_says_so_once() -> None:
    subject = Offering()
    subject.completes = lambda params: Error(-32601, "what?")
    app = Below(subject)
    async with app.run_test(size=(60, 12)) as pilot:
        app.box.consider(wanted("a"))
        await shows(app, "the server completes no arguments")
        app.box.consider(wanted("b"))
        await pilot.pause()
        assert "completes no" not in text(app)
        assert len(subject.asked) == 1


async def test_an_answer_to_an_older_question_is_dropped() -> None:
    subject = Offering()
    subject.gate = asyncio.Event()
    subject.completes = lambda params: {"completion": {"values": [params["argument"]["value"] + "!"]}}
    app = Below(subject)
    async with app.run_test(size=(60, 12)):
        app.box.consider(wanted("old"))
        await until(lambda: subject.calls, "the first question has gone out")
        app.box.consider(wanted("new"))
        subject.gate.set()
        await shows(app, "new!")
        assert "old!" not in text(app)


async def test_values_are_taken_one_after_the_other_and_taking_asks_for_nothing() -> None:
    subject = Offering()
    subject.completes = lambda params: {"completion": {"values": ["a\x1b[31m", "b"], "hasMore": True}}
    app = Below(subject)
    async with app.run_test(size=(60, 12)) as pilot:
        assert app.box.take_next() is None
        app.box.consider(wanted("x"))
        await shows(app, "a␛[31m")
        await shows(app, "2 values, and there are more")
        taken = [app.box.take_next() for _ in range(3)]
        assert taken == ["a\x1b[31m", "b", "a\x1b[31m"]
        app.box.consider(wanted("a\x1b[31m"))
        await pilot.pause()
        assert len(subject.asked) == 1
        assert "2 values" in text(app)


async def test_enter_takes_the_value_under_the_cursor() -> None:
    app = Below(Offering())
    async with app.run_test(size=(60, 12)) as pilot:
        app.box.consider(wanted("x"))
        await shows(app, "tuesday")
        await pilot.press("tab", "j", "enter")
        await until(lambda: app.posted, "it is taken")
        assert [each.value for each in app.posted if isinstance(each, Completions.Taken)] == ["tuesday"]


async def test_failures_are_words_and_nothing_is_asked_without_a_connection() -> None:
    subject = Offering()
    app = Below(subject)
    answers: list[Any] = [Error(-32602, "no such prompt"), Disconnected("it is gone")]
    subject.completes = lambda params: answers.pop(0)
    async with app.run_test(size=(60, 12)) as pilot:
        app.box.consider(wanted("a"))
        await shows(app, "not completed: no such prompt")
        app.box.consider(wanted("b"))
        await shows(app, "not completed: it is gone")
        subject.completes = lambda params: Silent(None, 1, "idle")
        app.box.consider(wanted("c"))
        await shows(app, "no answer came")
        subject.now_stage = Stage.CLOSED
        app.box.consider(wanted("d"))
        await pilot.pause()
        assert "not completed" not in text(app)
        assert len(subject.asked) == 3


async def test_a_flood_of_values_is_shown_as_quickly_as_a_few() -> None:
    subject = Offering()
    subject.completes = lambda params: {"completion": {"values": [f"value {n}" for n in range(10_000)]}}
    app = Below(subject)
    async with app.run_test(size=(100, 12)):
        app.box.consider(wanted("x"))
        await shows(app, "10,000 values  ▲ more than the 100 that are allowed")
        app.box.rebind(subject)
        await until(lambda: "10,000" not in text(app), "another conversation begins with nothing")


async def test_of_ten_thousand_values_only_those_in_sight_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []

    def counting(foreign: str, role: Any = "text", *, limit: int | None = None) -> Any:
        drawn.append(foreign)
        return foreign, role

    monkeypatch.setattr(completions, "span", counting)
    subject = Offering()
    subject.completes = lambda params: {"completion": {"values": [f"value {n}" for n in range(10_000)]}}
    app = Below(subject)
    async with app.run_test(size=(60, 12)):
        app.box.consider(wanted("v"))
        await shows(app, "10,000 values")
        await shows(app, "value 0")
        assert 0 < len(set(drawn)) < 100
        for _ in range(3):
            taken = app.box.take_next()
        assert taken == "value 2"
