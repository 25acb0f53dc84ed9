"""Stored logins: who issued the token, its lifetime and scope, the claims of a JWT. Never the token itself."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

from inspector import text
from inspector.auth.steps import AccessToken, Client, LoginStep, StepVerdict, StoredLogin
from inspector.auth.tokens import shortened, token_warnings
from inspector.present import spans
from inspector.present.http import masked_url
from inspector.present.spans import Fact, Line, Role, Section, fact, span
from inspector.protocol.claims import audiences, moment, read_claims
from inspector.protocol.url_hosts import is_loopback

_NOT_VERIFIED = "decoded from the token, not verified"
_SHOWN = ("iss", "sub", "aud", "scope", "scp", "client_id", "azp", "iat", "nbf", "exp")
"""Claims that explain a refusal; others are for the server and may be about the user."""
_TIMES = ("iat", "nbf", "exp")
_SIGNS: dict[StepVerdict, tuple[str, Role]] = {
    StepVerdict.GOOD: (spans.OK, "ok"),
    StepVerdict.ODD: (spans.WARNING, "warning"),
    StepVerdict.ASSUMED: (spans.WARNING, "warning"),
    StepVerdict.MISSING: (spans.NOTE, "muted"),
    StepVerdict.BROKEN: (spans.ERROR, "error"),
}
_MAX_URL_CHARS = 8000
_UNQUOTED = "%/:=&?#+!$,;'@()*[]~"
OTHER_ORIGIN = "continue only if it belongs to the page's host. Enter twice opens the page"
"""What to do if the code of a login goes to another host than the page that asks for consent."""
_QUIET = 2
"""Modules of margin. The standard wants four; cameras make do with two, and terminals are small."""
_BLOCKS = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}


@dataclass(frozen=True, slots=True)
class LinkFacts:
    """What the user should know before a link is opened."""

    url: str
    """As received: foreign text."""
    host: str
    """Host in punycode, with the port if there is one; "" if it has none."""
    why_not: str = ""
    """Why the link is not opened; "" if it may be."""
    warnings: tuple[str, ...] = ()

    @property
    def openable(self) -> str:
        """URL in ASCII, for a browser; "" if it may not be opened."""
        if self.why_not:
            return ""
        parts = urlsplit(self.url)
        rest = [quote(part, safe=_UNQUOTED) for part in (parts.path, parts.query, parts.fragment)]
        return urlunsplit((parts.scheme, self.host, *rest))


def login_sections(url: str, known: StoredLogin, now: float) -> tuple[Section, ...]:
    """Return everything stored about a server's login. `now`: seconds since 1970."""
    token = known.token
    if token is None:
        held = Section("Token", note="none stored")
        return (held, *_clients(known))
    claims = read_claims(token.access_token)
    found = (
        Section(
            "Token",
            (*_token(token, now), *(fact("beware", each, "warning") for each in token_warnings(token, url, now))),
        ),
        Section("Claims", tuple(_claims(claims, now)), note=_NOT_VERIFIED) if claims is not None else Section(""),
        *_clients(known),
    )
    return tuple(section for section in found if section.facts)


def login_data(url: str, known: StoredLogin, now: float) -> dict[str, Any]:
    """Return a login as data for scripts, without secrets."""
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
        "doubts": list(token_warnings(token, url, now)),
    }
    return data


def login_line(url: str, known: StoredLogin, now: float) -> Fact:
    """Return one server in a list of logins."""
    token = known.token
    if token is None:
        return fact(url, "no token; client registered" if known.clients else "no token", "muted")
    renew = ", renewable" if token.refresh_token else ""
    role = "warning" if expired(token, now) and not token.refresh_token else "text"
    return fact(url, f"{_lasts(token, now)}{renew}; by {token.issuer}", role)  # type: ignore[arg-type]


def expired(token: AccessToken, now: float) -> bool:
    """Whether the token has expired, as far as its lifetime is known."""
    return token.expires_at is not None and token.expires_at <= now


def _token(token: AccessToken, now: float) -> Iterator[Fact]:
    yield fact("token", f"{token.kind} {shortened(token.access_token)}")
    yield fact("issuer", token.issuer)
    yield fact("for", token.resource or "not reported")
    yield fact("scopes", " ".join(_scopes(token)) or "not reported")
    yield Fact("good", _lasts(token, now), "warning" if expired(token, now) else "ok")
    yield Fact("renewable", "yes, automatically" if token.refresh_token else "no: requires a new login", "text")


def _scopes(token: AccessToken) -> list[str]:
    """Return the granted scopes; those that were requested if the response did not name any."""
    return list(token.scopes if token.scopes is not None else token.asked)


def _lasts(token: AccessToken, now: float) -> str:
    if token.expires_at is None:
        return "lifetime not reported"
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


def _clients(known: StoredLogin) -> tuple[Section, ...]:
    facts = tuple(
        fact(
            client.client_id,
            f"at {issuer}, by {client.method}" + (", registered by mcp-inspect" if client.registered else ""),
        )
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


# The steps of a login: each request, its response, its verdict, and what to do about it.


def step_lines(login_steps: Iterable[LoginStep], *, brief: bool = False) -> list[Line]:
    """Return a few lines per step; `brief` leaves out paragraphs, and requests that are OK."""
    return [line for login_step in login_steps for line in _step(login_step, brief)]


def ladder_section(login_steps: Sequence[LoginStep]) -> Section:
    """Return the steps as a section; empty if there was no login."""
    return Section("Login", lines=tuple(step_lines(login_steps, brief=True)), note=steps_end(login_steps, climbed=True))


def steps_end(login_steps: Sequence[LoginStep], *, climbed: bool = False) -> str:
    """Return the outcome of the steps, one sentence; "" if there are none.

    `climbed`: a login succeeded, so a failed step was not needed unless it was the last one.
    """
    broken = [
        login_step
        for login_step in (login_steps[-1:] if climbed else login_steps)
        if login_step.verdict is StepVerdict.BROKEN
    ]
    if broken:
        return f"Fails at: {broken[0].what}."
    silent = [login_step.what for login_step in login_steps if login_step.request and not login_step.status]
    if silent and not climbed:
        return f"Unclear: no response at {', '.join(dict.fromkeys(silent))}."
    if not climbed and any(login_step.verdict is StepVerdict.ASSUMED for login_step in login_steps):
        if lost := [each for each in login_steps if each.verdict is StepVerdict.ODD and each.status >= 400]:
            return f"Fails at: {lost[0].what}."
        return "Unclear: no OAuth metadata, so only a login shows if there is one. For a fixed token, use -H."
    deviates = (StepVerdict.ODD, StepVerdict.ASSUMED)
    odd = [login_step.what for login_step in login_steps if login_step.verdict in deviates]
    if odd:
        return f"Works, with deviations from the standard: {', '.join(dict.fromkeys(odd))}."
    return "All steps OK." if login_steps else ""


def as_data(login_steps: Iterable[LoginStep]) -> list[dict[str, Any]]:
    """Return the steps as data for scripts."""
    return [
        {
            "step": login_step.what,
            "verdict": login_step.verdict.value,
            "found": login_step.found,
            "request": masked_url(login_step.request),
            "status": login_step.status or None,
            "clause": login_step.clause,
            "fix": login_step.fix,
        }
        for login_step in login_steps
    ]


def _step(login_step: LoginStep, brief: bool) -> Iterable[Line]:
    sign, role = _SIGNS[login_step.verdict]
    yield ((f"{sign} ", role), span(login_step.what, "strong"), ("  ", "text"), span(login_step.found, "text"))
    well = login_step.verdict in (StepVerdict.GOOD, StepVerdict.MISSING)
    if login_step.request and not (brief and login_step.verdict is StepVerdict.GOOD):
        status = f"  {login_step.status}" if login_step.status else "  no response"
        yield (("    ", "text"), (masked_url(login_step.request), "muted"), (status, "muted"))
    if login_step.clause and not (brief and well):
        yield (("    ", "text"), span(login_step.clause, "muted"))
    if login_step.fix and not (brief and well):
        yield (("    → ", "accent"), span(login_step.fix, "text"))


# A link that a server wants opened: where it really leads, and whether it may be opened at all.


def read_link(url: str) -> LinkFacts:
    """Analyse a URL. Nothing is resolved or fetched."""
    if why_not := _unreadable(url):
        return LinkFacts(url, "", why_not)
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        return LinkFacts(url, "", f"invalid URL: {text.visible(str(error), limit=200)}")
    if parts.scheme.lower() not in ("http", "https"):
        named = text.visible(parts.scheme, limit=40)
        return LinkFacts(url, "", f"only http and https are opened, not {named or 'this'}")
    ascii_host = _punycode(host)
    if not ascii_host:
        return LinkFacts(url, "", "it has no valid host")
    shown = f"[{ascii_host}]" if ":" in ascii_host else ascii_host
    return LinkFacts(url, shown if port is None else f"{shown}:{port}", "", tuple(_warnings(url, host, ascii_host)))


def link_section(link: LinkFacts, code_host: str = "") -> Section:
    """Return the whole URL, its host, and its warnings. `code_host`: the other host that gets the code of a login."""
    facts = [fact("host", link.host, "strong")] if link.host else []
    facts.append(Fact("url", text.visible(link.url, limit=_MAX_URL_CHARS), "target"))
    facts += [Fact("beware", warning, "warning") for warning in link.warnings]
    if code_host:
        message = f"the code goes to {text.visible(code_host, limit=200)}, another origin: {OTHER_ORIGIN}"
        facts.append(Fact("beware", message, "warning"))
    if link.why_not:
        facts.append(Fact("not opened", link.why_not, "error"))
    return Section("Link", tuple(facts))


def _unreadable(url: str) -> str:
    if not url:
        return "the request has no URL"
    if len(url) > _MAX_URL_CHARS:
        return f"longer than {_MAX_URL_CHARS} characters"
    if any(char.isspace() or not char.isprintable() for char in url):
        return "it contains spaces or control characters"
    return "it contains a backslash, which browsers interpret differently" if "\\" in url else ""


def _punycode(host: str) -> str:
    """Return the host in ASCII; "" if it can't be converted."""
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return ""


def _warnings(url: str, host: str, ascii_host: str) -> list[str]:
    found = []
    if not host.isascii() or any(label.startswith("xn--") for label in ascii_host.split(".")):
        found.append(f"the host name has letters of another alphabet: {text.visible(host, limit=300)}")
    if "@" in urlsplit(url).netloc:
        found.append("the part before the @ is not the host; it is not sent")
    if urlsplit(url).scheme.lower() == "http" and not is_loopback(ascii_host):
        found.append("http is not encrypted: others on the network can read it")
    return found


# A URL as a QR code in half blocks, for a camera: each line holds two rows of modules.


def qr_lines(url: str) -> tuple[str, ...]:
    """Return the code with dark modules as blocks. Show it dark on light, or cameras see its negative.

    Empty for a text that is too long for any code.
    """
    import segno

    try:
        code = segno.make(url, error="l", micro=False, boost_error=False)
    except segno.DataOverflowError:
        return ()
    rows = [[bool(square) for square in row] for row in code.matrix_iter(border=_QUIET)]
    if len(rows) % 2:
        rows.append([False] * len(rows[0]))
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return tuple("".join(_BLOCKS[pair] for pair in zip(upper, lower, strict=True)) for upper, lower in pairs)


def too_small(lines: tuple[str, ...], width: int, height: int) -> str:
    """Return why a code does not fit into so many cells, as a sentence; "" if it does."""
    if not lines:
        return "The URL is too long for a QR code."
    if len(lines[0]) > width or len(lines) > height:
        return f"The QR code needs {len(lines[0])} × {len(lines)} cells; the terminal has {width} × {height}."
    return ""
