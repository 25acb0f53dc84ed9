"""Removes secrets from unstructured text: logs, sentences, URLs, shell words, base64."""

import base64
import binascii
import re
from collections.abc import Callable, Iterable
from urllib.parse import quote, unquote

from inspector.features.share import line_secrets
from inspector.features.share.known import Replacing, as_bytes, is_pseudonym, is_telling
from inspector.features.share.line_secrets import CONTIGUOUS, line_pieces
from inspector.protocol import token_shapes
from inspector.protocol.credentials import STEMS, is_masked, is_secret, is_secret_parameter

# Home directories and account names

_GENERIC = frozenset(
    {"root", "user", "users", "home", "shared", "public", "runner", "nobody", "app", "node", "admin", "username", "you"}
)
"""Account names that identify no person."""

_SHORT, _MOST_CLEAN = 64, 50_000
_DONE = re.compile(r"rdct_[a-z2-7]{7,}0*(?:[^A-Za-z0-9]*$|#)")
"""A pseudonym, with characters that may follow a value in a sentence or a URL."""
_SCHEMED = re.compile(line_secrets.AUTHORIZATION.pattern.rpartition("([A-Za-z0-9._")[0] + "rdct_", re.IGNORECASE)
"""A scheme whose credentials were already replaced. The scheme is kept."""
_LONGEST_OF_LINES = 4 << 20
_WORTH_A_LOOK = (
    *STEMS,
    *token_shapes.SCHEMES,
    *(each.lower() for each in token_shapes.BEGINNINGS),
    "private-lines",
    "phrase",
)
_ANNOUNCED = re.compile(rf"{token_shapes.PEM_BEGIN}.{{0,15}}", re.DOTALL)
"""The first line of a private key with little text after it, which is not a secret."""
_CODE = re.compile(r"[\w.]+\(|[{(\[]+[])}]*|new|await|<[a-z][\w -]*>|\$[A-Z_][A-Z0-9_]+|\$\{[A-Za-z_][\w:.-]*")
"""Text that source code and manuals use in place of a value: a call, a placeholder, a variable."""
_LONG_HEX = re.compile(r"[0-9A-Fa-f:-]{32}")
_BEHIND = re.compile(r"(?<![\w.-])([A-Za-z]+)[ \t]$")
_SIGNS = bytes(byte for byte in range(256) if 32 <= byte < 127 or byte in (9, 10, 13) or byte >= 0xC2)
"""Bytes of which a text mostly consists."""


Open = Callable[[str], str]
"""Removes secrets from a decoded text."""


def telling_homes(homes: Iterable[str]) -> tuple[str, ...]:
    """Return the home directories that are worth searching."""
    return tuple(home.rstrip("/") for home in homes if home.count("/") > 1 and len(home) > 5)


def telling_users(users: Iterable[str]) -> set[str]:
    """Return the account names that identify a person."""
    return {user for user in users if len(user) > 2 and user.lower() not in _GENERIC}


class PersonNames:
    """Removes the names of persons from texts."""

    def __init__(self, replacing: Replacing, *, users: Iterable[str], homes: Iterable[str]) -> None:
        self._replacing = replacing
        self._homes = telling_homes(homes)
        names = sorted(telling_users(users), key=len)[::-1]
        self._users = re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, names))})(?![^\W_])") if names else None

    def replace(self, text: str) -> str:
        """Return the text without the names of persons."""
        for home in self._homes:
            if home in text:
                before, name = home.rsplit("/", 1)
                parts = re.split(rf"{re.escape(home)}(?![\w-])", text)
                text = parts[0] + "".join(self._home(before + "/", name) + part for part in parts[1:])
        if "/home/" in text or "Users" in text:
            text = line_secrets.HOME.sub(lambda found: self._home(found[1], found[2]), text)
        if self._users is None:
            return text
        return self._users.sub(lambda found: self._replacing.secret(found[0], "user"), text)

    def _home(self, before: str, name: str) -> str:
        return before + (name if name.lower() in _GENERIC else self._replacing.secret(name, "home"))


class Prose:
    """Replaces secrets in unstructured text."""

    def __init__(self, replacing: Replacing, persons: PersonNames) -> None:
        self._replacing = replacing
        self._secret = replacing.secret
        self._persons = persons
        self._clean: set[str] = set()
        """Short texts that contain no secrets except, possibly, known values."""

    def replace(self, text: str, opened: Open | None) -> str:
        """Return the text without secrets. `opened` processes decoded base64 and percent escapes; None skips them."""
        if text in self._clean:
            return self._replacing.plain(text)
        replacing = self._replacing
        before = len(replacing.found)
        new = self._searched(text, opened)
        is_clean = len(replacing.found) == before and not replacing.active and opened is not None
        if is_clean and len(text) <= _SHORT and len(self._clean) < _MOST_CLEAN:
            self._clean.add(text)
        return new

    def _searched(self, text: str, opened: Open | None) -> str:
        if "PRIVATE KEY" in text:  # before known values replace a part of the key
            text = CONTIGUOUS.sub(lambda key: self._secret(key[0], "token:private key"), text)
        if "\n" in text and len(text) <= _LONGEST_OF_LINES:
            low = text.lower()
            if any(map(low.__contains__, _WORTH_A_LOOK)) or line_secrets.bare_key(text) is not None:
                text = self._over_lines(text)
        text = self._replacing.plain(text)  # first: a following full stop must not change a pseudonym
        low = text.lower()
        if any(map(text.__contains__, token_shapes.BEGINNINGS)):
            text = token_shapes.TOKEN.sub(self._token, text)
        if line_secrets.bare_key(text) is not None:
            text = line_secrets.without_bare_keys(text, lambda key: self._secret(key, "token:private key"))
        if "=" in text:
            text = line_secrets.PARAMETER.sub(self._parameter, text)
        if "://" in text:
            text = line_secrets.USERINFO.sub(self._userinfo, text)
        if "authorization" in low:
            text = line_secrets.AUTHORIZATION.sub(self._authorization, text)
        if any(map(low.__contains__, token_shapes.SCHEMES)):
            text = token_shapes.SCHEME.sub(self._scheme, text)
        if "curl" in low and ":" in text:
            text = line_secrets.CURL_USER.sub(self._curl_user, text)
        if any(map(low.__contains__, STEMS)):
            if "</" in text:
                text = line_secrets.ELEMENT.sub(self._element, text)
            if "value=" in text:
                text = line_secrets.ATTRIBUTE.sub(self._element, text)
            text = self._spoken(text, low)
            text = self._pairs(text)
        elif "phrase" in low:
            text = self._spoken(text, low)
        if opened is not None and "%" in text:
            text = line_secrets.PERCENT.sub(lambda found: _percent(found[0], opened), text)
        if opened is not None and len(text) >= 16:
            text = line_secrets.BASE64.sub(lambda found: _base64(found[0], opened), text)
        return self._persons.replace(text)

    def _over_lines(self, text: str) -> str:
        """Replace secrets that span lines."""
        for piece in line_pieces(text.splitlines()):
            word = rf"(?<![A-Za-z0-9]){re.escape(piece.value)}(?![A-Za-z0-9])"
            text = re.sub(word, self._secret(piece.value, piece.rule), text)
        return text

    def _token(self, found: re.Match[str]) -> str:
        if _ANNOUNCED.fullmatch(found[0]):
            return found[0]
        return self._secret(found[0], f"token:{token_shapes.KINDS[(found.lastindex or 1) - 1]}")

    def _scheme(self, found: re.Match[str]) -> str:
        if not is_telling(found[2]) or _DONE.match(found[2]):
            return found[0]
        return found[1] + self._secret(found[2], "scheme")

    def _authorization(self, found: re.Match[str]) -> str:
        if not is_telling(found[4]) or _DONE.match(found[4]):
            return found[0]
        return f"{found[1]}{found[2]}{found[3]}{self._secret(found[4], 'scheme')}"

    def _parameter(self, found: re.Match[str]) -> str:
        if not is_secret_parameter(found[1]) or is_masked(found[2]) or _DONE.match(found[2]):
            return found[0]
        return f"{found[1]}={self._secret(unquote(found[2]), 'parameter')}"

    def _userinfo(self, found: re.Match[str]) -> str:
        parts = [self._secret(unquote(part), "userinfo") if part else "" for part in found.groups() if part is not None]
        return f"{':'.join(parts)}@"

    def _curl_user(self, found: re.Match[str]) -> str:
        if found[3].isdigit() or _DONE.match(found[3]) or found[3].startswith("//"):
            return found[0]
        return f"{found[1]}{found[2] and self._secret(found[2], 'userinfo')}:{self._secret(found[3], 'userinfo')}"

    def _element(self, found: re.Match[str]) -> str:
        value = found[3].rstrip()
        if not is_secret(found[2]) or _DONE.match(value) or is_masked(value):
            return found[0]
        return f"{found[1]}{self._secret(value, 'name')}{found[3][len(value) :]}"

    def _spoken(self, text: str, low: str) -> str:
        """Replace hexadecimal keys, passphrases, and values that a sentence states."""
        if _LONG_HEX.search(text) is not None:
            text = line_secrets.HEXED.sub(self._hexed, text)
        text = line_secrets.PHRASE.sub(self._phrase, text)
        if any(map(low.__contains__, (" is", " was", " are", " to ", " ist ", " lautet "))):
            text = line_secrets.SPOKEN.sub(self._sentence, text)
        return text

    def _hexed(self, found: re.Match[str]) -> str:
        before, name = found[1], found[2]
        if not is_secret(name) or not is_secret(before + name):
            return found[0]
        return f"{before}{name}{found[3]}{self._secret(found[4], 'name')}"

    def _phrase(self, found: re.Match[str]) -> str:
        return found[1] + self._secret(found[2], "name") if line_secrets.is_phrase(found[2]) else found[0]

    def _sentence(self, found: re.Match[str]) -> str:
        name, joint, mark, value = found[1], found[2], found[3], found[4]
        value, end = (value, "") if mark else (value.rstrip(".:!?"), value[len(value.rstrip(".:!?")) :])
        behind = found.string[found.end() : found.end() + 1]
        at_end = bool(end) or behind in ("", "\n", "\r", '"', "\\", ",", ";", ")")
        if _DONE.match(value) or "•" in value or _is_plain_beside(found):
            return found[0]
        if not line_secrets.is_spoken(name, value, quoted=bool(mark), at_end=at_end):
            return found[0]
        return f"{name}{joint}{mark}{self._secret(value, 'name')}{end}"

    def _pairs(self, text: str) -> str:
        """Replace values that follow their names. The value of one name may be the next name."""
        parts: list[str] = []
        at = done = 0
        while found := line_secrets.PAIR.search(text, at):
            new = self._pair(found)
            if new == found[0]:
                at = found.start(4)
                continue
            parts += (text[done : found.start()], new)
            at = done = found.end()
        return "".join([*parts, text[done:]])

    def _pair(self, found: re.Match[str]) -> str:
        name, joint, mark, value = found[1], found[2], found[3], found[4]
        is_option = name.startswith("-")
        if not is_secret(name.lstrip("-")) or (joint.isspace() and not is_option):
            return found[0]
        if _DONE.match(value) or "•" in value or value.lower() in token_shapes.SCHEMES:
            return found[0]
        if _SCHEMED.match(found.string, found.start()) or _CODE.fullmatch(value):
            return found[0]
        if _is_plain_beside(found):
            return found[0]
        is_loose = joint.strip() == ":" and not mark
        if is_loose and (len(value) < 4 or line_secrets.speaks(value.rstrip("."))):
            return found[0]
        return f"{name}{joint}{mark}{self._secret(value, 'name')}"


def _is_plain_beside(found: re.Match[str]) -> bool:
    """Return whether the word before "key" or "token" excludes a credential, as in "primary key" or "next token"."""
    if found[1].lower() not in ("key", "keys", "token", "tokens"):
        return False
    before = _BEHIND.search(found.string, max(0, found.start() - 40), found.start())
    return before is not None and not is_secret(f"{before[1]} {found[1]}")


def _percent(run: str, opened: Open) -> str:
    if "%" not in run or line_secrets.ESCAPE.search(run) is None:
        return run
    text = unquote(run, errors="surrogateescape")
    new = opened(text)
    return run if new == text else quote(as_bytes(new), safe="")


def _base64(run: str, opened: Open) -> str:
    if is_pseudonym(run) or run.isdigit():
        return run
    is_url = "-" in run or "_" in run
    text = run.rstrip("=")
    text = text[: len(text) - (len(text) % 4 == 1)]
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_" if is_url else b"+/", validate=True)
    except (binascii.Error, ValueError):
        return run
    if not could_be_text(data):
        return run
    held = data.decode("utf-8", "surrogateescape")
    new = opened(held)
    if new == held:
        return run
    spelt = (base64.urlsafe_b64encode if is_url else base64.b64encode)(as_bytes(new)).decode()
    return spelt if run.endswith("=") or len(run) % 4 == 0 else spelt.rstrip("=")


def could_be_text(data: bytes) -> bool:
    """Return whether bytes may be text rather than an image or audio, judging by the first 256 bytes."""
    start = data[:256]
    return len(start) > 5 and len(start.translate(None, _SIGNS)) < len(start) * 0.3
