"""Derives session settings and the journal from target options."""

import time
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from inspector.atomic_write import private_directory
from inspector.capture.journal import Journal, start_capture
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.login_options import LoginSettings
from inspector.cli.output import Output
from inspector.cli.server_request_options import demand_consent
from inspector.cli.targets import TargetOptions
from inspector.config.eras import Eras, revealed_era
from inspector.config.paths import places
from inspector.config.settings import captures_directory, user_config
from inspector.config.targets import HttpTarget, StdioTarget, Target
from inspector.errors import CaptureIncomplete, InspectError
from inspector.protocol import peek
from inspector.protocol.capabilities import TASKS
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.openings import Opening
from inspector.session.options import Settings

if TYPE_CHECKING:  # only for servers with a URL, or with a screen
    from inspector.auth.guide import Guide
    from inspector.auth.storage import TokenStore
    from inspector.session.engine import Live
    from inspector.transports.http.authorizing import Authorizer

_MOST_NAMES = 20_000
"""Names that are stored for shell completion at most: a shell reads them all for each Tab."""


def settings_for(chosen: TargetOptions, env: CliEnv, *, has_person: bool = False, afresh: bool = False) -> Settings:
    """Return session settings for a target from its options and stored facts about it.

    `has_person`: a user at the interface can answer. `afresh`: whether to ignore stored facts.

    Raises: UsageError if sampling needs approval and there is no user.
    """
    if not has_person:
        demand_consent(chosen.responses.model)
    eras = Eras(places(env.environ).state)
    authorizer, guide = authorizer_for(chosen.target, chosen.login, env.environ, has_person=has_person)

    remembered = None if afresh else eras.get(chosen.target.key)

    def remember(opening: Opening) -> None:
        if chosen.era is None and not chosen.revision and chosen.profile is None:
            eras.remember(chosen.target.key, opening.era)

    return Settings(
        era=chosen.era,
        revision=chosen.revision,
        clocks=chosen.clocks,
        offers=chosen.profile.offers
        if chosen.profile is not None
        else chosen.responses.offers(has_person=has_person) - ({TASKS} if chosen.extensions.withholds_tasks else set()),
        profile=chosen.profile,
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
    """Return the era that a server's command implies."""
    if not isinstance(target, StdioTarget):
        return None
    return revealed_era(target.argv, target.environment.values, target.cwd)


def authorizer_for(
    target: Target, choice: LoginSettings, environ: Mapping[str, str], *, has_person: bool
) -> "tuple[Callable[[str], Authorizer] | None, Guide | None]":
    """Return the authorizer for an HTTP server, and the guide of an interactive login.

    There is no authorizer with an Authorization header or --no-oauth. Without a guide, a login that needs consent is
    impossible.
    """
    if not isinstance(target, HttpTarget):
        return None, None
    from inspector.auth.driver import NoAuthorizer, OAuthAuthorizer
    from inspector.auth.guide import Guide

    guide = Guide(port=choice.port, callback=choice.callback) if has_person else None
    if choice.off or any(name.lower() == "authorization" for name, _ in target.headers):
        return None, guide
    store = store_for(choice, environ)
    login_options = msgspec.structs.replace(choice.login_options, has_person=has_person)
    if guide is None:
        return lambda url: OAuthAuthorizer(url, login_options, store, NoAuthorizer(url)), None
    return lambda url: OAuthAuthorizer(url, login_options, store, guide, tell=guide.hear), guide


def keep_names(target: Target, journal: Journal, environ: Mapping[str, str]) -> None:
    """Store the names in a server's lists for shell completion, unless there are too many to complete."""
    from inspector.config.remembered import ListedNames

    lists = {kind: journal.conversation.catalogue.listings[kind].items for kind in ("tools", "resources", "prompts")}
    if sum(map(len, lists.values())) > _MOST_NAMES:
        return
    names = {
        kind: [name for raw in items if (name := peek.text(raw, "uri" if kind == "resources" else "name"))]
        for kind, items in lists.items()
    }
    if any(names.values()):
        ListedNames(places(environ).cache).keep(target.key, names)


def keep_call(
    target: Target, environ: Mapping[str, str], method: str, params: Any, status: str, ms: float | None
) -> None:
    """Store a call for later sessions unless that is disabled."""
    from inspector.config.history import StoredCall, StoredCalls

    call = StoredCall(time.time_ns(), method, params, status, ms, target.label)
    StoredCalls(places(environ).state, on=user_config(environ).history == "on").add(target.key, call)


def keep_outcome(chosen: TargetOptions, live: "Live", environ: Mapping[str, str]) -> None:
    """Store a target and its outcome for the start screen."""
    from inspector.config.known_targets import RecentTarget, RecentTargets, now

    session, journal, target = live.session, live.journal, chosen.target
    failure = "" if session is None else str(session.error or "") or session.why
    opening, tools = journal.conversation.opening, journal.conversation.catalogue.listings["tools"]
    message = f"{len(tools.items)} tools" if tools.asked else "Connected" if opening is not None else "Not connected"
    is_ok = not failure and opening is not None
    found = RecentTarget(target.key, when=now(), ok=is_ok, summary=_shortly(journal, failure) if failure else message)
    if isinstance(target, StdioTarget):
        set_ = tuple(name for name, origin in target.environment.origins.items() if origin in ("-e", "--env-file"))
        found = msgspec.structs.replace(found, argv=target.argv, cwd=target.cwd, variables=set_)
    else:
        found = msgspec.structs.replace(found, url=target.url)
    RecentTargets(places(environ).state).remember(found)


def _shortly(journal: Journal, failure: str) -> str:
    """Return a short description of why a session failed."""
    last = journal.processes[-1].what if journal.processes else None
    code = getattr(last, "code", None)
    return f"Exited with code {code}" if code is not None else failure[:1].upper() + failure[1:200]


def named_journal(chosen: TargetOptions) -> Journal:
    """Return a journal that records to the given file, or to a temporary one.

    Raises: UsageError if that file can't be created.
    """
    return start_capture(chosen.capture, keep_secrets=chosen.keep_secrets)


def close_capture(output: Output, journal: Journal, status: ExitStatus) -> ExitStatus:
    """Close a journal; return the exit status, which is CAPTURE if nothing else failed than writing the capture."""
    known = journal.notices
    journal.close()
    try:
        journal.demand_complete()
        for notice in journal.notices:
            if notice not in known:  # an export ends with the journal
                output.warn(notice)
    except CaptureIncomplete as error:
        if status is ExitStatus.OK:
            return output.failure(error, {"capture": str(journal.capture_path)})
        if not output.as_json:  # stderr ends with the failure, which has the notices
            output.warn(str(error))
    return status


def kept_journal(chosen: TargetOptions, env: CliEnv, *, mode: str = "client") -> Journal:
    """Return a journal that records to the given file, otherwise to the state directory.

    Sessions after the first get a number appended to the file's name. If the state directory is not writable, the
    journal has a notice and is not saved.

    Raises: UsageError if the given file can't be created.
    """
    if not chosen.record:
        return start_capture(None, mode=mode)
    if chosen.capture is not None:
        return start_capture(chosen.capture, keep_secrets=chosen.keep_secrets, mode=mode)
    try:
        place = _automatic_capture_path(chosen.target.label, env)
        return start_capture(place, keep_secrets=chosen.keep_secrets, mode=mode)
    except (InspectError, OSError) as error:
        journal = start_capture(None, mode=mode)
        journal.note(f"This session is not recorded: {error}")
        return journal


def export_live(journal: Journal, chosen: TargetOptions, environ: Mapping[str, str]) -> None:
    """Send the session's spans to the OpenTelemetry collector of `--otlp`, if given."""
    if chosen.otlp:
        from inspector.features.export.otlp import LiveExport, headers_from

        LiveExport(journal, chosen.otlp, headers_from(environ)).start()


def numbered(path: Path) -> Path:
    """Return the path, with a number appended if it exists."""
    others = (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in count(2))
    return path if not path.exists() else next(other for other in others if not other.exists())


def _automatic_capture_path(label: str, env: CliEnv) -> Path:
    from inspector.capture.automatic import fresh_path, make_room

    directory, own = captures_directory(env.environ), user_config(env.environ)
    if own.captures_directory:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)  # an existing directory keeps its permissions
    else:
        private_directory(directory)
    make_room(directory, own.captures_limit)
    return fresh_path(directory, time.time_ns(), label)


def store_for(choice: LoginSettings, environ: Mapping[str, str]) -> "TokenStore":
    """Return the store for logins. Raises: UsageError if it is not available."""
    from inspector.auth.storage import choose_store

    return choose_store(choice.kept, places(environ).state, is_own_home=bool(environ.get("MCP_INSPECT_HOME")))
