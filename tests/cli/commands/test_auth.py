"""The subcommands of `auth`, and what each of them takes."""

import pytest

from inspector.cli.commands.auth import command
from tests.cli.running import inspect


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
