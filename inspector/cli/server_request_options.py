"""Options for server requests: advertised client capabilities, roots, responses, the sampling model.

A capability is advertised only if its requests can be answered. With a user at the interface these are all of them.
Without one, only prepared responses count: the given roots, and the kinds in the file of responses.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click
import msgspec

from inspector.cli.command_line import duration
from inspector.cli.help import option_group, shared
from inspector.config.paths import expanded
from inspector.errors import UsageError
from inspector.protocol import capabilities
from inspector.protocol.server_requests import RequestKind, Root
from inspector.sampler.choice import Approve, Key, ModelChoice

if TYPE_CHECKING:
    from inspector.session.inbox import Policy
    from inspector.session.scripted import Prepared


KEY_ENV = "MCP_INSPECT_SAMPLER_KEY"
_SAMPLER_S = 120.0
_A_DAY = 24 * 3600
sampler_options = option_group(
    shared(
        "requests", "--sampler-url", metavar="URL", help="Answer sampling with the model at this OpenAI-compatible API."
    ),
    shared("requests", "--sampler-model", metavar="NAME", help="Set the model's name."),
    shared(
        "requests",
        "--sampler-key-env",
        metavar="NAME",
        help=f"Read its key from this environment variable ({KEY_ENV}).",
    ),
    shared(
        "requests",
        "--sampler-approve",
        type=click.Choice([each.value for each in Approve]),
        help="Confirm each request and response, each request, or none.",
    ),
    shared("requests", "--sampler-timeout", type=duration, metavar="S", help="Wait this long for the model (120)."),
)
_NAMES = ("sampler_model", "sampler_key_env", "sampler_approve", "sampler_timeout")
EVERYTHING = "all"

_ROOTS = (
    shared("requests", "--root", "root", multiple=True, metavar="PATH", help="Return this directory as a root."),
    shared("requests", "--root-uri", multiple=True, metavar="URI", help="Return this URI as a root."),
)


def read_model(options: Mapping[str, Any], env: Mapping[str, str]) -> ModelChoice | None:
    """Return the model from the options; None without one. Raises: UsageError, never containing the key."""
    url = options.get("sampler_url")
    if url is None:
        if given := [name for name in _NAMES if options.get(name) is not None]:
            named = f"--{given[0].replace('_', '-')}"
            raise UsageError(f"{named} without --sampler-url", hint="Name the model's endpoint with --sampler-url.")
        return None
    model = options.get("sampler_model")
    if not model:
        raise UsageError("--sampler-url without --sampler-model", hint="Name the model to ask with --sampler-model.")
    return ModelChoice(
        _url(url), model, _key(options, env), Approve(options.get("sampler_approve") or "always"), _patience(options)
    )


def without_key(options: Mapping[str, Any], env: Mapping[str, str]) -> dict[str, str]:
    """Return our environment for the server, without the model's key."""
    return {name: value for name, value in env.items() if name not in (KEY_ENV, options.get("sampler_key_env"))}


def demand_consent(model: ModelChoice | None) -> None:
    """Demand that the model needs no approval, which only the interface can ask for. Raises: UsageError."""
    if model is not None and model.approve is not Approve.NEVER:
        raise UsageError(
            "sampling needs approval, and there is no screen to ask",
            hint="To respond without approval: --sampler-approve never.",
        )


def _url(given: str) -> str:
    try:
        parts = urlsplit(given)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fits = False
    if not fits or any(char <= " " for char in given):
        raise UsageError(f"invalid --sampler-url {given!r}", hint="Example: http://127.0.0.1:11434/v1.")
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            "--sampler-url contains credentials", hint="Pass the key in an environment variable: --sampler-key-env."
        )
    return given


def _key(options: Mapping[str, Any], env: Mapping[str, str]) -> Key:
    name = options.get("sampler_key_env")
    if name is not None and name not in env:
        raise UsageError(f"--sampler-key-env {name}: the environment variable is not set")
    key = env.get(name or KEY_ENV, "").strip()
    if not all("!" <= char <= "~" for char in key):
        raise UsageError(f"invalid key in {name or KEY_ENV}: it contains characters that are not allowed in a header")
    return Key(key)


def _patience(options: Mapping[str, Any]) -> float:
    given = options.get("sampler_timeout")
    if given is None:
        return _SAMPLER_S
    if not 0 < given <= _A_DAY:
        raise UsageError(f"invalid --sampler-timeout {given:g}", hint="Use more than 0 seconds, at most a day.")
    return float(given)


roots_options = option_group(*_ROOTS)
answers_options = option_group(
    shared(
        "requests",
        "--capability",
        multiple=True,
        metavar="NAMES",
        help="Advertise client capabilities: sampling, elicitation, roots, … or all.",
    ),
    shared(
        "requests",
        "--no-capability",
        multiple=True,
        metavar="NAMES",
        help="Do not advertise these client capabilities.",
    ),
    *_ROOTS,
    shared(
        "requests",
        "--responses",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Respond to server requests from a JSON or YAML file.",
    ),
    sampler_options,
)
"""Options for server requests of every command that connects to a server."""


class ResponseOptions(msgspec.Struct, frozen=True):
    """Parsed options for server requests."""

    prepared: "tuple[Prepared, ...]" = ()
    roots: tuple[Root, ...] = ()
    more: frozenset[str] = frozenset()
    """Capabilities added by --capability."""
    fewer: frozenset[str] = frozenset()
    """Capabilities removed by --no-capability; --capability takes precedence."""
    model: ModelChoice | None = None
    """Model for sampling; None without one."""
    policies: "tuple[tuple[str, Policy], ...]" = ()
    """Response policies that take precedence over prepared responses, by name."""
    instead: frozenset[str] | None = None
    """Capabilities to advertise in place of those that can be answered; None for no override."""

    def offers(self, *, has_person: bool) -> frozenset[str]:
        """Return the client capabilities to advertise."""
        all_ = frozenset(capabilities.ALL) if has_person else self._answerable()
        return ((all_ if self.instead is None else self.instead) - self.fewer) | self.more

    def _answerable(self) -> frozenset[str]:
        kinds = {prepared.kind for prepared in self.prepared}
        found = {capabilities.TASKS} | ({capabilities.ROOTS} if self.roots else set())  # tasks can always be followed
        if RequestKind.SAMPLING in kinds:
            found.add(capabilities.SAMPLING)
        if self.model is not None:
            found |= {capabilities.SAMPLING, capabilities.SAMPLING_TOOLS}
        if RequestKind.ELICITATION in kinds:
            found |= {capabilities.FORM, capabilities.URL}
        return frozenset(found)


def read_response_options(options: Mapping[str, Any], env: Mapping[str, str] | None = None) -> ResponseOptions:
    """Parse the options; a model's key is read from `env`. Raises: UsageError."""
    file = options.get("responses")
    return ResponseOptions(
        () if file is None else _prepared(file),
        read_roots(options),
        _asked_for(_names(options.get("capability", ()))),
        _forbidden(_names(options.get("no_capability", ()))),
        read_model(options, env or {}),
        options.get("policies", ()),
        options.get("capabilities_instead"),
    )


def _prepared(file: Path) -> "tuple[Prepared, ...]":
    from inspector.session.scripted import read_answers

    return read_answers(file)


def read_roots(options: Mapping[str, Any]) -> tuple[Root, ...]:
    """Return the given roots, paths first. Raises: UsageError."""
    paths = [_directory(text) for text in options.get("root", ())]
    return (*paths, *(_by_uri(text) for text in options.get("root_uri", ())))


def _directory(text: str) -> Root:
    path = expanded(text).absolute()
    if not path.is_dir():
        raise UsageError(
            f"--root {text}: no such directory", hint="For a directory that does not exist, use --root-uri."
        )
    return Root(path.as_uri(), path.name)


def _by_uri(text: str) -> Root:
    """Return a root with any URI. The specification requires a file URI, but invalid ones are allowed for tests."""
    try:
        scheme = urlsplit(text).scheme
    except ValueError:
        scheme = ""
    if not scheme:
        raise UsageError(f"invalid --root-uri {text!r}", hint="Example: file:///home/me/project.")
    return Root(text)


def _names(given: tuple[str, ...]) -> list[str]:
    """Split comma-separated names."""
    return [name.strip() for text in given for name in text.split(",") if name.strip()]


def _asked_for(names: list[str]) -> frozenset[str]:
    return frozenset(capabilities.ALL) if EVERYTHING in names else capabilities.parse_offers(names)


def _forbidden(names: list[str]) -> frozenset[str]:
    """Return the capabilities to remove. Removing sampling also removes its tools, but not the other way round."""
    found = set(_asked_for(names))
    if capabilities.SAMPLING in names:
        found.add(capabilities.SAMPLING_TOOLS)
    elif EVERYTHING not in names:
        found.discard(capabilities.SAMPLING)
    return frozenset(found)
