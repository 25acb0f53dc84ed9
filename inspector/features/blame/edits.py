"""The differences between two scripts, each an edit that makes one part of the first like the second."""

import json
from collections.abc import Callable, Iterable, Iterator
from difflib import SequenceMatcher
from typing import Any

import msgspec
from msgspec.structs import replace

from inspector.features.blame.script import ClientScript, Step, json_value

_MISSING = object()
_PAUSE_S = 0.1
"""Difference between two pauses from which on it may matter."""
_ID_MEMBERS = ("id",)


class ScriptDraft:
    """A script that edits change."""

    def __init__(self, script: ClientScript) -> None:
        self.script = script
        self.steps: list[DraftStep] = [DraftStep(step) for step in script.steps]
        self.replies = dict(script.replies)
        self.listens = script.listens
        self.environment = list(script.environment) if script.environment is not None else None
        self.cwd = script.cwd
        self.ids: list[Any] | None = None
        """Ids of the other script, by the order of its requests; None: its own."""

    def step(self, key: str) -> "DraftStep | None":
        """Return the step with a key, if it is still there."""
        return next((each for each in self.steps if each.step.key == key), None)

    def finished(self) -> ClientScript:
        """Return the changed script."""
        if self.ids is not None:
            requests = [each for each in self.steps if isinstance(each.value, dict) and "id" in each.value]
            for step, id_ in zip(requests, _more_ids(self.ids), strict=False):
                step.value["id"] = id_
                step.change(lambda value: value)
        names = None if self.environment is None else tuple(self.environment)
        return replace(
            self.script,
            steps=tuple(each.finished() for each in self.steps),
            replies=self.replies,
            listens=self.listens,
            environment=names,
            cwd=self.cwd,
        )


class DraftStep:
    """A message that edits change. While none does, its bytes stay as they are."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self.value = json_value(step.payload)
        self.style = _Style.of(step.payload)
        self._is_changed = False

    def change(self, act: Callable[[Any], object]) -> None:
        """Change the JSON value."""
        act(self.value)
        self._is_changed = True

    def restyle(self, style: "_Style") -> None:
        """Write the JSON value in another style."""
        self.style, self._is_changed = style, True

    def finished(self) -> Step:
        """Return the message with its changes."""
        return replace(self.step, payload=self.style.write(self.value)) if self._is_changed else self.step


class _Style(msgspec.Struct, frozen=True):
    """How JSON is written: what parsing loses."""

    escapes: bool
    """Whether characters beyond ASCII are written as escapes."""
    spaces: bool

    @classmethod
    def of(cls, payload: bytes) -> "_Style":
        return cls(b"\\u" in payload, b'": ' in payload)

    def write(self, value: Any) -> bytes:
        separators = (", ", ": ") if self.spaces else (",", ":")
        return json.dumps(value, ensure_ascii=self.escapes, separators=separators).encode(errors="surrogatepass")


class Edit(msgspec.Struct, frozen=True):
    """One difference."""

    label: str
    """What the second client does, for a sentence: “the client declares `capabilities.roots`”."""
    act: Callable[[ScriptDraft], None]
    key: str = ""
    """Key of the message it changes; "" if it changes none."""


def applied(script: ClientScript, edits: Iterable[Edit]) -> ClientScript:
    """Return a script with some of its differences to the other one removed."""
    draft = ScriptDraft(script)
    for edit in edits:
        edit.act(draft)
    return draft.finished()


def differences(fails: ClientScript, works: ClientScript) -> list[Edit]:
    """Return the edits that together turn what `fails` into what `works`, those of whole messages first."""
    found = [*_of_messages(fails, works)]
    both = [(each, other) for each in fails.steps for other in works.steps if each.key == other.key]
    for each, other in both:
        found += _of_values(each, other)
        found += _of_bytes(each, other)
        found += _of_timing(each, other)
    found += _of_ids(fails, works)
    found += _of_headers(fails, works)
    found += _of_replies(fails, works)
    if fails.listens != works.listens:
        label = "the client opens" if works.listens else "the client does not open"
        found.append(Edit(f"{label} the stream with GET", lambda draft: setattr(draft, "listens", works.listens)))
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
            for key in theirs[other_begin:other_end]:
                if key in mine:
                    yield Edit(f"the client sends {key} {_at(before)}", _moved(key, before), key)
                else:
                    yield Edit(f"the client sends {key} {_at(before)}", _with(by_key[key], before), key)


def _at(before: str) -> str:
    return f"before {before}" if before else "at last"


def _without(key: str) -> Callable[[ScriptDraft], None]:
    def act(draft: ScriptDraft) -> None:
        draft.steps = [each for each in draft.steps if each.step.key != key]

    return act


def _with(step: Step, before: str) -> Callable[[ScriptDraft], None]:
    def act(draft: ScriptDraft) -> None:
        at = next((n for n, each in enumerate(draft.steps) if each.step.key == before), len(draft.steps))
        draft.steps.insert(at, DraftStep(step))

    return act


def _moved(key: str, before: str) -> Callable[[ScriptDraft], None]:
    def act(draft: ScriptDraft) -> None:
        step = draft.step(key)
        if step is not None:
            draft.steps.remove(step)
            at = next((n for n, each in enumerate(draft.steps) if each.step.key == before), len(draft.steps))
            draft.steps.insert(at, step)

    return act


# One message


def _of_values(mine: Step, other: Step) -> Iterator[Edit]:
    first, second = json_value(mine.payload), json_value(other.payload)
    if isinstance(first, dict) and isinstance(second, dict):
        yield from _of_members(mine.key, first, second, ())
        if _order(first) != _order(second) and _sorted(first) == _sorted(second):
            yield Edit(f"the members of {mine.key} come in another order", _ordered(mine.key, second), mine.key)


def _of_members(key: str, mine: dict[str, Any], other: dict[str, Any], path: tuple[str, ...]) -> Iterator[Edit]:
    for name in dict.fromkeys([*mine, *other]):
        here = (*path, name)
        if here in (_ID_MEMBERS, ("jsonrpc",), ("method",)):
            continue
        first, second = mine.get(name, _MISSING), other.get(name, _MISSING)
        if isinstance(first, dict) and isinstance(second, dict) and first and second:
            yield from _of_members(key, first, second, here)
        elif first != second or type(first) is not type(second):
            yield Edit(_label(key, here, second), _set(key, here, second), key)


def _label(key: str, path: tuple[str, ...], value: Any) -> str:
    where = f"`{'.'.join(path)}` of {key}"
    if value is _MISSING:
        return f"{where} is absent"
    text = json.dumps(value, ensure_ascii=False)
    return f"{where} is {text if len(text) <= 60 else text[:60] + '…'}"


def _set(key: str, path: tuple[str, ...], value: Any) -> Callable[[ScriptDraft], None]:
    def change(message: Any) -> None:
        *way, last = path
        for name in way:
            message = message.setdefault(name, {})
        if value is _MISSING:
            message.pop(last, None)
        else:
            message[last] = json.loads(json.dumps(value))

    def act(draft: ScriptDraft) -> None:
        step = draft.step(key)
        if step is not None and isinstance(step.value, dict):
            step.change(change)

    return act


def _order(value: Any) -> Any:
    return [(name, _order(each)) for name, each in value.items()] if isinstance(value, dict) else None


def _sorted(value: Any) -> Any:
    return sorted((name, _sorted(each)) for name, each in value.items()) if isinstance(value, dict) else ""


def _like(value: Any, pattern: Any) -> Any:
    """Return a value with its members in the order of another one."""
    if not isinstance(value, dict) or not isinstance(pattern, dict):
        return value
    names = [*(name for name in pattern if name in value), *(name for name in value if name not in pattern)]
    return {name: _like(value[name], pattern.get(name)) for name in names}


def _ordered(key: str, pattern: Any) -> Callable[[ScriptDraft], None]:
    def act(draft: ScriptDraft) -> None:
        step = draft.step(key)
        if step is not None:
            ordered = _like(step.value, pattern)
            step.change(lambda value: (value.clear(), value.update(ordered)))

    return act


def _of_bytes(mine: Step, other: Step) -> Iterator[Edit]:
    style, others = _Style.of(mine.payload), _Style.of(other.payload)
    if style.escapes != others.escapes:
        how = "as escapes" if others.escapes else "as they are"
        label = f"{mine.key} has characters beyond ASCII {how}"
        yield Edit(label, _restyled(mine.key, lambda now: replace(now, escapes=others.escapes)), mine.key)
    if style.spaces != others.spaces:
        label = f"{mine.key} is written {'with' if others.spaces else 'without'} spaces"
        yield Edit(label, _restyled(mine.key, lambda now: replace(now, spaces=others.spaces)), mine.key)
    if mine.crlf != other.crlf:
        label = f"{mine.key} ends with {'CR LF' if other.crlf else 'LF'}"
        yield Edit(label, _stepped(mine.key, lambda step: replace(step, crlf=other.crlf)), mine.key)


def _restyled(key: str, change: Callable[[_Style], _Style]) -> Callable[[ScriptDraft], None]:
    def act(draft: ScriptDraft) -> None:
        step = draft.step(key)
        if step is not None and step.value is not None:
            step.restyle(change(step.style))

    return act


def _stepped(key: str, change: Callable[[Step], Step]) -> Callable[[ScriptDraft], None]:
    def act(draft: ScriptDraft) -> None:
        step = draft.step(key)
        if step is not None:
            step.step = change(step.step)

    return act


def _of_timing(mine: Step, other: Step) -> Iterator[Edit]:
    if mine.answered != other.answered:
        many = "all earlier responses" if other.answered > mine.answered else "fewer responses"
        label = f"the client waits for {many} before {mine.key}"
        yield Edit(label, _stepped(mine.key, lambda step: replace(step, answered=other.answered)), mine.key)
    if abs(mine.pause_s - other.pause_s) > _PAUSE_S:
        label = f"the client waits {other.pause_s:.1f} s before {mine.key}"
        yield Edit(label, _stepped(mine.key, lambda step: replace(step, pause_s=other.pause_s)), mine.key)


# The whole session


def _ids(script: ClientScript) -> list[Any]:
    values = [json_value(each.payload) for each in script.steps]
    return [each["id"] for each in values if isinstance(each, dict) and "id" in each]


def _more_ids(ids: list[Any]) -> Iterator[Any]:
    """Continue the ids of a client beyond those that were recorded."""
    yield from ids
    last = ids[-1] if ids else 0
    count = 0
    while True:
        count += 1
        yield last + count if isinstance(last, int) else f"{last}-{count}"


def _of_ids(fails: ClientScript, works: ClientScript) -> Iterator[Edit]:
    mine, others = _ids(fails), _ids(works)
    common = min(len(mine), len(others))
    if mine[:common] != others[:common]:
        some = ", ".join(json.dumps(each) for each in others[:3])
        yield Edit(f"the ids of the requests are {some}, …", lambda draft: setattr(draft, "ids", others))


def _of_headers(fails: ClientScript, works: ClientScript) -> Iterator[Edit]:
    mine, others = _all_headers(fails), _all_headers(works)
    if not mine or not others:
        return
    for name in dict.fromkeys([*mine, *others]):
        if mine.get(name) != others.get(name):
            first = next(iter(others.get(name, {}).values()), None)
            label = f"the header {name} is absent" if first is None else f"the header {name} is {first[:60]!r}"
            yield Edit(label, _header_set(name, others.get(name, {}), first))
    spelled, respelled = _spellings(fails), _spellings(works)
    if any(spelled[name] != respelled[name] for name in spelled.keys() & respelled.keys()):
        yield Edit("header names are written in another case", _respelled(respelled))
    first_order = [name.lower() for name, _ in fails.steps[0].headers]
    other_order = [name.lower() for name, _ in works.steps[0].headers]
    if [each for each in first_order if each in other_order] != [each for each in other_order if each in first_order]:
        yield Edit("the headers come in another order", _reordered(other_order))


def _all_headers(script: ClientScript) -> dict[str, dict[str, str]]:
    """Return the values of each header by the key of the message."""
    found: dict[str, dict[str, str]] = {}
    for step in script.steps:
        for name, value in step.headers:
            found.setdefault(name.lower(), {})[step.key] = value
    return found


def _header_set(name: str, values: dict[str, str], default: str | None) -> Callable[[ScriptDraft], None]:
    def act(draft: ScriptDraft) -> None:
        for each in draft.steps:
            kept = tuple(pair for pair in each.step.headers if pair[0].lower() != name)
            value = values.get(each.step.key, default)
            each.step = replace(each.step, headers=kept if value is None else (*kept, (name, value)))

    return act


def _spellings(script: ClientScript) -> dict[str, str]:
    return {name.lower(): name for step in script.steps for name, _ in step.headers}


def _respelled(names: dict[str, str]) -> Callable[[ScriptDraft], None]:
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
            how = "responds otherwise to" if others else "does not respond to"
            yield Edit(f"the client {how} {method}", _replied(method, works.replies.get(method)))


def _replied(method: str, payload: bytes | None) -> Callable[[ScriptDraft], None]:
    def act(draft: ScriptDraft) -> None:
        if payload is None:
            draft.replies.pop(method, None)
        else:
            draft.replies[method] = payload

    return act


def _of_surroundings(fails: ClientScript, works: ClientScript) -> Iterator[Edit]:
    if fails.environment is not None and works.environment is not None:
        for name in sorted({*fails.environment} ^ {*works.environment}):
            is_set = name in works.environment
            yield Edit(f"the variable {name} is {'set' if is_set else 'not set'}", _variable(name, is_set=is_set))
    if fails.cwd and works.cwd and fails.cwd != works.cwd:
        yield Edit(f"the server runs in {works.cwd}", lambda draft: setattr(draft, "cwd", works.cwd))


def _variable(name: str, *, is_set: bool) -> Callable[[ScriptDraft], None]:
    def act(draft: ScriptDraft) -> None:
        names = draft.environment or []
        draft.environment = [*names, name] if is_set else [each for each in names if each != name]

    return act
