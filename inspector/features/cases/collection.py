"""Saved calls: case files that refer to each other, with their variables and environments, and the values of one run.

All variables share one namespace. Values of earlier results take precedence over the environment, the environment
over the file, and the file over the files it uses. Server results are never searched for markers.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import msgspec

from inspector.errors import UsageError
from inspector.features.cases.file import (
    open_cases,
    open_environment,
    open_or_begin,
    rewrite,
    with_copy,
    with_name,
    without_case,
)
from inspector.features.cases.model import (
    MARKER,
    CallEnvironment,
    CallVariable,
    CaseDefinition,
    Cases,
    Expectation,
    ExpectationKind,
    Marker,
    SavedValue,
    references,
)
from inspector.protocol import peek
from inspector.protocol.changes import ABSENT
from inspector.protocol.credentials import MASK, is_credential

SUFFIX = ".mcp.yaml"
"""Suffix of a file of saved calls."""
ENVIRONMENTS = "env"
"""Name of the directory with the environments, beside the file."""
_SHORTEST_SECRET = 4
"""Minimum length of a secret that is masked wherever it appears. A shorter one would mask ordinary text."""
_MOST_FILES = 1000
SecretReader = Callable[[str, str], str | None]
"""Returns a secret, given its source ("env" or "keyring") and its name; None if there is none."""

_BREAK = "Remove one of these uses."
_RELATIVE = "The path is relative to this file."

_MISSING = {
    "env": ("the environment variable {} is not set", "Set it before; the file has only its name."),
    "keyring": ("the keyring has no secret {}", "Store it with: keyring set mcp-inspect {}"),
}

_SERVICE = "mcp-inspect"
"""Service name of mcp-inspect's secrets in the keyring."""


class Collection(msgspec.Struct, frozen=True):
    """A case file with the files that it uses."""

    path: Path
    cases: Cases
    others: tuple["Collection", ...] = ()
    environment: CallEnvironment | None = None

    @property
    def target(self) -> str:
        """URL or name of a configured server; "" if neither the environment nor the file names one."""
        return (self.environment.target if self.environment is not None else "") or self.cases.target

    def walk(self) -> Iterator["Collection"]:
        """Yield this file, then the files it uses. A file that is used twice is yielded twice."""
        yield self
        for other in self.others:
            yield from other.walk()


class CallInPlan(msgspec.Struct, frozen=True):
    """A case that will run."""

    case: CaseDefinition
    file: Path
    chosen: bool = True
    """False for a case that runs only because another case uses it."""


# Files


def open_collection(path: Path, environment: str = "") -> Collection:
    """Read a file with the files that it uses, and the environment of this name; "" for none. Raises: UsageError."""
    found = _open(path, ())
    if not environment:
        return found
    return msgspec.structs.replace(found, environment=_environment(path, environment))


def environments(path: Path) -> tuple[str, ...]:
    """Return the names of the environments beside a file, sorted."""
    try:
        return tuple(sorted(each.stem for each in (path.parent / ENVIRONMENTS).glob("*.yaml") if each.is_file()))
    except OSError:
        return ()


def collections_near(directory: Path) -> tuple[Path, ...]:
    """Return the files of saved calls in the nearest directory that has any, searching up to the repository's root."""
    for place in (directory, *directory.parents):
        try:
            found = sorted(each for each in place.glob(f"*{SUFFIX}") if each.is_file())[:_MOST_FILES]
            if found or (place / ".git").exists():
                return tuple(found)
        except OSError:
            return ()
    return ()


def _open(path: Path, above: tuple[Path, ...]) -> Collection:
    real = path.resolve()
    if real in above:
        names = [each.name for each in (*above[above.index(real) :], real)]
        raise UsageError(f"{above[-1]}: files use each other in a cycle: {' → '.join(names)}", hint=_BREAK)
    cases = open_cases(path)
    others: list[Collection] = []
    for used in cases.uses:
        file = path.parent / used.name
        if not file.is_file():
            near = near_to(used.name, [each.name for each in path.parent.glob(f"*{SUFFIX}")])
            raise UsageError(f"{path}, line {used.line}: uses {used.name}: no such file", hint=near or _RELATIVE)
        others.append(_open(file, (*above, real)))
    return Collection(path, cases, tuple(others))


def _environment(path: Path, name: str) -> CallEnvironment:
    known = environments(path)
    if name not in known:
        near = near_to(name, known)
        there = f"There are: {', '.join(known)}." if known else f"Write {path.parent / ENVIRONMENTS / f'{name}.yaml'}."
        raise UsageError(f"{path}: there is no environment {name!r}", hint=near or there)
    return open_environment(path.parent / ENVIRONMENTS / f"{name}.yaml", name)


def near_to(name: str, known: Sequence[str]) -> str:
    """Return a hint with the known names that are similar; "" if there are none."""
    near = get_close_matches(name, known, n=1)
    return f"Did you mean {near[0]!r}?" if near else ""


# Saved calls of a project, for display and editing in the terminal interface


class SavedCall(msgspec.Struct, frozen=True):
    """A call in a file, or the reason why the file can't be read."""

    path: Path
    case: CaseDefinition | None = None
    fault: str = ""
    """May quote untrusted text."""
    target: str = ""
    """URL or name of a configured server that the file names; "" if it names none."""


def saved_calls(files: Sequence[Path]) -> list[SavedCall]:
    """Read the calls of these files from disk, in file order."""
    found: list[SavedCall] = []
    for path in files:
        try:
            cases = open_collection(path).cases
            found += [SavedCall(path, case, target=cases.target) for case in cases.cases]
        except UsageError as error:
            found.append(SavedCall(path, None, f"{error}. {error.hint}".replace(str(path), path.name)))
    return found


def save_call(path: Path, name: str, method: str, params: Any) -> tuple[str, ...]:
    """Add a call to a file, and create the file if needed; return the environment variables that replace its secrets.

    Markers in the params are kept. If the name is taken, a number is appended. Raises: UsageError.
    """
    secrets: list[str] = []
    wanted = _by_name(peek.mapping(params), "", secrets)
    wanted.pop("_meta", None)
    rewrite(path, with_copy(open_or_begin(path), CaseDefinition(name, method, wanted)))
    return tuple(dict.fromkeys(secrets))


def rename_call(path: Path, name: str, new: str) -> None:
    """Rename a call, also in the calls that use it. Raises: UsageError."""
    found = open_cases(path)
    rewrite(path, with_name(found, _case_named(found, path, name), new))


def duplicate_call(path: Path, name: str) -> None:
    """Add a copy of a call, with a number appended to its name. Raises: UsageError."""
    found = open_cases(path)
    case = _case_named(found, path, name)
    rewrite(path, with_copy(found, case))


def delete_call(path: Path, name: str) -> None:
    """Remove a call. Raises: UsageError, also if another call uses it."""
    found = open_cases(path)
    case = _case_named(found, path, name)
    if user := next((each.name for each in found.cases if name in each.uses), ""):
        raise UsageError(f"{user!r} uses {name!r}", hint="Delete that call first, or remove its `uses`.")
    rewrite(path, without_case(found, case))


def _case_named(found: Cases, path: Path, name: str) -> CaseDefinition:
    for case in found.cases:
        if case.name == name:
            return case
    raise UsageError(f"{path}: no call is named {name!r} any more")


def _by_name(value: Any, name: str, secrets: list[str]) -> Any:
    """Return the value with markers in place of secrets, which are recognized by their member names."""
    if isinstance(value, dict):
        return {key: _by_name(each, str(key), secrets) for key, each in value.items()}
    if isinstance(value, list):
        return [_by_name(each, name, secrets) for each in value]
    if name and isinstance(value, str) and value and is_credential(name) and MARKER.search(value) is None:
        variable = re.sub(r"[^A-Z0-9]+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()).strip("_")
        secrets.append(variable or "SECRET")
        return f"${{env:{secrets[-1]}}}"
    return value


# Order


def planned(collection: Collection, chosen: Sequence[CaseDefinition]) -> tuple[CallInPlan, ...]:
    """Return these cases in file order, each after the cases that it uses, without duplicates.

    Raises: UsageError for a cycle, an unknown name, or a variable that has no value when its case runs.
    """
    plan: dict[tuple[Path, str], CallInPlan] = {}
    wanted = {each.name for each in chosen}

    def add(home: Collection, case: CaseDefinition, above: tuple[str, ...]) -> None:
        if case.name in above:
            cycle = " → ".join((*above[above.index(case.name) :], case.name))
            raise UsageError(f"{_at(home, case)}: cases use each other in a cycle: {cycle}", hint=_BREAK)
        if (home.path, case.name) in plan:
            return
        for name in case.uses:
            add(*_used(home, case, name), (*above, case.name))
        is_chosen = home is collection and case.name in wanted
        plan[home.path, case.name] = CallInPlan(case, home.path, is_chosen)

    for case in chosen:
        add(collection, case, ())
    ordered = tuple(plan.values())
    _demand_values(collection, ordered)
    return ordered


def _used(home: Collection, case: CaseDefinition, name: str) -> tuple[Collection, CaseDefinition]:
    for place in home.walk():
        for each in place.cases.cases:
            if each.name == name:
                return place, each
    names = [each.name for place in home.walk() for each in place.cases.cases]
    raise UsageError(
        f"{_at(home, case)}: case {case.name!r} uses {name!r}, which is not a case of this file or one it uses",
        hint=near_to(name, names) or "Names are compared exactly.",
    )


def _demand_values(collection: Collection, plan: Sequence[CallInPlan]) -> None:
    """Check that each variable has a value when its case runs."""
    known = set(_variables(collection))
    saved: set[str] = set()
    for each in plan:
        for reference in each.case.references:
            if not reference.source and reference.name not in known | saved:
                raise _no_value(collection, each, reference, sorted(known | saved))
        saved.update(value.name for value in each.case.save)


def _no_value(collection: Collection, call: CallInPlan, reference: Marker, known: Sequence[str]) -> UsageError:
    where = f"{call.file}, line {reference.line}"
    savers = [
        case.name
        for place in collection.walk()
        for case in place.cases.cases
        if any(value.name == reference.name for value in case.save)
    ]
    if savers and savers != [call.case.name]:
        return UsageError(
            f"{where}: {reference.shown} has no value when {call.case.name!r} runs: {savers[0]!r} saves it",
            hint=f"Add `uses: [{savers[0]}]` to {call.case.name!r}, and the other case runs first.",
        )
    hint = near_to(reference.name, known) or (f"There are: {', '.join(known)}." if known else "Define it in `vars`.")
    if collection.environment is None and not near_to(reference.name, known):
        hint += " Values of an environment need --env NAME."
    return UsageError(f"{where}: unknown variable {reference.name!r}", hint=hint)


def _variables(collection: Collection) -> dict[str, tuple[CallVariable, Path]]:
    """Return all variables that have a value before the run, with the file of each."""
    found: dict[str, tuple[CallVariable, Path]] = {}
    for other in reversed(collection.others):
        found |= _variables(other)
    found |= {each.name: (each, collection.path) for each in collection.cases.variables}
    if (environment := collection.environment) is not None:
        file = collection.path.parent / ENVIRONMENTS / f"{environment.name}.yaml"
        found |= {each.name: (each, file) for each in environment.variables}
    return found


def _at(home: Collection, case: CaseDefinition) -> str:
    return f"{home.path}, line {case.line}"


# Values of one run


class Values:
    """The values of variables and secrets while the cases of a collection run."""

    def __init__(self, collection: Collection, secret: SecretReader) -> None:
        """Create the values; nothing is resolved yet."""
        self._variables = _variables(collection)
        self._secret = secret
        self._known: dict[str, Any] = {}
        self._secrets: dict[tuple[str, str], str] = {}

    @property
    def secrets(self) -> tuple[str, ...]:
        """Resolved secrets, longest first, without those that are too short to be masked."""
        found = {each for each in self._secrets.values() if len(each) >= _SHORTEST_SECRET}
        return tuple(sorted(found, key=len, reverse=True))

    def prepare(self, plan: Sequence[CallInPlan]) -> None:
        """Resolve what these cases refer to, except for values of results.

        Raises: UsageError for a cycle of variables, a missing secret, or an object inside a text.
        """
        for call in plan:
            for reference in call.case.references:
                if reference.source:
                    self._resolve_secret(reference, call.file)
                elif reference.name in self._variables:
                    self._resolve(reference, call.file, ())

    def resolved(self, case: CaseDefinition) -> CaseDefinition:
        """Return the case as it is sent.

        Raises: UsageError for a variable without a value, or an object inside a text.
        """
        where = ""
        return msgspec.structs.replace(
            case,
            params=self.value(case.params, where),
            answers=tuple(self.value(each, where) for each in case.answers),
            expect=tuple(
                msgspec.structs.replace(each, value=self.value(each.value, where))
                if each.kind is ExpectationKind.EQUALS
                else each
                for each in case.expect
            ),
        )

    def value(self, value: Any, where: str) -> Any:
        """Return a value with its markers replaced. Raises: UsageError."""
        if isinstance(value, dict):
            return {name: self.value(each, where) for name, each in value.items()}
        if isinstance(value, list):
            return [self.value(each, where) for each in value]
        return self._text(value, where) if isinstance(value, str) else value

    def filled(self, params: Any) -> tuple[Any, tuple[str, ...]]:
        """Return params for display, and the markers in them that have no value, such as secrets."""
        left: list[str] = []

        def fill(value: Any) -> Any:
            if isinstance(value, dict):
                return {name: fill(each) for name, each in value.items()}
            if isinstance(value, list):
                return [fill(each) for each in value]
            if not isinstance(value, str):
                return value
            try:
                for each in references(value):
                    if each.source:
                        raise UsageError(each.shown)
                    if each.name in self._variables:
                        self._resolve(each, Path(), ())
                return self.value(value, "")
            except UsageError:
                left.extend(each.shown for each in references(value))
                return value

        return fill(params), tuple(dict.fromkeys(left))

    def save(self, case: CaseDefinition, reply: Mapping[str, Any]) -> tuple[str, ...]:
        """Save the values that a case takes from its result; return a sentence for each missing value."""
        faults: list[str] = []
        for each in case.save:
            found = ABSENT if "result" not in reply else picked(reply["result"], each)
            if found is ABSENT:
                self._known.pop(each.name, None)
                faults.append(f"save {each.name}: {each.path} is not in the result")
            else:
                self._known[each.name] = found
        return tuple(faults)

    def known(self, name: str) -> Any:
        """Return the value of a variable; ABSENT if it has none yet."""
        return self._known.get(name, ABSENT)

    def masked(self, value: Any) -> Any:
        """Return a value or a text with its secrets masked."""
        if isinstance(value, str):
            for secret in self.secrets:
                value = value.replace(secret, MASK)
            return value
        if not self.secrets or not isinstance(value, dict | list):
            return value
        if isinstance(value, dict):
            return {self.masked(name): self.masked(each) for name, each in value.items()}
        return [self.masked(each) for each in value]

    def _text(self, text: str, where: str) -> Any:
        whole = MARKER.fullmatch(text)
        if whole is not None and not whole[1]:
            return self._found(_reference(whole), where)
        parts: list[str] = []
        at = 0
        for found in MARKER.finditer(text):
            parts.append(text[at : found.start()])
            at = found.end()
            parts.append(found[0][1:] if found[1] else _inside(self._found(_reference(found), where), found[0], where))
        return "".join([*parts, text[at:]])

    def _found(self, reference: Marker, where: str) -> Any:
        secret = reference.source, reference.name
        found: Any = self._secrets[secret] if reference.source else self._known.get(reference.name, ABSENT)
        if found is ABSENT:
            raise UsageError(f"{reference.shown} has no value: the case that saves it did not pass")
        return found

    def _resolve(self, reference: Marker, file: Path, above: tuple[str, ...]) -> None:
        """Resolve a variable, after the variables that it refers to."""
        variable, home = self._variables[reference.name]
        if reference.name in above:
            cycle = " → ".join((*above[above.index(reference.name) :], reference.name))
            raise UsageError(
                f"{home}, line {variable.line}: variables refer to each other in a cycle: {cycle}",
                hint="Give one of them a value of its own.",
            )
        if reference.name not in self._known:
            for each in variable.references:
                if each.source:
                    self._resolve_secret(each, home)
                elif each.name in self._variables:
                    self._resolve(each, home, (*above, reference.name))
                else:
                    hint = near_to(each.name, [*self._variables]) or "A variable refers to variables, not to results."
                    raise UsageError(f"{home}, line {each.line}: unknown variable {each.name!r}", hint=hint)
            self._known[reference.name] = self.value(variable.value, f"{home}, line {variable.line}")
        if reference.is_part:
            _inside(self._known[reference.name], reference.shown, f"{file}, line {reference.line}")

    def _resolve_secret(self, reference: Marker, file: Path) -> None:
        key = reference.source, reference.name
        if key in self._secrets:
            return
        found = self._secret(*key)
        if found is None:
            what, hint = _MISSING[reference.source]
            raise UsageError(
                f"{file}, line {reference.line}: {what.format(reference.name)}", hint=hint.format(reference.name)
            )
        self._secrets[key] = found


def secret_from(environ: Mapping[str, str]) -> SecretReader:
    """Return a reader for these environment variables and the system's keyring."""

    def read(source: str, name: str) -> str | None:
        if source == "env":
            return environ.get(name)
        import keyring
        from keyring.errors import KeyringError

        try:
            return keyring.get_password(_SERVICE, name)
        except KeyringError:
            return None

    return read


def picked(result: Any, saved: SavedValue) -> Any:
    """Return the value at a path; ABSENT if there is none. A text on the way is parsed as JSON."""
    value = result
    for step in saved.steps:
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                return ABSENT
        if isinstance(step, int):
            if not isinstance(value, list) or not -len(value) <= step < len(value):
                return ABSENT
            value = value[step]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            return ABSENT
    return value


def _inside(value: Any, marker: str, where: str) -> str:
    """Return the text of a value that is part of a longer text."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict | list):
        raise UsageError(
            f"{where}{': ' if where else ''}wrong type: {marker} is an {peek.type_name(value)} inside a text",
            hint="Use it as the whole value, or save a part of it.",
        )
    return json.dumps(value)


def _reference(found: Any) -> Marker:
    return Marker(found[2] or found[4], found[3] or "")


def as_expected(expectations: Sequence[Expectation], values: Values) -> tuple[Expectation, ...]:
    """Return the expectations with secrets masked, so that a masked response can satisfy them."""
    return tuple(msgspec.structs.replace(each, value=values.masked(each.value)) for each in expectations)
