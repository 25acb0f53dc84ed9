"""Redaction of credentials in HTTP headers and URLs, before they are written to the capture.

The replacement keeps the scheme and the length, which distinguishes an empty token from a truncated one. Messages
are never changed here.
"""

import msgspec

from inspector.protocol.credentials import is_credential, mask, without_credentials
from inspector.protocol.facts import ConnectionFact, Fact, HttpFact
from inspector.protocol.frames import Frame

_IN_URLS = ("location", "content-location", "referer", "link")


def redacted(what: Frame | Fact) -> Frame | Fact:
    """Return the item without credentials; the same object if it has none."""
    if isinstance(what, HttpFact):
        headers = tuple((name, _value(name, value)) for name, value in what.headers)
        target = without_credentials(what.target)
        if headers != what.headers or target != what.target:
            return msgspec.structs.replace(what, headers=headers, target=target)
    elif isinstance(what, ConnectionFact) and (url := without_credentials(what.url)) != what.url:
        return msgspec.structs.replace(what, url=url)
    return what


def _value(name: str, value: str) -> str:
    if is_credential(name):
        return mask(value)
    return without_credentials(value) if name.lower() in _IN_URLS else value
