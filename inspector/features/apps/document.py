"""The document of a View as it is loaded: with a Content Security Policy, and a script that reports violations.

The policy is a header of the sandbox page, whose inner frame inherits it, and a `meta` element in the document.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from inspector.protocol.apps import Page

MOST_BYTES = 16 * 1024 * 1024
"""Maximum size of an app's HTML in bytes."""
_DOCTYPE = re.compile(r"(?:\ufeff|\s|<!--.{0,2000}?-->){0,20}<!doctype[^>]{0,500}>", re.IGNORECASE | re.DOTALL)
_SOURCE = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?(?://)?[A-Za-z0-9*._-]*(?::(?:\d{1,5}|\*))?(?:/[A-Za-z0-9._~%/-]*)?")
"""A host, an origin or a scheme, as a Content Security Policy has them: no keyword, and no separator."""
ALLOWED_BY = {
    "camera": "camera",
    "microphone": "microphone",
    "geolocation": "geolocation",
    "clipboardWrite": "clipboard-write",
}
"""Features of the permissions policy by the names of MCP Apps."""

_SCRIPT = Path(__file__).with_name("pages") / "reporter.js"
_REPORTER = f"<script>{_SCRIPT.read_text('utf-8').strip()}</script>".replace("\n", " ")
"""Runs before the app. It has its own channel to the sandbox page, so that the app can't send reports.

What the browser refuses to a sandboxed frame without an event is reported by functions and properties that do the same
as the browser's own. Reading the page around the app is not among them: it can't be observed.
"""


def policy_of(page: Page) -> str:
    """Return the Content Security Policy of a page: what it declares, and nothing else.

    A page that declares domains may also load its own bytes as `blob:` and `data:`, as in the reference host, for
    example for a worker; without any, the specification's default applies. `'self'` is left out: the document has no
    origin of its own, and ours serves nothing for it.
    """
    declared = {name: " ".join(valid_sources(found)[0]) for name, found in page.domains}
    resources, connections = declared.get("resourceDomains", ""), declared.get("connectDomains", "")
    own = "blob: data: " if declared else ""
    directives = {
        "default-src": "'none'",
        "script-src": f"'unsafe-inline' {own}{resources}",
        "style-src": f"'unsafe-inline' {own}{resources}",
        "img-src": f"{own or 'data: '}{resources}",
        "font-src": f"{own}{resources}".strip() or "'none'",
        "media-src": f"{own or 'data: '}{resources}",
        "worker-src": f"{own}{resources}".strip() or "'none'",
        "connect-src": connections or "'none'",
        "frame-src": declared.get("frameDomains") or "'none'",
        "object-src": "'none'",
        "base-uri": declared.get("baseUriDomains") or "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value.strip()}" for name, value in directives.items())


def valid_sources(domains: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the declared domains that a policy can hold, and the others, which are not allowed then."""
    good, bad = list[str](), list[str]()
    for each in domains:
        (good if each and len(each) <= 300 and _SOURCE.fullmatch(each) else bad).append(each)
    return good, bad


def document_of(page: Page) -> str:
    """Return the HTML of a page with its policy and the reporting script, in the first line of its own text.

    They follow the doctype, so that the browser's mode and the numbers of the lines stay the same.
    """
    source = page.source.decode("utf-8", "replace")
    policy = policy_of(page).replace("&", "&amp;").replace('"', "&quot;")
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">{_REPORTER}'
    found = _DOCTYPE.match(source)
    at = found.end() if found else 0
    return source[:at] + head + source[at:]


def permissions_policy(page: Page) -> str:
    """Return the value of the `allow` attribute of the inner frame."""
    return "; ".join(ALLOWED_BY[name] for name in page.permissions if name in ALLOWED_BY)
