"""What a subject says of a login, and how the guide on the engine's loop is told."""

from inspector.tui.login_view import LoginView
from tests.servers.guarded import Guarded
from tests.tui.screens.logins import Entrance
from tests.waiting import until


async def test_of_a_recording_nobody_logs_in() -> None:
    view = LoginView()
    assert view.guide is None
    assert not view.refused
    assert "nothing" in await view.take_pasted("x")
    await view.give_login_up()


async def test_what_is_pasted_reaches_the_guide_on_its_own_loop() -> None:
    async with Guarded() as house:
        with Entrance(house.url) as entrance:
            subject = entrance.subject()
            await until(lambda: bool(subject.guide and subject.guide.waiting), "consent is waited for")
            assert "neither" in await subject.take_pasted("two words")
            await subject.give_login_up()
            await until(lambda: "called off" in subject.why, "the login ends")
            assert subject.refused
            assert "nothing" in await subject.take_pasted("late")
            await subject.end()


async def test_without_a_guide_there_is_nobody_to_tell() -> None:
    async with Guarded() as house:
        with Entrance(house.url, person=False) as entrance:
            subject = entrance.subject()
            assert subject.guide is None
            assert "nothing" in await subject.take_pasted("x")
            await subject.give_login_up()
            await until(lambda: "nobody is there" in subject.why, "it says what to do")
            await subject.end()
