"""The start screen's choices: servers that hosts know, saved and recent targets, captures, running taps, the demo.

Nothing is started or opened from here. A row stands for a choice. A choice that starts a program first shows the
whole command, its directory, its variables, and the file that defines it.
"""

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import which

from inspector import text
from inspector.capture.format.lines import demand_file
from inspector.config.environment import can_run_code
from inspector.config.known_targets import KnownTarget
from inspector.config.paths import expanded
from inspector.config.servers import FoundServer
from inspector.config.targets import (
    HOST_AND_PORT,
    WEB_SCHEMES,
    Capture,
    LiveTap,
    OpenCapture,
    OpenDemo,
    OpenServer,
    OpenTap,
    OpenTyped,
    StartChoice,
)
from inspector.errors import UsageError
from inspector.present import spans
from inspector.present.http import masked_url
from inspector.present.rows import RowSource, RowView
from inspector.present.server import HARMLESS, UNEXPANDED
from inspector.present.spans import Fact, Line, Role, Section, Span, lay, span
from inspector.present.words import command_line
from inspector.protocol.credentials import is_credential, mask, without_credentials

_NEXT = (
    ("mcp-inspect -- CMD…", "start a stdio server"),
    ("mcp-inspect URL", "connect to an HTTP server"),
    ("mcp-inspect replay FILE", "open a capture"),
)
_WIDEST_NAME = 32
_ORIGINS = 20
"""Width of the last column in cells."""
_OUTCOMES = 34
"""Width of a target's last outcome in cells; narrow screens use `_SHORT_OUTCOMES`."""
_SHORT_OUTCOMES = 30
_SPACES = re.compile(" {16,}")
_LONGEST_ENTRY = 200_000
"""Maximum characters of a command with its variables, or of a URL with its headers, that a user can review."""
_WIDE = 100
"""Width from which all tables share one column of names."""
_NUMBERED = 9
"""Number of targets that can be opened with a digit."""
_NAMED = re.compile(r"(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)\d\d-(.+)-[0-9a-f]{4}")
"""Name of a capture that was recorded automatically: local time, label of the server, and a number."""
_ENDED = {"recording": "being recorded", "cut": "truncated", "died": "server exited"}
_MOST_NAMES = 8
_RECORDINGS = frozenset((".mcpcap", ".har", ".json", ".jsonl", ".ndjson", ".log", ".txt", ".toml", ".yaml", ".yml"))


@dataclass(frozen=True, slots=True)
class _Row:
    """A row; without a choice it is a heading or a hint."""

    name: Span
    about: Span = ("", "text")
    origin: Span = ("", "text")
    choice: StartChoice | None = None
    column: int = 0
    """Cells that the name takes in its table; 0 outside of a table."""
    outcome: Line = ()
    """Outcome of the last connection."""
    known: KnownTarget | None = None
    """The saved or recent target."""


class StartRows(RowSource):
    """Headings with the choices below them."""

    def __init__(
        self,
        servers: Sequence[FoundServer],
        captures: Sequence[Capture],
        *,
        taps: Sequence[LiveTap] = (),
        known: Sequence[KnownTarget] = (),
        now: float = 0.0,
        advice: bool = True,
    ) -> None:
        """Build the rows; `advice` adds commands to type in a shell at the end. `now`: seconds since the epoch."""
        parts = (_known(known, now), _servers(servers), _taps(taps), _captures(captures), _advice(shell=advice))
        self._rows = [row for part in parts for row in part]
        self._widest = max(row.column for row in self._rows)
        self._outcomes = max(sum(text.cell_width(span[0]) for span in row.outcome) for row in self._rows)

    @property
    def count(self) -> int:
        return len(self._rows)

    def row(self, index: int, width: int) -> RowView:
        """Return name, description and origin. A row that lacks one of them leaves its room to the others."""
        row = self._rows[index]
        last: list[Span] = [("  ", "text"), (text.pad(row.origin[0], _ORIGINS), row.origin[1])] if row.origin[0] else []
        if row.known is not None:
            origin: list[Span] = [(text.pad(row.origin[0], 8), row.origin[1])] if width >= _WIDE else []
            last = [("  ", "text"), *origin]
            if self._outcomes:
                last += lay(row.outcome, min(self._outcomes, _OUTCOMES if width >= _WIDE else _SHORT_OUTCOMES))
        room = max(0, width - sum(text.cell_width(span[0]) for span in last))
        column = self._widest if row.column and width >= _WIDE else row.column
        name = (text.pad(row.name[0], min(column, room)), row.name[1]) if column else row.name
        return RowView(lay([*lay([name, ("  ", "text"), row.about], room), *last], width))

    def choice(self, index: int) -> StartChoice | None:
        """Return the choice of a row; None for a heading or a missing row."""
        return self._rows[index].choice if 0 <= index < len(self._rows) else None

    def target(self, index: int) -> KnownTarget | None:
        """Return the saved or recent target of a row; None for any other row."""
        return self._rows[index].known if 0 <= index < len(self._rows) else None

    def nth(self, number: int) -> int | None:
        """Return the row of the saved or recent target with this number, from 1; None if there are fewer."""
        places = [at for at, row in enumerate(self._rows) if row.known is not None]
        return places[number - 1] if 0 < number <= len(places) else None

    def nearest(self, index: int, step: int) -> int:
        """Return the nearest row with a choice, searching in the direction of `step` first."""
        onwards, back = range(index, len(self._rows)), range(index, -1, -1)
        order = [*onwards, *back] if step >= 0 else [*back, *onwards]
        return next((at for at in order if self.choice(at) is not None), 0)


_BLANK = _Row(("", "text"))


def _table(rows: Sequence[_Row]) -> list[_Row]:
    column = min(max(text.cell_width(row.name[0]) for row in rows), _WIDEST_NAME)
    return [replace(row, column=column) for row in rows]


def _heading(title: str) -> _Row:
    return _Row((title, "title"))


def _known(known: Sequence[KnownTarget], now: float) -> list[_Row]:
    if not known:
        return []
    return [
        _heading("Saved and recent"),
        *_table([_known_row(at, each, now) for at, each in enumerate(known, 1)]),
        _BLANK,
    ]


def _known_row(number: int, each: KnownTarget, now: float) -> _Row:
    choice = typed_of(each)
    about: Span = (masked_url(choice.url), "target") if choice.url else (command_line(choice.argv), "text")
    digit = f"{number} " if number <= _NUMBERED else "  "
    age, recent = each.age_s(now), each.recent
    outcome: Line = ()
    if recent is not None and age is not None:
        sign: Span = (f"{spans.OK} ", "ok") if recent.ok else (f"{spans.ERROR} ", "error")
        part: Span = (text.visible(recent.summary, limit=100), "text" if recent.ok else "error")
        outcome = ((f"{ago(age)} ", "muted"), sign, part)
    name: Span = (digit + (text.visible(each.name, limit=60) or "(no name)"), "strong")
    origin: Span = ("Saved" if each.saved else "Recent", "muted")
    return _Row(name, about, origin, choice, outcome=outcome, known=each)


def typed_of(known: KnownTarget) -> OpenTyped:
    """Return what opens a saved or recent target."""
    saved, recent = known.saved, known.recent
    if saved is not None:
        headers = tuple(saved.headers.items())
        argv = saved.argv if saved.command else ()
        return OpenTyped(argv, saved.url, saved.directory, tuple(saved.variables), headers, saved.era, saved.name)
    assert recent is not None, "it is one of both"
    return OpenTyped(recent.argv, recent.url, recent.cwd, optional=recent.variables)


def _servers(servers: Sequence[FoundServer]) -> list[_Row]:
    nothing = _Row(("  none found in known client configs", "muted"))
    return [_heading("Client configs"), *(_table([*map(_server, servers)]) if servers else [nothing]), _BLANK]


def _server(server: FoundServer) -> _Row:
    about: Span = (masked_url(server.url), "target") if server.url else (command_line(server.argv), "text")
    if server.problem:
        about = (f"{spans.WARNING} {text.visible(server.problem, limit=200)}", "warning")
    elif server.disabled:
        about = (f"(disabled) {about[0]}", "muted")
    name: Span = ("  " + _name(server), "muted" if server.disabled else "strong")
    return _Row(name, about, (text.visible(server.host, limit=40), "muted"), OpenServer(server))


def _name(server: FoundServer) -> str:
    """Return the server's name in the file; for a problem with a whole file, the file's name."""
    return text.visible(server.name or server.path.name, limit=60) or "(no name)"


def _taps(taps: Sequence[LiveTap]) -> list[_Row]:
    """Return taps by client and server, so that instances of one server under one client are adjacent."""
    if not taps:
        return []
    ordered = sorted(taps, key=lambda tap: (tap.client, tap.name, tap.age_s))
    return [_heading("Live taps"), *_table([*map(_tap, ordered)]), _BLANK]


def _tap(tap: LiveTap) -> _Row:
    name: Span = ("  " + (text.visible(tap.name, limit=60) or "(no name)"), "strong")
    origin = f"{text.visible(tap.client, limit=24)} {ago(tap.age_s).removesuffix(' ago')}".strip()
    return _Row(name, (command_line(tap.argv), "text"), (origin, "muted"), OpenTap(tap))


def _captures(captures: Sequence[Capture]) -> list[_Row]:
    if not captures:
        return []
    return [_heading("Captures"), *_table([*map(_capture, captures)]), _BLANK]


def _capture(capture: Capture) -> _Row:
    found = _NAMED.fullmatch(capture.path.stem)
    when = "{}-{}-{} {}:{}".format(*found.groups()) if found is not None else ago(capture.age_s)
    lines = [when, text.human_size(capture.size)]
    if capture.entries is not None:
        lines.append(f"{capture.entries:,} {'entry' if capture.entries == 1 else 'entries'}")
    if capture.ended in _ENDED:
        lines.append(_ENDED[capture.ended])
    name: Span = ("  " + text.visible(found[6] if found is not None else capture.path.stem, limit=200), "text")
    errors: Span = ("", "text")
    if capture.errors:
        errors = (f"{spans.ERROR} {capture.errors:,} {'error' if capture.errors == 1 else 'errors'}", "error")
    return _Row(name, (" · ".join(lines), "muted"), errors, choice=OpenCapture(capture.path))


def _advice(*, shell: bool) -> list[_Row]:
    about: Span = ("Every MCP feature, no network", "text")
    if not shell:
        return [_heading("Demo"), *_table([_Row(("  Demo server", "strong"), about, choice=OpenDemo())])]
    rows = [_Row((f"  {command}", "accent"), (message, "muted")) for command, message in _NEXT]
    demo, *rows = _table([_Row(("  Demo server", "strong"), about, choice=OpenDemo()), *rows])
    return [_heading("Demo"), demo, _BLANK, _heading("From the command line"), *rows]


def ago(age_s: float) -> str:
    """Format an age: "just now", "5 min ago", "3 days ago"."""
    for unit, seconds in (("day", 86_400), ("hour", 3600), ("min", 60)):
        count = int(age_s // seconds)
        if count:
            plural = "s" if count > 1 and unit != "min" else ""
            return f"{count} {unit}{plural} ago"
    return "just now"


def server_section(server: FoundServer) -> Section:
    """Return everything that the user must review before a server is started or connected to.

    Nothing that runs or is sent is left out or cut. Only values of secret names are masked, with their length; a
    variable that can make a program run other code is shown whatever its name. Of variables that are the same in our
    own environment only the names are shown: a tapped server has dozens.
    """
    facts = _address(server) if server.url else _command(server)
    foreign = _foreign(server)
    if same := [name for name in server.env_names if name not in dict(foreign)]:
        facts.append(_whole("as set here", ", ".join(same)))
    variables = [(name, f"{name}={_variable(name, value)}") for name, value in foreign]
    facts += [
        _whole("" if place else "variables", message, "warning" if can_run_code(name) else "text")
        for place, (name, message) in enumerate(variables)
    ]
    if server.inputs:
        facts.append(_whole("input values", ", ".join(each.id for each in server.inputs)))
    facts += [_whole("required by", server.host), _whole("in", str(server.path), "muted")]
    return Section(_name(server), tuple(facts), tuple(_warnings(server)))


def _foreign(server: FoundServer) -> list[tuple[str, str]]:
    """Return the variables that our own environment lacks or has with another value."""
    return [(name, value) for name, value in server.env if os.environ.get(name) != value]


def _variable(name: str, value: str) -> str:
    if can_run_code(name):
        return value
    is_masked = value and name not in HARMLESS and is_credential(name)
    return mask(value) if is_masked else without_credentials(value)


def _whole(key: str, value: str, role: Role = "text") -> Fact:
    """Return a fact that is not cut. A run of spaces is counted, so that it can't push the rest off the screen."""
    return Fact(key, _SPACES.sub(lambda found: f"‹{len(found[0])} spaces›", text.visible(value)), role)


def consent_question(server: FoundServer) -> str:
    """Return what to ask below `server_section`."""
    if not can_open(server):
        return "Neither a command nor a URL."
    return "Connect to this server?" if server.url else "Run this command with your permissions?"


def needs_review(server: FoundServer) -> bool:
    """Whether the user must see the server before it is opened: it is not approved, or cannot be opened."""
    return not server.approved or bool(server.problem) or not can_open(server)


def can_open(server: FoundServer) -> bool:
    """Whether there is something to start or connect to, and it is short enough to review in full."""
    return bool(server.argv or server.url) and not _is_too_long(server)


def _is_too_long(server: FoundServer) -> bool:
    pairs = (*server.env, *server.headers)
    size = sum(map(len, (*server.argv, server.url, server.cwd))) + sum(len(name) + len(value) for name, value in pairs)
    return size > _LONGEST_ENTRY


def _warnings(server: FoundServer) -> Iterator[Line]:
    lines = [server.problem] if server.problem else []
    if _is_too_long(server):
        lines.append(
            f"the entry has more than {_LONGEST_ENTRY:,} characters, too long to review: start it with its command"
        )
    if powerful := [name for name, _ in _foreign(server) if can_run_code(name)]:
        lines.append(f"{', '.join(powerful)} can make the command run other code")
    if server.disabled:
        lines.append("disabled in its config file")
    texts = (*server.argv, server.url, server.cwd)
    held = (each for text in texts for each in UNEXPANDED.findall(text) if not each.startswith("${input:"))
    lines += [f"{each} is not expanded" for each in dict.fromkeys(held)]
    return ((span(f"{spans.WARNING} {each}", "warning"),) for each in lines)


def _address(server: FoundServer) -> list[Fact]:
    url = masked_url(server.url, limit=_LONGEST_ENTRY)
    headers = [
        f"{name}: {mask(value) if is_credential(name) else without_credentials(value)}"
        for name, value in server.headers
    ]
    return [
        _whole("url", url, "target"),
        *(_whole("" if at else "headers", message) for at, message in enumerate(headers)),
    ]


def _command(server: FoundServer) -> list[Fact]:
    if not server.argv:
        return []
    facts = [_whole("program", server.argv[0], "strong")]
    facts += [_whole("" if place else "arguments", argument) for place, argument in enumerate(server.argv[1:])]
    facts.append(_whole("directory", server.cwd or "current directory"))
    return facts


# A target as a user types it: a URL, a capture, a command line, or a server of a client config file.


def wanted(word: str, servers: Sequence[FoundServer], known: Sequence[KnownTarget] = ()) -> StartChoice:
    """Return what an argument refers to: one of `servers`, one of the targets in `known`, or something typed.

    Raises: UsageError if it refers to nothing, or to several servers.
    """
    word = word.strip()
    if word.startswith(WEB_SCHEMES):
        return OpenTyped(url=word)
    if (saved := next((each for each in known if each.saved is not None and each.name == word), None)) is not None:
        return typed_of(saved)
    if (found := named(word, servers)) is not None:
        return OpenServer(found)
    if word.endswith(".mcpcap") or (_is_file(word) and not _is_program(word)):
        return OpenCapture(_wanted_capture(word))
    if _is_program(word):
        return OpenTyped(argv=(_program(word),))
    if any(char.isspace() for char in word):
        return OpenTyped(argv=_argv(word))
    if HOST_AND_PORT.match(word):
        raise UsageError(f"did you mean http://{word}?", hint="A URL begins with http:// or https://.")
    raise _nothing(word, [*(each.name for each in known if each.saved), *(each.name for each in servers)])


def named(word: str, servers: Sequence[FoundServer]) -> FoundServer | None:
    """Return the server with that name, or with `HOST:NAME` or `FILE:NAME` if several have it.

    Entries count as one server only if all that runs or is sent is equal. Otherwise a project's file could replace
    the user's own variables or headers.
    """
    found = [
        each
        for each in servers
        if each.name and word in (each.name, f"{each.host}:{each.name}", f"{each.path}:{each.name}")
    ]
    different = {
        (each.argv, each.url, each.cwd, frozenset(each.env), frozenset(each.headers)): each for each in reversed(found)
    }
    if len(different) > 1:
        hosts = [each.host for each in different.values()]
        ways = ", ".join(
            repr(f"{each.host if hosts.count(each.host) == 1 else each.path}:{each.name}")
            for each in reversed(different.values())
        )
        names = "several servers that differ in command, directory, variables or headers"
        raise UsageError(f"{word!r} is the name of {names}", hint=f"Use {ways}.")
    return min(found, key=lambda each: not each.approved, default=None)


def _is_file(word: str) -> bool:
    """Whether an argument looks like a file name and names a file: a capture or a recording of another program."""
    path = expanded(word)
    return " " not in word and ("/" in word or bool(path.suffix)) and path.is_file()


def _is_program(word: str) -> bool:
    """Whether an argument is an executable, by its path or on PATH. A recording is not, whatever its mode."""
    if any(char.isspace() for char in word) or Path(word).suffix.lower() in _RECORDINGS:
        return False
    return which(_program(word)) is not None


def _program(word: str) -> str:
    """Return a program as it is started: `./server` is not looked up on PATH."""
    return os.path.join(".", expanded(word)) if "/" in word else word


def _wanted_capture(word: str) -> Path:
    path = expanded(word)
    demand_file(path, "Run mcp-inspect without arguments to list captures.")
    return path


def _argv(word: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(word))
    except ValueError as error:
        raise UsageError(f"{word!r} is not a command line: {error}", hint="Quote as in a shell.") from None


def _nothing(word: str, servers: Sequence[str]) -> UsageError:
    from difflib import get_close_matches

    names = [*dict.fromkeys(filter(None, servers))]
    if near := get_close_matches(word, names, n=1):
        return UsageError(f"no server named {word!r}", hint=f"Did you mean {near[0]!r}?")
    known = f"Known servers: {', '.join(names[:_MOST_NAMES])}." if names else "No client config contains a server."
    return UsageError(f"{word!r} is not a URL, capture, command or known server", hint=known)
