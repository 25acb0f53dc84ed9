"""The subcommands of `auth`, and what each of them takes."""

import pytest

from inspector.cli.commands.auth import command
from inspector.cli.exit_status import ExitStatus
from tests.cli.running import inspect


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("auth",), "missing command"),
        (("auth", "dance", "http://h/mcp"), "invalid command 'dance'"),
        (("auth", "explain"), "missing argument 'URL'\n"),
        (("auth", "login"), "missing argument 'URL'\n"),
        (("auth", "logout"), "no server named"),
        (("auth", "login", "--all", "http://h/mcp"), "no such option '--all'"),
        (("auth", "login", "http://h/mcp", "--no-oauth", "--scope", "x"), "--no-oauth, and --scope"),
        (("auth", "explain", "--", "node", "x.js"), "takes no server's command"),
        (("info", "--client-id", "us", "--", "node"), "--client-id: only for servers that are reached by URL"),
    ],
)
def test_auth_with_contradictory_options_is_refused(argv: tuple[str, ...], said: str) -> None:
    inspect(*argv).exits(ExitStatus.USAGE, said)


def test_auth_login_help_all_lists_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert inspect("auth", "login", "--help-all").status == 0
    told = capsys.readouterr().out
    for option in ("--client-secret-env", "--oauth-callback", "--idp-token-endpoint", "--token-store", "--no-oauth"):
        assert option in told


def test_each_subcommand_has_its_own_help(capsys: pytest.CaptureFixture[str]) -> None:
    for name in command.commands:
        assert inspect("auth", name, "--help").status == 0
        assert f"Usage: mcp-inspect auth {name}" in capsys.readouterr().out


def test_options_may_come_before_the_subcommand() -> None:
    assert inspect("auth", "--json", "status").data == {"logins": []}
