"""A plan is sent over a live session, and whatever comes is a line of the result."""

import sys

import pytest

from inspector.capture.compare.differences import OperationVerdict
from inspector.capture.compare.normal import Normal
from inspector.capture.compare.operations import accounts
from inspector.capture.journal import start_capture
from inspector.capture.store.load import load
from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from inspector.features.resend.resend import Replies, ResendOptions, Resent, offers_of, plan, resend
from inspector.protocol import capabilities as offers
from inspector.protocol.revisions._shape import Era
from inspector.protocol.server_requests import ErrorReply, RequestKind, Result, ServerRequest
from inspector.session.open import open_session
from inspector.session.options import Settings, Timeouts
from tests.architecture.sources import ROOT
from tests.capture.compare.talk import Said, asks, calls, gives, says, told
from tests.captures.record import sample

_SERVERS = ROOT / "tests" / "servers"
_TALK = told(
    asks(0, "initialize", {"protocolVersion": "2025-06-18"}),
    gives(0, {"protocolVersion": "2025-06-18", "capabilities": {}}),
    calls(1, "greet"),
    says(1, "Good morning"),
    calls(2, "sing"),
    says(2, "la"),
    asks(3, "resources/list"),
    gives(3, {"resources": []}),
)


async def _sent(server: str, *words: str, allow: bool = False, era: Era = Era.LEGACY) -> Resent:
    target = StdioTarget(
        (sys.executable, str(_SERVERS / server), *words), build_environment({}, inherit_all=False, set_=()), str(ROOT)
    )
    journal = start_capture(None)
    try:
        async with open_session(target, journal, Settings(era=era, clocks=Timeouts(5, 5))) as session:
            await session.connect()
            return await resend(session, plan(_TALK), ResendOptions(Normal(), Replies(_TALK), allow))
    finally:
        journal.close()


async def test_missing_tool_and_method_are_reported_and_the_rest_compared() -> None:
    resent = await _sent("ledger.py")
    assert [(row.target or row.method, row.verdict, row.why) for row in resent.comparison.rows] == [
        ("greet", OperationVerdict.SAME, ""),
        ("sing", OperationVerdict.ONLY_BEFORE, "the server has no tool 'sing'"),
        ("resources/list", OperationVerdict.DIFFERENT, ""),
    ]
    assert [change.path for change in resent.comparison.rows[2].changes] == ["result", "error"]
    assert resent.sent == 2
    assert resent.notes == ("The capture speaks revision 2025-06-18, the server now 2025-11-25.",)


async def test_a_server_that_goes_away_ends_the_sending_without_a_crash() -> None:
    journal = load(sample("lighthouse"))
    talk = accounts(journal)
    journal.close()
    found = plan(talk)
    target = StdioTarget(
        (sys.executable, "-m", "tests.servers.dying_demo", "jsonrpc_error"),
        build_environment({}, inherit_all=False, set_=[f"PYTHONPATH={ROOT}"]),
        str(ROOT),
    )
    live = start_capture(None)
    try:
        async with open_session(target, live, Settings(era=Era.LEGACY)) as session:
            await session.connect()
            calls_only = [
                step for step in found.steps if step.account.target in ("add", "jsonrpc_error", "image_result")
            ]
            made = type(found)(tuple(calls_only))
            resent = await resend(session, made, ResendOptions(Normal(), Replies(talk), allow_destructive=True))
    finally:
        live.close()
    rows = {row.target: row for row in resent.comparison.rows}
    assert rows["add"].verdict is OperationVerdict.SAME
    assert "ended" in rows["jsonrpc_error"].why
    assert "the connection had ended" in rows["image_result"].why


@pytest.mark.parametrize("allow", [True, False])
async def test_a_tool_without_annotations_is_sent_only_where_that_is_allowed(allow: bool) -> None:
    talk = told(calls(1, "close_account", account="x"), says(1, "closed"))
    target = StdioTarget(
        (sys.executable, str(_SERVERS / "ledger.py")), build_environment({}, inherit_all=False, set_=()), str(ROOT)
    )
    journal = start_capture(None)
    try:
        async with open_session(target, journal, Settings(era=Era.LEGACY)) as session:
            await session.connect()
            resent = await resend(session, plan(talk), ResendOptions(Normal(), Replies(talk), allow))
    finally:
        journal.close()
    assert (resent.sent, len(resent.skips)) == ((1, 0) if allow else (0, 1))


def _asks(id_: int, method: str, answer: object, **params: object) -> tuple[Said, Said]:
    return ("<", {"id": id_, "method": method, "params": params}), (">", {"id": id_, **answer})  # type: ignore[dict-item]


def _server_request(kind: RequestKind, **params: object) -> ServerRequest:
    return ServerRequest(kind, params, 1, 1, 0)


_REPLIES_TALK = told(
    *_asks(90, "roots/list", {"result": {"roots": []}}),
    calls(1, "plan"),
    *_asks(1, "elicitation/create", {"result": {"action": "accept", "content": {"n": 1}}}, message="One?"),
    *_asks(2, "elicitation/create", {"result": {"action": "decline"}}, message="Two?"),
    *_asks(3, "sampling/createMessage", {"error": {"code": -1, "message": "no", "data": 5}}, messages=[]),
    says(1, "done"),
)


async def test_each_question_gets_its_own_answer_once_whatever_their_order() -> None:
    replies = Replies(_REPLIES_TALK)
    replies.turn_to(_REPLIES_TALK.operations[0])
    assert await replies.answer(_server_request(RequestKind.ELICITATION, message="Two?")) == Result(
        {"action": "decline"}
    )
    accepted = Result({"action": "accept", "content": {"n": 1}})
    assert await replies.answer(_server_request(RequestKind.ELICITATION, message="Another?")) == accepted
    assert await replies.answer(_server_request(RequestKind.ELICITATION, message="One?")) is None
    assert await replies.answer(_server_request(RequestKind.SAMPLING, messages=[])) == ErrorReply(-1, "no", 5)


async def test_loose_server_requests_are_answered_until_stopped() -> None:
    replies = Replies(_REPLIES_TALK)
    for _ in range(2):
        assert await replies.answer(_server_request(RequestKind.ROOTS)) == Result({"roots": []})
    replies.stop()
    assert await replies.answer(_server_request(RequestKind.ROOTS)) is None


@pytest.mark.parametrize(
    ("capabilities", "found"),
    [
        ({}, set()),
        (None, set()),
        ({"roots": {}, "sampling": {}}, {offers.ROOTS, offers.SAMPLING}),
        ({"sampling": {"tools": {}}}, {offers.SAMPLING, offers.SAMPLING_TOOLS}),
        ({"elicitation": {}}, {offers.FORM}),
        ({"elicitation": {"url": {}}}, {offers.URL}),
        ({"tasks": {}}, {offers.TASKS}),
        ({"extensions": {"io.modelcontextprotocol/tasks": {}}}, {offers.TASKS}),
    ],
)
def test_declared_capabilities_are_declared_again(capabilities: object, found: set[str]) -> None:
    assert offers_of(capabilities) == found
