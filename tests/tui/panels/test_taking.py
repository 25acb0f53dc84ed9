"""Lists that have changed are taken over, long ones without a key waiting for it."""

import threading
from collections.abc import Sequence

import pytest

from inspector.protocol.things import Prompt, Resource
from inspector.protocol.tracking.catalogue import Listing
from inspector.tui.panels import taking
from inspector.tui.panels.taking import MANY, keys_of
from inspector.viewmodels.offers import Offer
from tests.tui.panels.acting import Acting
from tests.tui.panels.test_thing_list import Lamps, Side
from tests.tui.screen_text import text
from tests.waiting import until


def test_things_are_known_by_kind_and_key_alone_and_in_offers() -> None:
    prompt, resource = Prompt({"name": "a"}), Resource({"uri": "x://a"})
    assert keys_of([prompt, resource]) == {(Prompt, "a"), (Resource, "x://a")}
    assert keys_of([Offer(prompt, "", "", "")]) == {(Prompt, "a")}


async def test_a_long_list_is_read_on_a_thread_and_the_newest_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[bool] = []
    read = Lamps.read

    def noting(self: Lamps, listings: Sequence[Listing]) -> Sequence[Offer]:
        threads.append(threading.current_thread() is threading.main_thread())
        return read(self, listings)

    apart: list[bool] = []
    monkeypatch.setattr(Lamps, "read", noting)
    monkeypatch.setattr(taking, "set_apart", lambda: apart.append(True))
    subject = Acting()
    app = Side(subject)
    async with app.run_test(size=(60, 12)):
        await until(lambda: "never listed" in text(app), "nothing was listed")
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
