"""Secrets in foreign text: what has the shape of a key that gives access, and what is written behind "password".

Shapes are those of the issuers; a word before a value is weaker evidence, so values that stand for nothing are spared.
What was found is named by its kind and never repeated.
"""

import re

_SHAPES: tuple[tuple[str, bytes], ...] = (
    ("a private key", rb"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----"),
    ("a GitHub token", rb"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,})"),
    ("an AWS key", rb"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    ("a Slack token", rb"\bxox[abposr]-[A-Za-z0-9-]{20,}"),
    ("a Stripe key", rb"\b[rs]k_live_[A-Za-z0-9]{20,}"),
    ("an API key", rb"\bsk-(?:[a-z]+-){0,3}[A-Za-z0-9_-]{32,}"),
    ("a Google API key", rb"\bAIza[A-Za-z0-9_-]{35}"),
    ("a signed token", rb"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    (
        "a password in an address",
        rb"\b[a-z][a-z0-9+.-]{1,20}://[^/\s:@\"]{1,60}:(?!\*|x{3}|<|\$|\{)[^/\s@\"]{3,80}@[A-Za-z0-9]",
    ),
)
_NAMED = re.compile(
    rb"(?i)(password|passwd|client[_-]?secret|api[_-]?key|access[_-]?token|refresh[_-]?token|private[_-]?key)"
    rb"[\\\"']{0,3}\s{0,3}[:=]\s{0,3}[\\\"']{0,3}([^\s\\\"',;}&]{8,})"
)
_EMPTY = re.compile(
    rb"(?i)[*\xe2\x80\xa2.x#_-]{3}|[<\[$%{(]|redact|hidden|masked|secret|none|null|undefined|true|false|not|example|your|required|missing|invalid|string"
)
_MAY = re.compile("|".join(f"(?:{shape.decode()})" for _, shape in _SHAPES).encode())


def secret_in(text: bytes) -> str:
    """What kind of secret a text has in it, for a sentence: "a GitHub token"; "" for none."""
    if _MAY.search(text):
        return next(kind for kind, shape in _SHAPES if re.search(shape, text))
    for found in _NAMED.finditer(text):
        value = found.group(2)
        if not _EMPTY.match(value) and any(48 <= byte <= 57 for byte in value) and not value.isdigit():
            return f"a value for {found.group(1).decode().lower()}"
    return ""
