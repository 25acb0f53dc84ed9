"""Rules for `subscriptions/listen` and `input_required` results (2026-07-28)."""

import re
from base64 import urlsafe_b64decode
from binascii import Error as NotBase64
from collections.abc import Iterator
from typing import Any

import msgspec

from inspector.checks.findings import Confidence
from inspector.checks.registry import Violation, rules_of
from inspector.checks.state import PREFIX, CheckMoment, Rounds
from inspector.checks.state_updates import call_of, is_retry, listen_of, requests_of
from inspector.documents import UNDECODABLE
from inspector.protocol import peek
from inspector.protocol.facts import BY_CLIENT
from inspector.protocol.frames import Channel
from inspector.protocol.jsonrpc import RequestId, ResultResponse
from inspector.protocol.server_requests import MAY_ASK
from inspector.text import cut

_ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
_FIELDS = {
    "notifications/tools/list_changed": "toolsListChanged",
    "notifications/prompts/list_changed": "promptsListChanged",
    "notifications/resources/list_changed": "resourcesListChanged",
    "notifications/resources/updated": "resourceSubscriptions",
}
_PATIENCE_NS = 4_500_000_000
"""Silence after which this side gives a subscription up, or a little less."""
_CHANGES = tuple(f"notification {method}" for method in _FIELDS)
_TOPIC = "basic/patterns/subscriptions"
error, warning, hint = rules_of(_TOPIC)

_QUESTIONS = {"sampling/createMessage": "sampling", "elicitation/create": "elicitation", "roots/list": "roots"}
_MRTR = "basic/patterns/mrtr"
_ROUNDS_TOPIC = "basic/patterns/mrtr"
_MOST_ROUNDS = 10
_SEAL = re.compile(r"(?i)^(sig|mac|hmac|signature|seal|tag|digest|jws|ciphertext|enc)")
_LOOKED_AT = 64 * 1024


class _Notes(msgspec.Struct):
    misnamed: set[RequestId] = set()
    """Listen requests that were acknowledged under another subscriptionId."""


@error("Subscription stream does not begin with its acknowledgment", *_CHANGES, since="2026-07-28")
def acknowledgment_not_first(case: CheckMoment) -> Iterator[Violation]:
    """The first message of a listen stream acknowledges the filter.

    Fix: Send the acknowledgment before other messages.
    """
    listen = listen_of(case.state, case.value)
    if listen is not None and listen.acknowledged is None:
        yield Violation(f"{case.method} was sent before {_ACKNOWLEDGED}", "/method", frames=(listen.asked.frame,))


@error(
    "Notification without its `subscriptionId`",
    *_CHANGES,
    f"notification {_ACKNOWLEDGED}",
    "answer subscriptions/listen",
    since="2026-07-28",
)
def subscription_id_missing(case: CheckMoment) -> Iterator[Violation]:
    """Notifications must have the id of the listen request, with the same type.

    Fix: Put the id of the listen request into _meta unchanged.
    """
    id_ = peek.request_id(case.value, "_meta", PREFIX + "subscriptionId")
    place = f"/params/_meta/{PREFIX.replace('/', '~1')}subscriptionId"
    if isinstance(case.message, ResultResponse):
        if case.asked is not None and id_ != case.asked.id:
            yield Violation("the result of subscriptions/listen has no subscriptionId", "/result/_meta")
    elif _is_elsewhere(case):
        return
    elif id_ is None:
        yield Violation(f"{case.method} has no subscriptionId", place)
    elif listen_of(case.state, case.value) is None:
        asked = case.http.asked[0] if case.http is not None and case.http.asked else None
        needed = f": the id of the listen request is {asked.id!r}" if asked is not None else ""
        if case.method == _ACKNOWLEDGED and asked is not None:
            case.state.notes(_Notes).misnamed.add(asked.id)
        yield Violation(f"{case.method} has the subscriptionId {id_!r}, which is not open{needed}", place)


@error("Notification outside of the subscription filter", *_CHANGES, since="2026-07-28")
def unrequested_change(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Send only the kinds of notifications that the filter requests."""
    listen = listen_of(case.state, case.value)
    if listen is None:
        return
    field = _FIELDS[case.method]
    wanted = listen.wanted.get(field)
    if not wanted:
        yield Violation(f"{case.method} was not requested", "/method", frames=(listen.asked.frame,))
    elif field == "resourceSubscriptions" and type(wanted) is list:
        uri = peek.text(case.value, "uri") or ""
        if not any(isinstance(each, str) and uri.startswith(each) for each in wanted):
            yield Violation(f"{cut(uri, 80)!r} was not requested", "/params/uri", frames=(listen.asked.frame,))


@error("Acknowledgment exceeds the requested filter", f"notification {_ACKNOWLEDGED}", since="2026-07-28")
def acknowledgment_exceeds_request(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Acknowledge only what the filter requests."""
    listen = listen_of(case.state, case.value)
    if listen is None:
        return
    for field, stated in peek.mapping(case.value, "notifications").items():
        wanted = listen.wanted.get(field)
        more = [each for each in stated if each not in wanted] if type(stated) is list and type(wanted) is list else []
        if (stated and not wanted) or more:
            yield Violation(
                f"{cut(field, 60)} is acknowledged, but was not requested", f"/params/notifications/{field[:60]}"
            )


@error(
    "Progress or log message on a subscription stream",
    "notification notifications/progress",
    "notification notifications/message",
    topic="http",
    since="2026-07-28",
)
def message_on_subscription_stream(case: CheckMoment) -> Iterator[Violation]:
    """Other notifications belong on the stream of their request.

    Fix: Send the message on the stream of its request.
    """
    if case.http is not None and any(each.id in case.state.ongoing.listens for each in case.http.asked):
        yield Violation(f"{case.method} was sent on the stream of subscriptions/listen", "/method")


def _is_elsewhere(case: CheckMoment) -> bool:
    """Whether a change was sent without a subscription, or on the stream of another request."""
    if case.http is not None and case.http.asked:
        return all(each.method != "subscriptions/listen" for each in case.http.asked)
    return not case.state.ongoing.listens and not peek.has(case.value, "_meta", PREFIX + "subscriptionId")


@warning("Subscription stream ends without a result", "http end", since="2026-07-28")
def subscription_ended_silently(case: CheckMoment) -> Iterator[Violation]:
    """“When the server ends a subscription, it SHOULD send the result of the listen request.”

    Fix: Send the result of subscriptions/listen before closing the stream.
    """
    http, fact = case.http, case.fact
    if http is None or http.response is None or fact is None or fact.why in BY_CLIENT:
        return
    for asked in http.asked:
        listens = asked.method == "subscriptions/listen" and asked.answered is None and asked.cancelled is None
        if listens and asked.id in case.state.ongoing.listens and http.events:
            yield Violation("the stream of subscriptions/listen ended without a result", frames=(asked.frame,))


@error(
    "`subscriptions/listen` is never acknowledged", "answer subscriptions/listen", "http end", "end", since="2026-07-28"
)
def subscription_not_acknowledged(case: CheckMoment) -> Iterator[Violation]:
    """The result ends a subscription, so that no notification can follow; clients subscribe again and again.

    Or there is no acknowledgement for seconds: Claude Code 2.1.332 reads no list for 27 s then.

    Fix: Send notifications/subscriptions/acknowledged at once, and keep the stream open (text/event-stream over HTTP).
    """
    asked = case.asked
    if asked is None:
        yield from _unacknowledged(case)
        return
    listen = case.state.ongoing.listens.get(asked.id) if asked.cancelled is None else None
    if listen is not None and listen.acknowledged is None:
        how = ", without an event stream" if case.frame is not None and case.frame.channel is Channel.REPLY else ""
        sentence = f"subscriptions/listen was answered with a result at once{how}: it was not acknowledged, and is over"
        yield Violation(sentence, "/result")


def _unacknowledged(case: CheckMoment) -> Iterator[Violation]:
    """Yield what was requested seconds ago, and got nothing: over HTTP when its stream ends, else at the end of all."""
    if case.http is not None:
        opened = case.http.response is not None and case.http.response.status == 200
        given_up = opened and case.fact is not None and case.fact.why in BY_CLIENT
        requests = case.http.asked if given_up else []
    else:
        requests = [] if case.state.is_http else [each.asked for each in case.state.ongoing.listens.values()]
    for each in requests:
        listen, until_ns = case.state.ongoing.listens.get(each.id), each.cancelled_ns or case.time_ns
        is_misnamed = each.id in case.state.notes(_Notes).misnamed
        if listen is not None and listen.acknowledged is None and not listen.began and not is_misnamed:
            waited = until_ns - each.time_ns
            if waited >= _PATIENCE_NS:
                although = ", although its stream is open" if case.http is not None else ""
                sentence = f"subscriptions/listen was not acknowledged in {waited / 1e9:.0f} s{although}"
                yield Violation(sentence, frames=(each.frame,), instead=True)


@error("Change notification without a subscription", *_CHANGES, since="2026-07-28")
def change_outside_subscription(case: CheckMoment) -> Iterator[Violation]:
    """Change notifications are sent on subscription streams only.

    Fix: Send change notifications on subscription streams only.
    """
    if _is_elsewhere(case):
        asked = case.http.asked[0].named if case.http is not None and case.http.asked else ""
        where = f"on the stream of {asked}" if asked else "without a subscription"
        yield Violation(f"{case.method} was sent {where}", "/method")


def _requests_input(case: CheckMoment) -> bool:
    return case.is_modern and peek.text(case.value, "resultType") == "input_required"


@error("`input_required` result for another method", "asking", topic=_MRTR, since="2026-07-28")
def input_required_not_allowed(case: CheckMoment) -> Iterator[Violation]:
    """Only three methods allow it.

    Fix: Return input_required for tools/call, prompts/get and resources/read only.
    """
    if case.method not in MAY_ASK and _requests_input(case):
        yield Violation(f"{case.named} was answered with input_required", "/result/resultType")


@error("`input_required` without `inputRequests` and `requestState`", "asking", topic=_MRTR, since="2026-07-28")
def input_required_empty(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Send inputRequests, requestState or both."""
    if _requests_input(case) and "inputRequests" not in case.value and "requestState" not in case.value:
        yield Violation("input_required with neither inputRequests nor requestState", "/result")


@error("Unknown kind of input request", "asking", topic=_MRTR, since="2026-07-28")
def unknown_input_request(case: CheckMoment) -> Iterator[Violation]:
    """Only elicitation, sampling and roots are allowed; the first two need params.

    Fix: Use elicitation/create, sampling/createMessage or roots/list.
    """
    for key, request in peek.mapping(case.value, "inputRequests").items() if _requests_input(case) else ():
        method = peek.text(request, "method")
        place = f"/result/inputRequests/{key[:60]}"
        if method not in _QUESTIONS:
            yield Violation(f"{cut(key, 60)}: {cut(str(method), 60)} is not an input request", f"{place}/method")
        elif method != "roots/list" and type(peek.at(request, "params")) is not dict:
            yield Violation(f"{cut(key, 60)}: {method} has no params", f"{place}/params")


@error("Input request without the client capability", "asking", topic=_MRTR, since="2026-07-28")
def input_request_undeclared(case: CheckMoment) -> Iterator[Violation]:
    """Judged by the capabilities that the request itself declares.

    Fix: Check the client capabilities of the request first.
    """
    for key, request in peek.mapping(case.value, "inputRequests").items() if _requests_input(case) else ():
        ability = _QUESTIONS.get(peek.text(request, "method") or "")
        if ability and not case.state.offered(case.asked, ability):
            yield Violation(
                f"{cut(key, 60)}: the client does not declare {ability}", f"/result/inputRequests/{key[:60]}"
            )


# Rounds of input_required results


@hint(
    "`requestState` is not tamper-proof",
    "asking",
    topic=_ROUNDS_TOPIC,
    since="2026-07-28",
    confidence=Confidence.LIKELY,
)
def request_state_unsigned(case: CheckMoment) -> Iterator[Violation]:
    """Clients return the state, so a server that trusts it must be able to verify it.

    Fix: Sign the state, or store it and send its id.
    """
    state = peek.text(case.value, "requestState")
    if state and case.is_modern and (found := _readable(state)) is not None:
        names = cut(", ".join(list(found)[:3]), 60)
        yield Violation(f"requestState is readable JSON without a signature ({names})", "/result/requestState")


def _readable(state: str) -> dict[str, Any] | None:
    """Return the JSON object in a state (plain or base64); None without one, or if a member looks like a signature."""
    raw = state[:_LOOKED_AT].encode("utf-8", "replace")
    for read in (bytes, _unpacked):
        try:
            found = msgspec.json.decode(read(raw))
        except (NotBase64, ValueError, *UNDECODABLE):
            continue
        if isinstance(found, dict) and found and not any(_SEAL.match(name) for name in found):
            return found
    return None


def _unpacked(raw: bytes) -> bytes:
    return urlsafe_b64decode(raw.rstrip(b"=") + b"=" * (-len(raw.rstrip(b"=")) % 4))


@hint("Too many rounds of `input_required`", "asking", topic=_ROUNDS_TOPIC, since="2026-07-28")
def input_required_loop(case: CheckMoment) -> Iterator[Violation]:
    """The server needs more rounds than clients accept, or repeats a request that was answered before.

    Fix: Request all input in one round.
    """
    asked = case.asked
    if not case.is_modern or asked is None or not is_retry(asked):
        return
    before: Rounds | None = case.state.ongoing.rounds.get(call_of(asked))
    if before is None:
        return
    if before.count == _MOST_ROUNDS:
        yield Violation(
            (f"{asked.method} returned input_required {_MOST_ROUNDS + 1} times"), "/result", frames=(before.frame,)
        )
    now = requests_of(case.value)
    for key, request in now.items():
        if request == before.requests.get(key) and _was_answered(asked.params, key):
            sentence = f"{cut(key, 60)!r} is requested again after it was answered"
            yield Violation(sentence, f"/result/inputRequests/{key[:60]}", frames=(before.frame, asked.frame))


def _was_answered(params: Any, key: str) -> bool:
    answer = peek.at(params, "inputResponses", key)
    return type(answer) is dict and answer.get("action") not in ("decline", "cancel")
