"""From what was said about logins to somebody who gets us in: a token that is kept, a client's own, or a person.

Imported for servers that are reached by URL alone.
"""

from collections.abc import Callable, Mapping

import msgspec

from inspector.auth.driver import NoAuthorizer, OAuthAuthorizer
from inspector.auth.guide import Guide
from inspector.auth.storage import TokenStore, choose_store
from inspector.cli.login_options import Choice
from inspector.config.paths import places
from inspector.config.targets import HttpTarget


def store_for(choice: Choice, env: Mapping[str, str]) -> TokenStore:
    """Where logins are kept. Raises: UsageError if that can't be."""
    return choose_store(choice.kept, places(env).state, is_own_home=bool(env.get("MCP_INSPECT_HOME")))


def guide_for(choice: Choice) -> Guide:
    """Whoever takes a person at a screen to the consent and back."""
    return Guide(port=choice.port, callback=choice.callback)


def way_in(
    target: HttpTarget, choice: Choice, env: Mapping[str, str], guide: Guide | None
) -> Callable[[str], OAuthAuthorizer] | None:
    """Makes whoever gets us in; None where the person has said how, or that nobody should.

    Without a guide there is nobody who could consent.
    """
    if choice.off or any(name.lower() == "authorization" for name, _ in target.headers):
        return None
    store = store_for(choice, env)
    wishes = msgspec.structs.replace(choice.wishes, has_person=guide is not None)
    if guide is None:
        return lambda url: OAuthAuthorizer(url, wishes, store, NoAuthorizer(url))
    return lambda url: OAuthAuthorizer(url, wishes, store, guide, tell=guide.hear)
