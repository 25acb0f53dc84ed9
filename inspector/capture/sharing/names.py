"""Which names say that their value gives access: of headers, of keys in JSON, of parameters, options and variables.

A name is judged by the words in it, however they are joined: `apiKey`, `API-KEY` and `x_api_key` are one. What speaks
about credentials without being one, such as `token_endpoint`, `maxTokens` or `progressToken`, is not meant.
"""

import re
from functools import lru_cache

_JOINED = re.compile(
    r"password|passwd|passphrase|secret|token|apikey|accesskey|privatekey|signingkey|encryptionkey|credential|cookie|"
    r"authorization|signature|sessionid|codeverifier|connectionstring|otp$|^pin$|^key$|jwt|bearer"
)
_WORD = re.compile(r"(?:^|_)(?:pass|pwd|auth|jwt|pat|dsn|otp|cvv|ssn)(?:_|$)")
STEMS = (
    *("pass", "pwd", "secret", "token", "key", "credential", "cookie", "auth", "signature", "session", "verifier"),
    *("string", "otp", "pin", "jwt", "bearer", "pat", "dsn", "cvv", "ssn"),
)
"""One of these, in small letters, stands in a text that has such a name in it."""
_ABOUT = re.compile(
    r"(?:endpoint|endpoints|supported|type|types|uri|url|urls|count|counts|limit|budget|usage|expiry|expires|expiresat|"
    r"expiresin|length|required|method|methods|name|names|hint|description|server|servers|scheme|schemes|metadata|"
    r"schema|policy|mode|enabled|used|issuedat)$|^max|progresstoken|tokens$|tokenizer|^num|pagetoken|cursor|^is|^has|"
    r"^requires|author(?!iz)"
)
_PARAMETERS = frozenset({"code", "sig", "key", "state", "nonce", "assertion", "ticket"})
_HARMLESS = frozenset(
    {
        *("PATH", "TERM", "SHELL", "LANG", "LANGUAGE", "TZ", "PWD", "OLDPWD", "SHLVL"),
        *("EDITOR", "VISUAL", "PAGER", "DISPLAY", "COLORTERM", "NO_COLOR", "HOME", "USER", "LOGNAME"),
        *("TMPDIR", "TEMP", "TMP", "HOSTNAME", "HOSTTYPE", "OSTYPE", "MAIL", "CI", "DEBIAN_FRONTEND"),
        *("PYTHONPATH", "VIRTUAL_ENV", "NODE_ENV"),
    }
)


@lru_cache(maxsize=4096)
def is_secret(name: str) -> bool:
    """Whether a value of this name gives access."""
    if len(name) > 200:
        return False
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+", "_", name).lower().strip("_")
    joined = words.replace("_", "")
    if _ABOUT.search(joined):
        return False
    return _JOINED.search(joined) is not None or _WORD.search(words) is not None


@lru_cache(maxsize=4096)
def is_secret_header(name: str) -> bool:
    """Whether a header of this name gives access, or carries on a session that does."""
    return is_secret(name) or name.lower() in ("mcp-session-id", "www-authenticate", "x-auth", "x-session")


@lru_cache(maxsize=4096)
def is_secret_parameter(name: str) -> bool:
    """Whether a parameter of a URL gives access by its value."""
    return is_secret(name) or name.lower() in _PARAMETERS


def is_harmless_variable(name: str) -> bool:
    """Whether a variable of this name is in every environment, and its value no secret."""
    return name in _HARMLESS or name.startswith(("LC_", "XDG_"))


def is_telling(value: str) -> bool:
    """Whether a value is unlikely to stand anywhere by chance, so that it can be looked for everywhere."""
    if len(value) < 8:
        return False
    if len(value) >= 20:
        return len(set(value)) > 5
    has_digit = any(char.isdigit() for char in value)
    has_letter = any(char.isalpha() for char in value)
    return has_digit and has_letter and len(set(value)) > 4
