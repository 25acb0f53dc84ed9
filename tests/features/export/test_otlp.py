"""OpenTelemetry spans: valid by the published definitions, one for each operation, in the right trace."""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from inspector.capture.journal import Journal
from inspector.errors import UsageError
from inspector.features.export.otlp import endpoint, headers_from, lines
from tests.captures.record import sample
from tests.cli.running import inspect, scripted
from tests.features.export.staging import PLANTED, all_of, secretive, written
from tests.present.tape import Tape

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


def spans_in(data: bytes) -> list[Span]:
    """The spans of JSON lines, read by the published definitions. Raises for anything that they don't define."""
    found: list[Span] = []
    for line in data.splitlines():
        document = json.loads(line)
        for scope in (scope for each in document["resourceSpans"] for scope in each["scopeSpans"]):
            for span in scope["spans"]:
                _ids_in_base64(span)
        request = ParseDict(document, ExportTraceServiceRequest())
        found += [span for each in request.resource_spans for scope in each.scope_spans for span in scope.spans]
    return found


def _ids_in_base64(span: dict[str, Any]) -> None:
    """OTLP/JSON has ids in hexadecimal, where the JSON mapping of protobuf has base64."""
    for holder in (span, *span.get("links", ())):
        for name in ("traceId", "spanId", "parentSpanId"):
            if name in holder:
                holder[name] = base64.b64encode(bytes.fromhex(holder[name])).decode()


def spans_of(journal: Journal) -> dict[str, Span]:
    found = {span.name: span for span in spans_in(b"".join(lines(all_of(journal))))}
    journal.close()
    return found


def said(span: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes}


@pytest.mark.parametrize("name", ["lighthouse", "evening", "wreck", "harbour", "handshake", "stateless", "torn"])
def test_every_sample_is_valid_and_has_a_session_and_unique_spans(name: str) -> None:
    spans = spans_in(written(lines, name))
    ids = [span.span_id for span in spans]
    assert spans[0].name == "mcp session"
    assert not spans[0].parent_span_id
    assert len(set(ids)) == len(ids) > 1
    assert all(span.end_time_unix_nano >= span.start_time_unix_nano > 0 for span in spans)
    assert {span.parent_span_id for span in spans[1:]} <= set(ids)
    assert written(lines, name) == written(lines, name), "the ids are those of the capture"


def test_a_call_has_its_tool_its_duration_and_its_progress_and_log_as_events() -> None:
    tape = Tape()
    tape.call(7, "add")
    tape.wait(10).notify("notifications/progress", {"progressToken": 7, "progress": 1, "total": 4, "message": "on"})
    tape.wait(10).notify("notifications/message", {"level": "info", "logger": "sums", "data": {"a": 1}})
    tape.wait(5).answer(7, {"content": []})
    call = spans_of(tape.journal)["tools/call add"]
    assert call.kind == Span.SPAN_KIND_CLIENT
    assert call.end_time_unix_nano - call.start_time_unix_nano == 25_000_000
    facts = said(call)
    assert facts["gen_ai.tool.name"] == "add"
    assert facts["gen_ai.operation.name"] == "execute_tool"
    assert facts["jsonrpc.request.id"] == "7"
    assert "error.type" not in facts
    progress, log = call.events
    assert progress.time_unix_nano - call.start_time_unix_nano == 10_000_000
    assert said(progress) == {"mcp_inspect.progress": 1, "mcp_inspect.total": 4, "mcp_inspect.message": "on"}
    assert said(log) == {"mcp_inspect.level": "info", "mcp_inspect.logger": "sums", "mcp_inspect.data": '{"a":1}'}


def test_errors_have_their_type_and_message() -> None:
    tape = Tape()
    tape.call(1, "wrong")
    tape.error(1, -32602, "no such tool")
    tape.call(2, "fails")
    tape.answer(2, {"content": [], "isError": True})
    tape.call(3, "lasts")
    spans = spans_of(tape.journal)
    wrong, fails, lasts = (spans[f"tools/call {name}"] for name in ("wrong", "fails", "lasts"))
    assert (wrong.status.code, wrong.status.message) == (Status.STATUS_CODE_ERROR, "no such tool")
    assert (said(wrong)["error.type"], said(wrong)["rpc.response.status_code"]) == ("-32602", "-32602")
    assert (fails.status.code, said(fails)["error.type"]) == (Status.STATUS_CODE_ERROR, "tool_error")
    assert (lasts.status.code, "error.type" in said(lasts)) == (Status.STATUS_CODE_UNSET, False)


def test_credentials_in_uris_and_texts_are_masked() -> None:
    token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
    url = "https://anna:hunter22@h/x?api_key=hunter22"
    tape = Tape()
    tape.request(7, "resources/read", {"uri": url, "_meta": {"progressToken": 7}})
    tape.notify("notifications/progress", {"progressToken": 7, "progress": 1, "message": f"with {token} from {url}"})
    tape.notify(
        "notifications/message", {"level": "info", "data": {"password": "hunter22", "deep": [f"Bearer {token}"]}}
    )
    tape.notify("notifications/message", {"level": "info", "logger": url, "data": f"API_KEY=hunter22 for {url}"})
    tape.error(7, -32000, f"{url} rejects token {token}")
    tape.request(8, "resources/subscribe", {"uri": url})
    data = b"".join(lines(all_of(tape.journal)))
    tape.journal.close()
    assert b"notifications/message" in data
    assert b"rejects token" in data
    assert b"hunter22" not in data
    assert token.encode() not in data


def test_a_server_request_is_below_the_call_that_caused_it() -> None:
    tape = Tape()
    tape.call(1, "ask")
    tape.wait(1).server_request("q", "elicitation/create", {"message": "Who?", "requestedSchema": {}})
    tape.wait(1).client_answer("q", {"action": "decline"})
    tape.wait(1).answer(1, {"content": []})
    spans = spans_of(tape.journal)
    assert spans["elicitation/create"].kind == Span.SPAN_KIND_SERVER
    assert spans["elicitation/create"].parent_span_id == spans["tools/call ask"].span_id


def test_a_request_with_a_traceparent_joins_that_trace_and_links_to_the_session() -> None:
    tape = Tape()
    tape.request(1, "tools/call", {"name": "far", "_meta": {"traceparent": f"00-{TRACE}-{PARENT}-01"}})
    tape.answer(1, {"content": []})
    tape.request(2, "tools/call", {"name": "near", "_meta": {"traceparent": f"00-{'0' * 32}-{PARENT}-01"}})
    spans = spans_of(tape.journal)
    far, near, session = spans["tools/call far"], spans["tools/call near"], spans["mcp session"]
    assert (far.trace_id.hex(), far.parent_span_id.hex()) == (TRACE, PARENT)
    assert [link.span_id for link in far.links] == [session.span_id]
    assert (near.trace_id, near.parent_span_id) == (session.trace_id, session.span_id), "an invalid one does not count"


def test_secrets_and_lone_surrogates_stay_out() -> None:
    journal = secretive()
    data = b"".join(lines(all_of(journal)))
    journal.close()
    assert not [each for each in PLANTED if each.encode() in data]
    (call,) = [span for span in spans_in(data) if span.name.startswith("tools/call")]
    assert said(call)["server.address"] == "example.com"
    assert said(call)["network.transport"] == "tcp"
    tape = Tape()
    tape.call(1, "\ud800 torn")
    assert "tools/call ? torn" in spans_of(tape.journal)


def test_many_events_are_limited_and_many_spans_go_into_several_lines() -> None:
    tape = Tape()
    tape.call(1, "chatty")
    for step in range(200):
        tape.notify("notifications/progress", {"progressToken": 1, "progress": step})
    for n in range(2, 700):
        tape.call(n, "quick")
        tape.answer(n, {"content": []})
    data = b"".join(lines(all_of(tape.journal)))
    tape.journal.close()
    assert len(data.splitlines()) == 2
    spans = spans_in(data)
    assert len(spans) == 700
    (chatty,) = [span for span in spans if span.name == "tools/call chatty"]
    assert (len(chatty.events), chatty.dropped_events_count) == (128, 72)


def test_endpoints_and_headers() -> None:
    assert endpoint("http://127.0.0.1:4318") == "http://127.0.0.1:4318/v1/traces"
    assert endpoint("https://example.com/otlp/v1/traces") == "https://example.com/otlp/v1/traces"
    for wrong in ("127.0.0.1:4318", "file:///etc/passwd", "http://", "http://[oops"):
        with pytest.raises(UsageError, match="not an HTTP URL"):
            endpoint(wrong)
    given = {"OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%20b, x-team = core,broken"}
    assert headers_from(given) == {"api-key": "a b", "x-team": "core"}


@contextmanager
def collector(status: int = 200) -> Iterator[tuple[str, list[tuple[str, dict[str, str], bytes]]]]:
    """A collector on a free port: its URL, and the path, headers and body of each request."""
    came: list[tuple[str, dict[str, str], bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            came.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(status)
            self.end_headers()

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", came
        finally:
            server.shutdown()
            thread.join()


_CALLED = {"tools/call": {"result": {"content": [{"type": "text", "text": "done"}]}}}


def test_a_live_session_is_sent_while_it_runs() -> None:
    with collector() as (url, came):
        headers = {"OTEL_EXPORTER_OTLP_HEADERS": "api-key=k1"}
        inspect("call", "--otlp", url, "work", *scripted(_CALLED), env=headers).exits(0)
    spans = [span for _, _, body in came for span in spans_in(body)]
    assert {"initialize", "tools/call work", "mcp session"} <= {span.name for span in spans}
    assert len({span.span_id for span in spans}) == len(spans), "each is sent once"
    for path, sent, _ in came:
        assert (path, sent["content-type"], sent["api-key"]) == ("/v1/traces", "application/json", "k1")


def test_a_collector_that_rejects_is_named_and_the_session_goes_on() -> None:
    with collector(status=403) as (url, _):
        ran = inspect("call", "--otlp", url, "work", *scripted(_CALLED)).exits(0)
        assert f"OTLP export to {url}/v1/traces failed: Client error '403 Forbidden'" in ran.stderr
    ran = inspect("call", "--otlp", "localhost:4318", "work", *scripted(_CALLED))
    assert (ran.status, "not an HTTP URL" in ran.stderr) == (2, True)


def test_a_capture_is_sent_to_a_collector() -> None:
    with collector() as (url, came):
        assert inspect("export", str(sample("evening")), "--to", "otlp", "--send", url).status == 0
        assert came[0][2].rstrip() == written(lines, "evening").splitlines()[0]
    ran = inspect("export", str(sample("evening")), "--to", "otlp", "--send", url)
    assert (ran.status, "collector listening" in ran.stderr) == (2, True)
    ran = inspect("export", str(sample("evening")), "--to", "har", "--send", url)
    assert (ran.status, "--send needs --to otlp" in ran.stderr) == (2, True)


def test_a_capture_is_written_to_a_file(tmp_path: Path) -> None:
    out = tmp_path / "spans.jsonl"
    assert inspect("export", str(sample("evening")), "--to", "otlp", "-o", str(out)).status == 0
    assert spans_in(out.read_bytes())
