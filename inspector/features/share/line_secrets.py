"""Finds secrets by their format, and secrets that span lines: keys, wrapped tokens.

The lines of one stream are fed in order. The result is a list of pieces, each with the position of its line, so that
the line can be copied without it. Prefixes that loggers add to every line are ignored.
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec

from inspector.documents import UNDECODABLE
from inspector.features.share.known import PSEUDONYM, KnownSecrets, as_bytes, is_pseudonym, is_telling
from inspector.protocol.credentials import MASK, STEMS, is_secret, is_secret_parameter
from inspector.protocol.token_shapes import BEGINNINGS, PEM, PEM_BEGIN, PEM_END, SCHEME, SCHEMES, TOKEN

USERINFO = re.compile(r"(?<=://)([^/?#:\s\"'<>\\]{0,1000})(?::([^/?#\s\"'<>\\]{0,1000}))?@")
"""Group 1 is the user, "" if there is none; group 2 is the password. Both may contain an @."""
AUTHORIZATION = re.compile(
    r"(?<![A-Za-z])(authorization\\*[\"']?[ \t]{0,4}[:=][ \t]{0,4}\\*[\"']?)([A-Za-z][A-Za-z-]{1,20})([ \t]{1,4})"
    r"([A-Za-z0-9._~+/=:-]{6,})",
    re.IGNORECASE,
)
"""Group 2 is the scheme, group 4 the credentials, if they are unlikely to be ordinary text."""
CURL_USER = re.compile(
    r"(?<![\w-])((?:-[A-Za-z]{0,8}[uU]|--user|--proxy-user)(?:=|\s{0,4})\\*[\"']?)"
    r"([^\s\"':\\-][^\s\"':\\]{0,200}|):([^\s\"'\\]{1,400})"
)
"""User and password of a curl command: group 1 is the option, group 2 the user, group 3 the password."""
ELEMENT = re.compile(
    r"(<(?:[\w.-]{1,60}:)?([A-Za-z_][\w.-]{0,100})(?:\s[^<>]{0,400})?>\s{0,100})([^<>\s][^<>]{0,4000})(?=</)"
)
"""An XML element with text: group 2 is its name, group 3 the text."""
ATTRIBUTE = re.compile(
    r"(?<![\w-])((?:name|key|id)=\\*[\"']([^\"'<>\\]{1,100})\\*[\"']\s{1,40}value=\\*[\"'])([^\"'<>\\]{1,4000})"
)
"""An XML element with the attributes name and value: group 2 is the name, group 3 the value."""
PARAMETER = re.compile(r"(?:(?<=[?&#;])|(?<![^\s]))([\w.%~\[\]-]{1,100})=([^&#\s\"'<>\\]+)")
"""Group 1 is the name of a parameter, group 2 its URL-encoded value."""
PAIR = re.compile(
    r"(?<![\w.-])(-{0,2}[A-Za-z_][\w.-]{0,100})"
    r"(\\*[\"']?[ \t]{0,4}(?:=>|[:=])[ \t]{0,4}|(?<=\w)[ \t]{1,4}(?=\S{6}))(\\*[\"']?)"
    r"((?<=[\"'])[^\"'\\\r\n]{1,1000}(?=\\*[\"'])|[^\s\"'\\,;&}\]]+)"
)
"""Group 1 is a name, group 2 the separator, group 4 the value: in prose, in a shell command, in truncated JSON."""
SPOKEN = re.compile(
    r"(?<![A-Za-z0-9])((?i:pass(?:word|wd|phrase|code)|passwort|kennwort|mnemonic|secret|credential"
    r"|(?:seed|recovery|backup)[ ]phrase"
    r"|(?:api|access|secret|private|signing|encryption|license|master|admin|account|deploy)[ _-]?key"
    r"|(?:(?:access|auth|api|bearer|refresh|session|bot)[ _-]?)?token)s?)"
    r"((?:[ ](?i:for|of|to)[ ][\w@.'-]{1,40})?[ \t]{1,4}(?i:is|was|are|set[ ]to|changed[ ]to|reset[ ]to|ist|lautet)"
    r"(?:[ ](?i:now))?[ \t]{0,2}:?[ \t]{1,4})(\\{0,8}[\"'`]?)"
    r"((?<=[\"'`])[^\"'`\\\r\n]{1,200}(?=\\{0,8}[\"'`])|[^\s\"'`\\,;&}\])]+)"
)
"""A sentence that states a value: group 1 is the name, group 2 the connective, group 3 a quote, group 4 the value."""
PHRASE = re.compile(
    r"(?<![A-Za-z0-9])((?i:[\w-]{0,40}pass(?:word|wd|phrase|code)|[\w-]{0,40}passwort|kennwort|mnemonic"
    r"|(?:seed|recovery|backup)[ _-]?phrase)\\{0,8}[\"']?[ \t]{0,4}(?:=>|[:=]|is|was)[ \t]{0,4}\\{0,8}[\"']?)"
    r"([a-z]{3,12}(?:[ ][a-z]{3,12}){2,23})(?=[.,;)]?[ \t]*(?:$|[\r\n\"'\\]))"
)
"""A name and plain words up to the end of the line: group 1 is the name with separator, group 2 the words."""
HEXED = re.compile(
    r"(?<![\w.-])((?:[A-Za-z_][\w.-]{0,60}[ \t])?)([A-Za-z_][\w.-]{0,100})(\\{0,8}[\"']?"
    r"(?:[ \t]{0,3}(?:\([^()\r\n]{1,30}\)|=>|->|[:=]|(?i:is|was|in|hex|value|bytes)(?![A-Za-z0-9]))){0,4}"
    r"[ \t]{0,3}\\{0,8}[\"']?(?:0x)?)((?<![0-9A-Za-z])(?<!0x)(?=[0-9A-Fa-f:-]{0,64}[0-9])(?:[0-9A-Fa-f]{32,}"
    r"|(?:[0-9A-Fa-f]{2}[:-]){15,}[0-9A-Fa-f]{2})|(?<=0x)[0-9A-Fa-f]{32,})(?![A-Za-z0-9])"
)
"""A hexadecimal key: groups 1 and 2 are its name, group 3 the separator, group 4 the digits."""
_SENTENCE = frozenset(
    {
        *("a", "an", "the", "is", "are", "was", "be", "been", "not", "no", "of", "on", "in", "at", "to", "for", "from"),
        *("with", "and", "or", "it", "its", "this", "that", "you", "your", "must", "should", "may", "can", "cannot"),
        *("has", "have", "will", "if", "too", "only", "also", "now", "here", "there", "again", "please", "enter"),
        "see",
        *("used", "set", "any", "none", "null", "true", "false", "undefined", "unset", "empty", "missing", "invalid"),
        *("wrong", "incorrect", "correct", "valid", "weak", "strong", "short", "long", "optional", "required"),
        *("mandatory", "unknown", "secret", "sensitive", "plaintext", "private", "public", "default", "present"),
        *("absent", "necessary", "available", "available", "identical", "same", "different", "old", "new", "fine"),
        "ok",
        *("string", "number", "integer", "boolean", "object", "array", "text", "field", "value", "format", "length"),
        *("server", "ready", "error", "failure", "warning", "request", "response", "port", "user", "connection"),
        *("client", "file", "option", "variable", "environment", "argument", "parameter", "characters", "least"),
        *("bearer", "basic", "about", "being", "stored", "sent", "kept", "then", "when", "what", "who", "how", "why"),
    }
)
"""Words of sentences about secrets. A text with one of them is unlikely to be a secret value."""
_STATE = re.compile(r"[a-z]{2,}(?:ed|ing|able|ible|ly|less|ful)")
_BARE = re.compile(r"(?<![A-Za-z0-9+/])(?:M[A-P]|b3BlbnNzaC1rZXkt)[A-Za-z0-9+/_-]{38,}+={0,2}")
_OPENSSH = b"openssh-key-v1\0"
_VERSION = b"\x02\x01"
_ENCRYPTED = (b"\x2a\x86\x48\x86\xf7\x0d\x01\x05", b"\x2a\x86\x48\x86\xf7\x0d\x01\x0c\x01")
_URL_SAFE = str.maketrans("-_", "+/")
HOME = re.compile(r"(/home/|/Users/|[A-Za-z]:(?:\\+|/)Users(?:\\+|/))([^/\\\s\"':;,<>]{1,64})")
"""Group 2 is the name of a user."""
BASE64 = re.compile(r"[A-Za-z0-9+/]{16,}+={0,2}|[A-Za-z0-9_-]{16,}+={0,2}")
PERCENT = re.compile(r"[^\s\"'<>&?#=;]{3,}+")
"""Text that may contain percent escapes."""
ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_BEGIN, _END = re.compile(PEM_BEGIN), re.compile(PEM_END)
CONTIGUOUS = re.compile(PEM)
"""A complete private key within one text."""
_PUTTY = re.compile(r"Private-Lines: (\d{1,3})\s*$")
_PUTTY_WIDTH, _WIDEST = 64, 140
_MOST_LINES, _MOST_OTHERS = 600, 40
"""Maximum number of lines of a private key, and of consecutive other lines in between."""
_BODY = re.compile(r"[A-Za-z0-9+/=]+")
_RUN = re.compile(r"[A-Za-z0-9+/]{20,}={0,2}")
_BREAK = re.compile(r"[\s\"'{}:,\[\]()|>\\]+")
_DANGLING = re.compile(
    r"(?<![\w.-])(-{0,2}[A-Za-z_][\w.%-]{0,100})\\*[\"']?\s{0,4}(?:=>|[:=])\s{0,4}\\*[\"']?([|>][+-]?)?\s*\\?$"
)
"""A name at the end of a line, whose value follows; group 2 marks a YAML block."""
_OPTION = re.compile(r"(?<!\S)(--[A-Za-z][\w-]{0,100})\s*\\?$")
_SCHEME = re.compile(r"(?<![A-Za-z])(?:bearer|basic|dpop)\s*\\?$", re.IGNORECASE)
_PAIR = re.compile(r"[A-Za-z_][\w.-]*\s{0,4}[=:]\s{0,4}[^\s=]")
_PHRASE = re.compile(r"phrase|mnemonic|seed", re.IGNORECASE)
_PASS = re.compile(r"pass|kennwort|pwd|secret", re.IGNORECASE)
_QUOTED = re.compile(r"(?:\\*[\"'`])([^\"'`]{2,400})\\*[\"'`]\\*,?")
_HEX = re.compile(r"(?:0x)?(?:[0-9A-Fa-f]{2}[: -]?){8,}\\?")
_DUMPED = re.compile(r"(?:^|\s)(?:priv|privateExponent|prime[12]|exponent[12]|coefficient):\s*$")
"""Parts of a private key as OpenSSL prints it. The digits follow on separate lines."""
_NAMES = re.compile(r"\s*\"(?:name|key|header|variable|field)\"\s*:\s*\"([^\"\\]{1,100})\"\s*,?\s*$")
_VALUES = re.compile(r"\s*\"value\"\s*:\s*\"([^\"]{1,4000})\"\s*,?\s*$")
_MESSAGES = ("msg", "message", "text", "event", "log", "line", "body", "short_message", "@message", "MESSAGE")
"""Members of a JSON log line that hold the message."""
_REST = re.compile(r"[A-Za-z0-9._~+/=%-]+")
_NO_REST = re.compile(
    r"\d{4}-\d\d-\d\d.*|[A-Za-z+]+://.*|\d+(?:\.\d+)*|[A-Z]?[a-z]+|[A-Z]{1,12}|[a-z]+(?:[-_.][a-z]+)+|[./].*|-.*|\w+=.+"
)
"""A word, number, date, path or option, which can't be the second half of a token."""
_CUT_SIGNS = " \t\r\n\"',;\\"
_KEPT = 4000
"""Maximum number of characters of previous lines that are kept."""
_LONGEST_BEGINNING = max(map(len, BEGINNINGS))
_MOST_WRAPS = 50
"""Maximum number of lines of one wrapped token."""
_WORD_START = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]")
_ACROSS = 1000
"""Characters at the end and start of lines in which a wrapped known value is searched."""
_RECENT = 6
"""Number of lines over which a wrapped known value is searched."""


Place = tuple[int, int]
"""Position of a line, in any numbering that the caller chooses."""


class Piece(NamedTuple):
    """A part of a line that is secret."""

    place: Place
    value: str
    rule: str


def speaks(word: str) -> bool:
    """Return whether a lowercase word describes a secret, such as "required", and is unlikely to be its value."""
    return word in _SENTENCE or (len(word) > 4 and _STATE.fullmatch(word) is not None)


def is_phrase(text: str) -> bool:
    """Return whether a line looks like a passphrase: three or more lowercase words that form no sentence."""
    words = text.split()
    return 2 < len(words) < 25 and all(re.fullmatch("[a-z]{3,12}", word) and not speaks(word) for word in words)


def is_spoken(name: str, value: str, *, quoted: bool, at_end: bool) -> bool:
    """Return whether the text that follows a secret's name in a sentence is its value.

    `at_end`: the sentence or the line ends after it.
    """
    plain = value.rstrip(".:!?")
    if plain.lower() in _SENTENCE or len(plain) < 4:
        return False
    if quoted or any(map(str.isdigit, plain)) or any(sign in "#$%^*+~@!" for sign in plain):
        return not plain.isdigit() or "pass" in name.lower() or quoted
    if re.search(r"[a-z][A-Z]", plain):
        return True
    is_word = at_end and len(plain) > 4 and plain.isalpha() and plain.islower() and not speaks(plain)
    return is_word and re.search("(?i)pass|kennwort", name) is not None


# Private keys without a BEGIN line


def key_digits(run: str) -> int | None:
    """Return the length in base64 digits of the private key that begins with these digits.

    Returns 0 if the length is unknown, None if it is not a private key. Keys are recognized by their first bytes:
    PKCS#1, PKCS#8 (also encrypted), SEC 1 and PKCS#12 in DER (X.690), and those of OpenSSH. Certificates, public
    keys and signatures begin differently.
    """
    try:
        data = base64.b64decode(run[:40].translate(_URL_SAFE), validate=True)
    except (binascii.Error, ValueError):
        return None
    if data.startswith(_OPENSSH):
        return 0
    length, body = _element(data)
    if data[:1] != b"\x30" or length < 36:
        return None
    if body[:2] == _VERSION:
        version, rest = body[2], body[3:]
        _, inner = _element(rest)
        is_key = (
            (rest[:1] == b"\x30" and inner[:1] == b"\x06" and version in (0, 1, 3))
            or (rest[:1] == b"\x02" and version in (0, 1) and rest[1] > 0x14)
            or (rest[:1] == b"\x04" and version == 1 and rest[1] >= 0x14)
        )
    else:
        _, inner = _element(body)
        is_key = body[:1] == b"\x30" and inner[:1] == b"\x06" and inner[2:].startswith(_ENCRYPTED)
    return (length + 2) // 3 * 4 if is_key else None


def _element(data: bytes) -> tuple[int, bytes]:
    """Return the length of a DER element including its header (0 if unknown), and the available part of its body."""
    first = data[1] if len(data) > 5 else 0x80
    if first < 0x80:
        return 2 + first, data[2:]
    count = first - 0x80
    if not 0 < count < 4:
        return 0, b""
    return 2 + count + int.from_bytes(data[2 : 2 + count], "big"), data[2 + count :]


def bare_key(text: str) -> re.Match[str] | None:
    """Return the first base64 private key that has no BEGIN line."""
    if "M" not in text and "b3BlbnNzaC1rZXkt" not in text:
        return None
    return next((found for found in _BARE.finditer(text) if key_digits(found[0]) is not None), None)


def without_bare_keys(text: str, replaced: Callable[[str], str]) -> str:
    """Replace all private keys without a BEGIN line."""
    return _BARE.sub(lambda found: found[0] if key_digits(found[0]) is None else replaced(found[0]), text)


class LineSecrets:
    """Detector for one stream of lines."""

    def __init__(self, known: KnownSecrets | None = None) -> None:
        """Create the detector. `known`: values that are also found if they are wrapped across lines."""
        self._known = known
        self._key_lines = 0
        """Maximum number of further lines of the current private key; 0 outside of a key."""
        self._others = 0
        self._prefix = ""
        self._dangling = ""
        """Name whose value has not been found yet; "" if there is none."""
        self._block = ""
        """For a YAML block value: the line with its name; "" otherwise."""
        self._only_hex = False
        """Whether the value can only be lines of hexadecimal digits."""
        self._bare: _BareKey | None = None
        """Private key without a BEGIN line that continues on the next lines."""
        self._patience = 0
        self._last = ""
        """The previous line."""
        self._carried: list[tuple[Place, str]] = []
        """The previous line, or several if a token is wrapped across them."""
        self._recent: list[tuple[Place, str]] = []

    def feed(self, place: Place, line: str) -> list[Piece]:
        """Process the next line. Return the secret pieces that it completes, in this and in previous lines."""
        line = message_in(line.rstrip("\r\n"))
        if self._key_lines:
            found = self._in_key(place, line)
        else:
            found = self._in_bare_key(place, line) or self._after_name(place, line)
            content = _without_prefix(line, self._last).strip()
            wrapped = [] if found else self._wrapped(place, content)
            found += wrapped or self._across(place, content)
            carried = self._carried[-_MOST_WRAPS:] if wrapped and _runs_on(content) else []
            self._carried = [*carried, (place, content)]
            self._recent = [*self._recent[1 - _RECENT :], (place, content)]
            self._look_for_name(line)
            begun = None if "PRIVATE KEY" not in line else _BEGIN.search(line)
            if begun is not None and _goes_on(line[begun.end() :]):
                self._key_lines, self._others = _MOST_LINES, 0
                self._prefix = _normal(line[: begun.start()])
            self._bare = _begun_key(line) or self._bare
        self._last = line[:_KEPT]
        return [each for each in found if each.value and MASK not in each.value and not is_pseudonym(each.value)]

    # --- private keys

    def _in_key(self, place: Place, line: str) -> list[Piece]:
        self._key_lines -= 1
        ended = _END.search(line)
        if ended is not None:
            self._key_lines, line = 0, line[: ended.start()]
        if PSEUDONYM.search(line) is not None:  # already replaced: the rest of the line is not part of the key
            self._others = 0
            return []
        words = [word for word in _BREAK.split(line) if word]
        while words and words[-1] in ("n", "r", "+"):  # remains of "\n" + at the end of a line of source
            words.pop()
        pieces = [each[0] for each in _RUN.finditer(line) if _is_key_text(each[0])]
        last = words[-1] if words else ""
        if last.endswith(("\\n", "\\r")):
            last = last[:-2]
        if _BODY.fullmatch(last) and (len(words) == 1 or _normal(line[: line.rindex(last)]) == self._prefix):
            pieces.append(last)
        self._others = 0 if pieces else self._others + 1
        if self._others > _MOST_OTHERS:
            self._key_lines = 0
        return [Piece(place, each, "token:private key") for each in dict.fromkeys(pieces)]

    def _in_bare_key(self, place: Place, line: str) -> list[Piece]:
        """Return the next piece of a private key without a BEGIN line."""
        if self._bare is None:
            return []
        if (word := self._bare.piece(line)) is not None:
            self._bare = self._bare if self._bare.is_open() else None
            return [Piece(place, word, "token:private key")]
        if not self._bare.is_open():
            self._bare = None
        return []

    # --- values that follow their names

    def _look_for_name(self, line: str) -> None:
        if self._block:
            return
        found = _DANGLING.search(line[-300:]) if line.rstrip(" \t\\")[-1:] in '=:>|"' + "'+-" else None
        option = _OPTION.search(line[-200:]) if found is None and "--" in line else None
        name = (found or option or [None, ""])[1] or ""
        named = _NAMES.match(line) if '"' in line else None
        if named is not None and is_secret(named[1]):
            self._dangling, self._patience = "value", 2
        elif ":" in line[-2:] and _DUMPED.search(line[-60:]) is not None:
            self._dangling, self._patience, self._only_hex = "priv", 2, True
        elif name and is_secret(name.lstrip("-")):
            self._dangling, self._patience = name, 2
            self._block = line if found is not None and found[2] else ""
        elif _SCHEME.search(line[-20:]) is not None:
            self._dangling, self._patience = "Bearer", 2

    def _after_name(self, place: Place, line: str) -> list[Piece]:
        if not self._dangling:
            return []
        raw = _without_prefix(line, self._last).strip()
        content = raw.strip(_CUT_SIGNS)
        if self._block:
            cut = len(line) - len(_without_prefix(line, self._block))
            if content and _indentation(line[cut:]) > _indentation(self._block[cut:]):
                return [Piece(place, line[cut:].strip(_CUT_SIGNS), "name")]
            self._block = self._dangling = ""
            return []
        if not content:
            self._patience -= 1
            self._dangling = self._dangling if self._patience else ""
            return []
        if _HEX.fullmatch(raw) and len(content) >= 20:  # more digits may follow
            self._only_hex = True
            return [Piece(place, raw.removesuffix("\\"), "name")]
        name, self._dangling = self._dangling, ""
        is_over, self._only_hex = self._only_hex, False
        if is_over:
            return []
        if name == "value":
            found = _VALUES.match(line)
            return [] if found is None else [Piece(place, found[1], "name")]
        return self._value(place, name, raw, content)

    def _value(self, place: Place, name: str, raw: str, content: str) -> list[Piece]:
        """Return the pieces of a line that are the value of the preceding name."""
        if _PAIR.match(content):
            return []
        words = content.split()
        if len(words) > 1 and (quoted := _QUOTED.fullmatch(raw)) is not None:
            return [Piece(place, quoted[1], "name")]
        if len(words) == 1 or (_PHRASE.search(name) and "://" not in content):
            return [Piece(place, content, "name")]
        if _PASS.search(name) and is_phrase(content):
            return [Piece(place, content, "name")]
        cleaned = [word.strip("\"'.,;:()[]") for word in words]
        return [Piece(place, word, "name") for word in cleaned if is_telling(word) and not _NO_REST.fullmatch(word)]

    # --- secrets that are wrapped across lines

    def _wrapped(self, place: Place, content: str) -> list[Piece]:
        """Return both halves of a token that starts in the previous lines and ends in this one."""
        begun = _REST.match(content)
        if len(self._carried) > 1:  # a token is already wrapped across lines
            rest = content.strip(_CUT_SIGNS)
            is_more = begun is not None and begun[0] == rest and _looks_like_rest(rest)
            return [Piece(place, rest, "wrapped")] if is_more else []
        before = " ".join("".join(text.rstrip("\\") for _, text in self._carried)[-_KEPT:].rsplit(None, 3)[-3:])
        if not before or begun is None or before[-1].isspace() or _REST.fullmatch(before[-1]) is None:
            return []
        low = before[-600:].lower()
        if not any(map(low.__contains__, (*STEMS, *SCHEMES))) and not any(
            map((before + begun[0][:_LONGEST_BEGINNING]).__contains__, BEGINNINGS)
        ):
            return []
        rest = begun[0].rstrip(".,;:") or begun[0]
        own = self._own(before, before + rest)
        if not own:
            return []
        is_all = content.strip(_CUT_SIGNS) == rest
        width = len(self._carried[-1][1])
        is_likely = _looks_like_rest(rest) or (is_all and rest.isdecimal() and own[2])
        if not (own[1] or (is_likely and (is_all or width >= 40)) or (own[2] and _is_random(rest))):
            return []
        return [Piece(place, rest, "wrapped"), *self._halves(own[0])]

    def _own(self, before: str, joined: str) -> tuple[str, bool, bool] | None:
        """Return the first half of a wrapped secret; None if there is none.

        The flags state whether the first half is invalid without the second, and whether the format is well known.
        """
        at = len(before)
        for start in _WORD_START.finditer(joined):
            found = TOKEN.match(joined, start.start())
            if found is not None and found.start() < at < found.end():
                return joined[found.start() : at], TOKEN.match(before, found.start()) is None, True
        for pattern, value in ((SCHEME, 2), (PARAMETER, 2), (PAIR, 4)):
            for each in pattern.finditer(joined):
                if each.start(value) < at < each.end(value) and _is_named(pattern, each):
                    return joined[each.start(value) : at], False, False
        return None

    def _halves(self, own: str) -> list[Piece]:
        """Return the pieces of the first half, which may span several lines."""
        found: list[Piece] = []
        left = own
        for place, text in reversed(self._carried):
            part = left[-len(text) :] if text else ""
            if part:
                found.append(Piece(place, part.rstrip("\\"), "wrapped"))
            left = left[: len(left) - len(part)]
            if not left:
                break
        return found

    def _across(self, place: Place, content: str) -> list[Piece]:
        """Return the pieces of known values that end in this line."""
        if self._known is None or not content or not self._recent or not len(self._known):
            return []
        lines = [*((each, text[-_ACROSS:]) for each, text in self._recent), (place, content[:_ACROSS])]
        joined = "".join(text for _, text in lines)
        found: list[Piece] = []
        for secret in self._known.plain_within(as_bytes(joined)):
            found += _pieces(lines, joined, secret.value, secret.rule)
        return found


class _BareKey:
    """The remaining lines of a base64 private key that has no BEGIN line.

    A DER key contains its length, so each line must have the number of remaining digits, or the width of the
    previous line if that is smaller. PuTTY states the number of lines. OpenSSH states neither: its key ends with a
    shorter line.
    """

    def __init__(self, *, width: int, digits: int = 0, lines: int = 0) -> None:
        """Create the key. `digits` and `lines`: how many remain; 0 if unknown."""
        self._width = width
        self._digits = digits
        self._lines = lines
        self._is_measured, self._is_counted = digits > 0, lines > 0
        self._others = 0
        self._seen = width if lines == 0 else 0
        self._more = _MOST_LINES

    def is_open(self) -> bool:
        """Return whether more lines may follow."""
        return self._more > 0 and self._others <= _MOST_OTHERS

    def piece(self, line: str) -> str | None:
        """Return the part of the next line that belongs to the key; None if there is none."""
        words = [word for word in _BREAK.split(line) if word]
        while words and words[-1] in ("n", "r", "+"):
            words.pop()
        word = words[-1].removesuffix("\\n") if words else ""
        if is_pseudonym(word):  # of a replaced key: count its line, and take nothing else for it
            self._went(self._width)
            return None
        if self._fits(word):
            self._went(len(word))
            return word
        self._others += 1
        return None

    def _fits(self, word: str) -> bool:
        if _BODY.fullmatch(word) is None:
            return False
        if self._is_measured:
            return len(word) == min(self._width, self._digits)
        if len(word) == self._width:
            return True
        is_last = len(word) < self._width and (self._seen + len(word)) % 4 == 0 and self._others == 0
        return is_last and (self._lines == 1 if self._is_counted else _looks_like_rest(word))

    def _went(self, digits: int) -> None:
        self._more -= 1
        self._others = 0
        self._seen += digits
        self._digits -= digits
        self._lines -= 1
        is_over = self._digits <= 0 if self._is_measured else self._lines == 0 or digits < self._width
        self._more = 0 if is_over else self._more


def _begun_key(line: str) -> _BareKey | None:
    """Return the continuing key without BEGIN that starts in this line; None if there is none."""
    if "Private-Lines" in line and (counted := _PUTTY.search(line)) is not None and int(counted[1]) > 0:
        return _BareKey(width=_PUTTY_WIDTH, lines=int(counted[1]))
    begun = bare_key(line)
    if begun is None or line[begun.end() :].strip(_CUT_SIGNS + "nr+})]>|") or begun[0].endswith("="):
        return None
    digits, width = key_digits(begun[0]) or 0, len(begun[0])
    if digits > width:
        return _BareKey(width=width, digits=digits - width)
    return _BareKey(width=width) if digits == 0 and width <= _WIDEST else None


def message_in(line: str) -> str:
    """Return the message of a JSON log line; any other line unchanged."""
    start = line.find("{")
    if start < 0 or start > 100 or not line.rstrip().endswith("}") or '":' not in line:
        return line
    try:
        message = logged(msgspec.json.decode(line[start:]))
    except UNDECODABLE:
        return line
    return line if message is None else message


def logged(data: object) -> str | None:
    """Return the message of logged data if it is a single line; None otherwise."""
    if isinstance(data, str):
        return data
    if isinstance(data, dict):
        for name in _MESSAGES:
            if isinstance(message := data.get(name), str):
                message = message.rstrip("\r\n")
                return None if "\n" in message else message
    return None


def line_pieces(lines: Iterable[str]) -> list[Piece]:
    """Return the secret pieces in these lines. The second number of a position is the line's index."""
    stream = LineSecrets()
    return [piece for number, line in enumerate(lines) for piece in stream.feed((0, number), line)]


def _pieces(lines: list[tuple[Place, str]], joined: str, value: str, rule: str) -> list[Piece]:
    """Return the parts of a value in each line, if the value crosses into the last line."""
    at, last = joined.find(value), len(joined) - len(lines[-1][1])
    while at >= 0 and not at < last < at + len(value):
        at = joined.find(value, at + 1)
    if at < 0:
        return []
    found: list[Piece] = []
    begin = 0
    for place, text in lines:
        part = joined[max(at, begin) : min(at + len(value), begin + len(text))] if at < begin + len(text) else ""
        if part:
            found.append(Piece(place, part, rule))
        begin += len(text)
    return found


def _is_named(pattern: re.Pattern[str], found: re.Match[str]) -> bool:
    if pattern is SCHEME:
        return is_telling(found[2])
    if pattern is PARAMETER:
        return is_secret_parameter(found[1])
    is_option = found[1].startswith("-")
    return is_secret(found[1].lstrip("-")) and (is_option or not found[2].isspace())


def _looks_like_rest(word: str) -> bool:
    if _NO_REST.fullmatch(word):
        return len(word) >= 24 and word.isalpha()
    has_digit = any(map(str.isdigit, word))
    has_both = any(map(str.islower, word)) and any(map(str.isupper, word))
    return has_digit or has_both or len(word) >= 16


def _is_random(word: str) -> bool:
    """Return whether a word is almost certainly part of a token."""
    return (
        len(word) >= 8 and any(map(str.isdigit, word)) and any(map(str.isalpha, word)) and not _NO_REST.fullmatch(word)
    )


def _runs_on(content: str) -> bool:
    """Return whether a line consists only of part of a token, so that the token may continue."""
    return _REST.fullmatch(content) is not None


def _goes_on(rest: str) -> bool:
    """Return whether a private key continues on the next lines: only key text or nothing follows BEGIN."""
    if _END.search(rest) is not None:
        return False
    plain = rest.strip(_CUT_SIGNS + "}])`+nr")
    return not plain or ((found := _RUN.search(plain)) is not None and _is_key_text(found[0]))


def _is_key_text(run: str) -> bool:
    """Return whether a long run of base64 may be random bytes rather than a path of words."""
    return any(map(str.isupper, run)) and any(map(str.islower, run))


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _normal(text: str) -> str:
    return re.sub(r"\d", "0", text)


def _without_prefix(line: str, before: str) -> str:
    """Remove a logger's prefix: what a line shares with the previous one, except digits, up to a blank."""
    common = 0
    for one, other in zip(line[:200], before[:200], strict=False):
        if one != other and not (one.isdigit() and other.isdigit()):
            break
        common += 1
    cut = max(line.rfind(" ", 0, common), line.rfind("\t", 0, common)) + 1
    return line[cut:]
