"""The document of a View: its policy, and where the reporting script goes."""

from typing import Any

import pytest

from inspector.features.apps.document import document_of, permissions_policy, policy_of, valid_sources
from tests.features.apps.hosting import app


def _directives(**ui: Any) -> dict[str, str]:
    found = (each.partition(" ") for each in policy_of(app(**ui).page).split("; "))
    return {name: value for name, _, value in found}


def test_policy_without_declared_domains_allows_no_connection() -> None:
    found = _directives()
    assert found["default-src"] == "'none'"
    assert found["connect-src"] == found["frame-src"] == found["object-src"] == found["form-action"] == "'none'"
    assert found["script-src"] == "'unsafe-inline'"
    assert found["worker-src"] == "'none'"
    assert found["img-src"] == "data:"


def test_policy_allows_the_declared_domains_where_they_belong() -> None:
    csp = {
        "connectDomains": ["https://api.example", "wss://live.example"],
        "resourceDomains": ["https://*.cdn.example"],
        "frameDomains": ["https://video.example"],
        "baseUriDomains": ["https://base.example"],
    }
    found = _directives(csp=csp)
    assert found["connect-src"] == "https://api.example wss://live.example"
    assert found["script-src"] == "'unsafe-inline' blob: data: https://*.cdn.example"
    assert found["font-src"] == "blob: data: https://*.cdn.example"
    assert found["frame-src"] == "https://video.example"
    assert found["base-uri"] == "https://base.example"


@pytest.mark.parametrize(
    "domain",
    ["'unsafe-eval'", "https://a.example; script-src *", "https://a.example https://b", "a\r\nX: x", "", "a,b"],
)
def test_domain_that_is_no_source_does_not_enter_the_policy(domain: str) -> None:
    assert valid_sources([domain, "https://good.example"]) == (["https://good.example"], [domain])
    assert _directives(csp={"connectDomains": [domain]})["connect-src"] == "'none'"


@pytest.mark.parametrize(
    ("html", "begins"),
    [
        ("<!doctype html><html>", "<!doctype html><meta"),
        ("\ufeff\n<!-- a --><!DOCTYPE html SYSTEM 'about:legacy-compat'>\n<html>", "\ufeff\n<!-- a --><!DOCTYPE"),
        ("<html><head>", "<meta http-equiv"),
        ("<!-- <!doctype html> --><p>", "<meta http-equiv"),
    ],
)
def test_script_follows_the_doctype_and_adds_no_line(html: str, begins: str) -> None:
    made = document_of(app(html).page)
    assert made.startswith(begins)
    assert made.count("\n") == html.count("\n")
    assert made.index("securitypolicyviolation") < made.index(html[-6:])


def test_only_known_permissions_reach_the_frame() -> None:
    page = app(permissions={"camera": {}, "clipboardWrite": {}, "usb": {}}).page
    assert permissions_policy(page) == "camera; clipboard-write"
