"""The flow that opens a connection, step by step, and the detection of the era."""

from typing import Any

import pytest
from msgspec.structs import replace

from inspector.errors import AuthorizationNeeded, ConnectError, Disconnected, RemoteProtocolError
from inspector.protocol.flows.connect import ConnectOptions, connect
from inspector.protocol.flows.steps import Await, Broken, Drop, GivenUp, Reply, Send, Silent, UseCarriage
from inspector.protocol.frames import Cause
from inspector.protocol.request_meta import ClientIdentity
from inspector.protocol.revisions._shape import Carriage, Era
from inspector.protocol.revisions.openings import SERVER_INFO
from tests.protocol.flows.scripted import Played, error, exchange, refused, result
from tests.protocol.wire import INITIALIZED

ME = ClientIdentity({"name": "t", "version": "0"})
STDIO, HTTP = ConnectOptions(ME), ConnectOptions(ME, over_http=True)
DISCOVERED = result(
    {"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}, "server/discover"
)
OPENED = result(INITIALIZED, "initialize")
UNKNOWN_METHOD = error(-32601)


def unsupported(*versions: str) -> Reply:
    return error(-32022, {"supported": list(versions), "requested": "2026-07-28"})


def connect_options(**changes: Any) -> ConnectOptions:
    return ConnectOptions(ME, **changes)


def test_a_modern_server_is_opened_by_the_probe_alone() -> None:
    played = Played()
    opening = played.play(connect(STDIO), [DISCOVERED])
    assert (opening.revision.date, opening.era) == ("2026-07-28", Era.MODERN)
    (probe,) = played.steps
    assert isinstance(probe, Send)
    assert (probe.method, probe.cause, probe.silence_s) == ("server/discover", Cause.PROBE, 2.0)


@pytest.mark.parametrize(
    "answer",
    [UNKNOWN_METHOD, error(-32602), error(-32600), error(-1), result({}), result({"tools": []}), result(None)],
    ids=["-32601", "-32602", "-32600", "-1", "empty result", "another result", "null"],
)
def test_any_non_modern_response_leads_to_the_handshake(answer: Reply) -> None:
    played = Played()
    opening = played.play(connect(STDIO), [answer, OPENED, ""])
    assert played.methods == ["server/discover", "initialize", "Notify"]
    assert opening.revision.date == "2025-06-18"
    assert opening.offered == "2025-11-25"


LATE = replace(DISCOVERED, still_open=exchange("initialize", 2))
SILENT = Silent(exchange("server/discover", 1), 2.0, "idle")
NOT_NOW = error(-32601, method="initialize")


def test_a_silent_server_on_stdio_gets_the_handshake_and_its_late_answer_is_welcome() -> None:
    played = Played()
    opening = played.play(connect(STDIO), [SILENT, LATE, NOT_NOW])
    assert opening.era is Era.MODERN
    initialize = played.steps[1]
    assert isinstance(initialize, Send)
    assert initialize.or_late is SILENT.exchange
    assert played.steps[2] == Await(exchange("initialize", 2), silence_s=2.0)


def test_a_slow_server_of_both_eras_that_has_begun_a_handshake_finishes_it() -> None:
    played = Played()
    opening = played.play(connect(STDIO), [SILENT, LATE, OPENED, ""])
    assert opening.era is Era.LEGACY
    assert played.methods == ["server/discover", "initialize", "Await", "Notify"]


def test_slow_modern_server_silent_to_initialize_is_modern() -> None:
    assert Played().play(connect(STDIO), [SILENT, LATE, Silent(exchange(), 2.0, "idle")]).era is Era.MODERN


def test_a_late_answer_that_proves_nothing_changes_nothing_and_initialize_is_sent_once() -> None:
    played = Played()
    late = replace(error(-32601, method="server/discover"), still_open=exchange("initialize", 2))
    opening = played.play(connect(STDIO), [SILENT, late, OPENED, ""])
    assert opening.era is Era.LEGACY
    assert played.methods == ["server/discover", "initialize", "Await", "Notify"]
    assert played.steps[2] == Await(exchange("initialize", 2), silence_s=None)


def test_unsupported_version_is_retried_with_the_offered_one() -> None:
    played = Played()
    with pytest.raises(ConnectError, match="2031-01-01"):
        played.play(connect(STDIO), [unsupported("2031-01-01")])


def test_a_server_that_names_handshake_revisions_gets_the_newest_of_them() -> None:
    played = Played()
    played.play(connect(STDIO), [unsupported("2024-11-05", "2025-03-26"), OPENED, ""])
    initialize = played.steps[1]
    assert isinstance(initialize, Send)
    assert initialize.params["protocolVersion"] == "2025-03-26"


def test_a_discover_result_that_names_only_handshake_revisions_leads_to_the_handshake() -> None:
    played = Played()
    found = result({"supportedVersions": ["2025-06-18"], "capabilities": {}})
    assert played.play(connect(STDIO), [found, OPENED, ""]).era is Era.LEGACY


def test_the_release_candidates_code_counts_with_its_data_only() -> None:
    data = {"supported": ["2025-06-18"], "requested": "2026-07-28"}
    played = Played()
    played.play(connect(STDIO), [error(-32004, data), OPENED, ""])
    assert isinstance(played.steps[1], Send)
    assert played.steps[1].params["protocolVersion"] == "2025-06-18"
    other = Played()
    other.play(connect(STDIO), [error(-32004), OPENED, ""])
    assert isinstance(other.steps[1], Send)
    assert other.steps[1].params["protocolVersion"] == "2025-11-25"


def test_over_http_the_handshake_travels_by_sessions_and_opens_a_stream() -> None:
    played = Played()
    played.play(connect(HTTP), [refused(400, b"Bad Request: no session"), "", OPENED, "", None])
    assert played.methods == ["server/discover", "UseCarriage", "initialize", "Notify", "OpenStream"]
    assert played.steps[1] == UseCarriage(Carriage.SESSIONS)


@pytest.mark.parametrize("status", [400, 404, 405])
def test_a_refused_initialize_is_tried_as_an_older_sse_server(status: int) -> None:
    played = Played()
    replies = [refused(status), "", refused(status), "", OPENED, "", None]
    played.play(connect(HTTP), replies)
    assert played.steps[3] == UseCarriage(Carriage.LEGACY_SSE)


def test_failed_opening_reports_both_attempts() -> None:
    with pytest.raises(ConnectError, match=r"HTTP 404.*as an older HTTP\+SSE server: no endpoint event") as caught:
        Played().play(connect(HTTP), [refused(404), "", refused(404, b"<html>", "text/html"), "no endpoint event"])
    assert "path" in caught.value.hint


@pytest.mark.parametrize("status", [401, 403])
def test_a_server_that_wants_credentials_is_no_verdict(status: int) -> None:
    challenge = refused(status, headers=(("WWW-Authenticate", "Bearer realm=x"),))
    with pytest.raises(AuthorizationNeeded, match="Bearer realm=x"):
        Played().play(connect(HTTP), [challenge])


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, None])
def test_http_failure_of_the_probe_leads_to_the_handshake_with_a_notice(status: int | None) -> None:
    played = Played()
    assert played.play(connect(HTTP), [refused(status), "", OPENED, "", None, None]).era is Era.LEGACY
    assert played.methods == ["server/discover", "UseCarriage", "initialize", "Notify", "OpenStream", "Notice"]
    assert played.told == [
        f"Opened with initialize: server/discover was answered with HTTP {status}."
        if status
        else "Opened with initialize: server/discover got no response."
    ]


def test_error_with_http_500_is_noticed() -> None:
    played = Played()
    played.play(connect(HTTP), [replace(error(-32603), status=500), "", OPENED, "", None, None])
    assert "HTTP 500" in played.told[0]


def test_a_connection_closed_without_a_response_leads_to_the_handshake() -> None:
    played = Played()
    closed = Broken(exchange(), "h:80 gave no HTTP response: closed.", unreached=True, no_response=True)
    played.play(connect(HTTP), [closed, "", OPENED, "", None, None])
    assert "h:80 gave no HTTP response: closed)" in played.told[0]


def test_an_outage_is_reported_once_initialize_has_failed_as_well() -> None:
    with pytest.raises(ConnectError, match="initialize with HTTP 503"):
        Played().play(connect(HTTP), [refused(503), "", refused(503)])


def test_a_gateway_that_never_answers_the_probe_gets_the_handshake_and_the_probe_is_dropped() -> None:
    played = Played()
    opening = played.play(connect(HTTP), [SILENT, "", OPENED, None, "", None, None])
    assert opening.era is Era.LEGACY
    assert played.methods == ["server/discover", "UseCarriage", "initialize", "Drop", "Notify", "OpenStream", "Notice"]
    probe, _, initialize, dropped, *_ = played.steps
    assert isinstance(probe, Send)
    assert isinstance(initialize, Send)
    assert probe.silence_s == 2.0
    assert initialize.or_late == SILENT.exchange
    assert dropped == Drop(SILENT.exchange or exchange())
    assert "within 2 s" in played.told[0]


def test_a_slow_modern_server_over_http_is_modern_and_goes_on_statelessly() -> None:
    played = Played()
    opening = played.play(connect(HTTP), [SILENT, "", LATE, NOT_NOW, ""])
    assert opening.era is Era.MODERN
    assert played.steps[-1] == UseCarriage(Carriage.STATELESS)
    assert played.told == []


def test_a_refused_handshake_waits_for_the_late_answer_to_the_probe() -> None:
    played = Played()
    opening = played.play(connect(HTTP), [SILENT, "", refused(400), DISCOVERED, ""])
    assert opening.era is Era.MODERN
    assert played.methods == ["server/discover", "UseCarriage", "initialize", "Await", "UseCarriage"]


def test_a_server_that_neither_answers_the_probe_nor_takes_the_handshake_is_tried_as_an_older_one() -> None:
    played = Played()
    late = Silent(exchange("server/discover"), 10.0, "idle")
    replies = [SILENT, "", refused(404), late, None, "", OPENED, "", None, None]
    assert played.play(connect(HTTP), replies).era is Era.LEGACY
    assert UseCarriage(Carriage.LEGACY_SSE) in played.steps


EXITED = Broken(exchange(), "the server exited with code 1 after 0.1 s")


def test_a_server_that_exits_at_the_probe_is_started_once_more_with_the_handshake() -> None:
    played = Played()
    opening = played.play(connect(STDIO), [EXITED, EXITED.why, None, OPENED, ""])
    assert opening.era is Era.LEGACY
    assert played.methods == ["server/discover", "Restart", "Notice", "initialize", "Notify"]
    assert "exited with code 1" in played.told[0]


def test_a_server_that_answers_the_probe_and_exits_is_started_once_more() -> None:
    played = Played()
    played.play(connect(STDIO), [UNKNOWN_METHOD, EXITED, EXITED.why, None, OPENED, ""])
    assert played.methods == ["server/discover", "initialize", "Restart", "Notice", "initialize", "Notify"]


def test_a_server_that_is_not_started_again_is_reported() -> None:
    with pytest.raises(Disconnected, match="exited with code 1"):
        Played().play(connect(STDIO), [EXITED, ""])


def test_a_server_that_exits_at_the_handshake_too_is_reported_after_the_second_start() -> None:
    with pytest.raises(Disconnected, match="code 2"):
        Played().play(connect(STDIO), [EXITED, EXITED.why, None, Broken(exchange(), "the server exited with code 2")])


@pytest.mark.parametrize("more", [{"era": Era.LEGACY}, {"remembered": Era.LEGACY}])
def test_a_server_that_was_not_probed_is_not_started_again(more: dict[str, Any]) -> None:
    with pytest.raises(Disconnected):
        Played().play(connect(connect_options(**more)), [EXITED])


def naming(code: int, *versions: str) -> Reply:
    return error(code, {"supported": list(versions), "requested": "2025-11-25"}, method="initialize")


def test_a_handshake_refused_with_stateless_versions_leads_to_one_of_them() -> None:
    played = Played()
    opening = played.play(connect(STDIO), [SILENT, naming(-32022, "2026-07-28"), None, DISCOVERED])
    assert opening.era is Era.MODERN
    assert played.methods == ["server/discover", "initialize", "Drop", "server/discover"]


def test_a_late_answer_that_proves_nothing_and_a_handshake_refused_with_versions_lead_to_one_of_them() -> None:
    played = Played()
    late = replace(error(-32603, method="server/discover"), still_open=exchange("initialize", 2))
    opening = played.play(connect(STDIO), [SILENT, late, naming(-32022, "2099-01-01", "2026-07-28"), DISCOVERED])
    assert opening.revision.date == "2026-07-28"


def test_a_handshake_refused_with_other_handshake_versions_is_repeated_with_one_of_them() -> None:
    played = Played()
    played.play(connect(STDIO), [SILENT, naming(-32022, "2025-03-26"), None, None, OPENED, ""])
    sent = [step for step in played.steps if isinstance(step, Send) and step.method == "initialize"]
    assert [step.params["protocolVersion"] for step in sent] == ["2025-11-25", "2025-03-26"]


TOOLS = result({"resultType": "complete", "tools": [], "_meta": {SERVER_INFO: {"name": "s"}}}, "tools/list")
UNKNOWN = error(-32601)


def test_a_modern_server_that_does_not_know_discover_is_used_in_a_version_that_it_names() -> None:
    played = Played()
    unknown = error(-32601, {"supported": ["2099-01-01", "2026-07-28"]})
    opening = played.play(connect(HTTP), [unknown, TOOLS, UNKNOWN, UNKNOWN, None])
    assert played.methods == ["server/discover", "tools/list", "resources/list", "prompts/list", "Notice"]
    assert (opening.revision.date, opening.capabilities, opening.server) == ("2026-07-28", {"tools": {}}, {"name": "s"})
    assert all(step.revision is opening.revision for step in played.steps[1:4] if isinstance(step, Send))


def test_versions_in_the_refusal_of_initialize_are_used() -> None:
    played = Played()
    replies = [UNKNOWN, "", naming(-32601, "2026-07-28"), "", UNKNOWN, TOOLS, UNKNOWN, UNKNOWN, None]
    assert played.play(connect(HTTP), replies).era is Era.MODERN
    assert played.methods[:5] == ["server/discover", "UseCarriage", "initialize", "UseCarriage", "server/discover"]


def test_a_server_that_names_a_version_and_does_not_speak_it_is_reported() -> None:
    unknown = error(-32601, {"supported": ["2026-07-28"]})
    with pytest.raises(ConnectError, match="none of the lists"):
        Played().play(connect(HTTP), [unknown, UNKNOWN, UNKNOWN, UNKNOWN])


def test_a_remembered_legacy_server_that_does_not_know_initialize_is_found_out() -> None:
    played = Played()
    opening = played.play(connect(connect_options(remembered=Era.LEGACY)), [UNKNOWN, DISCOVERED])
    assert opening.era is Era.MODERN


def test_a_server_that_cannot_be_reached_was_never_connected_to() -> None:
    with pytest.raises(ConnectError, match="refuses connections") as raised:
        Played().play(connect(HTTP), [Broken(exchange(), "it refuses connections", "Is it running?", unreached=True)])
    assert raised.value.hint == "Is it running?"


def test_a_remembered_legacy_server_is_not_probed() -> None:
    played = Played()
    played.play(connect(connect_options(remembered=Era.LEGACY)), [OPENED, ""])
    assert played.methods == ["initialize", "Notify"]


def test_a_server_that_is_not_probed_has_the_time_that_a_probe_would_have_taken_to_start() -> None:
    played = Played()
    silent = Silent(exchange("initialize"), 2.0, "idle")
    played.play(connect(connect_options(remembered=Era.LEGACY)), [silent, OPENED, ""])
    assert played.steps[1] == Await(exchange("initialize"))


def test_a_remembered_legacy_server_that_has_become_modern_is_found_out() -> None:
    played = Played()
    opening = played.play(connect(connect_options(remembered=Era.LEGACY)), [unsupported("2026-07-28"), DISCOVERED])
    assert opening.era is Era.MODERN
    assert played.methods == ["initialize", "server/discover"]


def test_a_remembered_modern_server_may_take_its_time() -> None:
    played = Played()
    played.play(connect(connect_options(remembered=Era.MODERN)), [DISCOVERED])
    assert isinstance(played.steps[0], Send)
    assert played.steps[0].silence_s is None


def test_the_legacy_era_can_be_demanded() -> None:
    played = Played()
    played.play(connect(connect_options(era=Era.LEGACY)), [OPENED, ""])
    assert played.methods == ["initialize", "Notify"]


def test_the_modern_era_can_be_demanded_and_nothing_else_is_tried() -> None:
    with pytest.raises(ConnectError, match="-32601"):
        Played().play(connect(connect_options(era=Era.MODERN)), [UNKNOWN_METHOD])


@pytest.mark.parametrize("date", ["2024-11-05", "2025-03-26"])
def test_a_pinned_handshake_revision_is_offered_without_a_probe(date: str) -> None:
    played = Played()
    played.play(connect(connect_options(revision=date)), [OPENED, ""])
    assert isinstance(played.steps[0], Send)
    assert (played.steps[0].method, played.steps[0].params["protocolVersion"]) == ("initialize", date)


def test_a_pinned_unknown_revision_is_tried_in_both_eras() -> None:
    played = Played()
    played.play(connect(connect_options(revision="2099-01-01")), [UNKNOWN_METHOD, OPENED, ""])
    probe, initialize, _ = played.steps
    assert isinstance(probe, Send)
    assert isinstance(initialize, Send)
    assert probe.revision is not None
    assert probe.revision.date == "2099-01-01"
    assert initialize.params["protocolVersion"] == "2099-01-01"


@pytest.mark.parametrize("era", [None, Era.MODERN])
def test_a_pinned_revision_that_is_refused_and_named_in_one_breath_is_tried_once_more(era: Era | None) -> None:
    played = Played()
    opening = played.play(
        connect(connect_options(revision="2026-07-28", era=era)), [unsupported("2026-07-28"), DISCOVERED]
    )
    assert opening.revision.date == "2026-07-28"
    assert played.methods == ["server/discover"] * 2


def test_a_pinned_revision_is_not_given_up_for_another_one_that_the_server_names() -> None:
    played = Played()
    with pytest.raises(ConnectError, match="it does not take 2099-01-01 and names 2026-07-28"):
        played.play(connect(connect_options(revision="2099-01-01")), [unsupported("2026-07-28")])
    assert played.methods == ["server/discover"]


def test_pinned_revision_countered_by_the_server_is_a_warning() -> None:
    opening = Played().play(connect(connect_options(revision="2025-03-26")), [OPENED, ""])
    assert opening.warnings == ("2025-03-26 was offered, and the server answered with 2025-06-18",)
    assert Played().play(connect(connect_options(revision="2025-06-18")), [OPENED, ""]).warnings == ()


@pytest.mark.parametrize("more", [{"era": Era.MODERN}, {"revision": "2026-07-28"}])
def test_the_older_carriage_and_the_modern_era_exclude_each_other(more: dict[str, Any]) -> None:
    played = Played()
    with pytest.raises(ConnectError, match="no stateless era"):
        played.play(connect(connect_options(over_http=True, carriage=Carriage.LEGACY_SSE, **more)), [])
    assert played.methods == []


def test_a_server_that_refuses_the_offer_and_names_others_gets_one_of_those() -> None:
    played = Played()
    refusal = error(-32602, {"supported": ["2024-11-05"], "requested": "2025-11-25"})
    played.play(connect(connect_options(era=Era.LEGACY)), [refusal, OPENED, ""])
    assert isinstance(played.steps[1], Send)
    assert played.steps[1].params["protocolVersion"] == "2024-11-05"


def test_failed_initialize_has_the_servers_message() -> None:
    with pytest.raises(ConnectError, match="error -32603: database is down"):
        Played().play(connect(connect_options(era=Era.LEGACY)), [error(-32603, message="database is down")])


def test_an_initialize_result_without_a_version_is_unusable_and_names_its_frame() -> None:
    with pytest.raises(RemoteProtocolError, match="no protocolVersion"):
        Played().play(connect(connect_options(era=Era.LEGACY)), [result({"capabilities": {}})])


def test_the_older_carriage_can_be_demanded() -> None:
    played = Played()
    played.play(connect(connect_options(over_http=True, carriage=Carriage.LEGACY_SSE)), [OPENED, "", None])
    assert played.methods == ["initialize", "Notify", "OpenStream"]


def test_giving_up_ends_the_attempt() -> None:
    with pytest.raises(Disconnected, match="attempt was cancelled"):
        Played().play(connect(STDIO), [GivenUp(exchange())])
