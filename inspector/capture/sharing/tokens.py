"""How the tokens of well-known issuers look, wherever they stand, and what of a text gives access by its form."""

import re

_SHAPES = {
    "private key": r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^-]*+(?:-----END [A-Z0-9 ]{0,40}-----)?",
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
HOME = re.compile(r"(/home/|/Users/|[A-Za-z]:(?:\\+|/)Users(?:\\+|/))([^/\\\s\"':;,<>]{1,64})")
"""Group 2 is the name of a person."""
BASE64 = re.compile(r"[A-Za-z0-9+/]{16,}+={0,2}|[A-Za-z0-9_-]{16,}+={0,2}")
PERCENT = re.compile(r"[^\s\"'<>&?#=;]{3,}+")
"""What may have escapes of a URL in it."""
ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
