"""A stream of changes that is cut, ended or refused, and what is made of it."""

from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.flows.watch import End
from inspector.session.listening import Patience
from tests.session.test_watching import Sea, at
from tests.waiting import until


async def test_a_stream_that_was_cut_is_asked_for_again_and_said() -> None:
    sea, missed = Sea(), list[bool]()
    async with at(sea) as live:
        live.watching.missed = lambda: missed.append(True)
        await live.watching.watch("a:b")
        first = live.watching.stream
        sea.cut(sea.open[0])
        await until(lambda: missed, "it is there again")
        assert live.watching.stream is not first
        assert live.watching.stream is not None
        assert live.watching.stream.granted is not None
        assert live.watching.said == [
            "the stream of changes was cut: the server ended it: squall; asking for it again in 0 s",
            "the stream of changes is open again; what changed in between was not told",
        ]


async def test_it_is_not_asked_for_for_ever() -> None:
    sea = Sea("all", "silence", "silence")
    async with at(sea) as live:
        await live.watching.watch("a:b")
        for attempt in (1, 2, 3):
            await until(lambda: sea.open, f"attempt {attempt} is open")
            sea.cut(sea.open[0])
        await until(lambda: live.watching.is_over, "it is over")
        assert live.watching.said[-1].endswith("squall; 2 attempts to have it again brought nothing")
        assert [method for method, _ in sea.heard].count("subscriptions/listen") == 3


async def test_a_stream_that_lived_long_has_all_its_attempts_again() -> None:
    sea = Sea()
    async with at(sea, Patience(pauses_s=(0.0,), lived_s=0.0)) as live:
        await live.watching.watch("a:b")
        for attempt in (1, 2, 3):
            await until(lambda: sea.open, f"attempt {attempt} is open")
            sea.cut(sea.open[0])
        await until(lambda: sea.open, "it is open once more")
        assert not live.watching.is_over


async def test_a_stream_that_the_server_ends_on_purpose_is_left_ended() -> None:
    sea = Sea()
    async with at(sea) as live:
        await live.watching.watch("a:b")
        sea.end(sea.open[0])
        await until(lambda: live.watching.is_over, "it is over")
        assert live.watching.said == ["changes are not told of any more: the server ended it"]
        assert (await live.watching.watch("a:b")).refused == "", "it can be asked for anew"


async def test_one_that_was_given_up_while_it_waits_to_ask_again_stays_so() -> None:
    sea = Sea()
    async with at(sea, Patience(pauses_s=(1000.0,))) as live:
        await live.watching.watch("a:b")
        sea.cut(sea.open[0])
        await until(lambda: live.watching.said, "the cut is said")
    assert live.journal.conversation.exchanges[-1].state is ExchangeState.LOST
    assert [method for method, _ in sea.heard].count("subscriptions/listen") == 1


async def test_what_ended_it_is_known() -> None:
    sea = Sea()
    async with at(sea) as live:
        await live.watching.watch("a:b")
        current = live.watching._current
        assert current is not None
        await live.watching.unwatch("a:b")
        await until(lambda: current.over, "it is over")
        assert current.over == (End.BY_US, "nothing is watched any more")
