"""mcporter: a message a line, to which `_meta` was added: `{"dir": "send", "server": name, "ts": time}`.

Known from its documentation of `mcporter record`: https://github.com/openclaw/mcporter
"""

from collections.abc import Iterator

import msgspec

from inspector.capture.import_.items import Item, Reader, Source, closed, frame, opened
from inspector.capture.import_.members import first_members
from inspector.protocol.frames import Direction

_DIRECTIONS = {"send": Direction.TO_SERVER, "recv": Direction.FROM_SERVER}


def _knows(start: bytes) -> bool:
    meta = first_members(start).inner("_meta")
    return {"dir", "ts"} <= meta.keys() and meta.text("dir") in (*_DIRECTIONS, "lifecycle")


def _read(source: Source) -> Iterator[Item]:
    wall_ns: int | None = None
    server = ""
    for line in source.objects():
        meta = line.inner("_meta")
        line.pop("_meta", None)
        direction = _DIRECTIONS.get(meta.text("dir"))
        wall_ns = meta.moment("ts")
        named = meta.text("server")
        if direction is None:
            source.passed_over["events of a transport's life"] += 1
            continue
        if named != server or not server:
            if server:
                yield closed(wall_ns, f"the recording goes on with the server {named}", piped=False)
            yield opened(wall_ns, argv=(named,) if named else (), piped=False)
            server = named or "?"
        yield frame(direction, msgspec.json.encode(line), wall_ns, piped=False)


READER = Reader(
    "mcporter",
    "a recording of mcporter",
    (
        "the exact bytes: each message was written anew, and what is no message was left out",
        "how it was carried: headers, status, stderr",
        "which server it was, beside its name in mcporter's configuration",
        "a _meta of the message's own beside id and method, if it had one",
    ),
    _knows,
    _read,
)
