"""A request as a curl command that can be given to somebody: every secret is a variable that he sets himself.

A variable is called `MCP_SECRET_` and the header's or parameter's own name. The body goes along as it was sent.
"""

import re
import shlex

from inspector.capture.redact import SCHEME, USERINFO
from inspector.protocol.credentials import secret_parameters
from inspector.protocol.facts import HttpFact
from inspector.viewmodels.secrets import is_secret

PREFIX = "MCP_SECRET_"
"""Before the names of variables that a command or a script reads secrets from."""
_OWN = {"host", "content-length", "connection", "transfer-encoding"}
"""What curl writes itself."""
_UNSAFE = re.compile(r"[^A-Z0-9]+")


def as_curl(request: HttpFact, body: bytes = b"", *, reveal: bool = False, one_line: bool = False) -> str:
    """The command; a body that is no text is read from a file of that name. `reveal`: secrets as they are.

    A header whose name begins with @ is left out: curl would read a file of that name, and HTTP has no such header.
    """
    url = shlex.quote(request.target) if reveal else _url(request.target)
    if request.target.startswith("-"):
        url = f"--url {url}"  # else curl takes it for an option
    if any(sign in request.target for sign in "[]{}"):
        url = f"-g {url}"  # else curl makes several addresses of it
    lines = [f"curl -sS -N -X {shlex.quote(request.method or 'POST')} {url}"]
    headers = [(name, value) for name, value in request.headers if name.lower() not in _OWN and name[:1] != "@"]
    lines += [f"-H {shlex.quote(f'{name}: {value}') if reveal else _header(name, value)}" for name, value in headers]
    if body:
        lines.append(_data(body))
    return (" " if one_line else " \\\n  ").join(lines)


def _data(body: bytes) -> str:
    try:
        text = body.decode()
    except UnicodeDecodeError:
        text = "\0"
    return "--data-binary @body.bin" if "\0" in text else f"--data-raw {shlex.quote(text)}"


def _header(name: str, value: str) -> str:
    if not is_secret(name):
        return f"{shlex.quote(f'{name};')}" if not value else _with_variables(f"{name}: {value}", len(name) + 2)
    scheme = SCHEME.match(value)
    return f"{shlex.quote(f'{name}: {scheme.group() if scheme else str()}')}{_variable(name)}"


def _with_variables(text: str, begin: int) -> str:
    """A header whose value may be a URL with secrets in it."""
    return shlex.quote(text[:begin]) + _url(text[begin:]) if "://" in text[begin:] else shlex.quote(text)


def _url(url: str) -> str:
    pieces, at = [], 0
    for begin, end, name in _secrets(url):
        pieces += [shlex.quote(url[at:begin]), _variable(name)]
        at = end
    if at < len(url) or not pieces:
        pieces.append(shlex.quote(url[at:]))
    return "".join(pieces)


def _secrets(url: str) -> list[tuple[int, int, str]]:
    """Where in a URL secrets stand: from, to, and what each is called; in order."""
    found = [(each.start(), each.end() - 1, "USERINFO") for each in USERINFO.finditer(url)]
    found += [(each.start, each.end, each.name) for each in secret_parameters(url, sessions=True)]
    return sorted(found)


def _variable(name: str) -> str:
    """A name of a variable that the shell reads, quoted.

    With a prefix: a server that names a header or parameter `GITHUB-TOKEN` must not get the person's own variable.
    """
    return f'"${PREFIX}{_UNSAFE.sub("_", name.upper()).strip("_") or "SECRET"}"'
