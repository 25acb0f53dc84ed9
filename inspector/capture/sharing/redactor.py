"""Takes secrets out of a text: by names beside them, by their form, by their place, and by their value.

It works on whatever a text may hold: JSON, JSON in a string of JSON, base64, what a URL escapes, lines that were meant
to be something else. What isn't replaced stays as it was, sign by sign. Nothing raises, whatever comes.
"""

import base64
import binascii
import json
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, unquote

from inspector.capture.redact import is_masked
from inspector.capture.sharing import tokens
from inspector.capture.sharing.json_spans import Level, Span, path_of, spans, unquoted
from inspector.capture.sharing.known import Known, Secret
from inspector.capture.sharing.names import STEMS, is_secret, is_secret_parameter, is_telling
from inspector.capture.sharing.paths import JsonPath
from inspector.capture.sharing.pseudonyms import Pseudonyms, is_pseudonym, length_class

_DEEPEST = 6
"""So many layers of text within text are opened."""
_SHORT, _MOST_CLEAN = 64, 50_000
_DONE = re.compile(r"rdct_[a-z2-7]{7,}0*(?:[^A-Za-z0-9]*$|#)")
"""A pseudonym, and what may stand behind a value in a sentence or a URL."""
_HALF = re.compile(r"[\ud800-\udfff]")
_GENERIC = frozenset({"root", "user", "users", "home", "shared", "public", "runner", "nobody", "app", "node", "admin"})


class Found(NamedTuple):
    """One replacement, as the manifest tells it."""

    rule: str
    path: str
    length: int
    """The class of the length, never the length."""
    mark: str
    kind: str
    """"string" or "number"."""


class Redactor:
    """Replaces secrets in texts, and notes each replacement."""

    def __init__(
        self,
        pseudonyms: Pseudonyms,
        known: Known,
        *,
        paths: Iterable[JsonPath] = (),
        users: Iterable[str] = (),
        homes: Iterable[str] = (),
        learns: bool = False,
    ) -> None:
        """`users` and `homes`: names and home directories of persons. `learns`: what is found is known from then on."""
        self._pseudonyms = pseudonyms
        self._known = known
        self._paths = tuple(paths)
        self._learns = learns
        self._homes = tuple(home for home in homes if len(home) > 3 and home.rstrip("/").rsplit("/", 1)[-1])
        names = sorted({user for user in users if len(user) > 2 and user.lower() not in _GENERIC}, key=len)[::-1]
        self._users = re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, names))})(?![^\W_])") if names else None
        self._active: list[Secret] = []
        self._where = ""
        self._within: list[list[Level]] = []
        """What is open of each JSON that one is in, the outermost first."""
        self._clean: set[str] = set()
        """Short texts in which there was nothing but, perhaps, values that are known."""
        self.found: list[Found] = []
        """Since somebody emptied it."""

    def activate(self, secrets: list[Secret]) -> None:
        """Look for these values in what follows, and no others."""
        self._active = secrets

    def value(self, text: str, where: str, rule: str) -> str:
        """Replace all of a value that is secret as a whole. What was masked when it was written stays."""
        self._where = where
        return text if is_masked(text) else self._replaced(text, rule)

    def text(self, text: str, where: str, *, is_message: bool = False) -> str:
        """A text without secrets. Of a message, places that were named are replaced too."""
        self._where = where
        new = self._text(text, 0, is_message=is_message)
        return self._spelt(new)

    def payload(self, payload: bytes, where: str, *, is_message: bool = False) -> bytes:
        """The same for bytes that need be no text."""
        text = payload.decode("utf-8", "surrogateescape")
        new = self.text(text, where, is_message=is_message)
        return payload if new == text else _bytes(new)

    def _text(self, text: str, depth: int, *, is_message: bool = False) -> str:
        if len(text) < 3 or depth > _DEEPEST:
            return text
        clean = True
        start = _start_of_json(text)
        if start >= 0:
            text, clean = self._json(text, start, depth, is_message)
        if start < 0 or not clean:
            text = self._prose(text, depth)
        return text

    def _json(self, text: str, start: int, depth: int, is_message: bool) -> tuple[str, bool]:
        """Replace within what is JSON, or was meant to be; and whether it is nothing but that."""
        parts: list[str] = []
        at, clean = 0, not text[:start].strip("\ufeff \t\r\n")
        levels: list[Level] = []
        self._within.append(levels)
        for span in spans(text, start, is_secret, levels):
            literal = text[span.start : span.end]
            clean = clean and not _is_foreign(text[at : span.start])
            parts += (text[at : span.start], self._literal(literal, span, depth, is_message))
            at = span.end
            clean = clean and (span.is_number or (len(literal) > 1 and literal.endswith('"')))
        self._within.pop()
        parts.append(text[at:])
        return "".join(parts), clean and not _is_foreign(text[at:])

    def _literal(self, literal: str, span: Span, depth: int, is_message: bool) -> str:
        named = is_message and bool(self._paths) and self._is_named(path_of(self._within[-1]))
        if span.is_number:
            return (
                self._number(literal, "path" if named else "key") if named or span.is_secret else self._plain(literal)
            )
        value = unquoted(literal)
        if span.is_key:
            new = self._prose(value, depth)
        elif named or span.is_secret:
            new = self._whole(value, "path" if named else "key")
        else:
            new = self._text(value, depth + 1)
        return literal if new == value else _quoted(new, literal)

    def _whole(self, value: str, rule: str) -> str:
        if is_masked(value):
            return value
        scheme = tokens.SCHEME.fullmatch(value)
        return scheme[1] + self._replaced(scheme[2], rule) if scheme else self._replaced(value, rule)

    def _is_named(self, path: tuple[str, ...]) -> bool:
        return any(
            each.covers(path) or (path[:1] and path[0].isdigit() and each.covers(path[1:])) for each in self._paths
        )

    def _prose(self, text: str, depth: int) -> str:
        if text in self._clean:
            return self._plain(text)
        found = len(self.found)
        new = self._searched(text, depth)
        if len(text) <= _SHORT and len(self.found) == found and not self._active and len(self._clean) < _MOST_CLEAN:
            self._clean.add(text)
        return new

    def _searched(self, text: str, depth: int) -> str:
        text = self._plain(text)  # first, so that a value is the same with and without the stop behind it
        low = text.lower()
        if any(map(text.__contains__, tokens.BEGINNINGS)):
            text = tokens.TOKEN.sub(self._token, text)
        if "=" in text:
            text = tokens.PARAMETER.sub(self._parameter, text)
        if "://" in text:
            text = tokens.USERINFO.sub(self._userinfo, text)
        if any(map(low.__contains__, tokens.SCHEMES)):
            text = tokens.SCHEME.sub(self._scheme, text)
        if any(map(low.__contains__, STEMS)):
            text = tokens.PAIR.sub(self._pair, text)
        if "%" in text:
            text = tokens.PERCENT.sub(lambda found: self._percent(found[0], depth), text)
        if len(text) >= 16:
            text = tokens.BASE64.sub(lambda found: self._base64(found[0], depth), text)
        return self._persons(text)

    def _plain(self, text: str) -> str:
        """Replace the values that are known."""
        for secret in self._active:
            if secret.value in text:
                text = text.replace(secret.value, self._replaced(secret.value, secret.rule))
        return text

    def _persons(self, text: str) -> str:
        for home in self._homes:
            if home in text:
                before, name = home.rstrip("/").rsplit("/", 1)
                parts = re.split(rf"{re.escape(home.rstrip('/'))}(?![\w-])", text)
                text = parts[0] + "".join(self._home(before + "/", name) + part for part in parts[1:])
        if "/home/" in text or "Users" in text:
            text = tokens.HOME.sub(lambda found: self._home(found[1], found[2]), text)
        return self._users.sub(lambda found: self._replaced(found[0], "user"), text) if self._users else text

    def _home(self, before: str, name: str) -> str:
        return before + (name if name.lower() in _GENERIC else self._replaced(name, "home"))

    def _token(self, found: re.Match[str]) -> str:
        return self._replaced(found[0], f"token:{tokens.KINDS[(found.lastindex or 1) - 1]}")

    def _scheme(self, found: re.Match[str]) -> str:
        return found[1] + (
            self._replaced(found[2], "scheme") if is_telling(found[2]) and not _DONE.match(found[2]) else found[2]
        )

    def _parameter(self, found: re.Match[str]) -> str:
        if not is_secret_parameter(found[1]) or is_masked(found[2]) or _DONE.match(found[2]):
            return found[0]
        return f"{found[1]}={self._replaced(unquote(found[2]), 'parameter')}"

    def _userinfo(self, found: re.Match[str]) -> str:
        if found[2] is None:
            return f"{self._replaced(unquote(found[1]), 'userinfo')}@"
        return f"{self._replaced(unquote(found[1]), 'userinfo')}:{self._replaced(unquote(found[2]), 'userinfo')}@"

    def _pair(self, found: re.Match[str]) -> str:
        name, joint, mark, value = found[1], found[2], found[3], found[4]
        if (
            _DONE.match(value)
            or not is_secret(name.lstrip("-"))
            or "•" in value
            or value.lower() in ("bearer", "basic", "dpop", "digest")
        ):
            return found[0]
        if joint.isspace() and not name.startswith("-"):
            return found[0]
        loose = joint.strip() == ":" and not mark
        if loose and len(value) < 4:
            return found[0]
        return f"{name}{joint}{mark}{self._replaced(value, 'name')}"

    def _percent(self, run: str, depth: int) -> str:
        if "%" not in run or tokens.ESCAPE.search(run) is None:
            return run
        text = unquote(run, errors="surrogateescape")
        new = self._opened(text, depth)
        return run if new == text else quote(_bytes(new), safe="")

    def _base64(self, run: str, depth: int) -> str:
        if is_pseudonym(run) or run.isdigit():
            return run
        is_url = "-" in run or "_" in run
        text = run.rstrip("=")
        text = text[: len(text) - (len(text) % 4 == 1)]
        try:
            data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_" if is_url else b"+/", validate=True)
        except (binascii.Error, ValueError):
            return run
        new = self._decoded(data, depth)
        if new == data:
            return run
        spelt = (base64.urlsafe_b64encode(new) if is_url else base64.b64encode(new)).decode()
        return spelt if run.endswith("=") or len(run) % 4 == 0 else spelt.rstrip("=")

    def _decoded(self, data: bytes, depth: int) -> bytes:
        """What base64 held, without secrets."""
        if not _could_be_text(data):
            return data
        text = data.decode("utf-8", "surrogateescape")
        new = self._opened(text, depth)
        return data if new == text else _bytes(new)

    def _opened(self, text: str, depth: int) -> str:
        """What an encoding held, without secrets: more values may show now than did around it."""
        before = self._active
        self._active = list(self._known)
        new = self._spelt(self._text(text, depth + 1))
        self._active = before
        return new

    def _spelt(self, text: str) -> str:
        """Replace known values that are left in another spelling."""
        for secret in self._active:
            for spelling, _ in secret.spellings:
                if spelling in text:
                    text = text.replace(spelling, self._replaced(secret.value, secret.rule))
        return text

    def _number(self, literal: str, rule: str) -> str:
        self._note(literal, rule, "number")
        return self._pseudonyms.number(literal)

    def _replaced(self, secret: str, rule: str) -> str:
        new = self._pseudonyms.text(secret)
        if new != secret:
            self._note(secret, rule, "string")
            if self._learns and rule not in ("user", "home"):
                self._known.learn(secret, rule)
        return new

    def _note(self, secret: str, rule: str, kind: str) -> None:
        path = ".".join([self._where, *(step for levels in self._within for step in path_of(levels))])
        self.found.append(Found(rule, path, length_class(len(secret)), self._pseudonyms.mark(secret), kind))


def _start_of_json(text: str) -> int:
    """Where JSON may begin; -1 for nowhere."""
    places = [place for place in (text.find("{"), text.find("[")) if place >= 0]
    return min(places) if places and '"' in text else -1


def _is_foreign(between: str) -> bool:
    """Whether between two values there is what JSON doesn't have."""
    return _is_odd(between) if len(between) < 20 else _GLUE.fullmatch(between) is None


@lru_cache(maxsize=4096)
def _is_odd(between: str) -> bool:
    return bool(between) and _GLUE.fullmatch(between) is None


_GLUE = re.compile(r"(?:[\s,:{}\[\]]|true|false|null)*+")


def _quoted(value: str, literal: str) -> str:
    """A text as a string of JSON, spelt in the manner of the one whose place it takes."""
    new = json.dumps(value, ensure_ascii=literal.isascii())
    if "\\u" in literal:
        new = _HALF.sub(lambda found: f"\\u{ord(found[0]):04x}", new)
    return new if len(literal) > 1 and literal.endswith('"') else new[:-1]


def _could_be_text(data: bytes) -> bool:
    """Whether bytes are no picture or sound: half of what is in the beginning are signs of a text."""
    start = data[:256]
    return (
        len(start) > 5
        and sum(32 <= byte < 127 or byte in (9, 10, 13) or byte >= 0xC2 for byte in start) > len(start) * 0.7
    )


def _bytes(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
