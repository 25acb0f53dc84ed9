"""A turn played act by act, to clients of either era."""

import json
from pathlib import Path
from typing import Any

from inspector.features.mock.playback import (
    Manner,
    MockDelay,
    MockNotice,
    Put,
    SendNotification,
    SendResponse,
    StreamChoice,
    afterwards,
    perform,
    state_of,
)
from inspector.features.mock.script import Query, Say, ScriptedResponse, ScriptedServerRequest, Turn
from inspector.protocol.jsonrpc import Part
from inspector.protocol.revisions._shape import Era
from tests.features.mock.making import FORM, HANDSHAKE, answer, call, note, request, scripted, text

ASKABLE: dict[str, Any] = {"elicitation": {}}


def _moored(place: Path) -> Turn:
    script = scripted(
        place / "c.mcpcap",
        *(*HANDSHAKE, call(1, "moor"), "<", 20, note("notifications/progress", {"progressToken": 1, "progress": 1})),
        *(note("notifications/message", {"level": "info", "data": "half"}), request(7, "elicitation/create", FORM)),
        *(">", answer(7, {"action": "decline"}), "<", answer(1, text("no"))),
        *(note("notifications/tools/list_changed"), note("notifications/message", {"level": "error", "data": "late"})),
    )
    return next(script.of("tools/call"))


def test_a_client_with_a_handshake_hears_everything_at_its_place(tmp_path: Path) -> None:
    acts = list(perform(_moored(tmp_path), Manner(Era.LEGACY, ASKABLE, token="mine")))
    first, progress, *_ = acts
    assert first == MockDelay(20_000_000)
    assert isinstance(progress, SendNotification)
    assert progress.params.value == {"progressToken": "mine", "progress": 1}
    assert [type(act) for act in acts if not isinstance(act, MockDelay)] == [
        SendNotification,
        SendNotification,
        Put,
        SendResponse,
    ]


def test_unrequested_messages_are_not_played(tmp_path: Path) -> None:
    turn = _moored(tmp_path)
    acts = [act for act in perform(turn, Manner(Era.LEGACY, {}, level=3)) if not isinstance(act, MockDelay)]
    assert [type(act) for act in acts] == [MockNotice, SendResponse]
    assert acts[0] == MockNotice("elicitation/create is left out: the client does not declare that it can be asked")
    later = [act for act in afterwards(turn, Manner(Era.LEGACY, level=3)) if isinstance(act, SendNotification)]
    assert [(act.method, act.where) for act in later] == [
        ("notifications/tools/list_changed", StreamChoice.WATCH),
        ("notifications/message", StreamChoice.COMMON),
    ]
    unasked = [act for act in afterwards(turn, Manner(Era.MODERN, level=3)) if isinstance(act, SendNotification)]
    assert unasked[0].where is StreamChoice.LISTENERS, "a stateless client hears of changes only where it listens"


def test_stateless_client_gets_input_requests_in_the_result(tmp_path: Path) -> None:
    turn = _moored(tmp_path)
    *_, asked = perform(turn, Manner(Era.MODERN, ASKABLE))
    assert isinstance(asked, SendResponse)
    place = next(at for at, step in enumerate(turn.steps) if hasattr(step, "queries"))
    assert json.loads(asked.json) == {
        "resultType": "input_required",
        "inputRequests": {"question-1": {"method": "elicitation/create", "params": FORM}},
        "requestState": state_of(turn, place),
    }
    *_, end = perform(turn, Manner(Era.MODERN, ASKABLE), place + 1)
    assert isinstance(end, SendResponse)
    assert json.loads(end.json) == {"resultType": "complete"} | text("no")


def test_turn_without_response_is_reported(tmp_path: Path) -> None:
    turn = next(scripted(tmp_path / "c.mcpcap", *HANDSHAKE, call(1, "wait")).of("tools/call"))
    assert list(perform(turn, Manner(Era.LEGACY))) == [
        MockNotice("tools/call: no answer was recorded, so none is given")
    ]


def test_message_of_the_session_stream_is_played_there() -> None:
    steps = (Say(0, "notifications/message", Part(b"{}"), apart=True), Say(0, "notifications/message", Part(b"{}")))
    ask = ScriptedServerRequest(0, (Query("ping", Part(b"{}")),), apart=True)
    turn = Turn(1, "tools/call", {}, "", Era.LEGACY, (*steps, ask, ScriptedResponse(0, Part(b"{}"))))
    places = [act.where for act in perform(turn, Manner(Era.LEGACY)) if isinstance(act, SendNotification | Put)]
    assert places == [StreamChoice.COMMON, StreamChoice.OWN, StreamChoice.COMMON]
