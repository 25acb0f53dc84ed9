"""What is known of a server, in sections."""

from inspector.protocol.facts import ProcessEvent, ProcessFact
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.table import newest_of
from inspector.viewmodels.lines import plain, section_lines
from inspector.viewmodels.server import server_sections
from tests.viewmodels.tape import Tape

_LEGACY = newest_of(Era.LEGACY)


def _read(tape: Tape, *titles: str, **more: object) -> list[str]:
    sections = [each for each in server_sections(tape.journal, **more) if each.title in titles]  # type: ignore[arg-type]
    return [plain(line).rstrip() for section in sections for line in section_lines(section)]


def test_who_it_is_and_by_which_rules(tape: Tape) -> None:
    server = {"name": "light\x1bhouse", "version": "1.2", "icons": [{"src": "https://x/i.png"}], "odd": [1]}
    tape.initialized(_LEGACY.date, server=server, instructions="Be\nkind.\x07")
    assert _read(tape, "Server", "Protocol", "Instructions") == [
        "Server",
        "  name     light␛house",
        "  version  1.2",
        "  icon     https://x/i.png",
        "  odd      [1]",
        "Protocol",
        f"  revision      {_LEGACY.date}",
        "  era           legacy",
        f"  specified at  {_LEGACY.page}",
        "Instructions",
        "  Be",
        "  kind.␇",
    ]


def test_a_counter_offer_and_its_warning_are_told(tape: Tape) -> None:
    tape.request(0, "initialize", {"protocolVersion": _LEGACY.date})
    tape.answer(0, {"protocolVersion": "1999-01-01", "capabilities": {}})
    told = _read(tape, "Protocol")
    assert f"  offered       {_LEGACY.date}" in told
    assert any(line.startswith("  warning       '1999-01-01' is no revision") for line in told)


def test_what_both_sides_can_do(tape: Tape) -> None:
    capabilities = {"tools": {"listChanged": True}, "logging": {}, "x": {"a": {"b": 1}, "c": False}, "odd": 7}
    tape.initialized(_LEGACY.date, capabilities=capabilities)
    assert _read(tape, "The server can", "We can") == [
        "The server can",
        "  declared by the server",
        "  tools    listChanged",
        "  logging  yes",
        '  x        a: {"b":1}, c: false',
        "  odd      7",
        "We can",
        "  declared to the server",
        "  roots  yes",
    ]


def test_how_the_process_was_started_and_what_it_got(tape: Tape) -> None:
    tape.started()
    tape.wait(1500)
    assert _read(tape, "Process", origins={"API_TOKEN": "-e"})[1:4] == [
        "  command     python server.py --verbose",
        "  directory   /srv",
        "  pid         4711",
    ]
    assert _read(tape, "Process", origins={"API_TOKEN": "-e"})[5:] == [
        "  state       running",
        "  $PATH       set",
        "  $API_TOKEN  set: -e",
    ]


def test_the_steps_of_its_end_are_dated_from_its_start(tape: Tape) -> None:
    tape.started()
    tape.wait(2000).fact(ProcessFact(ProcessEvent.STDIN_EOF, 4711))
    tape.wait(2000).fact(ProcessFact(ProcessEvent.SIGNAL, 4711, signal="SIGTERM"))
    tape.fact(ProcessFact(ProcessEvent.EXIT, 4711, None, "SIGTERM"))
    told = _read(tape, "Process")
    assert told[5:8] == [
        "  after       2.00 s  stdin closed",
        "  after       4.00 s  SIGTERM sent to process group 4711",
        "  after       4.00 s  process 4711 was ended by SIGTERM",
    ]
    assert not any("running" in line for line in told)


def test_how_http_goes_with_what_is_secret_masked(http_tape: Tape) -> None:
    http_tape.connected("https://u:p@example.test/mcp")
    http_tape.posted(1, headers=(("Mcp-Session-Id", "abcdef"),))
    http_tape.initialized(_LEGACY.date)
    assert _read(http_tape, "HTTP") == [
        "HTTP",
        "  url          https://••••••@example.test/mcp",
        "  carriage     Streamable HTTP",
        "  way          sessions",
        "  session      •••••• (6 characters)",
        "  exchanges    1",
        "  last status  200, to POST",
    ]


def test_traffic_is_counted(tape: Tape) -> None:
    tape.request(1, "tools/list")
    tape.answer(1, {"tools": [{"name": "a"}], "nextCursor": "2"})
    tape.notify("notifications/tools/list_changed")
    tape.call(2, "a")
    tape.answer(2, {"isError": True, "content": []})
    tape.call(3, "a")
    tape.error(3, 1, "x")
    tape.call(4, "a")
    assert _read(tape, "Traffic") == [
        "Traffic",
        "  entries      8",
        "  exchanges    4",
        "  in flight    1",
        "  errors       1",
        "  tool errors  1",
        "  tools        1 ▲ the server says they changed",
    ]


def test_the_last_lines_of_stderr_and_the_notices_are_there(tape: Tape) -> None:
    for number in range(50):
        tape.stderr(f"line {number}\x1b".encode())
    tape.journal.note("The disk is full.")
    assert _read(tape, "stderr")[:2] == ["stderr", "  line 10␛"]
    assert _read(tape, "Notices") == ["Notices", "  The disk is full."]


def test_of_an_empty_journal_little_is_known(tape: Tape) -> None:
    assert [section.title for section in server_sections(tape.journal)] == ["Traffic"]


def test_an_icon_that_is_written_out_is_told_by_its_kind_and_length(tape: Tape) -> None:
    icons = [{"src": "data:image/svg+xml;base64," + "A" * 900}, {"src": 1}]
    tape.initialized(_LEGACY.date, server={"name": "x", "icons": icons})
    assert _read(tape, "Server")[2:] == ["  icon  image/svg+xml in place, 926 characters", "  icon  no src"]


def test_what_is_called_complete_and_was_never_asked_is_told(tape: Tape) -> None:
    tape.initialized(_LEGACY.date)
    tape.notify("notifications/elicitation/complete", {"elicitationId": "pay\x1b-7"})
    assert "  never asked  1 called complete: pay␛-7" in _read(tape, "Traffic")
