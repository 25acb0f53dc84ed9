"""The switches for extensions, as far as the wire."""

import json
from pathlib import Path
from typing import Any

import click
import pytest

from inspector.cli.commands.list import extent
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.lists import Extent
from inspector.cli.options import headless_options, read_extensions, read_limits, read_list_options, screen_options
from inspector.cli.targets import TargetOptions, choose
from inspector.config.targets import HttpTarget, StdioTarget
from inspector.errors import UsageError
from inspector.forms.patterns import WorkBounds, bounds, move
from inspector.protocol.capabilities import APP_TYPE, SKILLS, UI
from inspector.protocol.revisions._shape import Era
from inspector.session.options import ListOptions, Timeouts
from inspector.transports.base import LIMITS, Limits
from tests.cli.running import MODERN, demo, inspect, scripted

DISCOVERED = {"resultType": "complete", "supportedVersions": [MODERN], "capabilities": {}}


def test_modern_requests_declare_skills_unless_switched_off(tmp_path: Path) -> None:
    log, other = tmp_path / "log", tmp_path / "other"
    words = ("info", "--era", "modern", "--no-capability", "tasks", "--json")
    inspect(*words, *scripted({"server/discover": {"error": {"code": -1, "message": "x"}}}, f"log={log}"))
    assert f'"extensions":{{"{SKILLS}":{{}}}}' in log.read_text()
    inspect(*words, "--no-extension", "skills", *scripted({}, f"log={other}"))
    assert "clientCapabilities" in other.read_text()
    assert "extensions" not in other.read_text()


def test_apps_are_declared_in_the_handshake_on_request(tmp_path: Path) -> None:
    log = tmp_path / "log"
    words = ("info", "--era", "legacy", "--json")
    inspect(*words, *scripted({}, f"log={log}"))
    assert "extensions" not in log.read_text()
    inspect(*words, "--extension", "ui", *scripted({}, f"log={log}"))
    assert f'"extensions":{{"{UI}":{{"mimeTypes":["{APP_TYPE}"]}}}}' in log.read_text()


def test_wrong_settings_are_refused_before_anything_is_started() -> None:
    inspect("info", "--extension", "ui={", *demo()).exits(ExitStatus.USAGE, "--extension ui")


@pytest.mark.parametrize("options", [{}, {"extension": (), "no_extension": ()}])
def test_without_switches_it_is_what_is_supported(options: dict[str, Any]) -> None:
    assert list(read_extensions(options).supported) == [SKILLS]


def test_info_lists_extensions_of_both_sides(demo_url: str) -> None:
    inspect("info", "--era", "modern", demo_url).prints(f'{SKILLS}  both sides: server {{"directoryRead":true}}')
    inspect("info", "--era", "modern", "--no-extension", "skills", demo_url).prints(f"{SKILLS}  server only")
    both = inspect("info", "--era", "legacy", "--extension", "ui", demo_url)
    assert f'{UI}  client only: we {{"mimeTypes":["{APP_TYPE}"]}}' in both.stdout


def test_info_lists_the_apps_of_the_tools() -> None:
    assert inspect("info", "--json", *demo()).data["apps"] == [
        {"tool": "image_result", "uri": "ui://gull-rock/tide", "visibility": ["model", "app"]}
    ]
    assert "image_result  App: ui://gull-rock/tide" in inspect("info", *demo()).stdout


@pytest.mark.parametrize("switch", ["tasks", "all", "io.modelcontextprotocol/tasks"])
@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_without_the_extension_no_task_is_offered(tmp_path: Path, switch: str, era: str) -> None:
    log = tmp_path / "log"
    server = (*scripted({"server/discover": {"result": DISCOVERED}}), f"log={log}")
    words = ("info", "--era", era, "--capability", "all")
    inspect(*words, *server)
    assert "tasks" in log.read_text()
    log.unlink()
    inspect(*words, "--no-extension", switch, *server)
    sent = json.loads(log.read_text().splitlines()[0])["params"]
    assert "tasks" not in json.dumps(sent)
    log.unlink()
    inspect(*words, "--no-extension", switch, "--extension", "tasks", *server)
    assert "tasks" in log.read_text()


def test_a_limit_is_raised_by_its_name_and_the_last_word_holds() -> None:
    found = read_limits({"limits": ("message=1GiB", "ratio = 1000", "pages=2k", "message=16M")})
    assert found == Limits(message=16_000_000, ratio=1000, pages=2000)
    assert read_limits({}) == LIMITS


def test_limit_option_applies_to_the_process() -> None:
    before = bounds()
    try:
        found = read_limits({"limits": ("schema=1M", "pattern=2k")})
        assert (found.schema, found.pattern) == (1_000_000, 2000)
        assert bounds() == WorkBounds(1_000_000, 2000)
        assert bounds().seconds == pytest.approx(2.5)
    finally:
        move(before)
    assert bounds() == before == WorkBounds(LIMITS.schema, LIMITS.pattern)


@pytest.mark.parametrize(
    "text", ["message", "message=", "depth=5", "=5", "items=-1", "ratio=0", "message=1x", "items=" + "9" * 99]
)
def test_unknown_limit_is_refused_with_the_known_ones(text: str) -> None:
    with pytest.raises(UsageError, match="--max") as refused:
        read_limits({"limits": (text,)})
    assert refused.value.hint


def test_list_options_default_to_automatic_and_whole() -> None:
    assert read_list_options({}) == read_list_options({"refresh": "auto", "pages": "all"}) == ListOptions()
    assert read_list_options({"refresh": "manual", "pages": "one"}) == ListOptions(by_itself=False, page_by_page=True)


def test_pages_are_counted_from_anywhere() -> None:
    assert extent("tools", page_by_page=False, cursor=None, limit=None) == Extent()
    assert extent("tools", page_by_page=True, cursor="", limit=None) == Extent("", 1)
    assert extent("all", page_by_page=False, cursor=None, limit=3) == Extent(None, 3)


@pytest.mark.parametrize(
    ("kind", "page_by_page", "cursor", "limit", "says"),
    [
        ("tools", False, None, 0, "invalid --limit"),
        ("tools", True, None, 2, "--page-by-page excludes --limit"),
        ("all", False, "2", None, "--cursor applies to one list"),
    ],
)
def test_contradictory_list_options_are_refused(
    kind: str, page_by_page: bool, cursor: str | None, limit: int | None, says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        extent(kind, page_by_page=page_by_page, cursor=cursor, limit=limit)


_HERE = {"PATH": "/bin", "SECRET": "s", "HOME": "/home/me"}


def _choose(*ours: str, theirs: tuple[str, ...] | None = None) -> TargetOptions:
    found: list[TargetOptions] = []

    @click.command()
    @headless_options
    def command(url: str | None, **options: Any) -> None:
        found.append(choose(CliEnv(theirs, _HERE), url, options))

    command.main(list(ours), standalone_mode=False)
    return found[0]


def test_a_command_after_the_dashes_is_started_with_few_variables() -> None:
    target = _choose("-e", "SECRET", "-e", "A=b=c", theirs=("node", "x.js", "--json")).target
    assert isinstance(target, StdioTarget)
    assert target.argv == ("node", "x.js", "--json")
    assert target.environment.values == {"PATH": "/bin", "HOME": "/home/me", "SECRET": "s", "A": "b=c"}
    assert target.cwd == str(Path.cwd())


def test_all_variables_are_inherited_on_request_and_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "env").write_text("B=2\n")
    target = _choose("--inherit-env", "--env-file", str(tmp_path / "env"), "--cwd", str(tmp_path), theirs=("x",)).target
    assert isinstance(target, StdioTarget)
    assert target.environment.values == {**_HERE, "B": "2"}
    assert target.cwd == str(tmp_path)


def test_a_url_is_dialled_with_headers(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("Authorization: Bearer x\n")
    (tmp_path / "ca.pem").write_text("")
    target = _choose(
        "http://h/mcp", "-H", "A: b:c", "-H", f"@{tmp_path}/token", "--cacert", str(tmp_path / "ca.pem"), "--insecure"
    ).target
    assert target == HttpTarget(
        "http://h/mcp",
        headers=(("A", "b:c"), ("Authorization", "Bearer x")),
        cacert=str(tmp_path / "ca.pem"),
        insecure=True,
    )


def test_transport_sse_is_chosen_by_option() -> None:
    target = _choose("http://h/sse", "--transport", "sse").target
    assert isinstance(target, HttpTarget)
    assert target.legacy_sse
    assert not _choose("http://h/sse", "--transport", "http").target.legacy_sse  # type: ignore[union-attr]


def test_settings_come_along() -> None:
    words = ["--era", "legacy", "--revision", "x", "--timeout", "3", "--max-total", "0", "--capture", "f"]
    chosen = _choose(*words, theirs=("x",))
    assert (chosen.era, chosen.revision, chosen.clocks) == (Era.LEGACY, "x", Timeouts(3.0, None))
    assert (chosen.capture, chosen.record) == (Path("f"), True)
    plain = _choose(theirs=("x",))
    assert (plain.era, plain.revision, plain.clocks, plain.capture) == (None, "", Timeouts(60.0, 3600.0), None)


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        ((), None, "no server named"),
        (
            ("--era", "legacy", "--revision", "2026-07-28"),
            ("x",),
            "--revision 2026-07-28 is modern, but --era is legacy",
        ),
        ((), (), "missing command after --"),
        (("ftp://h",), None, "is not an http or https URL"),
        (("localhost:8932/mcp",), None, "did you mean http://localhost:8932/mcp?"),
        (("t.mcpcap",), None, "'t.mcpcap' is a capture, and this command needs a server"),
        (("http://",), None, "has no host"),
        (("http://h", "--cwd", "/"), None, "--cwd: only for servers that are started"),
        (("http://h", "--inherit-env", "-e", "A=b"), None, "-e, --inherit-env: only for"),
        (("http://h", "--transport", "stdio"), None, "--transport stdio does not go with"),
        (("http://h", "-H", "no header"), None, "invalid -H"),
        (("http://h", "-H", "A: b\nC: d"), None, "invalid -H"),
        (("http://h", "-H", "@nowhere"), None, "the file can't be read"),
        (("http://h", "--cacert", "nowhere"), None, "--cacert nowhere: no such file"),
        (("--retry-calls",), ("x",), "--retry-calls: only for servers that are reached by URL"),
        (("--insecure",), ("x",), "--insecure: only for servers that are reached by URL"),
        (("--cwd", "/nowhere/at/all"), ("x",), "no such directory"),
        (("-e", "NOT_SET"), ("x",), "NOT_SET"),
        (("--timeout", "nan"), ("x",), "--timeout nan"),
        (("--max-total", "1e12"), ("x",), "--max-total 1e+12"),
    ],
)
def test_contradictory_target_options_are_refused(
    ours: tuple[str, ...], theirs: tuple[str, ...] | None, said: str
) -> None:
    with pytest.raises(UsageError) as refused:
        _choose(*ours, theirs=theirs)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    "text", ["s3cr3t", "Authorization: Bearer s3cr3t\rX", "X-Key: s3cr3t\0", "a: b\nX: s3cr3t\n:", "@"]
)
def test_no_error_about_a_header_quotes_its_value(text: str, tmp_path: Path) -> None:
    (tmp_path / "header").write_bytes(b"Authorization: Bearer s3cr3t\x00x")
    text = f"@{tmp_path / 'header'}" if text == "@" else text
    with pytest.raises(UsageError, match="invalid -H") as refused:
        _choose("http://h", "-H", text)
    assert "s3cr3t" not in f"{refused.value} {refused.value.hint}"


def test_capture_and_no_capture_exclude_each_other() -> None:
    found: list[TargetOptions] = []

    @click.command()
    @screen_options
    def command(**options: Any) -> None:
        found.append(choose(CliEnv(("x",), _HERE), None, options))

    command.main(["--no-capture"], standalone_mode=False)
    assert not found[0].record
    with pytest.raises(UsageError, match="both --capture and --no-capture"):
        command.main(["--no-capture", "--capture", "f"], standalone_mode=False)
