"""Long lists are searched without a key waiting for it, and the newest search is the one that counts."""

import dataclasses
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from inspector.present.items import ItemRow, ToolList, always
from inspector.protocol.listed_items import Prompt, Resource, Tool
from inspector.protocol.tracking.catalogue import Listing
from inspector.tui.screens.items import list as taking
from inspector.tui.screens.items.list import MANY, ItemKind, ItemList, ListLoader, LoadedList, keys_of
from inspector.tui.screens.items.model import ListedRows, PromptRow, prompt_offers
from tests.tui.screen_text import shows, text
from tests.tui.screens.acting import Acting, ShowingList
from tests.tui.screens.items.test_tools import Side as ToolsSide
from tests.waiting import PATIENCE_S, until

Sought = list[tuple[str, bool]]


@pytest.fixture
def sought(monkeypatch: pytest.MonkeyPatch) -> Sought:
    """What was searched for, and whether on the thread that answers keys. "slow" is found once nobody waits for it."""
    seen: Sought = []
    search = ToolList.matching

    def noting(
        self: ToolList, tools: Sequence[Tool], wanted: str, goes_on: Callable[[], bool] = always
    ) -> Sequence[ItemRow]:
        seen.append((wanted, threading.current_thread() is threading.main_thread()))
        if wanted and "slow".startswith(wanted):
            pause = threading.Event()
            while goes_on():
                pause.wait(0.001)
        return search(self, tools, wanted, goes_on)

    monkeypatch.setattr(ToolList, "matching", noting)
    return seen


async def test_a_long_list_is_searched_on_a_thread_and_only_the_newest_search_is_shown(sought: Sought) -> None:
    app = ToolsSide(Acting([{"name": f"{'slow' if n % 2 else 'red'}_{n}"} for n in range(MANY + 2)]))
    async with app.run_test(size=(60, 12)) as pilot:
        await until(lambda: app.meant == [("red_0", False)], "the tools are there")
        sought.clear()
        app.side.search()
        await pilot.press(*"slow")
        await until(lambda: ("slow", False) in sought, "it is sought")
        assert app.side.chosen is not None
        assert app.side.chosen.name == "red_0"
        await pilot.press("ctrl+u", *"red_2000", "enter", "enter")
        await until(lambda: app.meant[-1:] == [("red_2000", True)], "what was found last is opened")
        await until(lambda: "1 of 2,002" in text(app), "the matches are counted")
        assert ("red_2000", False) in sought
        assert not any(name == "slow_1" for name, _ in app.meant)
        assert all(not wanted for wanted, here in sought if here)


def hold_reading(monkeypatch: pytest.MonkeyPatch) -> tuple[threading.Event, threading.Event]:
    """Let lists be read only once the second event is set; the first one is set as soon as one is read."""
    reads, may_read, read_list = threading.Event(), threading.Event(), ListLoader._read

    def reading(self: ListLoader, *arguments: Any) -> LoadedList:
        reads.set()
        may_read.wait(PATIENCE_S)
        return read_list(self, *arguments)

    monkeypatch.setattr(ListLoader, "_read", reading)
    return reads, may_read


async def test_arrows_pressed_before_a_long_list_is_shown_move_in_it_once_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reads, may_read = hold_reading(monkeypatch)
    async with ToolsSide(Acting([{"name": f"red_{n}"} for n in range(MANY + 2)])).run_test(size=(60, 12)) as pilot:
        app = pilot.app
        assert isinstance(app, ToolsSide)
        app.side.list.focus()
        await until(reads.is_set, "the list is read")
        await pilot.press("down", "down")
        assert app.side.chosen is None
        may_read.set()
        await until(lambda: app.meant[-1:] == [("red_2", False)], "the third tool is chosen")


async def test_escape_right_behind_a_search_leaves_the_cursor_at_the_match(sought: Sought) -> None:
    async with (app := ToolsSide(Acting([{"name": "red"}, {"name": "blue"}]))).run_test(size=(60, 12)) as pilot:
        await until(lambda: app.meant == [("red", False)], "the tools are there")
        app.side.search()
        await pilot.press(*"blu", "escape")
        await until(lambda: app.meant[-1:] == [("blue", False)], "the match is chosen")
        await until(lambda: "red" in text(app) and "search" not in text(app), "all tools are shown again")
        assert app.side.chosen is not None
        assert app.side.chosen.name == "blue"


async def test_a_list_that_is_read_again_leaves_the_cursor_where_the_keys_have_moved_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    subject = Acting([{"name": f"red_{n}"} for n in range(MANY + 2)])
    app = ToolsSide(subject)
    async with app.run_test(size=(60, 12)) as pilot:
        await until(lambda: app.meant == [("red_0", False)], "the tools are there")
        app.side.list.focus()
        monkeypatch.setattr(taking, "_REST_S", PATIENCE_S)  # the cursor does not rest
        reads, may_read = hold_reading(monkeypatch)
        subject.list([{"name": f"red_{n}"} for n in range(MANY + 3)])
        await until(reads.is_set, "the list is read again")
        await pilot.press("down", "down", "down")
        may_read.set()
        await until(lambda: "red_3" in text(app) and len(app.side._loaded.items) == MANY + 3, "the new list is shown")
        assert app.side.chosen is not None
        assert app.side.chosen.name == "red_3"


async def test_a_short_list_is_searched_at_once(sought: Sought) -> None:
    async with (app := ToolsSide(Acting([{"name": "red"}, {"name": "blue"}]))).run_test(size=(60, 12)) as pilot:
        await until(lambda: app.meant == [("red", False)], "the tools are there")
        app.side.search()
        await pilot.press(*"blu", "enter")
        await until(lambda: app.meant[-1:] == [("blue", False)], "it is found")
        assert ("blu", True) in sought


def read(listings: Sequence[Listing]) -> Sequence[ItemRow]:
    return prompt_offers([Prompt(raw) for listing in listings for raw in listing.items])


LAMPS = ItemKind(
    kinds=("prompts", "tools"),
    one="lamp",
    many="lamps",
    search="name",
    read=read,
    summary=lambda things: (f"{len(things)} lamps", ", lit"),
    method="lamps/light",
    made=lambda thing, name: name == thing.name,
)


class Side(ShowingList):
    def __init__(self, subject: Acting, kind: ItemKind = LAMPS) -> None:
        super().__init__(ItemList(subject, ListedRows(("lamp", "", "")), kind))

    @property
    def meant(self) -> list[str]:
        chosen = [each for each in self.posted if isinstance(each, ItemList.Chosen)]
        return [each.item.name if each.item else "" for each in chosen]


async def test_several_lists_are_shown_as_one_and_the_first_thing_is_meant() -> None:
    async with (app := Side(subject := Acting())).run_test(size=(60, 12)):
        await until(lambda: "Lamps were not listed" in text(app), "nobody asked")
        subject.list([{"name": "red"}, {"name": "green"}])
        await until(lambda: "2 lamps, lit" in text(app), "they are counted")
        await until(lambda: app.meant[-1:] == ["red"], "the first is meant")


async def test_failed_list_has_its_reason() -> None:
    subject = Acting()
    subject.stopped = lambda kind: "its response can't be read" if kind == "prompts" else ""  # type: ignore[method-assign]
    async with (app := Side(subject)).run_test(size=(60, 12)):
        await shows(app, "Cannot list lamps", "its response can't be read")


async def test_undeclared_list_is_explained() -> None:
    subject = Acting()
    subject.tape.initialized("2025-06-18", capabilities={"resources": {}})
    async with (app := Side(subject)).run_test(size=(60, 12)):
        await until(lambda: "The server does not declare lamps" in text(app), "it says so")


async def test_things_without_a_key_do_not_confuse_the_cursor() -> None:
    async with (app := Side(Acting([{"name": "red"}, 7, {}]))).run_test(size=(60, 12)) as pilot:
        await until(lambda: app.meant[-1:] == ["red"], "the first is meant")
        app.side.list.focus()
        await pilot.press("G")
        await until(lambda: app.meant[-1:] == [""], "the last is meant")
        assert app.side.chosen is not None
        assert app.side.chosen.raw == {}


def test_things_are_known_by_kind_and_key_alone_and_in_offers() -> None:
    prompt, resource = Prompt({"name": "a"}), Resource({"uri": "x://a"})
    assert keys_of([prompt, resource]) == {(Prompt, "a"), (Resource, "x://a")}
    assert keys_of([PromptRow(prompt)]) == {(Prompt, "a")}


async def test_a_long_list_is_read_on_a_thread_and_the_newest_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[bool] = []

    def noting(listings: Sequence[Listing]) -> Sequence[ItemRow]:
        threads.append(threading.current_thread() is threading.main_thread())
        return read(listings)

    apart: list[bool] = []
    monkeypatch.setattr(taking, "freeze_young", lambda: apart.append(True))
    async with (app := Side((subject := Acting()), dataclasses.replace(LAMPS, read=noting))).run_test(size=(60, 12)):
        await until(lambda: "were not listed" in text(app), "nothing was listed")
        threads.clear()
        subject.list([{"name": f"red {n}"} for n in range(MANY + 1)])
        await until(lambda: f"{MANY + 1} lamps, lit" in text(app), "the long list is shown")
        assert threads == [False]
        subject.list([{"name": f"green {n}"} for n in range(MANY + 2)])
        await until(lambda: f"{MANY + 2} lamps, lit" in text(app) and "green 0" in text(app), "the newer one is")
        subject.list([{"name": "blue"}])
        await until(lambda: "1 lamps, lit" in text(app) and "blue" in text(app), "a short one is at once")
        assert threads == [False, False, True]
        assert apart == [True, True], "collections look at no long list"
