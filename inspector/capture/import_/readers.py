"""Importable formats: recorders, logs of MCP clients, HAR, plain JSON-RPC. Each has its own module."""

from inspector.capture.import_ import cassette, claude_desktop, mcporter, mcpsnoop, plain, supergateway, vscode
from inspector.capture.import_.http import HAR, OFFICIAL
from inspector.capture.import_.items import Reader

READERS: dict[str, Reader] = {
    each.name: each
    for each in (
        *(cassette.READER, mcpsnoop.READER, HAR, OFFICIAL, claude_desktop.READER, vscode.READER),
        *(mcporter.READER, supergateway.READER, plain.READER),
    )
}
"""In the order in which they are tried: the most specific ones first, bare lines last."""


def formats() -> str:
    """Return what can be imported, as the end of a sentence."""
    *titles, last = (each.title for each in READERS.values())
    return f"{', '.join(titles)}, or {last}"


def recognised(start: bytes) -> Reader | None:
    """Return the format of a file with this beginning; None if unknown."""
    return next((each for each in READERS.values() if each.knows(start)), None)
