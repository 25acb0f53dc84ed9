"""State of a form: one value, its schema, and the field at which each problem is shown.

Widgets read and write through it and never keep their own value, so form and JSON text can't disagree. It draws
nothing. Values are never changed in place: references to an older value stay valid.
"""

from collections.abc import Callable, Sequence
from typing import Final, Literal, TypeAlias

from inspector.forms.fields import (
    UNSET,
    ArrayField,
    BoolField,
    ChoiceField,
    ConstField,
    Field,
    LazyField,
    ObjectField,
    Opened,
    TextField,
    UnionField,
    opened,
)
from inspector.forms.interpret import Reading, text_for
from inspector.forms.paths import Path, get_at, move_at, remove_at, set_at
from inspector.forms.patterns import PatternUnusable, matches
from inspector.forms.read_schema import read_schema
from inspector.forms.validate import Problem, Validation, validate
from inspector.forms.values import FormValue, branch_of, fits, from_json, initial_value, to_json
from inspector.tui.widgets.schema_form.editors import LONGEST_LINE, many

MOST_DRAWN: Final = 2_000
"""Maximum number of fields drawn; a value with more of them is shown as JSON."""
_MOST_UNDONE: Final = 200
"""Maximum number of changes that can be undone."""


class FormState:
    """A schema and the value that is edited for it."""

    def __init__(self, schema: object, value: FormValue = UNSET) -> None:
        self.schema = schema
        self.root: Opened = read_schema(schema)
        self.value: FormValue = initial_value(self.root) if value is UNSET else value
        self.verdict: Validation | None = None
        """Validation of the current value; None if it is pending."""
        self.changed: Callable[[], None] = lambda: None
        """Called after each change of the value."""
        self.insists = False
        """Whether missing values are shown as problems in untouched fields as well."""
        self.selected: dict[Path, int] = {}
        """Branches that the user has selected, by the path of their field."""
        self._unread: dict[Path, tuple[FormValue, str]] = {}
        """Texts that are no values of their fields, with the reason; obsolete once the value is another one."""
        self._touched: set[Path] = set()
        self._past: list[tuple[Path, FormValue]] = []
        """Undo stack, the newest last: earlier values, each with the path that was changed after it."""
        self._future: list[tuple[Path, FormValue]] = []
        """Redo stack, the next one last."""
        self._run: tuple[Path, str] | None = None
        """Path and kind of the last change; see `put`."""

    @property
    def arguments(self) -> object:
        """JSON to send; UNSET if nothing is to be sent."""
        return to_json(self.value)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Known problems of the value, without hints."""
        return tuple(each for each in self._violations if not each.is_hint)

    @property
    def hints(self) -> tuple[Problem, ...]:
        """Known violations with which a request is sent without a question."""
        return tuple(each for each in self._violations if each.is_hint)

    @property
    def _violations(self) -> tuple[Problem, ...]:
        return self.verdict.problems if self.verdict else ()

    @property
    def is_wrong(self) -> bool:
        """Whether the value is known to be wrong: a request asks first."""
        return bool(self.problems or self.unread)

    @property
    def awaited(self) -> int:
        """Number of problems that are only missing required values in untouched fields."""
        return sum(map(self._waits_for, self.problems))

    def _waits_for(self, problem: Problem) -> bool:
        is_empty = problem.keyword == "minProperties" and to_json(self.at(problem.path)) == {}
        is_early = (problem.keyword == "required" or is_empty) and not self.insists
        return is_early and problem.path not in self._touched

    def at(self, path: Path) -> FormValue:
        """Return the value at a path, or UNSET."""
        return get_at(self.value, path)

    def put(self, path: Path, value: FormValue, run: str = "") -> None:
        """Set the value at a path; UNSET keeps the place and sends nothing.

        `run` names a series of changes, such as typing, that is undone together. "" is a separate step.
        """
        self._touched.add(path)
        self._take(path, set_at(self.value, path, value), run)

    def type(self, path: Path, reading: Reading, run: str = "") -> None:
        """Set the value that was read from a typed text; see `put` for `run`."""
        self._unread[path] = reading.value, reading.problem
        self.put(path, reading.value, run)

    @property
    def unread(self) -> dict[Path, str]:
        """Why typed texts are no values of their fields, by path; without those that validation reports."""
        reported = {problem.path for problem in self.problems}
        return {
            path: problem
            for path, (value, problem) in self._unread.items()
            if problem and path not in reported and self.at(path) is value
        }

    def why_unread(self, path: Path) -> str:
        """Return why the text typed at a path is no value of its field; "" if it is, or was replaced."""
        value, problem = self._unread.get(path, (None, ""))
        return problem if problem and self.at(path) is value else ""

    def remove(self, path: Path) -> None:
        self._take(path[:-1], remove_at(self.value, path))

    def move(self, path: Path, to: int) -> None:
        self._take(path[:-1], move_at(self.value, path, to))

    def replace(self, value: FormValue) -> None:
        self._take((), value)

    def take_json(self, value: object, run: str = "") -> None:
        """Replace the whole value by any JSON; see `put` for `run`."""
        self._take((), from_json(self.root, value), run)

    def undo(self) -> Path | None:
        """Undo the last change; return its path, or None if there is nothing to undo."""
        return self._step_back(self._past, self._future)

    def redo(self) -> Path | None:
        """Redo the last undone change; return its path, or None if there is nothing to redo."""
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
        """Validate what would be sent. It may take a quarter of a second: do not call it on an event loop."""
        value = to_json(self.value)
        return validate(self.schema, {} if value is UNSET else value, clock=clock)

    def problems_by_path(self, drawn: "set[Path]") -> dict[Path, list[str]]:
        """Return the problems by the path where they are shown: their own, or the nearest one above that is `drawn`."""
        return self._by_path([each for each in self.problems if not self._waits_for(each)], drawn)

    def hints_by_path(self, drawn: "set[Path]") -> dict[Path, list[str]]:
        """Return the hints by the path where they are shown."""
        return self._by_path(self.hints, drawn)

    def _by_path(self, problems: Sequence[Problem], drawn: "set[Path]") -> dict[Path, list[str]]:
        found: dict[Path, list[str]] = {}
        for problem in problems:
            place = problem.path
            while place not in drawn and place:
                place = place[:-1]
            found.setdefault(place, []).append(problem.about(problem.path[len(place) :]))
        return found


Shape: TypeAlias = Literal["opener", "picker", "options", "several", "line", "block", "json", "object", "list", "union"]
"""`opener` is a closed container, `picker` a long list of choices, `block` a text of several lines."""


def drawn_count(field: Field, value: FormValue, most: int = MOST_DRAWN) -> int:
    """Return how many fields a form for `value` draws; counting stops a few past `most`."""
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
    """Return the field of a member or an item of `value`; None if the form would draw none there."""
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
    """Return the field of a member, named in the schema or not; None if the schema does not describe it."""
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


# The shape of a field: how it is drawn, depending on its type and its current value.


def shape_of(field: Field, value: FormValue, selected: int | None = None) -> Shape:
    """Return how a field is drawn. `selected` is the branch that the user has selected."""
    if isinstance(field, LazyField) and (value is UNSET or value is None):
        return "opener"
    asked = opened(field)
    match asked:
        case BoolField() | ConstField() | ChoiceField(multi=False) if value is None or fits(asked, value):
            return "picker" if isinstance(asked, ChoiceField) and many(asked) else "options"
        case ChoiceField(multi=True) if value is UNSET or (fits(asked, value) and value is not None):
            return "several"
        case ObjectField() | ArrayField() | ChoiceField(multi=True) if value is UNSET or value is None:
            return "opener"
        case ObjectField() if fits(asked, value):
            return "object"
        case ArrayField() if fits(asked, value):
            return "list"
        case UnionField() if _is_nested(asked, value, selected):
            return "union"
        case _:
            return _shape_of_text(asked, value, selected)


def _is_nested(asked: UnionField, value: FormValue, selected: int | None) -> bool:
    """Return whether a union is drawn as the fields of a branch rather than as a line to type in."""
    if isinstance(value, dict | list):
        return branch_of(asked, value) is not None
    if value is UNSET and selected is not None and is_container(asked.branches[selected].field):
        return True
    return all(is_container(each.field) for each in asked.branches)  # many of its branches may be large


def is_container(field: Field) -> bool:
    """Return whether a value of the field has fields of its own."""
    return isinstance(opened(field), ObjectField | ArrayField)


def is_secret(asked: Field) -> bool:
    """Whether the text of a field is hidden."""
    return isinstance(asked, TextField) and (asked.write_only or asked.format == "password")


def _shape_of_text(asked: Opened, value: FormValue, selected: int | None) -> Shape:
    found = text_for(asked, value, selected)
    if found is None or isinstance(value, dict | list):
        return "json"
    in_a_line = ("\n" not in found[0] and len(found[0]) <= LONGEST_LINE) or is_secret(asked)
    return "line" if in_a_line and not (isinstance(asked, TextField) and asked.multiline) else "block"
