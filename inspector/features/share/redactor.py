"""Removes secrets from a text by name, format, place and value.

It handles everything that a text may contain: JSON, JSON in a JSON string, base64, percent escapes, arbitrary lines.
Text that isn't replaced remains unchanged, character by character. It never raises, whatever the input.
"""

import json
import re
from collections.abc import Iterable
from functools import lru_cache

from inspector.features.share import line_secrets
from inspector.features.share.known import (
    JsonPath,
    KnownSecrets,
    Level,
    Pseudonyms,
    Replacement,
    Replacing,
    Secret,
    Span,
    as_bytes,
    path_of,
    spans,
    unquoted,
)
from inspector.features.share.prose import Persons, Prose
from inspector.protocol.credentials import is_masked, is_secret

_DEEPEST = 6
"""Maximum nesting depth of decoded texts. Deeper ones are treated as prose."""
_HALF = re.compile(r"[\ud800-\udfff]")
_JWK = frozenset({"d", "p", "q", "dp", "dq", "qi", "k"})
"""Private members of a JSON Web Key (RFC 7518, section 6)."""
_SHORTEST_OF_JWK = 20
_GLUE = re.compile(r"(?:[\s,:{}\[\]]|true|false|null)*+")


class Redactor:
    """Replaces secrets in texts, and records each replacement."""

    def __init__(
        self,
        pseudonyms: Pseudonyms,
        known: KnownSecrets,
        *,
        paths: Iterable[JsonPath] = (),
        users: Iterable[str] = (),
        homes: Iterable[str] = (),
        learns: bool = False,
    ) -> None:
        """Create the redactor.

        `users` and `homes`: account names and home directories of persons. `learns`: replaced values become known
        secrets.
        """
        self._paths = tuple(paths)
        self._replacing = Replacing(pseudonyms, known, learns=learns)
        self._prose = Prose(self._replacing, Persons(self._replacing, users=users, homes=homes))

    @property
    def found(self) -> list[Replacement]:
        """Replacements since the last `forget`."""
        return self._replacing.found

    def forget(self) -> None:
        """Clear `found`."""
        self._replacing.found = []

    def activate(self, secrets: list[Secret]) -> None:
        """Search only for these known values from now on."""
        self._replacing.active = secrets

    def value(self, text: str, where: str, rule: str) -> str:
        """Replace a value that is secret as a whole, unless it was masked when it was recorded."""
        self._replacing.where = where
        return text if is_masked(text) else self._replacing.secret(text, rule)

    def text(self, text: str, where: str, *, is_message: bool = False) -> str:
        """Return a text without secrets. In a message, the configured paths are replaced too."""
        self._replacing.where = where
        return self._replacing.spelt(self._text(text, 0, is_message=is_message))

    def payload(self, payload: bytes, where: str, *, is_message: bool = False) -> bytes:
        """Like `text`, for bytes that may not be valid UTF-8."""
        text = payload.decode("utf-8", "surrogateescape")
        new = self.text(text, where, is_message=is_message)
        return payload if new == text else as_bytes(new)

    def _text(self, text: str, depth: int, *, is_message: bool = False) -> str:
        if len(text) < 3:
            return text
        clean, start = False, _start_of_json(text)
        if start >= 0 and depth <= _DEEPEST:
            text, clean = self._json(text, start, depth, is_message)
        return text if clean else self._in_prose(text, depth)

    def _json(self, text: str, start: int, depth: int, is_message: bool) -> tuple[str, bool]:
        """Replace secrets in text that is JSON or resembles it. Return whether it is nothing but JSON."""
        parts: list[str] = []
        at, clean = 0, not text[:start].strip("\ufeff \t\r\n")
        levels: list[Level] = []
        self._replacing.within.append(levels)
        for span in spans(text, start, _is_secret_or_jwk if '"kty"' in text else is_secret, levels):
            literal = text[span.start : span.end]
            clean = clean and not _is_foreign(text[max(at, start) : span.start])
            parts += (text[at : span.start], self._literal(literal, span, depth, is_message))
            at = span.end
            clean = clean and (span.is_number or (len(literal) > 1 and literal.endswith('"')))
        self._replacing.within.pop()
        parts.append(text[at:])
        return "".join(parts), clean and not _is_foreign(text[max(at, start) :])

    def _literal(self, literal: str, span: Span, depth: int, is_message: bool) -> str:
        named = is_message and bool(self._paths) and self._is_named(path_of(self._replacing.within[-1]))
        rule = "path" if named else "key" if span.is_secret else ""
        if span.is_number:
            rule = rule or self._replacing.rule_of(literal)
            return self._replacing.number(literal, rule) if rule else literal
        value = unquoted(literal)
        if rule == "key" and len(value) < _SHORTEST_OF_JWK and path_of(self._replacing.within[-1])[-1:][0] in _JWK:
            rule = ""
        if span.is_key:
            new = self._in_prose(value, depth)
        else:
            new = self._whole(value, rule) if rule else self._text(value, depth + 1)
        return literal if new == value else _quoted(new, literal)

    def _whole(self, value: str, rule: str) -> str:
        if is_masked(value):
            return value
        scheme = line_secrets.SCHEME.fullmatch(value)
        secret = self._replacing.secret
        return scheme[1] + secret(scheme[2], rule) if scheme else secret(value, rule)

    def _is_named(self, path: tuple[str, ...]) -> bool:
        """Return whether a configured path covers a place in a message or in a batch."""
        in_batch = path[1:] if path[:1] and path[0].isdigit() else path
        return any(each.covers(path) or each.covers(in_batch) for each in self._paths)

    def _in_prose(self, text: str, depth: int) -> str:
        return self._prose.replace(text, None if depth > _DEEPEST else lambda held: self._opened(held, depth))

    def _opened(self, text: str, depth: int) -> str:
        """Return a decoded text without secrets. It may reveal known values that were not visible in its encoding."""
        before = self._replacing.activate_within(text)
        new = self._replacing.spelt(self._text(text, depth + 1))
        self._replacing.active = before
        return new


def _is_secret_or_jwk(name: str) -> bool:
    return name in _JWK or is_secret(name)


def _start_of_json(text: str) -> int:
    """Return the position where JSON may begin; -1 if there is none."""
    places = [place for place in (text.find("{"), text.find("[")) if place >= 0]
    return min(places) if places and '"' in text else -1


def _is_foreign(between: str) -> bool:
    """Return whether the text between two values is not valid JSON."""
    return _is_odd(between) if len(between) < 20 else _GLUE.fullmatch(between) is None


@lru_cache(maxsize=4096)
def _is_odd(between: str) -> bool:
    return bool(between) and _GLUE.fullmatch(between) is None


def _quoted(value: str, literal: str) -> str:
    """Return a text as a JSON string in the same escape style as the literal that it replaces."""
    new = json.dumps(value, ensure_ascii=literal.isascii())
    if "\\u" in literal:
        new = _HALF.sub(lambda found: f"\\u{ord(found[0]):04x}", new)
    return new if len(literal) > 1 and literal.endswith('"') else new[:-1]
