"""The line that says who waits for whom, and facts about the other side."""

import pytest

from inspector.present.spans import plain
from inspector.present.waiting import WaitingRequest, WaitView, installing, last_sign, wait_of
from inspector.protocol.facts import Awaited, HttpEvent, HttpFact, ProcessEvent, ProcessFact
from inspector.protocol.server_requests import RequestKind, ServerRequest
from inspector.transports.children import Process
from tests.counting import steps
from tests.present.tape import Tape

NODE = Process(4711, "node", ("node", "server.js"), 1.0)


def _told(tape: Tape, **more: object) -> tuple[str, str, tuple[str, ...]]:
    wait = wait_of(tape.journal, WaitView(tape.now, **more))  # type: ignore[arg-type]
    return ("", "", ()) if wait is None else (plain(wait.chain), plain(wait.known), wait.actions)


def test_waiting_line_is_empty_for_short_or_endless_requests(tape: Tape) -> None:
    tape.started().initialized("2025-11-25")
    tape.call(1, "weigh")
    tape.request(2, "subscriptions/listen")
    assert _told(tape)[0] == ""
    tape.wait(1900)
    assert _told(tape)[0] == ""
    tape.wait(200).answer(1, {"content": []})
    assert _told(tape)[0] == ""


def test_a_call_waits_on_a_server_that_lives_and_is_silent(tape: Tape) -> None:
    tape.started().initialized("2025-11-25")
    tape.call(1, "weigh")
    tape.wait(1000).stderr(b"still      \x1b[2Jthinking")
    tape.wait(13_000)
    chain, known, actions = _told(tape, running=(NODE,), busy=0.0)
    assert chain == "⋯ tools/call weigh 14 s · waiting for the server"
    assert known == (
        "alive (node, pid 4711), idle · silent for 13 s, last: stderr still ␛[2Jthinking, no progress reported"
    )
    assert actions == ("request.cancel",)
    awaits = (Awaited(1, "npm", "[::1]:1", True, True), Awaited(1, "node", "127.0.0.1:5432", True, silent_s=14))
    assert " · waits for 127.0.0.1:5432 14 s · silent for 13 s" in _told(tape, running=(NODE,), awaits=awaits)[1]
    assert "busy: 97 % of a processor" in _told(tape, running=(NODE,), busy=0.97)[1]
    tape.notify("notifications/progress", {"progressToken": 1, "progress": 40, "total": 100, "message": "fetching"})
    tape.wait(61_000)
    assert _told(tape)[1].endswith("silent for 61 s, progress 40 % fetching")
    tape.call(2, "weigh")
    tape.wait(3000)
    assert _told(tape)[0].endswith("(+1 more)")


def test_our_call_waits_on_the_server_s_question_and_that_on_you(tape: Tape) -> None:
    tape.started().initialized("2025-11-25")
    tape.call(1, "weigh")
    n = tape.wait(3000).server_request(9, "elicitation/create", {"message": "Which?"})
    exchanges = tape.journal.conversation.exchanges
    server_request = ServerRequest(RequestKind.ELICITATION, {}, len(exchanges), n, tape.now, cause=len(exchanges) - 1)
    tape.wait(11_000)
    assert _told(tape, asked=(WaitingRequest(server_request),)) == (
        "⋯ tools/call weigh 14 s · elicitation waits for you 11 s",
        "",
        (),
    )
    assert _told(tape, asked=(WaitingRequest(server_request, of_model=True),))[0].endswith(
        "elicitation waits for the model 11 s"
    )


def test_question_of_a_cancelled_call_does_not_run_with_the_call(tape: Tape) -> None:
    tape.started().initialized("2025-11-25")
    tape.call(1, "weigh")
    n = tape.wait(3000).server_request(9, "elicitation/create", {"message": "Which?"})
    count = len(tape.journal.conversation.exchanges)
    server_request = ServerRequest(RequestKind.ELICITATION, {}, count, n, tape.now, cause=count - 1)
    tape.notify("notifications/cancelled", {"requestId": 1}, by_client=True)
    tape.wait(11_000)
    chain, _, _ = _told(tape, asked=(WaitingRequest(server_request),))
    assert chain == "⋯ elicitation waits for you 11 s · tools/call weigh no longer waits"


def test_a_question_in_an_answer_belongs_to_the_call_that_got_it(tape: Tape) -> None:
    tape.started()
    tape.call(1, "weigh")
    n = tape.answer(1, {"resultType": "input_required"})
    server_request = ServerRequest(RequestKind.SAMPLING, {}, 1, n, tape.now)
    tape.wait(5000)
    assert (
        _told(tape, asked=(WaitingRequest(server_request),))[0] == "⋯ tools/call weigh 5 s · sampling waits for you 5 s"
    )
    alone = ServerRequest(RequestKind.ROOTS, {}, 99, n, tape.now - 5 * 10**9)
    assert _told(tape, asked=(WaitingRequest(alone),))[0] == "⋯ roots request waits for you 5 s"


def test_waiting_line_of_a_silent_opening_names_the_server(tape: Tape) -> None:
    assert _told(tape, connecting=True)[0] == ""
    tape.started()
    tape.request(0, "initialize", {})
    tape.wait(9000)
    chain, known, actions = _told(tape, connecting=True)
    assert chain == "⋯ connecting 9 s · no response to initialize 9 s"
    assert known == "alive (pid 4711) · nothing on stdout yet"
    assert actions == ("reconnect",)
    tape.fact(ProcessFact(ProcessEvent.EXIT, 4711, 0))
    assert _told(tape, connecting=True)[1].startswith("the server has ended")


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (("python3", "server.py"), "python -u"),
        (("/usr/bin/python3.11", "server.py"), "python -u"),
        (("python", "-u", "server.py"), "--stdio"),
        (("/usr/bin/node", "server.js"), "--stdio"),
        (("./server",), "stdbuf -oL"),
    ],
)
def test_wait_of_a_silent_process_has_advice_for_its_program(tape: Tape, words: tuple[str, ...], advice: str) -> None:
    tape.started(argv=words)
    tape.stderr(b"ready\n")
    tape.request(0, "initialize", {})

    def advised(**more: object) -> str:
        wait = wait_of(tape.journal, WaitView(tape.now, connecting=True, **more))  # type: ignore[arg-type]
        return wait.advice if wait is not None else ""

    tape.wait(4900)
    assert advised() == ""
    tape.wait(200)
    assert advice in advised()
    assert advice in advised(running=(Process(4711, "MainThread", words, 1.0),), busy=0.0)
    assert advised(awaits=(Awaited(4711, "node", "127.0.0.1:5432", True, silent_s=6),)) == ""
    assert advised(busy=0.9) == ""
    assert advised(busy=0.3) == "", "it starts on a busy machine"
    tape.from_server(b"hello")
    assert advised() == ""


def test_a_package_runner_that_runs_alone_is_still_installing(tape: Tape) -> None:
    tape.started(argv=("/usr/bin/npx", "-y", "@x/y"))
    tape.stderr(b"npm warn old lockfile\n")
    tape.wait(34_000)
    npm = Process(4711, "npm exec @x/y", ("npm exec @x/y",), 3.0)
    chain, known, _ = _told(tape, connecting=True, running=(npm,))
    assert chain == "⋯ connecting 34 s · npx is still installing"
    assert known == "running: npm exec @x/y · stderr: npm warn old lockfile"
    silent = (Awaited(1, "npm", "192.0.2.1:443", True, silent_s=6),)
    known = _told(tape, connecting=True, running=(npm,), awaits=silent)[1]
    assert known == "running: npm exec @x/y · waits for 192.0.2.1:443 6 s · stderr: npm warn old lockfile"
    assert "still installing" not in _told(tape, connecting=True, running=(npm, NODE))[0]
    tape.from_server(b"hello")
    assert "still installing" not in _told(tape, connecting=True, running=(npm,))[0]


@pytest.mark.parametrize(
    ("argv", "words", "who"),
    [
        (("npx", "x"), ("node", "/usr/lib/node_modules/npm/bin/npx-cli.js", "x"), "npx"),
        (("/bin/uvx", "x"), ("uv", "tool", "uvx", "x"), "uvx"),
        (("uvx", "x"), ("/home/me/.cache/uv/bin/python", "/bin/x"), ""),
        (("npx", "x"), ("sh", "-c", "mcp-server"), ""),
        (("npx", "-y", "@acme/mcp-server"), ("npm exec @acme/mcp-server",), "npx"),
        (("node", "x"), ("npm", "x"), ""),
        ((), ("npm", "x"), ""),
    ],
)
def test_installer_is_recognized_by_its_processes(argv: tuple[str, ...], words: tuple[str, ...], who: str) -> None:
    assert installing(argv, (Process(1, "node", words, 0.0),)) == who


def test_waiting_line_over_http_shows_the_response_status(http_tape: Tape) -> None:
    http_tape.connected("https://example.test/mcp")
    http_tape.call(1, "weigh", http=3)
    http_tape.fact(HttpFact(HttpEvent.REQUEST, 3, "POST", "https://example.test/mcp"))
    http_tape.wait(4000)
    assert _told(http_tape)[1].startswith("no response yet · has sent nothing yet")
    http_tape.fact(HttpFact(HttpEvent.RESPONSE, 3, status=200, headers=(("Content-Type", "text/event-stream"),)))
    assert _told(http_tape)[1].startswith("stream open (200)")
    http_tape.fact(HttpFact(HttpEvent.END, 3))


def test_the_last_sign_of_life_is_looked_for_from_the_end(tape: Tape) -> None:
    assert last_sign(tape.journal) == 0
    tape.started()
    tape.call(1, "a")
    assert last_sign(tape.journal) == 0
    n = tape.from_server(b"x")
    tape.call(2, "a")
    assert last_sign(tape.journal) == n


def test_waiting_line_cost_is_independent_of_server_requests(tape: Tape) -> None:
    tape.started().initialized("2025-11-25")
    tape.call(1, "weigh")
    tape.wait(3000)
    few = steps(lambda: _told(tape))
    for n in range(500):
        tape.from_server(b'{"jsonrpc":"2.0","id":%d,"method":"ping"}' % n)
    assert "tools/call weigh" in _told(tape)[0]
    assert steps(lambda: _told(tape)) < 2 * few
