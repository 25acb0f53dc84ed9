"""Servers on stdio that write noise, lie, loop, die or hang: everything is recorded, and nothing crashes."""

import sys
from pathlib import Path

import pytest

from inspector.capture.format.verify import verify
from inspector.capture.store.load import load
from inspector.cli.exit_status import ExitStatus
from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.facts import ProcessEvent, ProcessFact, Stderr
from inspector.protocol.frames import Direction, Eol
from inspector.protocol.listed_items import Tool
from tests.children import pids
from tests.servers.failing import BIG
from tests.servers.mistyped import RESULTS, TOOLS
from tests.servers.noisy import NOISE
from tests.servers.real import ROOT, argv
from tests.stories.commands import Ran, mcp_inspect
from tests.transports.recording import server


def told(name: str, *words: str) -> tuple[str, ...]:
    """How the command line is told to run `tests/servers/NAME.py` of those that speak."""
    return ("-e", f"PYTHONPATH={ROOT}", "--", sys.executable, "-S", "-m", f"tests.servers.{name}", *words)


def tells_what_and_what_to_do(ran: Ran, what: str, hint: str = "") -> None:
    """The error that scripts get, and the sentences that people get, say the same."""
    assert what in ran.error["message"]
    assert hint in ran.error["hint"]
    assert ran.error["message"].splitlines()[0].removesuffix(".") in ran.messages.replace(
        ran.stderr.splitlines()[-1].decode(), ""
    )
    assert "Traceback" not in ran.messages


STRANGERS = "! The server exited at server/discover and was started again with initialize: it exited with code {} after"


def strict(place: Path, *words: str) -> tuple[str, ...]:
    """A server that exits at any first message but `initialize` and `ping`; `starts` keeps a line for each start."""
    file = ROOT / "tests" / "servers" / "exits_at_strangers.py"
    return ("--", sys.executable, "-S", str(file), f"starts={place / 'starts'}", *words)


def starts(place: Path) -> int:
    """How often it was started."""
    return len((place / "starts").read_text().splitlines())


@pytest.mark.parametrize(
    "words", [("list", "tools"), ("call", "add"), ("info",), ("check",), ("request", "tools/list")]
)
async def test_a_server_that_exits_at_the_probe_is_started_once_more_and_not_blamed(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    ran = await mcp_inspect(*words, "--json", *strict(tmp_path), place=tmp_path)
    assert (ran.status, starts(tmp_path)) == (ExitStatus.OK, 2)
    assert ran.messages.count(STRANGERS.format(1)) == 1
    assert not any(
        name in ran.messages + ran.stdout.decode()
        for name in ("exit-during-handshake", "exit-without-input", "expect initialized")
    )
    if words[0] in ("list", "info"):
        assert [f"! {notice}".startswith(STRANGERS.format(1)) for notice in ran.json["notices"]] == [True]
    assert ran.seen.methods()[:2] == ["server/discover", "initialize"]


@pytest.mark.parametrize("words", [("answer",), ("code=0",), ("answer", "code=0")])
async def test_however_it_exits_after_the_probe(words: tuple[str, ...], tmp_path: Path) -> None:
    ran = await mcp_inspect("list", "tools", "--json", *strict(tmp_path, *words), place=tmp_path)
    assert (ran.status, starts(tmp_path)) == (ExitStatus.OK, 2)


@pytest.mark.parametrize("words", [("list", "tools"), ("check",)])
async def test_command_when_the_server_closes_stdout_at_the_probe_starts_it_again(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    ran = await mcp_inspect(*words, "--json", *strict(tmp_path, "closes"), place=tmp_path)
    assert (ran.status, starts(tmp_path)) == (ExitStatus.OK, 2)
    assert "! The server closed its stdout at server/discover and was started again with initialize" in ran.messages
    assert "stdout-closed" not in ran.stdout.decode()


async def test_era_is_remembered_for_the_command(tmp_path: Path) -> None:
    for count in (2, 3):
        ran = await mcp_inspect("list", "tools", "--json", *strict(tmp_path), place=tmp_path)
        assert (ran.status, starts(tmp_path)) == (ExitStatus.OK, count)
    assert "started again" not in ran.messages


@pytest.mark.parametrize("words", [("dies",), ("dies", "answer")])
async def test_a_server_that_exits_at_initialize_is_diagnosed_by_its_second_start(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    ran = await mcp_inspect("list", "tools", "--json", *strict(tmp_path, *words), place=tmp_path)
    assert (ran.status, starts(tmp_path)) == (ExitStatus.UNREACHABLE, 2)
    assert ran.error["diagnosis"][0]["id"] == "exit-during-handshake"
    assert "the database is gone" in ran.error["diagnosis"][0]["sentence"]
    assert "server/discover" not in " ".join(ran.error["post_mortem"]["stderr"])


async def test_a_server_that_exits_before_it_reads_is_started_once(tmp_path: Path) -> None:
    program = f"open({str(tmp_path / 'starts')!r}, 'a').write('x\\n'); raise SystemExit(3)"
    ran = await mcp_inspect("list", "tools", "--json", "--", sys.executable, "-S", "-c", program, place=tmp_path)
    assert (ran.status, starts(tmp_path)) == (ExitStatus.UNREACHABLE, 1)
    assert ran.error["diagnosis"][0]["id"] == "exit-during-handshake"


@pytest.mark.parametrize("words", [("list", "tools"), ("call", "good"), ("info",)])
async def test_a_server_that_babbles_is_understood_and_every_line_is_kept(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    ran = await mcp_inspect(*words, "--json", *told("noisy"), place=tmp_path)
    assert (ran.status, "Traceback" in ran.messages) == (ExitStatus.OK, False)
    assert isinstance(ran.json, dict)
    lines = [
        frame.payload + b"\r" * (frame.eol is Eol.CRLF)
        for frame in ran.seen.frames
        if frame.direction is Direction.FROM_SERVER
    ]
    answers = sum(method != "server/discover" for method in ran.seen.methods())
    assert [line for line in lines if line in NOISE] == list(NOISE) * answers
    assert len(lines) == 1 + answers * (len(NOISE) + 2)


async def test_requests_of_a_noisy_server_are_answered(tmp_path: Path) -> None:
    ran = await mcp_inspect("list", "tools", "--json", *told("noisy"), place=tmp_path)
    asked = [each for each in ran.seen.exchanges if each.sender is Direction.FROM_SERVER]
    assert {each.method for each in asked} >= {"ping", "sampling/createMessage", "elicitation/create", "no/such/method"}
    assert {each.state for each in asked if each.method == "ping"} == {ExchangeState.ANSWERED}
    assert {each.state for each in asked if each.method == "no/such/method"} == {ExchangeState.ERROR}


async def test_good_tools_survive_beside_broken_ones(tmp_path: Path) -> None:
    ran = await mcp_inspect("list", "tools", "--json", *told("mistyped"), place=tmp_path)
    assert ran.status == ExitStatus.TOOL_ERROR  # a cursor that cannot be sent back cuts the list
    assert ran.json["tools"] == TOOLS
    assert "nextCursor is a number" in ran.messages
    flaws = [Tool(raw).flaw for raw in TOOLS]
    assert flaws.count("") >= 5
    assert "an array instead of an object" in flaws


@pytest.mark.parametrize("words", [("info",), ("list", "all"), ("list", "prompts")])
async def test_wrong_types_are_shown_and_nothing_more(words: tuple[str, ...], tmp_path: Path) -> None:
    for form in ((), ("--json",)):
        ran = await mcp_inspect(*words, *form, *told("mistyped"), place=tmp_path)
        status = ExitStatus.OK if words == ("list", "prompts") else ExitStatus.TOOL_ERROR  # tools have no end
        assert (ran.status, "Traceback" in ran.messages) == (status, False)
        assert ran.stdout


_UNUSABLE = ("good", "odder", "last", "bent_0")
"""Content that is not an array, a picture that cannot be decoded, a result that is not an object: all are failures."""


@pytest.mark.parametrize("tool", [*RESULTS, "bent_0"])
async def test_a_result_of_wrong_types_is_shown_as_it_came(tool: str, tmp_path: Path) -> None:
    result = RESULTS.get(tool, 5)
    status = ExitStatus.TOOL_ERROR if tool in _UNUSABLE else ExitStatus.OK
    ran = await mcp_inspect("call", tool, "-a", "a=1", "--json", *told("mistyped"), place=tmp_path)
    assert (ran.status, ran.json["result"], ran.json["error"]) == (status, result, None)
    readable = await mcp_inspect("call", tool, *told("mistyped"), place=tmp_path)
    assert (readable.status, "Traceback" in readable.messages) == (status, False)


@pytest.mark.parametrize(
    ("words", "status"), [(("read", "x://y"), ExitStatus.TOOL_ERROR), (("prompt", "p"), ExitStatus.OK)]
)
async def test_contents_and_messages_of_wrong_types_are_shown_too(
    words: tuple[str, ...], status: ExitStatus, tmp_path: Path
) -> None:
    for form in ((), ("--json",)):
        ran = await mcp_inspect(*words, *form, *told("mistyped"), place=tmp_path)
        assert (ran.status, "Traceback" in ran.messages) == (status, False)


async def test_pages_in_a_circle_end_with_what_there_was(tmp_path: Path) -> None:
    ran = await mcp_inspect("list", "all", "--json", *told("cyclic"), place=tmp_path)
    assert ran.status == ExitStatus.TOOL_ERROR
    assert [tool["name"] for tool in ran.json["tools"]] == ["after_None", "after_a", "after_b"]
    assert len(ran.json["prompts"]) == 2
    assert "a second time" in ran.messages


@pytest.mark.parametrize(
    ("how", "status", "what", "hint"),
    [
        ("silent", ExitStatus.TIMEOUT, "no response to initialize within 0.4 s", "--timeout"),
        ("silent_call", ExitStatus.TIMEOUT, "no response to tools/call", "--timeout"),
        ("dies_in_call", ExitStatus.UNREACHABLE, "exited with code 3", ""),
        ("killed_in_call", ExitStatus.UNREACHABLE, "ended by SIGSEGV", ""),
        ("no_version", ExitStatus.PROTOCOL, "no protocolVersion (frame ", "--revision"),
        ("refuses", ExitStatus.UNREACHABLE, "error -32603: the database is down", "logs"),
    ],
)
async def test_failing_server_is_reported_with_advice(
    how: str, status: ExitStatus, what: str, hint: str, tmp_path: Path
) -> None:
    words = ("call", "good", "--json", "--timeout", "0.4", "--era", "legacy")
    ran = await mcp_inspect(*words, *told("failing", how), place=tmp_path)
    assert (ran.status, ran.stdout) == (status, b"")
    tells_what_and_what_to_do(ran, what, hint)
    last = ran.seen.exchanges[-1]
    assert not last.is_open


async def test_a_server_that_died_leaves_a_post_mortem(tmp_path: Path) -> None:
    ran = await mcp_inspect("call", "good", "--json", *told("failing", "dies_in_call"), place=tmp_path)
    card = ran.error["post_mortem"]
    assert (card["exit_code"], card["signal"], card["stderr"]) == (3, None, ["out of oil"])
    assert [each["method"] for each in card["in_flight"]] == ["tools/call"]
    assert card["argv"][-2:] == ["tests.servers.failing", "dies_in_call"]
    assert "out of oil" in ran.messages


@pytest.mark.parametrize(("how", "said"), [("5", "exited with code 5"), ("SIGKILL", "ended by SIGKILL")])
async def test_a_server_that_dies_at_once_is_reported_with_its_last_words(how: str, said: str, tmp_path: Path) -> None:
    ran = await mcp_inspect("info", "--json", "--", *server("dies", how), place=tmp_path)
    assert (ran.status, ran.stdout) == (ExitStatus.UNREACHABLE, b"")
    tells_what_and_what_to_do(ran, said)
    assert ran.error["post_mortem"]["stderr"] == ["cannot go on"]
    assert ran.received() == [b"last line on stdout"]


@pytest.mark.parametrize(
    ("argv", "what", "hint"),
    [
        (("no-such-program-anywhere",), "is not on the PATH", "absolute path"),
        (("./no/such/file",), "no/such/file does not exist", "Check the path"),
        ((str(ROOT),), str(ROOT), ""),
        ((str(ROOT / "README.md"),), "README.md", ""),
    ],
)
async def test_a_command_that_cannot_be_started_is_explained(
    argv: tuple[str, ...], what: str, hint: str, tmp_path: Path
) -> None:
    ran = await mcp_inspect("info", "--json", "--", *argv, place=tmp_path)
    assert (ran.status, ran.stdout) == (ExitStatus.UNREACHABLE, b"")
    tells_what_and_what_to_do(ran, what, hint)
    assert ran.error["hint"]


async def test_a_server_that_is_deaf_to_the_probe_gets_the_handshake_after_a_while(tmp_path: Path) -> None:
    ran = await mcp_inspect("list", "tools", "--json", *told("failing", "deaf_to_probe"), place=tmp_path)
    assert (ran.status, ran.json["era"]) == (ExitStatus.OK, "legacy")
    assert ran.seen.methods() == ["server/discover", "initialize", "tools/list"]
    assert ran.seen.exchanges[0].answer_frame is None
    again = await mcp_inspect("list", "tools", "--json", *told("failing", "deaf_to_probe"), place=tmp_path)
    assert again.seen.methods() == ["initialize", "tools/list"]


async def test_a_server_that_will_not_end_is_ended(tmp_path: Path) -> None:
    ran = await mcp_inspect("list", "tools", "--json", *told("failing", "stubborn"), place=tmp_path)
    assert ran.status == ExitStatus.OK
    facts = [entry.what for entry in ran.seen.entries if isinstance(entry.what, ProcessFact)]
    assert [fact.signal for fact in facts if fact.event is ProcessEvent.SIGNAL] == ["SIGTERM", "SIGKILL"]
    (exit_,) = [fact for fact in facts if fact.event is ProcessEvent.EXIT]
    assert (exit_.code, exit_.signal) == (None, "SIGKILL")
    assert exit_.pid not in pids()


async def test_a_server_that_floods_stderr_still_answers_and_loses_nothing(tmp_path: Path) -> None:
    ran = await mcp_inspect("call", "good", "--json", *told("failing", "floods_stderr"), place=tmp_path)
    assert ran.status == ExitStatus.OK
    said = sum(len(entry.what.payload) for entry in ran.seen.entries if isinstance(entry.what, Stderr))
    assert said == 3 * 8 * 1024 * 1024


async def test_a_server_that_only_greets_is_a_timeout_with_its_greeting_in_the_log(tmp_path: Path) -> None:
    ran = await mcp_inspect(
        *("info", "--json", "--timeout", "0.3", "--era", "legacy", "--"), *server("never_reads"), place=tmp_path
    )
    assert ran.status == ExitStatus.TIMEOUT
    assert ran.received() == [b"ready"]


async def test_a_server_that_only_echoes_opens_as_one_without_a_name(tmp_path: Path) -> None:
    ran = await mcp_inspect("info", "--json", "--", *server("echo"), place=tmp_path)
    assert (ran.status, ran.json["server"], ran.json["capabilities"]) == (ExitStatus.OK, {}, {})
    assert "a server without a name" in ran.messages


@pytest.mark.slow
async def test_a_list_with_a_hundred_megabytes_on_one_line_passes_and_is_recorded(tmp_path: Path) -> None:
    ran = await mcp_inspect("list", "tools", "--json", *told("failing", "big_list"), place=tmp_path)
    assert ran.status == ExitStatus.OK
    assert len(ran.json["tools"][0]["description"]) == BIG
    journal = load(ran.capture)
    assert max(journal.store.size(n) for n in range(1, journal.count + 1)) > BIG
    journal.close()
    assert verify(ran.capture).complete


@pytest.mark.real
@pytest.mark.parametrize("words", [("list", "tools"), ("check",)])
async def test_a_server_on_version_1_of_the_python_sdk_is_not_made_to_complain(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    program = Path(argv("mcp1")[0]).with_name("mcp-server-sqlite")
    command = (str(program), "--db-path", str(tmp_path / "x.db"))
    ran = await mcp_inspect(*words, "--json", "--", *command, place=tmp_path)
    assert ran.seen.methods()[:2] == ["initialize", "tools/list"]
    assert not [entry for entry in ran.seen.entries if isinstance(entry.what, Stderr)]
