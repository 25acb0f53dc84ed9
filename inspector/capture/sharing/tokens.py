"""How the tokens of well-known issuers look, wherever they stand, and what of a text gives access by its form."""

import base64
import binascii
import re
from collections.abc import Callable

PEM_BEGIN = r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
PEM_END = r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
PEM = rf"{PEM_BEGIN}(?:[^-]++|-(?!-{{3,4}} ?(?:BEGIN|END) )(?!{PEM_END}))*+{PEM_END}"
"""A private key from its first line to its last: PEM (RFC 7468, five dashes) or SSH2 (RFC 4716, four dashes)."""

_SHAPES = {
    "private key": rf"(?:{PEM}|{PEM_BEGIN}[^-]*+)",
    "putty key": r"(?<=Private-MAC: )[0-9A-Fa-f]{32,}",
    "jwt": r"(?<![\w-])eyJ[\w-]{8,}+\.[\w-]{4,}+\.?[\w-]*+",
    "github": r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{16,}+|github_pat_\w{20,}+)",
    "gitlab": r"(?<![A-Za-z0-9])gl(?:pat|ptt|dt|rt|cbt|soat)-[\w-]{16,}+",
    "anthropic": r"(?<![A-Za-z0-9])sk-ant-[\w-]{16,}+",
    "openai": r"(?<![A-Za-z0-9])sk-[\w-]{16,}+",
    "stripe": r"(?<![A-Za-z0-9])[srp]k_(?:live|test)_[A-Za-z0-9]{10,}+",
    "aws": r"(?<![A-Za-z0-9])(?:AKIA|ASIA|AIDA|AROA|AGPA)[A-Z0-9]{16}(?![A-Za-z0-9])",
    "slack": r"(?<![A-Za-z0-9])(?:xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}+|xapp-[A-Za-z0-9-]{10,}+)",
    "slack webhook": r"(?<=hooks\.slack\.com/services/)[\w/]{10,}+",
    "discord webhook": r"(?<=/api/webhooks/)\d{10,25}/[\w-]{20,}+",
    "google": r"(?<![A-Za-z0-9])(?:AIza[\w-]{30,}+|ya29\.[\w-]{10,}+|GOCSPX-[\w-]{16,}+|1//0[\w-]{20,}+)",
    "npm": r"(?<![A-Za-z0-9])npm_[A-Za-z0-9]{20,}+",
    "pypi": r"(?<![A-Za-z0-9])pypi-[\w-]{16,}+",
    "hugging face": r"(?<![A-Za-z0-9])hf_[A-Za-z0-9]{20,}+",
    "sendgrid": r"(?<![A-Za-z0-9])SG\.[\w-]{16,}+\.[\w-]{16,}+",
    "digitalocean": r"(?<![A-Za-z0-9])do[opr]_v1_[a-f0-9]{32,}+",
    "telegram": r"(?<![A-Za-z0-9])\d{8,10}:AA[\w-]{32,}+",
    "age": r"AGE-SECRET-KEY-1[A-Z0-9]{40,}+",
}
KINDS = tuple(_SHAPES)
TOKEN = re.compile("|".join(f"({shape})" for shape in _SHAPES.values()))
"""Any of them; `KINDS[found.lastindex - 1]` says whose it is."""
BEGINNINGS = (
    *(
        "PRIVATE KEY",
        "Private-MAC",
        "eyJ",
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
        "glpat-",
        "glptt-",
        "gldt-",
        "glrt-",
    ),
    *("glcbt-", "glsoat-", "sk-", "k_live_", "k_test_", "AKIA", "ASIA", "AIDA", "AROA", "AGPA", "xox", "xapp-"),
    *(
        "hooks.slack.com",
        "/api/webhooks/",
        "AIza",
        "ya29.",
        "GOCSPX-",
        "1//0",
        "npm_",
        "pypi-",
        "hf_",
        "SG.",
        "doo_v1_",
        "dop_v1_",
    ),
    *("dor_v1_", ":AA", "AGE-SECRET-KEY-1"),
)
"""One of these stands in every text that has a token."""
SCHEMES = ("bearer", "basic", "dpop", "digest", "negotiate")
SCHEME = re.compile(r"(?<![A-Za-z])((?:Bearer|Basic|DPoP|Digest|Negotiate)\s+)([A-Za-z0-9._~+/=-]{6,})", re.IGNORECASE)
"""Group 2 is what gives access, if it is telling at all."""
USERINFO = re.compile(r"(?<=://)([^/?#@:\s\"'<>\\]{0,1000})(?::([^/?#\s\"'<>\\]{0,1000}))?@")
"""Group 1 is the user, "" if there is none, group 2 the password, which may hold an @."""
AUTHORIZATION = re.compile(
    r"(?<![A-Za-z])(authorization\\*[\"']?[ \t]{0,4}[:=][ \t]{0,4}\\*[\"']?)([A-Za-z][A-Za-z-]{1,20})([ \t]{1,4})"
    r"([A-Za-z0-9._~+/=:-]{6,})",
    re.IGNORECASE,
)
"""Group 2 is a scheme, whichever it is, group 4 the credentials, if they are telling."""
PARAMETER = re.compile(r"(?:(?<=[?&#;])|(?<![^\s]))([\w.%~\[\]-]{1,100})=([^&#\s\"'<>\\]+)")
"""Group 1 is the name of a parameter, group 2 its value, as a URL spells it."""
PAIR = re.compile(
    r"(?<![\w.-])(-{0,2}[A-Za-z_][\w.-]{0,100})"
    r"(\\*[\"']?[ \t]{0,4}(?:=>|[:=])[ \t]{0,4}|(?<=\w)[ \t]{1,4}(?=\S{6}))(\\*[\"']?)"
    r"((?<=[\"'])[^\"'\\\r\n]{1,1000}(?=\\*[\"'])|[^\s\"'\\,;&}\]]+)"
)
"""Group 1 is a name, group 2 what joins it, group 4 its value: in prose, in a shell's words, in half a JSON."""
SPOKEN = re.compile(
    r"(?<![A-Za-z0-9])((?i:pass(?:word|wd|phrase|code)|passwort|kennwort|mnemonic|secret|credential"
    r"|(?:seed|recovery|backup)[ ]phrase"
    r"|(?:api|access|secret|private|signing|encryption|license|master|admin|account|deploy)[ _-]?key"
    r"|(?:(?:access|auth|api|bearer|refresh|session|bot)[ _-]?)?token)s?)"
    r"((?:[ ](?i:for|of|to)[ ][\w@.'-]{1,40})?[ \t]{1,4}(?i:is|was|are|set[ ]to|changed[ ]to|reset[ ]to|ist|lautet)"
    r"(?:[ ](?i:now))?[ \t]{0,2}:?[ \t]{1,4})(\\{0,8}[\"'`]?)"
    r"((?<=[\"'`])[^\"'`\\\r\n]{1,200}(?=\\{0,8}[\"'`])|[^\s\"'`\\,;&}\])]+)"
)
"""A sentence that names a value: group 1 is the name, group 2 what joins it, group 3 a quote, group 4 the value."""
PHRASE = re.compile(
    r"(?<![A-Za-z0-9])((?i:[\w-]{0,40}pass(?:word|wd|phrase|code)|[\w-]{0,40}passwort|kennwort|mnemonic"
    r"|(?:seed|recovery|backup)[ _-]?phrase)\\{0,8}[\"']?[ \t]{0,4}(?:=>|[:=]|is|was)[ \t]{0,4}\\{0,8}[\"']?)"
    r"([a-z]{3,12}(?:[ ][a-z]{3,12}){2,23})(?=[.,;)]?[ \t]*(?:$|[\r\n\"'\\]))"
)
"""A name and plain words up to the end of the line: group 1 is the name and what joins it, group 2 the value."""
HEXED = re.compile(
    r"(?<![\w.-])((?:[A-Za-z_][\w.-]{0,60}[ \t])?)([A-Za-z_][\w.-]{0,100})(\\{0,8}[\"']?"
    r"(?:[ \t]{0,3}(?:\([^()\r\n]{1,30}\)|=>|->|[:=]|(?i:is|was|in|hex|value|bytes)(?![A-Za-z0-9]))){0,4}"
    r"[ \t]{0,3}\\{0,8}[\"']?(?:0x)?)((?<![0-9A-Za-z])(?<!0x)(?=[0-9A-Fa-f:-]{0,64}[0-9])(?:[0-9A-Fa-f]{32,}"
    r"|(?:[0-9A-Fa-f]{2}[:-]){15,}[0-9A-Fa-f]{2})|(?<=0x)[0-9A-Fa-f]{32,})(?![A-Za-z0-9])"
)
"""A key in hexadecimal digits: groups 1 and 2 are the words of its name, group 3 what joins it, group 4 the digits."""
_SENTENCE = frozenset(
    {
        *("a", "an", "the", "is", "are", "was", "be", "been", "not", "no", "of", "on", "in", "at", "to", "for", "from"),
        *("with", "and", "or", "it", "its", "this", "that", "you", "your", "must", "should", "may", "can", "cannot"),
        *(
            "has",
            "have",
            "will",
            "if",
            "too",
            "only",
            "also",
            "now",
            "here",
            "there",
            "again",
            "please",
            "enter",
            "see",
        ),
        *("used", "set", "any", "none", "null", "true", "false", "undefined", "unset", "empty", "missing", "invalid"),
        *("wrong", "incorrect", "correct", "valid", "weak", "strong", "short", "long", "optional", "required"),
        *("mandatory", "unknown", "secret", "sensitive", "plaintext", "private", "public", "default", "present"),
        *(
            "absent",
            "necessary",
            "available",
            "available",
            "identical",
            "same",
            "different",
            "old",
            "new",
            "fine",
            "ok",
        ),
        *("string", "number", "integer", "boolean", "object", "array", "text", "field", "value", "format", "length"),
        *("server", "ready", "error", "failure", "warning", "request", "response", "port", "user", "connection"),
        *("client", "file", "option", "variable", "environment", "argument", "parameter", "characters", "least"),
        *("bearer", "basic", "about", "being", "stored", "sent", "kept", "then", "when", "what", "who", "how", "why"),
    }
)
"""Words of sentences about a secret: one that has them is hardly a value."""
_STATE = re.compile(r"[a-z]{2,}(?:ed|ing|able|ible|ly|less|ful)")


def speaks(word: str) -> bool:
    """Whether a lowercase word describes a secret, as "required" does, and is hardly its value."""
    return word in _SENTENCE or (len(word) > 4 and _STATE.fullmatch(word) is not None)


def is_phrase(text: str) -> bool:
    """Whether a line is nothing but words as passphrases have them: three or more, small, and no sentence."""
    words = text.split()
    return 2 < len(words) < 25 and all(re.fullmatch("[a-z]{3,12}", word) and not speaks(word) for word in words)


def is_spoken(name: str, value: str, *, quoted: bool, at_end: bool) -> bool:
    """Whether what a sentence says of a secret is its value. `at_end`: the sentence or the line ends behind it."""
    plain = value.rstrip(".:!?")
    if plain.lower() in _SENTENCE or len(plain) < 4:
        return False
    if quoted or any(map(str.isdigit, plain)) or any(sign in "#$%^*+~@!" for sign in plain):
        return not plain.isdigit() or "pass" in name.lower() or quoted
    if re.search(r"[a-z][A-Z]", plain):
        return True
    is_word = at_end and len(plain) > 4 and plain.isalpha() and plain.islower() and not speaks(plain)
    return is_word and re.search("(?i)pass|kennwort", name) is not None


# --- private keys without a BEGIN line

_BARE = re.compile(r"(?<![A-Za-z0-9+/])(?:M[A-P]|b3BlbnNzaC1rZXkt)[A-Za-z0-9+/_-]{38,}+={0,2}")
_OPENSSH = b"openssh-key-v1\0"
_VERSION = b"\x02\x01"
_ENCRYPTED = (b"\x2a\x86\x48\x86\xf7\x0d\x01\x05", b"\x2a\x86\x48\x86\xf7\x0d\x01\x0c\x01")
_URL_SAFE = str.maketrans("-_", "+/")


def key_digits(run: str) -> int | None:
    """The length in base64 digits of the private key that begins with these; 0 if unknown, None if it is not a key.

    Keys are recognized by their first bytes: PKCS#1, PKCS#8 (also encrypted), SEC 1 and PKCS#12 in DER (X.690), and
    those of OpenSSH. Certificates, public keys and signatures begin otherwise.
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
    """The length of an element of DER with its header, and the part of its body that is there; 0 if unknown."""
    first = data[1] if len(data) > 5 else 0x80
    if first < 0x80:
        return 2 + first, data[2:]
    count = first - 0x80
    if not 0 < count < 4:
        return 0, b""
    return 2 + count + int.from_bytes(data[2 : 2 + count], "big"), data[2 + count :]


def bare_key(text: str) -> re.Match[str] | None:
    """The first private key in base64 that no BEGIN line announces."""
    if "M" not in text and "b3BlbnNzaC1rZXkt" not in text:
        return None
    return next((found for found in _BARE.finditer(text) if key_digits(found[0]) is not None), None)


def without_bare_keys(text: str, replaced: Callable[[str], str]) -> str:
    """A text in which each such key is replaced."""
    return _BARE.sub(lambda found: found[0] if key_digits(found[0]) is None else replaced(found[0]), text)


HOME = re.compile(r"(/home/|/Users/|[A-Za-z]:(?:\\+|/)Users(?:\\+|/))([^/\\\s\"':;,<>]{1,64})")
"""Group 2 is the name of a person."""
BASE64 = re.compile(r"[A-Za-z0-9+/]{16,}+={0,2}|[A-Za-z0-9_-]{16,}+={0,2}")
PERCENT = re.compile(r"[^\s\"'<>&?#=;]{3,}+")
"""What may have escapes of a URL in it."""
ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
