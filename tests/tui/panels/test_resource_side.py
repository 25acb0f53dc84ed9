"""The list of resources with its marks, also where nobody can watch anything any more."""

from inspector.tui.panels.resource_side import ResourceSide
from inspector.tui.panels.resources import ResourcesPanel
from tests.protocol.tracking.test_subscriptions import ID
from tests.tui.panels.offering import Offering, Offers
from tests.tui.panels.test_resources import WIDE, shows
from tests.tui.screen_text import text

ASKED = {"toolsListChanged": True, "resourceSubscriptions": ["x://welcome", "x://tides/m"]}


def streamed(granted: dict[str, object]) -> Offering:
    """A subject whose server has acknowledged a stream."""
    subject = Offering()
    subject.tape.request(7, "subscriptions/listen", {"notifications": ASKED})
    tell(subject, "subscriptions/acknowledged", notifications=granted)
    return subject


def tell(subject: Offering, what: str, **params: object) -> None:
    params["_meta"] = {ID: 7}
    subject.tape.from_server({"jsonrpc": "2.0", "method": f"notifications/{what}", "params": params})


async def test_what_was_granted_and_what_was_not_stand_below_the_list() -> None:
    app = Offers(ResourcesPanel(streamed({"resourceSubscriptions": ["x://welcome"]})))
    async with app.run_test(size=WIDE, notifications=True):
        await shows(app, "● watching x://welcome")
        assert app.query_one(ResourceSide).display
        await shows(app, "▲ not granted: list of tools,")
        await shows(app, "▲ watching not granted")


async def test_in_a_recording_the_marks_are_those_of_its_end() -> None:
    subject = streamed(ASKED)
    tell(subject, "resources/updated", uri="x://welcome")
    subject.tape.to_server({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})
    subject.can_act = False
    app = Offers(ResourcesPanel(subject))
    async with app.run_test(size=WIDE, notifications=True):
        await shows(app, "○ ended: list of tools,")
        await shows(app, "◆ updated once")
        assert "◆ updated" in next(line for line in text(app).splitlines() if "▌ Welcome" in line)


async def test_without_any_watching_nothing_is_said_of_it() -> None:
    app = Offers(ResourcesPanel(Offering()))
    async with app.run_test(size=WIDE, notifications=True):
        await shows(app, "4 resources, 2 templates")
        assert "watch" not in text(app).replace("Watch", "")
