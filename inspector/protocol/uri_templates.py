"""URI templates (RFC 6570): their variables, their defects, and their expansion.

The grammar is checked here, because the library expands any input. The library does the expansion, and is imported
when the first template is expanded. An invalid template is never expanded, because the intended URI is unknown. One
violation is allowed with a note: names such as `user-id`, which many servers use.
"""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import msgspec

MOST_CHARACTERS = 8_000
"""Maximum length of a template, and of a value."""
_OPERATORS = "+#./;?&"
_RESERVED = "=,!@|"
_NEEDED = ("", "+")
"""Operators of expressions whose value is rarely meant to be empty."""
_LITERALS = "%:/?#[]@!$&'()*+,;=-._~"
"""What literal parts keep besides letters and digits: reserved and unreserved characters, and encoded ones."""
_LONE_PERCENT = re.compile("%(?![0-9A-Fa-f]{2})")
_EXPRESSION = re.compile(r"\{([^{}]*)\}")
_VARIABLE = re.compile(r"([^:*\s,{}]+)(:[1-9][0-9]{0,3}|\*)?")
_NAME = re.compile(r"(?:\w|%[0-9A-Fa-f]{2})+(?:\.(?:\w|%[0-9A-Fa-f]{2})+)*", re.ASCII)


class Variable(msgspec.Struct, frozen=True):
    name: str
    needed: bool
    """Whether the URI is incomplete without it; otherwise its expression is simply omitted."""
    several: bool = False
    """Whether its lists are exploded (`*`)."""
    prefix: int = 0
    """Maximum number of characters of its value that are used; 0 for all."""


class UriTemplate(msgspec.Struct, frozen=True):
    """A parsed template."""

    text: str
    variables: tuple[Variable, ...] = ()
    """The variables without duplicates, in order of first use."""
    problem: str = ""
    """Why it can't be expanded, as a phrase; "" if it can."""
    note: str = ""
    """A note for the user about a tolerated violation; usually ""."""

    @property
    def encoded(self) -> str:
        """The template with its literal parts percent-encoded, as they are in the URI (RFC 6570, section 3.1)."""
        parts = _EXPRESSION.split(self.text)
        parts[::2] = [quote(_LONE_PERCENT.sub("%25", each), safe=_LITERALS, errors="replace") for each in parts[::2]]
        parts[1::2] = [f"{{{each}}}" for each in parts[1::2]]
        return "".join(parts)


class Expanded(msgspec.Struct, frozen=True):
    """The result of an expansion: a URI, or why there is none."""

    uri: str
    problem: str = ""


def take_apart(text: str) -> UriTemplate:
    """Parse a template. Raises nothing: a defect is in `problem`."""
    if not text:
        return UriTemplate(text, problem="it is empty")
    if len(text) > MOST_CHARACTERS:
        return UriTemplate(text, problem=f"it has more than {MOST_CHARACTERS:,} characters")
    for brace, lacks in (("{", "never closed"), ("}", "never opened")):
        if brace in _EXPRESSION.sub("", text):
            return UriTemplate(text, problem=f"a brace in it is {lacks}")
    variables: dict[str, Variable] = {}
    for expression in _EXPRESSION.findall(text):
        found = _variables(expression)
        if isinstance(found, str):
            return UriTemplate(text, problem=found)
        for each in found:
            variables.setdefault(each.name, each)
    odd = [name for name in variables if not _NAME.fullmatch(name)]
    note = f"{odd[0]!r} is no variable name of RFC 6570" if odd else ""
    return UriTemplate(text, tuple(variables.values()), note=note)


def _variables(expression: str) -> list[Variable] | str:
    """Return the variables of an expression, or what is wrong with it."""
    operator = expression[:1] if expression[:1] in _OPERATORS and expression else ""
    if expression[:1] in _RESERVED and expression:
        return f"{{{expression}}} begins with {expression[0]!r}, which RFC 6570 keeps for later"
    names = expression[len(operator) :]
    if not names:
        return f"{{{expression}}} names no variable"
    found = []
    for each in names.split(","):
        matched = _VARIABLE.fullmatch(each)
        if matched is None:
            return f"{each!r} in {{{expression}}} is no variable"
        modifier = matched[2] or ""
        prefix = int(modifier[1:]) if modifier.startswith(":") else 0
        found.append(Variable(matched[1], operator in _NEEDED, modifier == "*", prefix))
    return found


def expand(template: UriTemplate, values: Mapping[str, Any]) -> Expanded:
    """Expand a template. Variables without a value are omitted, and an expression without any as well.

    Values are strings, or lists or objects of strings; numbers and booleans are formatted as in JSON.
    """
    if template.problem:
        return Expanded("", template.problem)
    given: dict[str, Any] = {}
    for variable in template.variables:
        value = _value(values.get(variable.name))
        if value is None:
            continue
        if variable.prefix and not isinstance(value, str):
            return Expanded("", f"{variable.name} is cut to {variable.prefix} characters, so it must be a text")
        if len(str(value)) > MOST_CHARACTERS:
            return Expanded("", f"the value of {variable.name} has more than {MOST_CHARACTERS:,} characters")
        given[variable.name] = value
    from uritemplate import URITemplate

    uri = URITemplate(template.encoded).expand(given)
    return Expanded(uri, "" if uri else "it expands to nothing")


def _value(value: Any) -> Any:
    """Convert a value for the library; None to omit it, which RFC 6570 also requires for empty lists."""
    match value:
        case bool():
            return "true" if value else "false"
        case str() | None:
            return value
        case list():
            return [_flat(each) for each in value if each is not None] or None
        case dict():
            return {key: _flat(each) for key, each in value.items() if each is not None} or None
        case _:
            return str(value)


def _flat(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def could_have_made(template: UriTemplate, uri: str) -> bool:
    """Return whether a URI has all literal parts of a template, in order: a heuristic to find a read's template."""
    if template.problem or not template.variables:
        return uri in (template.text, template.encoded)
    first, *rest = _EXPRESSION.split(template.encoded)[::2]
    if not uri.startswith(first):
        return False
    at = len(first)
    for part in rest[:-1]:
        found = uri.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return uri[at:].endswith(rest[-1])
