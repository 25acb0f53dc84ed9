"""Options about logins: what they come to, and which make no sense together."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import pytest

from inspector.auth.steps import Dpop, IdentityProvider, LoginOptions
from inspector.auth.storage import LoginStorage
from inspector.cli.login_options import LoginSettings, login_options, read_login
from inspector.errors import UsageError

ENV = {"SECRET": "s3cret", "EMPTY": ""}


def read(*argv: str, env: Mapping[str, str] = ENV) -> LoginSettings:
    """What a command line comes to."""
    found: list[LoginSettings] = []

    @click.command()
    @login_options
    def command(**options: Any) -> None:
        found.append(read_login(options, env))

    command.main(list(argv), standalone_mode=False)
    return found[0]


def test_without_any_all_is_left_to_the_server() -> None:
    assert read() == LoginSettings(None, 0, "", None, False)
    assert read().login_options == LoginOptions()


def test_a_client_that_was_registered_by_hand() -> None:
    choice = read("--client-id", "us", "--client-secret-env", "SECRET", "--scope", "a b", "--scope", "c,d")
    assert (choice.login_options.client_id, choice.login_options.client_secret) == ("us", "s3cret")
    assert choice.login_options.scopes == ("a", "b", "c", "d")


def test_a_client_that_acts_for_itself(tmp_path: Path) -> None:
    (tmp_path / "key.pem").write_text("-----KEY-----\n")
    key = str(tmp_path / "key.pem")
    login_options = read(
        "--client-id", "us", "--grant", "client-credentials", "--private-key", key, "--signing-alg", "RS256"
    ).login_options
    assert (login_options.client_credentials, login_options.private_key, login_options.algorithm) == (
        True,
        "-----KEY-----",
        "RS256",
    )


def test_a_workload_and_an_enterprise(tmp_path: Path) -> None:
    (tmp_path / "jwt").write_text("a.b.c\n")
    jwt = str(tmp_path / "jwt")
    assert read("--assertion", jwt).login_options.assertion == "a.b.c"
    idp = ("--idp-token-endpoint", "https://idp.example/token", "--idp-client-id", "i", "--id-token", jwt)
    assert read(*idp).login_options.provider == IdentityProvider("https://idp.example/token", "i", "a.b.c")


def test_login_options_set_callback_and_storage() -> None:
    choice = read("--oauth-port", "7777", "--token-store", "none", "--dpop", "off")
    assert (choice.port, choice.kept, choice.login_options.dpop) == (7777, LoginStorage.NONE, Dpop.OFF)
    assert read("--oauth-callback", "https://us.example/cb").callback == "https://us.example/cb"
    assert read("--no-oauth").off


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("--client-secret-env", "SECRET"), "--client-secret-env without --client-id"),
        (("--client-id", "us", "--client-secret-env", "NOWHERE"), "is not set"),
        (("--client-id", "us", "--client-secret-env", "EMPTY"), "or empty"),
        (("--grant", "client-credentials"), "--grant without --client-id"),
        (("--client-id", "us", "--grant", "client-credentials"), "without what proves the client"),
        (("--client-id", "us", "--signing-alg", "ES256"), "--signing-alg without --private-key"),
        (("--client-id", "us", "--private-key", "nowhere.pem"), "can't be read"),
        (("--assertion", "/dev/null"), "the file is empty"),
        (("--idp-client-id", "i"), "--idp-client-id without --idp-token-endpoint and --id-token"),
        (("--oauth-port", "1", "--oauth-callback", "http://127.0.0.1:2/"), "both --oauth-port and --oauth-callback"),
        (("--oauth-callback", "javascript:x"), "invalid --oauth-callback 'javascript:x'"),
        (("--client-metadata-url", "http://[x"), "invalid --client-metadata-url 'http://[x'"),
        (("--no-oauth", "--client-id", "us"), "--no-oauth, and --client-id"),
    ],
)
def test_wrong_login_options_are_refused_without_quoting_secrets(argv: tuple[str, ...], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(*argv)
    assert said in str(caught.value)
    assert "s3cret" not in f"{caught.value} {caught.value.hint}"


def test_login_options_accept_every_storage_and_dpop_value() -> None:
    """The options name them without importing what logs in."""
    for kept in LoginStorage:
        assert read("--token-store", kept.value).kept is kept
    for dpop in Dpop:
        assert read("--dpop", dpop.value).login_options.dpop is dpop
