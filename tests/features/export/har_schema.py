"""What HAR 1.2 demands of a document, as a JSON Schema: http://www.softwareishard.com/blog/har-12-spec/."""

from typing import Any


def _object(required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": required.split(), "properties": properties}


_TEXT, _WHOLE, _PART = {"type": "string"}, {"type": "integer"}, {"type": "number", "minimum": -1}
_PAIRS = {"type": "array", "items": _object("name value", name=_TEXT, value=_TEXT)}
_HTTP = {"httpVersion": _TEXT, "cookies": _PAIRS, "headers": _PAIRS, "headersSize": _WHOLE, "bodySize": _WHOLE}
_REQUEST = _object(
    "method url httpVersion cookies headers queryString headersSize bodySize",
    method=_TEXT,
    url=_TEXT,
    queryString=_PAIRS,
    postData=_object("mimeType text", mimeType=_TEXT, text=_TEXT),
    **_HTTP,
)
_RESPONSE = _object(
    "status statusText httpVersion cookies headers content redirectURL headersSize bodySize",
    status=_WHOLE,
    statusText=_TEXT,
    redirectURL=_TEXT,
    content=_object("size mimeType", size=_WHOLE, mimeType=_TEXT, text=_TEXT, encoding=_TEXT, comment=_TEXT),
    **_HTTP,
)
_TIMINGS = _object(
    "send wait receive",
    **dict.fromkeys(("blocked", "dns", "connect", "ssl"), _PART),
    **{name: {"type": "number", "minimum": 0} for name in ("send", "wait", "receive")},
)
_ENTRY = _object(
    "startedDateTime time request response cache timings",
    startedDateTime={"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$"},
    time={"type": "number", "minimum": 0},
    request=_REQUEST,
    response=_RESPONSE,
    cache={"type": "object"},
    timings=_TIMINGS,
)
HAR_SCHEMA = _object(
    "log",
    log=_object(
        "version creator entries",
        version={"const": "1.2"},
        creator=_object("name version", name=_TEXT, version=_TEXT),
        entries={"type": "array", "items": _ENTRY},
    ),
)
