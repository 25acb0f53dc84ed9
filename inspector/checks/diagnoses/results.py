"""Diagnoses of results: too large, with secrets, or too slow."""

from collections.abc import Iterator

from inspector.checks.findings import Confidence, Severity
from inspector.checks.foreign_text import secret_in
from inspector.checks.learning import LARGE
from inspector.checks.registry import Flaw, diagnosis
from inspector.checks.state import CheckMoment
from inspector.protocol import peek
from inspector.protocol.jsonrpc import Answer

_WARNING, _HINT = Severity.WARNING, Severity.HINT
_LIKELY = Confidence.LIKELY
_CHARACTERS_PER_TOKEN = 4
_MOST_TOKENS = 25_000
"""About 100,000 characters: a hundred pages of a model's context for one result."""
_LARGE_IMAGE = 1 << 20
_LOOKED_AT = 256 * 1024
"""Bytes of a result in which secrets are looked for."""


@diagnosis(
    "result-too-long",
    _WARNING,
    "a result that is too long for a model",
    "answer tools/call",
    topic="",
    confidence=_LIKELY,
    fix="Give pages, a summary, or a link to a resource.",
    needs=LARGE,
)
def result_fits_a_model(case: CheckMoment) -> Iterator[Flaw]:
    """By the length of its text; a token is about four characters."""
    if case.frame is None or len(case.frame.payload) < _MOST_TOKENS * _CHARACTERS_PER_TOKEN:
        return
    text = sum(len(peek.text(block, "text") or "") for block in peek.items(case.value, "content"))
    if (tokens := text // _CHARACTERS_PER_TOKEN) > _MOST_TOKENS:
        said = f"the result has about {tokens:,} tokens (estimated)"
        yield Flaw(said, "/result/content", frames=(case.asked.frame,) if case.asked else ())


@diagnosis(
    "image-too-large",
    _WARNING,
    "a large picture",
    "answer tools/call",
    topic="",
    fix="Make it smaller, or give a link to a resource.",
    needs=LARGE,
)
def pictures_are_small(case: CheckMoment) -> Iterator[Flaw]:
    """More than 1 MiB, decoded."""
    if case.frame is None or len(case.frame.payload) < _LARGE_IMAGE:
        return
    for at, block in enumerate(peek.items(case.value, "content")):
        size = len(peek.text(block, "data") or "") * 3 // 4
        if peek.text(block, "type") == "image" and size > _LARGE_IMAGE:
            yield Flaw(f"a picture of {size / (1 << 20):.1f} MiB", f"/result/content/{at}/data")


_FLOOD = 1_000_000


@diagnosis(
    "stderr-flood",
    _HINT,
    "a flood on stderr",
    "end",
    topic="stdio",
    fix="Write less, or at a level that can be chosen.",
)
def stderr_is_no_flood(case: CheckMoment) -> Iterator[Flaw]:
    """More than a megabyte in a second. Legal: “The server MAY write UTF-8 strings to its stderr for any purpose.”"""
    n, most = case.state.process.flood
    if most > _FLOOD:
        yield Flaw(f"{most / 1e6:.1f} MB on stderr within a second", frames=(n,), instead=True)


_LONG_NS = 2_000_000_000


@diagnosis(
    "call-timed-out",
    _WARNING,
    "a call that was given up",
    "end",
    topic="basic/utilities/cancellation",
    confidence=_LIKELY,
    fix="Answer sooner, or tell of progress: that keeps clients waiting. --timeout waits longer.",
)
def calls_are_answered(case: CheckMoment) -> Iterator[Flaw]:
    """Taken back by the client after seconds without an answer; whether progress had come says which clock it was."""
    state = case.state
    for asked in state.requests.done.values():
        if asked.cancelled is None or asked.answered is not None or asked.method == "subscriptions/listen":
            continue
        waited = asked.cancelled_ns - asked.time_ns
        if waited < _LONG_NS:
            continue
        telling = state.requests.progress.get(asked.token) if asked.token is not None else None
        progress = bool(telling and telling.asked.frame == asked.frame and telling.frame)
        clock = "although progress came: it took too long in all" if progress else "and no progress came meanwhile"
        said = f"{asked.method[:60]} was given up after {waited / 1e9:.0f} s, {clock}"
        yield Flaw(said, frames=(asked.frame, asked.cancelled), instead=True)


@diagnosis(
    "secret-in-result",
    _WARNING,
    "a secret in a result",
    "answer tools/call",
    "answer resources/read",
    "answer prompts/get",
    topic="",
    confidence=_LIKELY,
    fix="Leave it out: what a tool returns goes to the model and its provider.",
)
def results_hold_no_secrets(case: CheckMoment) -> Iterator[Flaw]:
    """By the shapes that well-known tokens have. It says where, and never repeats them.

    Looked at is the message, not its frame: that of a batch has thousands.
    """
    if isinstance(case.message, Answer) and (name := secret_in(case.message.result_part.raw[:_LOOKED_AT])):
        yield Flaw(f"the result of {case.method[:60]} holds what looks like {name}", "/result")
