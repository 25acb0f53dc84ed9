"""Why a server does not get as far as talking."""

import pytest

from inspector.checks.findings import Confidence, Severity
from inspector.checks.verdict import primary_of
from inspector.errors import ConnectError
from inspector.protocol.facts import (
    ChildState,
    ConnectionEvent,
    ConnectionFact,
    ProcessActivity,
    ProcessEvent,
    ProcessFact,
)
from inspector.transports.children import find_executable
from tests.checks.both import of_one
from tests.checks.talks import Cases, Script, Talk, initialize, initialized


def _started(*argv: str) -> Talk:
    opened = ConnectionFact(ConnectionEvent.OPEN, "stdio", argv=argv, cwd="/srv", env_names=("PATH",))
    return Talk(opened=False, connection=opened).fact(ProcessFact(ProcessEvent.SPAWN, 1))


def _silent(*argv: str, stderr: str = "", after: float = 30) -> Script:
    return lambda: _asked(*argv).said(*([stderr] if stderr else [])).wait(after).close()


def _asked(*argv: str) -> Talk:
    return _started(*argv).ask("initialize", initialize(4))


def _never(argv: tuple[str, ...], why: str) -> Script:
    opened = ConnectionFact(ConnectionEvent.OPEN, "stdio", argv=argv, cwd="/srv")
    return lambda: Talk(opened=False, connection=opened).close(why)


def _ended(left: bool) -> Script:
    def talk() -> Talk:
        begun = _started("server").fact(ProcessFact(ProcessEvent.STDIN_EOF, 1))
        if not left:
            begun.fact(ProcessFact(ProcessEvent.SIGNAL, 1, signal="SIGTERM"))
        begun.fact(ProcessFact(ProcessEvent.EXIT, 1, 0))
        return (begun.fact(ProcessFact(ProcessEvent.SIGNAL, 1, signal="SIGTERM")) if left else begun).close()

    return talk


_CHROME = ProcessActivity(children=(ChildState(9, "chrome --headless"),))

CASES: Cases = {
    "command-not-found": (
        _never(("npx", "-y", "x"), "`npx` is not on the PATH that the server gets; it looked in /usr/bin"),
        _never(("./x",), "/srv/x exists but may not be executed."),
    ),
    "package-still-installing": (
        _silent("npx", "-y", "x", stderr="npm warn exec The following package was not found"),
        _silent("npx", "-y", "x", stderr="my server is up"),
    ),
    "docker-flags": (
        lambda: _started("docker", "run", "--rm", "-e", "A=-i", "mcp/x").exit(0),
        lambda: _started("docker", "run", "--rm", "-i", "mcp/x", "-t").exit(0),
    ),
    "stdin-not-read": (
        _silent("node", "x.js", stderr="Server started"),
        lambda: _asked("node", "x.js").said("Server started").wait(1).close(),
    ),
    "child-processes-left": (_ended(left=True), _ended(left=False)),
    "child-processes-outlive": (
        lambda: _started("server").fact(ProcessFact(ProcessEvent.LEFT, 1, state=_CHROME)).close(),
        _ended(left=False),
    ),
    "interactive-prompt": (
        _silent("node", "x.js", stderr="Enter your API key: "),
        _silent("node", "x.js", stderr="Serving the key store at https://host/key"),
    ),
}


@pytest.mark.parametrize("command", ["no-such-command", "./no-such-file", ""])
def test_command_not_found_understands_find_executable(command: str) -> None:
    with pytest.raises(ConnectError) as caught:
        find_executable(command, {"PATH": "/usr/bin"}, "/")
    assert of_one(_never((command,), str(caught.value))().findings(), "command-not-found")


def test_command_that_is_not_found_has_the_advice_of_the_lookup() -> None:
    opened = ConnectionFact(ConnectionEvent.OPEN, "stdio", argv=("a b",), cwd="/srv")
    failed = ConnectionFact(ConnectionEvent.ABORT, "stdio", why="There is no program 'a b': …", hint="Split it.")
    (found,) = of_one(Talk(opened=False, connection=opened).fact(failed).findings(), "command-not-found")
    assert found.fix == "Split it."


def test_server_that_listens_and_reads_nothing_expects_http() -> None:
    listening = ProcessFact(ProcessEvent.STDIN_EOF, 1, state=ProcessActivity(unread=544, ports=(8000,)))
    findings = _asked("python", "server.py").wait(5).fact(listening).close().findings()
    (found,) = of_one(findings, "stdin-not-read")
    assert "listens on TCP port 8000, and has read nothing from stdin so far" in found.sentence
    assert "still starting" in found.fix


def test_server_that_prints_the_address_of_its_web_server_on_stdout_does_not_read_stdin() -> None:
    talk = _asked("dotnet", "x.dll").frame(b"info: Microsoft.Hosting.Lifetime[14]")
    findings = talk.frame(b"      Now listening on: http://localhost:5000").wait(40).close().findings()
    (found,) = of_one(findings, "stdin-not-read")
    assert "listens at http://localhost:5000, and responds to nothing on stdin" in found.sentence
    assert primary_of(findings) == found


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("-d",), "detaches the container"),
        (("--detach", "-i"), "detaches the container"),
        (("--rm",), "without -i"),
        (("-it",), "allocates a terminal"),
        (("--tty", "--interactive"), "allocates a terminal"),
        (("--tty=false", "-i"), ""),
        (("-i", "-v", "/a:/b", "--name=x"), ""),
        (("-e", "-t", "-i"), ""),
    ],
)
def test_the_flags_of_docker_are_read_as_docker_reads_them(flags: tuple[str, ...], said: str) -> None:
    found = of_one(_started("/usr/bin/docker", "run", *flags, "image").exit(0).findings(), "docker-flags")
    assert [said in each.sentence for each in found] == ([True] if said else [])


def test_a_container_that_works_may_still_have_a_terminal() -> None:
    talk = _started("docker", "run", "-it", "image").ask("initialize", initialize(4))
    talk.answer(initialized(4))
    (found,) = of_one(talk.close().findings(), "docker-flags")
    assert found.severity is Severity.WARNING


def test_a_silent_package_manager_is_a_guess_only() -> None:
    (found,) = of_one(_silent("uvx", "x")().findings(), "package-still-installing")
    assert found.confidence is Confidence.GUESS
    assert found.sentence == "uvx is still installing after 30 s: the server has not started"


def test_a_slow_package_manager_is_a_hint() -> None:
    talk = _started("uvx", "x").ask("initialize", initialize(4)).wait(20).answer({})
    (found,) = of_one(talk.findings(), "package-still-installing")
    assert (found.severity, found.sentence) == (Severity.HINT, "uvx took 20 s to start the server")


def test_a_message_with_text_behind_it_is_no_prompt() -> None:
    message = b'{"jsonrpc":"2.0","id":0,"result":{"instructions":"Enter a password"}} done (all is well)'
    findings = _asked("node", "x.js").frame(message).wait(30).close().findings()
    assert findings
    assert not of_one(findings, "interactive-prompt")


def test_stdin_not_read_names_the_url_of_an_http_server() -> None:
    talk = _silent("node", "x.js", stderr="Listening on http://127.0.0.1:3000/mcp")()
    (found,) = of_one(talk.findings(), "stdin-not-read")
    assert "http://127.0.0.1:3000/mcp" in found.sentence
    assert "URL" in found.fix
