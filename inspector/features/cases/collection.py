"""Saved calls: case files that refer to each other, with their variables and environments, and the order of a run.

All variables share one namespace. Values of earlier results take precedence over the environment, the environment
over the file, and the file over the files it uses. Server results are never searched for markers.
"""

import re
from collections.abc import Iterator, Sequence
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
from inspector.features.cases.model import MARKER, CallEnvironment, CallVariable, CaseDefinition, Cases, Marker
from inspector.protocol import peek
from inspector.protocol.credentials import is_credential

SUFFIX = ".mcp.yaml"
"""Suffix of a file of saved calls."""
ENVIRONMENTS = "env"
"""Name of the directory with the environments, beside the file."""
_MOST_FILES = 1000
_BREAK = "Remove one of these uses."
_RELATIVE = "The path is relative to this file."


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


class SavedCall(msgspec.Struct, frozen=True):
    """A call in a file, or the reason why the file can't be read."""

    path: Path
    case: CaseDefinition | None = None
    fault: str = ""
    """May quote untrusted text."""
    target: str = ""
    """URL or name of a configured server that the file names; "" if it names none."""


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
    rewrite(path, with_copy(found, _case_named(found, path, name)))


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
    known = set(variables_of(collection))
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


def variables_of(collection: Collection) -> dict[str, tuple[CallVariable, Path]]:
    """Return all variables that have a value before the run, with the file of each."""
    found: dict[str, tuple[CallVariable, Path]] = {}
    for other in reversed(collection.others):
        found |= variables_of(other)
    found |= {each.name: (each, collection.path) for each in collection.cases.variables}
    if (environment := collection.environment) is not None:
        file = collection.path.parent / ENVIRONMENTS / f"{environment.name}.yaml"
        found |= {each.name: (each, file) for each in environment.variables}
    return found


def _at(home: Collection, case: CaseDefinition) -> str:
    return f"{home.path}, line {case.line}"
