"""What the command line says about a real model: where it is, its key's place, and who is asked first.

The key comes from the environment alone: a command line stands in the list of processes and in the shell's history.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import urlsplit

import click

from inspector.cli.durations import duration
from inspector.cli.help import shared
from inspector.errors import UsageError
from inspector.sampler.choice import Approve, Key, ModelChoice

F = TypeVar("F", bound=Callable[..., Any])

KEY_ENV = "MCP_INSPECT_SAMPLER_KEY"
_PATIENCE_S = 120.0
_A_DAY = 24 * 3600
_OPTIONS = [
    shared("questions", "--sampler-url", metavar="URL", help="Let a model answer sampling: an OpenAI-compatible API."),
    shared("questions", "--sampler-model", metavar="NAME", help="The model's name there."),
    shared("questions", "--sampler-key-env", metavar="NAME", help=f"The variable that holds its key ({KEY_ENV})."),
    shared(
        "questions",
        "--sampler-approve",
        type=click.Choice([each.value for each in Approve]),
        help="Ask you before and after (always), before, or never.",
    ),
    shared("questions", "--sampler-timeout", type=duration, metavar="S", help="How long it may take (120)."),
]
_NAMES = ("sampler_model", "sampler_key_env", "sampler_approve", "sampler_timeout")


def sampler_options(command: F) -> F:
    """Add them."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_model(options: Mapping[str, Any], env: Mapping[str, str]) -> ModelChoice | None:
    """The model that the options name; None if they name none. Raises: UsageError, never with the key in it."""
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
    """Our environment as a server may inherit it: the model's key is no business of the server's."""
    return {name: value for name, value in env.items() if name not in (KEY_ENV, options.get("sampler_key_env"))}


def demand_consent(model: ModelChoice | None) -> None:
    """Without a person nobody can approve. Raises: UsageError where that was asked for."""
    if model is not None and model.approve is not Approve.NEVER:
        raise UsageError(
            "nobody is at a screen to approve what the model is asked and what it answers",
            hint="To let it answer unasked, give --sampler-approve never.",
        )


def _url(given: str) -> str:
    try:
        parts = urlsplit(given)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fits = False
    if not fits or any(char <= " " for char in given):
        raise UsageError(f"--sampler-url {given!r} is no address", hint="It looks like http://127.0.0.1:11434/v1.")
    if parts.username is not None or parts.password is not None:
        raise UsageError("--sampler-url has credentials in it", hint="Put the key into the environment instead.")
    return given


def _key(options: Mapping[str, Any], env: Mapping[str, str]) -> Key:
    name = options.get("sampler_key_env")
    if name is not None and name not in env:
        raise UsageError(f"--sampler-key-env {name}: there is no such variable in the environment")
    key = env.get(name or KEY_ENV, "").strip()
    if not all("!" <= char <= "~" for char in key):
        raise UsageError(f"what {name or KEY_ENV} holds can't be a key: it has characters that no header takes")
    return Key(key)


def _patience(options: Mapping[str, Any]) -> float:
    given = options.get("sampler_timeout")
    if given is None:
        return _PATIENCE_S
    if not 0 < given <= _A_DAY:
        raise UsageError(f"--sampler-timeout {given:g}: that is no time to wait", hint="Give seconds.")
    return float(given)
