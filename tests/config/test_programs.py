"""The user's programs that run on a payload."""

import os
import signal
import stat
import sys
from pathlib import Path

import pytest

from inspector.config.paths import Places, places
from inspector.config.programs import EDITORS, PAGERS, clipboard_program, program, put_into_clipboard, run_on
from inspector.errors import UsageError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes of files")


@pytest.fixture
def own(tmp_path: Path) -> Places:
    return places({"MCP_INSPECT_HOME": str(tmp_path / "home")})


def script(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_program_comes_from_the_first_variable_set() -> None:
    assert program(EDITORS, {"EDITOR": "vi", "VISUAL": "code --wait 'a b'"}) == ["code", "--wait", "a b"]
    assert program(EDITORS, {"EDITOR": "vi", "VISUAL": "  "}) == ["vi"]
    assert program(PAGERS, {"PAGER": "less -S"}) == ["less", "-S"]


def test_missing_program_variable_is_named() -> None:
    with pytest.raises(UsageError, match=r"\$PAGER is not set"):
        program(PAGERS, {})
    with pytest.raises(UsageError, match=r"neither \$VISUAL nor \$EDITOR is set"):
        program(EDITORS, {"EDITOR": ""})


def test_unbalanced_quotes_in_a_program_are_refused() -> None:
    with pytest.raises(UsageError, match=r"\$EDITOR can't be read"):
        program(EDITORS, {"EDITOR": "vi 'x"})


def test_the_program_gets_the_exact_bytes_in_a_file_for_its_owner_alone(own: Places, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    look = (
        "import os, sys, stat; p = sys.argv[1]; "
        f"open({str(seen)!r}, 'wb').write(oct(stat.S_IMODE(os.stat(p).st_mode)).encode() + b' ' + open(p, 'rb').read())"
    )
    ran = run_on(script(look), b'{"a":\x1b 1}', own)
    assert (ran.payload, ran.problem) == (b'{"a":\x1b 1}', "")
    assert seen.read_bytes() == b'0o600 {"a":\x1b 1}'
    assert list(own.runtime.iterdir()) == []
    assert stat.S_IMODE(own.runtime.stat().st_mode) == 0o700


def test_edited_text_is_returned(own: Places) -> None:
    ran = run_on(script("import sys; open(sys.argv[1], 'ab').write(b' more')"), b"text", own)
    assert ran.payload == b"text more"


def test_no_shell_looks_at_the_words(own: Places, tmp_path: Path) -> None:
    told = tmp_path / "told"
    run_on([*script(f"import sys; open({str(told)!r}, 'w').write(sys.argv[1])"), "$(id); x"], b"", own)
    assert told.read_text() == "$(id); x"


def test_missing_editor_is_reported_and_leaves_no_file(own: Places) -> None:
    ran = run_on(["/nowhere/editor"], b"x", own)
    assert ran.payload is None
    assert "/nowhere/editor can't be run: No such file" in ran.problem
    assert list(own.runtime.iterdir()) == []


def test_failing_editor_is_reported(own: Places) -> None:
    assert run_on(script("raise SystemExit(3)"), b"x", own).problem.endswith("ended with 3")
    assert run_on(script("import os, sys; os.unlink(sys.argv[1])"), b"x", own).payload is None


def test_ctrl_c_ends_the_program_and_not_us(own: Places) -> None:
    before = signal.getsignal(signal.SIGINT)
    code = f"import os, signal; os.kill({os.getpid()}, signal.SIGINT); os.kill(os.getpid(), signal.SIGINT)"
    ran = run_on(script(code), b"x", own)
    assert ran.problem
    assert signal.getsignal(signal.SIGINT) is before


def test_editor_file_falls_back_to_the_cache(own: Places) -> None:
    own.runtime.parent.mkdir(parents=True, exist_ok=True)
    own.runtime.write_bytes(b"in the way")
    assert run_on(script("pass"), b"x", own).payload == b"x"
    assert list(own.cache.iterdir()) == []


def _program(path: Path, body: str) -> None:
    path.write_text(f"#!{sys.executable}\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_clipboard_program_is_the_one_of_the_desktop_that_is_there(tmp_path: Path) -> None:
    for name in ("wl-copy", "xclip"):
        _program(tmp_path / name, "")
    path = {"PATH": str(tmp_path)}
    assert clipboard_program({**path, "WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}) == ("wl-copy",)
    assert clipboard_program({**path, "DISPLAY": ":0"}) == ("xclip", "-selection", "clipboard")
    assert clipboard_program(path) == ()
    assert clipboard_program({"PATH": str(tmp_path / "none"), "DISPLAY": ":0"}) == ()


def test_put_into_clipboard_passes_the_text_and_reports_a_failure(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    _program(tmp_path / "takes", f"import sys; open({str(taken)!r}, 'wb').write(sys.stdin.buffer.read())")
    _program(tmp_path / "refuses", "raise SystemExit(1)")
    assert put_into_clipboard((str(tmp_path / "takes"),), "grün\n")
    assert taken.read_bytes() == "grün\n".encode()
    assert not put_into_clipboard((str(tmp_path / "refuses"),), "x")
    assert not put_into_clipboard((str(tmp_path / "missing"),), "x")
