"""Formats of tokens and keys of well-known issuers, and masking of all that looks like one in a text."""

import re
from typing import Any

from inspector.protocol.credentials import MASK, is_credential, mask, without_assignments, without_credentials

PEM_BEGIN = r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
PEM_END = r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
PEM = rf"{PEM_BEGIN}[^-]*+(?:(?!-{{4,5}} ?(?:BEGIN|END) |-{PEM_END})-[^-]*+)*{PEM_END}"
"""A private key from its first line to its last: PEM (RFC 7468, five dashes) or SSH2 (RFC 4716, four dashes).

The group is not repeated possessively: with Python 3.11.2 that goes too far after a lookahead that has failed.
"""

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
"""Any known token; `KINDS[found.lastindex - 1]` is its kind."""
BEGINNINGS = (
    *("PRIVATE KEY", "Private-MAC", "eyJ", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "glptt-"),
    *("gldt-", "glrt-"),
    *("glcbt-", "glsoat-", "sk-", "k_live_", "k_test_", "AKIA", "ASIA", "AIDA", "AROA", "AGPA", "xox", "xapp-"),
    *("hooks.slack.com", "/api/webhooks/", "AIza", "ya29.", "GOCSPX-", "1//0", "npm_", "pypi-", "hf_", "SG."),
    *("doo_v1_", "dop_v1_"),
    *("dor_v1_", ":AA", "AGE-SECRET-KEY-1"),
)
"""Every text with a token contains one of these."""
SCHEMES = ("bearer", "basic", "dpop", "digest", "negotiate")
SCHEME = re.compile(r"(?<![A-Za-z])((?:Bearer|Basic|DPoP|Digest|Negotiate)\s+)([A-Za-z0-9._~+/=-]{6,})", re.IGNORECASE)
"""Group 2 is the credential, if it is unlikely to be ordinary text."""


def without_secrets(text: str) -> str:
    """Mask tokens, credentials behind their scheme or a name with `=`, and those of URLs in a text."""
    if any(map(text.__contains__, BEGINNINGS)):
        text = TOKEN.sub(MASK, text)
    return without_credentials(without_assignments(SCHEME.sub(_scheme, text)))


def _scheme(found: re.Match[str]) -> str:
    """Mask the word behind a scheme, unless it is a plain word such as in "basic support"."""
    is_word = found[2].rstrip(".,").isalpha() and found[2].rstrip(".,").islower()
    return found[0] if is_word else f"{found[1]}{MASK}"


def masked_members(value: Any, name: str = "") -> Any:
    """Mask credentials in a JSON value: by member name, and in its texts.

    `name` is the name of the member that holds the value; "" if none.
    """
    if isinstance(value, dict):
        return {key: masked_members(each, str(key)) for key, each in value.items()}
    if isinstance(value, list):
        return [masked_members(each, name) for each in value]
    if name and value not in (None, "") and not isinstance(value, bool) and is_credential(name):
        return mask(value if isinstance(value, str) else str(value))
    return without_secrets(value) if isinstance(value, str) else value
