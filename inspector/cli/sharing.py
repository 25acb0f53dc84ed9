"""Options of `share`, its report, and copying a capture with its notes."""

import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from inspector.capture.foreign_files import open_capture
from inspector.capture.format.lines import Tell, blocks, ignore_progress, read_at
from inspector.capture.format.notes import SUFFIX
from inspector.capture.format.records import ConnectionRecord, from_line
from inspector.errors import UsageError
from inspector.features.share.known import is_harmless_variable, is_telling, read_path
from inspector.features.share.share import ShareRequest, ShareResult, Sharing, copied_notes, keep_notes
from inspector.protocol.credentials import is_secret

_SHORTEST = 4
"""Minimum length of a value that can be searched."""
_SHORTEST_KEY = 16
_MOST = 1024 * 1024
"""Maximum size in bytes of a file with secrets or a key."""

_WHY = {
    "unreadable": "can't be read",
    "unknown": "of an unknown type",
    "partial": "incomplete at the end of the file",
    "no payload": "their payload is in another file",
}


class ShareOptions(msgspec.Struct, frozen=True):
    """The secrets to search for, and those that can't be searched."""

    request: ShareRequest
    unknown: tuple[str, ...] = ()
    """Variables that the server received, but whose values are not known here."""
    common: tuple[str, ...] = ()
    """Variables whose values are too common to replace."""


def chosen(
    path: Path,
    env: Mapping[str, str],
    *,
    secret_env: Iterable[str] = (),
    secret_files: Iterable[Path] = (),
    paths: Iterable[str] = (),
    key_file: Path | None = None,
) -> ShareOptions:
    """Return the secrets to remove from a capture. Raises: UsageError, CaptureError."""
    key = _key(key_file)
    given = [*_from_names(secret_env, env), *_from_files(secret_files)]
    names = variables(path)
    found = {name: env[name] for name in names if name in env and not is_harmless_variable(name)}
    found |= {name: value for name, value in env.items() if is_secret(name) and not is_harmless_variable(name)}
    good = {k: v for k, v in found.items() if (len(v) >= _SHORTEST if is_secret(k) else is_telling(v))}
    request = ShareRequest(
        key,
        (*given, *((value, f"env:{name}") for name, value in good.items())),
        tuple(read_path(each) for each in paths),
        tuple(env[name] for name in ("USER", "LOGNAME") if env.get(name)),
        tuple(env[name] for name in ("HOME",) if env.get(name)),
    )
    unknown = tuple(name for name in names if name not in env and is_secret(name))
    return ShareOptions(request, unknown, tuple(sorted(set(names) & (set(found) - set(good)))))


def variables(path: Path) -> tuple[str, ...]:
    """Return the distinct names of variables that the servers of a capture received. Raises: CaptureError."""
    fd = open_capture(path).fd
    try:
        names: dict[str, None] = {}
        for block in blocks(lambda place, length: read_at(fd, place, length)):
            for line in block.lines:
                if b'"env_names"' in line:
                    names |= dict.fromkeys(_names(line))
        return tuple(names)
    finally:
        os.close(fd)


def share_summary(shared: ShareResult, out: Path | None) -> str:
    """Return the report of what was replaced, or would be."""
    rows = sorted(shared.taken.values(), key=lambda each: (-each.count, each.rule, each.path))
    words = [f"{shared.entries:,} entries, {shared.replaced:,} values {'replaced' if out else 'would be replaced'}"]
    for each in rows[:40]:
        places = ", ".join(str(n) if n else "head" for n in each.entries)
        equal = f"{len(each.values)} different" if len(each.values) > 1 else "1 value"
        words.append(f"  {each.count:>6,}  {each.rule:<20} {equal:<14} {each.path or '-'} (entry {places})")
    if len(rows) > 40:
        words.append(f"          and {len(rows) - 40} more kinds; --json has all")
    return "\n".join(words)


def as_json(shared: ShareResult, chosen: ShareOptions, out: Path | None) -> dict[str, object]:
    """Return the report as JSON data."""
    rows = sorted(shared.taken.values(), key=lambda each: (-each.count, each.rule, each.path))
    return {
        "file": str(out) if out else None,
        "entries": shared.entries,
        "replaced": shared.replaced,
        "rules": [
            {
                "rule": each.rule,
                "path": each.path,
                "count": each.count,
                "different": len(each.values),
                "entries": each.entries,
            }
            for each in rows
        ],
        "looked_for": shared.known,
        "not_looked_for": {
            "unknown": list(chosen.unknown),
            "too_common": list(chosen.common),
            "too_many": shared.unlearnt,
        },
        "left_out": dict(shared.left_out),
        "recording": shared.grows,
    }


def warnings(shared: ShareResult, chosen: ShareOptions) -> Iterator[str]:
    """Yield warnings that the user should read before sharing the copy."""
    if chosen.unknown:
        names = ", ".join(chosen.unknown[:10])
        yield f"not known here, so not looked for: the values of {names}. --secret-env and --secret name values"
    if chosen.common:
        yield f"too short or too common to be looked for: the values of {', '.join(chosen.common[:10])}"
    if shared.unlearnt:
        yield f"{shared.unlearnt:,} secrets were replaced where they stood, and looked for nowhere else: too many"
    for why, count in shared.left_out.items():
        yield f"left out of the copy: {count:,} {'record' if count == 1 else 'records'} ({_WHY[why]})"
    if shared.grows:
        yield "the capture is still being written: the copy has what was there so far"


def _names(line: bytes) -> tuple[str, ...]:
    try:
        record = from_line(line)
    except ValueError:
        return ()
    return record.env_names if isinstance(record, ConnectionRecord) else ()


def _key(path: Path | None) -> bytes:
    if path is None:
        return secrets.token_bytes(32)
    key = _read(path, "--key-file").strip()
    if len(key) < _SHORTEST_KEY:
        raise UsageError(
            f"the key in {path} has fewer than {_SHORTEST_KEY} bytes", hint="Make one: openssl rand -hex 32"
        )
    return key


def _from_names(names: Iterable[str], env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in names:
        if name not in env:
            raise UsageError(f"the environment has no {name}", hint="Set it, or name another with --secret-env.")
        yield _long_enough(env[name], name), f"env:{name}"


def _from_files(paths: Iterable[Path]) -> Iterator[tuple[str, str]]:
    for number, path in enumerate(paths, 1):
        text = _read(path, "--secret").decode("utf-8", "surrogateescape")
        values = [line.strip("\r") for line in text.split("\n")]
        for line, value in enumerate(values, 1):
            if value.strip():
                yield _long_enough(value, f"{path}, line {line},"), f"secret:{number}"


def _long_enough(value: str, what: str) -> str:
    if len(value) < _SHORTEST:
        raise UsageError(
            f"{what} has fewer than {_SHORTEST} characters, too short to be replaced safely",
            hint="Use --redact PATH for its place.",
        )
    return value


def _read(path: Path, option: str) -> bytes:
    try:
        with open(path, "rb") as file:
            data = file.read(_MOST + 1)
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}", hint=f"Check {option}.") from None
    if len(data) > _MOST:
        raise UsageError(f"{path} has more than {_MOST:,} bytes", hint=f"Check {option}.")
    return data


def copy(
    file: Path,
    out: Path | None,
    choice: ShareOptions,
    *,
    notes: bool,
    overwrite: bool,
    warn: Callable[[str], None],
    tell: Tell = ignore_progress,
) -> ShareResult:
    """Copy a capture; without `out` nothing is written. An incomplete copy is deleted.

    `tell`: called with the bytes done and the total.

    Raises: UsageError, CaptureError.
    """
    sharing = Sharing(file, choice.request, tell)
    try:
        beside = _Notes(file, sharing.head.id, out, overwrite=overwrite) if notes else None
        sharing.learn()
        shared = sharing.rehearse() if out is None else sharing.write(out, overwrite=overwrite)
        if beside is not None:
            beside.copy(sharing, warn)
    finally:
        sharing.close()
    return shared


def shared(file: Path, out: Path, env: Mapping[str, str], *, notes: bool, overwrite: bool) -> list[str]:
    """Copy a capture as `share` does without options. Return the report and its warnings as lines.

    Raises: UsageError, CaptureError.
    """
    choice, lines = chosen(file, env), list[str]()
    done = copy(file, out, choice, notes=notes, overwrite=overwrite, warn=lines.append)
    return [*share_summary(done, out).split("\n"), *lines, *warnings(done, choice)]


class _Notes:
    """The notes of a capture that are copied beside its copy."""

    def __init__(self, file: Path, capture_id: str, out: Path | None, *, overwrite: bool) -> None:
        self._file, self._id, self._out = file, capture_id, out
        self._path = out.with_name(out.name + SUFFIX) if out is not None else None
        if self._path is not None and not overwrite and self._path.is_symlink() | self._path.exists():
            raise UsageError(f"{self._path} already exists", hint="Choose another file, or add --force.")

    def copy(self, sharing: Sharing, warn: Callable[[str], None]) -> None:
        """Write the notes, and search the written file for secrets."""
        sharing.redactor.activate(list(sharing.known))
        notes = copied_notes(self._file, self._id, sharing.redactor)
        if notes.trouble:
            warn(notes.trouble)
        if self._out is None or self._path is None or notes.foreign:
            return
        self._path.unlink(missing_ok=True)
        keep_notes(notes, self._out, self._id)
        try:
            sharing.scan(self._path)
        except BaseException:  # incomplete copies may contain secrets
            self._path.unlink()
            raise
