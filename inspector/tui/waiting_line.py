"""Who waits for whom while something has been in flight for long: a request, a server request, the user.

And the known facts about the other side: whether it is alive, how busy it is, how long it has been silent, and its
last message. Nothing is guessed here: that a package is still being installed is derived from the running processes.
"""

from collections.abc import Sequence
from pathlib import PurePath

import msgspec

from inspector import text
from inspector.capture.journal import Journal
from inspector.capture.store.columns import EntryKind
from inspector.present import spans as signs
from inspector.present import words
from inspector.present.spans import Line, Role, Span, span
from inspector.protocol.exchanges import Exchange
from inspector.protocol.facts import ProcessEvent, ProcessFact
from inspector.protocol.frames import Direction
from inspector.protocol.server_requests import ServerRequest
from inspector.text import one_line
from inspector.transports.children import Process

PATIENCE_NS = 2_000_000_000
"""Time in flight after which a wait is shown."""
_LOOKED_BACK = 3000
"""Maximum number of newest entries searched for the server's last sign of life."""
_INSTALLERS = frozenset(("npx", "npm", "pnpm", "pnpx", "yarn", "bunx", "uvx", "uv", "pipx"))
_HELPERS = _INSTALLERS | {"bun", "pip", "git", "tar", "node-gyp", "cmake"}
_BUSY, _IDLE = 0.5, 0.02
"""Shares of one processor."""
_CANCELLED_BY_KEY = ("tools/call", "resources/read", "prompts/get")


class WaitingRequest(msgspec.Struct, frozen=True):
    """A waiting server request."""

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


class WaitLine(msgspec.Struct, frozen=True):
    """The text about a wait."""

    chain: Line
    """Who waits for whom."""
    known: Line = ()
    """Known facts about the other side."""
    actions: tuple[str, ...] = ()
    """Ids of actions that may help."""


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
    return WaitLine(chain, _known(journal, ours[0], seen), actions)


def _ours(journal: Journal) -> list[Exchange]:
    pending = journal.conversation.pairs.oldest_open(Direction.TO_SERVER)
    return [each for each in pending if not words.is_stream(each)]


def _head(call: Line) -> Line:
    return ((f"{signs.PENDING} ", "pending"), *call)


def _then(*said: Span) -> Line:
    return ((f" {signs.NOTE} ", "faint"), *said)


_SERVER: Line = (("waiting for ", "muted"), ("the server", "from_server"))


def _call(exchange: Exchange, now_ns: int) -> Line:
    target: Line = ((" ", "text"), span(exchange.target, "target", limit=60)) if exchange.target else ()
    return (span(exchange.method, "method", limit=60), *target, (f" {_age(exchange.started_ns, now_ns)}", "pending"))


def _age(since_ns: int, now_ns: int) -> str:
    """Format whole seconds: tenths are irrelevant in a long wait."""
    seconds = max(0, now_ns - since_ns) // 1_000_000_000
    return f"{seconds} s" if seconds < 60 else f"{seconds // 60} min {seconds % 60} s"


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
    chain = _head((*_call(cause, seen.now_ns), *_then(*waits)) if cause else waits)
    # While it waits for the user, the keys are on the line about the request.
    return WaitLine(chain, (), ("screen.inbox",)) if asked.of_model else WaitLine(chain)


def _on_the_opening(journal: Journal, seen: WaitView) -> WaitLine:
    age = _age(journal.started_ns, seen.now_ns)
    head: Line = ((f"{signs.PENDING} connecting ", "pending"), (age, "pending"))
    installer = installing(journal.connection.argv if journal.connection else (), seen.running)
    if installer and not _has_spoken(journal):
        known: Line = ((_running(seen.running[-1]), "muted"), *_last_words(journal))
        return WaitLine((*head, *_then((f"{installer} is still installing", "warning"))), known, ("reconnect",))
    ours = _ours(journal)
    newest = ours[-1] if ours else None
    what: Line = (("no response to ", "muted"), *_call(newest, seen.now_ns)) if newest else _SERVER
    return WaitLine((*head, *_then(*what)), _known(journal, newest, seen), ("reconnect",))


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
    return any(journal.store.direction(n) is Direction.FROM_SERVER for n in range(1, min(journal.count, 200) + 1))


def _known(journal: Journal, exchange: Exchange | None, seen: WaitView) -> Line:
    """Return whether the server is alive and busy, how long it has been silent, and its last message."""
    parts = [_life(journal, seen), _http(journal, exchange), _silence(journal, exchange, seen.now_ns)]
    line: Line = ()
    for part in parts:
        if part:
            line += ((f" {signs.NOTE} ", "faint"), *part) if line else part
    return line


def _life(journal: Journal, seen: WaitView) -> Line:
    child = next((each.what for each in reversed(journal.processes) if isinstance(each.what, ProcessFact)), None)
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
    if not n:
        return (("has sent nothing yet", "warning"), *_last_words(journal))
    silent: Span = (f"silent for {_age(journal.store.time_ns(n), now_ns)}", "warning")
    if progress is not None:
        return (silent, (f", progress {words.progress_words(progress)}", "accent"))
    no_progress = ", no progress reported" if exchange is not None and exchange.progress_token is not None else ""
    return (silent, (f", last: {_said(journal, n)}{no_progress}", "muted"))


def last_sign(journal: Journal) -> int:
    """Return the newest entry from the server: a message, a line of stderr, an SSE event; 0 if there is none."""
    store = journal.store
    for n in range(store.count, max(0, store.count - _LOOKED_BACK), -1):
        if store.direction(n) is Direction.FROM_SERVER or store.kind(n) in (EntryKind.STDERR, EntryKind.SSE):
            return n
    return 0


def _said(journal: Journal, n: int) -> str:
    """Summarize an entry."""
    store = journal.store
    if store.kind(n) is EntryKind.STDERR:
        line = journal.stderr_tail[-1] if journal.stderr_tail else b""
        return f"stderr {text.visible(text.decode(line[:300]), limit=60)}".rstrip()
    if store.kind(n) is EntryKind.SSE:
        return "an event without a message"
    number, exchanges = store.exchange(n), journal.conversation.exchanges
    method = store.method(n) or (exchanges[number - 1].method if 0 < number <= len(exchanges) else "")
    named = method if store.method(n) else f"response to {method}" if method else "not a message"
    return f"{text.visible(named, limit=40)}, {text.human_size(store.size(n))}"


def _last_words(journal: Journal) -> Line:
    """Return the newest non-empty line of stderr."""
    line = next((each for each in reversed(list(journal.stderr_tail)) if each.strip()), None)
    return ((f" {signs.NOTE} stderr: ", "faint"), span(text.decode(line[:300]), "stderr", limit=120)) if line else ()


# --- Tabs of conversations: the name, the state, the failures, the waiting requests.

_WIDEST = 26


class TabState(msgspec.Struct, frozen=True):
    """Summary of one conversation."""

    name: str
    sign: Span
    """State; each has its own sign."""
    failed: int = 0
    """Number of failed exchanges: an error, a tool error, or no response."""
    waiting: int = 0
    """Number of server requests waiting for a response."""


def spans_of(state: TabState, *, here: bool) -> tuple[Span, ...]:
    """Return the label of a tab."""
    role: Role = "title" if here else "muted"
    spans: list[Span] = [(" ", "text"), state.sign, (f" {one_line(state.name, _WIDEST)}", role)]
    if state.waiting:
        spans.append((f" {signs.EVENT} {state.waiting}", "warning"))
    if state.failed:
        spans.append((f" {signs.ERROR} {state.failed:,}", "error"))
    return (*spans, (" ", "text"))
