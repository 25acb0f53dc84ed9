"""A place in a payload is gone to as soon as it is there: in a short one at once, in a long one once it is prepared."""

import json

import pytest

from inspector.tui.panels.payload_view import BYTES, TREE, PayloadView
from inspector.tui.panels.pointing import PointingAt
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing
from tests.waiting import until

SHORT = json.dumps({"a": {"b": [1, {"c": "here"}]}}).encode()
LONG = json.dumps({"many": ["x" * 50] * 30_000, "a": {"b": [1, {"c": "here"}]}}).encode()


@pytest.mark.parametrize("payload", [SHORT, LONG], ids=["short", "long"])
async def test_a_pointer_leads_to_its_value(payload: bytes) -> None:
    view = PayloadView()
    app = Showing(view)
    async with app.run_test(size=(80, 20)):
        view.show([("answer", "strong")], [], payload, TREE)
        view.point_at("/a/b/1/c", None)
        await until(lambda: "$.a.b[1].c" in text(app), "the cursor was there")


async def test_bytes_are_marked() -> None:
    view = PayloadView()
    app = Showing(view)
    async with app.run_test(size=(80, 20)) as pilot:
        view.point_at("", (0, 1))  # nothing is shown yet: nothing happens
        view.show([("bytes", "strong")], [], b"x" * 400 + b"YY" + b"z" * 400, BYTES)
        view.point_at("", (400, 402))
        await pilot.pause()
        await until(lambda: "59 59" in text(app), "the bytes were in sight")
        assert app.style_of("59").reverse


def test_any_payload_can_be_pointed_at() -> None:
    assert issubclass(PayloadView, PointingAt)
