"""Targets that the user has saved, and recently opened ones.

Saved targets are in `targets.yaml` of the configuration directory, which users can read and edit. It contains only
the names of secrets: a variable without a value is copied from the environment when the target is opened, and
`${NAME}` in a header is replaced by one. Recent targets are in the state directory; a command or URL with a
credential is not stored.
"""

import re
import shlex
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from inspector.atomic_write import read_regular, replace_file
from inspector.config.eras import process_key, url_key
from inspector.config.paths import expanded, short_name
from inspector.config.targets import WEB_SCHEMES
from inspector.documents import UNDECODABLE, UnreadableDocument, prepared_type, read_yaml
from inspector.errors import UsageError
from inspector.json_file import JsonFile
from inspector.protocol.credentials import command_without_credentials, is_credential, without_credentials
from inspector.text import visible

SAVED_FILE = "targets.yaml"
MOST_RECENT = 30
"""Maximum recent targets; the least recently opened one is forgotten first."""
_MOST_BYTES = 1 << 20
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_NAME = re.compile(r"[^\s/:\\-][^\s/:\\]{0,59}")
EraName = Literal["auto", "legacy", "modern"]
_HEAD = "# Saved targets of mcp-inspect. Secrets are here by name only; see docs/configuration.md.\n"


@prepared_type
class SavedTarget(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A named command or URL."""

    name: str
    command: str = ""
    """Quoted as in a shell; "" for a URL."""
    url: str = ""
    directory: str = ""
    """Working directory of the command; "" for the current directory."""
    variables: list[str] = []
    """NAME copies a variable of the environment, NAME=VALUE sets it."""
    headers: dict[str, str] = {}
    """`${NAME}` in a value refers to a variable of the environment."""
    era: EraName = "auto"

    @property
    def argv(self) -> tuple[str, ...]:
        """The command, split into arguments. Raises: ValueError for quotes that do not match."""
        return tuple(shlex.split(self.command))

    @property
    def key(self) -> str:
        """Equal for the same command in the same directory, or for the same URL."""
        if self.url:
            return url_key(self.url)
        return process_key(self.argv, expanded(self.directory or ".").absolute())


@prepared_type
class RecentTarget(msgspec.Struct, frozen=True, omit_defaults=True):
    """A target that was opened, with its last outcome."""

    key: str
    argv: tuple[str, ...] = ()
    url: str = ""
    cwd: str = ""
    variables: tuple[str, ...] = ()
    """Names of variables that were set for it; their values are not stored."""
    when: float = 0.0
    """End of the last session, in seconds since the epoch."""
    ok: bool = True
    summary: str = msgspec.field(default="", name="said")
    """Outcome: "19 tools", "Exited with code 1"."""

    @property
    def name(self) -> str:
        return short_name(self.url or self.argv)


def sent_headers(headers: Sequence[tuple[str, str]], env: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the headers with the values of their variables. Raises: UsageError for a variable that is not set."""

    def value(found: re.Match[str]) -> str:
        if found[1] not in env:
            raise UsageError(
                f"the header needs ${found[1]}, which is not set", hint="Set it before, or edit the target."
            )
        return env[found[1]]

    return tuple((name, _VARIABLE.sub(value, text)) for name, text in headers)


def problem_of(target: SavedTarget) -> str:
    """Return why a target cannot be saved, one sentence; "" if it can."""
    if not _NAME.fullmatch(target.name):
        return "The name needs 1 to 60 characters without spaces, slashes and colons."
    if bool(target.command.strip()) == bool(target.url):
        return "A target has a command or a URL."
    if target.url and not target.url.startswith(WEB_SCHEMES):
        return "A URL begins with http:// or https://."
    try:
        words = target.argv
    except ValueError as error:
        return f"The command cannot be read: {error}."
    if target.url and (target.directory or target.variables):
        return "A directory and variables are for commands."
    if target.command and target.headers:
        return "Headers are for URLs."
    if command_without_credentials(words) != words or without_credentials(target.url) != target.url:
        return "It contains a credential. Use a variable or a header with ${NAME} instead."
    for each in target.variables:
        name, equals, value = each.partition("=")
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            return f"{visible(name, limit=60)!r} is not the name of a variable."
        if equals and value and is_credential(name):
            return f"{name} is a secret: write its name alone, and its value is taken from the environment."
    for name, text in target.headers.items():
        if is_credential(name) and not _VARIABLE.search(text):
            return f"{visible(name, limit=60)} is a secret: write ${{NAME}} for the value of a variable."
    return ""


class SavedTargets:
    def __init__(self, config: Path) -> None:
        """Do not access the file yet."""
        self.file = config / SAVED_FILE

    def read(self) -> list[SavedTarget]:
        """Return the saved targets in order; [] without a file. Raises: UsageError with the reason and its place."""
        place = visible(str(self.file), limit=300)
        try:
            raw = read_regular(self.file, _MOST_BYTES + 1)
            if len(raw) > _MOST_BYTES:
                raise UsageError(f"{place}: larger than 1 MiB")
            found = read_yaml(raw.decode("utf-8-sig")) or {}
            targets = msgspec.convert(found.get("targets", []) if isinstance(found, dict) else found, list[SavedTarget])
        except FileNotFoundError:
            return []
        except UnreadableDocument as error:
            at = f"{place}:{error.line}" if error.line else place
            raise UsageError(f"{at}: {visible(str(error), limit=200)}", hint="Fix the file.") from None
        except UNDECODABLE as error:
            raise UsageError(f"{place}: {visible(str(error), limit=200)}", hint="Fix the file.") from None
        except OSError as error:
            raise UsageError(f"{place}: {error.strerror}") from None
        for each in targets:
            if problem := problem_of(each):
                raise UsageError(f"{place}: {visible(each.name, limit=60)}: {problem}", hint="Fix the file.")
        return targets

    def save(self, target: SavedTarget, *, instead_of: str = "") -> None:
        """Add a target, or replace the one with the name `instead_of`.

        Raises: UsageError if it is not valid, if another target has its name, or if the file cannot be read or
        written.
        """
        if problem := problem_of(target):
            raise UsageError(problem)
        targets = self.read()
        if any(each.name == target.name and each.name != instead_of for each in targets):
            raise UsageError(f"Another target has the name {target.name!r}.")
        at = next((at for at, each in enumerate(targets) if each.name == instead_of), len(targets))
        self._write([*targets[:at], target, *targets[at + 1 :]])

    def delete(self, name: str) -> None:
        """Remove a target. Raises: UsageError if the file cannot be read or written."""
        self._write([each for each in self.read() if each.name != name])

    def _write(self, targets: Sequence[SavedTarget]) -> None:
        import yaml  # needed only when a target is saved

        body = yaml.safe_dump({"targets": msgspec.to_builtins(targets)}, sort_keys=False, allow_unicode=True, width=100)
        try:
            replace_file(self.file, (_HEAD + str(body)).encode())
        except (OSError, UnicodeEncodeError) as error:
            raise UsageError(f"{self.file} cannot be written: {error}") from None


class RecentTargets:
    """The recent targets of one user. Errors of reading or writing the file are ignored."""

    def __init__(self, state: Path) -> None:
        """Do not access the file yet."""
        self._file = JsonFile(state / "recent-targets.json", list[RecentTarget], _MOST_BYTES)

    def read(self) -> list[RecentTarget]:
        """Return the recent targets, most recent first."""
        return sorted(self._file.read() or [], key=lambda each: -each.when)[:MOST_RECENT]

    def remember(self, target: RecentTarget) -> None:
        """Put a target first, unless it contains a credential."""
        if command_without_credentials(target.argv) != target.argv or without_credentials(target.url) != target.url:
            return
        self._write([target, *(each for each in self.read() if each.key != target.key)])

    def forget(self, key: str) -> None:
        self._write([each for each in self.read() if each.key != key])

    def _write(self, targets: Sequence[RecentTarget]) -> None:
        self._file.write([*targets[:MOST_RECENT]])


class KnownTarget(msgspec.Struct, frozen=True):
    """A target of the start screen: saved, recent, or both."""

    name: str
    saved: SavedTarget | None = None
    recent: RecentTarget | None = None

    def age_s(self, now: float) -> float | None:
        """Return the seconds since it was last opened; None if it never was."""
        return None if self.recent is None else max(0.0, now - self.recent.when)


def known_targets(config: Path, state: Path) -> tuple[list[KnownTarget], str]:
    """Return saved and recent targets, most recent first, and the problem of the file of saved ones or ""."""
    problem = ""
    saved: list[SavedTarget] = []
    try:
        saved = SavedTargets(config).read()
    except UsageError as error:
        problem = str(error)
    recent = {each.key: each for each in RecentTargets(state).read()}
    known = [KnownTarget(each.name, each, recent.pop(each.key, None)) for each in saved]
    known += [KnownTarget(each.name, None, each) for each in recent.values()]
    return sorted(known, key=lambda each: -(each.recent.when if each.recent else 0)), problem


def now() -> float:
    """Return the seconds since the epoch."""
    return time.time()


def target_from(values: Mapping[str, Any]) -> SavedTarget:
    """Make a target from the fields of a form: name, address, directory, variables, headers, era.

    Variables are separated by spaces, quoted as in a shell; headers by `;`. Raises: UsageError.
    """
    address = str(values["address"]).strip()
    is_url = address.startswith(WEB_SCHEMES)
    try:
        variables = shlex.split(str(values["variables"]))
    except ValueError as error:
        raise UsageError(f"The variables cannot be read: {error}.") from None
    headers = {}
    for each in filter(None, (part.strip() for part in str(values["headers"]).split(";"))):
        name, colon, value = each.partition(":")
        if not colon or not name.strip():
            raise UsageError("A header is written as NAME: VALUE.")
        headers[name.strip()] = value.strip()
    era = str(values["era"]).strip() or "auto"
    if era not in ("auto", "legacy", "modern"):
        raise UsageError("The era is auto, legacy or modern.")
    target = SavedTarget(
        str(values["name"]).strip(),
        "" if is_url else address,
        address if is_url else "",
        str(values["directory"]).strip(),
        variables,
        headers,
        era,  # type: ignore[arg-type]  # checked above
    )
    if problem := problem_of(target):
        raise UsageError(problem)
    return target
