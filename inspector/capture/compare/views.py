"""Views of a session through a proxy that changed messages: as the client saw it, and as the server saw it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from inspector.atomic_write import whole_file
from inspector.capture.format.records import (
    MADE_BY_PROXY,
    EditRecord,
    EndRecord,
    FrameRecord,
    Record,
    SumRecord,
    from_line,
    to_line,
)
from inspector.protocol.frames import Direction

View = Literal["client", "server"]


def write_view(path: Path, view: View, target: Path) -> int:
    """Write the messages of a capture as one party saw them; return how many differ from what was sent.

    `target` must be a new file.

    Raises: OSError.
    """
    edits = {record.of: record for record in _records(path) if isinstance(record, EditRecord) and _decides(record)}
    changed = 0
    with whole_file(target, overwrite=False) as new:
        for record in _records(path):
            if isinstance(record, SumRecord | EndRecord | EditRecord):
                continue
            seen = record
            if isinstance(record, FrameRecord):
                found = _as_seen(record, edits.get(record.n), view)
                changed += found is not record
                if found is None:
                    continue
                seen = found
            new.file.write(to_line(seen))
    return changed


def _records(path: Path) -> Iterator[Record]:
    with path.open("rb") as file:
        for line in file:
            try:
                yield from_line(line)
            except ValueError:
                continue  # unknown or damaged: not compared


def _decides(record: EditRecord) -> bool:
    return record.act in ("drop", "answer") or record.raw is not None or record.b64 is not None


def _as_seen(frame: FrameRecord, edit: EditRecord | None, view: View) -> FrameRecord | None:
    """Return a frame as one party saw it; None if that party did not see it."""
    is_receiver = (frame.dir is Direction.TO_SERVER) == (view == "server")
    if not is_receiver:
        return None if frame.origin in MADE_BY_PROXY else frame
    if edit is None:
        return None if frame.fwd == "dropped" else frame
    if edit.raw is None and edit.b64 is None:
        return None
    return msgspec.structs.replace(frame, raw=edit.raw, b64=edit.b64, len=None)
