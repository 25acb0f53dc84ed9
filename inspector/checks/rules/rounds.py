"""Rounds of questions: what a result that asks remembers, and how often it asks."""

import re
from base64 import urlsafe_b64decode
from binascii import Error as NotBase64
from collections.abc import Iterator
from typing import Any

import msgspec

from inspector.checks.findings import Confidence, Severity
from inspector.checks.learning import call_of, is_retry, requests_of
from inspector.checks.registry import LAST, Flaw, check
from inspector.checks.scene import Case, Rounds
from inspector.protocol import peek

_HINT = Severity.HINT
_TOPIC = "basic/patterns/mrtr"
_MOST_ROUNDS = 10
_SEAL = re.compile(r"(?i)^(sig|mac|hmac|signature|seal|tag|digest|jws|ciphertext|enc)")
_LOOKED_AT = 64 * 1024


@check(
    "I06",
    _HINT,
    "a state that whoever likes can change",
    "asking",
    topic=_TOPIC,
    since=5,
    confidence=Confidence.LIKELY,
    fix="Sign it, or keep the state and send a name for it.",
)
def state_is_sealed(case: Case) -> Iterator[Flaw]:
    """Clients send it back; a server that trusts what stands in it needs to know that it is its own."""
    state = peek.text(case.value, "requestState")
    if state and case.row == LAST and (found := _readable(state)) is not None:
        names = ", ".join(list(found)[:3])[:60]
        yield Flaw(f"requestState is readable JSON without a signature ({names})", "/result/requestState")


def _readable(state: str) -> dict[str, Any] | None:
    """The object that a state is, as it stands or as base64, unless a member of it looks like a seal."""
    raw = state[:_LOOKED_AT].encode("utf-8", "replace")
    for read in (bytes, _unpacked):
        try:
            found = msgspec.json.decode(read(raw))
        except (msgspec.DecodeError, UnicodeDecodeError, NotBase64, ValueError, RecursionError):
            continue
        if isinstance(found, dict) and found and not any(_SEAL.match(name) for name in found):
            return found
    return None


def _unpacked(raw: bytes) -> bytes:
    return urlsafe_b64decode(raw.rstrip(b"=") + b"=" * (-len(raw.rstrip(b"=")) % 4))


@check("I07", _HINT, "a call that asks again and again", "asking", topic=_TOPIC, since=5)
def asking_comes_to_an_end(case: Case) -> Iterator[Flaw]:
    """More rounds than clients go along with, or a question that was answered already."""
    asked = case.asked
    if case.row != LAST or asked is None or not is_retry(asked):
        return
    before: Rounds | None = case.scene.rounds.get(call_of(asked))
    if before is None:
        return
    if before.count == _MOST_ROUNDS:
        yield Flaw(f"{asked.method} asks for the {_MOST_ROUNDS + 1}th time", "/result", frames=(before.frame,))
    now = requests_of(case.value)
    for key, request in now.items():
        if request == before.requests.get(key) and _was_answered(asked.params, key):
            said = f"{key[:60]!r} is asked again, and was answered"
            yield Flaw(said, f"/result/inputRequests/{key[:60]}", frames=(before.frame, asked.frame))


def _was_answered(params: Any, key: str) -> bool:
    answer = peek.at(params, "inputResponses", key)
    return type(answer) is dict and answer.get("action") not in ("decline", "cancel")
