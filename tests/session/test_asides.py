"""What flows wait for between two polls."""

import asyncio

from inspector.protocol import questions
from inspector.protocol.flows.steps import Ask, StillAsked, Watch, Withdraw
from inspector.protocol.offers import ALL
from inspector.protocol.questions import Kind, Question
from inspector.protocol.revisions.table import NEWEST
from inspector.protocol.tracking.tasks import Task
from inspector.session.answering import Answering
from inspector.session.asides import Asides
from inspector.session.desk import Desk
from tests.waiting import until

ASKED = (Question(Kind.ELICITATION, {"message": "Who?"}, 3, 1, 0, key="who", task="t1"),)
TASK = Task(1, "t1", True, 0, 1)


def asides(desk: Desk, group: asyncio.TaskGroup) -> Asides:
    return Asides(Answering(frozenset(ALL), desk), group, lambda id_: TASK if id_ == "t1" else None)


async def test_asking_goes_on_between_two_looks() -> None:
    desk = Desk(has_person=True)
    async with asyncio.TaskGroup() as group:
        there = asides(desk, group)
        for _ in range(2):
            assert isinstance(await there.ask(Ask(ASKED, patience_s=0), NEWEST), StillAsked)
        await until(lambda: len(desk.waiting) == 1, "the question lies on the desk, once")
        desk.answer(desk.waiting[0], questions.declined())
        assert await there.ask(Ask(ASKED, patience_s=20), NEWEST) == (questions.declined(),)
    assert len(desk.tickets) == 1


async def test_without_patience_an_answer_is_waited_for() -> None:
    async with asyncio.TaskGroup() as group:
        found = await asides(Desk(), group).ask(Ask(ASKED), NEWEST)
    assert found == (questions.unattended(),)


async def test_what_is_withdrawn_leaves_the_desk() -> None:
    desk = Desk(has_person=True)
    async with asyncio.TaskGroup() as group:
        there = asides(desk, group)
        await there.ask(Ask(ASKED, patience_s=0), NEWEST)
        await until(lambda: len(desk.waiting) == 1, "the question lies on the desk")
        there.withdraw(Withdraw(ASKED, "no longer"))
    assert desk.tickets[0].why == "no longer"


async def test_a_watch_ends_with_news_of_its_task_and_of_no_other() -> None:
    async with asyncio.TaskGroup() as group:
        there = asides(Desk(), group)
        watching = group.create_task(there.watch(Watch("t1", 20)))
        await asyncio.sleep(0)
        there.told(Task(2, "t2", True, 0, 1))
        there.told(Task(3, "t1", False, 0, 1))
        await asyncio.sleep(0)
        assert not watching.done()
        there.told(TASK)
        assert await watching is TASK


async def test_a_watch_ends_by_itself_and_when_the_connection_is_gone() -> None:
    async with asyncio.TaskGroup() as group:
        there = asides(Desk(), group)
        assert await there.watch(Watch("t9", 0)) is None
        watching = group.create_task(there.watch(Watch("t1", 20)))
        await asyncio.sleep(0)
        there.wake()
        assert await watching is TASK
