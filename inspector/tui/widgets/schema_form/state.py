"""The state behind a form: one value, what its schema says of it, and where each problem is to be read.

Widgets read and write through it and never keep a value of their own, so the form and the JSON text can't disagree.
It draws nothing. The value is never changed in place; whoever holds an older one keeps what he had.
"""

from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from inspector.forms.fields import (
    UNSET,
    ArrayField,
    BoolField,
    ChoiceField,
    ConstField,
    Field,
    JsonField,
    LazyField,
    NullField,
    NumberField,
    ObjectField,
    Opened,
    TextField,
    UnionField,
    opened,
)
from inspector.forms.paths import Path, get_at, move_at, place_in_form, remove_at, set_at
from inspector.forms.patterns import PatternUnusable, matches
from inspector.forms.read_schema import read_schema
from inspector.forms.typed import parse_text
from inspector.forms.validate import Problem, Validation, validate
from inspector.forms.values import FormValue, branch_of, fits, from_json, initial_value, to_json
from inspector.tui.widgets.schema_form.editors import in_a_line, many

MOST_DRAWN: Final = 300
"""Fields that are drawn at once; a value with more of them is written as JSON."""
_MOST_UNDONE: Final = 200
"""Changes that can be undone."""


def _nothing() -> None:
    """Nobody wants to know."""


class FormState:
    """A schema and the value that is being made for it."""

    def __init__(self, schema: object, value: FormValue = UNSET) -> None:
        self.schema = schema
        self.root: Opened = read_schema(schema)
        self.value: FormValue = initial_value(self.root) if value is UNSET else value
        self.verdict: Validation | None = None
        """Of the value as it is now; None until somebody judged it."""
        self.changed: Callable[[], None] = _nothing
        """Called after each change of the value."""
        self.insists = False
        """Whether what is missing is complained of in fields that nobody has been to."""
        self._touched: set[Path] = set()
        self._past: list[tuple[Path, FormValue]] = []
        """Earlier values, the newest last, each with the place that was changed after it."""
        self._future: list[tuple[Path, FormValue]] = []
        """What was undone, the first to be redone last."""
        self._run: tuple[Path, str] | None = None
        """The place and kind of the change before this one; see `put`."""

    @property
    def arguments(self) -> object:
        """The JSON to send; UNSET for nothing at all."""
        return to_json(self.value)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the value, as far as it has been judged."""
        return self.verdict.problems if self.verdict else ()

    @property
    def awaited(self) -> int:
        """How many of the problems are only fields that must be given and that nobody has been to yet."""
        return sum(self._is_awaited(problem, place_in_form(self.value, problem.path)) for problem in self.problems)

    def _is_awaited(self, problem: Problem, place: Path) -> bool:
        return problem.keyword == "required" and not self.insists and place not in self._touched

    def at(self, path: Path) -> FormValue:
        """What is at a place, or UNSET."""
        return get_at(self.value, path)

    def put(self, path: Path, value: FormValue, run: str = "") -> None:
        """Write at a place; UNSET keeps the place and sends nothing.

        `run` names a series of changes, such as typing, that is undone together. "" is a step of its own.
        """
        self._touched.add(path)
        self._take(path, set_at(self.value, path, value), run)

    def remove(self, path: Path) -> None:
        """Take a member or an item away, place and all."""
        self._take(path[:-1], remove_at(self.value, path))

    def move(self, path: Path, to: int) -> None:
        """Move an item of a list."""
        self._take(path[:-1], move_at(self.value, path, to))

    def replace(self, value: FormValue) -> None:
        """Take another value for the whole."""
        self._take((), value)

    def take_json(self, value: object, run: str = "") -> None:
        """Take any JSON for the whole; see `put` for `run`."""
        self._take((), from_json(self.root, value), run)

    def undo(self) -> Path | None:
        """Take back the last change; the place that it was at, None if there is nothing to undo."""
        return self._step_back(self._past, self._future)

    def redo(self) -> Path | None:
        """Make the change again that was undone last; its place, None if there is none."""
        return self._step_back(self._future, self._past)

    def _step_back(self, source: list[tuple[Path, FormValue]], other: list[tuple[Path, FormValue]]) -> Path | None:
        if not source:
            return None
        path, value = source.pop()
        other.append((path, self.value))
        self._run = None
        self._become(value)
        return path

    def _take(self, path: Path, value: FormValue, run: str = "") -> None:
        goes_on = bool(run) and self._run == (path, run)
        if not goes_on:
            self._past = [*self._past[-_MOST_UNDONE + 1 :], (path, self.value)]
        self._run = (path, run)
        self._future.clear()
        self._become(value)

    def _become(self, value: FormValue) -> None:
        self.value = value
        self.verdict = None
        self.changed()

    def judge(self, clock: Callable[[], float]) -> Validation:
        """Judge what would be sent. May take a quarter of a second: not for an event loop."""
        value = to_json(self.value)
        return validate(self.schema, {} if value is UNSET else value, clock=clock)

    def told_at(self, drawn: "set[Path]") -> dict[Path, list[str]]:
        """Where each problem is to be read: at its place, or at the nearest drawn one around it."""
        told: dict[Path, list[str]] = {}
        for problem in self.problems:
            place = place_in_form(self.value, problem.path)
            if self._is_awaited(problem, place):
                continue
            whole = place
            while place not in drawn and place:
                place = place[:-1]
            inner = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in whole[len(place) :])
            said = f"{inner.lstrip('.')} {problem.sentence}" if inner else problem.sentence
            told.setdefault(place, []).append(said)
        return told


def drawn_count(field: Field, value: FormValue, most: int = MOST_DRAWN) -> int:
    """How many fields a form for `value` draws, counting no further than a few past `most`."""
    if not isinstance(value, dict | list) or not isinstance(opened(field), ObjectField | ArrayField | UnionField):
        return 1
    count = 1
    for step, each in value.items() if isinstance(value, dict) else enumerate(value):
        inner = child_field(field, value, step)
        count += 1 if inner is None else drawn_count(inner, each, most - count)
        if count > most:
            break
    return count


def child_field(field: Field, value: FormValue, step: str | int) -> Field | None:
    """The field of a member or an item of `value`; None if the form would draw none there."""
    asked = opened(field)
    if isinstance(asked, UnionField):
        branch = branch_of(asked, value)
        return None if branch is None else child_field(asked.branches[branch].field, value, step)
    if isinstance(asked, ObjectField) and isinstance(step, str):
        return member_field(asked, step)
    if isinstance(asked, ArrayField) and isinstance(step, int):
        return asked.item_at(step)
    return None


def member_field(asked: ObjectField, name: str) -> Field | None:
    """The field of a member, whether the schema names it or not; None if nothing is said of it."""
    named = asked.child(name)
    if named is not None:
        return named
    for pattern, field in asked.patterns:
        try:
            if matches(pattern, name):
                return field
        except PatternUnusable:
            continue
    return None if isinstance(asked.additional, bool) else asked.additional


# The shape of a field: which of the few ways of drawing fits its kind and its value of the moment.

Shape: TypeAlias = Literal[
    "lazy", "absent", "null", "picker", "options", "several", "line", "block", "number", "json", "object", "list",
    "union",
]  # fmt: skip
"""`lazy` is not read yet, `absent` a container that is unset, `picker` a long list of choices."""


def shape_of(field: Field, value: FormValue) -> Shape:
    """The shape for a value."""
    if isinstance(field, LazyField) and value is UNSET:
        return "lazy"
    asked = opened(field)
    if isinstance(asked, BoolField | ConstField) or (isinstance(asked, ChoiceField) and not asked.multi):
        if value is not None and not fits(asked, value):
            return "json"
        return "picker" if isinstance(asked, ChoiceField) and many(asked) else "options"
    if value is None and not isinstance(asked, JsonField):
        return "null"
    if isinstance(asked, NumberField) and isinstance(value, str) and parse_text(asked, value).problem:
        return "number"  # what was typed is sent, though it is not a number
    if not fits(asked, value) and not isinstance(asked, UnionField):
        return "json"
    return _of_kind(asked, value)


def _of_kind(asked: Opened, value: FormValue) -> Shape:
    match asked:
        case TextField():
            return "line" if in_a_line(asked, value) else "block"
        case NumberField():
            return "number"
        case ObjectField():
            return "absent" if value is UNSET else "object"
        case ArrayField():
            return "absent" if value is UNSET else "list"
        case UnionField():
            return "union"
        case ChoiceField():
            return "several"
        case NullField() | JsonField() | BoolField() | ConstField():
            return "json"
