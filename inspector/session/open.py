"""Opening a session for a target and settings.

HTTP is imported only for an HTTP target: a stdio server should not pay for an unused HTTP client.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from inspector import __version__
from inspector.capture.journal import Journal
from inspector.config.targets import HttpTarget, StdioTarget, Target
from inspector.protocol.flows.connect import ConnectOptions
from inspector.protocol.request_meta import ClientIdentity
from inspector.protocol.revisions._shape import Carriage
from inspector.sampler.choice import ModelChoice
from inspector.session.inbox import Inbox, Policy, Proposer
from inspector.session.options import Settings
from inspector.session.session import Session, SessionOptions
from inspector.transports.base import LIMITS, Limits, Transport
from inspector.transports.children import Started

if TYPE_CHECKING:  # only for servers reached by URL, and with --as
    from inspector.config.profiles import ClientProfile, OpeningRequest
    from inspector.transports.http.authorizing import Authorizer

_PATIENCE_S = 30.0
"""Timeout in seconds of an exchange of a login: it has no streams, and the user waits."""


def client_info() -> dict[str, Any]:
    """Return the client info sent to every server."""
    return {"name": "mcp-inspect", "title": "mcp-inspect", "version": __version__}


def _identity(settings: Settings) -> ClientIdentity:
    profile = settings.profile
    if profile is None:
        return ClientIdentity(client_info(), settings.offers, settings.extensions)
    exactly = profile.capabilities if settings.offers == profile.offers else None  # otherwise the user chose others
    return ClientIdentity(
        profile.client, settings.offers, settings.extensions, exactly, profile.sdk, profile.has_params
    )


def open_session(target: Target, journal: Journal, settings: Settings) -> Session:
    """Return a session that is not connected yet."""
    over_http = isinstance(target, HttpTarget)
    connect_options = ConnectOptions(
        client=_identity(settings),
        era=settings.era,
        revision=settings.revision,
        offered=settings.profile.protocol_version if settings.profile and settings.profile.era == "auto" else "",
        remembered=settings.remembered or settings.revealed,
        over_http=over_http,
        carriage=Carriage.LEGACY_SSE if isinstance(target, HttpTarget) and target.legacy_sse else None,
        silence_s=min(settings.probe_silence_s, (over_http and settings.clocks.idle_s) or settings.probe_silence_s),
    )
    inbox = Inbox(
        _policies(settings, journal),
        has_person=settings.has_person,
        roots=settings.roots,
        proposer=_proposer(settings.model),
    )
    return Session(
        transport_for(
            _named_as(target, settings), settings.authorizer, settings.clocks.idle_s, settings.limits, settings.started
        ),
        journal,
        SessionOptions(
            connect_options,
            settings.clocks,
            settings.remember,
            inbox,
            settings.retry_calls,
            settings.limits,
            *_opening_requests(settings.profile),
        ),
    )


def _opening_requests(profile: "ClientProfile | None") -> tuple[tuple["OpeningRequest", ...], ...]:
    """Return the requests that a client sends by itself in each era, the handshake first."""
    if profile is None:
        return ((), ())
    usual = tuple(profile.opening or ())
    return usual, usual if profile.modern_opening is None else tuple(profile.modern_opening)


def _named_as(target: Target, settings: Settings) -> Target:
    """Return the target, over HTTP with the User-Agent of the imitated client, unless the user gave one."""
    agent = settings.profile.user_agent if settings.profile else ""
    if (
        not agent
        or not isinstance(target, HttpTarget)
        or any(name.lower() == "user-agent" for name, _ in target.headers)
    ):
        return target
    return msgspec.structs.replace(target, headers=(*target.headers, ("User-Agent", agent)))


def _policies(settings: Settings, journal: Journal) -> list[tuple[str, Policy]]:
    """Return the policies that precede those of the inbox, including the prepared answers."""
    if not settings.prepared:
        return [*settings.policies]
    from inspector.session.scripted import policy

    def tool_of(number: int | None) -> str:
        exchange = None if number is None else journal.conversation.exchanges[number - 1]
        return exchange.target if exchange is not None and exchange.method == "tools/call" else ""

    return [*settings.policies, ("prepared response", policy(settings.prepared, tool_of))]


def _proposer(choice: ModelChoice | None) -> Proposer | None:
    if choice is None:
        return None
    from inspector.sampler.endpoint import ChatModel

    return Proposer(ChatModel(choice), choice.approve)


def transport_for(
    target: Target,
    authorizer: "Callable[[str], Authorizer] | None" = None,
    patience_s: float | None = None,
    limits: Limits = LIMITS,
    started: Started | None = None,
) -> Transport:
    """Return the transport for a target; nothing is started or connected yet.

    `patience_s` is the timeout of an exchange of a login, if shorter than the default. `started` is the server of a
    command, if it runs already.
    """
    match target:
        case StdioTarget():
            from inspector.transports.stdio import StdioTransport

            environment = target.environment
            return StdioTransport(
                target.argv,
                env=environment.values,
                given=environment.given,
                cwd=target.cwd,
                limits=limits,
                started=started,
            )
        case HttpTarget():
            from inspector.transports.http.endpoint import HttpOptions
            from inspector.transports.http.transport import HttpTransport

            options = HttpOptions(
                headers=target.headers,
                cacert=target.cacert,
                insecure=target.insecure,
                authorizer=authorizer(target.url) if authorizer else None,
                limits=limits,
                aside_timeout=min(patience_s or _PATIENCE_S, _PATIENCE_S),
            )
            carriage = Carriage.LEGACY_SSE if target.legacy_sse else Carriage.STATELESS
            return HttpTransport(target.url, options=options, carriage=carriage)
