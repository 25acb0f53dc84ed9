"""`mcp-inspect config`: the settings of mcp-inspect, their file, and its problems."""

import json
from typing import Any

import click

from inspector.atomic_write import private_directory, write_whole
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import DocumentedGroup, documented
from inspector.cli.options import json_option
from inspector.cli.output import Output
from inspector.config.paths import places
from inspector.config.programs import EDITORS, program, run_on_file
from inspector.config.remembered import StoredAppearance, StoredTheme, appearance_file
from inspector.config.settings import (
    FILE,
    SETTINGS,
    Setting,
    captures_directory,
    config_file,
    json_schema,
    keys_file,
    template,
    user_config,
)

_EXAMPLES = ("mcp-inspect config edit", "mcp-inspect config check", "mcp-inspect config show --json")


@click.group("config", cls=DocumentedGroup, examples=_EXAMPLES, no_args_is_help=False)
def command() -> None:
    """Show, edit and check the settings of mcp-inspect."""


@documented("path", ("mcp-inspect config path",), group=command)
@click.pass_obj
def path_command(env: CliEnv, /) -> ExitStatus:
    """Print where config.toml is, or would be."""
    Output(env).text(str(config_file(env.environ)))
    return ExitStatus.OK


@documented("edit", ("mcp-inspect config edit",), group=command)
@click.pass_obj
def edit_command(env: CliEnv, /) -> ExitStatus:
    """Open config.toml in an editor, then check it.

    A new file explains every setting. The editor is the setting `editor`, else $VISUAL or $EDITOR.
    """
    output, file = Output(env), config_file(env.environ)
    argv = program(EDITORS, env.environ, user_config(env.environ).editor)
    if not file.exists():
        private_directory(file.parent)
        write_whole(file, template().encode(), 0o600)
    if problem := run_on_file(argv, file):
        output.warn(problem)
    return _check(output)


@documented(
    "check", ("mcp-inspect config check",), "`files`, `problems`: sentences with file, line and reason", group=command
)
@json_option
@click.pass_obj
def check_command(env: CliEnv, /, *, as_json: bool) -> ExitStatus:
    """Check config.toml and the keys file; exit 2 if there is a problem."""
    return _check(Output(env, as_json=as_json))


def _check(output: Output) -> ExitStatus:
    from inspector.tui import keymap

    env = output.env.environ
    files = [each for each in (config_file(env), keys_file(env)) if each.exists()]
    problems = [*user_config(env).problems, *keymap.load(keys_file(env)).problems]
    if output.as_json:
        output.data({"files": [str(each) for each in files], "problems": problems})
    else:
        for each in problems:
            output.warn(each)
        if not problems:
            named = " and ".join(str(each) for each in files)
            output.text(f"No problems in {named}." if files else f"There is no {FILE} yet: defaults are used.")
    return ExitStatus.USAGE if problems else ExitStatus.OK


@documented(
    "show",
    ("mcp-inspect config show", "mcp-inspect config show --json"),
    "`file`, `settings`: by name `value` and `origin`, `problems`",
    group=command,
)
@json_option
@click.pass_obj
def show_command(env: CliEnv, /, *, as_json: bool) -> ExitStatus:
    """Show every setting with its value and where the value is from."""
    output, own = Output(env, as_json=as_json), user_config(env.environ)
    shown = {each.name: _value(each, env) for each in SETTINGS}
    if as_json:
        settings = {name: {"value": value, "origin": origin} for name, (value, origin) in shown.items()}
        output.data({"file": str(config_file(env.environ)), "settings": settings, "problems": own.problems})
        return ExitStatus.OK
    wide = max(map(len, shown))
    texts = {name: _as_text(value) for name, (value, _) in shown.items()}
    room = min(40, max(map(len, texts.values())))
    output.text("\n".join(f"{name:{wide}}  {texts[name]:{room}}  {origin}" for name, (_, origin) in shown.items()))
    for each in own.problems:
        output.warn(each)
    return ExitStatus.OK


def _as_text(value: Any) -> str:
    if value in ("", []):
        return "-"
    return value if isinstance(value, str) else json.dumps(value)


def _value(setting: Setting, env: CliEnv) -> tuple[Any, str]:
    """Return the effective value and its origin."""
    own = user_config(env.environ)
    value = getattr(own, setting.field)
    value = list(value) if isinstance(value, tuple) else value
    if origin := own.origins.get(setting.field):
        return value, origin
    if kept := _remembered(env).get(setting.name):
        return kept, "remembered"
    files = {"keys": keys_file, "captures.directory": captures_directory}
    return (str(files[setting.name](env.environ)) if setting.name in files else value), "default"


def _remembered(env: CliEnv) -> dict[str, Any]:
    state = places(env.environ).state
    look = appearance_file(state).read() or StoredAppearance()
    theme = StoredTheme(state).last().removeprefix("inspect-")
    return {"theme": theme, "columns": list(look.columns), "time_format": look.times}


@documented("schema", ("mcp-inspect config schema > config.schema.json",), group=command)
@click.pass_obj
def schema_command(env: CliEnv, /) -> ExitStatus:
    """Print the JSON Schema of config.toml, for editors."""
    Output(env).text(json.dumps(json_schema(), indent=2))
    return ExitStatus.OK
