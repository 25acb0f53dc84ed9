"""The status of exchanges and events, as text."""

import json
from typing import Any

import pytest

from inspector.capture.format.records import EditRecord
from inspector.checks.findings import Severity
from inspector.filters.language.fields import GRADES as OF_FILTERS
from inspector.present.spans import plain
from inspector.present.words import (
    GRADES,
    MOST_DECODED,
    SIGNS_OF_GRADES,
    ModelRun,
    age_line,
    badge,
    bar,
    command_line,
    figures,
    fraction,
    left,
    left_out,
    mark,
    model_run_section,
    of_payload,
    pace,
    progress_of,
    progress_spans,
    progress_words,
    sentence,
    state_of,
    state_words,
    status,
    status_in,
    text_of,
    why_silent,
)
from inspector.present.words import model_run_words as words_told
from inspector.protocol.exchanges import Exchange, ExchangeState, Progress
from inspector.protocol.facts import (
    ChildState,
    ConnectionEvent,
    ConnectionFact,
    Fact,
    HttpEvent,
    HttpFact,
    ProcessActivity,
    ProcessEvent,
    ProcessFact,
    SseNote,
    Stderr,
)
from inspector.protocol.flows.steps import Broken, GivenUp, Refused, Silent
from inspector.protocol.frames import Direction
from inspector.protocol.freshness import Freshness
from inspector.protocol.tracking.progress import progress_in
from inspector.protocol.tracking.tasks import Task, TaskState
from tests.present.tape import Tape
from tests.present.test_live_checks import finding


def test_each_way_to_get_no_answer_has_its_words() -> None:
    assert why_silent(Silent(None, 2.5, "idle")) == "no response within 2.5 s"
    assert why_silent(Broken(None, "it exited with 7")) == "the connection ended: it exited with 7"
    assert why_silent(GivenUp(None, "")) == "cancelled"
    assert why_silent(GivenUp(None, "by hand")) == "cancelled: by hand"
    assert why_silent(Refused(None, 404, "", b"")) == "rejected with HTTP 404"


@pytest.mark.parametrize(
    ("acts", "shown"),
    [
        (["hold"], "■ Held"),
        (["hold", "log"], "■ Held"),
        (["hold", "release"], "⋯ Pending"),
        (["hold", "modify"], "⋯ Pending"),
        (["hold", "drop"], "× Dropped"),
        (["delay"], "⋯ Pending"),
    ],
)
def test_status_of_a_request_names_what_a_tap_does_with_it(acts: list[str], shown: str) -> None:
    tape = Tape()
    n = tape.request(1, "tools/call", {"name": "create"})
    for act in acts:
        tape.journal.edited(EditRecord(of=n, act=act))
    (exchange,) = tape.journal.conversation.exchanges
    assert status_in(tape.journal, exchange)[0] == shown
    answer = tape.answer(1, {"content": []})
    (exchange,) = tape.journal.conversation.exchanges
    assert status_in(tape.journal, exchange)[0] == "✓ OK"
    tape.journal.edited(EditRecord(of=answer, act="hold"))
    assert status_in(tape.journal, exchange)[0] == "■ Held"


S = 1_000_000_000


def test_age_line_of_a_fresh_list_has_the_ttl() -> None:
    fresh = Freshness(0, 60_000, "private")
    assert plain(age_line(fresh, 12 * S)) == "fetched 12 s ago · TTL 60 s · cacheScope private"


def test_with_a_clock_it_changes_only_when_it_goes_stale() -> None:
    fresh = Freshness(5 * S, 60_000, "private")
    told = [plain(age_line(fresh, now * S, lambda ns: f"at {ns // S}")) for now in (5, 12, 64, 65, 3600)]
    before, after = (
        "fetched at 5 · TTL 60 s · cacheScope private",
        "fetched at 5 · stale since at 65 · cacheScope private",
    )
    assert told == [before, before, before, after, after]


def test_age_line_without_a_lifetime_is_no_warning() -> None:
    line = age_line(Freshness(0, 0), 63 * S)
    assert plain(line) == "fetched 63 s ago · TTL 0: not to be cached"
    assert {role for _, role in line} == {"faint"}


def test_age_line_of_a_stale_list_is_a_warning() -> None:
    line = age_line(Freshness(0, 60_000), 63 * S)
    assert plain(line) == "fetched 63 s ago · stale for 3 s"
    assert ("warning" in {role for _, role in line}) is True


def test_without_a_word_of_the_servers_only_the_age_is_known() -> None:
    assert plain(age_line(Freshness(5 * S), 5 * S)) == "fetched 0 s ago"


def test_age_line_starts_with_flaws() -> None:
    line = age_line(Freshness(0, None, "", ("ttlMs is a string, not a number: '\x1b[31m'",)), S)
    assert plain(line).startswith("▲ ttlMs is a string, not a number: '")
    assert "\x1b" not in plain(line)


@pytest.mark.parametrize(
    ("seconds", "words"), [(-1, "0 s"), (0.25, "250 ms"), (99, "99 s"), (125, "2m 05s"), (86_400 * 400, "400 days")]
)
def test_durations_are_rounded_to_readable_precision(seconds: float, words: str) -> None:
    assert text_of(int(seconds * S)) == words


def test_severities_are_the_same_everywhere() -> None:
    assert GRADES == OF_FILTERS == tuple(reversed([each.value for each in Severity]))


def test_each_grade_has_a_sign_of_its_own() -> None:
    assert len({sign for sign, _ in SIGNS_OF_GRADES}) == len(SIGNS_OF_GRADES) == len(GRADES) + 1
    assert mark(3) == ("✗", "error")


def test_a_badge_counts_and_has_the_sign_of_the_worst() -> None:
    assert badge(()) is None
    assert badge([finding("A", 1, Severity.HINT), finding("B", 1, Severity.WARNING)]) == ("▲2", "warning")


def _message(**members: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0"} | members).encode()


def _log(params: Any) -> bytes:
    return _message(method="notifications/message", params=params)


@pytest.mark.parametrize(
    ("payload", "shown"),
    [
        (_message(id=1, method="tools/call", params={"name": "a", "arguments": {"q": "x"}}), '{"q":"x"}'),
        (_message(id=1, method="tools/call", params={"name": "a", "arguments": {}}), ""),
        (_message(id=1, method="elicitation/create", params={"message": "Which?"}), "Which?"),
        (_message(id=1, method="resources/read", params={"uri": "a://b"}), ""),
        (_message(id=1, method="tools/list", params={"cursor": "2"}), '{"cursor":"2"}'),
        (_message(id=1, method="x", params=[1]), "[1]"),
        (_message(id=1, method="initialize", params={"protocolVersion": "9", "clientInfo": {"name": "c"}}), "9, c"),
        (_message(id=1, result={"serverInfo": {"name": "s", "version": "1"}}), "s 1"),
        (_message(id=1, result={"content": [{"type": "image"}, {"type": "text", "text": "hi"}]}), "hi"),
        (_message(id=1, result={"a": 1, "_meta": {}}), '{"a":1}'),
        (_message(id=1, result=None), ""),
        (_message(id=1, error={"code": 1, "message": "no\x1b[1m"}), "no␛[1m"),
        (_log({"level": "info", "logger": "db", "data": "up"}), "info: db: up"),
        (_log({"data": {"message": "said"}}), "said"),
        (_log({"data": [1]}), "[1]"),
        (_log(None), ""),
        (_message(method="notifications/progress", params={"progress": 1, "total": 2}), "1 of 2"),
        (_message(method="notifications/cancelled", params={"requestId": 1, "reason": "slow"}), "slow"),
        (
            _message(method="ui/notifications/sandbox-report", params={"kind": "refused", "what": "localStorage"}),
            "localStorage: the browser refuses it to an app in its sandbox",
        ),
        (_message(method="notifications/resources/updated", params={"uri": "a://b"}), ""),
        (b"[" + _message(method="a") + b"," + _message(method="b") + b"]", "a batch of 2 messages"),
        (b"Listening on \x1b[32m3000", "Listening on ␛[32m3000"),
        (b"  ", "(an empty line)"),
    ],
)
def test_message_summary_fits_its_kind(payload: bytes, shown: str) -> None:
    assert of_payload(payload)[0] == shown


def test_log_message_role_follows_its_level() -> None:
    assert of_payload(_log({"level": "critical", "data": "x"}))[1] == "error"
    assert of_payload(_log({"level": "warning", "data": "x"}))[1] == "warning"


def test_newest_progress_replaces_the_first() -> None:
    first = _message(method="notifications/progress", params={"progress": 1, "total": 9})
    assert of_payload(first, Progress(8, 9, "soon", 12, 8))[0] == "8 of 9 soon"


def test_large_payload_summary_reads_the_beginning_only() -> None:
    shown = of_payload(_message(id=1, result={"content": "x" * MOST_DECODED}))[0]
    assert shown.startswith('{"jsonrpc"')
    assert len(shown) < 400


SECOND = 1_000_000_000


def told(*words: tuple[float, Any]) -> Progress:
    """What stands there after words of (seconds, params)."""
    progress = None
    for seconds, params in words:
        progress = progress_in(params, time_ns=round(seconds * SECOND), before=progress)
    assert progress is not None
    return progress


def of(value: Any, total: Any = None, **more: Any) -> dict[str, Any]:
    return {"progress": value} | ({} if total is None else {"total": total}) | more


def test_progress_figures_have_the_remaining_time() -> None:
    assert figures(told((0, of(0, 10)), (2.5, of(3, 10)))) == "3 of 10 · 30 % · 1.2/s · about 6 s left"


def test_nothing_is_left_of_what_runs_no_more() -> None:
    assert figures(told((0, of(0, 10)), (2.5, of(3, 10))), running=False) == "3 of 10 · 30 % · 1.2/s"


def test_without_a_total_there_is_an_amount_and_a_pace() -> None:
    progress = told((0, of(0)), (2, of(7)))
    assert figures(progress) == "7 · 3.5/s"
    assert bar(progress, 10) == []


def test_the_first_word_has_no_pace() -> None:
    assert figures(told((5, of(3, 10)))) == "3 of 10 · 30 %"


def test_finished_progress_has_no_remaining_time() -> None:
    assert figures(told((0, of(0, 10)), (1, of(10, 10)))) == "10 of 10 · 100 % · 10/s"


def test_percentage_total_is_shown_once() -> None:
    assert figures(told((0, of(40, 100)))) == "40 %"


@pytest.mark.parametrize(
    ("words", "wrong", "amount"),
    [
        ([of(3, 10), of(2, 10)], "goes backwards", "2 of 10"),
        ([of(3, 10), of(3, 10)], "does not grow", "3 of 10"),
        ([of(11, 10)], "beyond the total", "11 of 10 · 110 %"),
        ([of(-1, 10)], "negative", "-1 of 10"),
        ([of("half")], "no number", '"half"'),
        ([of(True)], "no number", "true"),
        ([{}], "no number", "(none)"),
        ([of(10**400)], "no number", "1000"),
        ([of(1, "ten")], "no usable total", "1"),
        ([of(1, -5)], "beyond the total, no usable total", "1 of -5"),
        ([of(3), of(2), of(5)], "goes backwards", "5"),
    ],
)
def test_values_that_can_not_be_true_are_shown_and_flagged(words: list[Any], wrong: str, amount: str) -> None:
    line = plain(progress_spans(told(*enumerate(words))))
    assert line.startswith(amount)
    assert line.endswith(f"▲ {wrong}")
    assert "/s" not in line


@pytest.mark.parametrize(("value", "full"), [(0, 0), (5, 5), (10, 10), (15, 10), (-5, 0)])
def test_a_bar_is_never_longer_than_its_width(value: float, full: int) -> None:
    cells = plain(bar(told((0, of(value, 10))), 10))
    assert (cells.count("━"), len(cells)) == (full, 10)
    assert fraction(told((0, of(value, 10)))) == value / 10


def test_the_servers_words_stand_at_the_end_and_act_on_nothing() -> None:
    assert plain(progress_spans(told((0, of(1, 4, message="a\x1b[2J"))))) == "1 of 4 · 25 %  a␛[2J"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "less than 1 s left"), (6, "about 6 s left"), (125, "about 2m 05s left"), (1e300, "about 27777h 46m left")],
)
def test_remaining_time_is_approximate(seconds: float, words: str) -> None:
    assert left(seconds) == words


@pytest.mark.parametrize(("rate", "words"), [(1.234, "1.23/s"), (0.05, "3/min"), (-2.0, "-2/s")])
def test_slow_pace_is_per_minute(rate: float, words: str) -> None:
    assert pace(rate) == words


SALT = ModelRun("tide at here", 1_500_000_000, 1200, 3, ["a block of type smell"])


def test_model_run_has_model_time_and_tokens() -> None:
    assert words_told(SALT) == "tide at here in 1.50 s (1,200 tokens in, 3 out)"
    assert words_told(ModelRun("tide at here", 2_000_000)) == "tide at here in 2.0 ms"


def test_omitted_model_input_is_a_warning() -> None:
    assert left_out(SALT) == "a block of type smell"
    facts = {each.key: each.role for each in model_run_section(SALT).facts}
    assert facts["not passed"] == "warning"
    assert "not passed" not in {each.key for each in model_run_section(ModelRun("m", 1)).facts}


def test_a_failure_has_its_evidence_and_its_cure_and_nothing_raw() -> None:
    section = model_run_section(ModelRun("m", 5_000_000, why="HTTP 500: \x1b[2Joh no", hint="Look there."))
    assert section.title == "No response from the model"
    shown = "".join(part for line in section.lines for part, _ in line)
    assert "oh no" in shown
    assert shown.endswith("Look there.")
    assert "\x1b" not in shown


@pytest.mark.parametrize("state", list(TaskState))
def test_each_state_has_a_sign_and_a_word(state: TaskState) -> None:
    sign, word = state_words(state)[0].split(" ", 1)
    assert len(sign) == 1
    assert word


def test_a_state_that_there_is_not_is_shown_as_it_came() -> None:
    assert state_words("sl\x1beeping") == ("? sl␛eeping", "warning")
    assert state_words("") == ("? no state", "warning")


def test_lost_task_is_unknown() -> None:
    task = Task(1, "t", True, 0, 1, state="working")
    assert state_of(task)[0] == "⋯ Working"
    task.lost = True
    assert state_of(task)[0] == "▲ Unknown"


def _exchange(state: ExchangeState, code: int | None = None, *, tool_error: bool = False) -> Exchange:
    made = Exchange(1, Direction.TO_SERVER, 1, "tools/call", "echo", 1, 0, state=state)
    made.error_code, made.tool_error = code, tool_error
    return made


@pytest.mark.parametrize(
    ("exchange", "words"),
    [
        (_exchange(ExchangeState.PENDING), "⋯ Pending"),
        (_exchange(ExchangeState.ANSWERED), "✓ OK"),
        (_exchange(ExchangeState.ANSWERED, tool_error=True), "✗ Tool error"),
        (_exchange(ExchangeState.ERROR, -32602), "✗ Error -32602"),
        (_exchange(ExchangeState.ERROR), "✗ Error"),
        (_exchange(ExchangeState.CANCELLED), "× Cancelled"),
        (_exchange(ExchangeState.LATE), "▲ Late"),
        (_exchange(ExchangeState.LOST), "✗ Lost"),
    ],
)
def test_each_state_has_its_sign_and_its_word(exchange: Exchange, words: str) -> None:
    assert status(exchange, live=True)[0] == words


def test_pending_exchange_of_a_recording_has_no_response() -> None:
    assert status(_exchange(ExchangeState.PENDING), live=False)[0] == "⋯ No response"


def test_a_stream_that_lasts_is_no_request_that_waits() -> None:
    stream = Exchange(1, Direction.TO_SERVER, 1, "subscriptions/listen", "", 1, 0)
    assert status(stream, live=True)[0] == "● Listening"
    assert status(stream, live=False)[0] == "○ Open"
    stream.state = ExchangeState.CANCELLED
    assert status(stream, live=False) == ("○ Closed", "muted")


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"progress": 3, "total": 10, "message": "copying"}, "3 of 10 copying"),
        ({"progress": 40, "total": 100}, "40 %"),
        ({"progress": 0.25, "total": 1}, "25 %"),
        ({"progress": 7}, "7"),
        ({"progress": 150, "total": 100}, "150 of 100"),
        ({"progress": "much", "total": [], "message": "a\x1bb"}, '"much" a␛b'),
        (None, "(none)"),
    ],
)
def test_progress_words_are_the_servers(params: object, words: str) -> None:
    assert progress_words(progress_of(params)) == words


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        (Stderr(b"rate limited\x1b[0m \xff"), "rate limited␛[0m ‹xFF›"),
        (ConnectionFact(ConnectionEvent.OPEN, "stdio", ("npx", "-y", "a b")), "stdio opened: npx -y 'a b'"),
        (
            ConnectionFact(ConnectionEvent.OPEN, "http", url="https://u:p@h/mcp"),
            "Streamable HTTP opened: https://••••••@h/mcp",
        ),
        (ConnectionFact(ConnectionEvent.CLOSE, "sse"), "HTTP+SSE closed"),
        (ConnectionFact(ConnectionEvent.RENEW, "http", why="404"), "Streamable HTTP session lost: 404"),
        (ConnectionFact(ConnectionEvent.ABORT, "stdio", why="gone\x07"), "stdio disconnected: gone␇"),
        (ProcessFact(ProcessEvent.SPAWN, 7), "process 7 started"),
        (ProcessFact(ProcessEvent.EXIT, 7, 1), "process 7 exited with code 1"),
        (ProcessFact(ProcessEvent.EXIT, 7, None, "SIGKILL"), "process 7 was terminated by SIGKILL"),
        (ProcessFact(ProcessEvent.EXIT, 7), "process 7 ended"),
        (ProcessFact(ProcessEvent.SIGNAL, 7, signal="SIGTERM"), "SIGTERM sent to process group 7"),
        (ProcessFact(ProcessEvent.STDIN_EOF, 7), "stdin closed"),
        (ProcessFact(ProcessEvent.STDOUT_EOF, 7), "stdout ended"),
        (ProcessFact(ProcessEvent.STDERR_EOF, 7), "stderr ended"),
        (
            ProcessFact(ProcessEvent.LEFT, 7, state=ProcessActivity(children=(ChildState(9, "chrome\x1b"),))),
            "left by process 7: 9 chrome␛",
        ),
        (HttpFact(HttpEvent.REQUEST, 3, "POST", "https://h/mcp?token=x"), "http 3 POST https://h/mcp?token=••••••"),
        (HttpFact(HttpEvent.RESPONSE, 3, status=404, reason="Not Found"), "http 3 404 Not Found"),
        (HttpFact(HttpEvent.END, 3, body_bytes=1200), "http 3 ended, 1.2 kB"),
        (HttpFact(HttpEvent.END, 3, why="cut"), "http 3 ended: cut"),
        (HttpFact(HttpEvent.ERROR, 3, why="rejected"), "http 3 failed: rejected"),
        (SseNote(3, b": ping"), "http 3 event without a message: : ping"),
    ],
)
def test_each_fact_is_one_sentence(fact: Fact, words: str) -> None:
    assert sentence(fact)[0] == words


def test_an_argument_is_quoted_where_a_shell_would_need_it() -> None:
    assert command_line(("a", "", "it's", "$HOME", "x\x1b")) == "a '' 'it'\\''s' '$HOME' x␛"
