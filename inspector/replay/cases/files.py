"""Files of cases: where they stand beside a capture, read, and added to."""

from collections.abc import Sequence
from pathlib import Path

from inspector.errors import UsageError
from inspector.replay.cases.model import Case, Cases
from inspector.replay.cases.reading import LARGEST, read_cases
from inspector.replay.cases.writing import with_cases
from inspector.whole import write_whole

SUFFIX = ".cases.yaml"


def beside(capture: Path) -> Path:
    """The file of cases that belongs to a capture: `session.cases.yaml` beside `session.mcpcap`."""
    return capture.with_name(capture.name.removesuffix(".mcpcap") + SUFFIX)


def open_cases(path: Path) -> Cases:
    """Read a file of cases. Raises: UsageError."""
    return read_cases(_text(path), str(path))


def add_cases(path: Path, cases: Sequence[Case]) -> int:
    """Add cases to a file, made if it is not there; for its owner alone; how many it has then. Raises: UsageError."""
    text = with_cases(_text(path) if path.exists() else "", cases, str(path))
    write_whole(path, text.encode(), new=0o600)  # what a server said, secrets and all
    return len(read_cases(text, str(path)).cases)


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > 4 * LARGEST:
            raise UsageError(f"{path}: larger than any file of cases", hint="Part it into several files.")
        return path.read_bytes().decode("utf-8")  # line ends stay as they are
    except OSError as error:
        raise UsageError(
            f"{path}: can't be read: {error.strerror}", hint="mcp-inspect promote writes such a file."
        ) from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: byte {error.start} is not UTF-8", hint="Save it as UTF-8.") from None
