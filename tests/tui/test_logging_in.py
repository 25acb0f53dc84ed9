"""Telling of a login: by itself while connecting, on a key later."""

from inspector.auth.guide import Guide
from inspector.tui.app import InspectApp
from inspector.tui.logging_in import LoggingIn
from inspector.tui.screens.login import LoginScreen
from inspector.tui.subject import Stage
from tests.servers.guarded import Guarded
from tests.tui.screen_text import text
from tests.tui.screens.logins import Entrance, browse
from tests.waiting import until


async def test_while_connecting_the_dialog_comes_by_itself_and_goes_when_one_is_in() -> None:
    async with Guarded() as house:
        with Entrance(house.url) as entrance:
            app = InspectApp(entrance.begin)
            async with app.run_test(size=(110, 36), notifications=True):
                await until(lambda: isinstance(app.screen, LoginScreen), "the dialog comes")
                dialog = app.screen
                assert isinstance(dialog, LoginScreen)
                await browse(entrance.guide)
                await until(lambda: app.subject.stage is Stage.OPEN, "one is in")
                await until(lambda: not isinstance(app.screen, LoginScreen), "the dialog goes")
                dialog._tick()  # its clock may strike once more before it is gone
                assert len(app.screen_stack) == 1


async def test_one_that_was_left_comes_back_on_a_key() -> None:
    async with Guarded() as house:
        with Entrance(house.url) as entrance:
            app = InspectApp(entrance.begin)
            async with app.run_test(size=(110, 36), notifications=True) as pilot:
                await until(lambda: isinstance(app.screen, LoginScreen), "the dialog comes")
                await pilot.press("escape")
                await until(lambda: not isinstance(app.screen, LoginScreen), "the dialog goes")
                assert app.subject.stage is Stage.CONNECTING
                await pilot.press("!")
                await until(lambda: isinstance(app.screen, LoginScreen), "it is back")
                await pilot.press("x")
                await until(lambda: app.subject.stage is Stage.FAILED, "nobody gets in")


async def test_a_login_in_the_middle_is_told_and_opens_nothing_below_the_fingers() -> None:
    async with Guarded() as house:
        with Entrance(house.url) as entrance:
            app = InspectApp(entrance.begin)
            async with app.run_test(size=(110, 36), notifications=True) as pilot:
                await until(lambda: isinstance(app.screen, LoginScreen), "the dialog comes")
                await browse(entrance.guide)
                await until(lambda: app.subject.stage is Stage.OPEN, "one is in")
                await until(lambda: not isinstance(app.screen, LoginScreen), "the dialog goes")
                house.tokens += ["revoked", "and its renewal too"]
                await pilot.press("L")
                await until(lambda: bool(entrance.guide and entrance.guide.waiting), "consent is waited for")
                await until(lambda: "wants a login before it goes on" in text(app), "it is told")
                assert not isinstance(app.screen, LoginScreen)
                await pilot.press("!")
                await until(lambda: isinstance(app.screen, LoginScreen), "the dialog comes")
                await browse(entrance.guide)
                await until(lambda: not isinstance(app.screen, LoginScreen), "the dialog goes")
                await until(lambda: "The lists were fetched anew." in text(app), "the lists come")


async def test_a_login_in_the_middle_that_is_given_up_ends_what_wanted_it_and_nothing_else() -> None:
    async with Guarded() as house:
        with Entrance(house.url) as entrance:
            app = InspectApp(entrance.begin)
            async with app.run_test(size=(110, 36), notifications=True) as pilot:
                await until(lambda: isinstance(app.screen, LoginScreen), "the dialog comes")
                await browse(entrance.guide)
                await until(lambda: app.subject.stage is Stage.OPEN, "one is in")
                await until(lambda: not isinstance(app.screen, LoginScreen), "the dialog goes")
                house.tokens += ["revoked", "and its renewal too"]
                await pilot.press("L")
                await until(lambda: bool(entrance.guide and entrance.guide.waiting), "consent is waited for")
                await pilot.press("!")
                await until(lambda: isinstance(app.screen, LoginScreen), "the dialog comes")
                await pilot.press("x")
                await until(lambda: "called off" in text(app), "it says so")
                await pilot.press("escape")
                await until(
                    lambda: "The lists were fetched anew." in text(app) or app.subject.stopped("tools"), "it ends"
                )
                assert app.subject.stage is Stage.OPEN


async def test_where_nobody_logs_in_the_key_answers_questions() -> None:
    async with Guarded() as house:
        house.is_open = True
        with Entrance(house.url) as entrance:
            assert isinstance(entrance.guide, Guide)
            app: LoggingIn = InspectApp(entrance.begin)
            assert isinstance(app, InspectApp)
            async with app.run_test(size=(110, 36), notifications=True) as pilot:
                await until(lambda: app.subject.stage is Stage.OPEN, "one is in")
                await pilot.press("!")
                await until(lambda: "The server asks nothing now." in text(app), "it says so")
