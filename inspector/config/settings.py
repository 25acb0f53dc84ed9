"""The user's `config.toml`: the list of settings, how they are read, and problems of the file.

Every setting has the same precedence: a command's option, the variable `MCP_INSPECT_<NAME>`, `config.toml`, what the
interface remembers of the last session, the default. A wrong setting is reported with its line and its default is
used. A file that is not TOML is reported and ignored.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from inspector.atomic_write import read_regular
from inspector.config.paths import expanded, places
from inspector.text import lazy_pattern, visible

FILE = "config.toml"
PREFIX = "MCP_INSPECT_"
_MOST_BYTES = 1 << 20

_SPAN = lazy_pattern(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+) ?(ms|s|m|h)?\Z")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, None: 1.0}
_AMOUNT = lazy_pattern(r"(\d{1,15})\s*([kmg]i?)?b?\Z", re.IGNORECASE)
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30}
A_YEAR_S = 366 * 24 * 3600

THEMES = ("dark", "light")
TIME_FORMATS = ("clock", "start", "above")
COLUMNS = (
    *("number", "time", "since", "mark", "way", "what", "status", "took", "size", "sent", "came", "channel", "http"),
    *("id", "session", "finding", "lane"),
)
"""Names of columns of the traffic list; `=FIELD` is a valid name, too."""

_DURATION = {"anyOf": [{"type": "number", "minimum": 0}, {"type": "string", "pattern": r"^[0-9.]+ ?(ms|s|m|h)?$"}]}
_SIZE = {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": r"^[0-9]+ *([kmgKMG]i?)?[bB]?$"}]}
_A_TIME = 'seconds such as 30, or "500ms", "30s", "2m", "1h"; 0 for no limit'
_PATH = {"type": "string", "minLength": 1}


class UserConfig(msgspec.Struct, frozen=True):
    """The effective values of all settings; "" and () leave the choice to the remembered value or the default."""

    theme: str = ""
    glyphs: str = "auto"
    keys: str = ""
    columns: tuple[str, ...] = ()
    time_format: str = ""
    timeout: float = 60.0
    """Seconds; 0 for no limit."""
    max_total: float = 3600.0
    """Seconds; 0 for no limit."""
    refresh: str = "auto"
    pages: str = "all"
    editor: str = ""
    pager: str = ""
    history: str = "on"
    captures_directory: str = ""
    captures_limit: int = 2 << 30
    """Bytes."""
    origins: Mapping[str, str] = {}
    """`config.toml`, or the name of a variable, for each setting that is set."""
    problems: tuple[str, ...] = ()
    """Sentences about problems, each with its place."""


class Setting(msgspec.Struct, frozen=True):
    name: str
    """Name in the file; a dot separates a table from its key."""
    about: str
    """Effect of the setting, one sentence."""
    wants: str
    """Description of valid values, for a message."""
    read: Callable[[Any], Any]
    """Converts a value to that of `UserConfig`; None if it is wrong."""
    schema: Mapping[str, Any]
    """JSON Schema of the value."""
    example: str
    """Example value as TOML."""

    @property
    def field(self) -> str:
        """Name in `UserConfig`."""
        return self.name.replace(".", "_")

    @property
    def variable(self) -> str:
        """Environment variable that sets it."""
        return PREFIX + self.field.upper()


_DEFAULT = UserConfig()


def parse_duration(text: str) -> float | None:
    """Parse a duration in seconds: `5`, `500ms`, `5s`, `2m` or `1h`; None if it is not one."""
    found = _SPAN.match(text.strip())
    return float(found[1]) * _SECONDS[found[2]] if found else None


def parse_size(text: str) -> int | None:
    """Parse a size in bytes: `500000`, `64k`, `200 MB` or `2 GiB`; None if it is not one."""
    found = _AMOUNT.match(text.strip())
    return int(found[1]) * _UNITS[(found[2] or "").lower()] if found else None


def _choice(names: tuple[str, ...]) -> Callable[[Any], Any]:
    return lambda value: value if isinstance(value, str) and value in names else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() and "\0" not in value else None


def _duration(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    found = parse_duration(value) if isinstance(value, str) else float(value)
    return found if found is not None and 0 <= found < A_YEAR_S else None


def _size(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    found = parse_size(value) if isinstance(value, str) else value
    return found if found is not None and found > 0 else None


def _columns(value: Any) -> tuple[str, ...] | None:
    names = [each.strip() for each in value.split(",")] if isinstance(value, str) else value
    if not isinstance(names, list) or not names:
        return None
    known = [isinstance(each, str) and (each in COLUMNS or (each.startswith("=") and len(each) > 1)) for each in names]
    return tuple(names) if all(known) else None


def _one_of(names: tuple[str, ...]) -> tuple[str, Callable[[Any], Any], dict[str, Any]]:
    return f"one of {', '.join(names)}", _choice(names), {"enum": [*names]}


SETTINGS = (
    Setting("theme", "Theme of the interface.", *_one_of(THEMES), '"light"'),
    Setting(
        "glyphs",
        "Signs of the interface; `auto` uses ASCII only if the locale cannot encode others.",
        *_one_of(("auto", "ascii")),
        '"ascii"',
    ),
    Setting(
        "keys",
        "File with your own keys; a relative path starts at the configuration directory.",
        "the path of a file",
        _text,
        _PATH,
        '"keys.toml"',
    ),
    Setting(
        "columns",
        "Columns of the traffic list, from left to right; `=FIELD` shows a field of the filter language.",
        f"a list of column names ({', '.join(COLUMNS)}, =FIELD)",
        _columns,
        {
            "type": "array",
            "minItems": 1,
            "items": {"anyOf": [{"enum": [*COLUMNS]}, {"type": "string", "pattern": "^=."}]},
        },
        '["time", "mark", "way", "what", "status", "took"]',
    ),
    Setting(
        "time_format",
        "Times in the traffic list: time of day, seconds since the start, or time since the row above.",
        *_one_of(TIME_FORMATS),
        '"start"',
    ),
    Setting("timeout", "Default of `--timeout`.", _A_TIME, _duration, _DURATION, '"30s"'),
    Setting("max_total", "Default of `--max-total`.", _A_TIME, _duration, _DURATION, '"10m"'),
    Setting("refresh", "Default of `--refresh`.", *_one_of(("auto", "manual")), '"manual"'),
    Setting("pages", "Default of `--pages`.", *_one_of(("all", "one")), '"one"'),
    Setting(
        "editor",
        "Command that edits a payload or this file; before $VISUAL and $EDITOR.",
        "a command line",
        _text,
        _PATH,
        '"code --wait"',
    ),
    Setting(
        "history",
        "Whether calls are stored for later sessions; credentials never are.",
        *_one_of(("on", "off")),
        '"off"',
    ),
    Setting("pager", "Command that shows a payload; before $PAGER.", "a command line", _text, _PATH, '"less -R"'),
    Setting(
        "captures.directory",
        "Where sessions are recorded unless a file is named; `~` is the home directory.",
        "the path of a directory",
        _text,
        _PATH,
        '"~/captures"',
    ),
    Setting(
        "captures.limit",
        "Size of all recorded sessions; beyond it the oldest are removed. A capture that you named stays.",
        'bytes, or a size such as "500 MB" or "2 GiB"',
        _size,
        _SIZE,
        '"2 GiB"',
    ),
)
_BY_NAME = {each.name: each for each in SETTINGS}
_TABLES = frozenset(name.partition(".")[0] for name in _BY_NAME if "." in name)


def config_file(env: Mapping[str, str] = os.environ) -> Path:
    """Return the path of the file, which may not exist."""
    return places(env).config / FILE


def user_config(env: Mapping[str, str] = os.environ) -> UserConfig:
    """Return the effective settings in an environment. Never raises: errors are among the problems."""
    file = config_file(env)
    try:
        facts = file.stat()
        stamp = (facts.st_mtime_ns, facts.st_size, facts.st_ino)
    except OSError:
        stamp = (0, 0, 0)
    variables = tuple((each.field, env[each.variable]) for each in SETTINGS if env.get(each.variable))
    return _DEFAULT if not any(stamp) and not variables else _read(file, stamp, variables)


@lru_cache(4)
def _read(file: Path, stamp: tuple[int, int, int], variables: tuple[tuple[str, str], ...]) -> UserConfig:
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    problems: list[str] = []
    if any(stamp):
        _take_file(file, values, origins, problems)
    for field, value in variables:
        setting = next(each for each in SETTINGS if each.field == field)
        found = setting.read(value)
        if found is None:
            problems.append(f"${setting.variable}: {_shown(value)} is not {setting.wants}. It is ignored.")
        else:
            values[field], origins[field] = found, f"${setting.variable}"
    return UserConfig(**values, origins=origins, problems=tuple(problems))


def _take_file(file: Path, values: dict[str, Any], origins: dict[str, str], problems: list[str]) -> None:
    from inspector.documents import UnreadableDocument, read_toml  # most users have no such file

    place = visible(str(file), limit=300)
    try:
        raw = read_regular(file, _MOST_BYTES + 1)
        if len(raw) > _MOST_BYTES:
            problems.append(f"{place}: larger than 1 MiB. Defaults are used.")
            return
        text = raw.decode("utf-8-sig")
        read = read_toml(text)
    except UnreadableDocument as error:
        at = f"{place}:{error.line}" if error.line else place
        problems.append(f"{at}: {visible(str(error), limit=200)}. Defaults are used.")
        return
    except UnicodeDecodeError as error:
        problems.append(f"{place}: not UTF-8 at byte {error.start}. Defaults are used.")
        return
    except OSError as error:
        problems.append(f"{place}: {error.strerror}. Defaults are used.")
        return
    lines = _lines(text)
    for name, value in _flat(read):
        at = f"{place}:{lines[name]}" if name in lines else place
        setting = _BY_NAME.get(name)
        if setting is None:
            problems.append(f"{at}: unknown setting {_shown(name)}{_near(name)}. It is ignored.")
            continue
        found = setting.read(value)
        if found is None:
            problems.append(f"{at}: {name} must be {setting.wants}, not {_shown(value)}. The default is used.")
        else:
            values[setting.field], origins[setting.field] = found, FILE


def _flat(read: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in read.items():
        if name == "$schema":
            continue
        if name in _TABLES and isinstance(value, dict):
            yield from ((f"{name}.{key}", inner) for key, inner in value.items())
        else:
            yield name, value


def _near(name: str) -> str:
    from difflib import get_close_matches  # slow to import

    found = get_close_matches(name, _BY_NAME, n=1)
    return f" (did you mean {found[0]}?)" if found else ""


def _shown(value: Any) -> str:
    return visible(repr(value) if not isinstance(value, bool) else str(value).lower(), limit=80)


def _lines(text: str) -> dict[str, int]:
    """Return the line of each setting, by its name with its table."""
    found: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[\s*([^\]]+?)\s*\]", line):
            table = header[1].strip("\"'")
            found.setdefault(table, number)
        elif key := re.match(r"\s*([\w.\"'$-]+)\s*=", line):
            name = key[1].replace('"', "").replace("'", "")
            found.setdefault(f"{table}.{name}" if table else name, number)
    return found


def captures_directory(env: Mapping[str, str] = os.environ) -> Path:
    """Return the default directory of captures."""
    own = user_config(env).captures_directory
    return expanded(own).absolute() if own else places(env).captures


def keys_file(env: Mapping[str, str] = os.environ) -> Path:
    """Return the file with the user's key bindings; it may not exist."""
    return places(env).config / expanded(user_config(env).keys or "keys.toml")


def template() -> str:
    """Return the text of a new file: every setting with its explanation, none of them set."""
    lines = [
        "# Settings of mcp-inspect. Remove the # before a setting to use it.",
        "# `mcp-inspect config check` reports mistakes, `mcp-inspect config show` what applies.",
    ]
    table = ""
    for each in SETTINGS:
        above, _, key = each.name.rpartition(".")
        if above != table:
            lines += ["", f"[{above}]"]
            table = above
        lines += ["", f"# {each.about}", f"# {key} = {each.example}"]
    return "\n".join(lines) + "\n"


def json_schema() -> dict[str, Any]:
    """Return a JSON Schema of the file, for editors."""
    top: dict[str, Any] = {"$schema": {"type": "string"}}
    for each in SETTINGS:
        above, _, key = each.name.rpartition(".")
        into = top
        if above:
            whole = {"type": "object", "additionalProperties": False, "properties": {}}
            into = top.setdefault(above, whole)["properties"]
        into[key] = {"description": each.about, **each.schema}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings of mcp-inspect",
        "type": "object",
        "additionalProperties": False,
        "properties": top,
    }
