"""Contents of resources and prompts against what they say they are. For results of tools rules say it."""

import base64
import json
from binascii import Error as NotBase64
from collections.abc import Iterator
from typing import Any

from inspector.checks.findings import Confidence, Severity
from inspector.checks.registry import Flaw, check
from inspector.checks.scene import Case
from inspector.protocol import peek

_MAGIC = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
)
_ZIPPED = ("application/vnd.", "application/epub", "application/java", "application/x-")
"""Types that are zip files by another name."""
_LOOKED_AT = 1 << 20


@check(
    "S-22",
    Severity.WARNING,
    "contents of another type than they say",
    "answer resources/read",
    "answer prompts/get",
    topic="server/resources",
    heavy=True,
    confidence=Confidence.LIKELY,
    fix="Give the type that the contents have: clients choose by it what to do with them.",
)
def contents_are_what_they_say(case: Case) -> Iterator[Flaw]:
    """By their first bytes, or by whether JSON is JSON."""
    for place, item in _contents(case):
        said = (peek.text(item, "mimeType") or "").split(";")[0].strip().lower()
        data = peek.text(item, "blob") or peek.text(item, "data")
        text = peek.text(item, "text")
        if said and data and (found := _sniffed(data)) and not _is(found, said):
            yield Flaw(f"it says {said[:60]} and begins like {found}", f"{place}/mimeType")
        elif text is not None and said == "application/json" and not _is_json(text):
            yield Flaw("it says application/json and is none", f"{place}/mimeType")


def _contents(case: Case) -> Iterator[tuple[str, Any]]:
    for at, item in enumerate(peek.items(case.value, "contents")):
        yield f"/result/contents/{at}", item
    for at, message in enumerate(peek.items(case.value, "messages")):
        content = peek.mapping(message, "content")
        inner = "resource" in content
        yield f"/result/messages/{at}/content" + ("/resource" if inner else ""), content.get("resource", content)


def _sniffed(data: str) -> str:
    try:
        head = base64.b64decode(data[:16], validate=True)
    except (NotBase64, ValueError):
        return ""
    return next((kind for magic, kind in _MAGIC if head.startswith(magic)), "")


def _is(found: str, said: str) -> bool:
    if said in (found, "application/octet-stream") or (found == "image/jpeg" and said == "image/jpg"):
        return True
    return found == "application/zip" and (said.startswith(_ZIPPED) or said.endswith("+zip"))


def _is_json(text: str) -> bool:
    if len(text) > _LOOKED_AT:
        return True
    try:
        json.loads(text)
    except ValueError:
        return False
    except RecursionError:
        return True
    return True
