"""The HTTP requests of a capture as curl commands in a shell script: quoted for the shell, secrets as variables."""

from collections.abc import Iterator

from inspector.capture.export.selection import Carried, Selection
from inspector.protocol.frames import Frame
from inspector.protocol.jsonrpc import Notification, Request, read
from inspector.viewmodels import text
from inspector.viewmodels.curl import as_curl

_HEAD = """\
#!/bin/sh
# HTTP requests of a capture, in their order. Each is made as you run it: remove what you don't want to repeat.
# What gives access is a variable: set it first, as in MCP_SECRET_AUTHORIZATION=... sh THIS_FILE
"""


def commands(selection: Selection) -> Iterator[bytes]:
    """The script; nothing at all if the capture has no HTTP requests."""
    is_first = True
    for each in selection.carried():
        command = _command(selection, each)
        if not command:
            selection.left_out += 1
            continue
        if is_first:
            yield _HEAD.encode()
            is_first = False
        yield command.encode("utf-8", "surrogateescape")


def _command(selection: Selection, each: Carried) -> str:
    entry = selection.journal.store.entry(each.request) if each.request else None
    fact = selection.http_fact(each.request)
    if entry is None or fact is None or not fact.target or "\0" in fact.target:
        return ""
    frames = [what for what in (selection.journal.store.entry(n).what for n in each.sent) if isinstance(what, Frame)]
    body = b"".join(frame.payload for frame in frames)
    response = selection.http_fact(each.response)
    status = f" -> {response.status}" if response is not None else ""
    title = text.visible(f"entry {each.request}: {fact.method} {_methods(frames)}".rstrip(), limit=200)
    note = _body_note(body, each)
    return f"\n# {title}{status}\n{note}{as_curl(fact, body, reveal=selection.keep_secrets)}\n"


def _methods(frames: list[Frame]) -> str:
    messages = (message for frame in frames for message in read(frame.payload))
    return ", ".join(each.method for each in messages if isinstance(each, Request | Notification))


def _body_note(body: bytes, each: Carried) -> str:
    try:
        is_text = "\0" not in body.decode()
    except UnicodeDecodeError:
        is_text = False
    numbers = ", ".join(map(str, each.sent))
    return "" if is_text else f"# its body is no text: write the bytes of entry {numbers} to body.bin first\n"
