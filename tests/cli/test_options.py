"""Options and words to a target and settings."""

from pathlib import Path
from typing import Any

import click
import pytest

from inspector.cli.options import Chosen, choose, headless_options, screen_options
from inspector.cli.world import World
from inspector.config.targets import HttpTarget, StdioTarget
from inspector.errors import UsageError
from inspector.protocol.revisions._shape import Era
from inspector.session.wishes import Clocks

_HERE = {"PATH": "/bin", "SECRET": "s", "HOME": "/home/me"}


def _choose(*ours: str, theirs: tuple[str, ...] | None = None) -> Chosen:
    found: list[Chosen] = []

    @click.command()
    @headless_options
    def command(url: str | None, **options: Any) -> None:
        found.append(choose(World(theirs, _HERE), url, options))

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


def test_the_older_carriage_is_asked_for() -> None:
    target = _choose("http://h/sse", "--transport", "sse").target
    assert isinstance(target, HttpTarget)
    assert target.legacy_sse
    assert not _choose("http://h/sse", "--transport", "http").target.legacy_sse  # type: ignore[union-attr]


def test_settings_come_along() -> None:
    words = ["--era", "legacy", "--revision", "x", "--timeout", "3", "--max-total", "0", "--capture", "f"]
    chosen = _choose(*words, theirs=("x",))
    assert (chosen.era, chosen.revision, chosen.clocks) == (Era.LEGACY, "x", Clocks(3.0, None))
    assert (chosen.capture, chosen.record) == (Path("f"), True)
    plain = _choose(theirs=("x",))
    assert (plain.era, plain.revision, plain.clocks, plain.capture) == (None, "", Clocks(60.0, 3600.0), None)


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        ((), None, "no server named"),
        ((), (), "nothing stands after --"),
        (("ftp://h",), None, "is no http or https URL"),
        (("http://",), None, "names no host"),
        (("http://h", "--cwd", "/"), None, "--cwd: only for servers that are started"),
        (("http://h", "--inherit-env", "-e", "A=b"), None, "-e, --inherit-env: only for"),
        (("http://h", "--transport", "stdio"), None, "--transport stdio does not go with"),
        (("http://h", "-H", "no header"), None, "is no header"),
        (("http://h", "-H", "A: b\nC: d"), None, "is no header"),
        (("http://h", "-H", "@nowhere"), None, "the file can't be read"),
        (("http://h", "--cacert", "nowhere"), None, "--cacert nowhere: no such file"),
        (("--retry-cut",), ("x",), "--retry-cut: only for servers that are reached by URL"),
        (("--insecure",), ("x",), "--insecure: only for servers that are reached by URL"),
        (("--cwd", "/nowhere/at/all"), ("x",), "no such directory"),
        (("-e", "NOT_SET"), ("x",), "NOT_SET"),
        (("--timeout", "nan"), ("x",), "--timeout nan"),
        (("--max-total", "1e12"), ("x",), "--max-total 1e+12"),
    ],
)
def test_what_does_not_go_together_is_refused(ours: tuple[str, ...], theirs: tuple[str, ...] | None, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        _choose(*ours, theirs=theirs)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    "text", ["s3cr3t", "Authorization: Bearer s3cr3t\rX", "X-Key: s3cr3t\0", "a: b\nX: s3cr3t\n:", "@"]
)
def test_no_error_about_a_header_quotes_its_value(text: str, tmp_path: Path) -> None:
    (tmp_path / "header").write_bytes(b"Authorization: Bearer s3cr3t\x00x")
    text = f"@{tmp_path / 'header'}" if text == "@" else text
    with pytest.raises(UsageError, match="is no header") as refused:
        _choose("http://h", "-H", text)
    assert "s3cr3t" not in f"{refused.value} {refused.value.hint}"


def test_recording_is_asked_for_or_refused_but_not_both() -> None:
    found: list[Chosen] = []

    @click.command()
    @screen_options
    def command(**options: Any) -> None:
        found.append(choose(World(("x",), _HERE), None, options))

    command.main(["--no-capture"], standalone_mode=False)
    assert not found[0].record
    with pytest.raises(UsageError, match="both --capture and --no-capture"):
        command.main(["--no-capture", "--capture", "f"], standalone_mode=False)
