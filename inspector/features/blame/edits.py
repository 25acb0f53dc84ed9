"""The differences between two scripts, each an edit that makes one part of the first like the second."""

import json
import shlex
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

import msgspec
from msgspec.structs import replace

from inspector.features.blame.draft import DraftStep, ScriptDraft
from inspector.features.blame.json_text import (
    has_escapes,
    has_spaces,
    in_order,
    with_escapes,
    with_spaces,
    without_member,
)
from inspector.features.blame.script import ClientScript, Step, json_value
from inspector.protocol import peek
from inspector.protocol.facts import Headers, InheritedState
from inspector.protocol.frames import Eol
from inspector.text import cut

_MISSING = object()
PAUSE_S = 0.1
"""Difference between two pauses from which on it may matter."""
_MOST_SHOWN = 60

MADE_BY_PLAYER = frozenset({"host", "content-length", "mcp-session-id"})
"""Headers whose values the player makes; their place and case are as recorded."""


class Edit(msgspec.Struct, frozen=True, eq=False):
    """One difference."""

    label: str
    """What the second client does, for a sentence: “`capabilities.roots` of initialize is {}”."""
    act: Callable[[ScriptDraft], None]
    key: str = ""
    """Key of the message it changes; "" if it changes none."""
    parts: "tuple[Edit, ...]" = ()
    """Smaller edits that make the same change together; none if it can't be divided."""
    before: str = ""
    """Without `key`: what the first client does, to be shown beside `after`."""
    after: str = ""


def applied(script: ClientScript, edits: Iterable[Edit]) -> ClientScript:
    """Return a script with some of its differences to the other one removed."""
    draft = ScriptDraft(script)
    for edit in edits:
        edit.act(draft)
    return draft.finished()


def differences(fails: ClientScript, works: ClientScript, *, with_pauses: bool = True) -> list[Edit]:
    """Return the edits that together turn what `fails` into what `works`, those of whole messages first."""
    found = [*_of_messages(fails, works)]
    by_key = {each.key: each for each in works.steps}
    both = [(each, by_key[each.key]) for each in fails.steps if each.key in by_key]
    for each, other in both:
        found += _of_one(each, other)
        found += _of_timing(each, other, with_pauses=with_pauses)
    found += _of_overlap(both)
    found += _of_ids(fails, works)
    found += _of_headers(fails, works)
    found += _of_replies(fails, works)
    found += _of_connection(fails, works)
    found += _of_surroundings(fails, works)
    return found


# Whole messages


def _of_messages(fails: ClientScript, works: ClientScript) -> Iterator[Edit]:
    """Messages that only one side sends, and those that are sent at another time."""
    mine, theirs = [each.key for each in fails.steps], [each.key for each in works.steps]
    by_key = {each.key: each for each in works.steps}
    for tag, begin, end, other_begin, other_end in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
        if tag in ("delete", "replace"):
            for key in mine[begin:end]:
                if key not in by_key:
                    yield Edit(f"the client does not send {key}", _without(key), key)
        if tag in ("insert", "replace"):
            before = mine[end] if end < len(mine) else ""
            where = f"before {before}" if before else "at last"
            for key in theirs[other_begin:other_end]:
                act = _moved(key, before) if key in mine else _with(by_key[key], before)
                yield Edit(f"the client sends {key} {where}", act, key)


def _without(key: str) -> Callable[[ScriptDraft], None]:
    def act(draft: ScriptDraft) -> None:
        draft.steps = [each for each in draft.steps if each.step.key != key]

    return act


def _with(step: Step, before: str) -> Callable[[ScriptDraft], None]:
    return lambda draft: draft.insert(step, before)


def _moved(key: str, before: str) -> Callable[[ScriptDraft], None]:
    def act(draft: ScriptDraft) -> None:
        step = draft.step(key)
        if step is not None:
            draft.steps.remove(step)
            draft.steps.insert(draft.place(before), step)

    return act


# One message


def _of_one(mine: Step, other: Step) -> Iterator[Edit]:
    """Differences of a message that both sides send, in the order in which they are applied."""
    first, second = json_value(mine.payload), json_value(other.payload)
    found: list[Edit] = []
    if isinstance(first, dict) and isinstance(second, dict):
        found += _of_members(mine, first, second, (), has_cursor=mine.is_next_page and other.is_next_page)
        if _order(first) != _order(second) and _sorted(first).keys() == _sorted(second).keys():
            paths = [path for path in _objects(second) if isinstance(peek.at(first, *path), dict)]
            orders = [(path, list(peek.mapping(second, *path))) for path in paths]
            found.append(Edit(f"the members of {mine.key} come in another order", _ordered(mine.key, orders), mine.key))
        found += _of_spelling(mine, other)
    if mine.eol is not other.eol:
        end = {Eol.LF: "ends with LF", Eol.CRLF: "ends with CR LF", Eol.NONE: "has no line end"}[other.eol]
        found.append(Edit(f"{mine.key} {end}", _stepped(mine.key, lambda step: replace(step, eol=other.eol)), mine.key))
    yield from found
    yield from _of_the_rest(mine, other, found)


def _of_members(
    step: Step, mine: dict[str, Any], other: dict[str, Any], path: tuple[str, ...], *, has_cursor: bool
) -> Iterator[Edit]:
    for name in dict.fromkeys([*mine, *other]):
        here = (*path, name)
        if here in (("id",), ("method",)) or (has_cursor and here == ("params", "cursor")):
            continue
        first, second = mine.get(name, _MISSING), other.get(name, _MISSING)
        if isinstance(first, dict) and isinstance(second, dict):
            yield from _of_members(step, first, second, here, has_cursor=has_cursor)
        elif not _same(first, second):
            yield _member_edit(step.key, here, second, tuple(_parts(step.key, here, first, second)))


def _same(first: Any, second: Any) -> bool:
    return type(first) is type(second) and json_text(first) == json_text(second)


def json_text(value: Any) -> str:
    """Return a value as JSON; 1 and 1.0 and true differ."""
    return "" if value is _MISSING else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _parts(key: str, path: tuple[str, ...], first: Any, second: Any) -> Iterator[Edit]:
    """Divide a change of a whole object into changes of its members."""
    if first is _MISSING and isinstance(second, dict) and second:
        yield _member_edit(key, path, {})
        for name, value in second.items():
            here = (*path, name)
            yield from _parts(key, here, _MISSING, value) if _is_divided(value) else (_member_edit(key, here, value),)
    elif second is _MISSING and isinstance(first, dict) and first:
        for name, value in first.items():
            here = (*path, name)
            yield _member_edit(key, here, _MISSING, tuple(_parts(key, here, value, _MISSING)))


def _is_divided(value: Any) -> bool:
    return isinstance(value, dict) and bool(value)


def _member_edit(key: str, path: tuple[str, ...], value: Any, parts: tuple[Edit, ...] = ()) -> Edit:
    return Edit(_member_label(key, path, value), _set(key, path, value), key, parts)


def _member_label(key: str, path: tuple[str, ...], value: Any) -> str:
    where = f"`{'.'.join(path)}` of {key}"
    return f"{where} is absent" if value is _MISSING else f"{where} is {_short(json.dumps(value, ensure_ascii=False))}"


def _short(text: str) -> str:
    return cut(text, _MOST_SHOWN)


def _set(key: str, path: tuple[str, ...], value: Any) -> Callable[[ScriptDraft], None]:
    def act(draft: ScriptDraft) -> None:
        step = draft.step(key)
        if step is None:
            return
        if value is _MISSING:
            step.rewrite(lambda text: without_member(text, path))
        elif not (value == {} and isinstance(peek.at(step.value, *path), dict)):
            step.set(path, value)

    return act


def _order(value: Any) -> Any:
    return [(name, _order(each)) for name, each in value.items()] if isinstance(value, dict) else None


def _sorted(value: Any) -> Any:
    return {name: _sorted(value[name]) for name in sorted(value)} if isinstance(value, dict) else ""


def _objects(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if isinstance(value, dict):
        yield path
        for name, each in value.items():
            yield from _objects(each, (*path, name))


def _ordered(key: str, orders: Sequence[tuple[tuple[str, ...], list[str]]]) -> Callable[[ScriptDraft], None]:
    def act(draft: ScriptDraft) -> None:
        step = draft.step(key)
        for path, names in orders if step is not None else ():
            step.rewrite(lambda text, path=path, names=names: in_order(text, path, names))  # type: ignore[misc, union-attr]

    return act


def _of_spelling(mine: Step, other: Step) -> Iterator[Edit]:
    first, second = (each.payload.decode("utf-8", "surrogateescape") for each in (mine, other))
    escapes = has_escapes(second)
    if escapes != has_escapes(first) and with_escapes(first, wanted=escapes) != first:
        label = f"{mine.key} has characters beyond ASCII {'as escapes' if escapes else 'as they are'}"
        yield Edit(label, _rewritten(mine.key, lambda text: with_escapes(text, wanted=escapes)), mine.key)
    spaces = has_spaces(second)
    if spaces != has_spaces(first):
        label = f"{mine.key} is written {'with' if spaces else 'without'} spaces"
        yield Edit(label, _rewritten(mine.key, lambda text: with_spaces(text, wanted=spaces)), mine.key)


def _of_the_rest(mine: Step, other: Step, found: Sequence[Edit]) -> Iterator[Edit]:
    """What is left without the other differences of a message: how numbers, strings and duplicates are written."""
    draft = ScriptDraft(ClientScript((mine,)))
    for edit in found:
        edit.act(draft)
    step = draft.steps[0]
    if isinstance(json_value(other.payload), dict) and isinstance(step.value, dict):
        step.set_id(peek.at(json_value(other.payload), "id")) if step.is_request else None
        if (
            _same(step.value, json_value(other.payload))
            and step.text.encode("utf-8", "surrogateescape") != other.payload
        ):
            text = other.payload.decode("utf-8", "surrogateescape")
            yield Edit(f"{mine.key} is spelled {_excerpt(text, step.text)}", _respelled(mine.key, text), mine.key)
    elif mine.payload != other.payload:
        act = _stepped_text(mine.key, other.payload)
        yield Edit(f"{mine.key} is {_short(other.payload.decode('utf-8', 'replace'))}", act, mine.key)


def _excerpt(text: str, other: str) -> str:
    at = next((n for n, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), min(len(text), len(other)))
    begin = max(0, at - 15)
    return f"{'…' if begin else ''}{text[begin : at + 25]}{'…' if at + 25 < len(text) else ''}"


def _respelled(key: str, text: str) -> Callable[[ScriptDraft], None]:
    """Take the other side's text of a message, with the values that this one has now."""

    def act(draft: ScriptDraft) -> None:
        step = draft.step(key)
        if step is None:
            return
        value, target = step.value, DraftStep(replace(step.step, payload=text.encode("utf-8", "surrogateescape")))
        other = target.value
        for edit in _of_members(target.step, other, value, (), has_cursor=False):
            part = ScriptDraft(ClientScript((target.finished(),)))
            edit.act(part)
            target = part.steps[0]
        if step.is_request:
            target.set_id(step.id)
        step.rewrite(lambda _: target.text)

    return act


def _rewritten(key: str, change: Callable[[str], str]) -> Callable[[ScriptDraft], None]:
    def act(draft: ScriptDraft) -> None:
        step = draft.step(key)
        if step is not None:
            step.rewrite(change)

    return act


def _stepped_text(key: str, payload: bytes) -> Callable[[ScriptDraft], None]:
    def act(draft: ScriptDraft) -> None:
        draft.steps = [
            DraftStep(replace(each.step, payload=payload)) if each.step.key == key else each for each in draft.steps
        ]

    return act


def _stepped(key: str, change: Callable[[Step], Step]) -> Callable[[ScriptDraft], None]:
    def act(draft: ScriptDraft) -> None:
        step = draft.step(key)
        if step is not None:
            step.step = change(step.step)

    return act


def _of_timing(mine: Step, other: Step, *, with_pauses: bool) -> Iterator[Edit]:
    if with_pauses and abs(mine.pause_s - other.pause_s) > PAUSE_S:
        label = f"the client waits {other.pause_s:.1f} s before {mine.key}"
        yield Edit(label, _stepped(mine.key, lambda step: replace(step, pause_s=other.pause_s)), mine.key)


def _of_overlap(both: Sequence[tuple[Step, Step]]) -> Iterator[Edit]:
    """Whether the client waits for responses, as one difference: a message that waits delays all after it."""
    parts = [
        Edit(_waiting_label(mine.key, other.waiting), _stepped(mine.key, _waits(other.waiting)), mine.key)
        for mine, other in sorted(both, key=lambda pair: not DraftStep(pair[0]).is_request)
        if mine.waiting != other.waiting
    ]
    if len(parts) > 1:
        yield Edit("the client waits for responses as the working one does", _all_of(parts), "", tuple(parts))
    else:
        yield from parts


def _waiting_label(key: str, waiting: int) -> str:
    if waiting:
        return f"the client sends {key} while {waiting} of its requests wait for a response"
    return f"the client waits for all earlier responses before {key}"


def _waits(waiting: int) -> Callable[[Step], Step]:
    return lambda step: replace(step, waiting=waiting)


def _all_of(parts: Sequence[Edit]) -> Callable[[ScriptDraft], None]:
    def act(draft: ScriptDraft) -> None:
        for each in parts:
            each.act(draft)

    return act


# The whole session


def _requests(script: ClientScript) -> list[tuple[str, Any]]:
    """Return keys and ids of the requests."""
    steps = [DraftStep(each) for each in script.steps]
    return [(each.step.key, each.id) for each in steps if each.is_request]


def _of_ids(fails: ClientScript, works: ClientScript) -> Iterator[Edit]:
    mine, others = _requests(fails), _requests(works)
    pairs = [(key, id_, other) for key, id_ in mine for other_key, other in others if key == other_key]
    parts = tuple(
        Edit(f"the id of {key} is {json.dumps(other)}", _with_id(key, other), key)
        for key, id_, other in pairs
        if not _same(id_, other)
    )
    ids = [id_ for _, id_ in others]
    if parts:
        some = ", ".join(json.dumps(each) for each in ids[:3])
        yield Edit(f"the ids of the requests are {some}, …", lambda draft: draft.set_ids(ids), "", parts)


def _with_id(key: str, id_: Any) -> Callable[[ScriptDraft], None]:
    def act(draft: ScriptDraft) -> None:
        step = draft.step(key)
        if step is not None:
            step.set_id(id_)

    return act


def _of_headers(fails: ClientScript, works: ClientScript) -> Iterator[Edit]:
    mine, others = _all_headers(fails), _all_headers(works)
    if not mine or not others:
        return
    known = [each.key for each in works.steps]
    keys = [each.key for each in fails.steps if each.key in known]
    for name in dict.fromkeys([*mine, *others]):
        values = {key: others.get(name, {}).get(key) for key in known}
        differ = [key for key in keys if mine.get(name, {}).get(key) != values[key]]
        if name in MADE_BY_PLAYER or not differ:
            continue
        old, new = mine.get(name, {}).get(differ[0]), values[differ[0]]
        shown = ["(absent)" if each is None else f"{name}: {each}" for each in (old, new)]
        default = next((each for each in reversed(values.values()) if each is not None), None)
        parts = tuple(
            Edit(_header_label(f"{name} of {key}", values[key]), _header_set(name, {key: values[key]}), key)
            for key in differ
            if len(differ) > 1
        )
        yield Edit(_header_label(name, new), _header_set(name, values, default, rest=True), "", parts, *shown)
    spelled, respelled = _spellings(fails), _spellings(works)
    cases = [name for name in spelled if name in respelled and spelled[name] != respelled[name]]
    if cases:
        names = {name: respelled[name] for name in cases}
        cased = [Edit(f"the header {name} is written {names[name]}", _recased({name: names[name]})) for name in cases]
        yield Edit("header names are written in another case", _recased(names), "", tuple(cased))
    orders = [[name.lower() for name, _ in script.steps[0].headers] for script in (fails, works)]
    first_order, other_order = ([each for each in order if each in [*mine] and each in [*others]] for order in orders)
    if first_order != other_order:
        yield Edit("the headers come in another order", _reordered(orders[1]))


def _all_headers(script: ClientScript) -> dict[str, dict[str, str]]:
    """Return the values of each header by the key of the message."""
    found: dict[str, dict[str, str]] = {}
    for step in script.steps:
        for name, value in step.headers:
            found.setdefault(name.lower(), {})[step.key] = value
    return found


def _header_label(name: str, value: str | None) -> str:
    return f"the header {name} is absent" if value is None else f"the header {name} is {_short(value)!r}"


def _header_set(
    name: str, values: dict[str, str | None], default: str | None = None, *, rest: bool = False
) -> Callable[[ScriptDraft], None]:
    """Set a header of these messages, None removes it; with `rest`, that of all others to the default."""

    def act(draft: ScriptDraft) -> None:
        for each in draft.steps:
            if each.step.key in values or rest:
                pairs = _with_header(each.step.headers, name, values.get(each.step.key, default))
                each.step = replace(each.step, headers=pairs)

    return act


def _with_header(headers: Headers, name: str, value: str | None) -> Headers:
    at = next((n for n, pair in enumerate(headers) if pair[0].lower() == name), len(headers))
    spelling = headers[at][0] if at < len(headers) else name
    kept = [pair for pair in headers if pair[0].lower() != name]
    return tuple(kept if value is None else [*kept[:at], (spelling, value), *kept[at:]])


def _spellings(script: ClientScript) -> dict[str, str]:
    return {name.lower(): name for step in script.steps for name, _ in step.headers}


def _recased(names: dict[str, str]) -> Callable[[ScriptDraft], None]:
    def act(draft: ScriptDraft) -> None:
        for each in draft.steps:
            pairs = tuple((names.get(name.lower(), name), value) for name, value in each.step.headers)
            each.step = replace(each.step, headers=pairs)

    return act


def _reordered(order: list[str]) -> Callable[[ScriptDraft], None]:
    def place(pair: tuple[str, str]) -> int:
        return order.index(pair[0].lower()) if pair[0].lower() in order else len(order)

    def act(draft: ScriptDraft) -> None:
        for each in draft.steps:
            each.step = replace(each.step, headers=tuple(sorted(each.step.headers, key=place)))

    return act


def _of_replies(fails: ClientScript, works: ClientScript) -> Iterator[Edit]:
    for method in dict.fromkeys([*fails.replies, *works.replies]):
        mine, others = (json_value(each.replies.get(method, b"null")) for each in (fails, works))
        answers = [{k: v for k, v in (each or {}).items() if k != "id"} for each in (mine, others)]
        if method and answers[0] != answers[1]:
            given = _short(json.dumps(others.get("result", others.get("error")), ensure_ascii=False)) if others else ""
            how = f"responds to {method} with {given}" if others else f"does not respond to {method}"
            shown = [each.replies.get(method, b"(no response)").decode("utf-8", "replace") for each in (fails, works)]
            yield Edit(f"the client {how}", _replied(method, works.replies.get(method)), "", (), *shown)


def _replied(method: str, payload: bytes | None) -> Callable[[ScriptDraft], None]:
    def act(draft: ScriptDraft) -> None:
        kept = {name: each for name, each in draft.script.replies.items() if name != method}
        replies = kept if payload is None else {**kept, method: payload}
        draft.script = replace(draft.script, replies=replies)

    return act


def _of_connection(fails: ClientScript, works: ClientScript) -> Iterator[Edit]:
    if fails.listens != works.listens:
        does = "opens" if works.listens else "does not open"
        yield Edit(f"the client {does} the stream with GET", _scripted(listens=works.listens))
    if fails.deletes != works.deletes:
        does = "ends" if works.deletes else "does not end"
        yield Edit(f"the client {does} the session with DELETE", _scripted(deletes=works.deletes))
    if fails.keeps_session != works.keeps_session:
        does = "sends" if works.keeps_session else "does not send"
        yield Edit(f"the client {does} the header mcp-session-id", _scripted(keeps_session=works.keeps_session))
    if None not in (fails.reuses, works.reuses) and fails.reuses != works.reuses:
        does = "uses one connection for several requests" if works.reuses else "opens a connection for each request"
        yield Edit(f"the client {does}", _scripted(reuses=works.reuses))


def _scripted(**values: Any) -> Callable[[ScriptDraft], None]:
    def act(draft: ScriptDraft) -> None:
        draft.script = replace(draft.script, **values)

    return act


def _of_surroundings(fails: ClientScript, works: ClientScript) -> Iterator[Edit]:
    if fails.environment is not None and works.environment is not None:
        for name in sorted({*fails.environment} ^ {*works.environment}):
            is_set = name in works.environment
            yield Edit(f"the variable {name} is {'set' if is_set else 'not set'}", _variable(name, is_set=is_set))
    if fails.cwd and works.cwd and fails.cwd != works.cwd:
        yield Edit(f"the server runs in {works.cwd}", _scripted(cwd=works.cwd), "", (), fails.cwd, works.cwd)
    if fails.argv and works.argv and fails.argv[1:] != works.argv[1:]:
        yield from _of_arguments(fails.argv, works.argv)
    if fails.inherited is not None and works.inherited is not None:
        yield from _of_inherited(fails.inherited, works.inherited)


def _of_arguments(mine: tuple[str, ...], others: tuple[str, ...]) -> Iterator[Edit]:
    matcher = SequenceMatcher(None, mine[1:], others[1:], autojunk=False)
    for tag, begin, end, other_begin, other_end in reversed(matcher.get_opcodes()):  # from the end: places stay right
        if tag != "equal":
            old, new = mine[begin + 1 : end + 1], others[other_begin + 1 : other_end + 1]
            what = f"the argument {' '.join(new)} is" if new else f"the argument {' '.join(old)} is not"
            shown = [shlex.join(each[1:]) for each in (mine, others)]
            yield Edit(f"{_short(what)} given", _argued(begin + 1, end + 1, new), "", (), *shown)


def _argued(begin: int, end: int, words: tuple[str, ...]) -> Callable[[ScriptDraft], None]:
    def act(draft: ScriptDraft) -> None:
        argv = draft.script.argv
        draft.script = replace(draft.script, argv=(*argv[:begin], *words, *argv[end:]))

    return act


def _of_inherited(mine: InheritedState, others: InheritedState) -> Iterator[Edit]:
    labels = {
        "umask": f"the umask is {others.umask or 0:03o}",
        "blocked": f"the blocked signals are {_signals(others.blocked)}",
        "ignored": f"the ignored signals are {_signals(others.ignored)}",
        "files": f"the open descriptors beyond stderr are {', '.join(map(str, others.files)) or 'none'}",
        "terminal": f"stderr is {'a' if others.terminal else 'no'} terminal",
    }
    for name, label in labels.items():
        if getattr(mine, name) != getattr(others, name):
            yield Edit(label, _inheriting(name, getattr(others, name)))


def _inheriting(name: str, value: Any) -> Callable[[ScriptDraft], None]:
    def act(draft: ScriptDraft) -> None:
        state = draft.script.inherited or InheritedState()
        draft.script = replace(draft.script, inherited=replace(state, **{name: value}))

    return act


def _signals(numbers: tuple[int, ...]) -> str:
    known = {each.value: each.name for each in signal.Signals}
    return ", ".join(known.get(number, str(number)) for number in numbers) or "none"


def _variable(name: str, *, is_set: bool) -> Callable[[ScriptDraft], None]:
    def act(draft: ScriptDraft) -> None:
        names = draft.script.environment or ()
        draft.script = replace(
            draft.script, environment=(*names, name) if is_set else tuple(each for each in names if each != name)
        )

    return act
