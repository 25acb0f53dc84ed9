"""Recognize credentials by name in headers, URLs, JSON and command lines, and mask their values.

This is the only list of such names. Captures, shared copies, targets, findings and messages omit the values that it
covers. A name is split into words, whatever the separator, case or escaping: `apiKey`, `API-KEY`, `x_api_key` and
`%61pikey` are equivalent. Names that only describe a credential, such as `token_endpoint`, `maxTokens`,
`progressToken` or `primaryKey`, do not match.
"""

import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import unquote, unquote_plus

from inspector.text import lazy_pattern

MASK = "••••••"
SCHEME = lazy_pattern(r"(Bearer|Basic|Digest|Negotiate|DPoP|Token)\s+(?=\S)", re.IGNORECASE)
_MASKED = lazy_pattern(rf"(?:[A-Za-z]+\s+)?{MASK} \(\d+ characters\)")
USERINFO = lazy_pattern(r"(?<=://)[^/?#\s\"'<>]*@")
_USERINFO = lazy_pattern(rf"{USERINFO.pattern}|(?<=http:/)[^/?#\s\"'<>]+@|(?<=https:/)[^/?#\s\"'<>]+@")
"""Also matches a URL that was normalized like a file path and has only one slash."""
_ASSIGNED = lazy_pattern(r"(-{0,2}[A-Za-z_][\w.-]*)=(.+)", re.DOTALL)
_WITHIN = lazy_pattern(r"(?<![\w?&#.-])(-{0,2}[A-Za-z_][\w.-]*)=('[^']*'|\"[^\"]*\"|[^\s'\"]+)")
_HEADER = lazy_pattern(r"([A-Za-z][\w-]*):\s*(\S.*)", re.DOTALL)
_PARAMETER = lazy_pattern(r"(?<=[?&#;])([^=&#;?\s]{1,300})=([^&#\s]*)")

# Names

STEMS = (
    *("pass", "pw", "secret", "token", "key", "cred", "cookie", "auth", "signature", "session", "verifier", "sig"),
    *("connection", "otp", "pin", "jwt", "bearer", "pat", "dsn", "cvv", "cvc", "ssn", "sas"),
    *("kennwort", "mnemonic", "seed", "code"),
)
"""Every credential name contains one of these, in lower case."""
_ANY_STEM = lazy_pattern("|".join(STEMS))
_LONGEST = 200
"""Maximum length of a name, in characters."""
_WORD = lazy_pattern(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+")
_OAUTH = lazy_pattern("OAuth")
_ABOUT = frozenset(
    {
        *("endpoint", "endpoints", "supported", "type", "types", "uri", "url", "urls", "count", "counts", "limit"),
        *("limits", "budget", "usage", "expiry", "expires", "expiration", "expired", "length", "required", "method"),
        *("methods", "name", "names", "hint", "description", "server", "servers", "scheme", "schemes", "metadata"),
        *("schema", "policy", "mode", "enabled", "disabled", "used", "ref", "refs", "consent", "banner", "label"),
        *("format", "kind", "ttl", "size", "provider", "providers", "regex", "pattern", "placeholder"),
    }
)
"""A name that ends with one of these describes a credential but does not hold it."""
_ABOUT_PAIRS = frozenset({("expires", "at"), ("expires", "in"), ("issued", "at"), ("max", "age"), ("created", "at")})
_ASKING = frozenset({"is", "has", "requires", "require", "needs", "supports"})
"""A name that begins with one of these is a yes/no question."""
_PLAIN = frozenset(
    {
        *("pass", "pwd", "pw", "auth", "jwt", "pat", "dsn", "otp", "totp", "cvv", "cvc", "ssn", "bearer", "sas"),
        "cred",
        *("creds", "mnemonic", "authorization", "signature"),
    }
)
"""Words that mark a credential. They must be whole words: "compass", "author" and "path" do not match."""
_ANYWHERE = lazy_pattern(
    r"passw(?:or)?d(?!less)|passphrase|passcode|passwort|kennwort|pwd$|secret(?!ar|ion|e)|credential|cookie(?!cutter)|"
    r"authorization|signature$|codeverifier|connectionstring|sessionid|seedphrase|"
    r"(?:access|auth|refresh|id|api|bearer|session)tokens?|"
    r"(?:api|access|private|secret|signing|encryption|subscription|master|account|admin|auth|ssh|license|consumer|app|"
    r"deploy|storage|service|session|shared|security)keys?[0-9]*$"
)
"""Patterns that mark a credential even inside a word."""
_PAIRS = frozenset(
    {
        *(("session", "id"), ("code", "verifier"), ("connection", "string"), ("seed", "phrase")),
        *(("recovery", "code"), ("recovery", "codes"), ("backup", "code"), ("backup", "codes"), ("auth", "code")),
        *(("device", "code"), ("recovery", "phrase"), ("pass", "code"), ("pass", "word"), ("pass", "phrase")),
        *((word, "pin") for word in ("user", "card", "login", "security", "sim", "device")),
    }
)
_COUNTED = frozenset(
    {
        *("max", "min", "num", "number", "total", "n", "input", "output", "prompt", "completion", "cached", "cache"),
        *("reasoning", "remaining", "budget", "limit", "estimated", "context", "thinking", "candidates", "text"),
        *("image", "audio", "video", "accepted", "rejected", "prediction", "avg", "average", "sum", "per", "new"),
        *("stop", "special", "added", "suppress", "suppressed", "bad", "generated", "processed", "consumed", "billed"),
        *("design", "sampled", "saved", "spent", "count", "used", "request", "response", "message", "tool"),
    }
)
"""Next to one of these words, tokens are units of text that are counted."""
_MARKERS = frozenset(
    {
        *("progress", "page", "next", "continuation", "cancellation", "cancel", "resumption", "eos", "bos", "pad"),
        *("unk", "sep", "cls", "special", "design", "max", "min"),
    }
)
"""After one of these words, a token is a list position, a special symbol or the id of an operation."""
_NO_TOKEN = lazy_pattern(
    r"(?:de)?tokeni[sz]|tokenless|(?:max|min|num|total|input|output|prompt|completion|cached|n)_?tokens?$|"
    r"(?:progress|page|continuation|cancellation|design)tokens?$"
)
_STRONG_KEYS = frozenset(
    {
        *("api", "access", "private", "priv", "secret", "signing", "sign", "encryption", "encrypt", "decryption"),
        *("subscription", "master", "account", "admin", "service", "auth", "ssh", "gpg", "pgp", "rsa", "shared"),
        *("storage", "deploy", "deployment", "license", "licence", "consumer", "app", "application", "root", "session"),
        *("security", "hmac", "aes", "jwt", "token", "personal", "developer", "recovery", "wallet", "vault"),
    }
)
_PLAIN_KEYS = frozenset(
    {
        *("public", "pub", "primary", "foreign", "sort", "partition", "range", "cache", "idempotency", "object", "s3"),
        *("i18n", "translation", "locale", "map", "dict", "hash", "row", "column", "json", "yaml", "shortcut", "hot"),
        *("group", "unique", "composite", "natural", "candidate", "surrogate", "issue", "project", "parent", "child"),
        *("field", "query", "lookup", "index", "item", "property", "prop", "attribute", "attr", "meta", "metadata"),
        *("config", "setting", "settings", "state", "room", "board", "space", "arrow", "enter", "escape", "esc", "tab"),
        *("any", "press", "modifier", "home", "end", "function", "fn", "ctrl", "alt", "shift", "cmd", "accelerator"),
        *("keyboard", "legend", "label", "entity", "record", "document", "doc", "message", "event", "routing", "route"),
        *("topic", "dedup", "deduplication", "dedupe", "order", "ordering", "duplicate", "missing", "unknown", "extra"),
        *("invalid", "required", "optional", "reserved", "known", "sub", "tree", "node", "enum", "param", "parameter"),
        *("arg", "argument", "header", "tag", "section", "category", "type", "kind", "class", "filter", "aggregation"),
        *("bucket", "facet", "view", "menu", "action", "resource", "schema", "table", "dataset", "series", "chart"),
        *("axis", "template", "language", "lang", "country", "region", "ticket", "websocket", "socket", "feature"),
        *("flag", "toggle", "experiment", "variant", "error", "status", "sku", "by", "prev", "previous", "next"),
    }
)
"""Before "key", these words denote a lookup key, a database key or a keyboard key."""
_PARAMETERS = frozenset({"code", "sig", "key", "assertion", "ticket"})
"""Additional URL parameters that grant access."""
_OF_LOGINS = frozenset({"state", "nonce"})
"""Valid for one login. Captures keep them to check logins; shared copies omit them."""

_MASK_BYTES = MASK.encode()

_STRING = lazy_pattern(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
"""A string, also one that does not end. So no text is read again from a later quote in it."""


class Parameter(NamedTuple):
    """A URL parameter whose value grants access."""

    start: int
    """Offset where its value begins."""
    end: int
    name: str
    """Its name as written in the URL."""


@lru_cache(maxsize=4096)
def is_secret(name: str) -> bool:
    """Return whether a value of this name grants access, or continues a session that does.

    `name` is a header, JSON key, URL parameter, command-line option or variable, of at most 200 characters.
    """
    if len(name) > _LONGEST:
        return False
    if "%" in name:
        name = unquote(unquote_plus(name))
    if not name.isascii():
        name = unicodedata.normalize("NFKC", name)
    if _ANY_STEM.search(name.lower()) is None:
        return False
    words = [word.lower() for word in _WORD.findall(_OAUTH.sub("Oauth", name))]
    while len(words) > 1 and words[-1].isdigit():
        words.pop()
    return bool(words) and not _is_about(words) and (_is_credential(words) or _is_token(words) or _is_key(words))


def _is_about(words: list[str]) -> bool:
    return words[-1] in _ABOUT or tuple(words[-2:]) in _ABOUT_PAIRS or (len(words) > 1 and words[0] in _ASKING)


def _is_credential(words: list[str]) -> bool:
    if words in (["pin"], ["sig"]) or words[-1:] == ["sig"]:
        return True
    if any(word.rstrip("0123456789") in _PLAIN or _ANYWHERE.search(word) is not None for word in words):
        return True
    return any(pair in _PAIRS for pair in itertools.pairwise(words))


def _is_token(words: list[str]) -> bool:
    for at, word in enumerate(words):
        if "token" not in word or _NO_TOKEN.match(word) or _NO_TOKEN.search(word):
            continue
        before = words[at - 1] if at else ""
        if before in _MARKERS:
            continue
        is_plural = word.rstrip("0123456789").endswith("tokens")
        if not is_plural or (len(words) > 1 and _COUNTED.isdisjoint(words)) or word.rstrip("0123456789") != "tokens":
            return True
    return False


def _is_key(words: list[str]) -> bool:
    for at, word in enumerate(words):
        plain, before = word.rstrip("0123456789"), words[at - 1] if at else ""
        if plain not in ("key", "keys"):
            continue
        if before in _STRONG_KEYS:
            return True
        if plain == "key" and at == len(words) - 1 and before not in _PLAIN_KEYS:
            return True
    return False


@lru_cache(maxsize=4096)
def is_secret_header(name: str) -> bool:
    """Return whether a header of this name grants access, or continues a session that does."""
    return is_secret(name) or name.lower() in ("www-authenticate", "x-session")


@lru_cache(maxsize=4096)
def is_secret_parameter(name: str) -> bool:
    """Return whether the value of this URL parameter grants access, or belongs to a single login."""
    return is_secret(name) or _plain(name) in _PARAMETERS or _plain(name) in _OF_LOGINS


@lru_cache(maxsize=4096)
def is_credential(name: str) -> bool:
    """Return the same as `is_secret`, but False for session ids: captures keep those to correlate messages."""
    return is_secret(name) and re.search(r"session[-_ ]?id$", unquote(name), re.IGNORECASE) is None


def _plain(name: str) -> str:
    return unquote(unquote_plus(name)).lower() if "%" in name else name.lower()


# URLs, values, commands


def secret_parameters(url: str, *, sessions: bool = False) -> Iterator[Parameter]:
    """Yield the parameters whose values grant access, in order. `sessions`: include session ids."""
    for found in _PARAMETER.finditer(url):
        name = found[1]
        is_session = sessions and "session" in _plain(name)
        if found[2] and (is_session or is_credential(name) or _plain(name) in _PARAMETERS):
            yield Parameter(found.start(2), found.end(2), name)


def without_parameters(url: str, *, sessions: bool = False) -> str:
    """Mask the values of secret parameters in a URL, or in a text that contains URLs."""
    parts: list[str] = []
    at = 0
    for found in secret_parameters(url, sessions=sessions):
        parts += (url[at : found.start], MASK)
        at = found.end
    return "".join([*parts, url[at:]]) if parts else url


def mask(value: str) -> str:
    """Return the mask for a credential: its scheme and its length. A masked value is returned unchanged."""
    if _MASKED.fullmatch(value):
        return value
    scheme = SCHEME.match(value)
    kept = scheme.group() if scheme else ""
    return f"{kept}{MASK} ({len(value) - len(kept)} characters)" if len(value) > len(kept) else value


def is_masked(value: str) -> bool:
    return _MASKED.fullmatch(value) is not None


def without_credentials(url: str) -> str:
    """Mask user names, passwords and secret parameters in a URL, or in a text that contains URLs."""
    return without_parameters(_USERINFO.sub(f"{MASK}@", url)) if "@" in url or "=" in url else url


def command_without_credentials(argv: Iterable[str]) -> tuple[str, ...]:
    """Mask secret options, variables, headers and URL parts in a command line."""
    shown: list[str] = []
    is_value = False
    for word in argv:
        if is_value and not word.startswith("-"):
            shown.append(MASK)
            is_value = False
            continue
        is_value = word.startswith("-") and "=" not in word and " " not in word and is_credential(word)
        shown.append(_word(word))
    return tuple(shown)


def _word(word: str) -> str:
    assigned, header = _ASSIGNED.fullmatch(word), _HEADER.fullmatch(word)
    if assigned is not None and is_credential(assigned[1]):
        return f"{assigned[1]}={MASK}"
    if header is not None and is_credential(header[1]):
        return f"{header[1]}: {mask(header[2])}"
    return without_credentials(without_assignments(word))


def without_assignments(text: str) -> str:
    """Mask the values of secret names in `NAME=VALUE` within a text."""
    return (
        _WITHIN.sub(lambda found: f"{found[1]}={MASK}" if is_credential(found[1]) else found[0], text)
        if "=" in text
        else text
    )


# Known values


class SecretValues:
    """Masks known secret values in recorded bytes; in JSON only inside strings."""

    def __init__(self, values: Iterable[str]) -> None:
        """Create a masker for `values`: at least one, none empty."""
        found = {form for value in values for form in _forms(value)}
        self._forms = re.compile(b"|".join(re.escape(each) for each in sorted(found, key=len, reverse=True)))

    def masked(self, payload: bytes) -> bytes:
        """Return the payload with the values masked; the same object if there are none."""
        if self._forms.search(payload) is None:
            return payload
        if payload.lstrip()[:1] not in (b"{", b"["):
            return self._forms.sub(_MASK_BYTES, payload)
        return _STRING.sub(lambda found: self._forms.sub(_MASK_BYTES, found[0]), payload)


def _forms(value: str) -> Iterator[bytes]:
    """Yield the encodings of a value: plain, and escaped as in a JSON string."""
    import json  # rarely needed

    yield value.encode("utf-8", "surrogatepass")
    yield json.dumps(value)[1:-1].encode()
    yield json.dumps(value, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass")


def has_masked(value: Any) -> bool:
    """Return whether a JSON value contains a masked credential, so that it can't be sent again."""
    if isinstance(value, dict):
        return any(map(has_masked, value.values()))
    return any(map(has_masked, value)) if isinstance(value, list) else isinstance(value, str) and MASK in value
