"""Diagnoses of failed authorization."""

from typing import Any

import pytest

from inspector.checks.findings import Confidence, Severity
from inspector.protocol.credentials import MASK
from inspector.protocol.facts import HttpEvent, HttpFact
from inspector.protocol.jsonrpc import encode
from tests.checks.both import of_one
from tests.checks.talks import Cases, Script, Talk

_RESOURCE = "https://host/.well-known/oauth-protected-resource/mcp"
_SERVER = "https://login/.well-known/oauth-authorization-server"
_BEARER = 'Bearer resource_metadata="https://host/x"'
_METADATA = {
    "issuer": "https://login",
    "token_endpoint": "https://login/token",
    "registration_endpoint": "https://login/r",
}


def _asked(**headers: str) -> Talk:
    """A POST on its way, with these headers."""
    talk = Talk(4, opened=False, transport="http")
    talk.http = 1
    sent = tuple(headers.items())
    return talk.fact(HttpFact(HttpEvent.REQUEST, 1, "POST", "https://host/mcp", headers=sent)).ask("initialize")


def _refused(challenge: str = "", status: int = 401, **sent: str) -> Talk:
    more = {"WWW_Authenticate": challenge} if challenge else {}
    return _asked(**sent).head(status, "application/json", **more).over()


def _aside(
    talk: Talk, url: str, document: Any = None, status: int = 200, kind: str = "application/json", method: str = "GET"
) -> Talk:
    talk.http += 1
    talk.fact(HttpFact(HttpEvent.REQUEST, talk.http, method, url)).head(
        status if document or kind else 404, kind or "text/plain"
    )
    return talk.fact(HttpFact(HttpEvent.END, talk.http, document=None if document is None else encode(document)))


def _described(**more: Any) -> Script:
    return lambda: _aside(
        _refused(_BEARER), _SERVER, {name: value for name, value in (_METADATA | more).items() if value}
    )


def _dated(date: str) -> Script:
    return lambda: _asked(Authorization="…").head(200, Date=date)


def _token(status: int) -> Script:
    return lambda: _aside(_described()(), "https://login/token", status=status, method="POST")


def _back(query: str, **more: Any) -> Script:
    """A browser came back from the login."""

    def talk() -> Talk:
        begun = _described(**more)()
        begun.http += 1
        target = f"http://127.0.0.1:5/callback?code=%E2%80%A2&state=%E2%80%A2{query}"
        begun.fact(HttpFact(HttpEvent.REQUEST, begun.http, "GET", target))
        return begun.fact(HttpFact(HttpEvent.END, begun.http))

    return talk


def _without_metadata(status: int) -> Script:
    """The resource names an authorization server, whose metadata is answered by a status."""

    def talk() -> Talk:
        begun = _aside(
            _refused(_BEARER), _RESOURCE, {"resource": "https://host/mcp", "authorization_servers": ["https://login"]}
        )
        found = _METADATA if status == 200 else {"error": "server_error"}
        return _aside(begun, _SERVER, found, status).close("a person must consent")

    return talk


CASES: Cases = {
    "missing-www-authenticate": (lambda: _refused().close(), lambda: _refused("Bearer").close()),
    "authentication-required": (
        lambda: _refused(_BEARER).close(),
        lambda: _refused(_BEARER, Authorization="…").close(),
    ),
    "resource-metadata-missing": (
        lambda: _aside(_refused(_BEARER), _RESOURCE, kind="").close(),
        lambda: _aside(_refused(_BEARER), _RESOURCE, {"resource": "https://host/mcp"}).close(),
    ),
    "metadata-is-html": (
        lambda: _aside(_refused(_BEARER), _RESOURCE, kind="text/html"),
        lambda: _aside(_refused(_BEARER), _RESOURCE, kind="text/html", status=404, document=None),
    ),
    "client-registration-unavailable": (_described(registration_endpoint=None), _described()),
    "credentials-rejected": (lambda: _refused("Bearer", Authorization="…"), lambda: _refused("Bearer")),
    "oauth-client-rejected": (_token(401), _token(200)),
    "clock-skew": (_dated("Thu, 01 Jan 1970 00:10:00 GMT"), _dated("Thu, 01 Jan 1970 00:00:10 GMT")),
    "redirect-issuer-mismatch": (_back("&iss=https%3A%2F%2Fevil.example"), _back("&iss=https%3A%2F%2Flogin")),
    "unsafe-metadata-url": (
        _described(authorization_endpoint="javascript:alert(1)"),
        _described(authorization_endpoint="http://localhost:8000/a"),
    ),
    "non-bearer-challenge": (
        lambda: _refused('Basic realm="x"'),
        lambda: _refused('Basic realm="x", Bearer realm="y"'),
    ),
    "authorization-server-metadata-missing": (_without_metadata(500), _without_metadata(200)),
    "oauth-endpoint-missing": (
        _described(token_endpoint=None, authorization_endpoint="https://login/a"),
        _described(authorization_endpoint="https://login/a"),
    ),
}


def test_a_guess_that_was_right_makes_a_missing_challenge_milder() -> None:
    talk = _aside(_refused(), _RESOURCE, {"resource": "https://host/mcp"})
    (found,) = of_one(talk.close().findings(), "missing-www-authenticate")
    assert found.severity is Severity.WARNING


def test_a_login_that_led_in_is_not_reported_as_required() -> None:
    refused = _refused(_BEARER)
    (found,) = of_one(refused.close().findings(), "authentication-required")
    assert found.severity is Severity.HINT
    assert found.sentence == f"authentication required: initialize was answered with HTTP 401 ({_BEARER})"
    again = _refused(_BEARER)
    again.http = 2
    sent = (("Authorization", "Bearer x"),)
    again.fact(HttpFact(HttpEvent.REQUEST, 2, "POST", "https://host/mcp", headers=sent)).ask("initialize")
    assert not of_one(again.head(200, "application/json").over().close().findings(), "authentication-required")


def test_metadata_that_is_missing_is_a_fault_only_of_a_server_that_speaks_of_oauth() -> None:
    assert not of_one(_aside(_refused("Bearer"), _RESOURCE, kind="").close().findings(), "resource-metadata-missing")
    without_resource = _aside(_aside(_refused("Bearer"), _RESOURCE, kind=""), _SERVER, _METADATA)
    assert of_one(without_resource.close().findings(), "resource-metadata-missing")


def test_promised_issuer_missing_in_redirect_is_found() -> None:
    promised = {"authorization_response_iss_parameter_supported": True}
    (found,) = of_one(_back("", **promised)().findings(), "redirect-issuer-mismatch")
    assert "no iss" in found.sentence
    assert found.confidence is Confidence.LIKELY
    assert not of_one(_back("")().findings(), "redirect-issuer-mismatch")


@pytest.mark.parametrize(
    ("target", "why"), [("http://127.0.0.1:5/mcp?iss=x", ""), ("https://host/mcp?state=a&code=b&iss=x", "closed")]
)
def test_no_other_request_is_taken_for_a_way_back(target: str, why: str) -> None:
    talk = _described()()
    talk.http += 1
    talk.fact(HttpFact(HttpEvent.REQUEST, talk.http, "GET", target)).over(why)
    assert not of_one(talk.findings(), "redirect-issuer-mismatch")


def test_missing_scope_is_found_with_the_login_command() -> None:
    talk = _refused('Bearer scope="list"')
    talk.post(Authorization="…").head(403, WWW_Authenticate='Bearer error="insufficient_scope", scope="files:read"')
    (found,) = of_one(talk.findings(), "credentials-rejected")
    assert "files:read" in found.sentence
    assert "mcp-inspect auth login --scope 'list files:read' http://host/mcp" in found.fix


@pytest.mark.parametrize(
    ("value", "lacks"),
    [
        ("tok123", True),
        (f"{MASK} (6 characters)", True),
        ("Bearer tok123", False),
        (f"Bearer {MASK} (6 characters)", False),
    ],
)
def test_rejected_credentials_without_a_scheme_word_say_so(value: str, *, lacks: bool) -> None:
    (found,) = of_one(_refused("Bearer", Authorization=value).findings(), "credentials-rejected")
    assert ("without a scheme word such as Bearer" in found.sentence) is lacks
    assert "tok123" not in found.sentence


@pytest.mark.parametrize("url", ["file:///etc/passwd", "http://evil.example/a", "-x", "https//no"])
def test_only_addresses_that_can_be_trusted_are_no_fault(url: str) -> None:
    assert of_one(_described(authorization_endpoint=url)().findings(), "unsafe-metadata-url")
