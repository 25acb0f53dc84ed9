"""`mcp-inspect tap`: record and change the traffic between a client and a server; list running taps."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from inspector.atomic_write import private_directory
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import DocumentedGroup, documented
from inspector.cli.options import headless_settings
from inspector.cli.output import Output
from inspector.cli.process import leaving_politely
from inspector.config.paths import places
from inspector.config.settings import captures_directory
from inspector.errors import UsageError, why_unreadable
from inspector.present.spans import Line, span

if TYPE_CHECKING:
    from inspector.capture.journal import Journal
    from inspector.cli.targets import TargetOptions
    from inspector.features.tap.install import Plan

_EXAMPLES = (
    "mcp-inspect tap -- node server.js",
    "mcp-inspect tap --label github --rules github.rules.yaml -- node server.js",
    "mcp-inspect tap http https://example.com/mcp --listen 127.0.0.1:8080",
    "mcp-inspect tap list",
    "mcp-inspect tap rules github.rules.yaml",
)
_OPTIONS = ("label", "capture", "rules", "host_timeout", "stderr", "keep", "keep_on", "fail_on")
_KEEP = click.option(
    "--keep", metavar="SIZE", help="Keep only the newest messages: about this many bytes, such as 20M."
)
_KEEP_ON = click.option(
    "--keep-on",
    metavar="FILTER",
    help="Delete the capture at the end unless a message matches; 'error' matches any error.",
)
_FAIL_ON = click.option(
    "--fail-on",
    metavar="FILTER",
    help="Exit 1 if a message matches; 'error' matches any error or finding of that severity.",
)

_INSTALL_EXAMPLES = (
    "mcp-inspect tap install cursor:github --dry-run",
    "mcp-inspect tap install claude-desktop",
    "mcp-inspect tap install vscode:files --project --yes",
    "mcp-inspect tap install cursor:far --listen 127.0.0.1:7001",
)


@click.group(
    "tap",
    cls=DocumentedGroup,
    examples=_EXAMPLES,
    invoke_without_command=True,
    no_args_is_help=False,
    subcommand_metavar="-- COMMAND | COMMAND…",
)
@click.option("--label", metavar="NAME", help="Name of the tap in lists (the program).")
@click.option(
    "--capture", type=click.Path(path_type=Path), metavar="FILE", help="Record in this new file, or in this directory."
)
@click.option("--rules", type=click.Path(path_type=Path), metavar="FILE", help="Apply the rules of a YAML file.")
@click.option("--host-timeout", metavar="S", help="Seconds that the client waits for a response; default 60.")
@click.option("--stderr", type=click.Choice(["record", "inherit"]), help="Record the server's stderr, or pass it on.")
@_KEEP
@_KEEP_ON
@_FAIL_ON
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> int | None:
    """Start a server for a client, and record all messages between them.

    The tap passes every byte on unchanged, unless a rule or a person changes a message. It ends as the server ends.
    mcp-inspect attach shows the traffic while it runs. docs/tap.md describes rules, docs/tap-guarantees.md guarantees.
    """
    if ctx.invoked_subcommand is not None:
        return None
    env: CliEnv = ctx.obj
    if not env.server_argv:
        raise UsageError("no server named", hint="Give its command after --: mcp-inspect tap -- node server.js")
    for name in ("keep_on", "fail_on"):
        _check_filter(options[name])
    if options["rules"] is not None and env.stderr.isatty():  # a client would show it as an error of the server
        _read_rules(Output(env), options["rules"])
    words = [
        word for name in _OPTIONS if options.get(name) for word in (f"--{name.replace('_', '-')}", str(options[name]))
    ]
    _check(words, list(env.server_argv))
    _become_tap([*words, "--", *env.server_argv])
    return ExitStatus.MISTAKE


def _check(words: list[str], command: list[str]) -> int:
    """Check the options that the tap parses itself, and return the bytes of `--keep`. Raises: UsageError."""
    from inspector.features.tap.options import Options, UnusableOptions

    try:
        return Options([*words, "--", *command]).keep
    except UnusableOptions as error:
        raise UsageError(str(error), hint="See mcp-inspect tap --help.") from None


def _check_filter(text: str | None) -> None:
    """Check the syntax of a filter. Raises: FilterError."""
    if text:
        from inspector.features.tap.keeping import read_filter

        read_filter(text)


def _become_tap(words: list[str]) -> None:
    """Replace this process, so that the command line's imports do not occupy memory while the server lives."""
    from inspector.features.tap.processes import own_environment

    argv = [sys.executable, "-I", "-m", "inspector.features.tap", *words]
    os.execve(sys.executable, argv, own_environment())


@documented(
    "http",
    (
        "mcp-inspect tap http https://example.com/mcp",
        "mcp-inspect tap http http://127.0.0.1:3001/mcp --listen 127.0.0.1:8080 --rules api.rules.yaml",
    ),
    group=command,
)
@click.argument("url")
@click.option(
    "--listen", default="127.0.0.1:0", metavar="ADDRESS", help="Listen on 127.0.0.1:PORT; default: a free port."
)
@click.option("--login", "logs_in", is_flag=True, help="Add the token that mcp-inspect auth login has stored for URL.")
@click.option("--label", default="", metavar="NAME", help="Name of the tap in lists; default: the server's host.")
@click.option("--rules", type=click.Path(path_type=Path), metavar="FILE", help="Apply the rules of a YAML file.")
@click.option("--host-timeout", type=float, default=0.0, metavar="S", help="Seconds that the client waits; default 60.")
@_KEEP
@_KEEP_ON
@_FAIL_ON
@headless_settings
@click.pass_obj
def http_command(
    env: CliEnv,
    /,
    url: str,
    listen: str,
    logs_in: bool,
    label: str,
    rules: Path | None,
    host_timeout: float,
    keep: str | None,
    keep_on: str | None,
    fail_on: str | None,
    **options: Any,
) -> ExitStatus:
    """Listen for the clients of a server with a URL, and record them.

    Clients connect to the printed URL instead of the server's. Fields and bodies pass unchanged unless a rule changes
    them. It listens until it is interrupted.
    """
    import asyncio

    from inspector.cli.launch import close_capture, export_live, kept_journal
    from inspector.cli.targets import choose
    from inspector.config.targets import HttpTarget
    from inspector.features.tap.http import read_listen

    output = Output(env, as_json=options["as_json"], quiet=options["quiet"])
    chosen, port = choose(env, url, options), read_listen(listen)
    if not isinstance(chosen.target, HttpTarget):
        raise UsageError("tap http needs a URL", hint="For a command: mcp-inspect tap -- COMMAND.")
    armed = _read_rules(output, rules)[0] if rules is not None else []
    for each in (keep_on, fail_on):
        _check_filter(each)
    kept_bytes = _check(["--keep", keep], ["http"]) if keep else 0
    if kept_bytes and chosen.otlp:
        raise UsageError("--keep and --otlp exclude each other", hint="Leave one of them out.")
    journal = kept_journal(chosen, env, mode="http-proxy")
    export_live(journal, chosen, env.environ)
    leave: list[Callable[[], object]] = []
    with leaving_politely(lambda: leave[0]() if leave else None):
        try:
            wishes = (port, label, logs_in, armed, host_timeout, kept_bytes)
            asyncio.run(_listen(env, output, chosen, journal, wishes, leave))
            output.narrate("The tap has ended.")
        except KeyboardInterrupt:
            output.narrate("The tap has ended.")
        finally:
            path = journal.capture_path
            status = close_capture(output, journal, ExitStatus.OK)
        return _judged(output, [path] if path is not None else [], None if status else keep_on, fail_on) or status


def _judged(output: Output, captures: list[Path], keep_on: str | None, fail_on: str | None) -> ExitStatus:
    """Return the exit status after `--fail-on`, and remove captures that `--keep-on` does not keep."""
    from inspector.features.tap.keeping import parts, remove_unless, verdict

    captures = [part for each in captures for part in parts(each)]
    why = verdict(captures, fail_on) if fail_on else ""
    if why:
        output.warn(why)
        return ExitStatus.FINDINGS
    if keep_on and captures and remove_unless(keep_on, captures):
        output.narrate(f"The capture was removed: no message matched --keep-on {keep_on!r}.")
    return ExitStatus.OK


async def _listen(
    env: CliEnv,
    output: Output,
    chosen: "TargetOptions",
    journal: "Journal",
    wishes: tuple[int, str, bool, list[Any], float, int],
    leave: "list[Callable[[], object]]",
) -> None:
    """Listen until the first function that this appends to `leave` is called."""
    import asyncio

    from inspector.cli.launch import authorizer_for
    from inspector.config.targets import HttpTarget
    from inspector.features.tap.http import HttpTap
    from inspector.features.tap.private_path import private_path
    from inspector.transports.http.endpoint import HttpOptions

    port, label, logs_in, rules, host_timeout, keep = wishes
    target = chosen.target
    assert isinstance(target, HttpTarget)
    authorizer = authorizer_for(target, chosen.login, env.environ, has_person=False)[0] if logs_in else None
    settings = HttpOptions(
        headers=target.headers,
        cacert=target.cacert,
        insecure=target.insecure,
        authorizer=authorizer(target.url) if authorizer else None,
        limits=chosen.limits,
    )
    tap = HttpTap(
        target.url,
        settings,
        journal,
        port=port,
        label=label,
        rules=rules,
        host_timeout_s=host_timeout,
        keep=keep,
        private=private_path(places(env.environ).state, target.url),
    )
    async with tap:
        if output.as_json:
            output.data({"url": tap.url, "server": target.url, "capture": str(journal.capture_path or "")})
        else:
            output.lines([(span("Listening on "), span(tap.url, "target"), span(f"  for {target.url}", "faint"))])
            output.narrate(f"Recording in {journal.capture_path}. Press Ctrl+C to end the tap.")
        for notice in filter(None, (*journal.notices, tap.trouble)):
            output.warn(notice)
        ended, loop = asyncio.Event(), asyncio.get_running_loop()
        leave.append(lambda: loop.call_soon_threadsafe(ended.set))
        await ended.wait()


def _read_rules(output: Output, file: Path, *, reports: bool = True) -> tuple[list[Any], list[Any]]:
    """Return the valid rules of a file, and the problems of the others. Raises: UsageError if it can't be read."""
    from inspector.features.tap.rules import read_rules

    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} can't be read: {why_unreadable(error)}", hint="Name a rules file in YAML.") from None
    rules, problems = read_rules(text)
    for problem in problems if reports else ():
        output.warn(f"{file}:{problem.line}: {problem.name + ': ' if problem.name else ''}{problem.why}")
    return list(rules), list(problems)


@documented("list", ("mcp-inspect tap list", "mcp-inspect tap list --json"), group=command)
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object to stdout.")
@click.pass_obj
def list_command(env: CliEnv, /, as_json: bool) -> ExitStatus:
    """List running taps with their clients, messages and errors."""
    from inspector.features.tap.registry import live
    from inspector.features.tap.summary import summary

    output = Output(env, as_json=as_json)
    taps = [summary(tap) for tap in live(dict(env.environ))]
    if as_json:
        output.data({"taps": taps})
        return ExitStatus.OK
    if not taps:
        output.narrate("No tap is running. Start one: mcp-inspect tap -- COMMAND")
    for tap in taps:
        output.lines([_row(tap)])
    return ExitStatus.OK


def _row(tap: dict[str, Any]) -> Line:
    age = (time.time_ns() - tap["since"]) / 1e9
    shown = [
        span(f"{tap['id']}  ", "faint"),
        span(tap["label"] or tap["server"], "target"),
        span(f"  {tap['client']} → {tap['server']}  pid {tap['pid']}  {age:,.0f} s  {tap['messages']} messages"),
    ]
    if tap["errors"]:
        shown.append(span(f"  ✗ {tap['errors']}", "error"))
    if tap["oldest_pending_s"] is not None:
        shown.append(span(f"  ⋯ pending {tap['oldest_pending_s']:.1f} s"))
    if tap["held"]:
        shown.append(span(f"  ■ {tap['held']} held", "warning"))
    if tap["trouble"]:
        shown.append(span(f"  ▲ {tap['trouble']}", "warning"))
    return tuple(shown)


@documented(
    "rules",
    ("mcp-inspect tap rules github.rules.yaml", "mcp-inspect tap rules --of github > github.rules.yaml"),
    group=command,
)
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--of", "tap", metavar="ID|LABEL", help="Write the rules of a running tap as a rules file.")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object to stdout.")
@click.pass_obj
def rules_command(env: CliEnv, /, file: Path | None, tap: str | None, as_json: bool) -> ExitStatus:
    """Check a rules file, or write the rules of a running tap.

    Exits with 1 if a rule is invalid.
    """
    import msgspec

    output = Output(env, as_json=as_json)
    if (file is None) == (tap is None):
        raise UsageError("name a rules file, or a tap with --of", hint="See mcp-inspect tap rules --help.")
    if file is None:
        return _write_rules(output, tap or "")
    rules, problems = _read_rules(output, file, reports=not as_json)
    if as_json:
        output.data(
            {
                "rules": [json.loads(msgspec.json.encode(each.rule)) for each in rules],
                "problems": [msgspec.to_builtins(each) for each in problems],
            }
        )
    else:
        for each in rules:
            output.lines([(span(f"{each.rule.name}: {each.rule.action} {each.rule.side} {each.rule.when}"),)])
    return ExitStatus.FINDINGS if problems else ExitStatus.OK


def _write_rules(output: Output, wanted: str) -> ExitStatus:
    """Print the rules of a running tap as a rules file. Raises: TapGone."""
    import yaml

    from inspector.features.tap.client import TapClient, find
    from inspector.present.held_messages import written_rule

    client = TapClient(find(wanted)["socket"])
    rules = [written_rule(each) for each in client.greeting.get("rules", ())]
    client.close()
    if output.as_json:
        output.data({"rules": rules, "problems": []})
    else:
        output.text(yaml.safe_dump(rules, sort_keys=False, allow_unicode=True, width=120).rstrip())
    return ExitStatus.OK


@documented(
    "run",
    ("mcp-inspect tap run -- claude", "mcp-inspect tap run --fail-on 'failed' -- codex exec 'List the files'"),
    group=command,
)
@click.option("--project", is_flag=True, help="Include servers of the working directory's files.")
@_FAIL_ON
@click.pass_obj
def run_command(env: CliEnv, /, project: bool, fail_on: str | None) -> int:
    """Run a client with a tap in front of each of its servers.

    Its files stay as they are. Servers that are disabled in the client, or of a project and not approved in it, are
    left out and named. Known clients: claude and codex. The exit status is the client's, or 1 if the client's is 0 and
    a message matches --fail-on.
    """
    import subprocess
    import tempfile

    from inspector.features.tap.install import for_one_run

    _check_filter(fail_on)
    if not env.server_argv:
        raise UsageError("no client named", hint="Give its command after --: mcp-inspect tap run -- claude")
    output = Output(env)
    with tempfile.TemporaryDirectory(prefix="mcp-inspect-") as directory:
        kept = captures_directory(env.environ)
        if fail_on:
            kept /= f"tap-run-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
        if not kept.exists():
            private_directory(kept)
        # Some clients pass only a few variables to their servers: a tap may not know the directory by itself.
        options = ("--capture", str(kept))
        prepared = for_one_run(env.server_argv, env.environ, Path.cwd(), Path(directory), options, project=project)
        argv = prepared.argv
        output.narrate(f"Tapped: {', '.join(prepared.tapped)}. mcp-inspect attach shows their traffic.")
        if prepared.left_out:
            output.warn(f"Left out: {', '.join(prepared.left_out)}.")
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # the client handles Ctrl+C
        try:
            status = subprocess.run(argv, check=False, preexec_fn=_default_signals).returncode
        except OSError as error:
            raise UsageError(f"{argv[0]} cannot be started: {error.strerror}", hint="Is it installed?") from None
        finally:
            signal.signal(signal.SIGINT, before)
    if fail_on and status == 0:
        return _judged(output, sorted(kept.iterdir()), None, fail_on)
    return status if status >= 0 else 128 - status


def _default_signals() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@documented("install", _INSTALL_EXAMPLES, group=command)
@click.argument("client", metavar="CLIENT[:SERVER]", required=False)
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--project", is_flag=True, help="Edit config files of the working directory too.")
@click.option(
    "--listen", metavar="ADDRESS", help="For a server with a URL: where its tap http listens, 127.0.0.1:PORT."
)
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def install_command(
    env: CliEnv, /, client: str | None, dry_run: bool, project: bool, listen: str | None, yes: bool
) -> ExitStatus:
    """Put the tap into a client's config file, before its servers.

    It is put before one server, or before all that have a command. Only the command of an entry changes; mcp-inspect
    tap uninstall restores the file byte for byte. The URL of a remote server is replaced by the address of a tap that
    you start yourself.
    """
    from inspector.features.tap.install import plan_install

    if client is None:
        raise UsageError("no client named", hint="For example: mcp-inspect tap install cursor:github")
    state, port = places(env.environ).state, 0
    if listen is not None:
        from inspector.features.tap.http import read_listen

        port = read_listen(listen)
        if not port:
            raise UsageError("--listen needs a fixed port", hint="For example: --listen 127.0.0.1:7001")
    plans = plan_install(client, env.environ, Path.cwd(), state, project=project, port=port)
    return carry_out_shown(Output(env), plans, state, dry_run=dry_run, yes=yes, installs=True)


@documented("uninstall", ("mcp-inspect tap uninstall cursor:github",), group=command)
@click.argument("client", metavar="CLIENT[:SERVER]", required=False)
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def uninstall_command(env: CliEnv, /, client: str | None, dry_run: bool, yes: bool) -> ExitStatus:
    """Take the tap out of a client's config file again."""
    from inspector.features.tap.install import plan_uninstall

    if client is None:
        raise UsageError("no client named", hint="mcp-inspect tap status lists what is installed.")
    state = places(env.environ).state
    return carry_out_shown(Output(env), plan_uninstall(client, state), state, dry_run=dry_run, yes=yes, installs=False)


@documented("status", ("mcp-inspect tap status",), group=command)
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object to stdout.")
@click.pass_obj
def status_command(env: CliEnv, /, as_json: bool) -> ExitStatus:
    """List the taps in client config files, and if they are still there."""
    from inspector.features.tap.install import condition, read_ledger

    output = Output(env, as_json=as_json)
    installed = (each for each in read_ledger(places(env.environ).state) if each.feature == "tap")
    entries = [(each, condition(each)) for each in installed]
    if as_json:
        output.data(
            {
                "installed": [
                    {"client": each.host, "server": each.server, "path": each.path, "condition": found}
                    for each, found in entries
                ]
            }
        )
    elif not entries:
        output.narrate("No tap is installed. Install one: mcp-inspect tap install CLIENT:SERVER")
    else:
        for each, found in entries:
            ending = span(found, "ok") if found == "installed" else span(found, "warning")
            output.lines([(span(f"{each.name}  ", "target"), span(f"{each.path}  ", "faint"), ending)])
    return ExitStatus.OK if all(found == "installed" for _, found in entries) else ExitStatus.FINDINGS


def carry_out_shown(
    output: Output, plans: "list[Plan]", state: Path, *, dry_run: bool, yes: bool, installs: bool
) -> ExitStatus:
    """Show the changes, ask for confirmation, and apply them."""
    from inspector.features.tap.install import carry_out

    for plan in plans:
        for note in plan.notes:
            output.warn(note)
        for line in plan.diff:
            sign = span(line, "added") if line.startswith("+") else span(line, "faint")
            output.lines([(span(line, "removed") if line.startswith("-") else sign,)])
    if dry_run:
        output.narrate("Nothing was changed (--dry-run).")
        return ExitStatus.OK
    if not yes and not (sys.stdin.isatty() and click.confirm("Change this?", err=True)):
        raise UsageError("nothing was changed", hint="Confirm on a terminal, or give --yes.")
    for plan in plans:
        carry_out(plan, state, installs=installs)
        names = ", ".join(entry.name for entry in plan.entries)
        output.narrate(f"{'Installed' if installs else 'Removed'}: {names}. Restart the client's servers.")
    return ExitStatus.OK
