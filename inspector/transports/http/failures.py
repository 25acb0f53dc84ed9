"""Why an HTTP exchange failed: httpx's exceptions as sentences that name the cause and say what to do.

httpx wraps what the operating system and the TLS library said two or three times over. The cause is looked
for along the whole chain, the most telling kind first; only if there is none does httpx speak itself.
"""

import re
import socket
import ssl
from collections.abc import Callable, Iterator

import httpx

from inspector.errors import ConnectError, NoResponse
from inspector.transports.http.packing import BadPacking

_VALUE = re.compile(r"(?<=header value) .*", re.DOTALL)
"""What h11 quotes, which may be a token."""
_TRUST = "Trust its issuer with --cacert FILE, or skip the check for this run with --insecure."
_RUNNING = "Is the server running, and is this its port?"


def unreachable(error: Exception, url: httpx.URL, connect_timeout: float) -> ConnectError:
    """Say why no response came at all. `connect_timeout` is in seconds."""
    where = f"{url.host}:{url.port or (443 if url.scheme == 'https' else 80)}"
    if isinstance(error, httpx.ConnectTimeout):
        return ConnectError(
            f"No connection to {where} within {connect_timeout:g} s.",
            hint="Is the address right, and does a firewall or a proxy stand in between?",
        )
    if isinstance(error, httpx.ProxyError):
        return ConnectError(
            f"The proxy refused to reach {where}: {error}.",
            hint="Look at HTTP_PROXY, HTTPS_PROXY and NO_PROXY in the environment.",
        )
    if isinstance(error, httpx.LocalProtocolError):
        return ConnectError(
            f"This request can't be written as HTTP: {_VALUE.sub('', str(error))}.",
            hint="Look at the headers that were given with -H.",
        )
    causes = list(_causes(error))
    for kind, say in _CAUSES:
        for cause in causes:
            if isinstance(cause, kind):
                return say(cause, where)
    for cause in causes:
        if isinstance(cause, OSError) and cause.strerror:
            return ConnectError(f"No connection to {where}: {cause.strerror}.", hint=_RUNNING)
    return _closed(error, where)


def broken(error: Exception) -> str:
    """Say why a response that had begun did not end well. No full stop: it stands within sentences."""
    if isinstance(error, BadPacking):
        return f"the compressed body can't be decoded: {error}"
    if isinstance(error, httpx.RemoteProtocolError):
        return f"the server broke the connection off: {error}"
    return f"the connection broke: {str(error) or type(error).__name__}"


def _untrusted(error: BaseException, where: str) -> ConnectError:
    assert isinstance(error, ssl.SSLCertVerificationError)
    said = error.verify_message or str(error)
    return ConnectError(f"The TLS certificate of {where} is not trusted: {said}.", hint=_TRUST)


def _no_tls(error: BaseException, where: str) -> ConnectError:
    said = getattr(error, "reason", None) or str(error)
    return ConnectError(
        f"The TLS handshake with {where} failed: {said}.",
        hint="Does the server speak TLS on this port? If not, the URL begins with http://.",
    )


def _no_name(error: BaseException, where: str) -> ConnectError:
    assert isinstance(error, socket.gaierror)
    return ConnectError(
        f"The name in {where} can't be resolved: {error.strerror}.", hint="Check the spelling of the host name."
    )


def _refused(error: BaseException, where: str) -> ConnectError:
    return ConnectError(f"{where} refuses connections.", hint=_RUNNING)


def _closed(error: Exception, where: str) -> ConnectError:
    if isinstance(error, httpx.TimeoutException):
        return ConnectError(
            f"{where} stopped taking the request.", hint="The server may be stuck; look at its own log."
        )
    return NoResponse(
        f"{where} gave no HTTP response: {str(error).rstrip('.') or type(error).__name__}.",
        hint="Does an HTTP server listen there? If it needs TLS, the URL begins with https://.",
    )


_Say = Callable[[BaseException, str], ConnectError]
_CAUSES: tuple[tuple[type[BaseException], _Say], ...] = (
    (ssl.SSLCertVerificationError, _untrusted),
    (ssl.SSLError, _no_tls),
    (socket.gaierror, _no_name),
    (ConnectionRefusedError, _refused),
    (ConnectionResetError, lambda error, where: _closed(httpx.ReadError("the connection was reset"), where)),
)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error, what caused it, what caused that, and the members of groups; each once."""
    pending, seen = [error], set[int]()
    while pending:
        found = pending.pop(0)
        if id(found) in seen:
            continue
        seen.add(id(found))
        yield found
        if isinstance(found, BaseExceptionGroup):
            pending.extend(found.exceptions)
        pending.extend(cause for cause in (found.__cause__, found.__context__) if cause is not None)
