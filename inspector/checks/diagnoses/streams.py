"""What happens to streams on their way: held back, cut off when idle, compressed, ended too soon."""

from collections.abc import Iterator

import msgspec

from inspector.checks.diagnoses.http import kind_of, responded
from inspector.checks.findings import Confidence, Severity
from inspector.checks.registry import Flaw, check
from inspector.checks.scene import Case, HttpLife
from inspector.protocol.facts import CLOSED_HERE, GIVEN_UP_HERE, HttpEvent
from inspector.protocol.jsonrpc import Notification

_ERROR, _WARNING = Severity.ERROR, Severity.WARNING
_LIKELY, _GUESS = Confidence.LIKELY, Confidence.GUESS
_MOST = 1000
_TOGETHER_NS, _HELD_NS = 100_000_000, 2_000_000_000
_AT_LEAST = 3
"""Words of progress that have to come together before anybody can think that something held them back."""


class _Burst(msgspec.Struct):
    """What came on one stream, and when."""

    first_ns: int
    last_ns: int
    progress: int = 0
    frame: int = 0


@check(
    "H-13",
    _WARNING,
    "something holds events back",
    "frame",
    "http end",
    topic="http",
    confidence=_GUESS,
    fix="X-Accel-Buffering: no; proxy_buffering off; no compression of text/event-stream.",
)
def events_come_one_by_one(case: Case) -> Iterator[Flaw]:
    """Progress that was long under way arrives together with the answer."""
    frame, life = case.frame, case.life
    bursts: dict[int, _Burst] = case.scene.notes.setdefault("H-13", {})
    if frame is not None:
        if frame.sse is not None and frame.http is not None and len(bursts) < _MOST:
            burst = bursts.setdefault(frame.http, _Burst(frame.time_ns, frame.time_ns, 0, frame.n))
            burst.last_ns = frame.time_ns
            burst.progress += any(
                isinstance(each, Notification) and each.method == "notifications/progress" for each in case.value
            )
    elif case.fact is not None and life is not None and case.fact.http in bursts:
        burst = bursts.pop(case.fact.http)
        began = life.asked[0].time_ns if life.asked else burst.first_ns
        together = burst.last_ns - burst.first_ns < _TOGETHER_NS
        if burst.progress >= _AT_LEAST and together and burst.first_ns - began >= _HELD_NS:
            waited = (burst.first_ns - began) / 1e9
            said = f"{burst.progress} words of progress and more came together after {waited:.0f} s"
            proxy = _proxy(life)
            sure = _LIKELY if proxy else None
            yield Flaw(said + (f", by way of {proxy}" if proxy else ""), frames=(burst.frame,), confidence=sure)


def _proxy(life: HttpLife) -> str:
    """What says in the response's head that it came by way of a proxy."""
    if via := life.header("via"):
        return f"Via: {via[:40]}"
    if ray := life.header("cf-ray"):
        return f"CF-Ray: {ray[:40]}"
    server = life.header("server") or ""
    return server[:40] if any(each in server.lower() for each in ("nginx", "cloudflare", "envoy", "awselb")) else ""


_LIMITS = (30, 60, 100, 125, 240, 300)
"""Seconds: usual idle timeouts of proxies and load balancers."""


@check(
    "H-14",
    _WARNING,
    "a stream was cut while nothing came",
    "frame",
    "note",
    "http",
    "http end",
    topic="http",
    confidence=_GUESS,
    fix="Send a comment every 15 to 25 seconds, or raise the proxy's idle timeout.",
)
def streams_outlive_silence(case: Case) -> Iterator[Flaw]:
    """It ended by itself, after a silence of a length that proxies are known for."""
    heard: dict[int, int] = case.scene.notes.setdefault("H-14", {})
    life, fact = case.life, case.fact
    if fact is None or fact.event is HttpEvent.RESPONSE:
        number = case.frame.http if case.frame is not None else case.note.http if case.note is not None else None
        number = fact.http if fact is not None else number
        if number is not None and len(heard) < _MOST and life is not None and kind_of(life) == "text/event-stream":
            heard[number] = case.time_ns
        return
    last = heard.pop(fact.http, None)
    if last is None or fact.why in (CLOSED_HERE, GIVEN_UP_HERE) or life is None:
        return
    silent = (case.time_ns - last) / 1e9
    limit = next((each for each in _LIMITS if abs(silent - each) < 1.5), None)
    if limit is not None:
        times = case.scene.notes["H-14 times"] = case.scene.notes.get("H-14 times", 0) + 1
        said = f"the stream ended after {silent:.0f} s without an event: a usual idle timeout of proxies"
        yield Flaw(said, confidence=_LIKELY if times > 1 else None)


@check(
    "H-15",
    _ERROR,
    "a stream ended without the answer",
    "http end",
    topic="http",
    since=4,
    fix="Did it crash, or does something cut streams? See its log.",
)
def streams_end_with_the_answer(case: Case) -> Iterator[Flaw]:
    """And it can't be gone on with."""
    life, fact = case.life, case.fact
    if life is None or fact is None or fact.why in (CLOSED_HERE, GIVEN_UP_HERE) or life.response is None:
        return
    if kind_of(life) != "text/event-stream" or life.has_ids:
        return
    for asked in life.asked:
        if asked.answered is None and asked.cancelled is None and asked.method != "subscriptions/listen":
            yield Flaw(f"the stream ended before {asked.method[:60]} was answered", frames=(asked.frame,))


@check("H-16", _WARNING, "a compressed event stream", "http", topic="", fix="Do not compress text/event-stream.")
def streams_are_not_compressed(case: Case) -> Iterator[Flaw]:
    """Compression holds events back."""
    life = responded(case)
    encoding = life.header("content-encoding") if life is not None else None
    if life is not None and encoding not in (None, "", "identity") and kind_of(life) == "text/event-stream":
        yield Flaw(f"an event stream is compressed ({str(encoding)[:20]})")
