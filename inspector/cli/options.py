"""Options that several commands share: of the server, its lists, limits, extensions, and the output.

Everything before `--` is ours, in any order; everything after it is the server's argv, unchanged. An option that
does not apply to the target is an error and never ignored: see targets.py.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from inspector.cli.command_line import duration
from inspector.cli.help import option_group, shared
from inspector.cli.login_options import login_options
from inspector.cli.server_request_options import answers_options
from inspector.config.settings import UserConfig, parse_size, user_config
from inspector.errors import UsageError
from inspector.protocol.capabilities import Advertised, advertised
from inspector.session.options import ListOptions
from inspector.transports.base import LIMITS, Limits

F = TypeVar("F", bound=Callable[..., Any])
_NAMES = tuple(Limits.__struct_fields__)
_PATH = click.Path(path_type=Path)


def configured(name: str) -> Callable[[], Any]:
    """Return an option's default: a setting of `config.toml`, which is read when the command line is parsed."""

    def value() -> Any:
        env = click.get_current_context().obj
        return getattr(user_config(env.environ) if env is not None else UserConfig(), name)

    return value


limit_options = shared(
    "server", "--max", "limits", multiple=True, metavar="NAME=N", help=f"Set a limit: {', '.join(_NAMES)}."
)


def read_limits(options: Mapping[str, Any]) -> Limits:
    """Parse the limits. Those of schemas take effect immediately. Raises: UsageError."""
    found = msgspec.structs.replace(LIMITS, **dict(map(_limit, options.get("limits", ()))))
    if (found.schema, found.pattern) != (LIMITS.schema, LIMITS.pattern):
        from inspector.forms.patterns import WorkBounds, move

        move(WorkBounds(found.schema, found.pattern))
    return found


def _limit(text: str) -> tuple[str, int]:
    name, equals, amount = (part.strip() for part in text.partition("="))
    number = parse_size(amount)
    if not equals or name not in _NAMES or number is None:
        raise UsageError(f"invalid --max {text!r}", hint=f"Write NAME=N; NAME is one of {', '.join(_NAMES)}.")
    if number < 1:
        raise UsageError(f"invalid --max {text!r}", hint="Use 1 or more.")
    return name, number


screen_lists = option_group(
    click.option(
        "--refresh",
        type=click.Choice(["auto", "manual"]),
        default=configured("refresh"),
        help="Refresh changed lists automatically, or on request.",
    ),
    click.option(
        "--pages",
        type=click.Choice(["all", "one"]),
        default=configured("pages"),
        help="Fetch all pages of a list, or page by page.",
    ),
)


def read_list_options(options: Mapping[str, Any]) -> ListOptions:
    """Parse how the interface fetches lists. Commands without an interface have no such options."""
    return ListOptions(
        by_itself=options.get("refresh", "auto") == "auto", page_by_page=options.get("pages", "all") == "one"
    )


extension_options = option_group(
    shared(
        "extensions",
        "--extension",
        multiple=True,
        metavar="NAME[=JSON]",
        help="Advertise an extension: skills, ui or any name.",
    ),
    shared("extensions", "--no-extension", multiple=True, metavar="NAME", help="Do not advertise it; all: none."),
)


def read_extensions(options: Mapping[str, Any]) -> Advertised:
    """Parse the extensions to advertise. Raises: UsageError."""
    return advertised(options.get("extension", ()), options.get("no_extension", ()))


target_options = option_group(
    shared(
        "server",
        "--as",
        "as_client",
        default="",
        metavar="CLIENT|FILE",
        help="Behave like claude-code, codex, cursor, gemini-cli, vscode, or the client of a profile file.",
    ),
    shared(
        "server",
        "-e",
        "set_",
        multiple=True,
        metavar="KEY[=VAL]",
        help="Set an environment variable; KEY copies its current value.",
    ),
    shared("server", "--env-file", type=_PATH, metavar="FILE", help="Set environment variables from a file."),
    shared("server", "--inherit-env", is_flag=True, help="Pass the full environment (default: a safe subset)."),
    shared(
        "server",
        "--cwd",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        help="Start the server in this directory.",
    ),
    shared(
        "server",
        "--approve",
        multiple=True,
        metavar="DIGEST",
        help="Approve a server of a project's file; its digest is in the message.",
    ),
    shared(
        "server", "-H", "--header", multiple=True, metavar="'NAME: VAL'", help="Send an HTTP header; @FILE reads it."
    ),
    shared("server", "--cacert", type=_PATH, metavar="FILE", help="Trust the CA certificates in this file."),
    shared("server", "--insecure", is_flag=True, help="Do not verify TLS certificates."),
    shared("server", "--transport", type=click.Choice(["stdio", "http", "sse"]), help="Use only this transport."),
    shared(
        "server",
        "--era",
        type=click.Choice(["auto", "legacy", "modern"]),
        default="auto",
        help="Open with initialize (legacy) or server/discover (modern).",
    ),
    shared("server", "--revision", default="", metavar="DATE", help="Use only this protocol version."),
    shared(
        "server",
        "--timeout",
        type=duration,
        default=configured("timeout"),
        metavar="S",
        help="Time out after this long without a message (60).",
    ),
    shared(
        "server",
        "--max-total",
        type=duration,
        default=configured("max_total"),
        metavar="S",
        help="Time out after this long in total (3600).",
    ),
    shared(
        "server", "--retry-calls", is_flag=True, help="Repeat a call whose stream broke, even if it is not idempotent."
    ),
    shared("server", "--no-redact", "keep_secrets", is_flag=True, help="Record credentials in headers and URLs."),
    click.option("--capture", type=_PATH, metavar="FILE", help="Record the session to a new file."),
    shared("server", "--otlp", metavar="URL", help="Send a span for each operation to this OpenTelemetry collector."),
    answers_options,
    extension_options,
    login_options,
    limit_options,
)
"""Options of every command that connects to a server."""
watch_option = click.option(
    "--watch",
    "watch",
    multiple=True,
    is_flag=False,
    flag_value="",
    metavar="[GLOB]",
    help="Restart the server when a file changes; without GLOB, its source files.",
)
screen_options = option_group(
    target_options,
    watch_option,
    click.option("--with", "others", multiple=True, metavar="TARGET", help="Also open this in a tab; see open --help."),
    click.option("--no-capture", is_flag=True, help="Do not record the session."),
    screen_lists,
)
"""Options of every command with the interface."""
json_option = click.option("--json", "as_json", is_flag=True, help="Write one JSON object to stdout.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Print only warnings and errors.")
headless_settings = option_group(json_option, quiet_option, target_options)
"""Options of every command without a screen whose target is among other arguments."""
headless_options = option_group(
    click.argument("url", required=False, metavar="[URL | NAME | -- COMMAND]"), headless_settings
)
"""Options and target argument of every command without a screen."""
