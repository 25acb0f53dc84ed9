"""Installs the tap into a client's config file, and uninstalls it.

Only the command and arguments of one server's entry are replaced as spans of text: all other bytes, comments and the
order of the file are preserved. The edited text is parsed and compared with the expected content before it is
written. A ledger in the state directory stores each replaced span, so that uninstalling restores the bytes.
"""

import difflib
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit, urlunsplit

import msgspec

from inspector.atomic_write import replace_file, write_whole
from inspector.config.servers import ClientFile, client_files, parse, read_servers, user_files
from inspector.documents import UnreadableDocument, prepared_type, read_toml
from inspector.errors import UsageError
from inspector.features.tap.client_consent import reason_to_leave_out
from inspector.features.tap.private_path import private_path

_LEDGER = "taps.json"
_BACKUP = "tap-backup-"
_NAMES = {"vscode": "vs code", "gemini": "gemini cli", "copilot": "copilot cli", "claude": "claude code"}
_MODULE = "inspector.features.tap"
_TOKEN = re.compile(r'\s+|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|[{}\[\]:,]|[^\s{}\[\]:,"/\ufeff]+|\ufeff', re.DOTALL)

ENTRY = "mcp-inspect"
"""Name of the entry of `serve`."""

_GROUP_OF = {"VS Code": "servers"}

_TYPED = ("VS Code", "Claude Code")
"""Clients that write the type of an entry."""

_OWN_COPY = "no longer in the file: the client may have written its own copy back"


class Change(msgspec.Struct, frozen=True):
    """One span of a file: its original text, and its text with the tap."""

    before: str
    after: str


@prepared_type
class Installed(msgspec.Struct, frozen=True):
    """A server whose entry was changed to run through the tap."""

    host: str
    server: str
    path: str
    """Path of the file, with links resolved."""
    sha256_before: str
    sha256_after: str
    changes: tuple[Change, ...]
    feature: str = "tap"
    """What was installed: "tap", or "serve" for an entry of its own."""

    @property
    def name(self) -> str:
        """Name as `tap uninstall` expects it."""
        return f"{_slug(self.host)}:{self.server}"


class Plan(msgspec.Struct, frozen=True):
    """A planned edit of one file."""

    path: Path
    before: str
    after: str
    entries: tuple[Installed, ...]
    notes: tuple[str, ...] = ()

    @property
    def diff(self) -> list[str]:
        """Unified diff without line ends."""
        old, new = self.before.splitlines(), self.after.splitlines()
        return list(difflib.unified_diff(old, new, str(self.path), str(self.path), lineterm="", n=2))


class PreparedClient(NamedTuple):
    """A client with its servers behind taps, for one run."""

    argv: list[str]
    tapped: list[str]
    """Names of the servers behind taps."""
    left_out: list[str]
    """Each server that the client does not get, with the reason."""


def wrapped(label: str, argv: Sequence[str], options: Sequence[str] = ()) -> list[str]:
    """Return the command that runs a server through the tap."""
    return [sys.executable, "-I", "-m", _MODULE, "--label", label, *options, "--", *argv]


def is_wrapped(argv: Sequence[str]) -> bool:
    """Return whether a command already runs through a tap."""
    return _MODULE in argv or any(os.path.basename(word) == "mcp-tap" for word in argv[:1]) or "tap" in argv[1:2]


# Planning


def plan_install(
    wanted: str, env: Mapping[str, str], cwd: Path, state: Path, *, project: bool = False, port: int = 0
) -> list[Plan]:
    """Return the changes of `tap install HOST[:SERVER]`: one plan per file.

    `project`: include files of the working directory. `port`: where `tap http` listens for a server with a URL; 0
    skips such servers. Raises: UsageError if nothing matches, or a file can't be edited.
    """
    host, _, server = wanted.partition(":")
    if port and not server:
        raise UsageError(
            "one port is for one server", hint=f"Name it: mcp-inspect tap install {host}:SERVER --listen …"
        )
    plans, seen, left_out = [], set[str](), []
    for file in client_files(env, cwd):
        if _slug(file.host) != _slug(host):
            continue
        if file.is_local and not project and str(cwd) != env.get("HOME"):
            left_out.append(file.path)
            continue
        plan = _plan_file(file, server, cwd, seen, port, state)
        if plan is not None:
            plans.append(plan)
    if not plans:
        raise _nothing_fits(wanted, seen, left_out, env, cwd)
    return plans


def _plan_file(file: ClientFile, server: str, cwd: Path, seen: set[str], port: int, state: Path) -> Plan | None:
    path = file.path.resolve()
    text = _text(path)
    is_toml = path.suffix == ".toml"
    value = _parsed(text, path)
    notes = [f"{file.path} is a link to {path}"] if path != file.path.absolute() else []
    edited, wanted, entries = text, deepcopy(value), []
    for keys in _groups(value, cwd):
        for name, entry in _at(value, keys).items():
            seen.add(name)
            if (server and name != server) or not isinstance(entry, dict):
                continue
            argv = _argv(entry)
            if argv is None:
                member, url = _url(entry)
                if not port or not url:
                    notes.append(f"{name} has no command; --listen 127.0.0.1:PORT is for a server with a URL")
                    continue
                own = _own_url(url, port, state)
                if is_toml:
                    changes = _edit_toml(edited, (*keys, name), {member: own})
                else:
                    begin, end = _span(edited, (*keys, name, member))
                    changes = [(begin, edited[begin:end], json.dumps(own))]
                edited = _applied(edited, changes)
                _at(wanted, (*keys, name))[member] = own
                entries.append((name, tuple(Change(before, after) for _, before, after in changes)))
                if path.stat().st_mode & 0o044:
                    notes.append(f"other users may read {path}, and use a tap that adds credentials: chmod 600 {path}")
                notes.append(f"start this first: mcp-inspect tap http {url} --listen 127.0.0.1:{port} --label {name}")
                continue
            if is_wrapped(argv):
                notes.append(f"{name} is tapped already")
                continue
            new = wrapped(name, argv)
            if is_toml:
                changes = _edit_toml(edited, (*keys, name), {"command": new[0], "args": new[1:]})
            else:
                changes = _edit_json(edited, (*keys, name), entry, new)
            edited = _applied(edited, changes)
            _set_argv(_at(wanted, (*keys, name)), new)
            entries.append((name, tuple(Change(before, after) for _, before, after in changes)))
    if not entries:
        return None
    if _parsed(edited, path) != wanted:
        raise UsageError(f"{path}: the entry has a form that cannot be edited safely", hint="Wrap the command by hand.")
    before, after = _digest(text), _digest(edited)
    made = tuple(Installed(file.host, name, str(path), before, after, changes) for name, changes in entries)
    return Plan(path, text, edited, made, tuple(notes))


def configured_servers(client: str, env: Mapping[str, str], cwd: Path) -> tuple[str, ...]:
    """Return the names of the servers in a client's own files. Raises: UsageError if there are none."""
    files = [each for each in client_files(env, cwd) if _slug(each.host) == _slug(client) and not each.is_local]
    names = [each.name for file in files for each in read_servers(file.host, file.path, cwd) if each.name]
    if not (found := tuple(name for name in dict.fromkeys(names) if name != ENTRY)):
        raise UsageError(
            f"{client} has no servers that the agent could open",
            hint="Say what it may start: -- COMMAND, --allow-config NAME, or --allow-commands.",
        )
    return found


def plan_entry(client: str, argv: Sequence[str], env: Mapping[str, str], cwd: Path, state: Path) -> Plan:
    """Return the change of `serve install CLIENT`: an entry of its own in the user's file, which may be a new one.

    Raises: UsageError for an unknown client, for an entry that exists, and if the file can't be edited.
    """
    file = next((each for each in user_files(env, cwd) if _slug(each.host) == _slug(client)), None)
    if file is None:
        known = ", ".join(dict.fromkeys(_slug(each.host) for each in user_files(env, cwd)))
        raise UsageError(f"unknown client {client!r}", hint=f"Known: {known}.")
    path = file.path.resolve()
    text = _text(path) if path.is_file() else ""
    entry = ({"type": "stdio"} if file.host in _TYPED else {}) | {"command": argv[0], "args": list(argv[1:])}
    if path.suffix == ".toml":
        keys, value, change = ("mcp_servers",), _parsed(text, path), _toml_entry(text, entry)
    else:
        keys, value = (_GROUP_OF.get(file.host, "mcpServers"),), _parsed(text or "{}", path)
        change = _json_entry(text, keys[0], value, entry)
    if ENTRY in (_at(value, keys) or {}):
        raise UsageError(f"{path} has an entry {ENTRY} already", hint=f"mcp-inspect serve uninstall {client}")
    edited = _applied(text, [change])
    wanted = deepcopy(value)
    wanted.setdefault(keys[0], {})[ENTRY] = entry
    if _parsed(edited, path) != wanted:
        raise UsageError(f"{path} has a form that cannot be edited safely", hint="Add the entry by hand.")
    made = Installed(
        file.host, ENTRY, str(path), _digest(text), _digest(edited), (Change(change[1], change[2]),), "serve"
    )
    return Plan(path, text, edited, (made,))


def _toml_entry(text: str, entry: Mapping[str, Any]) -> tuple[int, str, str]:
    members = (f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in entry.items())
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    return len(text), "", "\n".join((f"{gap}[mcp_servers.{ENTRY}]", *members, ""))


def _json_entry(text: str, group: str, value: Any, entry: Mapping[str, Any]) -> tuple[int, str, str]:
    """Return position, old and new text of the insertion: into the group of servers, or with it into the file."""
    own = f"{json.dumps(ENTRY)}: {json.dumps(entry, ensure_ascii=False)}"
    if not text.strip():
        return len(text), "", f"{{\n  {json.dumps(group)}: {{\n    {own}\n  }}\n}}\n"
    if isinstance(servers := _at(value, (group,)), dict):
        return _span(text, (group,))[0] + 1, "", f"\n    {own}{',' if servers else chr(10) + '  '}"
    comma = "," if value else "\n"
    return _span(text, ())[0] + 1, "", f"\n  {json.dumps(group)}: {{\n    {own}\n  }}{comma}"


def plan_uninstall(wanted: str, state: Path, feature: str = "tap") -> list[Plan]:
    """Return the changes of `tap uninstall HOST[:SERVER]`. Raises: UsageError if the ledger has no such entry."""
    host, _, server = wanted.partition(":")
    installed = [each for each in read_ledger(state) if each.feature == feature]
    fitting = [each for each in installed if _slug(each.host) == _slug(host) and (not server or each.server == server)]
    if not fitting:
        known = ", ".join(dict.fromkeys(each.name for each in installed))
        raise UsageError(
            f"{feature} is not installed for {wanted}",
            hint=f"Installed: {known}." if known else "Nothing is installed.",
        )
    plans = []
    for path in dict.fromkeys(each.path for each in fitting):
        text = edited = _text(Path(path))
        entries = [each for each in reversed(fitting) if each.path == path]
        backup = _backup(state, path, text, entries)
        if backup is not None:
            plans.append(Plan(Path(path), text, backup, tuple(entries)))
            continue
        for entry in entries:
            if condition(entry) == _OWN_COPY:
                continue  # nothing is left to change; the entry leaves the ledger
            for change in reversed(entry.changes):
                if change.after not in edited:
                    raise UsageError(
                        f"{path}: the entry of {entry.server} was changed since the tap was installed",
                        hint=f"Put back by hand: {' '.join(each.before for each in entry.changes)}",
                    )
                edited = edited.replace(change.after, change.before, 1)
        plans.append(Plan(Path(path), text, edited, tuple(entries)))
    return plans


def _backup(state: Path, path: str, text: str, entries: Sequence[Installed]) -> str | None:
    """Return the original file if only these entries were changed since; None otherwise."""
    last, first = entries[0], entries[-1]
    others = [each for each in read_ledger(state) if each.path == path and each not in entries]
    if others or _digest(text) != last.sha256_after or last.sha256_before != first.sha256_before:
        return None
    try:
        kept = _text(_backup_path(state, first))
    except UsageError:
        return None
    return kept if _digest(kept) == first.sha256_before else None


def _nothing_fits(
    wanted: str, seen: set[str], left_out: Sequence[Path], env: Mapping[str, str], cwd: Path
) -> UsageError:
    host, _, server = wanted.partition(":")
    if seen and server and server not in seen:
        return UsageError(f"{host} has no server named {server!r}", hint=f"It has: {', '.join(sorted(seen))}.")
    if seen:
        return UsageError(
            f"no server of {wanted} can be tapped: each has a URL, or is tapped already",
            hint=f"For a URL: mcp-inspect tap install {host}:SERVER --listen 127.0.0.1:PORT",
        )
    if left_out:
        return UsageError(
            f"{wanted}: only project files name it: {', '.join(map(str, left_out))}",
            hint="--project edits them; the path of this installation is written into them.",
        )
    known = ", ".join(dict.fromkeys(_slug(each.host) for each in user_files(env, cwd)))
    hosts = ", ".join(dict.fromkeys(_slug(each.host) for each in client_files(env, cwd)))
    if _slug(host) not in known.split(", "):
        return UsageError(f"unknown client {host!r}", hint=f"Known: {known}.")
    return UsageError(f"no config file of {host} was found", hint=f"There are files of {hosts or 'no client'}.")


# Running a client once, without changing its configuration


def for_one_run(
    argv: Sequence[str],
    env: Mapping[str, str],
    cwd: Path,
    directory: Path,
    options: Sequence[str] = (),
    *,
    project: bool = False,
) -> PreparedClient:
    """Return the command of a client with its servers behind taps.

    `directory` holds a config file if the client reads one; `options` are passed to each tap; `project` includes
    entries of the project's files. Never included are entries that the client's user has disabled or not approved.
    Supported are `claude` (`--mcp-config`, with `--strict-mcp-config` so that the user's own entries are not started
    too) and `codex` (`-c KEY=VALUE`).

    Raises: UsageError for another client, or if no server with a command is left.
    """
    program = os.path.basename(argv[0])
    hosts = {"claude": "claude-code", "codex": "codex"}
    if program not in hosts:
        raise UsageError(
            f"{program} takes no configuration for one run",
            hint="Known are claude and codex. For others: mcp-inspect tap install CLIENT.",
        )
    entries, left_out = _entries(hosts[program], env, cwd, project=project)
    tapped = []
    for name, entry in entries.items():
        argv_of_server = _argv(entry)
        if argv_of_server is not None and not is_wrapped(argv_of_server):
            entries[name] = deepcopy(entry)
            _set_argv(entries[name], wrapped(name, argv_of_server, options))
            tapped.append(name)
    if not tapped:
        about = f"Left out: {', '.join(left_out)}." if left_out else "Add one to its configuration."
        raise UsageError(f"no server with a command is configured for {program}", hint=about)
    if program == "codex":
        return PreparedClient(_for_codex(argv, entries, tapped), tapped, left_out)
    path = directory / "mcp.json"
    replace_file(path, json.dumps({"mcpServers": entries}).encode())
    return PreparedClient([argv[0], "--mcp-config", str(path), "--strict-mcp-config", *argv[1:]], tapped, left_out)


def _entries(
    host: str, env: Mapping[str, str], cwd: Path, *, project: bool
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Return the entries of a client by name, and the names of those left out with the reason."""
    entries: dict[str, dict[str, Any]] = {}
    left_out: list[str] = []
    for file in client_files(env, cwd):
        if _slug(file.host) != host:
            continue
        value = _parsed(_text(file.path), file.path)
        for keys in _groups(value, cwd):
            for name, entry in _at(value, keys).items():
                if not isinstance(entry, dict) or name in entries:
                    continue
                if why := reason_to_leave_out(file, name, entry, env, cwd, project=project):
                    left_out.append(f"{name} ({why})")
                else:
                    entries[name] = entry
    return entries, left_out


def _for_codex(argv: Sequence[str], entries: Mapping[str, Any], tapped: Sequence[str]) -> list[str]:
    words = [argv[0]]
    for name in tapped:
        key = name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)
        for member in ("command", "args"):
            words += ["-c", f"mcp_servers.{key}.{member}={json.dumps(entries[name][member], ensure_ascii=False)}"]
    return [*words, *argv[1:]]


# Applying and reverting changes


def carry_out(plan: Plan, state: Path, *, installs: bool) -> None:
    """Write the ledger, then the file. Raises: UsageError if the file has changed since it was read."""
    if (_text(plan.path) if plan.path.is_file() else "") != plan.before:
        raise UsageError(f"{plan.path} has just been changed by another program", hint="Try again.")
    rest = [each for each in read_ledger(state) if each not in plan.entries]
    if installs:
        replace_file(_backup_path(state, plan.entries[0]), plan.before.encode("utf-8"))
        _write_ledger(state, [*rest, *plan.entries])
    if not plan.after:
        plan.path.unlink()  # it was made by the installation
    elif plan.after != plan.before:
        plan.path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(plan.path, plan.after.encode("utf-8"))
    if not installs:
        _write_ledger(state, rest)
        _remove_backups(state, rest)


def _backup_path(state: Path, entry: Installed) -> Path:
    return state / f"{_BACKUP}{entry.sha256_before[:16]}"


def _remove_backups(state: Path, entries: Sequence[Installed]) -> None:
    """Remove the backups that no installed tap needs: they are copies of files that may hold credentials."""
    needed = {_backup_path(state, each) for each in entries}
    for path in state.glob(f"{_BACKUP}*"):
        if path not in needed:
            path.unlink(missing_ok=True)


def read_ledger(state: Path) -> list[Installed]:
    """Return all installed taps, oldest first. Raises: UsageError if the ledger can't be read."""
    try:
        return msgspec.json.decode((state / _LEDGER).read_bytes(), type=list[Installed])
    except FileNotFoundError:
        return []
    except (OSError, msgspec.DecodeError) as error:
        raise UsageError(f"{state / _LEDGER} cannot be read: {error}") from None


def condition(entry: Installed) -> str:
    """Return `installed`, or how the file has changed since."""
    try:
        text = _text(Path(entry.path))
    except UsageError as error:
        return str(error)
    if all(change.after in text for change in entry.changes):
        return "installed"
    if all(change.before in text for change in entry.changes):
        return _OWN_COPY
    return "changed since it was installed"


def _write_ledger(state: Path, entries: Sequence[Installed]) -> None:
    replace_file(state / _LEDGER, msgspec.json.format(msgspec.json.encode(list(entries))))


# Entries


def _groups(value: Any, cwd: Path) -> Iterator[tuple[str, ...]]:
    places = [("mcpServers",), ("servers",), ("context_servers",), ("mcp_servers",), ("mcp", "servers")]
    for keys in (*places, ("projects", str(cwd), "mcpServers")):
        if isinstance(_at(value, keys), dict):
            yield keys


def _at(value: Any, keys: Sequence[str]) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _argv(entry: dict[str, Any]) -> list[str] | None:
    command, arguments = entry.get("command"), entry.get("args", [])
    if not isinstance(command, str) or not command or not isinstance(arguments, list):
        return None
    return [command, *map(str, arguments)]


def _url(entry: dict[str, Any]) -> tuple[str, str]:
    """Return the member with the URL of a remote server, and the URL; "" if there is none."""
    member = next((each for each in ("url", "serverUrl", "httpUrl") if isinstance(entry.get(each), str)), "")
    return member, str(entry[member]) if member else ""


def _own_url(url: str, port: int, state: Path) -> str:
    """Return the tap's address for a URL, with its path and query below the private path. Raises: UsageError."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or "${" in url:
        raise UsageError(f"{url} is not a URL that can be tapped", hint="Edit the entry by hand.")
    if parts.hostname in ("127.0.0.1", "localhost") and parts.port == port:
        raise UsageError(f"{url} is the address of the tap already", hint="See mcp-inspect tap status.")
    path = private_path(state, url) + (parts.path or "/")
    return urlunsplit(("http", f"127.0.0.1:{port}", path, parts.query, ""))


def _set_argv(entry: dict[str, Any], argv: list[str]) -> None:
    entry["command"], entry["args"] = argv[0], argv[1:]


# Spans


def _edit_json(text: str, keys: Sequence[str], entry: Mapping[str, Any], argv: list[str]) -> list[tuple[int, str, str]]:
    """Return position, old and new text of the spans to replace, in order."""
    command, arguments = json.dumps(argv[0], ensure_ascii=False), json.dumps(argv[1:], ensure_ascii=False)
    spans = [(_span(text, (*keys, "command")), command)]
    if "args" in entry:
        spans.append((_span(text, (*keys, "args")), arguments))
    else:
        spans = [(spans[0][0], f'{command}, "args": {arguments}')]
    return sorted((start, text[start:end], new) for (start, end), new in spans)


def _span(text: str, keys: Sequence[str]) -> tuple[int, int]:
    """Return the span of the value at a path in JSON with comments. Raises: UsageError."""
    tokens = [
        (found.group(), found.start(), found.end())
        for found in _TOKEN.finditer(text)
        if not found.group().isspace() and not found.group().startswith(("//", "/*", "\ufeff"))
    ]
    at = 0
    for key in keys:
        at = _member(tokens, at, key)
    end = _skipped(tokens, at)
    return tokens[at][1], tokens[end - 1][2]


def _member(tokens: Sequence[tuple[str, int, int]], at: int, key: str) -> int:
    """Return the token index of a member's value. For duplicate members the last one counts, as in parsers."""
    found, at = -1, at + 1
    while tokens[at][0] != "}":
        if tokens[at][0] == ",":
            at += 1
            continue
        if json.loads(tokens[at][0]) == key:
            found = at + 2
        at = _skipped(tokens, at + 2)
    if found < 0:
        raise UsageError(f"the member {key!r} was not found")
    return found


def _skipped(tokens: Sequence[tuple[str, int, int]], at: int) -> int:
    """Return the token index after the value that begins at a token."""
    depth = 0
    while True:
        depth += (tokens[at][0] in "{[") - (tokens[at][0] in "}]")
        at += 1
        if depth == 0:
            return at


def _edit_toml(text: str, keys: Sequence[str], members: Mapping[str, Any]) -> list[tuple[int, str, str]]:
    """Set members of a table; return position, old and new text of the lines that change. Raises: UsageError."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document: Any = tomlkit.parse(text)
        table = document
        for key in keys:
            table = table[key]
        table.update(members)
        edited = tomlkit.dumps(document)
    except (TOMLKitError, KeyError, ValueError, RecursionError):
        raise UsageError(f"{keys[-1]} has a form that cannot be edited safely", hint="Edit it by hand.") from None
    return [_changed_lines(text, edited)]


def _changed_lines(before: str, after: str) -> tuple[int, str, str]:
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    first = _count_equal(old, new)
    head, old, new = old[:first], old[first:], new[first:]
    last = _count_equal(old[::-1], new[::-1])
    return len("".join(head)), "".join(old[: len(old) - last]), "".join(new[: len(new) - last])


def _count_equal(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the number of equal lines at the beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _applied(text: str, changes: Sequence[tuple[int, str, str]]) -> str:
    for start, before, after in reversed(changes):
        text = text[:start] + after + text[start + len(before) :]
    return text


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from None


def _parsed(text: str, path: Path) -> Any:
    if path.suffix != ".toml":
        return parse(text, str(path))
    try:
        return read_toml(text)
    except UnreadableDocument as error:
        raise UsageError(f"{path}: {error.placed}", hint="Fix the file.") from None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _slug(host: str) -> str:
    plain = host.strip().lower().replace("-", " ")
    return _NAMES.get(plain, plain).replace(" ", "-")
