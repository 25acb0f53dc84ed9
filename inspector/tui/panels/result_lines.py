"""A result as the lines of a list: each block under its title, texts wrapped to the width, then what else it holds.

The lines know which block they belong to, so that a key can do something with the block under the cursor. A text of
megabytes is not wrapped and not read to its end: the raw view has all of it.
"""

from dataclasses import dataclass

from inspector.tui.styles import glyphs
from inspector.viewmodels import text
from inspector.viewmodels.hex_lines import HexLines, bytes_per_line
from inspector.viewmodels.highlight import highlighted
from inspector.viewmodels.json_lines import JsonLines
from inspector.viewmodels.lines import Line, fact_lines
from inspector.viewmodels.result import Came, ResultView
from inspector.viewmodels.result_blocks import Block
from inspector.viewmodels.roles import Span
from inspector.viewmodels.spans import wrapped

MOST_LINES = 5_000
"""Of one block."""
MOST_CHARACTERS = 500_000
"""Of one block."""
MOST_BYTES = 1_024
"""Of one block that is no text."""
_CHARACTERS_A_CELL = 4
"""At most, as `visible` leaves them: a letter and three marks."""


@dataclass(frozen=True, slots=True)
class ResultLines:
    """Lines, and the index of the block that each belongs to, -1 for none."""

    lines: tuple[Line, ...]
    blocks: tuple[int, ...]


class _Writer:
    """Collects lines."""

    def __init__(self, width: int) -> None:
        self.width = max(width, 20)
        self.lines: list[Line] = []
        self.blocks: list[int] = []
        self.block = -1

    def line(self, *spans: Span) -> None:
        self.lines.append(spans)
        self.blocks.append(self.block)

    def long(self, spans: Line, indent: int = 0) -> None:
        """Write a line, on as many rows as it needs."""
        for row in words_wrapped(spans, self.width, indent):
            self.line(*row)


def result_lines(view: ResultView, width: int) -> ResultLines:
    """The lines for `width` cells."""
    writer = _Writer(width)
    for said in view.said:
        writer.long(said)
    if view.hint:
        writer.line()
        writer.long(((f"{glyphs().event} {view.hint}", "muted"),), 2)
    if not view.blocks:
        _nothing(writer, view)
    for index, block in enumerate(view.blocks):
        if writer.lines:
            writer.line()
        writer.block = index
        _block(writer, block, index, len(view.blocks))
        writer.block = -1
    if view.facts:
        writer.line()
    for fact in fact_lines(view.facts):
        writer.long(fact, 2)
    return ResultLines(tuple(writer.lines), tuple(writer.blocks))


def _nothing(writer: _Writer, view: ResultView) -> None:
    if view.came in (Came.OK, Came.TOOL_ERROR, Came.INCOMPLETE):
        more = " What it returned is under Structured." if view.structured and view.structured.raw is not None else ""
        writer.line(("The result has no content blocks." + more, "muted"))


def _block(writer: _Writer, block: Block, index: int, of: int) -> None:
    number = f"{index + 1}/{of} " if of > 1 else ""
    writer.line((f"{glyphs().closed} {number}", "accent"), *block.title)
    for fact in fact_lines(block.facts, indent="  "):
        writer.long(fact, 4)
    if block.look == "image" and block.data:
        writer.line(("  press v to see it", "accent"))
    if block.look == "json":
        _json(writer, block)
    elif block.text:
        _text(writer, block)
    elif block.look == "blob" and block.data:
        _bytes(writer, block.data)


def _bytes(writer: _Writer, data: bytes) -> None:
    lines = HexLines(data[:MOST_BYTES], bytes_per_line(writer.width))
    for index in range(lines.count):
        writer.line(*lines.line(index))
    if len(data) > MOST_BYTES:
        writer.line((f"There is more of it: {len(data):,} bytes in all.", "warning"))


def _text(writer: _Writer, block: Block) -> None:
    shown = block.text
    coloured = highlighted(shown, block.mime_type, block.uri)
    if coloured is not None:
        for each in coloured[:MOST_LINES]:
            writer.long(each)
        return
    lines = shown[:MOST_CHARACTERS].split("\n")
    for line in lines[:MOST_LINES]:
        writer.long(((line, "foreign"),))
    if len(shown) > MOST_CHARACTERS or len(lines) > MOST_LINES:
        writer.line(("There is more of it: the raw view has all.", "warning"))


def _json(writer: _Writer, block: Block) -> None:
    lines = JsonLines(block.text.encode("utf-8", "replace"))
    for index in range(min(lines.count, MOST_LINES)):
        writer.long(tuple(lines.line(index)), 4)
    if lines.count > MOST_LINES:
        writer.line(("There is more of it: the raw view has all.", "warning"))


def words_wrapped(spans: Line, width: int, indent: int = 0) -> list[list[Span]]:
    """Wrap at spaces where a line is one span of words; anywhere else.

    Of a long rest only what may fit into a row is looked at: a line of a megabyte has many rows.
    """
    if sum(text.cell_width(part) for part, _ in spans) <= width:
        return [list(spans)]
    if len(spans) != 1:
        return wrapped(spans, width, indent)
    indent = min(indent, width // 2)
    (words, role), rows = spans[0], []
    most = _CHARACTERS_A_CELL * width
    while len(words) > most or text.cell_width(words) > width:
        head = wrapped(((words[:most], role),), width, 0)[0][0][0]
        cut = head.rfind(" ", max(len(head) // 3, indent + 1))
        cut = len(head) if cut < 0 or words[len(head) : len(head) + 1] == " " else cut
        rows.append([(words[:cut], role)])
        words = " " * indent + words[cut:].lstrip(" ")
    rows.append([(words, role)])
    return rows
