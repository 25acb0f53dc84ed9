"""By which revision an answer is judged: its request's or the handshake's, if the answer bears it out.

A client finds out a server's era by asking in the newer way first. What an older server answers to that must not be
judged by a revision that it never claimed.
"""

from typing import Any

from inspector.checks.scene import Asked, Scene, row_of
from inspector.protocol import peek
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.openings import Opening, from_discover, from_initialize, modern_code, names_stateless
from inspector.protocol.revisions.table import ROWS, resolve
from inspector.protocol.tracking.opening import declared_revision

_FIRST_MODERN = next(place for place, row in enumerate(ROWS, 1) if row.era is Era.MODERN)


def row_of_request(scene: Scene, method: str, params: Any) -> int:
    """The row that a request asks to be answered by; 0 for one that finds the revision out."""
    if method == "initialize":
        return 0
    declared = declared_revision(params)
    return row_of(resolve(declared)[0]) if declared is not None else scene.row


def row_of_answer(scene: Scene, asked: Asked, value: Any, *, is_result: bool) -> int:
    """The row to judge an answer by; 0 where it bears none out."""
    if asked.method == "initialize":
        if not is_result:
            return 0
        opening = from_initialize(asked.params, value)
        date = peek.text(asked.params, "protocolVersion") or ""
        return row_of(opening.revision if isinstance(opening, Opening) else resolve(date, Era.LEGACY)[0])
    if asked.row < _FIRST_MODERN or scene.row >= _FIRST_MODERN:
        return asked.row
    if not is_result:
        return asked.row if modern_code(value) is not None or names_stateless(value) else 0
    if asked.method == "server/discover":
        return asked.row if isinstance(from_discover("", value), Opening) else 0
    return asked.row if peek.has(value, "resultType") or not scene.row else 0
