"""Determines which server the command line names, and how to connect to it."""

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec
from click.core import ParameterSource

from inspector.cli.command_line import no_server
from inspector.cli.env import CliEnv
from inspector.cli.login_options import FOR_HTTP, LoginSettings, read_login
from inspector.cli.options import read_extensions, read_limits, read_list_options
from inspector.cli.server_request_options import ResponseOptions, read_response_options, without_key
from inspector.config.environment import build_environment
from inspector.config.paths import expanded, places
from inspector.config.settings import A_YEAR_S, user_config
from inspector.config.targets import HttpTarget, OpenTyped, StdioTarget, Target, parse_header, parse_url
from inspector.errors import ConnectError, UsageError, how_to_start, why_unreadable
from inspector.protocol.capabilities import Advertised
from inspector.protocol.facts import lacks_program
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.table import find
from inspector.session.options import ListOptions, Timeouts
from inspector.transports.base import LIMITS, Limits
from inspector.transports.children import Started, start

if TYPE_CHECKING:  # slow imports, only needed if a server or a profile is named
    from inspector.config.known_targets import SavedTarget
    from inspector.config.profiles import ClientProfile
    from inspector.config.servers import FoundServer

_FOR_STDIO = {"set_": "-e", "env_file": "--env-file", "inherit_env": "--inherit-env", "cwd": "--cwd"}

_FOR_HTTP = {"header": "-H", "cacert": "--cacert", "insecure": "--insecure", "retry_calls": "--retry-calls", **FOR_HTTP}
WITHOUT_STDIO: dict[str, Any] = {"set_": (), "env_file": None, "inherit_env": False, "cwd": None}
WITHOUT_HTTP: dict[str, Any] = {"header": (), "cacert": None, "insecure": False, "retry_calls": False}
"""Options that only one kind of target takes, as they are when they are not given."""

DEMO = (sys.executable, "-P", "-m", "inspector.demo")
"""Command of the demo server. -P: modules in the current directory are not imported."""

DEMO_VARIABLE = f"PYTHONPATH={Path(__file__).parents[2]}"
"""Variable that lets the child process find this package, installed or not."""

DEMO_HINTS = "MCP_INSPECT_DEMO_HINTS=1"
"""Variable for the server of `mcp-inspect demo`: the screen then suggests what to try."""


class TargetOptions(msgspec.Struct, frozen=True):
    target: Target
    era: Era | None
    """Protocol era; None to detect it."""
    revision: str
    clocks: Timeouts
    capture: Path | None
    """File to record to; None without --capture."""
    record: bool = True
    """Whether the session is recorded; False with --no-capture."""
    responses: ResponseOptions = msgspec.field(default_factory=ResponseOptions)
    extensions: Advertised = Advertised()
    lists: ListOptions = ListOptions()
    retry_calls: bool = False
    login: LoginSettings = LoginSettings()
    keep_secrets: bool = False
    """Whether credentials are recorded too."""
    limits: Limits = LIMITS
    others: tuple[str, ...] = ()
    """Further targets to open, as typed."""
    otlp: str = ""
    """OpenTelemetry collector that receives spans; "" for none."""
    profile: "ClientProfile | None" = None
    """Client to imitate; None for mcp-inspect's own behavior."""
    watch: tuple[str, ...] = ()
    """Globs of files whose change restarts the server, as typed; "" for its source files."""

    @property
    def is_demo(self) -> bool:
        """Whether the target is the built-in demo server."""
        return isinstance(self.target, StdioTarget) and self.target.argv[: len(DEMO)] == DEMO


def choose(env: CliEnv, url: str | None, options: Mapping[str, Any]) -> TargetOptions:
    """Return the target after `--` or of a URL, with its options.

    Raises: UsageError without a target, with two, or for an option that does not apply to it.
    """
    options = {**options, "profile": _profile(options)}
    if env.server_argv is not None and url is not None:
        raise UsageError(f"both a command after -- and {url!r}", hint="A target is one or the other.")
    if env.server_argv is not None:
        target: Target = _stdio(env.server_argv, options, env.environ)
    elif url is not None:
        saved = saved_by_name(env, url)
        if saved is not None:
            return _saved(env, saved, options)
        target = _named(env, url, options)
    else:
        raise no_server()
    _check_otlp(options)
    no_capture = options.get("no_capture", False)
    if no_capture and options["capture"]:
        raise UsageError("both --capture and --no-capture", hint="Give one of them.")
    profile: ClientProfile | None = options["profile"]
    era = None if options["era"] == "auto" else Era(options["era"])
    revision = options["revision"]
    if profile is not None and era is None and not revision:
        era, revision = (None, "") if profile.era == "auto" else (Era(profile.era), profile.protocol_version)
    row = find(revision)
    if era is not None and row is not None and row.era is not era:
        raise UsageError(f"--revision {revision} is {row.era}, but --era is {era}", hint="Leave one of them out.")
    response_options = read_response_options(options, env.environ)
    return TargetOptions(
        target,
        era,
        revision,
        _clocks(options, profile),
        options["capture"],
        not no_capture,
        response_options,
        read_extensions(options),
        read_list_options(options),
        options.get("retry_calls", False),
        read_login(options, env.environ),
        options.get("keep_secrets", False),
        read_limits(options),
        tuple(options.get("others", ())),
        options.get("otlp") or "",
        profile,
        tuple(options.get("watch", ())),
    )


def _named(env: CliEnv, url: str, options: Mapping[str, Any]) -> Target:
    """Return the server at a URL, or with a name in a client config file. Raises: UsageError."""
    server = found_by_name(env, url)
    if server is None and "://" not in url and url.endswith(".mcpcap"):
        hint = f"check, trace and stats read captures, and mcp-inspect replay {shlex.quote(url)} opens it."
        raise UsageError(f"{url!r} is a capture, and this command needs a server", hint=hint)
    if server is None and "://" not in url and (broken := _unreadable_files(env)):
        raise UsageError(f"{url!r} is not a URL, and no client's file that could be read names it", hint=broken)
    if server is None and "://" not in url and Path(url).exists():
        kind = "directory" if Path(url).is_dir() else "file"
        raise UsageError(f"{url!r} is a {kind}, and this command needs a server", hint=how_to_start(url))
    if server is None:
        return _http(url, options)
    from inspector.cli.consent import approved

    return _found(approved(env, server, options.get("approve", ())), options, env.environ)


def _check_otlp(options: Mapping[str, Any]) -> None:
    """Check the URL of the collector before the server is started. Raises: UsageError if it is invalid."""
    if otlp := options.get("otlp"):
        from inspector.features.export.otlp import endpoint

        endpoint(otlp)


def saved_by_name(env: CliEnv, word: str | None) -> "SavedTarget | None":
    """Return the saved target of this name; None for a URL or an unknown name.

    Problems of the file are reported elsewhere.
    """
    if word is None or "://" in word:
        return None
    from inspector.config.known_targets import known_targets

    own = places(env.environ)
    known, _ = known_targets(own.config, own.state)
    return next((each.saved for each in known if each.saved is not None and each.name == word), None)


def _saved(env: CliEnv, saved: "SavedTarget", options: Mapping[str, Any]) -> TargetOptions:
    """Return a saved target with the options applied to it."""
    from inspector.config.known_targets import sent_headers

    if options["era"] == "auto":
        options = {**options, "era": saved.era}
    if saved.url:
        chosen = choose(env, saved.url, options)
        assert isinstance(chosen.target, HttpTarget), "it has a URL"
        headers = (*sent_headers(tuple(saved.headers.items()), env.environ), *chosen.target.headers)
        return msgspec.structs.replace(chosen, target=msgspec.structs.replace(chosen.target, headers=headers))
    cwd = options["cwd"] or (expanded(saved.directory) if saved.directory else None)
    options = {**options, "set_": (*saved.variables, *options["set_"]), "cwd": cwd}
    return choose(msgspec.structs.replace(env, server_argv=saved.argv), None, options)


def _profile(options: Mapping[str, Any]) -> "ClientProfile | None":
    """Return the profile of --as. Raises: UsageError for an unknown one, and with options that it replaces."""
    if not options.get("as_client"):
        return None
    replaced = {"capability": "--capability", "no_capability": "--no-capability"}
    replaced |= {"extension": "--extension", "no_extension": "--no-extension"}
    _refuse(options, replaced, "--as declares the capabilities of that client and no others")
    from inspector.config.profiles import client_profile

    return client_profile(options["as_client"])


def _clocks(options: Mapping[str, Any], profile: "ClientProfile | None") -> Timeouts:
    idle, total = _seconds(options["timeout"], "--timeout"), _seconds(options["max_total"], "--max-total")
    if profile is None:
        return Timeouts(idle, total)
    context, own = click.get_current_context(silent=True), profile.timeouts.request
    asked = {name: context and context.get_parameter_source(name) for name in ("timeout", "max_total")}
    if own is not None and asked["timeout"] is not ParameterSource.COMMANDLINE:
        idle = own
    if own is not None and asked["max_total"] is not ParameterSource.COMMANDLINE:
        total = own
    return Timeouts(idle, total, profile.timeouts.start)


def _seconds(value: float, name: str) -> float | None:
    """Return the seconds; None (no limit) for 0."""
    if not 0 <= value < A_YEAR_S:
        raise UsageError(f"invalid {name} {value:g}", hint="Use seconds; 0 means no limit.")
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
    """Return the server of this name in client config files; None for a URL or an unknown name.

    Raises: UsageError if several servers have the name.
    """
    if word is None or "://" in word:
        return None
    from inspector.config.servers import found_servers
    from inspector.present.start import named

    return named(word, found_servers(env.environ, Path.cwd()))


def _unreadable_files(env: CliEnv) -> str:
    """Return which client files can't be read, and why; "" if all can."""
    from inspector.config.servers import found_servers

    problems = [each.problem for each in found_servers(env.environ, Path.cwd()) if not each.name and each.problem]
    return f"Not read: {'; '.join(problems)}." if problems else ""


def names_a_server(env: CliEnv, word: str) -> bool:
    """Return whether a word is a URL, a saved target or a server in a client config file.

    Raises: UsageError if several servers have the name.
    """
    if word.startswith(("http://", "https://")) or saved_by_name(env, word) is not None:
        return True
    return found_by_name(env, word) is not None


def _found(server: "FoundServer", options: Mapping[str, Any], env: Mapping[str, str]) -> Target:
    """Return a server from a client config file with the options applied to it."""
    target = found_target(server, env)
    if isinstance(target, HttpTarget):
        added = _http(server.url, options)
        return msgspec.structs.replace(added, headers=(*target.headers, *added.headers))
    own = [f"{name}={value}" for name, value in server.env]
    asked = {**options, "set_": (*own, *options["set_"]), "cwd": options["cwd"] or target.cwd}
    return _stdio(target.argv, asked, env)


def _stdio(argv: tuple[str, ...], options: Mapping[str, Any], env: Mapping[str, str]) -> StdioTarget:
    if not argv:
        raise UsageError("missing command after --", hint="Example: mcp-inspect -- node server.js")
    _refuse(options, _FOR_HTTP, "only for servers that are reached by URL")
    _demand(options, "stdio")
    if lacks_program(argv):
        what = f"{shlex.join(argv)} has no program to run: it would take the messages on stdin for one"
        raise UsageError(what, hint=f"Name the script behind it, such as: -- {shlex.join(argv)} SCRIPT")
    cwd = Path(options["cwd"] or ".").absolute()
    if not cwd.is_dir():
        raise UsageError(f"--cwd {cwd}: no such directory")
    base, profile = without_key(options, env), options.get("profile")
    environment = build_environment(
        base,
        inherit_all=options["inherit_env"],
        set_=options["set_"],
        env_file=options["env_file"],
        profile=None if profile is None else (profile.inherited(base), profile.set_for(str(cwd))),
    )
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


def _header(text: str) -> tuple[str, str]:
    """Parse a header as typed, or from a file that keeps a secret out of the shell's history.

    Raises: UsageError without the value, which may be a token.
    """
    if text.startswith("@"):
        try:
            text = Path(text[1:]).read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"-H {text}: the file can't be read: {why_unreadable(error)}") from None
    return parse_header(text, "-H")


def plainly(target: Target, env: Mapping[str, str], era: str = "auto") -> TargetOptions:
    """Return a target with the default options of the configuration."""
    own = user_config(env)
    lists = read_list_options({"refresh": own.refresh, "pages": own.pages})
    clocks = Timeouts(own.timeout or None, own.max_total or None)
    return TargetOptions(target, None if era == "auto" else Era(era), "", clocks, None, lists=lists)


def demo_target(env: Mapping[str, str]) -> StdioTarget:
    """Return the built-in demo server."""
    return StdioTarget(DEMO, build_environment(env, inherit_all=False, set_=[DEMO_VARIABLE]), str(Path.cwd()))


def typed_target(wanted: OpenTyped, env: Mapping[str, str]) -> Target:
    """Return a server as typed or saved.

    Raises: UsageError for an invalid URL, a variable that is not set, and a directory that does not exist.
    """
    if wanted.url:
        from inspector.config.known_targets import sent_headers

        return HttpTarget(parse_url(wanted.url), headers=sent_headers(wanted.headers, env))
    variables = [*wanted.variables, *(name for name in wanted.optional if name in env)]
    cwd = expanded(wanted.cwd or ".").absolute()
    if not cwd.is_dir():
        raise UsageError(f"{cwd}: no such directory", hint="Edit the target.")
    return StdioTarget(wanted.argv, build_environment(env, inherit_all=False, set_=variables), str(cwd))


def found_target(server: "FoundServer", env: Mapping[str, str]) -> Target:
    """Return a server from a client config file as a target. Nothing in it is expanded.

    Raises: UsageError if the entry has no usable command or URL, or is not approved.
    """
    target = _target_of(server, env)
    if not server.approved:
        raise UsageError(f"{server.name}: not approved", hint=f"See {server.path}.")
    return target


def found_key(server: "FoundServer", env: Mapping[str, str]) -> str:
    """Return the key of a server from a client config file, which need not be approved. Raises: UsageError."""
    return _target_of(server, env).key


def _target_of(server: "FoundServer", env: Mapping[str, str]) -> Target:
    if server.problem:
        raise UsageError(f"{server.name}: {server.problem}", hint=f"See {server.path}.")
    if server.inputs:
        wanted = ", ".join(f"${{input:{each.id}}}" for each in server.inputs)
        hint = "Open it in the interface, which asks for them, or run its command with -e."
        raise UsageError(f"{server.name}: {server.path} leaves values to you: {wanted}", hint=hint)
    if server.url:
        return HttpTarget(parse_url(server.url), headers=server.headers)
    environment = build_environment(env, inherit_all=False, set_=[f"{name}={value}" for name, value in server.env])
    return StdioTarget(server.argv, environment, str(expanded(server.cwd or ".").absolute()))


def head_start(chosen: TargetOptions) -> Started | None:
    """Start a server before the session is imported, so that both run in parallel.

    Not done with a file for the capture or a model for sampling: if they can't be used, nothing must be started. A
    command that can't be started is left to the transport, which reports the error.
    """
    target = chosen.target
    if chosen.capture is not None or chosen.responses.model is not None or not isinstance(target, StdioTarget):
        return None
    try:
        return start(target.argv, target.environment.values, target.cwd)
    except ConnectError:
        return None
