"""Flow of opening a conversation, in either era and over any transport.

In auto mode it first sends `server/discover`. Unless the response proves the modern era, it falls back to
`initialize`: after an error, a timeout, HTTP 5xx, or a connection closed without a response. A server on stdio that
exits is restarted once and gets `initialize` first: older ones exit at any other first message. 401, 403 and an
unreachable server end the attempt. If a server's era is remembered, that era is tried first.

Source: specification 2026-07-28, basic/versioning (backward compatibility) and basic/transports. The official Go SDK
falls back on any error, too.
"""

from typing import Any

import msgspec

from inspector.errors import AuthorizationNeeded, ConnectError, Disconnected, RemoteProtocolError, RequestTimeout
from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange
from inspector.protocol.facts import header
from inspector.protocol.flows.steps import (
    Await,
    Broken,
    Drop,
    Flow,
    GivenUp,
    Notice,
    Notify,
    OpenStream,
    Refused,
    Replied,
    Reply,
    Restart,
    Send,
    Silent,
    UseCarriage,
)
from inspector.protocol.frames import Cause
from inspector.protocol.jsonrpc import ErrorResponse, ResultResponse
from inspector.protocol.listed_items import LISTS
from inspector.protocol.request_meta import ClientIdentity
from inspector.protocol.revisions._shape import Carriage, Era, Revision
from inspector.protocol.revisions.openings import (
    METHOD_NOT_FOUND,
    SERVER_INFO,
    UNSUPPORTED_VERSION,
    Judgement,
    Opening,
    ProbeVerdict,
    from_discover,
    from_initialize,
    judge_error,
    judge_result,
    named_versions,
)
from inspector.protocol.revisions.table import find, mutual, newest_of, resolve
from inspector.text import excerpt_of

_LATE_S = 10.0
"""Additional seconds for the probe after `initialize` was refused."""
_MODERN = (ProbeVerdict.MODERN, ProbeVerdict.AGAIN, ProbeVerdict.UNDISCOVERED)
_UNKNOWN_HANDSHAKE = (METHOD_NOT_FOUND, UNSUPPORTED_VERSION)
_REFUSALS = (400, 404, 405, 406, 409, 412, 421, 422, 426, 501)
_NOT_OPENED = (-32000, -32600, UNSUPPORTED_VERSION)
"""Errors of servers that expect a session: those of the official SDKs, and a refused version."""
_LOGIN = ("access denied: ", "authentication required: ")
"""Meaning of 403 and 401."""


class ConnectOptions(msgspec.Struct, frozen=True):
    """How the user wants to connect."""

    client: ClientIdentity
    era: Era | None = None
    """The era to use; None to detect it."""
    revision: str = ""
    """The only version string to use, known or not; "" for the newest of the era."""
    offered: str = ""
    """Version that `initialize` offers after the probe; "" for the newest."""
    remembered: Era | None = None
    """Era of this server at the last connection."""
    over_http: bool = False
    carriage: Carriage | None = None
    """LEGACY_SSE if the user requested it; None to detect it."""
    silence_s: float = 2.0
    """Timeout of the probe in seconds, before `initialize` is tried; a late response is still accepted."""


def connect(options: ConnectOptions) -> Flow[Opening]:
    """Open the conversation.

    Raises: AuthorizationNeeded, ConnectError, Disconnected, RemoteProtocolError, RequestTimeout.
    """
    era = options.era or _era_of(options.revision)
    if options.carriage is Carriage.LEGACY_SSE:
        if era is Era.MODERN:
            raise ConnectError("HTTP+SSE knows no stateless era", hint="Leave out --transport sse, or the era.")
        return (yield from _handshake(options))
    if era is Era.MODERN:
        return (yield from _stateless(options))
    if era is Era.LEGACY or options.remembered is Era.LEGACY:
        if options.over_http:
            yield UseCarriage(Carriage.SESSIONS)
        return (yield from _handshake(options))
    return (yield from _find_out(options))


def discover_again() -> Flow[Reply]:
    """Send `server/discover` in an open session, as some clients do, and return its reply."""
    reply: Reply = yield Send("server/discover", progress=False)
    return reply


def _era_of(revision: str) -> Era | None:
    row = find(revision)
    return row.era if row else None


def _modern_row(options: ConnectOptions, date: str = "") -> Revision:
    return resolve(date or options.revision or newest_of(Era.MODERN).date, Era.MODERN)[0]


def _may_be(options: ConnectOptions, date: str) -> bool:
    """Return whether the user's options allow a version that the server names."""
    return options.revision in ("", date)


def _stateless(options: ConnectOptions, date: str = "") -> Flow[Opening]:
    """Open in the stateless era only, with version `date` if the server named it, otherwise with ours."""
    row = _modern_row(options, date)
    for _ in range(2):
        reply: Reply = yield Send("server/discover", revision=row, progress=False)
        judgement = _judge(options, row, _answered(reply, "server/discover"))
        if judgement.verdict is not ProbeVerdict.AGAIN or not _may_be(options, judgement.date):
            break
        row = _modern_row(options, judgement.date)
    if isinstance(reply, Replied) and isinstance(reply.message, ResultResponse):
        return _opened(from_discover(row.date, reply.message.result), reply)
    named = judgement.date if judgement.verdict is ProbeVerdict.UNDISCOVERED else date
    message = reply.message if isinstance(reply, Replied) else None
    if named and isinstance(message, ErrorResponse) and peek.integer(message.error, "code") == METHOD_NOT_FOUND:
        return (yield from _undiscovered(options, named))
    raise ConnectError(
        f"the server does not open in the stateless era with {row.date}: {judgement.why}",
        hint="Try --era auto, or --revision with a version that it names.",
    )


def _undiscovered(options: ConnectOptions, date: str) -> Flow[Opening]:
    """Open in a stateless version that the server names although it lacks `server/discover`.

    Its lists show its capabilities.
    """
    if not _may_be(options, date):
        raise ConnectError(f"no revision in common: the server names {date}", hint="Leave out --revision.")
    row, capabilities, server = _modern_row(options, date), dict[str, Any](), dict[str, Any]()
    for listed in (LISTS["tools"], LISTS["resources"], LISTS["prompts"]):
        reply: Reply = yield Send(listed.method, revision=row)
        replied = _answered(reply, listed.method)
        if isinstance(replied.message, ResultResponse) and peek.has(replied.message.result, "resultType"):
            capabilities[listed.capability] = {}
            server = server or peek.mapping(replied.message.result, "_meta", SERVER_INFO)
    if not capabilities:
        raise ConnectError(
            f"the server names {date}, does not know server/discover, and has none of the lists of that revision",
            hint="Try --era legacy.",
        )
    yield Notice(f"Using {date}, which the server names: it does not know server/discover.")
    return Opening(revision=row, server=server, capabilities=capabilities)


def _find_out(options: ConnectOptions) -> Flow[Opening]:
    """Send the probe, and open in the era that the response proves."""
    row = _modern_row(options)
    silence = None if options.remembered is Era.MODERN else options.silence_s
    reply: Reply = yield Send("server/discover", revision=row, cause=Cause.PROBE, silence_s=silence)
    if isinstance(reply, Silent) and silence is not None:
        silent = f"server/discover was not answered within {reply.seconds:g} s" if options.over_http else ""
        return (yield from _fall_back(options, silent, late=reply.exchange))
    if isinstance(reply, Broken) and not options.over_http and (yield from _restarted()):
        return (yield from _handshake(options))
    if why := _inconclusive(reply):
        return (yield from _fall_back(options, why))
    judgement = _judge(options, row, reply)
    if judgement.verdict is ProbeVerdict.AGAIN and _may_be(options, judgement.date):
        row = _modern_row(options, judgement.date)
        reply = yield Send("server/discover", revision=row, cause=Cause.PROBE, silence_s=silence)
        judgement = _judge(options, row, reply)
    match judgement.verdict:
        case ProbeVerdict.INCOMPATIBLE | ProbeVerdict.AGAIN:
            other = "Give one that it takes with --revision." if options.revision else "Pin one with --revision to try."
            raise ConnectError(f"no revision in common: {judgement.why}", hint=other)
        case ProbeVerdict.MODERN if isinstance(reply, Replied) and isinstance(reply.message, ResultResponse):
            return _opened(from_discover(row.date, reply.message.result), reply)
        case ProbeVerdict.MODERN:
            raise RemoteProtocolError(refusal("server/discover", reply), hint="Try --era legacy.")
        case ProbeVerdict.UNDISCOVERED:
            return (yield from _undiscovered(options, judgement.date))
        case ProbeVerdict.LEGACY:
            status = reply.status if isinstance(reply, Replied) else None
            why = f"server/discover was answered with HTTP {status}" if status and status >= 500 else ""
            return (yield from _fall_back(options, why, versions=judgement.supported))


def _inconclusive(reply: Reply) -> str:
    """Return how the server reacted to the probe if that does not reveal its era, so that `initialize` is worth trying.

    Returns "" for all else, also for 401, 403 and an unreachable server.
    """
    match reply:
        case Broken(no_response=True, why=why):
            return f"server/discover got no HTTP response ({why.rstrip('.')})"
        case Refused(status=None):
            return "server/discover got no response"
        case Refused(status=int(status)) if status >= 500 or status in (408, 429):
            return f"server/discover was answered with HTTP {status}"
        case _:
            return ""


def _restarted() -> Flow[bool]:
    """Restart a server on stdio that exited at the probe. Return whether it was restarted."""
    message: str = yield Restart("its first message was server/discover")
    if message:
        how = message.removeprefix("the server ")
        did = "closed its stdout" if "stdout" in how else "exited"
        yield Notice(f"The server {did} at server/discover and was started again with initialize: it {how}.")
    return bool(message)


def _fall_back(
    options: ConnectOptions, why: str, *, late: Exchange | None = None, versions: tuple[str, ...] = ()
) -> Flow[Opening]:
    """Open by handshake after the probe. The user sees `why` as a notice; it is "" for what every older server does."""
    if options.over_http:
        yield UseCarriage(Carriage.SESSIONS)
    opening = yield from _handshake(options, probed=True, late=late, versions=versions)
    if why and opening.era is Era.LEGACY:
        yield Notice(f"Opened with initialize: {why}.")
    return opening


def _handshake(
    options: ConnectOptions, *, probed: bool = False, late: Exchange | None = None, versions: tuple[str, ...] = ()
) -> Flow[Opening]:
    """Perform the handshake: `initialize`, its result, `notifications/initialized`. Over HTTP, try older transports.

    `probed`: whether this process already received `server/discover`. `late`: that request while it is unanswered.
    """
    offer = _offer(options, versions)
    starts = not probed and not options.over_http and options.era is None and not options.revision
    reply: Reply = yield _initialize(options, offer, late, options.silence_s if starts else None)
    if starts and isinstance(reply, Silent) and reply.exchange is not None:
        reply = yield Await(reply.exchange)  # a probe's timeout does not count here: the server is starting
    if isinstance(reply, Replied) and reply.exchange.method == "server/discover":
        return (yield from _late_answer(options, offer, reply))
    if isinstance(reply, Broken) and probed and not options.over_http and (yield from _restarted()):
        late, reply = None, (yield _initialize(options, offer, None))
    if late is not None:
        if _is_refused(reply) and not _stateless_version(options, reply):
            probe: Reply = yield Await(late, silence_s=_LATE_S)
            if (
                isinstance(probe, Replied)
                and (judgement := _judge(options, _modern_row(options), probe)).verdict in _MODERN
            ):
                return (yield from _went_modern(options, judgement, probe))
        yield Drop(late)
    return (yield from _after_initialize(options, offer, reply))


def _after_initialize(options: ConnectOptions, offer: str, reply: Reply) -> Flow[Opening]:
    """Complete the handshake; if `initialize` was refused, first try the remaining alternatives."""
    if should_fall_back(reply) and options.over_http and options.carriage is None and options.era is not Era.MODERN:
        yield from _older_carriage(reply)
        reply = yield _initialize(options, offer, None)
    if isinstance(reply, Replied) and not isinstance(reply.message, ResultResponse):
        error = reply.message.error
        if version := _stateless_version(options, reply):
            yield from _carry_stateless(options)
            return (yield from _stateless(options, version))
        if options.era is None and not options.revision and peek.integer(error, "code") in _UNKNOWN_HANDSHAKE:
            if options.remembered is Era.LEGACY:  # it was of that era at the last connection
                yield from _carry_stateless(options)
                return (yield from _find_out(msgspec.structs.replace(options, remembered=None)))
        other = mutual(list(named_versions(error)), Era.LEGACY)
        if other and other != offer and not options.revision:
            reply = yield _initialize(options, other, None)
    return (yield from _complete(options, offer, reply))


def _stateless_version(options: ConnectOptions, reply: Reply) -> str:
    """Return the stateless version named by a refusal of `initialize`, if it may be used; otherwise ""."""
    if not isinstance(reply, Replied) or isinstance(reply.message, ResultResponse) or options.era is not None:
        return ""
    named = mutual(list(named_versions(reply.message.error)), Era.MODERN) or ""
    return named if options.carriage is None and named and _may_be(options, named) else ""


def _carry_stateless(options: ConnectOptions) -> Flow[None]:
    if options.over_http:
        yield UseCarriage(Carriage.STATELESS)


def _is_refused(reply: Reply) -> bool:
    """Return whether the server refused a request for a reason other than credentials."""
    if isinstance(reply, Refused):
        return reply.status not in (401, 403)
    return isinstance(reply, Replied) and not isinstance(reply.message, ResultResponse)


def _complete(options: ConnectOptions, offer: str, reply: Reply) -> Flow[Opening]:
    """Complete the handshake after the response to `initialize`."""
    answered = _answered(reply, "initialize")
    if not isinstance(answered.message, ResultResponse):
        hint = "See what the server logs, or try --era modern, or pin an older --revision."
        raise ConnectError(refusal("initialize", reply), hint=hint)
    opening = _opened(from_initialize(_initialize_params(options, offer), answered.message.result), answered)
    if options.revision and opening.revision.date != offer:
        counter = f"{offer} was offered, and the server answered with {opening.revision.date}"
        opening = msgspec.structs.replace(opening, warnings=(*opening.warnings, counter))
    yield Notify("notifications/initialized")
    if options.over_http:
        yield OpenStream(opening.revision)
    return opening


def _older_carriage(refused: Reply) -> Flow[None]:
    problem: str = yield UseCarriage(Carriage.LEGACY_SSE)
    if problem:
        excerpt = excerpt_of(refused.body) if isinstance(refused, Refused) else ""
        again = problem.removesuffix(f": {excerpt}") if excerpt else problem  # the same page is shown once
        raise ConnectError(
            f"{refusal('initialize', refused)}; as an older HTTP+SSE server: {again}",
            hint="Check the path of the URL: most servers answer at /mcp, older ones at /sse.",
        )


def should_fall_back(reply: Reply) -> bool:
    """Return whether a refused `initialize` may come from a server of the older HTTP+SSE transport.

    2025-11-25 lists 400, 404 and 405, earlier revisions any 4xx. 401 and 403 require credentials; 408 and 429 are
    temporary.
    """
    return isinstance(reply, Refused) and 400 <= (reply.status or 0) < 500 and reply.status not in (401, 403, 408, 429)


def _late_answer(options: ConnectOptions, offer: str, probed: Replied) -> Flow[Opening]:
    """Process a late response to the probe that arrived after `initialize` was sent: the server was slow to start.

    The response to `initialize` is still awaited: a server of both eras has begun a handshake, which must be
    completed.
    """
    judgement = _judge(options, _modern_row(options), probed)
    modern = judgement.verdict in _MODERN
    assert probed.still_open is not None, "a late answer leaves the request that was waited for open"
    reply: Reply = yield Await(probed.still_open, silence_s=options.silence_s if modern else None)
    if modern and not (isinstance(reply, Replied) and isinstance(reply.message, ResultResponse)):
        return (yield from _went_modern(options, judgement, probed))
    return (yield from _after_initialize(options, offer, reply))


def _went_modern(options: ConnectOptions, judgement: Judgement, probed: Replied) -> Flow[Opening]:
    """Open in the stateless era after a late response to the probe proved it and `initialize` failed."""
    yield from _carry_stateless(options)
    if judgement.verdict is ProbeVerdict.MODERN and isinstance(probed.message, ResultResponse):
        return _opened(from_discover(_modern_row(options).date, probed.message.result), probed)
    if judgement.verdict is ProbeVerdict.UNDISCOVERED:
        return (yield from _undiscovered(options, judgement.date))
    return (yield from _stateless(options, judgement.date if _may_be(options, judgement.date) else ""))


def reopen(options: ConnectOptions, why: str) -> Flow[Opening]:
    """Open by handshake after all, because the server refuses the requests of the stateless era; `why` is a phrase."""
    if options.over_http:
        yield UseCarriage(Carriage.SESSIONS)
    opening = yield from _handshake(msgspec.structs.replace(options, era=Era.LEGACY))
    yield Notice(f"Opened with initialize: the server answers server/discover, but {why}.")
    return opening


def refuses_stateless(options: ConnectOptions, opening: Opening | None, reply: Reply) -> str:
    """Return how a server that answered `server/discover` refuses its first request, as a phrase; else "".

    Only if it also names handshake revisions and the user requires no era: a stateful server of an SDK that serves
    both eras, or a gateway before an older server. Errors about the request itself don't count.
    """
    if opening is None or opening.era is not Era.MODERN or options.era is not None or options.revision:
        return ""
    if not mutual(list(opening.supported), Era.LEGACY):
        return ""
    if isinstance(reply, Refused) and reply.status in _REFUSALS:
        return f"refuses other requests of {opening.revision.date} with HTTP {reply.status}"
    if isinstance(reply, Replied) and isinstance(reply.message, ErrorResponse):
        if reply.message.code in _NOT_OPENED or "initializ" in reply.message.message.lower():
            return f"refuses other requests of {opening.revision.date} with error {reply.message.code}"
    return ""


def _offer(options: ConnectOptions, versions: tuple[str, ...]) -> str:
    if options.revision and _era_of(options.revision) is not Era.MODERN:
        return options.revision
    return mutual(list(versions), Era.LEGACY) or options.offered or newest_of(Era.LEGACY).date


def _initialize(options: ConnectOptions, offer: str, late: Exchange | None, silence_s: float | None = None) -> Send:
    return Send("initialize", _initialize_params(options, offer), or_late=late, silence_s=silence_s)


def _initialize_params(options: ConnectOptions, offer: str) -> dict[str, Any]:
    capabilities = options.client.capabilities(resolve(offer, Era.LEGACY)[0])
    return {"protocolVersion": offer, "capabilities": capabilities, "clientInfo": options.client.info}


def _judge(options: ConnectOptions, row: Revision, reply: Reply) -> Judgement:
    """Judge the outcome of a probe. Raises if it allows no verdict."""
    if isinstance(reply, Refused) and _may_be_legacy(reply):
        return Judgement(ProbeVerdict.LEGACY, f"it answered server/discover with HTTP {reply.status}")
    replied = _answered(reply, "server/discover")
    if isinstance(replied.message, ResultResponse):
        return judge_result(row.date, replied.message.result, pinned=bool(options.revision))
    return judge_error(row.date, replied.message.error)


def _may_be_legacy(reply: Refused) -> bool:
    """Return whether this may be an old server that refuses an unknown request.

    Such servers send a 4xx other than 401, 403, 408 and 429, or a 2xx without a usable response.
    """
    return reply.status is not None and reply.status < 500 and reply.status not in (401, 403, 408, 429)


def _answered(reply: Reply, method: str) -> Replied:
    """Return the reply if it is a response; otherwise raise the matching exception."""
    match reply:
        case Replied():
            return reply
        case Silent():
            raise RequestTimeout(
                f"timeout: no response to {method} within {reply.seconds:g} s",
                hint="The server runs but sends nothing: see its log, or wait longer with --timeout.",
            )
        case Refused(status=401 | 403):
            raise AuthorizationNeeded(
                f"{_LOGIN[reply.status == 401]}{method} was answered with HTTP {reply.status}{_challenge(reply)}",
                hint="Pass a token with -H 'Authorization: Bearer …', or another header that the server expects.",
            )
        case Refused():
            raise ConnectError(refusal(method, reply), hint="Check the URL, and what the server logs.")
        case Broken(no_entry=True):
            raise AuthorizationNeeded(reply.why, hint=reply.hint)
        case Broken():
            raise (ConnectError if reply.unreached else Disconnected)(reply.why, hint=reply.hint)
        case GivenUp():
            raise Disconnected("the connection attempt was cancelled")


def _challenge(reply: Refused) -> str:
    found = header(reply.headers, "www-authenticate")
    return f" ({found[:500]})" if found else ""


def refusal(method: str, reply: Reply) -> str:
    """Describe what was received instead of a result, in one sentence with evidence."""
    if isinstance(reply, Replied) and not isinstance(reply.message, ResultResponse):
        return f"the server answered {method} with error {reply.message.code}: {reply.message.message}"
    if isinstance(reply, Refused):
        kind = f" ({reply.content_type})" if reply.content_type else ""
        excerpt = excerpt_of(reply.body)
        message = f": {excerpt}" if excerpt else ""
        status = f"HTTP {reply.status}{kind}" if reply.status else "nothing"
        return f"the server answered {method} with {status}{message}" + (f"; {reply.why}" if reply.why else "")
    return f"{method} did not return a valid response"


def _opened(found: Opening | str, reply: Replied) -> Opening:
    if isinstance(found, str):
        raise RemoteProtocolError(
            f"{found} (frame {reply.exchange.answer_frame})",
            hint="Look at that frame; try another --revision or --era.",
        )
    return found
