"""A copy of a capture without secrets, with its notes if they are wanted: for `share`, and for the interface."""

from collections.abc import Callable, Mapping
from pathlib import Path

from inspector.capture.lines import Tell, tell_nobody
from inspector.capture.sharing.sharing import Shared, Sharing
from inspector.cli.sharing import Chosen, chosen, told, warnings
from inspector.errors import UsageError


def copy(
    file: Path,
    out: Path | None,
    choice: Chosen,
    *,
    notes: bool,
    overwrite: bool,
    warn: Callable[[str], None],
    tell: Tell = tell_nobody,
) -> Shared:
    """Copy a capture; with no `out` nothing is written. The copy is there afterwards, whole, or it is not there.

    `tell` hears how far it is.

    Raises: UsageError, CaptureError.
    """
    sharing = Sharing(file, choice.wish, tell)
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
    """Copy a capture as `share` does without options; what was done and what should be known of it, a line each.

    Raises: UsageError, CaptureError.
    """
    choice, said = chosen(file, env), list[str]()
    done = copy(file, out, choice, notes=notes, overwrite=overwrite, warn=said.append)
    return [*told(done, out).split("\n"), *said, *warnings(done, choice)]


class _Notes:
    """The notes of a capture on their way beside its copy."""

    def __init__(self, file: Path, capture_id: str, out: Path | None, *, overwrite: bool) -> None:
        from inspector.capture.notes import SUFFIX

        self._file, self._id, self._out = file, capture_id, out
        self._path = out.with_name(out.name + SUFFIX) if out is not None else None
        if self._path is not None and not overwrite and self._path.is_symlink() | self._path.exists():
            raise UsageError(f"{self._path} is there already", hint="Name another file, or say --force.")

    def copy(self, sharing: Sharing, warn: Callable[[str], None]) -> None:
        """Write them, and look for secrets in what was written."""
        from inspector.capture.sharing.notes import copied_notes, keep_notes

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
        except BaseException:  # nobody has looked through all of it
            self._path.unlink()
            raise
