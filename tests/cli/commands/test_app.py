"""`mcp-inspect app`: options that do not fit, tools without an app, and a run without a window."""

from pathlib import Path

import pytest

from inspector.cli.exit_status import ExitStatus
from tests.cli.running import demo, inspect


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--screenshot", "x.png"), "need --headless"),
        (("--wait-for", "p"), "need --headless"),
        (("--json",), "needs --headless"),
        (("--size", "big"), "invalid --size"),
        (("--locale", "<b>"), "invalid --locale"),
    ],
)
def test_option_that_does_not_fit_is_refused_before_a_server_starts(options: tuple[str, ...], said: str) -> None:
    inspect("app", "tide", *options, "--", "no-such-program").exits(ExitStatus.USAGE, said)


def test_headless_without_a_chromium_has_a_hint_how_to_get_one(tmp_path: Path) -> None:
    ran = inspect("app", "tide", "--headless", *demo(), env={"PATH": str(tmp_path)}).exits(ExitStatus.USAGE)
    assert "no Chromium on PATH" in ran.stderr
    assert "apt install chromium" in ran.stderr


def test_tool_without_an_app_names_those_that_have_one() -> None:
    inspect("app", "add", "--no-open", *demo("--legacy-only")).exits(ExitStatus.USAGE, "Tools with an app:")


def test_app_of_the_demo_is_shown_without_a_window(tmp_path: Path) -> None:
    picture = tmp_path / "app.png"
    app = next(name for name in inspect("list", "tools", "--json", *demo()).data["tools"] if "_meta" in name)["name"]
    capture, drawn = str(tmp_path / "app.mcpcap"), ("--headless", "--json", "--wait-for", "#curve[d^=M]")
    chosen = ("--size", "480x300", "--theme", "dark", "--capture", capture)
    ran = inspect("app", app, *drawn, "--screenshot", str(picture), *chosen, *demo()).exits(0)
    assert (ran.data["ready"], ran.data["found"], ran.data["errors"]) == (True, True, [])
    assert ran.data["text"].startswith("The tide")
    assert picture.read_bytes().startswith(b"\x89PNG")
    again = inspect("app", capture, *drawn).exits(0)
    assert {name: again.data[name] for name in ("tool", "width", "height", "text")} == {
        name: ran.data[name] for name in ("tool", "width", "height", "text")
    }


def test_capture_without_an_app_has_a_hint_how_to_record_one(tmp_path: Path) -> None:
    capture = tmp_path / "plain.mcpcap"
    assert inspect("list", "tools", "--capture", str(capture), *demo()).status == 0
    inspect("app", str(capture), "--headless").exits(ExitStatus.USAGE, "the capture has no app", "--capture app.mcpcap")
