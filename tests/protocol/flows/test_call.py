"""A call and the two retries that an error itself asks for."""

from inspector.protocol.flows.call import call
from inspector.protocol.flows.steps import Send
from inspector.protocol.revisions.table import NEWEST, ROWS
from tests.protocol.flows.scripted import Played, error, result

SUPPORTED = {"supported": ["2026-07-28"], "requested": "2031-01-01"}


def test_an_answer_is_the_end_of_it() -> None:
    played = Played()
    called = played.play(call("tools/call", {"name": "add"}, revision=NEWEST), [result({})])
    assert called.rounds == 1
    (step,) = played.steps
    assert isinstance(step, Send)
    assert step.progress


def test_a_version_the_server_names_is_tried_once() -> None:
    from msgspec.structs import replace

    newer = replace(NEWEST, date="2031-01-01")
    played = Played()
    called = played.play(call("tools/call", {}, revision=newer), [error(-32022, SUPPORTED), result({})])
    assert called.rounds == 2
    assert isinstance(played.steps[1], Send)
    assert played.steps[1].revision is NEWEST


def test_a_header_mismatch_fetches_the_schema_anew_and_tries_once_more() -> None:
    schemas = iter([None, {"type": "object"}])
    played = Played()
    flow = call("tools/call", {"name": "add"}, revision=NEWEST, schema_of=lambda name: next(schemas))
    played.play(flow, [error(-32020), result({"tools": []}), result({})])
    assert played.methods == ["tools/call", "tools/list", "tools/call"]
    assert isinstance(played.steps[2], Send)
    assert played.steps[2].input_schema == {"type": "object"}


def test_the_same_codes_mean_nothing_in_the_handshake_era() -> None:
    called = Played().play(call("tools/call", {}, revision=ROWS[0]), [error(-32022, SUPPORTED)])
    assert called.rounds == 1


def test_a_mismatch_that_stays_is_not_tried_for_ever() -> None:
    called = Played().play(
        call("tools/call", {"name": "a"}, revision=NEWEST), [error(-32020), result({}), error(-32020)]
    )
    assert called.rounds == 2
