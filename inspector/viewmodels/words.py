"""What became of an exchange, and what happened beside the frames, in words: the same ones on every panel."""

from typing import Any, assert_never

from inspector.protocol.exchanges import Exchange, ExchangeState, Progress
from inspector.protocol.facts import (
    ConnectionEvent,
    ConnectionFact,
    Fact,
    HttpEvent,
    HttpFact,
    ProcessEvent,
    ProcessFact,
    SseNote,
    Stderr,
    exit_words,
)
from inspector.protocol.frames import Direction
from inspector.protocol.questions import KIND_OF_METHOD
from inspector.protocol.tracking.progress import progress_in
from inspector.protocol.tracking.subscriptions import LISTEN
from inspector.viewmodels import signs, text
from inspector.viewmodels.roles import Span

TRANSPORTS = {"stdio": "stdio", "http": "Streamable HTTP", "sse": "HTTP+SSE", "memory": "memory"}
"""What a person calls a transport."""


def status(exchange: Exchange, *, live: bool) -> Span:
    """What became of it, in at most 15 cells. `live` False: nobody waits any more for what is pending."""
    match exchange.state:
        case ExchangeState.PENDING if live and waits_for_the_person(exchange):
            return f"{signs.EVENT} waits you", "warning"
        case ExchangeState.PENDING if is_stream(exchange):
            return (f"{signs.CONNECTED} listening", "accent") if live else (f"{signs.DISCONNECTED} not ended", "muted")
        case ExchangeState.PENDING:
            return (f"{signs.PENDING} pending", "pending") if live else (f"{signs.PENDING} no answer", "warning")
        case ExchangeState.ANSWERED if exchange.asks:
            return (f"{signs.EVENT} asked", "muted") if exchange.retried else (f"{signs.EVENT} asks", "warning")
        case ExchangeState.ANSWERED if exchange.why and not exchange.tool_error:
            return f"{signs.ERROR} incomplete", "error"
        case ExchangeState.ANSWERED:
            return (f"{signs.ERROR} tool error", "error") if exchange.tool_error else (f"{signs.OK} ok", "ok")
        case ExchangeState.ERROR:
            code = "" if exchange.error_code is None else f" {exchange.error_code}"
            if exchange.probe:  # it asks what servers of the older era refuse, and nothing is wrong with that
                return f"refused{code}", "muted"
            return f"{signs.ERROR} error{code}", "error"
        case ExchangeState.CANCELLED | ExchangeState.LOST if exchange.probe and exchange.method == "server/discover":
            return "no answer", "muted"  # the same holds for servers that keep silent, or exit
        case ExchangeState.CANCELLED:
            return f"{signs.TIMES} cancelled", "warning"
        case ExchangeState.LATE:
            return f"{signs.WARNING} late", "warning"
        case ExchangeState.LOST:
            return f"{signs.ERROR} lost", "error"
        case _:
            assert_never(exchange.state)


def is_stream(exchange: Exchange) -> bool:
    """Whether it is a request that stays open for as long as all goes well: nobody waits for its answer."""
    return exchange.method == LISTEN


def waits_for_the_person(exchange: Exchange) -> bool:
    """Whether it is a question of the server's that nobody has answered yet."""
    asks = exchange.sender is Direction.FROM_SERVER and exchange.method in KIND_OF_METHOD
    return asks and exchange.is_open


def progress_words(progress: Progress) -> str:
    """How far a request is, as the server put it: "40 %", "3 of 10", "7", with its message."""
    words = amount(progress)
    return f"{words} {text.visible(progress.message, limit=500)}" if progress.message else words


def amount(progress: Progress) -> str:
    """How much of how much: "40 %", "3 of 10", "7", or what stands in the place of a number. Safe to show."""
    done, total = text.visible(progress.raw) or _number(progress.progress), progress.total
    if total is None or progress.raw:
        return done
    if total in (1.0, 100.0) and 0 <= progress.progress <= total:
        return f"{100 * progress.progress / total:.0f} %"
    return f"{done} of {_number(total)}"


def progress_of(params: Any) -> Progress:
    """What one notification says of the progress."""
    return progress_in(params)


def _number(value: float) -> str:
    return f"{value:.10g}"


def sentence(fact: Fact) -> Span:
    """Say what happened, in one line that is safe to show."""
    match fact:
        case Stderr():
            return text.visible(text.decode(fact.payload[:4000]), limit=1000), "stderr"
        case ConnectionFact():
            return _connection(fact)
        case ProcessFact():
            return _process(fact)
        case HttpFact():
            return _http(fact)
        case SseNote():
            return _sse(fact)
        case _:
            assert_never(fact)


def _connection(fact: ConnectionFact) -> Span:
    name = TRANSPORTS.get(fact.transport) or text.visible(fact.transport, limit=40)
    why = text.visible(fact.why, limit=500)
    match fact.event:
        case ConnectionEvent.OPEN:
            target = _masked(fact.url) if fact.url else command_line(fact.argv)
            if fact.insecure:
                return f"{name} opened without looking at certificates: {target}", "warning"
            return f"{name} opened{': ' if target else ''}{target}", "event"
        case ConnectionEvent.RENEW if fact.transport == "stdio":
            return f"{name} started again{': ' if why else ''}{why}", "warning"
        case ConnectionEvent.RENEW:
            return f"{name} session lost{': ' if why else ''}{why}", "warning"
        case ConnectionEvent.CLOSE:
            return f"{name} closed{': ' if why else ''}{why}", "warning" if why else "event"
        case ConnectionEvent.ABORT:
            return f"{name} broke off{': ' if why else ''}{why}", "error"
        case _:
            assert_never(fact.event)


def command_line(argv: tuple[str, ...]) -> str:
    """Return an argv on one line, safe to show and without what gives access; blanks and quotes are quoted."""
    from inspector.protocol.credentials import command_without_credentials  # see `_masked`

    return " ".join(_quoted(text.visible(argument, limit=500)) for argument in command_without_credentials(argv))


def _quoted(argument: str) -> str:
    if argument and not any(char in " \t'\"\\$`&|;<>()*?#~" for char in argument):
        return argument
    return "'" + argument.replace("'", "'\\''") + "'"


def _process(fact: ProcessFact) -> Span:
    match fact.event:
        case ProcessEvent.SPAWN:
            return f"process {fact.pid} started", "event"
        case ProcessEvent.EXIT:
            return f"process {fact.pid} {ending(fact)}", "event" if fact.code == 0 else "warning"
        case ProcessEvent.SIGNAL:
            return f"{text.visible(fact.signal, limit=20)} sent to process group {fact.pid}", "warning"
        case ProcessEvent.STDIN_EOF:
            return "stdin closed", "event"
        case ProcessEvent.STDOUT_EOF:
            return "stdout ended", "event"
        case ProcessEvent.STDERR_EOF:
            return "stderr ended", "event"
        case _:
            assert_never(fact.event)


def ending(fact: ProcessFact) -> str:
    """How a process ended: "exited with code 1", "was ended by SIGKILL"."""
    if fact.signal:
        return f"was ended by {text.visible(fact.signal, limit=20)}"
    return "ended" if fact.code is None else exit_words(fact.code)


def _http(fact: HttpFact) -> Span:
    head = f"http {fact.http} "
    match fact.event:
        case HttpEvent.REQUEST:
            return head + f"{text.visible(fact.method, limit=20)} {_masked(fact.target)}", "event"
        case HttpEvent.RESPONSE:
            reason = text.visible(fact.reason, limit=80)
            return head + f"{fact.status} {reason}".rstrip(), "event" if fact.status < 400 else "warning"
        case HttpEvent.END:
            size = "" if fact.body_bytes is None else f", {text.human_size(fact.body_bytes)}"
            why = text.visible(fact.why, limit=500)
            return head + f"ended{size}{': ' if why else ''}{why}", "warning" if why else "event"
        case HttpEvent.ERROR:
            return head + f"failed: {text.visible(fact.why, limit=500)}", "error"
        case _:
            assert_never(fact.event)


def _sse(fact: SseNote) -> Span:
    raw = text.visible(text.decode(fact.raw[:2000]), limit=500)
    return f"http {fact.http} event without a message: {raw}", "event"


def _masked(url: str) -> str:
    from inspector.viewmodels.secrets import masked_url  # whoever starts a server has no use for its patterns

    return masked_url(url)
