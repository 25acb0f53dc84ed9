"""From target options to session settings and the journal to record into."""

from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from inspector.capture.journal import Journal, start_capture
from inspector.cli.env import CliEnv
from inspector.cli.login_options import LoginSettings
from inspector.cli.server_request_options import demand_consent
from inspector.cli.targets import TargetOptions
from inspector.config.eras import Eras, revealed_era
from inspector.config.paths import places, private_directory
from inspector.config.targets import HttpTarget, StdioTarget, Target
from inspector.errors import InspectError
from inspector.protocol import peek
from inspector.protocol.capabilities import TASKS
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.openings import Opening
from inspector.session.options import Settings

if TYPE_CHECKING:  # only for servers that are reached by URL
    from inspector.auth.guide import Guide
    from inspector.auth.storage import TokenStore
    from inspector.transports.http.authorizing import Authorizer


def settings_for(chosen: TargetOptions, env: CliEnv, *, has_person: bool = False, afresh: bool = False) -> Settings:
    """How to talk to a target: what was asked for, and what is remembered of it.

    `has_person`: somebody sits at the screen and can be asked. `afresh`: whatever is remembered is left aside.

    Raises: UsageError if a model needs the consent of a person who is not there.
    """
    if not has_person:
        demand_consent(chosen.responses.model)
    eras = Eras(places(env.environ).state)
    authorizer, guide = way_in(chosen.target, chosen.login, env.environ, has_person=has_person)

    remembered = None if afresh else eras.get(chosen.target.key)

    def remember(opening: Opening) -> None:
        if chosen.era is None and not chosen.revision:
            eras.remember(chosen.target.key, opening.era)

    return Settings(
        era=chosen.era,
        revision=chosen.revision,
        clocks=chosen.clocks,
        offers=chosen.responses.offers(has_person=has_person)
        - ({TASKS} if chosen.extensions.withholds_tasks else set()),
        prepared=chosen.responses.prepared,
        policies=chosen.responses.policies,
        roots=chosen.responses.roots,
        lists=chosen.lists,
        model=chosen.responses.model,
        extensions=chosen.extensions,
        retry_calls=chosen.retry_calls,
        limits=chosen.limits,
        has_person=has_person,
        authorizer=authorizer,
        guide=guide,
        remembered=remembered,
        revealed=_revealed(chosen.target) if remembered is None else None,
        remember=remember,
    )


def _revealed(target: Target) -> Era | None:
    """What the command of a server reveals of its era."""
    if not isinstance(target, StdioTarget):
        return None
    return revealed_era(target.argv, target.environment.values, target.cwd)


def way_in(
    target: Target, choice: LoginSettings, environ: Mapping[str, str], *, has_person: bool
) -> "tuple[Callable[[str], Authorizer] | None, Guide | None]":
    """How to log in where an HTTP server requires it, and what guides a person through it.

    No authorizer where the command line gave an Authorization header or forbade logging in. Without a guide nobody can
    consent.
    """
    if not isinstance(target, HttpTarget):
        return None, None
    from inspector.auth.driver import NoAuthorizer, OAuthAuthorizer
    from inspector.auth.guide import Guide

    guide = Guide(port=choice.port, callback=choice.callback) if has_person else None
    if choice.off or any(name.lower() == "authorization" for name, _ in target.headers):
        return None, guide
    store = store_for(choice, environ)
    wishes = msgspec.structs.replace(choice.wishes, has_person=has_person)
    if guide is None:
        return lambda url: OAuthAuthorizer(url, wishes, store, NoAuthorizer(url)), None
    return lambda url: OAuthAuthorizer(url, wishes, store, guide, tell=guide.hear), guide


def keep_names(target: Target, journal: Journal, environ: Mapping[str, str]) -> None:
    """Store the names in a server's lists, for shell completion."""
    from inspector.config.remembered import ListedNames

    lists = journal.conversation.catalogue.listings
    names = {
        kind: [name for raw in lists[kind].items if (name := peek.text(raw, "uri" if kind == "resources" else "name"))]
        for kind in ("tools", "resources", "prompts")
    }
    if any(names.values()):
        ListedNames(places(environ).cache).keep(target.key, names)


def named_journal(chosen: TargetOptions) -> Journal:
    """A journal that records into the file that was named, or into nothing that stays.

    Raises: UsageError if that file can't be made.
    """
    return start_capture(chosen.capture, keep_secrets=chosen.keep_secrets)


def kept_journal(chosen: TargetOptions, env: CliEnv, *, mode: str = "client") -> Journal:
    """A journal that records into the file that was named, or else onto the shelf in the state directory.

    Of a named file there is one; sessions after the first get a number behind its name. A shelf that can't be
    written is no reason not to inspect: the journal says so and records into nothing that stays.

    Raises: UsageError if a file that was named can't be made.
    """
    if not chosen.record:
        return start_capture(None, mode=mode)
    if chosen.capture is not None:
        return start_capture(chosen.capture, keep_secrets=chosen.keep_secrets, mode=mode)
    try:
        place = _place_on_the_shelf(chosen.target.label, env)
        return start_capture(place, keep_secrets=chosen.keep_secrets, mode=mode)
    except (InspectError, OSError) as error:
        journal = start_capture(None, mode=mode)
        journal.note(f"This session is not recorded: {error}")
        return journal


def numbered(path: Path) -> Path:
    """The path, or with a number behind its name if it is taken: for a further session of one run."""
    others = (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in count(2))
    return path if not path.exists() else next(other for other in others if not other.exists())


def _place_on_the_shelf(label: str, env: CliEnv) -> Path:
    import time

    from inspector.capture.shelf import fresh_path, make_room

    shelf = private_directory(places(env.environ).captures)
    make_room(shelf)
    return fresh_path(shelf, time.time_ns(), label)


def store_for(choice: LoginSettings, environ: Mapping[str, str]) -> "TokenStore":
    """Where logins are stored. Raises: UsageError if that can't be."""
    from inspector.auth.storage import choose_store

    return choose_store(choice.kept, places(environ).state, is_own_home=bool(environ.get("MCP_INSPECT_HOME")))
