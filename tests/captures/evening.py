"""An evening with the demo's lighthouse: something is read, something is asked, and two questions wait at the end."""

import asyncio

from inspector.capture.journal import Journal
from inspector.protocol.capabilities import ALL
from inspector.protocol.flows.connect import ConnectOptions
from inspector.protocol.request_meta import ClientIdentity
from inspector.protocol.server_requests import RequestKind, Root
from inspector.session.inbox import Inbox
from inspector.session.scripted import Prepared, policy
from inspector.session.session import Session, SessionOptions
from tests.captures.hurry import HurriedLoop, run_hurried
from tests.captures.lighthouse import CLIENT, keep_the_light, stay

_PREPARED = (
    Prepared(RequestKind.ELICITATION, "accept", message="supper", content={"dish": "soup"}, delay_ms=2100),
    Prepared(RequestKind.ELICITATION, "accept", message="How many", content={"guests": 4}, delay_ms=1700),
    Prepared(
        RequestKind.SAMPLING,
        "text",
        text="Fog before midnight, and herring with it.",
        model="gull-large",
        delay_ms=3300,
    ),
)
_READ = ("lighthouse://logbook", "lighthouse://ships/Lady%20Ottilie", "lighthouse://chart.png")
_GOT = (("hail_ship", {"ship": "Grey Lady", "mood": "cheerful"}), ("explain_chart", {"hours": "12"}))


def evening(journal: Journal, loop: HurriedLoop) -> None:
    """Reads, prompts and questions, in the handshake era; the last questions are never answered."""
    inbox = Inbox([("prepared response", _of_forms)], has_person=True, roots=[Root("file:///srv/lighthouse", "rock")])
    wish = ConnectOptions(ClientIdentity(CLIENT.info, frozenset(ALL)))
    run_hurried(loop, stay(journal, keep_the_light, _spend_the_evening, options=SessionOptions(wish, inbox=inbox)))


_of_forms = policy(_PREPARED, lambda number: "")


async def _spend_the_evening(session: Session) -> None:
    for uri in _READ:
        await asyncio.sleep(1.35)
        await session.call("resources/read", {"uri": uri})
    for name, given in _GOT:
        await asyncio.sleep(1.35)
        await session.call("prompts/get", {"name": name, "arguments": given})
    for tool in ("elicit_steps", "sampling_request"):
        await asyncio.sleep(1.35)
        await session.call("tools/call", {"name": tool, "arguments": {}})
    await asyncio.sleep(1.35)
    async with asyncio.TaskGroup() as tasks:
        call = tasks.create_task(session.call("tools/call", {"name": "elicit_form", "arguments": {"copies": 2}}))
        await asyncio.sleep(12.5)
        session.journal.close()  # what comes now, that nobody waits any more, is not to be seen
        call.cancel()
