"""Logins: challenges and public metadata."""

import json
from typing import Any

import pytest

from inspector.protocol.facts import ConnectionEvent, ConnectionFact
from inspector.protocol.revisions.table import ROWS
from tests.checks.both import of_one
from tests.checks.talks import Cases, Script, Talk, ids

_URL = "https://api.example/mcp"
_PRM = "https://api.example/.well-known/oauth-protected-resource"
_AS = "https://as.example/.well-known/oauth-authorization-server"
_POINTER = f'Bearer resource_metadata="{_PRM}"'
_RESOURCE = {"resource": _URL, "authorization_servers": ["https://as.example"]}
_SERVER = {
    "issuer": "https://as.example",
    "authorization_endpoint": "https://as.example/a",
    "token_endpoint": "https://as.example/t",
    "code_challenge_methods_supported": ["S256"],
}


def _talk(row: int = 4, *, opened: bool = False) -> Talk:
    connection = ConnectionFact(ConnectionEvent.OPEN, "http", url=_URL)
    return Talk(row, transport="http", opened=opened, connection=connection)


def _refused(challenge: str = "", status: int = 401, *, row: int = 4, opened: bool = False) -> Talk:
    headers = {"WWW_Authenticate": challenge} if challenge else {}
    return _talk(row, opened=opened).post(target=_URL).ask("tools/list").head(status, **headers)


def _looked(*found: Any) -> Script:
    """A refusal without a pointer, and what was at the usual places."""

    def script() -> Talk:
        talk = _refused("Bearer")
        for place, value in enumerate(found):
            talk.fetch(f"{_PRM}/{place}", None if value is None else json.dumps(value).encode(), 200 if value else 404)
        return talk.close("it was refused")

    return script


def _resource(**more: Any) -> Script:
    return lambda: _talk().fetch(f"{_PRM}/mcp", json.dumps(_RESOURCE | more).encode())


def _server(url: str = _AS, *, named: str = "", **more: Any) -> Script:
    def script() -> Talk:
        talk = _talk()
        if named:
            talk.fetch(_PRM, json.dumps(_RESOURCE | {"authorization_servers": [named]}).encode())
        return talk.fetch(url, json.dumps(_SERVER | more).encode())

    return script


def _returned(query: str, **server: Any) -> Script:
    """A browser comes back to this machine, after the metadata was read."""
    says = {"authorization_response_iss_parameter_supported": True}
    return lambda: _server(**says | server)().post("GET", f"http://127.0.0.1:4711/callback?{query}")


def _scoped(challenge: str) -> Script:
    return lambda: _refused(challenge, 403, opened=True)


CASES: Cases = {
    "challenge-without-metadata": (_looked(None, None), _looked(None, _RESOURCE)),
    "resource-metadata-invalid": (
        _resource(resource="https://api.example/other"),
        _resource(resource="https://API.example:443/"),
    ),
    "authorization-server-metadata-invalid": (_server(issuer="https://evil.example"), _server()),
    "redirect-issuer-missing": (_returned("code=x"), _returned("code=x&iss=https://as.example")),
    "scopes-not-announced": (
        _scoped('Bearer error="insufficient_scope", scope="a"'),
        _scoped(f'Bearer error="insufficient_scope", scope="a", resource_metadata="{_PRM}"'),
    ),
}


@pytest.mark.parametrize(
    ("id_", "script"),
    [
        ("challenge-without-metadata", lambda: _refused("Bearer", row=3, opened=True).close()),
        ("challenge-without-metadata", lambda: _refused(f"{_POINTER}, resource_metadata={_URL}").close()),
        ("challenge-without-metadata", lambda: _refused('Bearer resource_metadata="https:api.example/"').close()),
        ("challenge-without-metadata", lambda: _refused('Bearer resource_metadata="http://mcp.internal/x"').close()),
        ("resource-metadata-invalid", _resource(authorization_servers=[])),
        ("authorization-server-metadata-invalid", _server(code_challenge_methods_supported=["plain"])),
        (
            "authorization-server-metadata-invalid",
            _server("http://as.example/.well-known/openid-configuration", issuer="http://as.example"),
        ),
        ("issuer-final-slash", _server(named="https://as.example/")),
        ("redirect-issuer-missing", _returned("error=x&iss=https%3A%2F%2Fas.example%2F")),
        ("scopes-not-announced", _scoped('Bearer scope="a offline_access"')),
        ("scopes-not-announced", _resource(scopes_supported=["offline_access"])),
    ],
)
def test_other_ways_to_break_the_rule_are_found(id_: str, script: Script) -> None:
    assert id_ in ids(script())


@pytest.mark.parametrize(
    ("id_", "script"),
    [
        ("challenge-without-metadata", lambda: _refused(_POINTER).close()),
        ("challenge-without-metadata", lambda: _refused('Bearer resource_metadata="https://as.example/x"').close()),
        ("challenge-without-metadata", lambda: _refused("Basic realm=x").close()),  # nobody looked at the usual places
        ("resource-metadata-invalid", _resource(resource="https://api.example")),
        (
            "authorization-server-metadata-invalid",
            _server("https://as.example/.well-known/openid-configuration/t", issuer="https://as.example/t"),
        ),
        (
            "authorization-server-metadata-invalid",
            _server("https://as.example/t/.well-known/openid-configuration", issuer="https://as.example/t"),
        ),
        (
            "authorization-server-metadata-invalid",
            _server("http://127.0.0.1:1/.well-known/oauth-authorization-server", issuer="http://127.0.0.1:1"),
        ),
        ("authorization-server-metadata-invalid", _server(issuer="https://as.example/")),
        ("authorization-server-metadata-invalid", _server(named="https://as.example/", issuer="https://as.example/")),
        ("issuer-final-slash", _server(issuer="https://evil.example")),
        ("authorization-server-metadata-invalid", _server(named="https://as.example/")),
        ("redirect-issuer-missing", _returned("code=x", authorization_response_iss_parameter_supported=False)),
        ("redirect-issuer-missing", _returned("page=1")),
        ("redirect-issuer-missing", lambda: _talk().post("GET", "http://127.0.0.1:4711/callback?code=x")),
        ("scopes-not-announced", _scoped('Bearer error="invalid_token"')),
    ],
)
def test_login_rule_accepts_legal_neighbour(id_: str, script: Script) -> None:
    assert id_ not in ids(script())


def test_a_server_that_has_no_metadata_anywhere_may_take_a_fixed_token() -> None:
    talk = _refused("Bearer")
    body = json.dumps({"error": "unauthorized"}).encode()
    for place in (_PRM, f"{_PRM}/mcp", _AS, "https://api.example/.well-known/openid-configuration"):
        talk.fetch(place, body, 401)
    assert {(each.id, each.severity) for each in talk.close("it was refused").findings()} == {
        ("challenge-without-metadata", "hint")
    }


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 500])
def test_an_error_with_a_json_body_is_no_metadata(status: int) -> None:
    body = json.dumps({"detail": "Not Found", "resource": "x", "issuer": "y"}).encode()
    talk = _refused(_POINTER).fetch(f"{_PRM}/mcp", body, status).fetch(_PRM, json.dumps(_RESOURCE).encode())
    for place in ("oauth-authorization-server/t", "openid-configuration/t"):
        talk.fetch(f"https://as.example/.well-known/{place}", body, status)
    talk.fetch(_AS, json.dumps(_SERVER | {"registration_endpoint": "https://as.example/r"}).encode())
    assert not talk.close("a person must consent").findings()


def test_json_that_is_no_metadata_at_all_is_one_fault() -> None:
    talk = _talk().fetch(_PRM, b'{"status":"ok"}').fetch(_AS, b'{"status":"ok"}')
    assert [each.id for each in talk.findings()] == [
        "resource-metadata-invalid",
        "authorization-server-metadata-invalid",
    ]


def test_before_a_revision_is_known_the_page_is_the_newest_one_s() -> None:
    (found,) = of_one(_looked(None)().findings(), "challenge-without-metadata")
    assert found.page.startswith(ROWS[-1].page)
    assert found.revision == ""


@pytest.mark.parametrize(("body", "found"), [(b"OK", 1), (json.dumps(_RESOURCE).encode(), 0)])
def test_challenge_that_names_another_page_as_metadata_is_wrong(body: bytes, found: int) -> None:
    talk = _refused('Bearer resource_metadata="https://api.example/app"').fetch("https://api.example/app", body)
    flaws = of_one(talk.close("refused").findings(), "challenge-without-metadata")
    assert ["https://api.example/app" in each.sentence for each in flaws] == [True] * found
