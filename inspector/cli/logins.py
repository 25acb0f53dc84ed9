"""What `mcp-inspect auth` does: look at the way in, go it, show what is kept of it, renew and forget that.

Tokens are never printed: their ends at most, and what they say of themselves.
"""

import asyncio
import shlex
import time
from collections.abc import Callable
from typing import Any

import msgspec

from inspector.auth.driver import Doorkeeper, Nobody, Surveyor
from inspector.auth.steps import Rung, Verdict
from inspector.auth.store import TokenStore
from inspector.auth.wishes import Known
from inspector.cli.consent import Consent
from inspector.cli.doors import store_for
from inspector.cli.exit_status import ExitStatus
from inspector.cli.launch import named_journal, settings_for
from inspector.cli.options import Chosen
from inspector.cli.output import Output
from inspector.cli.signals import leaving_no_child
from inspector.config.targets import HttpTarget
from inspector.errors import AuthorizationNeeded, InspectError, UsageError
from inspector.session.open import open_session
from inspector.session.session import Session
from inspector.transports.http.transport import HttpTransport
from inspector.viewmodels.ladder import as_data, ladder_end, ladder_lines
from inspector.viewmodels.lines import fact_lines, section_lines
from inspector.viewmodels.logins import expired, login_data, login_line, login_sections

_LET_IN = "the server lets everybody in: there is nothing to log in for"


def explain(output: Output, chosen: Chosen) -> ExitStatus:
    """Climb the ladder without logging in; FINDINGS if a rung is broken."""
    target = _target(chosen)
    surveyor = Surveyor(target.url, chosen.login.wishes, store_for(chosen.login, output.world.env))
    bare = tuple(each for each in target.headers if each[0].lower() != "authorization")
    chosen = msgspec.structs.replace(chosen, target=msgspec.structs.replace(target, headers=bare))

    async def look(session: Session) -> None:
        assert isinstance(session.transport, HttpTransport), "a URL is reached over HTTP"
        await surveyor.look(session.transport.ask_aside)

    try:
        _connect(output, chosen, lambda url: surveyor, look)
    except InspectError:
        if not surveyor.ladder:
            raise
    broken = next((rung for rung in surveyor.ladder if rung.verdict is Verdict.BROKEN), None)
    if output.as_json:
        steps = as_data(surveyor.ladder)
        found = {"url": target.url, "refused": surveyor.was_refused, "steps": steps}
        output.data(found | {"broken": broken.what if broken else None})
    else:
        output.lines([*ladder_lines(surveyor.ladder), (), ((ladder_end(surveyor.ladder), "strong"),)])
    return ExitStatus.FINDINGS if broken else ExitStatus.OK


def login(output: Output, chosen: Chosen) -> ExitStatus:
    """Log in anew, whatever is kept; a client that is registered is used again.

    With --scope it is a step-up of the login that is kept: what that was for is asked for as well.
    """
    target, choice = _target(chosen), chosen.login
    store = store_for(choice, output.world.env)
    consent = Consent(output, port=choice.port, callback=choice.callback)
    keeper = Doorkeeper(target.url, choice.wishes, store, consent.guide, tell=_teller(output), renew=True)
    before = keeper.known.token if choice.wishes.scopes is not None else None
    if before is not None:
        before = msgspec.structs.replace(before, refresh_token="")  # it is renewed by the person, not by itself
        if earlier := dict.fromkeys((*before.asked, *(before.scopes or ()))):
            forget = f"mcp-inspect auth logout {shlex.quote(target.url)}"
            output.narrate(f"it asks for the scopes of the login before, too: {' '.join(earlier)}; not after {forget}")
    keeper.known = Known(before, keeper.known.clients)
    try:
        _connect(output, chosen, lambda url: keeper)
    finally:
        consent.stop()
    if keeper.known.token == before:
        output.narrate(_LET_IN)
    else:
        output.narrate(f"logged in; kept in {store.place}")
    return _show(output, target.url, keeper.known, keeper.ladder)


def refresh(output: Output, chosen: Chosen) -> ExitStatus:
    """Renew the token that is kept, without a person."""
    target, choice = _target(chosen), chosen.login
    store = store_for(choice, output.world.env)
    before = store.get(target.url).token
    if before is None or not before.refresh_token:
        what = "no token is kept for it" if before is None else "nothing came with the token to renew it by"
        raise AuthorizationNeeded(f"{target.url}: {what}", hint=f"mcp-inspect auth login {shlex.quote(target.url)}")
    wishes = msgspec.structs.replace(choice.wishes, has_person=False)
    keeper = Doorkeeper(target.url, wishes, store, Nobody(target.url), tell=_teller(output), renew=True)
    _connect(output, chosen, lambda url: keeper)
    if keeper.known.token == before:
        output.narrate(_LET_IN)
    return _show(output, target.url, keeper.known, keeper.ladder)


def status(output: Output, chosen: Chosen | None, store: TokenStore) -> ExitStatus:
    """What is kept of a server, or of all; AUTHORIZATION if there is no token that is good for one that was named."""
    now = time.time()
    if chosen is not None:
        url = _target(chosen).url
        known = store.get(url)
        _show(output, url, known, ())
        token = known.token
        usable = token is not None and (bool(token.refresh_token) or not expired(token, now))
        return ExitStatus.OK if usable else ExitStatus.AUTHORIZATION
    servers = [(url, store.get(url)) for url in store.servers()]
    if output.as_json:
        output.data({"logins": [login_data(url, known, now) for url, known in servers]})
    elif servers:
        output.lines(fact_lines([login_line(url, known, now) for url, known in servers]))
    else:
        output.narrate("no logins are kept")
    return ExitStatus.OK


def logout(output: Output, chosen: Chosen | None, store: TokenStore, *, everything: bool) -> ExitStatus:
    """Forget the token of a server; with `everything` its registration too, and without a server those of all."""
    if chosen is None and not everything:
        raise UsageError("no server named", hint="Give its URL, or --all for every login that is kept.")
    forgotten: list[str] = []
    for url in [_target(chosen).url] if chosen else store.servers():
        known = store.get(url)
        if known.token is None and not (everything and known.clients):
            continue
        forgotten.append(url)
        if everything or not known.clients:
            store.forget(url)
        else:
            store.put(url, Known(None, known.clients))
    if output.as_json:
        output.data({"forgotten": forgotten})
    else:
        output.text("\n".join(f"forgotten: {url}" for url in forgotten) or "there was nothing to forget")
        if forgotten:
            output.narrate("the authorization server was not told: a token stays good there until its time is over")
    return ExitStatus.OK


def _target(chosen: Chosen) -> HttpTarget:
    if not isinstance(chosen.target, HttpTarget):
        raise UsageError("a server that is started asks for no login", hint="Give the URL of one over HTTP.")
    return chosen.target


def _connect(
    output: Output,
    chosen: Chosen,
    authorizer: Callable[[str], Doorkeeper],
    then: Callable[[Session], Any] | None = None,
) -> None:
    """Connect as every command does, with that one at the door."""
    journal = named_journal(chosen)
    settings = msgspec.structs.replace(settings_for(chosen, output.world), authorizer=authorizer)

    async def work() -> None:
        async with open_session(chosen.target, journal, settings) as session:
            await session.connect()
            if then is not None:
                await then(session)

    try:
        with leaving_no_child():
            asyncio.run(work())
    finally:
        for notice in journal.notices:
            output.warn(notice)
        journal.close()


def _teller(output: Output) -> Callable[[Rung], None]:
    """Shows each rung as it is climbed."""

    def tell(rung: Rung) -> None:
        if not output.quiet:
            output.narrate_lines(ladder_lines([rung], brief=True))

    return tell


def _show(output: Output, url: str, known: Known, ladder: "list[Rung] | tuple[Rung, ...]") -> ExitStatus:
    now = time.time()
    if output.as_json:
        output.data(login_data(url, known, now) | ({"steps": as_data(ladder)} if ladder else {}))
    else:
        output.lines([line for section in login_sections(url, known, now) for line in section_lines(section)])
    return ExitStatus.OK
