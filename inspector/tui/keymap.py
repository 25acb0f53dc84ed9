"""The user's own keys: `keys.toml` in the configuration directory, with an action's id and its keys on each line.

    "traffic.tree" = "v t"
    "list.follow" = ["F", "v f"]

Each mistake is reported as one sentence with its line; the rest of the file applies.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from textual.app import App
from textual.keys import KEY_ALIASES, Keys, key_to_character

from inspector.atomic_write import read_regular
from inspector.config import settings
from inspector.config.settings import keys_file, user_config
from inspector.documents import UnreadableDocument, read_toml
from inspector.text import lazy_pattern, visible
from inspector.tui import keys
from inspector.tui.actions import MENUS, Action, ActionScope

FILE = "keys.toml"
_MOST_BYTES = 100_000
_NEVER = {
    "ctrl+i": "Tab",
    "ctrl+m": "Enter",
    "ctrl+s": "flow control",
    "ctrl+q": "flow control",
    "ctrl+left_square_bracket": "Escape",
}
"""Keys that are indistinguishable from others or handled by the terminal, and why."""
_NAMES = frozenset(str(key.value) for key in Keys) | frozenset(KEY_ALIASES)
_MODIFIED = lazy_pattern(r"(ctrl|alt|shift|super)\+")


class Keymap(msgspec.Struct, frozen=True):
    """Keys by the ids of their actions, and the problems of the file."""

    keys: dict[str, tuple[str, ...]] = {}
    problems: tuple[str, ...] = ()

    @property
    def for_textual(self) -> dict[str, str]:
        """The keys as `App.set_keymap` expects them."""
        return {name: ",".join(own) for name, own in self.keys.items()}


def path() -> Path:
    """Return the path of the file, which need not exist."""
    return keys_file()


def take(app: App[Any]) -> None:
    """Bind the user's own keys in an app, and report problems in that file and in `config.toml`."""
    own = load() if path().exists() else Keymap()
    if own.keys:
        keys.rebind(own.keys)
        app.set_keymap(own.for_textual)
    for title, problems in ((FILE, own.problems), (settings.FILE, user_config().problems)):
        for problem in problems:
            app.notify(problem, title=title, severity="warning", timeout=20)


def load(file: Path | None = None) -> Keymap:
    """Read the file; a missing one changes nothing. Never raises: errors are among the problems."""
    file = file or path()
    try:
        text = read_regular(file, _MOST_BYTES).decode()
        found = read_toml(text)
    except FileNotFoundError:
        return Keymap()
    except UnreadableDocument as error:
        place, why = f"{file}:{error.line}" if error.line else str(file), str(error)
    except UnicodeDecodeError as error:
        place, why = str(file), f"not UTF-8 at byte {error.start}"
    except (OSError, ValueError) as error:
        place, why = str(file), getattr(error, "strerror", None) or str(error)
    else:
        return checked(dict(_flat(found)), text, str(file))
    return Keymap(problems=(f"{visible(place, limit=300)}: {visible(why, limit=200)}",))


def checked(wanted: Mapping[str, Any], text: str = "", file: str = FILE) -> Keymap:
    """Return the valid keys, and one sentence for each unknown id, unusable key or conflict.

    `text` is the text of the file, used to find the lines of the ids.
    """
    own: dict[str, tuple[str, ...]] = {}
    problems = []
    for name, value in wanted.items():
        try:
            own[name] = _keys_of(name, value)
        except ValueError as error:
            problems.append(f"{_place(name, text, file)}: {visible(str(error), limit=300)}")
    for name in list(own):
        for key, other in _conflicts(name, own):
            problems.append(f"{_place(name, text, file)}: {key!r} of {name!r} is already the key of {other!r}")
            own.pop(name, None)
    return Keymap(own, tuple(problems))


def _flat(found: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Flatten tables: without quotes, TOML reads `traffic.tree = "v t"` as a table; it means the same."""
    for name, value in found.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def _keys_of(name: str, value: Any) -> tuple[str, ...]:
    """Parse the keys of an action. Raises: ValueError, with the problem."""
    if keys.known_action(name) is None:
        raise ValueError(f"unknown action {name!r}; `mcp-inspect keys` lists the ids")
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not listed or not all(isinstance(each, str) and each for each in listed):
        raise ValueError(f"the keys of {name!r} must be a string or a list of strings")
    return tuple(map(_key, listed))


def _key(typed: str) -> str:
    """Parse one key. Raises: ValueError."""
    leader, _, second = typed.rpartition(" ") if len(typed) > 1 else ("", "", typed)
    second = {",": "comma", " ": "space"}.get(second, second)
    if leader and leader not in MENUS:
        raise ValueError(f"{typed!r}: the first of two keys is one of {', '.join(MENUS)}")
    base = _MODIFIED.sub("", second)
    if not base or (len(base) > 1 and base not in _NAMES and key_to_character(base) is None):
        raise ValueError(f"unknown key {typed!r}")
    if second in _NEVER:
        raise ValueError(f"{typed!r} cannot be used: it is {_NEVER[second]}")
    return f"{leader} {second}" if leader else second


def _conflicts(name: str, own: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, str]]:
    """Yield keys that another action valid at the same time has as well, each with the id of that action."""
    mine = keys.action(name)
    for other in keys.ACTIONS:
        if other.id == name or not _overlap(mine, other):
            continue
        theirs = own.get(other.id, other.keys)
        before = set(mine.keys) & set(other.keys)  # an action of a narrower scope may reuse a key on purpose
        for key in own[name]:
            if key in theirs and key not in before:
                yield key, other.id
                return


def _overlap(one: Action, other: Action) -> bool:
    """Whether both actions may be valid at the same time."""
    if ActionScope.DIALOG in (one.where, other.where):
        return one.where == other.where and one.id.partition(".")[0] == other.id.partition(".")[0]
    return one.where == other.where or any(one.where in places and other.where in places for places in keys.TOGETHER)


def _place(name: str, text: str, file: str) -> str:
    """Return the file name, with the line of the id if it is found."""
    last = re.escape(name.rpartition(".")[2])
    wanted = re.compile(rf"""^\s*(["']?{re.escape(name)}["']?|["']?{last}["']?)\s*=""")
    lines = (number for number, line in enumerate(text.splitlines(), 1) if wanted.match(line))
    line = next(lines, 0)
    return visible(f"{file}:{line}" if line else file, limit=300)
