"""Writes a copy of a capture without secrets, in four passes with bounded memory.

The first pass learns the secrets in this capture, so that a token in a late header is known in an early message. The
second searches consecutive lines (stderr, other output, log messages) for secrets that span lines. The third writes
a new file, readable by its owner only. The fourth reads the new file and searches for every known secret in every
spelling, and again for secrets that span lines. If one is found, the file is removed. The original is only read.

A line that can't have a secret or a known value is copied unchanged apart from its entry number. The first pass
stores which lines of each block may have one, with a checksum. If a later pass reads a different block, all of its
lines are searched.
"""

import hashlib
import os
import re
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import NamedTuple, assert_never

import msgspec

from inspector.atomic_write import whole_file
from inspector.capture.foreign_files import open_capture
from inspector.capture.format.file import being_written, demand_place
from inspector.capture.format.lines import Tell, blocks, ignore_progress, read_at
from inspector.capture.format.notes import Notes, NotesFile
from inspector.capture.format.records import (
    KNOWN,
    ConnectionRecord,
    Dated,
    EditRecord,
    EndRecord,
    FrameRecord,
    GapRecord,
    Head,
    HttpRecord,
    ProcessRecord,
    Record,
    RecordingTool,
    Redaction,
    RedactRecord,
    RuleRecord,
    SseRecord,
    StderrRecord,
    SumRecord,
    Target,
    from_line,
    to_line,
    type_of,
)
from inspector.errors import UsageError
from inspector.features.share.known import JsonPath, KnownSecrets, MultiSearch, Pseudonyms, Secret
from inspector.features.share.line_secrets import LineSecrets, Piece, Place, logged
from inspector.features.share.prose import telling_homes, telling_users
from inspector.features.share.redactor import RecordFilter, Redactor
from inspector.protocol import peek
from inspector.protocol.credentials import is_secret, is_secret_header
from inspector.protocol.frames import SseFacts

# Records of the copy

SHARED = Redaction(policy="share", on="share")
_replace = msgspec.structs.replace
_ATTRIBUTES = frozenset({"path", "domain", "expires", "max-age", "samesite"})
"""Attributes of a cookie."""

_SCANNED = 64 * 1024
"""Bytes per search. A longer chunk contains more matches that must be confirmed."""
_LINES = 200
"""Number of lines that are searched together for known values."""
_PASSES = 4
_SHORTEST_PIECE = 16
"""Minimum length of a secret's piece that is searched everywhere."""
_NOT_JSON = re.compile(
    rb'\{"r":"frame"(?:,"(?:n|tm|tw|len|ex|http)":-?\d++|,"(?:c|dir|ch|eol|origin)":"[a-z0-9]{1,12}")*,"raw":"\s*+[^{\[\s"]'
)
"""A frame with a line that is not a message."""
_PSEUDONYM = "rdct_"
_TOLD = 5
"""Maximum number of places listed for each kind of replacement."""


class RecordRedactor:
    """Copies records without secrets."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._text = redactor.text

    def head(self, head: Head) -> Head:
        """Return the head, marked as a redacted copy."""
        text, tool = self._text, head.tool
        recording_tool = RecordingTool(*(text(each, "tool") for each in (tool.name, tool.version, tool.py, tool.os)))
        whole = _replace(
            head, v=text(head.v, "v"), id=text(head.id, "id"), tz=text(head.tz, "tz"), mode=text(head.mode, "mode")
        )
        return _replace(whole, must=(), tool=recording_tool, redaction=SHARED)

    def gap(self, record: GapRecord) -> GapRecord:
        return _replace(record, c=self._text(record.c, "c"), why=self._text(record.why, "why"))

    def edit(self, record: EditRecord) -> EditRecord:
        """Return an edit by a proxy. The payload that it forwarded is redacted as a message."""
        raw, b64 = self._payload(record.raw, record.b64, is_message=True)
        c, by, why = self._text(record.c, "c"), self._text(record.by, "by"), self._text(record.why, "why")
        return _replace(record, c=c, act=self._text(record.act, "act"), by=by, why=why, raw=raw, b64=b64)

    def rule(self, record: RuleRecord) -> RuleRecord:
        """Return a rule. Its text is redacted as a message, because it may name arguments."""
        name, by, why = self._text(record.name, "name"), self._text(record.by, "by"), self._text(record.why, "why")
        rule = self._text(record.text, "text", is_message=True)
        return _replace(record, c=self._text(record.c, "c"), name=name, by=by, why=why, text=rule)

    def dated(self, record: Dated, n: int) -> Dated:
        """Return a dated record as entry n."""
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
                return self._process(_replace(record, n=n, c=c, signal=self._text(record.signal, "signal")))
            case HttpRecord():
                return self._http(_replace(record, n=n, c=c))
            case SseRecord():
                raw, b64 = self._payload(record.raw, record.b64)
                event, id_ = self._optional(record.event, "event"), self._optional(record.id, "id")
                return _replace(record, n=n, c=c, event=event, id=id_, raw=raw, b64=b64)
            case _:
                assert_never(record)

    def _process(self, record: ProcessRecord) -> ProcessRecord:
        state = record.state
        if state is None:
            return record
        children = tuple(
            _replace(each, command=self._text(each.command, "state.children.command")) for each in state.children
        )
        awaits = tuple(
            _replace(
                each,
                name=self._text(each.name, "state.awaits.name"),
                address=self._text(each.address, "state.awaits.address"),
            )
            for each in state.awaits
        )
        return _replace(record, state=_replace(state, children=children, awaits=awaits))

    def _frame(self, record: FrameRecord) -> FrameRecord:
        raw, b64 = self._payload(record.raw, record.b64, is_message=True)
        sse = record.sse
        if sse is not None:
            sse = SseFacts(self._optional(sse.event, "sse.event"), self._optional(sse.id, "sse.id"), sse.retry)
        length = record.len
        if (raw, b64) != (record.raw, record.b64):
            length = len(b64) if b64 is not None else len((raw or "").encode("utf-8", "surrogatepass"))
        texts = {name: self._text(getattr(record, name), name) for name in ("origin", "fwd", "cause")}
        return _replace(record, **texts, sse=sse, raw=raw, b64=b64, len=length)

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
        recorded_target = Target(
            self._argv(target.argv), text(target.cwd, f"{where}.cwd"), text(target.url, f"{where}.url")
        )
        names, flaws = (tuple(text(name, "env_names") for name in each) for each in (record.env_names, record.flaws))
        transport = text(record.transport, "transport")
        peer = None if record.peer is None else _replace(record.peer, exe=text(record.peer.exe, "peer.exe"))
        return _replace(
            record,
            transport=transport,
            target=recorded_target,
            env_names=names,
            why=text(record.why, "why"),
            peer=peer,
            hint=text(record.hint, "hint"),
            flaws=flaws,
        )

    def _argv(self, argv: tuple[str, ...]) -> tuple[str, ...]:
        lines: list[str] = []
        before = ""
        for number, word in enumerate(argv):
            where = f"target.argv.{number}"
            if before.startswith("-") and "=" not in before and is_secret(before.lstrip("-")) and word[:1] != "-":
                lines.append(self._redactor.value(word, where, "option"))
            else:
                lines.append(self._text(word, where))
            before = word
        return tuple(lines)

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


class ShareRequest(msgspec.Struct, frozen=True):
    """Data to redact in addition to secrets that are recognized by name and format."""

    key: bytes
    """Key of the pseudonyms."""
    secrets: tuple[tuple[str, str], ...] = ()
    """Values, each with the rule that identified it."""
    paths: tuple[JsonPath, ...] = ()
    users: tuple[str, ...] = ()
    homes: tuple[str, ...] = ()


class ReplacementKind(msgspec.Struct):
    """All replacements with the same rule and path."""

    rule: str
    path: str
    count: int = 0
    values: set[str] = msgspec.field(default_factory=set)
    """Identifiers of the values, at most some hundred."""
    entries: list[int] = msgspec.field(default_factory=list)
    """First entries that are affected; 0 for other records."""


class ShareResult(msgspec.Struct):
    entries: int = 0
    replaced: int = 0
    taken: dict[tuple[str, str], ReplacementKind] = msgspec.field(default_factory=dict)
    """Replacements by rule and path, with indexes omitted from paths."""
    left_out: Counter[str] = msgspec.field(default_factory=Counter)
    """Numbers of omitted records by reason: "unreadable", "unknown", "partial", "no payload"."""
    known: int = 0
    """Number of values that were searched everywhere."""
    unlearnt: int = 0
    """Number of values that were not, because there were too many."""
    grows: bool = False
    """Whether the original was still being recorded."""


class Sharing:
    """The process of sharing one capture.

    Raises (on construction): CaptureError if the file is not a capture or must not be read.
    """

    def __init__(self, path: Path, request: ShareRequest, tell: Tell = ignore_progress) -> None:
        """Open the capture. `tell` is called with the bytes done and the total over all passes."""
        self._path = path
        found = open_capture(path)
        self._fd = found.fd
        self.head: Head = found.head
        self._size = os.fstat(self._fd).st_size
        self._tell = tell
        self._behind = 0
        """Size of the completed passes in bytes."""
        self.known = KnownSecrets()
        for value, rule in request.secrets:
            self.known.add(value, rule)
        pseudonyms = Pseudonyms(request.key)

        def redactor(*, learns: bool) -> Redactor:
            return Redactor(
                pseudonyms, self.known, paths=request.paths, users=request.users, homes=request.homes, learns=learns
            )

        persons = (*telling_users(request.users), *telling_homes(request.homes))
        self._sieve = RecordFilter(paths=request.paths, persons=persons)
        self._sifted: list[_Sifted] = []
        self._pieces: dict[Place, list[tuple[str, str]]] = {}
        """Pieces of secrets that span lines, by block and line."""
        self._learner, self.redactor = redactor(learns=True), redactor(learns=False)

    def close(self) -> None:
        """Close the original."""
        os.close(self._fd)

    def learn(self) -> None:
        """Run the first and second pass: learn the secrets."""
        copying = _Copying(self._learner, _Writer(lambda line: None), ShareResult())
        self._sifted.clear()
        for lines, whole in self._lines():
            checked = self._sieve.suspects(lines)
            self._sifted.append(_Sifted(_checksum(lines), tuple(checked)))
            for at in checked:
                self._learner.activate(self._known_in(lines[at]))
                copying.line(lines[at], whole)
        self._learn_pieces()

    def _learn_pieces(self) -> None:
        """Run the second pass: find secrets that span lines."""
        streams = _Streams(self.known)
        self._pieces.clear()
        for number, (lines, _) in enumerate(self._lines()):
            for at, line in enumerate(lines):
                for piece in streams.feed((number, at), line):
                    self._pieces.setdefault(piece.place, []).append((piece.value, piece.rule))
        for value, rule in [each for found in self._pieces.values() for each in found]:
            if len(value) >= _SHORTEST_PIECE:
                self.known.learn(value, rule)

    def rehearse(self) -> ShareResult:
        """Run the third pass without writing a file, to determine what would be replaced."""
        return self._pass(self.redactor, lambda line: None)

    def write(self, out: Path, *, overwrite: bool = False) -> ShareResult:
        """Run the third and fourth pass. Afterwards the copy is complete, or does not exist.

        Raises: UsageError if it can't be written, or if a secret is left in it.
        """
        demand_place(out, self._path, overwrite=overwrite)
        try:
            with whole_file(out, overwrite=overwrite) as made:
                shared = self._pass(self.redactor, made.file.write)
                made.file.flush()
                os.fsync(made.file.fileno())
                self.scan(made.path)
        except FileExistsError:
            raise UsageError(f"{out} already exists", hint="Choose another file, or add --force.") from None
        except OSError as error:
            raise UsageError(f"{out} can't be written: {error.strerror}", hint="Name another file.") from None
        return shared

    def scan(self, path: Path | str) -> None:
        """Run the fourth pass: search the copy for known secrets and for secrets that span lines.

        Raises: UsageError if there is one, stating place and spelling but not the secret itself.
        """
        overlap = self.known.longest()
        with open(path, "rb") as file:
            place, rest = 0, b""
            while chunk := file.read(_SCANNED):
                data = rest + chunk
                if (left := self.known.survivor(data)) is not None:
                    secret, spelling, at = left
                    raise UsageError(
                        f"a secret would have been left in the copy, {spelling}, at byte {place - len(rest) + at}: "
                        f"known by {secret.rule}. No copy was made",
                        hint="If it is not a secret, don't name it; else replace its place with --redact PATH.",
                    )
                place += len(chunk)
                self._tell(min(self._behind + place, _PASSES * self._size), _PASSES * self._size)
                rest = data[-overlap:] if overlap else b""
        self._scan_lines(path)

    def _scan_lines(self, path: Path | str) -> None:
        streams = _Streams(self.known)
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                for piece in streams.feed((0, number), line.rstrip(b"\n")):
                    if _PSEUDONYM not in piece.value and piece.rule != "wrapped":
                        raise UsageError(
                            f"a secret would have been left in the copy, over several lines, at line {number}: "
                            f"known by {piece.rule}. No copy was made",
                            hint="If it is not a secret, don't name it; else replace its place with --redact PATH.",
                        )

    def _pass(self, redactor: Redactor, write: Callable[[bytes], object]) -> ShareResult:
        shared = ShareResult(grows=being_written(self._fd))
        writer = _Writer(write)
        copying = _Copying(redactor, writer, shared)
        telling = self._telling_words()
        for number, (lines, whole) in enumerate(self._lines()):
            data = b"\n".join(lines)
            checked = self._checked(number, lines)
            has_known = self.known.may_be_in(data) or telling.may_find(data)
            for at, line in enumerate(lines):
                known = self._known_in(line) if has_known or b"\\u" in line else []
                if pieces := self._pieces.get((number, at)):
                    own = [self.known.secret(value, rule) for value, rule in pieces]
                    by_value = {each.value: each for each in (*own, *known)}
                    known = sorted(by_value.values(), key=lambda each: (-len(each.value), each.value))  # longest first
                if known or at in checked or (has_known and telling.found(line)):
                    redactor.activate(known)
                    copying.line(line, whole)
                else:
                    copying.harmless(line, whole)
        writer.end()
        shared.known, shared.unlearnt = len(self.known), self.known.unlearnt
        return shared

    def _checked(self, number: int, lines: list[bytes]) -> Collection[int]:
        """Return the indexes of a block's lines that have to be searched in full."""
        if number < len(self._sifted) and self._sifted[number].checksum == _checksum(lines):
            return self._sifted[number].checked
        return range(len(lines))

    def _telling_words(self) -> MultiSearch:
        """Return a search for harmless words that contain a known value in base64."""
        seeker = MultiSearch()
        for word, held in self._sieve.held.items():
            if self.known.hidden(held):
                seeker.add(word)
        return seeker

    def _known_in(self, line: bytes) -> list[Secret]:
        """Return the known values that may occur in a line: for base64 payloads, all of them."""
        if b'"b64"' in line:
            return list(self.known)
        return self.known.hidden(line) if b"\\u" in line else self.known.within(line)

    def _lines(self) -> Iterator[tuple[list[bytes], bool]]:
        """Yield blocks of lines, up to the file's initial size, and whether their lines are complete."""
        size = self._size

        def read(place: int, length: int) -> bytes:
            return read_at(self._fd, place, max(0, min(length, size - place)))

        for block in blocks(read, most=_LINES):
            yield block.lines, block.whole
            self._tell(self._behind + block.end, _PASSES * size)
        self._behind += size


class _Sifted(NamedTuple):
    """Result of the first pass for a block."""

    checksum: int
    checked: tuple[int, ...]
    """Indexes of the lines that may have a secret."""


class _Streams:
    """Streams of consecutive lines in a capture: server output other than messages, and log messages."""

    def __init__(self, known: KnownSecrets) -> None:
        self._known = known
        self._streams: dict[tuple[str, str], LineSecrets] = {}

    def feed(self, place: Place, line: bytes) -> list[Piece]:
        """Process the next line of the file. Return the secret pieces that it completes, if it belongs to a stream."""
        found = _stream_line(line)
        if found is None:
            return []
        stream, text = found
        if stream not in self._streams:
            self._streams[stream] = LineSecrets(self._known)
        pieces = self._streams[stream].feed(place, text)
        return [each for each in pieces if len(each.value) >= 4] if stream[1] == "log" else pieces


def _stream_line(line: bytes) -> tuple[tuple[str, str], str] | None:
    """Return the stream of a record and its text; None if it belongs to none."""
    is_log = b"notifications/message" in line
    if not is_log and b'"err"' not in line[:80] and _NOT_JSON.match(line) is None:
        return None
    try:
        record = from_line(line)
    except ValueError:
        return None
    if not isinstance(record, StderrRecord | FrameRecord):
        return None
    raw = record.raw if record.raw is not None else (record.b64 or b"").decode("utf-8", "surrogateescape")
    if isinstance(record, StderrRecord):
        return (record.c, "err"), raw
    if not is_log:
        return (record.c, f"out {record.dir}"), raw
    message = logged(peek.at(peek.decoded(raw), "params", "data"))
    return None if message is None else ((record.c, "log"), message)


def _checksum(lines: list[bytes]) -> int:
    checksum = len(lines)
    for line in lines:
        checksum = zlib.crc32(line, checksum)
    return checksum


class _Writer:
    """Writes the records of the copy, with counts and a digest."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._digest = hashlib.sha256()
        self._counts: Counter[str] = Counter()

    def put(self, record: Record) -> None:
        line = to_line(record)
        self._digest.update(line)
        self._counts[str(record.__struct_config__.tag)] += 1
        self._write(line)

    def end(self) -> None:
        self._write(to_line(EndRecord(counts=dict(self._counts), sha256=self._digest.hexdigest())))


class _Copying:
    """One pass over the lines."""

    def __init__(self, redactor: Redactor, writer: _Writer, shared: ShareResult) -> None:
        self._redactor = redactor
        self._copyist = RecordRedactor(redactor)
        self._writer = writer
        self._shared = shared

    def line(self, line: bytes, whole: bool) -> None:
        """Copy a record without secrets, followed by records of the replacements."""
        record = self._read(line, whole)
        if record is not None:
            self._record(record)

    def harmless(self, line: bytes, whole: bool) -> None:
        """Copy a record that has no secret."""
        record = self._read(line, whole)
        if not isinstance(record, Dated):
            if record is not None:
                self._record(record)
        elif self._has_payload(record):
            self._shared.entries += 1
            n = self._shared.entries
            self._writer.put(record if record.n == n else msgspec.structs.replace(record, n=n))

    def _read(self, line: bytes, whole: bool) -> Record | None:
        try:
            return from_line(line)
        except ValueError:
            kind = type_of(line)
            why = "partial" if not whole else "unreadable" if kind is None or kind in KNOWN else "unknown"
            self._shared.left_out[why] += 1
            return None

    def _has_payload(self, record: Dated) -> bool:
        if getattr(record, "raw", "") is None and getattr(record, "b64", None) is None:
            self._shared.left_out["no payload"] += 1
            return False
        return True

    def _record(self, record: Record) -> None:
        match record:
            case Head():
                self._put(self._copyist.head(record), 0)
            case SumRecord() | EndRecord():
                pass  # a digest of the original would allow guessing the secrets by anyone who knows the rest
            case GapRecord():
                self._put(self._copyist.gap(record), 0)
            case EditRecord():
                self._put(self._copyist.edit(record), record.of)
            case RuleRecord():
                self._put(self._copyist.rule(record), 0)
            case RedactRecord():
                self._writer.put(record)
            case _:
                if self._has_payload(record):
                    self._shared.entries += 1
                    self._put(self._copyist.dated(record, self._shared.entries), self._shared.entries)

    def _put(self, record: Record, n: int) -> None:
        self._writer.put(record)
        found = self._redactor.found
        self._redactor.forget()
        for each in found:
            path = self._redactor.text(each.path[:200], "")
            self._writer.put(
                RedactRecord(rule=each.rule, n=n, path=path, len=each.length, kh=each.mark, kind=each.kind)
            )
            self._count(each.rule, path, n, each.mark)
        self._redactor.forget()

    def _count(self, rule: str, path: str, n: int, mark: str) -> None:
        place = ".".join("*" if step.isdigit() else step for step in path.split("."))
        shared = self._shared
        shared.replaced += 1
        if (rule, place) not in shared.taken and len(shared.taken) >= 1000:
            place = "elsewhere"
        taken = shared.taken.setdefault((rule, place), ReplacementKind(rule, place))
        taken.count += 1
        if len(taken.values) < 500:
            taken.values.add(mark)
        if len(taken.entries) < _TOLD and n not in taken.entries:
            taken.entries.append(n)


# Notes of the copy


def copied_notes(path: Path, capture_id: str, redactor: Redactor) -> Notes:
    """Return the notes beside a capture without secrets. Problems with their file are in `trouble`."""
    notes = NotesFile(path, capture_id).read()
    text = redactor.text
    marks = {n: msgspec.structs.replace(mark, text=text(mark.text, "notes")) for n, mark in notes.marks.items()}
    views = tuple(
        msgspec.structs.replace(
            view,
            name=text(view.name, "notes"),
            filter=text(view.filter, "notes"),
            columns=tuple(text(column, "notes") for column in view.columns),
        )
        for view in notes.views
    )
    return Notes(marks, views, notes.reference, text(notes.remark, "notes"), (), notes.trouble, notes.foreign)


def keep_notes(notes: Notes, out: Path, capture_id: str) -> None:
    """Write notes beside a copy, replacing existing ones. Raises: UsageError."""
    NotesFile(out, capture_id).change(lambda _: notes)
