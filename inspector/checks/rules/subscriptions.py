"""Streams of changes (`subscriptions/listen`) and results that ask (`input_required`): the stateless revision."""

from collections.abc import Iterator

from inspector.checks.findings import Severity
from inspector.checks.learning import id_at, listen_of
from inspector.checks.registry import LAST, Flaw, check
from inspector.checks.scene import PREFIX, Case
from inspector.protocol import peek

_ERROR, _WARNING = Severity.ERROR, Severity.WARNING
_ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
_FIELDS = {
    "notifications/tools/list_changed": "toolsListChanged",
    "notifications/prompts/list_changed": "promptsListChanged",
    "notifications/resources/list_changed": "resourcesListChanged",
    "notifications/resources/updated": "resourceSubscriptions",
}
_CHANGES = tuple(f"notification {method}" for method in _FIELDS)
_TOPIC = "basic/patterns/subscriptions"


@check("B01", _ERROR, "a stream that does not begin with its acknowledgment", *_CHANGES, topic=_TOPIC, since=5)
def begins_with_acknowledgment(case: Case) -> Iterator[Flaw]:
    """The first message of a listen says what will be told."""
    listen = listen_of(case.scene, case.value)
    if listen is not None and listen.acknowledged is None:
        yield Flaw(f"{case.method} came before {_ACKNOWLEDGED}", "/method", frames=(listen.asked.frame,))


@check(
    "B02",
    _ERROR,
    "a change that does not say which subscription it is for",
    *_CHANGES,
    f"notification {_ACKNOWLEDGED}",
    topic=_TOPIC,
    since=5,
    fix="Put the id of the listen request into _meta, as it came.",
)
def names_its_subscription(case: Case) -> Iterator[Flaw]:
    """By the id of the listen request, of the same type."""
    id_ = id_at(case.value, "_meta", PREFIX + "subscriptionId")
    place = f"/params/_meta/{PREFIX.replace('/', '~1')}subscriptionId"
    if id_ is None:
        yield Flaw(f"{case.method} does not name its subscription", place)
    elif listen_of(case.scene, case.value) is None:
        yield Flaw(f"{case.method} names the subscription {id_!r}, which is not open", place)


@check("B03", _ERROR, "a change that was not asked for", *_CHANGES, topic=_TOPIC, since=5)
def tells_what_was_asked(case: Case) -> Iterator[Flaw]:
    """Only kinds in the filter."""
    listen = listen_of(case.scene, case.value)
    if listen is None:
        return
    field = _FIELDS[case.method]
    wanted = listen.wanted.get(field)
    if not wanted:
        yield Flaw(f"{case.method} was not asked for", "/method", frames=(listen.asked.frame,))
    elif field == "resourceSubscriptions" and type(wanted) is list:
        uri = peek.text(case.value, "uri") or ""
        if not any(isinstance(each, str) and uri.startswith(each) for each in wanted):
            yield Flaw(f"{uri[:80]!r} was not asked for", "/params/uri", frames=(listen.asked.frame,))


@check(
    "B04",
    _ERROR,
    "an acknowledgment of more than was asked for",
    f"notification {_ACKNOWLEDGED}",
    topic=_TOPIC,
    since=5,
)
def acknowledges_what_was_asked(case: Case) -> Iterator[Flaw]:
    """A subset of the filter."""
    listen = listen_of(case.scene, case.value)
    if listen is None:
        return
    for field, said in peek.mapping(case.value, "notifications").items():
        wanted = listen.wanted.get(field)
        more = [each for each in said if each not in wanted] if type(said) is list and type(wanted) is list else []
        if (said and not wanted) or more:
            yield Flaw(f"{field[:60]} is acknowledged, and was not asked for", f"/params/notifications/{field[:60]}")


@check(
    "B05",
    _ERROR,
    "progress or a log message on a stream of changes",
    "notification notifications/progress",
    "notification notifications/message",
    topic="http",
    since=5,
)
def streams_of_changes_have_changes(case: Case) -> Iterator[Flaw]:
    """Those belong to the stream of their request."""
    if case.life is not None and any(each.id in case.scene.listens for each in case.life.asked):
        yield Flaw(f"{case.method} came on the stream of subscriptions/listen", "/method")


@check("B06", _ERROR, "the end of a stream does not say of which", "answer subscriptions/listen", topic=_TOPIC, since=5)
def end_names_its_subscription(case: Case) -> Iterator[Flaw]:
    """The result of a listen carries its id."""
    if case.asked is not None and id_at(case.value, "_meta", PREFIX + "subscriptionId") != case.asked.id:
        yield Flaw("the result of subscriptions/listen does not carry its subscriptionId", "/result/_meta")


_MAY_ASK = {"tools/call", "prompts/get", "resources/read"}
_QUESTIONS = {
    "sampling/createMessage": "sampling",
    "elicitation/create": "elicitation",
    "roots/list": "roots",
}
_MRTR = "basic/patterns/mrtr"


def _asks(case: Case) -> bool:
    return case.row == LAST and peek.text(case.value, "resultType") == "input_required"


@check("I01", _ERROR, "a question where none may be", "asking", topic=_MRTR, since=5)
def asks_where_it_may(case: Case) -> Iterator[Flaw]:
    """In answers to three methods."""
    if case.method not in _MAY_ASK and _asks(case):
        yield Flaw(f"{case.method[:60]} was answered with a question", "/result/resultType")


@check(
    "I02",
    _ERROR,
    "a question without requests and without state",
    "asking",
    topic=_MRTR,
    since=5,
    fix="Send inputRequests, requestState or both.",
)
def asks_something(case: Case) -> Iterator[Flaw]:
    """At least one of them."""
    if _asks(case) and "inputRequests" not in case.value and "requestState" not in case.value:
        yield Flaw("input_required, with neither inputRequests nor requestState", "/result")


@check("I03", _ERROR, "a question of another kind than there are", "asking", topic=_MRTR, since=5)
def asks_in_known_ways(case: Case) -> Iterator[Flaw]:
    """Elicitation, sampling, roots; the first two with params."""
    for key, request in peek.mapping(case.value, "inputRequests").items() if _asks(case) else ():
        method = peek.text(request, "method")
        place = f"/result/inputRequests/{key[:60]}"
        if method not in _QUESTIONS:
            yield Flaw(f"{key[:60]}: {str(method)[:60]} is nothing that a result can ask", f"{place}/method")
        elif method != "roots/list" and type(peek.at(request, "params")) is not dict:
            yield Flaw(f"{key[:60]}: {method} has no params", f"{place}/params")


@check("I04", _ERROR, "a question that the client did not offer to answer", "asking", topic=_MRTR, since=5)
def asks_what_was_offered(case: Case) -> Iterator[Flaw]:
    """What the request itself declared."""
    for key, request in peek.mapping(case.value, "inputRequests").items() if _asks(case) else ():
        ability = _QUESTIONS.get(peek.text(request, "method") or "")
        if ability and not case.scene.offered(case.asked, ability):
            yield Flaw(f"{key[:60]}: the client does not declare {ability}", f"/result/inputRequests/{key[:60]}")
