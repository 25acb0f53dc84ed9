"""A script that edits change, message by message."""

from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from inspector.features.blame.json_text import with_member
from inspector.features.blame.script import OPENINGS, ClientScript, Step, json_value
from inspector.protocol import peek


class ScriptDraft:
    """A script that edits change."""

    def __init__(self, script: ClientScript) -> None:
        self.script = script
        self.steps: list[DraftStep] = [DraftStep(step) for step in script.steps]

    def step(self, key: str) -> "DraftStep | None":
        """Return the step with a key, if it is still there."""
        return next((each for each in self.steps if each.step.key == key), None)

    def place(self, before: str) -> int:
        """Return where to insert a step; at the end if the step before which it goes is not there."""
        return next((n for n, each in enumerate(self.steps) if each.step.key == before), len(self.steps))

    def insert(self, step: Step, before: str) -> None:
        """Insert a message of the other side, a request with an id that no other one has."""
        new, ids = DraftStep(step), [each.id for each in self.steps if each.is_request]
        if new.is_request and new.id in ids:
            numbers = [each for each in ids if isinstance(each, int)]
            new.set_id(max(numbers) + 1 if isinstance(new.id, int) and numbers else f"{new.id}-{len(ids)}")
        self.steps.insert(self.place(before), new)

    def set_ids(self, ids: Sequence[Any]) -> None:
        """Give the requests these ids, in their order, and go on counting after the last one."""
        requests = [each for each in self.steps if each.is_request]
        for n, step in enumerate(requests):
            step.set_id(ids[n] if n < len(ids) else _later_id(ids, n))

    def finished(self) -> ClientScript:
        """Return the changed script."""
        renamed = {repr(each.old_id): each.id for each in self.steps if each.is_request}
        for each in self.steps:
            cancelled = peek.at(each.value, "params", "requestId")
            if not each.is_request and repr(cancelled) in renamed and cancelled != renamed[repr(cancelled)]:
                each.set(("params", "requestId"), renamed[repr(cancelled)])
        return replace(self.script, steps=tuple(each.finished() for each in self.steps))


def _later_id(ids: Sequence[Any], n: int) -> Any:
    last, more = ids[-1] if ids else 0, n - len(ids) + 1
    return last + more if isinstance(last, int) else f"{last}-{more}"


class DraftStep:
    """A message that edits change. What they do not change stays as it was written."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self.value = json_value(step.payload)
        self.text = step.payload.decode("utf-8", "surrogateescape")
        self.old_id = self.id

    @property
    def id(self) -> Any:
        return peek.at(self.value, "id")

    @property
    def is_request(self) -> bool:
        return peek.has(self.value, "method") and peek.has(self.value, "id")

    def set_id(self, id_: Any) -> None:
        """Set the id, unless it is this one."""
        if self.id != id_ or type(self.id) is not type(id_):
            self.set(("id",), id_)

    def set(self, path: Sequence[str], value: Any) -> None:
        """Set a member."""
        self.rewrite(lambda text: with_member(text, path, value))

    def rewrite(self, change: Callable[[str], str]) -> None:
        """Change the text of a message that is a JSON object."""
        if isinstance(self.value, dict):
            self.text = change(self.text)
            self.value = json_value(self.text.encode("utf-8", "surrogateescape"))

    def finished(self) -> Step:
        """Return the message with its changes."""
        return replace(self.step, payload=self.text.encode("utf-8", "surrogateescape"))


def continued(fails: ClientScript, works: ClientScript) -> ClientScript:
    """Return a script that stopped, continued with what the other client sends after the same message."""
    draft = ScriptDraft(fails)
    shared = [n for n, each in enumerate(works.steps) if draft.step(each.key)]
    headers = fails.steps[-1].headers
    for each in works.steps[shared[-1] + 1 if shared else 0 :]:
        if each.key in OPENINGS and not (each.key == "notifications/initialized" and draft.step("initialize")):
            continue  # another opening is a difference
        draft.insert(replace(each, headers=headers or each.headers), "")
    return draft.finished()
