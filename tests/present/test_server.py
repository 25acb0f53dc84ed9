"""Sections about the server: identity, process, environment and recording."""

from pathlib import Path
from typing import Any

import pytest

from inspector.capture.journal import start_capture
from inspector.present.server import (
    environment_section,
    extensions_section,
    memory_of,
    method_of,
    ping_section,
    recording_section,
    resident_bytes,
    server_sections,
)
from inspector.present.spans import plain, section_lines
from inspector.protocol.capabilities import SKILLS, UI
from inspector.protocol.facts import ProcessEvent, ProcessFact
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.revisions.table import ROWS, newest_of
from tests.present.tape import Tape

VALUES = {"PATH": "/bin", "TOKEN": "s3cr3t", "ROOT": "${HOME}/x", "NONE": ""}
ORIGINS = {"PATH": "minimal set", "TOKEN": "-e", "ROOT": "--env-file", "NONE": "-e"}


def shown(*, reveal: bool) -> dict[str, str]:
    section = environment_section(VALUES, VALUES, ORIGINS, reveal=reveal)
    return {fact.key: fact.value for fact in section.facts}


def test_values_are_masked_and_origins_are_not() -> None:
    facts = shown(reveal=False)
    assert facts["TOKEN"] == "••••••  · -e"
    assert facts["PATH"] == "/bin  · minimal set"  # every program has it, and nothing in it is a secret
    assert "s3cr3t" not in str(facts)


def test_values_are_there_for_who_asks() -> None:
    facts = shown(reveal=True)
    assert facts["TOKEN"] == "s3cr3t  · -e"
    assert facts["PATH"] == "/bin  · minimal set"


@pytest.mark.parametrize("reveal", [False, True])
def test_unexpanded_variable_is_marked(reveal: bool) -> None:
    section = environment_section(VALUES, VALUES, ORIGINS, reveal=reveal)
    root = next(fact for fact in section.facts if fact.key == "ROOT")
    assert "▲ ${HOME} is not expanded" in root.value
    assert root.role == "warning"
    assert [fact.key for fact in section.facts if fact.role == "warning"] == ["ROOT"]


def test_empty_value_differs_from_a_hidden_one() -> None:
    assert shown(reveal=False)["NONE"] == "(empty)  · -e"


def test_recorded_environment_has_names_only() -> None:
    (fact,) = environment_section(["TOKEN"], {}, {}, reveal=True).facts
    assert (fact.key, fact.value) == ("TOKEN", "set")


def test_hostile_names_and_values_do_nothing() -> None:
    (fact,) = environment_section(["A\x1b[2J"], {"A\x1b[2J": "\x07"}, {}, reveal=True).facts
    assert (fact.key, fact.value) == ("A␛[2J", "␇")


def test_the_recording_names_its_file(tmp_path: Path) -> None:
    journal = start_capture(tmp_path / "a.mcpcap")
    section = recording_section(journal)
    journal.close()
    facts = {fact.key: fact.value for fact in section.facts}
    assert facts["file"] == str(tmp_path / "a.mcpcap")
    assert facts["state"] == "recording"
    assert facts["size"].endswith(" B")


def test_missing_recording_is_explained(tape: Tape) -> None:
    tape.journal.note("this session is not recorded: the disk is full")
    lines = list(map(plain, section_lines(recording_section(tape.journal))))
    assert any("off" in line for line in lines)
    assert any("▲ this session is not recorded: the disk is full" in line for line in lines)


def _opening(tape: Tape, server: Any, client: Any) -> Opening:
    """An opening in which both sides declare these extensions."""
    date = newest_of(Era.MODERN).date
    meta = {
        "io.modelcontextprotocol/protocolVersion": date,
        "io.modelcontextprotocol/clientInfo": {"name": "me"},
        "io.modelcontextprotocol/clientCapabilities": {"extensions": client},
    }
    tape.request(1, "server/discover", {"_meta": meta})
    tape.answer(1, {"supportedVersions": [date], "capabilities": {"extensions": server}})
    opening = tape.journal.conversation.opening
    assert opening is not None
    return opening


def test_extension_has_sides_settings_and_meaning(tape: Tape) -> None:
    server = {SKILLS: {"directoryRead": True}, "com.example/\x1b[31m": {}}
    section = extensions_section(_opening(tape, server, {SKILLS: {}, UI: {"mimeTypes": ["a"]}}))
    assert [(fact.key, fact.value) for fact in section.facts if fact.key] == [
        (SKILLS, 'both sides: server {"directoryRead":true}'),
        ("com.example/␛[31m", "server only"),
        (UI, 'client only: we {"mimeTypes":["a"]}'),
    ]
    meanings = [fact.value for fact in section.facts if not fact.key]
    assert meanings[0].startswith("Agent skills")
    assert len(meanings) == 2


def test_without_any_there_is_no_section(tape: Tape) -> None:
    assert extensions_section(_opening(tape, None, None)).facts == ()


def test_the_index_of_many_entries_takes_few_bytes_for_each(tape: Tape) -> None:
    for id_ in range(2_000):
        tape.call(id_, "a")
        tape.notify("notifications/message", {"data": "x" * 100})
        tape.answer(id_, {})
    memory = memory_of(tape.journal)
    assert (memory.entries, memory.exchanges) == (6_000, 2_000)
    assert 40 <= memory.each <= 90, "a third of them are exchanges, which take more"
    assert "bytes an entry" in memory.sentence


def test_an_empty_journal_costs_nothing_for_each(tape: Tape) -> None:
    assert memory_of(tape.journal).each == 0


def test_the_process_takes_some_memory() -> None:
    assert resident_bytes() > 1_000_000


def test_entries_in_memory_are_bounded(tape: Tape) -> None:
    for id_ in range(50):
        tape.answer(id_, {"text": "x" * 300_000})
    for n in range(1, 51):
        tape.journal.store.entry(n)
    memory = memory_of(tape.journal)
    assert 0 < memory.at_hand < 50
    assert memory.at_hand_bytes <= memory.at_hand_most


LEGACY, MODERN = "2025-06-18", "2026-07-28"
META = {"_meta": {"io.modelcontextprotocol/protocolVersion": MODERN}}


def told(tape: Tape) -> dict[str, str]:
    return {fact.key: fact.value for fact in ping_section(tape.journal).facts}


def test_each_revision_has_a_ping_or_what_comes_nearest() -> None:
    assert [method_of(row) for row in ROWS] == ["ping"] * 4 + ["server/discover"]


def test_before_the_first_ping_there_is_nothing_to_tell(tape: Tape) -> None:
    assert told(tape) == {}
    tape.initialized(LEGACY)
    assert told(tape) == {}


def test_ping_section_has_last_least_median_and_most(tape: Tape) -> None:
    tape.initialized(LEGACY)
    for id_, took in enumerate((5, 3, 10), 1):
        tape.request(id_, "ping")
        tape.wait(took).answer(id_, {})
    assert told(tape) == {"last": "10 ms", "least": "3.0 ms", "median": "5.0 ms of the last 3", "most": "10 ms"}


def test_pending_and_lost_pings_are_marked(tape: Tape) -> None:
    tape.initialized(LEGACY)
    tape.request(1, "ping")
    assert told(tape) == {"last": "⋯ Pending"}
    tape.died()
    assert told(tape) == {"last": "✗ Lost", "without response": "1"}


def test_an_error_is_a_round_trip_too(tape: Tape) -> None:
    tape.initialized(LEGACY)
    tape.request(1, "ping")
    tape.wait(5).error(1, -32601, "no")
    assert told(tape)["last"] == "5.0 ms, error -32601"


def test_the_servers_own_pings_are_not_ours(tape: Tape) -> None:
    tape.initialized(LEGACY)
    tape.server_request(1, "ping")
    assert told(tape) == {}


def test_ping_section_names_the_substitute_request(tape: Tape) -> None:
    answer = {"supportedVersions": [MODERN], "capabilities": {}, "serverInfo": {"name": "x"}, "resultType": "complete"}
    tape.request(1, "server/discover", META)
    tape.wait(50).answer(1, answer)
    assert told(tape) == {}
    tape.request(2, "server/discover", META)
    tape.wait(4).answer(2, answer)
    assert told(tape)["last"] == "4.0 ms"
    assert ping_section(tape.journal).note == "server/discover (no ping in this protocol version)"


_LEGACY = newest_of(Era.LEGACY)


def _read(tape: Tape, *titles: str, **more: object) -> list[str]:
    sections = [each for each in server_sections(tape.journal, **more) if each.title in titles]  # type: ignore[arg-type]
    return [plain(line).rstrip() for section in sections for line in section_lines(section)]


def test_server_sections_have_identity_and_protocol(tape: Tape) -> None:
    server = {"name": "light\x1bhouse", "version": "1.2", "icons": [{"src": "https://x/i.png"}], "odd": [1]}
    tape.initialized(_LEGACY.date, server=server, instructions="Be\nkind.\x07")
    assert _read(tape, "Server", "Protocol", "Instructions") == [
        "Server",
        "  name     light␛house",
        "  version  1.2",
        "  icon     https://x/i.png",
        "  odd      [1]",
        "Protocol",
        f"  protocol version  {_LEGACY.date}",
        "  era               legacy",
        f"  specification     {_LEGACY.page}",
        "Instructions",
        "  Be",
        "  kind.␇",
    ]


def test_protocol_counter_offer_is_a_warning(tape: Tape) -> None:
    tape.request(0, "initialize", {"protocolVersion": _LEGACY.date})
    tape.answer(0, {"protocolVersion": "1999-01-01", "capabilities": {}})
    told = _read(tape, "Protocol")
    assert f"  offered           {_LEGACY.date}; the server answered with 1999-01-01" in told
    assert any("1999-01-01" in line and "warning" in line for line in told)


def test_capabilities_of_both_sides_are_listed(tape: Tape) -> None:
    capabilities = {"tools": {"listChanged": True}, "logging": {}, "x": {"a": {"b": 1}, "c": False}, "odd": 7}
    tape.initialized(_LEGACY.date, capabilities=capabilities)
    assert _read(tape, "Server capabilities", "Client capabilities") == [
        "Server capabilities",
        "  declared by the server",
        "  tools    listChanged",
        "  logging  yes",
        '  x        a: {"b":1}, c: false',
        "  odd      7",
        "Client capabilities",
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
        "  after       4.00 s  process 4711 was terminated by SIGTERM",
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
        "  pending      1",
        "  errors       1",
        "  tool errors  1",
        "  tools        1 ▲ changed on the server",
    ]


def test_the_last_lines_of_stderr_and_the_notices_are_there(tape: Tape) -> None:
    for number in range(50):
        tape.stderr(f"line {number}\x1b   ".encode())
    tape.journal.note("The disk is full.")
    assert _read(tape, "stderr")[:2] == ["stderr", "  line 10␛"]
    assert _read(tape, "Notices") == ["Notices", "  The disk is full."]


def test_empty_journal_has_a_traffic_section_only(tape: Tape) -> None:
    assert [section.title for section in server_sections(tape.journal)] == ["Traffic"]


def test_data_uri_icon_is_abbreviated(tape: Tape) -> None:
    icons = [{"src": "data:image/svg+xml;base64," + "A" * 900}, {"src": 1}]
    tape.initialized(_LEGACY.date, server={"name": "x", "icons": icons})
    assert _read(tape, "Server")[2:] == ["  icon  image/svg+xml as a data URI, 926 characters", "  icon  no src"]


def test_unknown_elicitation_completion_is_listed(tape: Tape) -> None:
    tape.initialized(_LEGACY.date)
    tape.notify("notifications/elicitation/complete", {"elicitationId": "pay\x1b-7"})
    assert "  never called  1 called complete: pay␛-7" in _read(tape, "Traffic")
