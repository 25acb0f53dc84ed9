"""What is kept of a login: who gave the token, for how long, for what; what a JWT says of itself. Never the token."""

from collections.abc import Iterator
from typing import Any

from inspector.auth.claims import audiences, doubts, moment, read_claims, shortened
from inspector.auth.wishes import Client, Known, Token
from inspector.viewmodels import text
from inspector.viewmodels.lines import Fact, Section, fact

_NOT_VERIFIED = "read here from the token, not verified"
_SHOWN = ("iss", "sub", "aud", "scope", "scp", "client_id", "azp", "iat", "nbf", "exp")
"""Claims that explain a refusal; others are for the server and may be about the person."""
_TIMES = ("iat", "nbf", "exp")


def login_sections(url: str, known: Known, now: float) -> tuple[Section, ...]:
    """All that is kept of a server's login. `now`: seconds since 1970."""
    token = known.token
    if token is None:
        held = Section("Token", note="none is kept")
        return (held, *_clients(known))
    claims = read_claims(token.access_token)
    found = (
        Section("Token", (*_token(token, now), *(fact("beware", each, "warning") for each in doubts(token, url, now)))),
        Section("Claims", tuple(_claims(claims, now)), note=_NOT_VERIFIED) if claims is not None else Section(""),
        *_clients(known),
    )
    return tuple(section for section in found if section.facts)


def login_data(url: str, known: Known, now: float) -> dict[str, Any]:
    """The same for machines; no secret is in it."""
    token = known.token
    data: dict[str, Any] = {
        "url": url,
        "token": None,
        "clients": [_client_data(*pair) for pair in known.clients.items()],
    }
    if token is None:
        return data
    claims = read_claims(token.access_token)
    data["token"] = {
        "access_token": shortened(token.access_token),
        "type": token.kind,
        "issuer": token.issuer,
        "scopes": _scopes(token),
        "resource": token.resource,
        "expires_at": token.expires_at,
        "expired": expired(token, now),
        "renewable": bool(token.refresh_token),
        "claims": None if claims is None else {name: claims[name] for name in _SHOWN if name in claims},
        "claims_verified": False,
        "doubts": list(doubts(token, url, now)),
    }
    return data


def login_line(url: str, known: Known, now: float) -> Fact:
    """One server in a list of them."""
    token = known.token
    if token is None:
        return fact(url, "no token; a client is registered" if known.clients else "no token", "muted")
    renew = ", can be renewed" if token.refresh_token else ""
    role = "warning" if expired(token, now) and not token.refresh_token else "text"
    return fact(url, f"{_lasts(token, now)}{renew}; by {token.issuer}", role)  # type: ignore[arg-type]


def expired(token: Token, now: float) -> bool:
    """Whether its time is over, as far as that was said."""
    return token.expires_at is not None and token.expires_at <= now


def _token(token: Token, now: float) -> Iterator[Fact]:
    yield fact("token", f"{token.kind} {shortened(token.access_token)}")
    yield fact("issuer", token.issuer)
    yield fact("for", token.resource or "not said")
    yield fact("scopes", " ".join(_scopes(token)) or "not said")
    yield Fact("good", _lasts(token, now), "warning" if expired(token, now) else "ok")
    yield Fact("renewable", "yes, without a person" if token.refresh_token else "no: a new login", "text")


def _scopes(token: Token) -> list[str]:
    """What was granted; where that was not said, what was asked for."""
    return list(token.scopes if token.scopes is not None else token.asked)


def _lasts(token: Token, now: float) -> str:
    if token.expires_at is None:
        return "for a time that nobody said"
    left = token.expires_at - now
    span = text.human_duration(int(min(abs(left), 1e9)) * 1_000_000_000)
    return f"for {span}" if left > 0 else f"expired {span} ago"


def _claims(claims: dict[str, Any], now: float) -> Iterator[Fact]:
    for name in _SHOWN:
        if name not in claims:
            continue
        when = moment(claims, name) if name in _TIMES else None
        if name == "aud":
            yield fact(name, ", ".join(audiences(claims)) or "unreadable")
        elif when is not None:
            yield fact(name, _when(when, now))
        else:
            yield fact(name, str(claims[name]))


def _when(when: float, now: float) -> str:
    away = int(min(abs(when - now), 1e9))
    span = text.human_duration(away * 1_000_000_000)
    return f"in {span}" if when > now else f"{span} ago"


def _clients(known: Known) -> tuple[Section, ...]:
    facts = tuple(
        fact(client.client_id, f"at {issuer}, by {client.method}" + (", registered by us" if client.registered else ""))
        for issuer, client in known.clients.items()
    )
    return (Section("Clients", facts),) if facts else ()


def _client_data(issuer: str, client: Client) -> dict[str, Any]:
    return {
        "issuer": issuer,
        "client_id": client.client_id,
        "method": client.method,
        "registered": client.registered,
        "redirect_uri": client.redirect_uri,
    }
