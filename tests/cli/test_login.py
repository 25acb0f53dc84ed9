"""Logins of commands: by options, by stored tokens, and with or without a user."""

from pathlib import Path

import keyring
import pytest
from keyring.backends.fail import Keyring as NoKeyring

from inspector.auth.steps import AccessToken, LoginOptions, StoredLogin
from inspector.auth.storage import LoginStorage
from inspector.cli.launch import authorizer_for, store_for
from inspector.cli.login_options import LoginSettings
from inspector.config.targets import HttpTarget
from inspector.errors import UsageError

TARGET = HttpTarget("https://api.example/mcp")


def test_own_credentials_or_no_oauth_need_no_authorizer(tmp_path: Path) -> None:
    env = {"MCP_INSPECT_HOME": str(tmp_path)}
    own = HttpTarget(TARGET.url, headers=(("authorization", "Bearer mine"),))
    assert authorizer_for(own, LoginSettings(), env, has_person=False)[0] is None
    assert authorizer_for(TARGET, LoginSettings(off=True), env, has_person=False)[0] is None


async def test_stored_token_is_sent(tmp_path: Path) -> None:
    env = {"MCP_INSPECT_HOME": str(tmp_path)}
    store_for(LoginSettings(), env).put(TARGET.url, StoredLogin(AccessToken("t0ken", "https://as.example")))
    made, _ = authorizer_for(TARGET, LoginSettings(LoginOptions()), env, has_person=False)
    assert made is not None
    assert await made(TARGET.url).headers("POST", TARGET.url) == (("Authorization", "Bearer t0ken"),)


def test_a_person_is_taken_along_by_the_guide(tmp_path: Path) -> None:
    env = {"MCP_INSPECT_HOME": str(tmp_path)}
    authorizer, guide = authorizer_for(TARGET, LoginSettings(port=7777), env, has_person=True)
    assert None not in (authorizer, guide)


def test_missing_keyring_is_refused_if_requested(tmp_path: Path) -> None:
    before = keyring.get_keyring()
    keyring.set_keyring(NoKeyring())  # type: ignore[no-untyped-call]
    try:
        with pytest.raises(UsageError, match="no keyring"):
            store_for(LoginSettings(kept=LoginStorage.KEYRING), {"MCP_INSPECT_HOME": str(tmp_path)})
    finally:
        keyring.set_keyring(before)
