"""Five hundred texts that act on terminals, in every place that holds foreign text: not one byte of them acts.

What the terminal gets is looked at byte by byte, so it does not matter which widget was careless.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.cli.exit_status import ExitStatus
from tests.servers.acts import COUNT, leaks, seen, texts
from tests.servers.real import ROOT
from tests.stories.terminals import Window, written_by

ACTING = ("-e", f"PYTHONPATH={ROOT}", "--", sys.executable, "-S", "-m", "tests.servers.acting")
UP, DOWN, ENTER, ESC, TAB, SEND, PAGE = b"k", b"j", b"\r", b"\x1b[27u", b"\t", b"\n", b"\x1b[6~"
"""Escape is written in full: after a bare one a terminal program waits whether it begins something longer."""
LOOK = {
    "tools": (b"2", DOWN, DOWN, b"i", ENTER, TAB, TAB, ESC, SEND, SEND, ESC, ESC, ESC),
    "result": (b"2", b"]", b"]", b"]", b"vi", ESC, b"vh", DOWN, ENTER, ESC, ESC),
    "a tool error": (b"2", b"/", b"fails\r", SEND, SEND, ESC, ESC, ESC),
    "an error": (b"2", b"/", b"refuses\r", SEND, SEND, ESC, ESC, ESC),
    "resources": (b"3", DOWN, b"i", SEND, ESC, b"]", b"xf", b"G", ENTER, ESC),
    "prompts": (b"4", DOWN, ENTER, b"x", SEND, SEND, ESC, ESC),
    "inbox": (b"5", b"gg", DOWN, ENTER, ESC, DOWN, ENTER, b"\x19", ESC, ESC, b"5", b"xo", ESC, b"\x0f", ESC, ESC),
    "roots and offers": (b"5", b"xR", ESC, b"xC", ESC),
    "server": (b"9", DOWN, PAGE, PAGE, b"G", b"vr", b"xp"),
    "log": (b"7", b"gg", b"]", b"[", b"vo", b"vo", b"vo", ENTER, ESC),
    "tasks": (b"6", b"xL", DOWN, b"r", b"xc", ESC),
    "what was asked": (b"5", b"G", UP, ENTER, b"\x04", ESC, b"xD", b"xD", ESC),
    "write and skills": (b"go", ESC, ESC, b"gk", DOWN, ESC),
    "http": (b"gh", DOWN, ENTER, b"]", b"vr", b"]", b"y", ESC),
    "waterfall and timeline": (b"1", b"vw", DOWN, DOWN, ESC, b"ga", DOWN, PAGE, ESC),
    "traffic": (
        b"1",
        b"vt",
        b"gg",
        PAGE,
        PAGE,
        PAGE,
        b"vt",
        b"vc",
        ESC,
        b"G",
        ENTER,
        b"]",
        b"]",
        b"]",
        b"y",
        b"Y",
        ESC,
        ESC,
    ),
    "values": (b"1", b"G", ENTER, DOWN, DOWN, b"d", ESC, b"fa", ESC, b"vl", b"vl", b"vl", b"ve"),
    "filters": (b"1", b"/", b"x1\r", b"fc", b"f/", b"x2\r", b"n", ESC),
    "help": (b"?", ESC, b"\x10", b"x", ESC, b"vT"),
}
"""Every screen, by its keys."""
_PAGES, _ROUNDS = 60, 10
_PROGRAM = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from inspector.__main__ import main; sys.exit(main())"
"""The program wherever one stands."""


def look_at(window: Window, *names: str, of_at_least: int = 0) -> None:
    """Go through these screens, again until so many texts were shown (a busy machine skips frames), then leave."""
    for _ in range(_ROUNDS):
        for name in names:
            window.press_all(*LOOK[name])
        if len(seen(bytes(window.written))) >= of_at_least:
            break
    leave(window)


def leave(window: Window) -> None:
    """Quit, out of whatever has the focus."""
    for _ in range(5):
        window.press_all(*(ESC,) * 5, b"1", b"q")
        if window.ended(12):
            break
    assert window.status == ExitStatus.OK


def look_through_the_log(window: Window) -> None:
    """Page through what the server wrote to stderr, until each of the texts was on the screen.

    More than once: a busy machine paints two pages as one.
    """
    for page in range(_ROUNDS * _PAGES):
        if len(seen(bytes(window.written))) == COUNT:
            break
        window.press_all(*((PAGE,) if page % _PAGES else (b"7", b"gg")))


def assert_nothing_acts(written: bytes, *, of_at_least: int) -> None:
    """No byte of any text acts, and so many of the texts have come as far as the terminal."""
    found, shown = leaks(written), seen(written)
    assert not found, f"{len(found)} escape sequences leaked, of {len(shown)} texts that were seen: {found[:5]}"
    assert len(shown) >= of_at_least, f"0 escape sequences leaked, but only {len(shown)} of {COUNT} texts were seen"


def test_leaks_are_detected() -> None:
    raw = [text.encode("utf-8", "surrogatepass") for text in texts()]
    silent = [text for text, data in zip(texts(), raw, strict=True) if not leaks(data)]
    assert len(texts()) == len(set(texts())) == COUNT
    assert all(char.isprintable() for text in silent for char in text), silent
    assert len(silent) < COUNT / 3
    assert not leaks(
        b"\x1b[1;31mplain\x1b[0m\x1b[?2026h\x1b[2;3H \xe2\x90\x9b[31m\r\n\x1b]52;c;eA==\x07\x1b[?2026l\x07"
    )


@pytest.mark.slow
def test_hostile_server_text_has_no_effect_on_the_terminal(tmp_path: Path) -> None:
    capture = tmp_path / ("\x1b]0;7331\x07\x9b7331m\u202e[red]" + ".mcpcap")
    with Window(("--capability", "all", "--capture", str(capture), *ACTING), tmp_path, columns=200, lines=60) as window:
        window.until(b"Prompts 3")
        look_through_the_log(window)
        look_at(window, *LOOK)
    assert_nothing_acts(bytes(window.written), of_at_least=COUNT)
    with Window(("replay", str(capture)), tmp_path, columns=200, lines=60) as window:
        window.until(b"Prompts 3")
        names = ("resources", "server", "http", "waterfall and timeline", "traffic", "values")
        look_at(window, *names, of_at_least=100)
    assert_nothing_acts(bytes(window.written), of_at_least=100)


@pytest.fixture
def acting_site() -> Iterator[str]:
    """The URL of the same server over HTTP, whose heads are full of such texts, too."""
    argv = (sys.executable, "-m", "tests.servers.acting", "http")
    with subprocess.Popen(argv, stdout=subprocess.PIPE, cwd=ROOT) as process:  # noqa: TID251 - no server of ours
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/mcp"
        finally:
            process.kill()


def test_http_heads_and_streams_have_no_effect_on_the_terminal(acting_site: str, tmp_path: Path) -> None:
    with Window((acting_site,), tmp_path, columns=200, lines=60) as window:
        window.until(b"Prompts 3")
        window.press_all(*LOOK["an error"], b"gh", b"gg", *(ENTER, DOWN, PAGE, PAGE, b"]", b"]", b"[", ESC, DOWN) * 5)
        window.press_all(*LOOK["traffic"])
        leave(window)
    assert_nothing_acts(bytes(window.written), of_at_least=60)
    for words in (("info", acting_site), ("call", "plain", acting_site), ("auth", "explain", acting_site)):
        status, written = written_by(words, tmp_path)
        assert_nothing_acts(written, of_at_least=0)
        assert b"Traceback" not in written, status


def test_configuration_files_have_no_effect_on_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    some = iter(texts())
    servers = {
        next(some): {"command": next(some), "args": [next(some)], "env": {next(some): next(some)}} for _ in range(40)
    }
    sites = {next(some): {"url": f"https://{next(some)}", "headers": {next(some): next(some)}} for _ in range(20)}
    place, started = tmp_path / "\x1b]0;7331\x07[red]\u202e", tmp_path / "a server was started"
    place.mkdir()
    servers |= {"real": {"command": "touch", "args": [str(started)]}}
    (place / ".mcp.json").write_text(json.dumps({"mcpServers": servers | sites}))
    (place / ".vscode").mkdir()
    (place / ".vscode" / "mcp.json").write_text(
        "{" + "".join(texts()).replace("\ud83d", "").encode(errors="replace").decode()
    )
    monkeypatch.chdir(place)
    monkeypatch.setattr("tests.stories.terminals.PROGRAM", (sys.executable, "-c", _PROGRAM))
    with Window((), tmp_path, columns=200, lines=60) as window:
        window.until(b"x0x")
        window.press_all(b"\x1b[B")  # from the line, where letters are typed, to the list
        for _ in range(4):
            window.press_all(DOWN)
            window.answer(ENTER, b"Continue")
            window.until_still()
            window.press_all(ESC)
        window.press_all(PAGE, PAGE, b"gg", *(DOWN,) * 40)
        window.answer(ENTER, b"touch")
        window.press_all(ESC, b"G")
        window.press(b"q")
        assert window.ended(10)
    assert_nothing_acts(bytes(window.written), of_at_least=100)
    odd = texts()[499].replace("\0", "")
    for words in (
        ("open", odd),
        ("start", "--json"),
        (odd,),
        ("replay", odd),
        ("call", odd, "--", odd),
        ("tail", odd, odd),
    ):
        status, written = written_by(words, tmp_path)
        assert_nothing_acts(written, of_at_least=0)
        assert status in (ExitStatus.OK, ExitStatus.USAGE, ExitStatus.UNREACHABLE)
    assert not started.exists()


WORDS: tuple[tuple[str, ...], ...] = (
    *(("info",), ("list", "all"), ("call", "plain", "-a", "a=b"), ("call", "fails"), ("call", "refuses")),
    *(("call", texts()[6]), ("read", "x://y"), ("prompt", "p"), ("complete", "prompt", "p", "a"), ("skills",)),
    *(("check",), ("request", "acme/do"), ("ping",), ("tail", "--count", "9"), ("subscribe", "x://y", "--for", "0.2")),
)


@pytest.mark.parametrize("form", [(), pytest.param(("--json",), marks=pytest.mark.slow)], ids=["text", "json"])
def test_printed_output_has_no_effect_on_the_terminal(form: tuple[str, ...], tmp_path: Path) -> None:
    everything = b""
    for words in WORDS:
        status, written = written_by((*words, *form, *ACTING), tmp_path)
        assert b"Traceback" not in written, (words, status, written[-500:])
        assert_nothing_acts(written, of_at_least=0)
        everything += written
    assert_nothing_acts(everything, of_at_least=200)
