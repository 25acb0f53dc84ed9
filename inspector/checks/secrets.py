"""Secrets in foreign text: what has the shape of a key that gives access, and what is written behind "password".

Shapes are those of the issuers; a word before a value is weaker evidence, so values that stand for nothing are spared.
What was found is named by its kind and never repeated. Text without a telling word costs a few microseconds.
"""

import re

_SHAPES: tuple[tuple[bytes, str, re.Pattern[bytes]], ...] = tuple(
    (begin, kind, re.compile(rest))
    for kind, rest, *beginnings in (
        ("a private key", rb"[A-Z ]{0,20}PRIVATE KEY-----", b"-----BEGIN "),
        ("a GitHub token", rb"[A-Za-z0-9]{36}", b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_"),
        ("a GitHub token", rb"[A-Za-z0-9_]{40}", b"github_pat_"),
        ("an AWS key", rb"[A-Z0-9]{16}(?![A-Za-z0-9])", b"AKIA", b"ASIA"),
        ("a Slack token", rb"[abposr]-[A-Za-z0-9-]{20}", b"xox"),
        ("a Stripe key", rb"[A-Za-z0-9]{20}", b"sk_live_", b"rk_live_"),
        ("an API key", rb"(?:[a-z]+-){0,3}[A-Za-z0-9_]{32}", b"sk-"),
        ("an API key", rb"(?:ant|proj|svcacct|or)-[A-Za-z0-9_-]{32}", b"sk-"),
        ("a Google API key", rb"[A-Za-z0-9_-]{35}", b"AIza"),
        ("a signed token", rb"[A-Za-z0-9_-]{10,4000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10}", b"eyJ"),
        ("a password in an address", rb"[^/\s:@\"\\]{1,60}:(?!\*|x{3}|[<$\{])[^/\s@\"\\]{3,80}@[A-Za-z0-9]", b"://"),
    )
    for begin in beginnings
)
_WORDS = tuple(
    (first + joint + second).encode()
    for first, second in (
        ("password", ""),
        ("passwd", ""),
        ("client", "secret"),
        ("api", "key"),
        ("access", "token"),
        ("refresh", "token"),
        ("private", "key"),
    )
    for joint in (("_", "-", "") if second else ("",))
)
_ANY_BEGINNING = re.compile(b"|".join(re.escape(begin) for begin, _, _ in _SHAPES))
_ANY_WORD = re.compile(b"|".join(re.escape(word) for word in _WORDS))
"""Most texts have none of them, which one pass tells."""
_VALUE = re.compile(rb"[\\\"']{0,3}\s{0,3}[:=]\s{0,3}[\\\"']{0,3}([^\s\\\"',;}&]{8,200})")
_EMPTY = re.compile(
    rb"(?i)[*.x#_-]{3}|\xe2\x80\xa2|[<\[$%{(]|redact|hidden|masked|secret|none|null|undefined|true|false|not|example"
    rb"|your|required|missing|invalid|string"
)
_MOST = 20
"""Places of one beginning or word that are looked at."""


def secret_in(text: bytes) -> str:
    """What kind of secret a text has in it, for a sentence: "a GitHub token"; "" for none."""
    for begin, kind, rest in _SHAPES if _ANY_BEGINNING.search(text) else ():
        for at in _places(text, begin) if begin in text else ():
            behind_letter = begin[:1].isalpha() and at and text[at - 1 : at].isalnum()
            if not behind_letter and rest.match(text, at + len(begin)):
                return kind
    small = text.lower()
    for word in _WORDS if _ANY_WORD.search(small) else ():
        for at in _places(small, word) if word in small else ():
            found = _VALUE.match(text, at + len(word))
            if found is not None and _says_something(found.group(1)):
                return f"a value for {word.decode()}"
    return ""


def _places(text: bytes, word: bytes) -> list[int]:
    found: list[int] = []
    at = text.find(word)
    while at >= 0 and len(found) < _MOST:
        found.append(at)
        at = text.find(word, at + 1)
    return found


def _says_something(value: bytes) -> bool:
    return not _EMPTY.match(value) and any(48 <= byte <= 57 for byte in value) and not value.isdigit()
