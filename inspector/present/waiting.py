"""Who waits for whom while something has been in flight for long: a request, a server request, the user.

And the known facts about the other side: whether it is alive, how busy it is, how long it has been silent, and its
last message. Nothing is guessed here: that a package is still being installed is derived from the running processes.
"""

import time
from collections.abc import Sequence
from pathlib import PurePath

import msgspec

from inspector import text
from inspector.capture.journal import Journal
from inspector.capture.store.columns import EntryKind
from inspector.present import spans as signs
from inspector.present import words
from inspector.present.spans import Line, Span, span
from inspector.protocol.exchanges import Exchange
from inspector.protocol.facts import Awaited, ProcessEvent, ProcessFact
from inspector.protocol.frames import Direction
from inspector.protocol.server_requests import ServerRequest
from inspector.transports.children import Process, processes_of

_Seen = tuple[tuple[Process, ...], float | None, tuple[Awaited, ...]]
PATIENCE_NS = 2_000_000_000
"""Time in flight after which a wait is shown."""
_LOOKED_BACK = 3000
"""Maximum number of newest entries searched for the server's last sign of life."""
_INSTALLERS = frozenset(("npx", "npm", "pnpm", "pnpx", "yarn", "bunx", "uvx", "uv", "pipx"))
_HELPERS = _INSTALLERS | {"bun", "pip", "git", "tar", "node-gyp", "cmake"}
_BUSY, _WORKING, _IDLE = 0.5, 0.1, 0.02
"""Shares of one processor."""
_CANCELLED_BY_KEY = ("tools/call", "resources/read", "prompts/get")
_SERVER: Line = (("waiting for ", "muted"), ("the server", "from_server"))
_SILENT_NS = 5_000_000_000
"""Time without a byte on stdout after which there is advice."""
_OPTION = "If it stays silent, check that it serves stdio: some servers need an option such as --stdio."
_RUNTIMES = {
    "python": "If it stays silent, try python -u or print(…, flush=True): Python holds back output into a pipe.",
    **dict.fromkeys(("node", "bun", "deno"), _OPTION),
}
"""What to try about a process that runs and writes nothing to stdout, by the beginning of its program's name."""
_OTHER = "If it stays silent, try stdbuf -oL COMMAND, or flush stdout after each message."
_LOOK_S = 1.0
"""Minimum time between two polls of the child's processes, in seconds."""


class WaitingRequest(msgspec.Struct, frozen=True):
    server_request: ServerRequest
    of_model: bool = False
    """Whether the response is requested from a model rather than from the user."""


class WaitView(msgspec.Struct, frozen=True):
    """Input of `wait_of`."""

    now_ns: int
    connecting: bool = False
    asked: tuple[WaitingRequest, ...] = ()
    """Oldest first."""
    running: tuple[Process, ...] = ()
    """The child and its subprocesses; () if unknown."""
    busy: float | None = None
    """Their current share of one processor; None if unknown."""
    awaits: tuple[Awaited, ...] = ()
    """Connections over which they may wait for something, the likeliest first; () if unknown."""


class WaitLine(msgspec.Struct, frozen=True):
    """The text about a wait."""

    chain: Line
    """Who waits for whom."""
    known: Line = ()
    """Known facts about the other side."""
    actions: tuple[str, ...] = ()
    """Ids of actions that may help."""
    advice: str = ""
    """What to try, as one sentence; "" if nothing is known that may help."""


def wait_of(journal: Journal, seen: WaitView) -> WaitLine | None:
    """Return the wait to show: for the user, else the one longest in flight; None if there is no long one."""
    asked = next((each for each in seen.asked if seen.now_ns - each.server_request.asked_ns >= PATIENCE_NS), None)
    if asked is not None:
        return _on_an_answer(journal, asked, seen)
    if seen.connecting:
        return _on_the_opening(journal, seen) if seen.now_ns - journal.started_ns >= PATIENCE_NS else None
    ours = [each for each in _ours(journal) if seen.now_ns - each.started_ns >= PATIENCE_NS]
    if not ours:
        return None
    more: Line = ((f"  (+{len(ours) - 1} more)", "muted"),) if len(ours) > 1 else ()
    chain = (*_head(_call(ours[0], seen.now_ns)), *_then(*_SERVER), *more)
    actions = ("request.cancel",) if ours[0].method in _CANCELLED_BY_KEY else ("reconnect",)
    return WaitLine(chain, _known(journal, ours[0], seen), actions, _advice(journal, ours[0].started_ns, seen))


def _ours(journal: Journal) -> list[Exchange]:
    pending = journal.conversation.pairs.oldest_open(Direction.TO_SERVER)
    return [each for each in pending if not words.is_stream(each)]


def _head(call: Line) -> Line:
    return ((f"{signs.PENDING} ", "pending"), *call)


def _then(*part: Span) -> Line:
    return ((f" {signs.NOTE} ", "faint"), *part)


def _call(exchange: Exchange, now_ns: int) -> Line:
    target: Line = ((" ", "text"), span(exchange.target, "target", limit=60)) if exchange.target else ()
    return (span(exchange.method, "method", limit=60), *target, (f" {_age(exchange.started_ns, now_ns)}", "pending"))


def _age(since_ns: int, now_ns: int) -> str:
    return words.text_of(now_ns - since_ns)


def _on_an_answer(journal: Journal, asked: WaitingRequest, seen: WaitView) -> WaitLine:
    server_request, exchanges = asked.server_request, journal.conversation.exchanges
    cause = (
        exchanges[server_request.cause - 1] if server_request.cause and server_request.cause <= len(exchanges) else None
    )
    own = exchanges[server_request.exchange - 1] if 0 < server_request.exchange <= len(exchanges) else None
    if cause is None and own is not None and own.sender is Direction.TO_SERVER:
        cause = own
    whom: Span = ("the model", "accent") if asked.of_model else ("you", "warning")
    age: Span = (f" {_age(server_request.asked_ns, seen.now_ns)}", "pending")
    name = str(server_request.kind) if cause else f"{server_request.kind} request"
    waits: Line = ((name, "strong"), (" waits for ", "muted"), whom, age)
    gone = cause is not None and cause is not own and not cause.is_open
    ended: Line = _then(span(f"{cause.method} {cause.target} no longer waits", "muted", limit=120)) if cause else ()
    chain = _head((*waits, *ended) if gone or not cause else (*_call(cause, seen.now_ns), *_then(*waits)))
    # While it waits for the user, the keys are on the line about the request.
    return WaitLine(chain, (), ("screen.inbox",)) if asked.of_model else WaitLine(chain)


def _on_the_opening(journal: Journal, seen: WaitView) -> WaitLine:
    age = _age(journal.started_ns, seen.now_ns)
    head: Line = ((f"{signs.PENDING} connecting ", "pending"), (age, "pending"))
    installer = installing(journal.connection.argv if journal.connection else (), seen.running)
    if installer and not _has_spoken(journal):
        awaited = _awaited(None, seen)
        known: Line = (
            (_running(seen.running[-1]), "muted"),
            *(_then(*awaited) if awaited else ()),
            *_last_words(journal),
        )
        return WaitLine((*head, *_then((f"{installer} is still installing", "warning"))), known, ("reconnect",))
    ours = _ours(journal)
    newest = ours[-1] if ours else None
    what: Line = (("no response to ", "muted"), *_call(newest, seen.now_ns)) if newest else _SERVER
    advice = _advice(journal, journal.started_ns, seen)
    return WaitLine((*head, *_then(*what)), _known(journal, newest, seen), ("reconnect",), advice)


def _advice(journal: Journal, since_ns: int, seen: WaitView) -> str:
    """Return what to try about a process that is alive, not busy, and has not written anything to stdout."""
    pid, argv = child_pid(journal), journal.connection.argv if journal.connection else ()
    is_silent = seen.now_ns - since_ns >= _SILENT_NS and not _has_spoken(journal)
    is_working = (seen.busy or 0.0) >= _WORKING  # on a busy machine no start gets more
    if not pid or not is_silent or is_working or _awaited(None, seen):
        return ""
    commands = [each.argv or (each.name,) for each in seen.running] or [argv]
    for command in filter(None, reversed(commands)):
        kind = next((kind for kind in _RUNTIMES if PurePath(command[0]).name.startswith(kind)), "")
        if kind:
            return _OPTION if "-u" in command[1:] else _RUNTIMES[kind]
    return _OTHER


def installing(argv: Sequence[str], running: Sequence[Process]) -> str:
    """Return the package runner that starts a server, while only it and its helpers run; "" otherwise."""
    program = PurePath(argv[0]).name if argv else ""
    if program not in _INSTALLERS or not running or not all(_is_helper(each) for each in running):
        return ""
    return program


def _is_helper(process: Process) -> bool:
    words = [process.name, *process.argv[:3]]  # npm puts all of "npm exec @x/y" into argv[0]
    names = {PurePath(word.partition(" ")[0]).name.removesuffix(".js").removesuffix("-cli") for word in words}
    return bool(names & _HELPERS)


def _running(process: Process) -> str:
    return "running: " + text.visible(" ".join(process.argv) or process.name, limit=80)


def _has_spoken(journal: Journal) -> bool:
    """Whether there is a message, or another line on stdout; True if there are too many entries to know."""
    if journal.count > _LOOKED_BACK:
        return True
    return any(journal.store.direction(n) is Direction.FROM_SERVER for n in range(1, journal.count + 1))


def _known(journal: Journal, exchange: Exchange | None, seen: WaitView) -> Line:
    """Return whether the server is alive and busy, for whom it waits, how long it is silent, and its last message."""
    parts = [
        _life(journal, seen),
        _awaited(exchange, seen),
        _http(journal, exchange),
        _silence(journal, exchange, seen.now_ns),
    ]
    line: Line = ()
    for part in parts:
        if part:
            line += ((f" {signs.NOTE} ", "faint"), *part) if line else part
    return line


def _life(journal: Journal, seen: WaitView) -> Line:
    facts = (each.what for each in reversed(journal.processes) if isinstance(each.what, ProcessFact))
    child = next((each for each in facts if each.event is not ProcessEvent.STALL), None)  # over HTTP we know no more
    if child is None:
        return ()
    if child.event is ProcessEvent.EXIT:
        return (("the server has ended", "error"),)
    does = "" if seen.busy is None else _does(seen.busy)
    name = text.visible(seen.running[-1].name, limit=20) + ", " if seen.running else ""
    return (("alive", "ok"), (f" ({name}pid {child.pid}){does}", "muted"))


def _does(busy: float) -> str:
    if busy >= _BUSY:
        return f", busy: {100 * busy:.0f} % of a processor"
    return ", idle" if busy <= _IDLE else f", {100 * busy:.0f} % of a processor"


def _awaited(exchange: Exchange | None, seen: WaitView) -> Line:
    """Return the connection that may explain the wait."""
    waited_s = (seen.now_ns - exchange.started_ns + PATIENCE_NS) / 1e9 if exchange is not None else float("inf")
    awaited = next((each for each in seen.awaits if not each.answered and each.may_explain(waited_s)), None)
    if awaited is None:
        return ()
    ages = f" {words.text_of(int(awaited.silent_s * 1e9))}" if awaited.silent_s else ""
    return (("waits for ", "muted"), span(awaited.address, "warning", limit=60), (ages, "warning"))


def _http(journal: Journal, exchange: Exchange | None) -> Line:
    found = journal.http_exchanges.get(exchange.http) if exchange is not None and exchange.http is not None else None
    if found is None:
        return ()
    response = found.response
    if response is None:
        return (("no response yet", "warning"),)
    kinds = [value for key, value in response.headers if key.lower() == "content-type"]
    stream = "stream" if any("event-stream" in kind for kind in kinds) else "response"
    return ((f"{stream} {'ended' if found.end is not None else 'open'} ({response.status})", "muted"),)


def _silence(journal: Journal, exchange: Exchange | None, now_ns: int) -> Line:
    n = last_sign(journal)
    progress = exchange.progress if exchange is not None else None
    if not _has_spoken(journal) and journal.connection is not None and journal.connection.transport == "stdio":
        return (("nothing on stdout yet", "warning"), *_last_words(journal))
    if not n:
        return (("has sent nothing yet", "warning"), *_last_words(journal))
    silent: Span = (f"silent for {_age(journal.store.time_ns(n), now_ns)}", "warning")
    if progress is not None:
        return (silent, (f", progress {words.progress_words(progress)}", "accent"))
    no_progress = ", no progress reported" if exchange is not None and exchange.progress_token is not None else ""
    return (silent, (f", last: {_summary(journal, n)}{no_progress}", "muted"))


def last_sign(journal: Journal) -> int:
    """Return the newest entry from the server: a message, a line of stderr, an SSE event; 0 if there is none."""
    store = journal.store
    for n in range(store.count, max(0, store.count - _LOOKED_BACK), -1):
        if store.direction(n) is Direction.FROM_SERVER or store.kind(n) in (EntryKind.STDERR, EntryKind.SSE):
            return n
    return 0


def _summary(journal: Journal, n: int) -> str:
    """Summarize an entry."""
    store = journal.store
    if store.kind(n) is EntryKind.STDERR:
        line = journal.stderr_tail[-1] if journal.stderr_tail else b""
        return f"stderr {text.visible(_words(line), limit=60)}".rstrip()
    if store.kind(n) is EntryKind.SSE:
        return "an event without a message"
    number, exchanges = store.exchange(n), journal.conversation.exchanges
    method = store.method(n) or (exchanges[number - 1].method if 0 < number <= len(exchanges) else "")
    named = method if store.method(n) else f"response to {method}" if method else "not a message"
    return f"{text.visible(named, limit=40)}, {text.human_size(store.size(n))}"


def _last_words(journal: Journal) -> Line:
    """Return the newest non-empty line of stderr."""
    line = next((each for each in reversed(list(journal.stderr_tail)) if each.strip()), None)
    return ((f" {signs.NOTE} stderr: ", "faint"), span(_words(line), "stderr", limit=120)) if line else ()


def _words(line: bytes) -> str:
    """Return the beginning of a line without the columns of a log: spaces in a row are one."""
    return " ".join(text.decode(line[:300]).split())


# The processes of a server


def child_pid(journal: Journal) -> int:
    """Return the pid of the process started last if it runs, otherwise 0."""
    for entry in reversed(journal.processes):
        what = entry.what
        if isinstance(what, ProcessFact) and what.event in (ProcessEvent.SPAWN, ProcessEvent.EXIT):
            return what.pid if what.event is ProcessEvent.SPAWN else 0
    return 0


class Programs:
    """The processes below a child, their CPU usage, and for whom they wait."""

    def __init__(self) -> None:
        self._at = 0.0
        self._cpu_s = 0.0
        self._pid = 0
        self._seen: _Seen = ((), None, ())

    def forget(self) -> None:
        """Reset, so that the next poll is the first."""
        self._at, self._seen = 0.0, ((), None, ())

    def of(self, pid: int) -> _Seen:
        """Return the processes, their share of one processor, and what they wait for; cached for a short time."""
        now = time.monotonic()
        if not pid:
            return (), None, ()
        if pid == self._pid and self._at and now - self._at < _LOOK_S:
            return self._seen
        from inspector.transports.sockets import awaited_by  # only long waits need it

        running = processes_of(pid)
        cpu_s = sum(each.cpu_s for each in running)
        known = bool(self._at) and pid == self._pid and bool(running)
        busy = max(0.0, cpu_s - self._cpu_s) / (now - self._at) if known else None
        self._pid, self._at, self._cpu_s = pid, now, cpu_s
        self._seen = running, busy, awaited_by(running)
        return self._seen
