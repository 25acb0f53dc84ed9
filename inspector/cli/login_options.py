"""Options for OAuth logins: the client, scopes, grant, callback and token store.

Every command that connects to a URL takes these options; most logins need none of them. Secrets are read from the
environment or from files, because a command line is visible in the process list and in the shell's history.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click
import msgspec

from inspector.cli.help import option_group, shared
from inspector.errors import UsageError, why_unreadable

if TYPE_CHECKING:  # only for servers with a URL
    from inspector.auth.steps import IdentityProvider, LoginOptions
    from inspector.auth.storage import LoginStorage

_PATH = click.Path(path_type=Path)
_PORT = click.IntRange(0, 65535)
_GRANTS = ("code", "client-credentials")
_KEPT = ("file", "keyring", "none")
_DPOP = ("auto", "on", "off")
_LARGEST = 64 * 1024
"""Maximum size of a key or token file in bytes."""

FOR_HTTP = {
    name: f"--{name.replace('_', '-')}"
    for name in (
        *("client_id", "client_secret_env", "client_metadata_url", "private_key", "signing_alg"),
        *("scope", "oauth_port", "oauth_callback", "dpop", "grant"),
        *("assertion", "idp_token_endpoint", "idp_client_id", "id_token", "token_store", "no_oauth"),
    )
}
"""Option names by click's parameter names. They do not apply to a server that is started."""


class LoginSettings(msgspec.Struct, frozen=True):
    """The login options; all are optional."""

    given: "LoginOptions | None" = None
    """Login options; None without options; see `login_options`."""
    port: int = 0
    """Port for the browser's redirect; 0 for any free port."""
    callback: str = ""
    kept: "LoginStorage | None" = None
    """Token store; None for the best available."""
    off: bool = False
    """Whether logins are disabled and stored tokens ignored."""

    @property
    def login_options(self) -> "LoginOptions":
        """The options, or their defaults."""
        from inspector.auth.steps import LoginOptions

        return self.given or LoginOptions()


def _rare(*names: str, **more: Any) -> Callable[..., Any]:
    return shared("login", *names, rare=True, **more)


login_options = option_group(
    shared("login", "--client-id", default="", metavar="ID", help="Use this pre-registered client."),
    _rare("--client-secret-env", metavar="NAME", help="Read its secret from this environment variable."),
    _rare("--client-metadata-url", default="", metavar="URL", help="Use this client metadata document."),
    _rare("--private-key", type=_PATH, metavar="FILE", help="Authenticate the client with this key (PEM)."),
    _rare("--signing-alg", metavar="ALG", help="Set the signature algorithm (ES256)."),
    shared("login", "--scope", multiple=True, metavar="NAMES", help="Request these scopes instead of the server's."),
    _rare("--oauth-port", type=_PORT, metavar="PORT", help="Listen for the redirect on this port (any free port)."),
    _rare("--oauth-callback", default="", metavar="URL", help="Use this redirect URI."),
    _rare("--dpop", type=click.Choice(_DPOP), help="Bind tokens with DPoP (auto: if supported)."),
    _rare("--grant", type=click.Choice(_GRANTS), help="Log in as a user or as the client itself."),
    _rare("--assertion", type=_PATH, metavar="FILE", help="Log in with this JWT (workload identity)."),
    _rare("--idp-token-endpoint", default="", metavar="URL", help="Log in through this enterprise identity provider."),
    _rare("--idp-client-id", default="", metavar="ID", help="Set the client id at the identity provider."),
    _rare("--id-token", type=_PATH, metavar="FILE", help="Read the ID token of the identity provider from this file."),
    shared(
        "login", "--token-store", type=click.Choice(_KEPT), help="Store tokens here (keyring if available, else file)."
    ),
    shared("login", "--no-oauth", is_flag=True, help="Disable OAuth and ignore stored tokens."),
)


def read_login(options: Mapping[str, Any], env: Mapping[str, str]) -> LoginSettings:
    """Parse the options; secrets are read from `env`. Raises: UsageError, never containing a secret."""
    given = {name: shown for name, shown in FOR_HTTP.items() if options.get(name)}
    if not given:
        return LoginSettings()
    if options["no_oauth"] and len(given) > 1:
        raise UsageError(f"--no-oauth, and {', '.join(given[name] for name in given if name != 'no_oauth')}")
    from inspector.auth.storage import LoginStorage

    callback = options["oauth_callback"]
    if callback and options["oauth_port"]:
        raise UsageError("both --oauth-port and --oauth-callback", hint="The callback's own port counts.")
    return LoginSettings(
        _login_options(options, env),
        options["oauth_port"] or 0,
        _address(callback, "--oauth-callback"),
        LoginStorage(options["token_store"]) if options["token_store"] else None,
        options["no_oauth"],
    )


def _login_options(options: Mapping[str, Any], env: Mapping[str, str]) -> "LoginOptions":
    from inspector.auth.steps import Dpop, LoginOptions

    scopes = tuple(name for text in options["scope"] for name in text.replace(",", " ").split())
    key, by_client = options["private_key"], options["grant"] == "client-credentials"
    _demand_client(options, "--client-secret-env", "--private-key", "--grant")
    if options["signing_alg"] and not key:
        raise UsageError("--signing-alg without --private-key")
    if by_client and not (key or options["client_secret_env"]):
        raise UsageError(
            "--grant client-credentials without what proves the client",
            hint="Give --client-secret-env NAME or --private-key FILE.",
        )
    return LoginOptions(
        client_id=options["client_id"],
        client_secret=_variable(options["client_secret_env"], env),
        metadata_url=_address(options["client_metadata_url"], "--client-metadata-url"),
        scopes=scopes if options["scope"] else None,
        private_key=_file(key, "--private-key"),
        algorithm=options["signing_alg"] or "ES256",
        client_credentials=by_client,
        assertion=_file(options["assertion"], "--assertion"),
        provider=_provider(options),
        dpop=Dpop(options["dpop"] or Dpop.AUTO),
    )


def _demand_client(options: Mapping[str, Any], *names: str) -> None:
    for shown in names:
        given = options[shown.lstrip("-").replace("-", "_")]
        if given and given != "code" and not options["client_id"]:
            raise UsageError(f"{shown} without --client-id", hint="Name the client that was registered by hand.")


def _provider(options: Mapping[str, Any]) -> "IdentityProvider | None":
    names = ("idp_token_endpoint", "idp_client_id", "id_token")
    given = [name for name in names if options[name]]
    if not given:
        return None
    if missing := [FOR_HTTP[name] for name in names if name not in given]:
        raise UsageError(f"{FOR_HTTP[given[0]]} without {' and '.join(missing)}")
    from inspector.auth.steps import IdentityProvider

    endpoint = _address(options["idp_token_endpoint"], "--idp-token-endpoint")
    return IdentityProvider(endpoint, options["idp_client_id"], _file(options["id_token"], "--id-token"))


def _variable(name: str | None, env: Mapping[str, str]) -> str:
    if name is None:
        return ""
    if not env.get(name):
        raise UsageError(f"--client-secret-env {name}: the environment variable is not set or empty")
    return env[name]


def _file(path: Path | None, option: str) -> str:
    if path is None:
        return ""
    try:
        with path.open() as file:
            text = file.read(_LARGEST).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{option} {path}: the file can't be read: {why_unreadable(error)}") from None
    if not text:
        raise UsageError(f"{option} {path}: the file is empty")
    return text


def _address(url: str, option: str) -> str:
    try:
        parts = urlsplit(url)
        fits = not url or (parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0)
    except ValueError:
        fits = False
    if not fits or any(char <= " " for char in url):
        raise UsageError(f"invalid {option} {url!r}", hint="It must start with https:// or http://.")
    return url
