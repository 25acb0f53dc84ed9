"""HTTP exchanges as recorded: request line, status, and headers in their order, with secrets masked.

Headers are shown with case and duplicates as on the wire. `reveal` shows what is masked. It is for the user who
requested it, never for a file.
"""

import re
import shlex

from inspector import text
from inspector.capture.connection_facts import HttpExchange
from inspector.capture.journal import Journal
from inspector.present.spans import Fact, Section, fact
from inspector.protocol.credentials import (
    MASK,
    SCHEME,
    USERINFO,
    is_credential,
    mask,
    secret_parameters,
    without_parameters,
)
from inspector.protocol.facts import HttpFact
from inspector.text import lazy_pattern

_MAX_CHARS = 2000
"""Maximum characters of a URL or a header that are examined and shown."""
_SESSION = lazy_pattern(r"(?<![a-z])session(?![a-z])", re.IGNORECASE)
"""Grants access while the session lasts. In a capture that is being read, the session has ended."""

VARIABLE_PREFIX = "MCP_SECRET_"
"""Prefix of the variables from which a command or a script reads secrets."""

_OF_CURL = {"host", "content-length", "connection", "transfer-encoding", "accept-encoding"}
"""Headers that curl writes itself."""

_NOT_IN_VARIABLES = lazy_pattern(r"[^A-Z0-9]+")


def is_secret(name: str) -> bool:
    """Whether the value of a header or variable with this name is sensitive."""
    return is_credential(name) or _SESSION.search(name) is not None


def masked_value(name: str, value: str) -> str:
    """Return a header's value, safe to show; for a secret only its scheme and its length.

    The masked value still distinguishes an empty token from a truncated one.
    """
    if not is_secret(name):
        return masked_url(value) if "://" in value or "?" in value else text.visible(value)
    return text.visible(mask(value)) if value else "(empty)"


def masked_url(url: str, *, limit: int = _MAX_CHARS) -> str:
    """Return a URL, safe to show, without user, password and the values of secret query parameters.

    `limit`: characters of it that are shown; the rest is "…".
    """
    shown = url[:limit]
    masked = without_parameters(USERINFO.sub(f"{MASK}@", shown), sessions=True)
    return text.visible(masked) + ("…" if len(url) > limit else "")


def http_sections(journal: Journal, http: int | None, *, reveal: bool = False) -> tuple[Section, ...]:
    """Return request, response and end of one HTTP exchange; empty for None or an exchange that was not recorded."""
    exchange = journal.http_exchanges.get(http) if http is not None else None
    return () if exchange is None else exchange_sections(exchange, reveal=reveal)


def exchange_sections(exchange: HttpExchange, *, reveal: bool = False) -> tuple[Section, ...]:
    """Return request, response and end of an exchange, as far as they were recorded."""
    found = [_request(exchange.request, reveal), _response(exchange, reveal), _end(exchange)]
    return tuple(section for section in found if section is not None)


def header_facts(sent: HttpFact, *, reveal: bool = False) -> tuple[Fact, ...]:
    """Return headers as facts, in their order."""
    return tuple(_header(name, value, reveal) for name, value in sent.headers)


def _header(name: str, value: str, reveal: bool) -> Fact:
    if reveal:
        return fact(name, value)
    shown = masked_value(name, value)
    return Fact(text.visible(name, limit=200), shown[:_MAX_CHARS], "muted" if is_secret(name) else "text")


def _request(request: HttpFact | None, reveal: bool) -> Section | None:
    if request is None:
        return None
    target = text.visible(request.target, limit=_MAX_CHARS) if reveal else masked_url(request.target)
    title = f"{text.visible(request.method, limit=20)} {target}"
    return Section(title, header_facts(request, reveal=reveal), note=text.visible(request.version, limit=20))


def _response(exchange: HttpExchange, reveal: bool) -> Section | None:
    response = exchange.response
    if response is None:
        return None
    began, responded = exchange.requested_ns, exchange.responded_ns
    after = "" if began is None or responded is None else f"after {text.human_duration(max(0, responded - began))}"
    version = text.visible(response.version, limit=20)
    title = f"{response.status} {text.visible(response.reason, limit=80)}".rstrip()
    note = " ".join(part for part in (version, after) if part)
    return Section(title, header_facts(response, reveal=reveal), note=note)


def _end(exchange: HttpExchange) -> Section | None:
    end = exchange.end
    if end is None:
        return None
    facts: list[Fact] = []
    if end.body_bytes is not None:
        facts.append(Fact("body", f"{end.body_bytes} bytes"))
    if end.why:
        facts.append(fact("why", end.why, "warning"))
    began, ended = exchange.requested_ns, exchange.ended_ns
    if began is not None and ended is not None:
        facts.append(Fact("took", text.human_duration(max(0, ended - began))))
    return Section("End", tuple(facts))


# A request as a curl command to share: every secret is a variable that the recipient sets.


def as_curl(request: HttpFact, body: bytes = b"", *, reveal: bool = False, one_line: bool = False) -> str:
    """Return the command; it reads a binary body from `body.bin`. `reveal`: secrets are included.

    A header whose name begins with @ is left out: curl would read a file of that name, and HTTP has no such header. In
    the place of Accept-Encoding, curl asks for what it can decode: otherwise a response would be printed compressed.
    """
    url = shlex.quote(request.target) if reveal else _url(request.target)
    if request.target.startswith("-"):
        url = f"--url {url}"  # otherwise curl takes it for an option
    if any(sign in request.target for sign in "[]{}"):
        url = f"-g {url}"  # otherwise curl expands it to several addresses
    lines = [f"curl -sS -N -X {shlex.quote(request.method or 'POST')} {url}"]
    headers = [(name, value) for name, value in request.headers if name.lower() not in _OF_CURL and name[:1] != "@"]
    lines += [
        f"-H {shlex.quote(f'{name}: {value}') if reveal else _curl_header(name, value)}" for name, value in headers
    ]
    if any(name.lower() == "accept-encoding" for name, _ in request.headers):
        lines.append("--compressed")
    if body:
        lines.append(_data(body))
    return (" " if one_line else " \\\n  ").join(lines)


def _data(body: bytes) -> str:
    try:
        written = body.decode()
    except UnicodeDecodeError:
        written = "\0"
    return "--data-binary @body.bin" if "\0" in written else f"--data-raw {shlex.quote(written)}"


def _curl_header(name: str, value: str) -> str:
    """Return a header, quoted, with variables for a secret value and for the secrets of a URL in it."""
    if not value and not is_secret(name):
        return shlex.quote(f"{name};")
    if is_secret(name):
        scheme = SCHEME.match(value)
        return shlex.quote(f"{name}: {scheme.group() if scheme else ''}") + _variable(name)
    return shlex.quote(f"{name}: ") + _url(value) if "://" in value else shlex.quote(f"{name}: {value}")


def _url(url: str) -> str:
    pieces, at = [], 0
    for begin, end, name in _secrets(url):
        pieces += [shlex.quote(url[at:begin]), _variable(name)]
        at = end
    if at < len(url) or not pieces:
        pieces.append(shlex.quote(url[at:]))
    return "".join(pieces)


def _secrets(url: str) -> list[tuple[int, int, str]]:
    """Return start, end and name of each secret in a URL, in order."""
    found = [(each.start(), each.end() - 1, "USERINFO") for each in USERINFO.finditer(url)]
    found += [(each.start, each.end, each.name) for each in secret_parameters(url, sessions=True)]
    return sorted(found)


def _variable(name: str) -> str:
    """Return a quoted reference to the shell variable of a secret.

    The prefix matters: a server that names a header or parameter `GITHUB-TOKEN` must not get the user's own
    variable.
    """
    return f'"${VARIABLE_PREFIX}{_NOT_IN_VARIABLES.sub("_", name.upper()).strip("_") or "SECRET"}"'
