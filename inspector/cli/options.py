"""The options that several commands share, and how they become a target and settings.

One rule: everything before `--` is ours, in any order; everything after it is the server's argv, untouched. An
option that means nothing for the target at hand is an error, never ignored.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
import msgspec

from inspector.cli import answers
from inspector.cli.answers import ResponseOptions, answers_options, without_key
from inspector.cli.command_line import duration, no_server
from inspector.cli.env import CliEnv
from inspector.cli.help import shared
from inspector.cli.login_options import FOR_HTTP, Choice, login_options, read_login
from inspector.config.environment import build_environment
from inspector.config.targets import HttpTarget, StdioTarget, Target, parse_url
from inspector.errors import UsageError
from inspector.protocol.capabilities import Advertised, advertised
from inspector.protocol.revisions._shape import Era
from inspector.session.options import ListWishes, Timeouts
from inspector.transports.base import LIMITS, Limits

if TYPE_CHECKING:
    from inspector.config.servers import FoundServer


# --- The option that raises a limit: `--max message=1G`, for every command that talks to a server.

F = TypeVar("F", bound=Callable[..., Any])

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30}
_AMOUNT = r"(\d{1,15})\s*([kmg]i?)?b?"
_NAMES = tuple(Limits.__struct_fields__)
_OPTION = shared(
    "server", "--max", "limits", multiple=True, metavar="NAME=N", help=f"Raise a limit: {', '.join(_NAMES)}."
)


def limit_options(command: F) -> F:
    """Add it."""
    return cast(F, _OPTION(command))


def read_limits(options: Mapping[str, Any]) -> Limits:
    """What the options come to; what they say of schemas holds from here on. Raises: UsageError."""
    found = msgspec.structs.replace(LIMITS, **dict(map(_one, options.get("limits", ()))))
    if (found.schema, found.pattern) != (LIMITS.schema, LIMITS.pattern):
        from inspector.forms.patterns import WorkBounds, move

        move(WorkBounds(found.schema, found.pattern))
    return found


def _one(text: str) -> tuple[str, int]:
    name, equals, amount = (part.strip() for part in text.partition("="))
    found = re.fullmatch(_AMOUNT, amount, re.IGNORECASE)
    if not equals or name not in _NAMES or found is None:
        raise UsageError(f"--max {text!r} names no limit", hint=f"Write NAME=N, with NAME one of {', '.join(_NAMES)}.")
    number = int(found.group(1)) * _UNITS[(found.group(2) or "").lower()]
    if number < 1:
        raise UsageError(f"--max {text!r}: nothing could be received", hint="Give 1 or more.")
    return name, number


# --- The options about lists: when they are fetched anew in the interface, how many pages, and where to begin.

_OF_SCREENS = [
    click.option(
        "--refresh",
        type=click.Choice(["auto", "manual"]),
        default="auto",
        help="Fetch lists that change by itself, or when asked.",
    ),
    click.option(
        "--pages", type=click.Choice(["all", "one"]), default="all", help="Fetch lists whole, or page by page."
    ),
]
_OF_THE_LIST = [
    click.option("--page-by-page", is_flag=True, help="Fetch one page; it says how to get the next."),
    click.option("--cursor", metavar="CURSOR", help="Begin with the page of this cursor."),
    click.option("--limit", type=int, metavar="N", help="Fetch no more than N pages."),
]


class Extent(msgspec.Struct, frozen=True):
    """Which pages of a list are wanted."""

    cursor: str | None = None
    """Where to begin; None: at the first."""
    most_pages: int | None = None
    """None: all."""


def screen_lists(command: F) -> F:
    """Add what commands with the interface take."""
    for option in reversed(_OF_SCREENS):
        command = option(command)
    return command


def extent_options(command: F) -> F:
    """Add what the command that lists takes."""
    for option in reversed(_OF_THE_LIST):
        command = option(command)
    return command


def wishes(options: Mapping[str, Any]) -> ListWishes:
    """How the interface fetches lists; commands without one have no such options."""
    return ListWishes(
        by_itself=options.get("refresh", "auto") == "auto", page_by_page=options.get("pages", "all") == "one"
    )


def extent(kind: str, *, page_by_page: bool, cursor: str | None, limit: int | None) -> Extent:
    """Which pages are wanted of a kind, or of "all". Raises: UsageError."""
    if limit is not None and limit < 1:
        raise UsageError(f"--limit {limit}: that is no number of pages", hint="Give 1 or more.")
    if page_by_page and limit is not None:
        raise UsageError("both --page-by-page and --limit", hint="--page-by-page is --limit 1.")
    if kind == "all" and cursor is not None:
        raise UsageError("--cursor belongs to one list", hint="Name it: tools, resources, templates or prompts.")
    return Extent(cursor, 1 if page_by_page else limit)


# --- The switches for extensions that every command takes: what we advertise to the server.

_OPTIONS = [
    shared(
        "extensions", "--extension", multiple=True, metavar="NAME[=JSON]", help="Advertise it: skills, ui, any name."
    ),
    shared("extensions", "--no-extension", multiple=True, metavar="NAME", help="Advertise it not; all for none."),
]


def extension_options(command: F) -> F:
    """Add them."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_extensions(options: Mapping[str, Any]) -> Advertised:
    """What they come to. Raises: UsageError."""
    return advertised(options.get("extension", ()), options.get("no_extension", ()))


_PATH = click.Path(path_type=Path)
_A_YEAR = 366 * 24 * 3600
_FOR_STDIO = {"set_": "-e", "env_file": "--env-file", "inherit_env": "--inherit-env", "cwd": "--cwd"}
_FOR_HTTP = {"header": "-H", "cacert": "--cacert", "insecure": "--insecure", "retry_cut": "--retry-cut", **FOR_HTTP}

_OPTIONS_OPTIONS = [
    shared(
        "server", "-e", "set_", multiple=True, metavar="KEY[=VAL]", help="Give the server a variable; KEY copies ours."
    ),
    shared("server", "--env-file", type=_PATH, metavar="FILE", help="Give it the variables of a file."),
    shared("server", "--inherit-env", is_flag=True, help="Give it all our environment, not the safe few."),
    shared("server", "--cwd", type=_PATH, metavar="DIR", help="Start it in this directory."),
    shared("server", "-H", "--header", multiple=True, metavar="'NAME: VAL'", help="Send a header; @FILE reads it."),
    shared("server", "--cacert", type=_PATH, metavar="FILE", help="Trust these certificates."),
    shared("server", "--insecure", is_flag=True, help="Check no certificate."),
    shared("server", "--transport", type=click.Choice(["stdio", "http", "sse"]), help="Use this one and no other."),
    shared("server", "--era", type=click.Choice(["auto", "legacy", "modern"]), default="auto", help="How to open."),
    shared("server", "--revision", default="", metavar="DATE", help="Use this version and no other."),
    shared(
        "server",
        "--timeout",
        type=duration,
        default=60.0,
        metavar="S",
        help="Longest silence (60); progress resets it.",
    ),
    shared("server", "--max-total", type=duration, default=3600.0, metavar="S", help="Longest wait in all (3600)."),
    shared("server", "--retry-cut", is_flag=True, help="Make a call again whose stream was cut, whatever it does."),
    shared("server", "--keep-secrets", is_flag=True, help="Record credentials in headers and URLs too."),
    click.option("--capture", type=_PATH, metavar="FILE", help="Record the session in a new file."),
]
_OF_COMMANDS_WITHOUT_SCREEN = [
    click.option("--json", "as_json", is_flag=True, help="Write one JSON object to stdout."),
    click.option("-q", "--quiet", is_flag=True, help="Say only what went wrong."),
]


def target_options(command: F) -> F:
    """Add the options of every command that talks to a server."""
    command = answers_options(extension_options(login_options(limit_options(command))))
    for option in reversed(_OPTIONS_OPTIONS):
        command = option(command)
    return command


def screen_options(command: F) -> F:
    """Add what every command with the interface takes: the target's options, whether to record, what to open beside."""
    command = click.option("--no-capture", is_flag=True, help="Record nothing.")(screen_lists(command))
    return target_options(
        click.option("--also", multiple=True, metavar="WHAT", help="Open this too, in a tab; see open --help.")(command)
    )


def headless_options(command: F) -> F:
    """Add what every command without a screen takes: a target, its options, and how to write."""
    return click.argument("url", required=False, metavar="[URL | NAME | -- CMD…]")(headless_settings(command))


def headless_settings(command: F) -> F:
    """Add the same without the target itself, for a command that finds its URL among other words."""
    command = target_options(command)
    for option in reversed(_OF_COMMANDS_WITHOUT_SCREEN):
        command = option(command)
    return command


class TargetOptions(msgspec.Struct, frozen=True):
    """What the options and the words around them come to."""

    target: Target
    era: Era | None
    """None: find out."""
    revision: str
    clocks: Timeouts
    capture: Path | None
    """The file that was named for recording; None if none was."""
    record: bool = True
    """False with --no-capture."""
    answers: ResponseOptions = msgspec.field(default_factory=ResponseOptions)
    extensions: Advertised = Advertised()
    lists: ListWishes = ListWishes()
    retry_cut: bool = False
    login: Choice = Choice()
    keep_secrets: bool = False
    """Whether credentials are recorded too."""
    limits: Limits = LIMITS
    also: tuple[str, ...] = ()
    """What else is to be opened, as it was named."""


def choose(env: CliEnv, url: str | None, options: Mapping[str, Any]) -> TargetOptions:
    """Make a target of the words after `--` or of a URL, and settings of the options.

    Raises: UsageError where there is no target or two, or where an option does not go with it.
    """
    if env.server_argv is not None and url is not None:
        raise UsageError(f"both a command after -- and {url!r}", hint="A target is one or the other.")
    if env.server_argv is not None:
        target: Target = _stdio(env.server_argv, options, env.environ)
    elif url is not None:
        server = found_by_name(env, url)
        if server is None and "://" not in url and (broken := _unreadable_files(env)):
            raise UsageError(f"{url!r} is not a URL, and no client's file that could be read names it", hint=broken)
        target = _http(url, options) if server is None else _found(server, options, env.environ)
    else:
        raise no_server()
    no_capture = options.get("no_capture", False)
    if no_capture and options["capture"]:
        raise UsageError("both --capture and --no-capture", hint="Give one of them.")
    era = None if options["era"] == "auto" else Era(options["era"])
    told = answers.read(options, env.environ)
    return TargetOptions(
        target,
        era,
        options["revision"],
        _clocks(options),
        options["capture"],
        not no_capture,
        told,
        read_extensions(options),
        wishes(options),
        options.get("retry_cut", False),
        read_login(options, env.environ),
        options.get("keep_secrets", False),
        read_limits(options),
        tuple(options.get("also", ())),
    )


def _clocks(options: Mapping[str, Any]) -> Timeouts:
    return Timeouts(_seconds(options["timeout"], "--timeout"), _seconds(options["max_total"], "--max-total"))


def _seconds(value: float, name: str) -> float | None:
    """Seconds, or None for ever where 0 was given."""
    if not 0 <= value < _A_YEAR:
        raise UsageError(f"{name} {value:g}: that is no time to wait", hint="Give seconds; 0 waits for ever.")
    return value or None


def _refuse(options: Mapping[str, Any], names: Mapping[str, str], why: str) -> None:
    given = [shown for name, shown in names.items() if options.get(name)]
    if given:
        raise UsageError(f"{', '.join(given)}: {why}")


def _demand(options: Mapping[str, Any], *kinds: str) -> None:
    asked = options["transport"]
    if asked not in (None, *kinds):
        raise UsageError(
            f"--transport {asked} does not go with this target", hint="A URL is http or sse, a command stdio."
        )


def found_by_name(env: CliEnv, word: str | None) -> "FoundServer | None":
    """The server of this name in the clients' files of this machine; None for a URL and for a name that none has.

    Raises: UsageError if several servers have it.
    """
    if word is None or "://" in word:
        return None
    from inspector.config.servers import FoundServer, found_servers
    from inspector.present.start import named

    server = named(word, found_servers(env.environ, Path.cwd()))
    return server if isinstance(server, FoundServer) else None


def _unreadable_files(env: CliEnv) -> str:
    """Which files of clients cannot be read, and why; "" if all can."""
    from inspector.config.servers import found_servers

    problems = [each.problem for each in found_servers(env.environ, Path.cwd()) if not each.name and each.problem]
    return f"Not read: {'; '.join(problems)}." if problems else ""


def names_a_server(env: CliEnv, word: str) -> bool:
    """Whether a word is a URL or the name of a server of a client's file. Raises: UsageError if several have it."""
    return word.startswith(("http://", "https://")) or found_by_name(env, word) is not None


def _found(server: "FoundServer", options: Mapping[str, Any], env: Mapping[str, str]) -> Target:
    """A server as a client's file describes it, with what the options add: they come last."""
    from inspector.cli.choices import found_target

    target = found_target(server, env)
    if isinstance(target, HttpTarget):
        added = _http(server.url, options)
        return msgspec.structs.replace(added, headers=(*target.headers, *added.headers))
    own = [f"{name}={value}" for name, value in server.env]
    asked = {**options, "set_": (*own, *options["set_"]), "cwd": options["cwd"] or target.cwd}
    return _stdio(target.argv, asked, env)


def _stdio(argv: tuple[str, ...], options: Mapping[str, Any], env: Mapping[str, str]) -> StdioTarget:
    if not argv:
        raise UsageError(
            "nothing stands after --", hint="Give the server's command there: mcp-inspect -- node server.js"
        )
    _refuse(options, _FOR_HTTP, "only for servers that are reached by URL")
    _demand(options, "stdio")
    environment = build_environment(
        without_key(options, env),
        inherit_all=options["inherit_env"],
        set_=options["set_"],
        env_file=options["env_file"],
    )
    cwd = Path(options["cwd"] or ".").absolute()
    if not cwd.is_dir():
        raise UsageError(f"--cwd {cwd}: no such directory")
    return StdioTarget(argv, environment, str(cwd))


def _http(url: str, options: Mapping[str, Any]) -> HttpTarget:
    _refuse(options, _FOR_STDIO, "only for servers that are started, by a command after --")
    _demand(options, "http", "sse")
    cacert = options["cacert"]
    if cacert is not None and not cacert.is_file():
        raise UsageError(f"--cacert {cacert}: no such file")
    return HttpTarget(
        parse_url(url),
        headers=tuple(_header(text) for text in options["header"]),
        cacert=str(cacert) if cacert else None,
        insecure=options["insecure"],
        legacy_sse=options["transport"] == "sse",
    )


_UNSENDABLE = re.compile(r"[\0-\x08\x0a-\x1f\x7f]")
"""Control characters that no header can carry."""


def _header(text: str) -> tuple[str, str]:
    """A header as typed, or from a file so that a secret stays out of the shell's history.

    Raises: UsageError, without the value: it may be a token.
    """
    if text.startswith("@"):
        try:
            text = Path(text[1:]).read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"-H {text}: the file can't be read: {error}") from None
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise UsageError(
            f"-H with {len(text)} characters without a name and a colon is no header", hint="Write it as 'Name: value'."
        )
    name, value = name.strip(), value.strip()
    if (bad := _UNSENDABLE.search(f"{name}{value}")) is not None:
        what = f"-H {name!r}" if _UNSENDABLE.search(name) is None else "-H"
        raise UsageError(
            f"{what} is no header: it holds the character U+{ord(bad[0]):04X}", hint="Remove it; was a line end copied?"
        )
    return name, value
