"""The formats that can be read, in the order in which a file is tried: the telling ones first, bare lines last."""

from inspector.capture.import_ import (
    cassette,
    claude_code,
    claude_desktop,
    har,
    mcp_rec,
    mcporter,
    mcpsnoop,
    official,
    plain,
    recorder,
    vscode,
)
from inspector.capture.import_.items import Reader

READERS: dict[str, Reader] = {
    each.name: each
    for each in (
        cassette.READER,
        mcpsnoop.READER,
        mcp_rec.READER,
        mcporter.READER,
        recorder.READER,
        har.READER,
        official.READER,
        claude_desktop.READER,
        vscode.READER,
        claude_code.READER,
        plain.READER,
    )
}


def recognised(start: bytes) -> Reader | None:
    """The format of a file that begins so; None if it is none of them."""
    return next((each for each in READERS.values() if each.knows(start)), None)
