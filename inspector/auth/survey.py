"""The ladder without a login: what is there for one, and where it would break.

Nothing is registered and nobody is asked: only what anybody may read is read. What a login would find out by trying
(whether a redirect is taken, whether a client is known) can't be told here.
"""

import msgspec

from inspector.auth.addresses import canonical, origin
from inspector.auth.authorization import PKCE_CLAUSE, RFC_9207
from inspector.auth.challenge import Challenge
from inspector.auth.claims import skew_s, skew_sentence
from inspector.auth.discovery import ResourceMetadata, ServerMetadata, find_resource, find_server
from inspector.auth.flow import challenge_rung, scopes_for
from inspector.auth.registration import CLAUSE
from inspector.auth.steps import Flow, Now, Rung, Tell, Verdict
from inspector.auth.wishes import Known, LoginWishes


class Refused(msgspec.Struct, frozen=True):
    """The request that the server refused."""

    method: str
    status: int
    date: str = ""
    """What the server's clock said then; "" if it did not say."""


_SCOPES = "specification, basic/authorization, scope selection"


def survey(
    server_url: str, challenge: Challenge | None, wishes: LoginWishes, known: Known, refused: Refused | None
) -> Flow[None]:
    """Climb as far as it goes. `refused` is None for a server that lets everybody in.

    Raises: LoginFailed where the ladder breaks; what is above can't be known then.
    """
    if refused is not None:
        asked = f"{refused.method} {canonical(server_url)}"
        yield Tell(msgspec.structs.replace(challenge_rung(challenge), request=asked, status=refused.status))
        yield from _clock(refused.date)
    else:
        yield Tell(Rung("challenge", Verdict.GOOD, "none: the server answers without credentials"))
    protected = yield from find_resource(server_url, challenge.metadata if challenge else "")
    if protected is None and refused is None:
        return
    named = protected.issuers[0] if protected and protected.issuers else ""
    server = yield from find_server(named or origin(server_url), server_url, may_assume=protected is None)
    for rung in _rungs(server_url, challenge, protected, server, wishes, known):
        yield Tell(rung)


def _clock(date: str) -> Flow[None]:
    now: float = yield Now()
    skew = skew_s(date, now)
    said = "" if skew is None else skew_sentence(skew)
    if said:
        fix = "Set the clock: tokens and proofs are judged by it."
        yield Tell(Rung("clock", Verdict.ODD, said, clause="RFC 7519, section 4.1.4", fix=fix))


def _rungs(
    server_url: str,
    challenge: Challenge | None,
    protected: ResourceMetadata | None,
    server: ServerMetadata,
    wishes: LoginWishes,
    known: Known,
) -> list[Rung]:
    resource = protected.resource if protected else canonical(server_url)
    scopes = scopes_for(challenge, protected, server, wishes, None)
    return [
        _scope(challenge, protected, scopes, resource),
        _client(server, wishes, known),
        _endpoints(server),
        _pkce(server),
        _issuer(server),
        _dpop(server),
    ]


def _scope(
    challenge: Challenge | None, protected: ResourceMetadata | None, scopes: tuple[str, ...], resource: str
) -> Rung:
    if challenge is not None and challenge.scopes is not None:
        why = "the challenge names it"
    elif protected is not None and protected.scopes is not None:
        why = "the resource's metadata names it"
    else:
        why = "nothing names one"
    asked = f"scope {' '.join(scopes)!r} ({why})" if scopes else f"no scope ({why})"
    return Rung("scope", Verdict.GOOD, f"a login would ask for {asked}, for the resource {resource}", clause=_SCOPES)


def _client(server: ServerMetadata, wishes: LoginWishes, known: Known) -> Rung:
    ways = [f"a client is given: {wishes.client_id}"] if wishes.client_id else []
    ways += ["one was registered before"] if server.issuer in known.clients else []
    ways += [
        "a document about the client" if wishes.metadata_url else "a document about the client (none is given)"
    ] * (server.takes_metadata_documents)
    ways += [f"registration at {server.registration_endpoint}"] if server.registration_endpoint else []
    usable = [way for way in ways if "none is given" not in way]
    if usable:
        return Rung("client", Verdict.GOOD, "; ".join(ways), clause=CLAUSE)
    found = "; ".join(["no registration_endpoint, and no client is known", *ways])
    fix = "Register a client by hand, with the redirect address http://127.0.0.1/callback, and give --client-id."
    return Rung("client", Verdict.BROKEN, found, clause=CLAUSE, fix=fix)


def _endpoints(server: ServerMetadata) -> Rung:
    places = {
        "authorization_endpoint": server.authorization_endpoint,
        "token_endpoint": server.token_endpoint,
    }
    missing = [name for name, place in places.items() if not place]
    if missing:
        fix = "A login with a person needs both."
        return Rung(
            "endpoints", Verdict.BROKEN, f"no {' and no '.join(missing)}", clause="RFC 8414, section 2", fix=fix
        )
    ways = ", ".join(server.token_methods or ()) or "not said"
    found = (
        f"consent at {server.authorization_endpoint}, tokens at {server.token_endpoint} (client proves itself: {ways})"
    )
    return Rung("endpoints", Verdict.GOOD, found, clause="RFC 8414, section 2")


def _pkce(server: ServerMetadata) -> Rung:
    if server.assumed:
        return Rung("PKCE", Verdict.ODD, "not said; S256 would be sent all the same", clause=PKCE_CLAUSE)
    if "S256" in (server.pkce or ()):
        return Rung("PKCE", Verdict.GOOD, "S256", clause=PKCE_CLAUSE)
    listed = (
        f"it lists {', '.join(server.pkce or ())}" if server.pkce else "code_challenge_methods_supported is not there"
    )
    fix = "Its metadata must list S256 in code_challenge_methods_supported; clients must refuse to go on without."
    return Rung("PKCE", Verdict.BROKEN, f"S256 is not offered: {listed}", clause=PKCE_CLAUSE, fix=fix)


def _issuer(server: ServerMetadata) -> Rung:
    if server.says_who_answers:
        return Rung("iss", Verdict.GOOD, "its answers say who gives them", clause=RFC_9207)
    found = "its answers do not say who gives them: an answer of another server could not be told from its own"
    fix = "Send iss, and set authorization_response_iss_parameter_supported."
    return Rung("iss", Verdict.MISSING, found, clause=RFC_9207, fix=fix)


def _dpop(server: ServerMetadata) -> Rung:
    if server.dpop:
        found = f"tokens can be bound to a key: {', '.join(server.dpop)}"
        return Rung("DPoP", Verdict.GOOD, found, clause="RFC 9449, section 5.1")
    return Rung("DPoP", Verdict.MISSING, "not offered; it need not be", clause="RFC 9449, section 5.1")
