"""The values of variables and secrets while the cases of a collection run."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from inspector.errors import UsageError
from inspector.features.cases.collection import CallInPlan, Collection, near_to, variables_of
from inspector.features.cases.model import (
    MARKER,
    CaseDefinition,
    Expectation,
    ExpectationKind,
    Marker,
    SavedValue,
    references,
)
from inspector.protocol import peek
from inspector.protocol.changes import ABSENT
from inspector.protocol.credentials import MASK

_SHORTEST_SECRET = 4
"""Minimum length of a secret that is masked wherever it appears. A shorter one would mask ordinary text."""
SecretReader = Callable[[str, str], str | None]
"""Returns a secret, given its source ("env" or "keyring") and its name; None if there is none."""
_MISSING = {
    "env": ("the environment variable {} is not set", "Set it before; the file has only its name."),
    "keyring": ("the keyring has no secret {}", "Store it with: keyring set mcp-inspect {}"),
}
_SERVICE = "mcp-inspect"
"""Service name of mcp-inspect's secrets in the keyring."""


class Values:
    """The values of variables and secrets while the cases of a collection run."""

    def __init__(self, collection: Collection, secret: SecretReader) -> None:
        """Create the values; nothing is resolved yet."""
        self._variables = variables_of(collection)
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


def as_expected(expectations: Sequence[Expectation], values: Values) -> tuple[Expectation, ...]:
    """Return the expectations with secrets masked, so that a masked response can satisfy them."""
    return tuple(msgspec.structs.replace(each, value=values.masked(each.value)) for each in expectations)


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
