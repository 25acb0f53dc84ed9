"""Servers in the client config files on this machine. The files are read, never written.

Nothing is started or connected to here. `${workspaceFolder}` and `${userHome}` are replaced, and `envFile` is read, as
VS Code and Cursor do; a `${VAR}` of the environment is kept unchanged. A broken file becomes one entry with its
problem, and the other files are still read.
"""

import hashlib
import logging
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from inspector.atomic_write import replace_file
from inspector.config.environment import read_env_file
from inspector.config.paths import expanded, places
from inspector.documents import UnreadableDocument, read_json, read_toml
from inspector.errors import UsageError

logger = logging.getLogger(__name__)

# JSON with comments and trailing commas

_PIECES = re.compile(r'"(?:\\.|[^"\\\n])*"?|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:\\.|[^"\\\n])*"?)|,(?=\s*[}\]])')
_UNPASSABLE = re.compile("[\0\ud800-\udfff]")
_UNSENDABLE = re.compile("[\0\r\n\ud800-\udfff]")
_WISH = re.compile(r"\$\{input:([^}]{1,200})\}")
_FOLDER = re.compile(r"\$\{(workspaceFolder|workspaceFolderBasename|userHome)\}")
"""Source: https://code.visualstudio.com/docs/reference/variables-reference (predefined variables)."""
_DIGEST_LENGTH = 40
"""Hexadecimal digits: enough that no two entries with one digest can be made."""
_MOST_INPUTS = 1000
_MOST_BYTES = 16 << 20
"""A larger file is not a configuration."""
_ROWS = (line.split("\t") for line in Path(__file__).with_name("places.tsv").read_text("utf-8").splitlines()[1:])


@dataclass(frozen=True, slots=True)
class InputVariable:
    """A value that the user must enter, like VS Code's `${input:ID}`. All of it is foreign text.

    Source: https://code.visualstudio.com/docs/reference/variables-reference (input variables).
    """

    id: str
    about: str = ""
    """Purpose; "" if the file does not state it."""
    secret: bool = False
    """Whether the input is hidden."""
    default: str = ""
    options: tuple[str, ...] = ()
    """Allowed values; empty for any value."""


@dataclass(frozen=True, slots=True)
class _Place:
    host: str
    path: str
    """Relative to the home directory, or to the working directory if `is_local`."""
    is_local: bool = False


_PLACES = [_Place(host, path, is_local=bool(local)) for host, path, local in _ROWS]


@dataclass(frozen=True, slots=True)
class ClientFile:
    """An existing client config file."""

    host: str
    """Host that owns it: "Cursor", "VS Code", …"""
    path: Path
    is_local: bool
    """Whether it belongs to the project in the working directory, and not to the user."""


def parse(text: str, where: str) -> Any:
    """Parse a text. `where` names it in the error. Raises: UsageError with line and column."""
    try:
        return read_json(_strict(text.removeprefix("\ufeff")))
    except UnreadableDocument as error:
        place = f":{error.line}:{error.column}" if error.line else ""
        raise UsageError(f"{where}{place}: {error}", hint="Fix the file.") from None


def _strict(text: str) -> str:
    without = _PIECES.sub(lambda piece: piece[0] if piece[0][0] == '"' else re.sub(r"[^\n]", " ", piece[0]), text)
    return _TRAILING_COMMA.sub(lambda piece: piece[1] or " ", without)


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server as defined in a host's config file. All of it is foreign text."""

    name: str
    """"" for a problem with the whole file."""
    host: str
    """Host that owns the file: "Cursor", "VS Code", …"""
    path: Path
    argv: tuple[str, ...] = ()
    """Empty for a server at a URL."""
    url: str = ""
    cwd: str = ""
    """Working directory of the command; "" if the file does not state it."""
    env: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Variables that the host sets. Their values are often secrets."""
    env_file: str = ""
    """File whose variables `env` includes; "" if the entry names none."""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Headers that the host sends to a URL; often secrets, too."""
    disabled: bool = False
    problem: str = ""
    """Problem of the entry or the file, one sentence; "" if there is none."""
    inputs: tuple[InputVariable, ...] = ()
    """Values that the user must enter before it can be started or connected to."""
    approved: bool = False
    """Whether it may be started or connected to: it is in a file of the home directory, or the user approved it."""

    def filled(self, values: Mapping[str, str]) -> "FoundServer":
        """Return the server with these values, by id, in place of its input variables."""
        made = self._replaced(_WISH, values)
        return replace(made, inputs=tuple(each for each in self.inputs if each.id not in values))

    def of_folder(self, folder: Path) -> "FoundServer":
        """Return the server as its host starts it in this working directory."""
        known = {"workspaceFolder": str(folder), "workspaceFolderBasename": folder.name}
        return self._replaced(_FOLDER, known | {"userHome": str(expanded("~"))})

    def _replaced(self, pattern: re.Pattern[str], values: Mapping[str, str]) -> "FoundServer":
        def fill(text: str) -> str:
            return pattern.sub(lambda found: values.get(found[1], found[0]), text)

        def fill_all(pairs: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
            return tuple((name, fill(value)) for name, value in pairs)

        made = replace(
            self,
            argv=tuple(map(fill, self.argv)),
            url=fill(self.url),
            cwd=fill(self.cwd),
            env=fill_all(self.env),
            headers=fill_all(self.headers),
            env_file=fill(self.env_file),
        )
        return replace(made, problem=self.problem or _problem_of(made))

    @property
    def env_names(self) -> tuple[str, ...]:
        """Names of the variables that the host sets."""
        return tuple(name for name, _ in self.env)


# Approvals of servers that a project's files define, so that the same entry is reviewed once. An approval covers
# exactly what was reviewed: the file, command or URL, directory, variables and headers, but not the entry's name.


def digest(server: FoundServer) -> str:
    """Return the digest of all that is started or sent, and of the file that defines it."""
    parts = (
        os.path.realpath(server.path),
        server.argv,
        server.url,
        str(expanded(server.cwd or ".").absolute()) if server.argv else "",
        server.env,
        server.headers,
    )
    # Quoted, so that "a b" and "a", "b" differ; surrogates of unusual texts are escaped, not rejected.
    return hashlib.sha256(repr(parts).encode(errors="backslashreplace")).hexdigest()[:_DIGEST_LENGTH]


class Approvals:
    """The approvals of one user: a file for each."""

    def __init__(self, state: Path) -> None:
        """Do not access the files yet. `state`: the user's state directory."""
        self._directory = state / "approved"

    def cover(self, server: FoundServer) -> bool:
        """Return whether exactly this server was approved earlier."""
        return os.path.isfile(self._path(server))

    def approve(self, server: FoundServer) -> FoundServer:
        """Return the server as approved, and store that; if it can't be stored, the user is asked again next time."""
        about = f"{server.name!r} of {str(server.path)!r}\n"
        try:
            replace_file(self._path(server), about.encode(errors="backslashreplace"))
        except (OSError, UsageError) as error:
            logger.warning("cannot remember the approval of a server: %s", error)
        return replace(server, approved=True)

    def _path(self, server: FoundServer) -> Path:
        return self._directory / f"{digest(server)}.json"


def found_servers(env: Mapping[str, str], cwd: Path) -> tuple[FoundServer, ...]:
    """Return every server in the known files: those in the working directory, then those in the home directory."""
    approvals = Approvals(places(env).state)
    return tuple(
        replace(server, approved=not each.is_local or approvals.cover(server))
        for each in client_files(env, cwd)
        for server in read_servers(each.host, each.path, cwd)
    )


def client_files(env: Mapping[str, str], cwd: Path) -> Iterator[ClientFile]:
    """Yield the existing files, each once even if two places name it."""
    owned = {os.path.realpath(path) for place in _PLACES if not place.is_local and (path := _path_of(place, env, cwd))}
    seen: set[Path] = set()
    for place in _PLACES:
        path = _path_of(place, env, cwd)
        if path is not None and path not in seen and os.path.isfile(path):  # unlike the method of Path, it never raises
            seen.add(path)
            yield ClientFile(place.host, path, place.is_local and os.path.realpath(path) not in owned)


def user_files(env: Mapping[str, str], cwd: Path) -> Iterator[ClientFile]:
    """Yield the user's file of each client on this system, whether or not it exists."""
    for place in _PLACES:
        is_other = place.path.startswith("Library/" if sys.platform != "darwin" else ".config/C")
        if not place.is_local and not is_other and (path := _path_of(place, env, cwd)) is not None:
            yield ClientFile(place.host, path, False)


def _path_of(place: _Place, env: Mapping[str, str], cwd: Path) -> Path | None:
    """Return the path of a place; None without a home directory."""
    if place.is_local:
        return cwd / place.path
    if place.host == "Codex" and env.get("CODEX_HOME"):
        return Path(env["CODEX_HOME"]) / "config.toml"
    return Path(env["HOME"]) / place.path if env.get("HOME") else None


def read_servers(host: str, path: Path, cwd: Path) -> Iterator[FoundServer]:
    """Yield the servers of one file; a single entry with a problem if it can't be read."""
    try:
        read = _read(path)
    except UsageError as error:
        yield FoundServer("", host, path, problem=str(error))
        return
    declared = _declared(read)
    for name, entry in _entries(read, cwd):
        server = _with_file(_server(name, host, path, entry).of_folder(cwd), cwd)
        yield replace(server, inputs=_inputs(server, declared))


def read_document(path: Path) -> Any:
    """Return what a settings file of a client contains; {} if there is none. Raises: UsageError if it can't be read."""
    return _read(path) if os.path.isfile(path) else {}


def _read(path: Path) -> Any:
    try:
        with path.open("rb") as file:
            raw = file.read(_MOST_BYTES + 1)
        if len(raw) > _MOST_BYTES:
            raise UsageError(f"{path}: too large for a configuration")
        text = raw.decode("utf-8-sig")
        return read_toml(text) if path.suffix == ".toml" else parse(text, str(path))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: no UTF-8 at byte {error.start}") from None
    except UnreadableDocument as error:
        raise UsageError(f"{path}: {error.placed}") from None


def _entries(read: Any, cwd: Path) -> Iterator[tuple[str, Any]]:
    """Yield name and definition of each server, wherever in the file the host stores them."""
    if not isinstance(read, dict):
        return
    groups = [read.get(key) for key in ("mcpServers", "servers", "context_servers", "mcp_servers")]
    groups.append(_at(read, "mcp", "servers"))
    groups.append(_at(read, "projects", str(cwd), "mcpServers"))
    for group in groups:
        if isinstance(group, dict):
            yield from group.items()


def _server(name: str, host: str, path: Path, entry: Any) -> FoundServer:
    if not isinstance(entry, dict):
        return FoundServer(name, host, path, problem="the entry is not an object")
    url = next((entry[key] for key in ("httpUrl", "serverUrl", "url") if isinstance(entry.get(key), str)), "")
    argv = _argv(entry)
    cwd, env_file = (text if isinstance(text := entry.get(key), str) else "" for key in ("cwd", "envFile"))
    env = _pairs(entry.get("env"))
    headers = _pairs(entry.get("headers")) or _pairs(entry.get("http_headers"))
    found = FoundServer(
        name,
        host,
        path,
        argv=argv,
        url="" if argv else url,
        cwd=cwd,
        env=env,
        env_file=env_file,
        headers=headers,
        disabled=entry.get("disabled") is True or entry.get("enabled") is False,
    )
    return replace(found, problem=_problem_of(found) if argv or url else "it has neither a command nor a URL")


def _with_file(server: FoundServer, cwd: Path) -> FoundServer:
    """Return the server with the variables of its file, if it names one. Its own ones count more."""
    if not server.env_file or not server.argv or server.problem:
        return server
    path = cwd / expanded(server.env_file)
    try:
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            raise UsageError(f"its envFile, {path}, is not a file, or too large")
        env = tuple((dict(read_env_file(path, {})) | dict(server.env)).items())
    except (UsageError, OSError, ValueError) as error:
        return replace(server, problem=str(error))
    return replace(server, env=env, problem=_problem_of(replace(server, env=env)))


def _problem_of(server: FoundServer) -> str:
    """Return why one of its texts cannot be passed or sent; "" if all can."""
    return next((why for member, text in _texts(server) if (why := _unusable(member, text))), "")


def _texts(server: FoundServer) -> Iterator[tuple[str, str]]:
    """Yield all texts that are passed or sent, with their members in the file."""
    yield from (("command", text) for text in server.argv)
    yield from (("url", server.url), ("cwd", server.cwd))
    yield from (("env", text) for pair in server.env for text in pair)
    yield from (("headers", text) for pair in server.headers for text in pair)


def _declared(read: Any) -> dict[str, InputVariable]:
    """Return the inputs that a file declares, by id."""
    groups = (_at(read, "inputs"), _at(read, "mcp", "inputs"))
    entries = [each for group in groups if isinstance(group, list) for each in group[:_MOST_INPUTS]]
    found: dict[str, InputVariable] = {}
    for entry in entries:
        name = _at(entry, "id")
        if not isinstance(name, str):
            continue
        about, default, options = _at(entry, "description"), _at(entry, "default"), _at(entry, "options")
        values = (
            [_at(each, "value") if isinstance(each, dict) else each for each in options or ()]
            if (isinstance(options, list))
            else []
        )
        found[name] = InputVariable(
            name,
            about if isinstance(about, str) else "",
            secret=_at(entry, "password") is True,
            default=default if isinstance(default, str) else "",
            options=tuple(each for each in values if isinstance(each, str)),
        )
    return found


def _inputs(server: FoundServer, declared: Mapping[str, InputVariable]) -> tuple[InputVariable, ...]:
    """Return the inputs that a server refers to, each once; undeclared ones are included."""
    ids = dict.fromkeys(found for _, text in _texts(server) for found in _WISH.findall(text))
    return tuple(declared.get(each, InputVariable(each)) for each in ids)


def _unusable(member: str, text: str) -> str:
    """Return why a text cannot be passed to a program or sent; "" if it can.

    JSON allows characters that neither does.
    """
    bad = (_UNSENDABLE if member in ("headers", "url") else _UNPASSABLE).search(text)
    return f"a text in `{member}` has the character U+{ord(bad[0]):04X}, which cannot be used there" if bad else ""


def _pairs(value: Any) -> tuple[tuple[str, str], ...]:
    return tuple((str(name), str(each)) for name, each in value.items()) if isinstance(value, dict) else ()


def _argv(entry: dict[str, Any]) -> tuple[str, ...]:
    command, arguments = entry.get("command"), entry.get("args")
    if isinstance(command, dict):  # an older format of Zed
        return _argv({"command": command.get("path"), "args": command.get("args")})
    if isinstance(command, list):
        return tuple(map(str, command))
    if not isinstance(command, str) or not command:
        return ()
    return (command, *map(str, arguments if isinstance(arguments, list) else ()))


def _at(value: Any, *path: str) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value
