"""Creation of the httpx client: certificates, proxies and timeouts.

httpx's own redirects, cookies and authentication are not used: all three would send unobserved requests.
"""

import ssl

import httpx

from inspector.errors import UsageError
from inspector.protocol.url_hosts import is_loopback

_KEEP_ALIVE = 3.0
"""Seconds that an idle connection is kept.

Common servers close after 5. With less than that, we never write to a connection that is being closed.
"""
_WRITE = 60.0
"""Seconds in which a server must accept the next piece of a request."""


def make_client(
    url: httpx.URL, *, cacert: str | None, insecure: bool, connect_timeout: float, trust_env: bool
) -> httpx.AsyncClient:
    """Return a client for this URL. Nothing is sent.

    Raises: UsageError if the certificate file can't be read, or the environment names a proxy that can't be used.
    """
    trust_env = trust_env and not is_loopback(url.host)
    try:
        return httpx.AsyncClient(
            verify=_trust(url, cacert, insecure, trust_env),
            trust_env=trust_env,
            timeout=httpx.Timeout(None, connect=connect_timeout, write=_WRITE),
            limits=httpx.Limits(max_connections=None, keepalive_expiry=_KEEP_ALIVE),
        )
    except (ValueError, ImportError, httpx.InvalidURL) as error:
        raise UsageError(
            f"The proxy of the environment can't be used: {error}.",
            hint="Look at HTTP_PROXY, HTTPS_PROXY and ALL_PROXY.",
        ) from error


def _trust(url: httpx.URL, cacert: str | None, insecure: bool, trust_env: bool) -> ssl.SSLContext:
    if url.scheme == "http":
        # Never used for the server, since no redirect leaves the origin. Trusts no certificate, and loads none.
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context = httpx.create_ssl_context(verify=not insecure, trust_env=trust_env)
    if not insecure:
        context.load_default_certs()  # in addition to those of httpx: companies add theirs to the system
    if cacert is not None and not insecure:
        try:
            context.load_verify_locations(cafile=cacert)
        except OSError as error:  # includes ssl.SSLError, for a file without a certificate
            raise UsageError(
                f"The certificates in {cacert!r} can't be read: {error.strerror or error}.",
                hint="--cacert takes a file in PEM format.",
            ) from error
    return context
