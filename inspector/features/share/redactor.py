"""Removes secrets from a text by name, format, place and value.

It handles everything that a text may contain: JSON, JSON in a JSON string, base64, percent escapes, arbitrary lines.
Text that isn't replaced remains unchanged, character by character. It never raises, whatever the input.

Most lines of a capture contain no secret, and need not be parsed. A prefilter examines the bytes of a whole line, in
which every text of a record is at some depth of JSON escapes. Therefore its criteria are weaker than those that
identify a secret: any word that could be a name, anywhere; any character that could begin a token. A selected line may
be harmless; a rejected line never has a secret. Judged words are cached, because nearly all of them recur. Known values
are not its task: they are searched in each line.
"""

import base64
import json
import re
from collections.abc import Iterable, Iterator
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
    is_pseudonym,
    path_of,
    spans,
    unquoted,
)
from inspector.features.share.prose import PersonNames, Prose, could_be_text
from inspector.protocol import token_shapes
from inspector.protocol.credentials import is_masked, is_secret, is_secret_header

_DEEPEST = 6
"""Maximum nesting depth of decoded texts. Deeper ones are treated as prose."""
_HALF = re.compile(r"[\ud800-\udfff]")
_JWK = frozenset({"d", "p", "q", "dp", "dq", "qi", "k"})
"""Private members of a JSON Web Key (RFC 7518, section 6)."""
_SHORTEST_OF_JWK = 20
_GLUE = re.compile(r"(?:[\s,:{}\[\]]|true|false|null)*+")
_BEGINNING = re.compile(
    rb'\{"r":"(?:frame|err)"(?:,"(?:n|tm|tw|len|ex)":-?\d++|,"(?:c|dir|ch|eol|origin)":"[a-z0-9]{1,12}")*,"raw":"'
)
"""Beginning of a frame as mcp-inspect writes it, which contains no secret."""
_ALWAYS = (
    *(b'"b64"', rb"\/", b"PRIVATE KEY", b"Private-", b"kty", b"hrase", b"HRASE"),
    *(b"/webhooks/", b"curl", b"CURL", b"1//0", b":AA", b"/home/", b"Users"),
    *(b"\xc4\xb0", b"\xc5\xbf", b"\xe2\x84\xaa"),
)
"""Text that only the full search can judge. The last three are characters that change when they are lowercased."""
_LETTER = re.compile(rb"\\u(?:00[2-7]|0130|017[fF]|212[aA])")
_PERCENT = re.compile(rb"%[0-9A-Fa-f]{2}")
_PARAMETER = re.compile(rb"=(?i:(?<=code=)|(?<=sig=)|(?<=key=)|(?<=state=)|(?<=nonce=)|(?<=assertion=)|(?<=ticket=))")
_ODD_PARAMETER = re.compile(rb"[\[\]~%][\w.~\[\]%-]{0,100}=")
_ESCAPED_HEADER = re.compile(rb'\["[^"\\]*+\\')
_MASKED = re.compile(rb'\["[\w-]+","(?:[A-Za-z]+ )?(?:\xe2\x80\xa2){6} \(\d+ characters\)"\]')
"""A header whose value was masked when it was recorded."""
_USERINFO = re.compile(rb"://[^/?#@\s\"'<>\\]{1,2001}@")
_ODD_KEY = re.compile(rb'"[\w.\\-]*+[^"\w.\\-][^"]{0,1199}+"(?:\s|\\++[nrtf])*:')
"""A key that is not a single word. The character before the colon may be an escaped quote of any depth."""
_ODD_TEXT = re.compile(rb'"([\w.\\-]*+[^"\w.\\-][^"]{0,1199}+)(?=")')
_VALUE = re.compile(rb'value\\*+"')
"""A key whose value may be named by an adjacent member."""
_NAMES = bytes(
    byte if chr(byte) in "_.-\\" or chr(byte).isalpha() or byte > 127 else 48 if chr(byte).isdigit() else 32
    for byte in range(256)
)
"""Translation table that keeps characters of names and maps all digits to 0."""
_DIGITS = bytes(byte if byte < 128 and (chr(byte).isalnum() or chr(byte) in "+/_-\\") else 32 for byte in range(256))
"""Translation table that keeps characters of base64."""
_ESCAPE = re.compile(r"\\+(?:u[0-9A-Fa-f]{4}|.)?")
_PIECE = re.compile(r"[^\w.-]+")
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_BEGINNINGS = tuple(re.sub(r"\d", "0", each) for each in token_shapes.BEGINNINGS)
_OTHER = ("ya00.", "_v0_", "hooks.slack.com")
"""Beginnings of tokens that differ from what the name translation keeps."""
_SHORTEST, _LONGEST, _PREFIX = 16, 64, 344
_FEW = 16
"""Number of lines that are judged together once a larger group is suspect."""
_MOST = 100_000
"""Maximum number of cached words."""


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
        self._prose = Prose(self._replacing, PersonNames(self._replacing, users=users, homes=homes))

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
        hides = (lambda name: name in _JWK or is_secret(name)) if '"kty"' in text else is_secret
        for span in spans(text, start, hides, levels):
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
        scheme = token_shapes.SCHEME.fullmatch(value)
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


class RecordFilter:
    """Judges lines."""

    def __init__(self, *, paths: Iterable[JsonPath] = (), persons: Iterable[str] = ()) -> None:
        """Create the filter. `persons`: account names and directories that occur in every text naming a person."""
        self._marks = (*_ALWAYS, *map(_step, paths), *map(_longest_plain, persons))
        self._are_dense = False
        """Whether so many of the previous lines were suspect that judging several lines together does not pay off."""
        self._cold: set[bytes] = set()
        """Words that are neither a secret's name nor a token."""
        self._hot: set[bytes] = set()
        self._closed: set[bytes] = set()
        """Words without base64 text."""
        self.held: dict[bytes, bytes] = {}
        """Words of harmless lines that may be base64, with their decoded text, not yet searched for known values."""

    def suspects(self, lines: list[bytes]) -> list[int]:
        """Return the indexes of lines that may have a secret. The others have at most known values.

        Many lines are judged together, and individually only if the group is suspect.
        """
        texts = list(map(_foreign_part, lines))
        found = [
            at for first, last in self._parts(texts) for at in range(first, last) if not self._is_harmless(texts[at])
        ]
        self._are_dense = len(found) * _FEW > len(lines)
        return found

    def _parts(self, texts: list[bytes]) -> Iterator[tuple[int, int]]:
        """Yield the ranges of lines that are suspect."""
        if self._are_dense:
            yield 0, len(texts)
        elif not self._is_harmless(b"\n".join(texts)):
            for first in range(0, len(texts), _FEW):
                if not self._is_harmless(b"\n".join(texts[first : first + _FEW])):
                    yield first, min(first + _FEW, len(texts))

    def _is_harmless(self, text: bytes) -> bool:
        return self._is_innocent(text) and self._holds_nothing(text)

    def _is_innocent(self, text: bytes) -> bool:
        if any(map(text.__contains__, self._marks)) or _is_telling(text):
            return False
        words = _apart(text).translate(_NAMES).split()
        return (self._cold.issuperset(words) or self._are_cold(words)) and _has_no_odd_names(text)

    def _are_cold(self, words: list[bytes]) -> bool:
        if not self._hot.isdisjoint(words):
            return False
        for word in words:
            if word in self._cold:
                continue
            is_hot = _is_hot(word)
            if len(word) <= _LONGEST:
                _remember(self._hot if is_hot else self._cold, word)
            if is_hot:
                return False
        return True

    def _holds_nothing(self, text: bytes) -> bool:
        """Return whether no base64 text needs to be searched."""
        for word in _apart(text).translate(_DIGITS).split():
            if len(word) < _SHORTEST or word in self._closed:
                continue
            if texts := _opened(word):
                if len(word) > 2 * _LONGEST or len(self.held) >= _MOST or not all(map(self._is_simple, texts)):
                    return False
                self.held[word] = b"\n".join(texts)
            if len(word) <= 2 * _LONGEST:
                _remember(self._closed, word)
        return True

    def _is_simple(self, held: bytes) -> bool:
        """Return whether a decoded text is harmless and contains no base64 text itself."""
        words = _apart(held).translate(_DIGITS).split()
        return self._is_innocent(held) and not any(len(word) >= _SHORTEST and _opened(word) for word in words)


def _foreign_part(line: bytes) -> bytes:
    if (begun := _BEGINNING.match(line)) is not None:
        return line[begun.end() :]
    return _MASKED.sub(b"", line) if b"\xe2\x80\xa2" in line else line


def _is_telling(text: bytes) -> bool:
    """Return whether there are escapes that may hide a secret, or places where secrets usually occur."""
    return (
        (b"\\u" in text and _LETTER.search(text) is not None)
        or (b"%" in text and _PERCENT.search(text) is not None)
        or (b"=" in text and (_PARAMETER.search(text) is not None or _ODD_PARAMETER.search(text) is not None))
        or (b'["' in text and _ESCAPED_HEADER.search(text) is not None)
        or (b"@" in text and b"://" in text and _USERINFO.search(text) is not None)
    )


def _apart(text: bytes) -> bytes:
    """Return a text in which each backslash begins a word."""
    return text.replace(b"\\", b" \\") if b"\\" in text else text


def _has_no_odd_names(line: bytes) -> bool:
    """Return whether no multi-word key, and no text that may name an adjacent value, is a secret's name."""
    names = _ODD_TEXT if _VALUE.search(line) is not None or b'"headers"' in line else _ODD_KEY
    return not any(map(_is_odd_secret, names.findall(line)))


def _is_hot(word: bytes) -> bool:
    """Return whether a word may be a secret's name, the name of a scheme, or a token."""
    text = word.decode("utf-8", "surrogateescape")
    if text[0] != "\\" and word.isascii():
        return _is_name(text) or _is_token(text)
    starts = {text, text.lstrip("\\"), _ESCAPE.sub("", text, count=1)} if text.startswith("\\") else {text}
    forms = {form for start in starts for form in (start, *_PIECE.split(start), *_FOREIGN.split(start))}
    return any(_is_name(form) or _is_token(form) for form in forms)


def _is_name(text: str) -> bool:
    """Return whether a text may be the name of a secret or a scheme, without caching.

    Nearly every word occurs here once, and would displace cached names that are needed often.
    """
    return (
        is_secret.__wrapped__(text) or is_secret_header.__wrapped__(text) or text.lower().endswith(token_shapes.SCHEMES)
    )


def _is_token(text: str) -> bool:
    if not any(map(text.__contains__, _BEGINNINGS)):
        return False
    return any(map(text.__contains__, _OTHER)) or token_shapes.TOKEN.search(text) is not None


def _is_odd_secret(text: bytes) -> bool:
    name = text.rpartition(b'"')[0].lstrip(b'"') if text.startswith(b'"') else text
    plain = re.sub(rb"\\+(?:[nrtbf]|u[0-9A-Fa-f]{4})|\\+", b" ", name)
    return any(is_secret(each.decode("utf-8", "surrogateescape")) for each in (plain, name))


def _opened(word: bytes) -> list[bytes]:
    """Return the decoded base64 in a word, as far as it may be text."""
    text = word.decode("ascii")
    forms = {text.lstrip("\\"), _ESCAPE.sub("", text, count=1)} if text.startswith("\\") else {text}
    if any(line_secrets.bare_key(form) is not None for form in forms):
        return [b"PRIVATE KEY"]  # a marker that is always suspect
    found = []
    for run in {run for form in forms for run in line_secrets.BASE64.findall(form)}:
        if run.isdigit() or is_pseudonym(run):
            continue
        is_url = "-" in run or "_" in run
        if not could_be_text(_decoded(run[:_PREFIX], is_url)):
            continue
        found.append(_decoded(run, is_url))
    return found


def _decoded(run: str, is_url: bool) -> bytes:
    run = run[: len(run) - (len(run) % 4 == 1)]
    return base64.b64decode(run + "=" * (-len(run) % 4), altchars=b"-_" if is_url else b"+/")


def _step(path: JsonPath) -> bytes:
    """Return a name that each line with this path contains; b"" if there is none, which every line contains."""
    names = [step for step in path if step != "*" and not step.isdigit() and re.fullmatch(r"[\w.-]+", step, re.ASCII)]
    return max(names, key=len).encode() if names else b""


def _longest_plain(name: str) -> bytes:
    """Return the longest part of a name that is never escaped."""
    parts: list[str] = re.findall(r"[A-Za-z0-9._/-]+", name)
    return max(parts, key=len, default="").encode()


def _remember(words: set[bytes], word: bytes) -> None:
    if len(words) >= _MOST:
        words.clear()
    words.add(word)
