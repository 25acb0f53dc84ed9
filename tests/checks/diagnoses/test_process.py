"""Why a server did not start, or went away."""

import pytest

from inspector.checks.findings import Finding, Severity
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, ProcessActivity, ProcessEvent, ProcessFact
from inspector.protocol.frames import Cause, Channel, Direction, Eol
from tests.checks.both import of_one
from tests.checks.talks import Cases, Script, Talk, ids, initialize


def _dead(code: int | None, *stderr: str, signal: str = "", after: float = 0.1) -> Script:
    return lambda: Talk(opened=False).said(*stderr).exit(code, signal, after)


def _of(*argv: str, flaws: tuple[str, ...] = ()) -> Script:
    where = ConnectionFact(ConnectionEvent.OPEN, "stdio", argv=argv, cwd="/srv", env_names=("PATH",), flaws=flaws)
    return lambda: Talk(connection=where).close()


def _slow(seconds: float) -> Script:
    def talk() -> Talk:
        begun = Talk().fact(ProcessFact(ProcessEvent.STDIN_EOF, 1)).wait(seconds)
        return begun.fact(ProcessFact(ProcessEvent.SIGNAL, 1, signal="SIGTERM")).exit(None, "SIGTERM", why="")

    return talk


def _mute(*, ends: bool) -> Script:
    def talk() -> Talk:
        muted = Talk().ask("tools/list").fact(ProcessFact(ProcessEvent.STDOUT_EOF, 1))
        return muted.exit(1) if ends else muted.close("the server closed its stdout but still runs")

    return talk


def _provoked(sent: bytes) -> Script:
    """It has answered twice; then it gets this on purpose, and ends."""

    def talk() -> Talk:
        begun = Talk(opened=False).ask("server/discover").error(-32601).ask("initialize", initialize(4)).error(-32603)
        return begun.frame(sent, Direction.TO_SERVER, cause=Cause.PROBE).exit(1)

    return talk


def _dead_of(argv: tuple[str, ...]) -> Script:
    where = ConnectionFact(ConnectionEvent.OPEN, "stdio", argv=argv, cwd="/srv", env_names=("PATH",))
    return lambda: Talk(opened=False, connection=where).exit(2)


CASES: Cases = {
    "program-not-runnable": (_dead(127, "sh: 1: uvx: not found"), _dead(1, "sh: 1: uvx: not found")),
    "exit-during-handshake": (_dead(1, "it broke"), lambda: Talk().said("it broke").exit(1)),
    "exit-without-input": (_dead(0), _dead(0, after=5)),
    "server-killed": (_dead(None, signal="SIGKILL"), _slow(3)),
    "environment-variable-missing": (_dead(1, "Error: API_TOKEN is required"), _dead(1, "Error: a token is required")),
    "given-value-doubtful": (_of("server", flaws=("the token in KEY expired on 2023-11-14",)), _of("server")),
    "placeholder-not-expanded": (_of("server", "--key=${API_KEY}"), _of("server", "--key=$API_KEY")),
    "file-not-found": (
        _dead(1, "FileNotFoundError: [Errno 2] No such file or directory: './data'"),
        _dead(1, "FileNotFoundError: [Errno 2] No such file or directory: '/data'"),
    ),
    "port-in-use": (
        _dead(1, "Error: listen EADDRINUSE: address already in use :::3000"),
        _dead(1, "listening on :::3000"),
    ),
    "sdk-version-mismatch": (
        _dead(1, "ModuleNotFoundError: No module named 'mcp.server.fastmcp'"),
        _dead(1, "ModuleNotFoundError: No module named 'mcp.server'"),
    ),
    "stdin-eof-ignored": (_slow(2), _slow(0.5)),
    "exit-during-session": (
        lambda: Talk().ask("tools/list").exit(1),
        lambda: Talk().ask("tools/list").answer({"tools": []}).exit(0),
    ),
    "exit-on-invalid-message": (
        _provoked(b"no JSON"),
        _provoked(b'{"jsonrpc":"2.0","id":5,"method":"server/discover"}'),
    ),
    "stdout-closed": (_mute(ends=False), _mute(ends=True)),
    "shell-syntax-in-command": (
        _dead_of(("uv", "run", "~/server.py")),
        _dead_of(("uv", "run", "a~/server.py", "it’s")),
    ),
}


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("ModuleNotFoundError: No module named 'ruff'", "the Python module ruff is missing"),
        ("ModuleNotFoundError: No module named 'yaml'", "it belongs to the package PyYAML, which is not installed"),
        ("Error: Cannot find module '/srv/dist/index.js'", "the file /srv/dist/index.js is missing"),
        ("Error: Cannot find module './tools'", "the file ./tools is missing"),
        ("Error: Cannot find module 'D:\\srv\\index.js'", "the file D:\\srv\\index.js is missing"),
        ("Error: Cannot find module 'zod'", "the Node module zod is missing"),
        ("Cannot find package '@a/b' imported from /srv/c.mjs", "the Node module @a/b is missing"),
        (
            "Error: No such built-in module: node:sqlite",
            "this Node has no module node:sqlite: it is too old for the server",
        ),
        ("  [cause]: Error: getaddrinfo ENOTFOUND docs.example", "it cannot find the host docs.example"),
        ("error: unrecognized arguments: --stdio", "unknown option --stdio"),
        ("MCP needs: pip install 'crm[mcp]'", "installed without an extra: MCP needs: pip install 'crm[mcp]'"),
        ("error: unrecognized arguments: mcp", "it takes no argument mcp"),
        ("│ Missing command.   │", "the command lacks a subcommand"),
        ("│ No such command 'mcp'.   │", "it has no subcommand 'mcp'"),
        ("error: unrecognized subcommand 'mcp-server'", "it has no subcommand 'mcp-server'"),
        ("Error: stdin is not a terminal", "it shows an interface that needs a terminal: stdin is not a terminal"),
        ("ImportError: cannot import name 'f' from 'a.b' (/srv/a/b.py)", "failed: cannot import name 'f' from 'a.b'"),
        ("it broke", "last line of stderr: it broke"),
    ],
)
def test_exit_during_handshake_has_the_cause_from_stderr(line: str, cause: str) -> None:
    for died in (_dead(1, line), _dead(0, line, after=30)):
        (found,) = of_one(died().findings(), "exit-during-handshake")
        assert found.sentence.endswith(cause)
        assert found.frames == (2, 3)


def test_an_exit_after_a_help_text_names_its_usage_and_not_its_last_line() -> None:
    died = _dead(2, "A server of notes", "", "Usage: notes <COMMAND>", "", "Commands:", "  serve  Serve over stdio")
    (found,) = (each for each in died().findings() if each.id == "exit-during-handshake")
    assert found.sentence.endswith("; it printed its help: Usage: notes <COMMAND>")
    assert found.fix == "Add its subcommand serve to the command of the server."
    lacks = "shelf: error: the following arguments are required: command"
    (found,) = (
        each for each in _dead(2, "usage: shelf [-h] {add,mcp} ...", lacks)().findings() if each.frames == (3, 4)
    )
    assert found.fix == "Add its subcommand mcp to the command of the server."
    assert "subcommand" in found.fix


def test_a_server_that_was_left_in_good_order_has_no_fault() -> None:
    assert not ids(Talk().exit(0, why=""))


@pytest.mark.parametrize(
    ("why", "id_"),
    [
        ("/srv/run exists but may not be executed.", "program-not-runnable"),
        (
            "/srv/run exists but its interpreter `node` is not on the PATH that the server gets: /bin",
            "program-not-runnable",
        ),
        (
            "/srv/run exists but its first line ends with a carriage return, so its interpreter is not found.",
            "program-not-runnable",
        ),
        (
            "/srv/run is neither a program for this machine nor a script that names its interpreter.",
            "program-not-runnable",
        ),
        ("The directory to start the server in, /nowhere, does not exist.", "file-not-found"),
    ],
)
def test_failed_start_has_the_finding_of_its_cause(why: str, id_: str) -> None:
    opened = ConnectionFact(ConnectionEvent.OPEN, "stdio", argv=("./run",), cwd="/srv")
    assert ids(Talk(opened=False, connection=opened).close(why)) == {id_}


@pytest.mark.parametrize(
    ("stderr", "name"),
    [
        (["  File …", "KeyError: 'ACME_TOKEN'"], "ACME_TOKEN"),
        (["1 validation error for Settings", "acme_token", "  Field required [type=missing]", "  more"], "ACME_TOKEN"),
        (["Please set ACME_TOKEN"], "ACME_TOKEN"),
        (["error: set ACME_TENANT to bind the server to a scope"], "ACME_TENANT"),
    ],
)
def test_a_missing_variable_is_known_by_many_words(stderr: list[str], name: str) -> None:
    (found,) = (each for each in _dead(1, *stderr)().findings() if each.id == "environment-variable-missing")
    assert found.sentence.startswith(f"{name} is not in the environment")
    assert name in found.fix


def test_one_of_several_variables_is_enough() -> None:
    (found,) = of_one(
        _dead(1, "At least one is required: ACME_TOKEN, ACME_KEY")().findings(), "environment-variable-missing"
    )
    assert "one of them" in found.fix


def test_a_field_that_is_missing_elsewhere_than_in_settings_is_no_variable() -> None:
    stderr = ["1 validation error for Forecast", "station", "  Field required [type=missing]"]
    assert ids(_dead(1, *stderr)()) == {"exit-during-handshake"}


def test_a_script_that_is_named_from_another_directory_is_the_wrong_directory() -> None:
    def ids_of(word: str) -> set[str]:
        where = ConnectionFact(ConnectionEvent.OPEN, "stdio", argv=("/bin/python", word), cwd="/srv")
        talk = Talk(opened=False, connection=where)
        return ids(talk.said("python: can't open file '/srv/src/server.py': [Errno 2] No such file").exit(2))

    assert ids_of("./src/server.py") == {"exit-during-handshake", "file-not-found"}
    assert ids_of("/srv/src/server.py") == {"exit-during-handshake"}
    ours = "    raise child_exception_type(errno_num, err_msg, err_filename)"
    (found,) = _dead(1, ours, "FileNotFoundError: [Errno 2] No such file or directory: 'rg'")().findings()
    assert "the server starts the program rg, which is not on its PATH" in found.sentence


@pytest.mark.parametrize(("code", "signal"), [(137, "SIGKILL"), (139, "SIGSEGV"), (134, "SIGABRT")])
def test_exit_code_of_a_shell_signal_is_reported_as_code(code: int, signal: str) -> None:
    (found,) = _dead(code, "Killed")().findings()
    assert found.id == "server-killed"
    assert found.sentence == f"the server exited with code {code} (a shell reports {signal} this way)"
    assert found.fix.startswith(f"If a shell or container started it, {signal} killed its child. ")
    (real,) = _dead(None, signal=signal)().findings()
    assert real.sentence.partition(" (")[0] == f"the server was killed by {signal}"


def test_a_signal_in_a_session_is_named_with_the_request_that_waited_for_its_response() -> None:
    (found,) = (each for each in Talk().ask("ping").exit(None, "SIGSEGV").findings() if each.id == "server-killed")
    killed = "the server was killed by SIGSEGV (an invalid memory access)"
    assert found.sentence == f"{killed} during ping (or by notifications/initialized before it)"
    (idle,) = (each for each in Talk().exit(None, "SIGSEGV").findings() if each.id == "server-killed")
    assert idle.sentence == killed


def test_an_end_before_any_request_was_answered_is_reported_although_its_code_is_0() -> None:
    (found,) = (each for each in Talk().exit(0).findings() if each.id == "exit-during-session")
    assert "directly after the handshake (after notifications/initialized) with code 0, with no" in found.sentence


@pytest.mark.parametrize("code", [132, 133, 134])
def test_a_trap_of_swift_is_named_by_its_fatal_line_however_long_the_backtrace(code: int) -> None:
    talk = Talk(opened=False).ask("initialize").said("main/Server.swift:31: Fatal error: Index out of range")
    for at in range(120):
        talk.said(f"{at} 0x00007f0c run() in acme at /src/Server.swift:{at}:9")
    (found,) = (each for each in talk.exit(code).findings() if each.id == "server-killed")
    assert found.sentence.endswith(": main/Server.swift:31: Fatal error: Index out of range")


@pytest.mark.parametrize(
    ("code", "line", "said"),
    [
        (
            127,
            "a: error while loading shared libraries: libz.so.1: cannot open",
            "the shared library libz.so.1 is missing",
        ),
        (127, 'runc create failed: exec: "serve": executable file not found', "the container has no program serve"),
        (
            126,
            "docker: permission denied while trying to connect to the Docker daemon socket",
            "not allowed to use Docker",
        ),
        (127, "sh: 1: serve: not found", "a program was not found: sh: 1: serve: not found"),
    ],
)
def test_the_codes_of_a_shell_are_used_by_loaders_and_docker_too(code: int, line: str, said: str) -> None:
    (found,) = (
        each
        for each in Talk(opened=False).ask("initialize").said(line).exit(code).findings()
        if each.id == "program-not-runnable"
    )
    assert said in found.sentence


def test_exit_during_session_names_request_and_last_stderr_line() -> None:
    (found,) = (
        each
        for each in Talk().ask("ping").answer({}).ask("tools/list").said("it broke").exit(1).findings()
        if each.id == "exit-during-session"
    )
    assert found.sentence == "the server exited during tools/list with code 1; last line of stderr: it broke"


def test_exit_after_a_notification_names_it_too() -> None:
    (found,) = (each for each in Talk().ask("tools/list").exit(1).findings() if each.id == "exit-during-session")
    assert "during tools/list (or by notifications/initialized before it) with code 1" in found.sentence


@pytest.mark.parametrize("cause", ["Caused by: java.net.UnknownHostException: repo1", "mag: failed to download it"])
def test_exit_with_an_exception_or_a_failure_on_stdout_names_it(cause: str) -> None:
    talk = Talk(opened=False).ask("initialize")
    for line in (b"Starting up", b"Exception in thread main", f"\x1b[31m{cause}\x1b[0m".encode()):
        talk.frame(line, channel=Channel.STDOUT, eol=Eol.LF)
    found = {each.id: each.sentence for each in talk.exit(1).findings()}
    assert f": {cause} (on stdout)" in found["exit-during-handshake"]
    assert "exit-without-input" not in found


@pytest.mark.parametrize(
    ("signal", "said"), [("SIGKILL", "memory"), ("SIGSEGV", "native code"), ("SIGTERM", "did not fail by itself")]
)
def test_server_killed_fix_fits_the_signal(signal: str, said: str) -> None:
    found = next(each for each in _dead(None, signal=signal)().findings() if each.id == "server-killed")
    assert said in found.fix


def test_a_module_of_the_newer_sdk_names_the_newer_version() -> None:
    (found,) = of_one(_dead(1, "No module named 'mcp.server.mcpserver'")().findings(), "sdk-version-mismatch")
    assert "has it in 2.3.0" in found.sentence
    assert "mcp>=2" in found.fix


@pytest.mark.parametrize("code", [0, 1, 2])
def test_a_help_text_on_stdout_is_the_cause_of_an_exit(code: int) -> None:
    talk = Talk(opened=False).frame(b"usage: calc [-h] [--serve]").frame(b"options:").exit(code)
    found = {each.id: each.sentence for each in talk.findings()}
    assert "exit-during-handshake" not in found
    assert "usage: calc" in found["exit-without-input"]
    assert f"code {code}" in found["exit-without-input"]


def test_exit_with_code_0_after_an_error_on_stderr_names_the_error() -> None:
    talk = Talk(opened=False).ask("initialize").said("Error: Could not locate the bindings file. Tried:").said("  }")
    (found,) = of_one(talk.exit(0).findings(), "exit-without-input")
    assert "with code 0: a native module was not built" in found.sentence


def test_program_that_fails_after_text_on_stdout_is_quoted_to_its_last_line() -> None:
    talk = Talk(opened=False).frame(b"calc v1.1").frame(b"Installation not complete. Run: calc-install").exit(1)
    (found,) = of_one(talk.findings(), "exit-without-input")
    assert "begins with 'calc v1.1' and ends with 'Installation not complete. Run: calc-install'" in found.sentence


@pytest.mark.parametrize(("code", "signal"), [(1, ""), (0, ""), (None, "SIGSEGV"), (139, "")])
def test_exit_after_a_probe_is_not_the_servers_fault(code: int | None, signal: str) -> None:
    talk = Talk(opened=False).frame(b"Content-Length: 2\r\n\r\n{}", Direction.TO_SERVER, cause=Cause.PROBE)
    found = talk.exit(code, signal).findings()
    assert {(each.id, each.severity) for each in found} == {("exit-on-invalid-message", "hint")}
    opened = Talk().frame(b'{"jsonrpc":"2.0","id":9,"method":"nope"}', Direction.TO_SERVER, cause=Cause.PROBE)
    ended = opened.exit(code, signal).findings()
    assert {(each.id, each.severity) for each in ended} == {("exit-on-invalid-message", "warning")}
    listed = Talk().frame(b'{"jsonrpc":"2.0","id":9,"method":"tools/list"}', Direction.TO_SERVER, cause=Cause.PROBE)
    assert "exit-on-invalid-message" not in {each.id for each in listed.exit(code, signal).findings()}


@pytest.mark.parametrize(("delayed_s", "accused"), [(0.2, True), (4.0, False)])
def test_a_server_that_computes_after_the_end_of_stdin_on_a_busy_machine_may_be_ending(
    delayed_s: float, accused: bool
) -> None:
    state = ProcessActivity(60.0, runnable=True, delayed_s=delayed_s)
    talk = Talk().ask("ping").answer({}).fact(ProcessFact(ProcessEvent.STDIN_EOF, 1)).wait(4)
    talk.fact(ProcessFact(ProcessEvent.SIGNAL, 1, signal="SIGTERM", state=state)).exit(None, "SIGTERM", why="")
    assert ("stdin-eof-ignored" in {each.id for each in talk.findings()}) is accused


def test_a_server_that_owes_a_response_may_finish_it_after_the_end_of_stdin() -> None:
    def left(talk: Talk) -> Finding:
        talk.fact(ProcessFact(ProcessEvent.STDIN_EOF, 1)).wait(3)
        talk.fact(ProcessFact(ProcessEvent.SIGNAL, 1, signal="SIGTERM")).exit(None, "SIGTERM", why="")
        (found,) = of_one(talk.findings(), "stdin-eof-ignored")
        return found

    assert left(Talk().ask("ping").answer({})).severity is Severity.WARNING
    owing = left(Talk().ask("resources/read", {"uri": "a:b"}))
    assert owing.severity is Severity.HINT
    assert "resources/read" in owing.sentence


@pytest.mark.parametrize(
    ("lines", "port"),
    [
        (("Error: listen EADDRINUSE: address already in use :::3124", "  code: 'EADDRINUSE',"), " 3124"),
        (
            ("[Errno 98] error while attempting to bind on address ('127.0.0.1', 8000): address already in use",),
            " 8000",
        ),
        (("OSError: [Errno 98] Address already in use",), ""),
    ],
)
def test_port_in_use_is_named_wherever_stderr_has_its_number(lines: tuple[str, ...], port: str) -> None:
    (found,) = of_one(_dead(1, *lines)().findings(), "port-in-use")
    assert found.sentence == f"another process is using the port{port}"


def test_variable_that_stdout_wants_is_missing_from_the_environment() -> None:
    talk = Talk(opened=False).frame(b"Please set ACME_KEY").exit(1)
    (found,) = of_one(talk.findings(), "environment-variable-missing")
    assert found.sentence.startswith("ACME_KEY is not in the environment")
