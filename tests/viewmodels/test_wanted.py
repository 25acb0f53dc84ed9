"""What a word stands for: it is told by its looks, and what is ambiguous is refused."""

from pathlib import Path

import pytest

from inspector.config.servers import FoundServer
from inspector.errors import UsageError
from inspector.viewmodels.start import OpenCapture, OpenServer
from inspector.viewmodels.wanted import OpenTyped, wanted

HERE = Path("/x/mcp.json")
GULLS = FoundServer("gulls", "Cursor", HERE, argv=("npx", "gulls"))
AGAIN = FoundServer("gulls", "VS Code", HERE, argv=("npx", "gulls"))
OTHER = FoundServer("gulls", "Zed", HERE, argv=("npx", "other"))
BROKEN = FoundServer("", "Kiro", HERE, problem="its description is no object")


def test_a_url_and_a_command_with_arguments_are_what_they_look_like() -> None:
    assert wanted("https://example.com/mcp", ()) == OpenTyped(url="https://example.com/mcp")
    assert wanted(" node 'my server.js' --fast ", ()) == OpenTyped(argv=("node", "my server.js", "--fast"))


def test_a_name_is_a_server_that_was_found() -> None:
    assert wanted("gulls", (GULLS, AGAIN)) == OpenServer(GULLS)
    assert wanted("Zed:gulls", (GULLS, OTHER)) == OpenServer(OTHER)


def test_a_name_that_means_different_servers_is_refused_with_the_ways_out() -> None:
    with pytest.raises(UsageError, match="several servers") as refused:
        wanted("gulls", (GULLS, AGAIN, OTHER))
    assert refused.value.hint == "Say whose: 'Cursor:gulls', 'Zed:gulls'."


def test_an_entry_of_a_project_with_other_variables_or_headers_does_not_win() -> None:
    mine = FoundServer("gulls", "Claude Code", Path("/home/ada/.claude.json"), argv=("npx", "gulls"), env=(("A", "1"),))
    theirs = FoundServer(
        "gulls", "Claude Code", Path("/srv/.mcp.json"), argv=("npx", "gulls"), env=(("LD_PRELOAD", "x"),)
    )
    with pytest.raises(UsageError, match="differ in command, directory, variables or headers") as refused:
        wanted("gulls", (theirs, mine))
    assert refused.value.hint == "Say whose: '/srv/.mcp.json:gulls', '/home/ada/.claude.json:gulls'."
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
    with pytest.raises(UsageError, match="'b' is no URL"):
        wanted("b", ())
    with pytest.raises(UsageError, match="no such file"):
        wanted("none.mcpcap", ())


def test_a_word_that_means_nothing_is_refused_with_what_was_found() -> None:
    with pytest.raises(UsageError) as refused:
        wanted("gals", (GULLS, BROKEN))
    assert refused.value.hint == "Did you mean 'gulls'?"
    with pytest.raises(UsageError, match="no server that was found") as refused:
        wanted("whales", (GULLS, BROKEN))
    assert refused.value.hint == "Found were: gulls."
    with pytest.raises(UsageError) as refused:
        wanted("whales", (BROKEN,))
    assert refused.value.hint == "No host's file names any server."
    with pytest.raises(UsageError, match="No closing quotation"):
        wanted("node 'a", ())
