"""What messages teach."""

from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from inspector.checks.catalog import all_checks
from inspector.checks.registry import Check
from inspector.checks.runner import Inspection
from inspector.checks.state import ALL_TRAITS, CheckMoment, ConnectionState
from inspector.checks.state_updates import row_of_request, traits_of_notification, traits_of_result
from inspector.protocol.frames import Cause, Direction
from inspector.protocol.jsonrpc import encode
from inspector.protocol.revisions.table import ROWS
from tests.checks.talks import META, Entry, Talk, initialize, initialized


def _state(talk: Talk) -> ConnectionState:
    inspection = Inspection()
    inspection.take(talk.entries)
    return inspection.state


def test_requests_are_open_until_they_are_answered() -> None:
    talk = Talk().ask("tools/list")
    assert (Direction.TO_SERVER, 2) in _state(talk).requests.open
    assert (Direction.TO_SERVER, 2) in _state(talk.answer({"tools": []})).requests.done


def test_first_page_starts_a_new_list() -> None:
    talk = Talk().ask("prompts/list").answer({"prompts": [{"name": "a"}], "nextCursor": "x"})
    talk.ask("prompts/list", {"cursor": "x"}).answer({"prompts": [{"name": "b"}, 3]})
    assert list(_state(talk).lists.known["prompts"]) == ["a", "b"]
    talk.ask("prompts/list").answer({"prompts": [{"name": "c"}]})
    assert list(_state(talk).lists.known["prompts"]) == ["c"]


def test_subscriptions_levels_and_tasks_are_known() -> None:
    talk = (
        Talk()
        .ask("resources/subscribe", {"uri": "a:b"})
        .answer({})
        .ask("logging/setLevel", {"level": "error"})
        .answer({})
    )
    talk.ask("tasks/get").answer({"taskId": "t", "status": "working"})
    state = _state(talk)
    assert (state.ongoing.subscribed, state.ongoing.log_level, state.ongoing.task_status) == (
        {"a:b"},
        "error",
        {"t": "working"},
    )
    assert not _state(talk.ask("resources/unsubscribe", {"uri": "a:b"}).answer({})).ongoing.subscribed


def test_finished_tokens_are_not_kept_for_ever() -> None:
    talk = Talk()
    for at in range(8300):
        talk.ask("ping", progressToken=f"t{at}").answer({})
    assert len(_state(talk).requests.progress) < 8300


def test_the_arguments_of_a_finished_call_with_a_token_are_not_kept() -> None:
    talk = Talk().ask("tools/call", {"name": "a", "arguments": {"text": "long"}}, progressToken="t")
    assert _state(talk).requests.progress["t"].asked.params["arguments"] == {"text": "long"}
    assert _state(talk.answer({"content": []})).requests.progress["t"].asked.params is None


def _rows(talk: Talk) -> set[str]:
    return {each.revision for each in talk.findings()}


@pytest.mark.parametrize("row", [1, 2, 3, 4, 5])
def test_a_conversation_is_judged_by_what_was_agreed_on(row: int) -> None:
    assert _rows(Talk(row).ask("tools/call", {"name": "a"}).answer({})) == {ROWS[row - 1].date}


def test_the_answer_to_initialize_is_judged_by_the_revision_that_it_names() -> None:
    result = initialized(2) | {"serverInfo": {}}
    talk = Talk(opened=False).ask("initialize", initialize(4)).answer(result)
    assert _rows(talk) == {ROWS[1].date}


def test_a_refused_handshake_and_a_refused_probe_settle_nothing() -> None:
    talk = Talk(5, opened=False).ask("server/discover").error(-32000).ask("initialize").error(-32002)
    assert not {each.id for each in talk.findings()} - {"handshake-rejected"}
    inspection = Inspection()
    inspection.take(talk.entries)
    assert inspection.state.row == 0


def test_a_discovery_that_is_answered_after_the_handshake_settles_nothing() -> None:
    talk = Talk(5, opened=False).ask("server/discover").ask("initialize", initialize(4))
    talk.answer(initialized(4)).answer({"supportedVersions": [ROWS[-1].date], "capabilities": {}}, id_=1)
    inspection = Inspection()
    inspection.take(talk.entries)
    assert inspection.state.row == 4


def test_a_request_may_declare_its_own() -> None:
    params = {"_meta": {META + "protocolVersion": ROWS[-1].date}}
    assert row_of_request(ConnectionState(), "tools/list", params) == 5
    assert row_of_request(ConnectionState(), "tools/list", {}) == 0
    assert row_of_request(ConnectionState(), "initialize", params) == 0


_TOOLS = [
    {"name": "a", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object", "required": ["x"]}},
    {"name": "b", "inputSchema": {"type": "object"}},
]
_LONG = {"type": "text", "text": "word " * 40_000}
_BLOCKS = st.sampled_from(
    [
        {"type": "text", "text": "fine"},
        _LONG,
        {"type": "text", "annotations": {"lastModified": "soon"}},
        {"type": "text", "text": "x", "annotations": {"lastModified": "soon"}},
        {"type": "resource", "text": "y"},
        {"type": "resource", "resource": {"uri": "a://b", "text": "c"}},
        {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"},
        {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/gif"},
        7,
    ]
)
_RESULTS = st.fixed_dictionaries(
    {},
    optional={
        "content": st.lists(_BLOCKS, max_size=2) | st.none(),
        "isError": st.sampled_from([True, False, "yes"]),
        "structuredContent": st.sampled_from([{"x": 1}, {}, None]),
        "task": st.sampled_from([{"taskId": "t", "status": "completed"}, 7]),
        "taskId": st.just("t"),
        "status": st.sampled_from(["working", "failed"]),
        "resultType": st.sampled_from(["complete", "task"]),
    },
)
_PARAMS = st.fixed_dictionaries({}, optional={"name": st.sampled_from(["a", "b", "c"]), "task": st.just({})})


def _findings(entries: list[Entry]) -> list[tuple[str, str]]:
    inspection = Inspection()
    found = inspection.take(entries) + inspection.finish()
    assert not inspection.disabled_checks
    return [(each.id, each.sentence) for each in found]


@settings(max_examples=60, deadline=None)
@example(3, [({"name": "b"}, {"content": [_LONG]})], False, False)
@given(st.sampled_from([1, 3, 4, 5]), st.lists(st.tuples(_PARAMS, _RESULTS), max_size=3), st.booleans(), st.booleans())
def test_traits_filter_drops_no_finding(row: int, calls: list[tuple[Any, Any]], probe: bool, http: bool) -> None:
    talk = Talk(row, transport="http" if http else "stdio").ask("tools/list").answer({"tools": _TOOLS})
    for at, (params, result) in enumerate(calls):
        body = {"jsonrpc": "2.0", "id": f"call {at}", "method": "tools/call", "params": params}
        cause = Cause.PROBE if probe else Cause.UNKNOWN
        talk.frame(encode(body), Direction.TO_SERVER, cause=cause).answer(result, f"call {at}")
    spared = _findings(talk.entries)
    with patch.object(Check, "applies", lambda self, traits, aside: self.id not in aside):
        assert spared == _findings(talk.entries)


def test_a_plain_result_has_no_trait_and_meets_few_checks() -> None:
    inspection = Inspection()
    talk = Talk(3).ask("tools/call", {"name": "a"}).answer({"content": [{"type": "text", "text": "fine"}]})
    with patch.object(Check, "applies", autospec=True, side_effect=Check.applies) as asked:
        inspection.take(talk.entries)
    told = [each.args for each in asked.call_args_list if "answer tools/call" in each.args[0].hooks]
    assert {traits for _, traits, _ in told} == {0}
    assert {check.id for check, _, _ in told if check.needs} >= {
        "content-mime-type-mismatch",
        "unknown-tool-as-tool-error",
        "annotation-value-invalid",
        "result-too-long",
        "image-too-large",
        "invalid-params-error-code",
    }


def test_unexamined_message_has_every_trait() -> None:
    case = CheckMoment(ConnectionState(), 1, 0, 0)
    assert case.traits == traits_of_result(case) == ALL_TRAITS
    assert traits_of_notification(case) != ALL_TRAITS
    assert all(not each.needs or each.needs & ALL_TRAITS for each in all_checks())
