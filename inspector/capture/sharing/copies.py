"""The records of a copy: what of each is text goes through the redactor, and nothing goes past it.

What this program does not know of a record is not copied: nobody could say what it holds.
"""

from typing import assert_never

import msgspec

from inspector.capture.records import (
    ConnectionRecord,
    Dated,
    FrameRecord,
    GapRecord,
    Head,
    HttpRecord,
    ProcessRecord,
    Redaction,
    SseRecord,
    StderrRecord,
    Target,
    Tool,
)
from inspector.capture.sharing.redactor import Redactor
from inspector.protocol.credentials import is_secret, is_secret_header
from inspector.protocol.frames import SseFacts

SHARED = Redaction(policy="share", on="share")
_replace = msgspec.structs.replace
_ATTRIBUTES = frozenset({"path", "domain", "expires", "max-age", "samesite"})
"""Of a cookie, what is no value of it."""


class Copyist:
    """Makes copies of records without secrets."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._text = redactor.text

    def head(self, head: Head) -> Head:
        """The head, which says that this is a copy."""
        text, tool = self._text, head.tool
        told = Tool(*(text(each, "tool") for each in (tool.name, tool.version, tool.py, tool.os)))
        whole = _replace(
            head, v=text(head.v, "v"), id=text(head.id, "id"), tz=text(head.tz, "tz"), mode=text(head.mode, "mode")
        )
        return _replace(whole, must=(), tool=told, redaction=SHARED)

    def gap(self, record: GapRecord) -> GapRecord:
        """What was never written, and why."""
        return _replace(record, c=self._text(record.c, "c"), why=self._text(record.why, "why"))

    def dated(self, record: Dated, n: int) -> Dated:
        """Entry n."""
        c = self._text(record.c, "c")
        match record:
            case FrameRecord():
                return self._frame(_replace(record, n=n, c=c))
            case StderrRecord():
                raw, b64 = self._payload(record.raw, record.b64)
                return _replace(record, n=n, c=c, raw=raw, b64=b64)
            case ConnectionRecord():
                return self._connection(_replace(record, n=n, c=c))
            case ProcessRecord():
                return _replace(record, n=n, c=c, signal=self._text(record.signal, "signal"))
            case HttpRecord():
                return self._http(_replace(record, n=n, c=c))
            case SseRecord():
                raw, b64 = self._payload(record.raw, record.b64)
                event, id_ = self._optional(record.event, "event"), self._optional(record.id, "id")
                return _replace(record, n=n, c=c, event=event, id=id_, raw=raw, b64=b64)
            case _:
                assert_never(record)

    def _frame(self, record: FrameRecord) -> FrameRecord:
        raw, b64 = self._payload(record.raw, record.b64, is_message=True)
        sse = record.sse
        if sse is not None:
            sse = SseFacts(self._optional(sse.event, "sse.event"), self._optional(sse.id, "sse.id"), sse.retry)
        length = record.len
        if (raw, b64) != (record.raw, record.b64):
            length = len(b64) if b64 is not None else len((raw or "").encode("utf-8", "surrogatepass"))
        return _replace(record, origin=self._text(record.origin, "origin"), sse=sse, raw=raw, b64=b64, len=length)

    def _payload(
        self, raw: str | None, b64: bytes | None, *, is_message: bool = False
    ) -> tuple[str | None, bytes | None]:
        if b64 is not None:
            return None, self._redactor.payload(b64, "b64", is_message=is_message)
        return (None if raw is None else self._text(raw, "raw", is_message=is_message)), None

    def _optional(self, text: str | None, where: str) -> str | None:
        return None if text is None else self._text(text, where)

    def _connection(self, record: ConnectionRecord) -> ConnectionRecord:
        text, target = self._text, record.target
        where = "target"
        told = Target(self._argv(target.argv), text(target.cwd, f"{where}.cwd"), text(target.url, f"{where}.url"))
        names = tuple(text(name, "env_names") for name in record.env_names)
        transport = text(record.transport, "transport")
        return _replace(record, transport=transport, target=told, env_names=names, why=text(record.why, "why"))

    def _argv(self, argv: tuple[str, ...]) -> tuple[str, ...]:
        told: list[str] = []
        before = ""
        for number, word in enumerate(argv):
            where = f"target.argv.{number}"
            if before.startswith("-") and "=" not in before and is_secret(before.lstrip("-")) and word[:1] != "-":
                told.append(self._redactor.value(word, where, "option"))
            else:
                told.append(self._text(word, where))
            before = word
        return tuple(told)

    def _http(self, record: HttpRecord) -> HttpRecord:
        text = self._text
        return _replace(
            record,
            method=text(record.method, "method"),
            target=text(record.target, "target"),
            ver=text(record.ver, "ver"),
            reason=text(record.reason, "reason"),
            why=text(record.why, "why"),
            headers=tuple((text(name, "headers"), self._header(name, value)) for name, value in record.headers),
            document=self._optional(record.document, "document"),
        )

    def _header(self, name: str, value: str) -> str:
        where = f"headers.{name}"
        if name.lower() in ("cookie", "set-cookie"):
            return "; ".join(self._cookie(part, where) for part in value.split("; "))
        if not is_secret_header(name) or name.lower() == "www-authenticate":
            return self._text(value, where)
        scheme, space, rest = value.partition(" ")
        if space and scheme.lower() in ("bearer", "basic", "dpop", "digest", "token", "negotiate"):
            return f"{scheme} {self._redactor.value(rest, where, 'header')}"
        return self._redactor.value(value, where, "header")

    def _cookie(self, part: str, where: str) -> str:
        name, equals, value = part.partition("=")
        if not equals:
            return self._text(part, where)
        if name.strip().lower() in _ATTRIBUTES:
            return part
        return f"{name}={self._redactor.value(value, where, 'cookie')}"
