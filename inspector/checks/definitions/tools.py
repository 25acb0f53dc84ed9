"""Traits of a tool definition: name, texts, annotations, schemas. Pure and bounded.

A trait is a feature with a name used in the compatibility data. Its place is a JSON pointer within the tool.
"""

import re
from collections.abc import Collection
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final

import msgspec

from inspector.checks.definitions.schemas import WalkBudget, features_of
from inspector.checks.definitions.texts import units
from inspector.forms.paths import pointer
from inspector.protocol import peek
from inspector.protocol.headers import mirrors
from inspector.protocol.listed_items import HINTS
from inspector.text import cut

MOST_PROPERTIES: Final = 2_000
"""Maximum members whose descriptions are measured."""
_PLAIN: Final = re.compile(r"[A-Za-z0-9_-]+")
_WRITES: Final = re.compile(
    r"(?i)(?:^|[_.\-/])(delete|remove|drop|write|create|update|insert|send|move|rename|kill|purge|truncate|upload)"
    r"(?=$|[_.\-/])|^(delete|remove|drop|write|create|update|insert|send|rename|purge)(?=(?-i:[A-Z]))"
)
_ONLY_READS: Final = re.compile(
    r"(?i)(?:text|str|string|number|array|json)[_.\-]"
    r"|(?!.*and)(?:check|can|is|get|list|search|find|validate|verify|preview|simulate|estimate|explain|plan|suggest)"
    r"(?:[_.\-]|(?-i:(?=[A-Z])))"
)
"""The beginning of the name of a tool that changes a value that it was given, or only says something."""
_HARMLESS: Final = re.compile(
    r"(?i)\b(?:non-mutating|dry[ -]run|(?:without|instead of|never|not|no) (?:\w+ )?"
    r"(?:apply|modify|writ|mutat|chang|edit|touch|sav|execut|send|delet)\w*)\b"
)
"""A description's assurance that the tool only proposes what its name says."""
_OPTIONAL: Final = {
    "title": str,
    "description": str,
    "annotations": dict,
    "icons": list,
    "execution": dict,
    "_meta": dict,
}


class Trait(msgspec.Struct, frozen=True):
    """A trait of a tool or of all server definitions."""

    kind: str
    pointer: str
    """Within the tool, or within the result that lists it."""
    sentence: str
    amount: int = 0
    """Value of a numeric trait."""


class SeenTool(msgspec.Struct, frozen=True):
    """One tool of a page."""

    place: str
    """JSON pointer within the response."""
    name: str
    """Name for sentences: shortened, and never empty."""
    tool: dict[str, Any]
    traits: tuple[Trait, ...]
    """If many tools of the page have a trait, it is kept for the first `MOST_WITH` tools."""


class TooLong(StrEnum):
    """How a client shortens a name that is too long."""

    CUT = "cut"
    """The end is cut."""
    MIDDLE = "middle"
    """The middle is cut."""
    HASH = "hash"
    """The end is replaced by a hash."""
    NOTHING = "nothing"
    """The name is used unchanged, or the tool is dropped; see the compatibility data."""


class Naming(msgspec.Struct, frozen=True):
    """How one client names tools for its model."""

    template: str
    """“mcp__{server}__{tool}”."""
    longest: int
    """Characters; 0 if unknown."""
    too_long: TooLong = TooLong.NOTHING
    replaced: str = ""
    """Characters that are replaced by an underscore, as the content of a character class; "" for none."""
    longest_server: int = 0
    """Maximum characters of the prefix; 0 for no limit."""


class Shown(msgspec.Struct, frozen=True):
    """A tool's name as shown to a model."""

    name: str
    joined: int
    """Length before it was shortened."""
    is_too_long: bool


def traits_of(tool: dict[str, Any], budget: WalkBudget, passed_over: Collection[str] = ()) -> list[Trait]:
    """Return all traits of a tool, except those that depend on the server's name.

    `passed_over`: keywords of schemas that are not examined.
    """
    return [*_of_name(tool), *_of_texts(tool), *_of_members(tool), *_of_schemas(tool, budget, passed_over)]


def _of_name(tool: dict[str, Any]) -> list[Trait]:
    name = peek.text(tool, "name")
    if name is None:
        return [Trait("wrong-kind", "/name", "has no name")]
    found = [Trait("name-length", "/name", f"has a name of {len(name)} characters", len(name))]
    if not _PLAIN.fullmatch(name):
        found.append(Trait("name-characters", "/name", "has characters other than A-Za-z0-9_- in its name"))
    if writes(tool):
        found.append(
            Trait("read-only-writes", "/annotations/readOnlyHint", "has readOnlyHint and a name that suggests writing")
        )
    return found


def writes(tool: dict[str, Any]) -> str:
    """Return the word in the name of a tool with readOnlyHint that suggests writing; "" if there is none."""
    if peek.flag(tool, "annotations", "readOnlyHint") is not True:
        return ""
    name = peek.text(tool, "name") or ""
    assures = _HARMLESS.search((peek.text(tool, "description") or "")[:4000])
    match = None if assures or _ONLY_READS.match(name) else _WRITES.search(name)
    return match.group().strip("_.-/").lower() if match else ""


def _of_texts(tool: dict[str, Any]) -> list[Trait]:
    message = peek.text(tool, "description") or ""
    if not message.strip():
        return [Trait("no-description", "/description", "has no description")]
    length = units(message)
    found = [Trait("description-length", "/description", f"has a description of {length:,} characters", length)]
    properties = peek.mapping(tool, "inputSchema", "properties")
    for name in list(properties)[:MOST_PROPERTIES]:
        below = peek.text(properties, name, "description")
        if below is not None and len(below) > 1024:
            place = pointer(("inputSchema", "properties", name, "description"))
            found.append(
                Trait("schema-text-length", place, f"has {len(below):,} characters in {cut(name, 40)!r}", len(below))
            )
            break
    return found


def _of_members(tool: dict[str, Any]) -> list[Trait]:
    found = []
    for member, kind in _OPTIONAL.items():
        value = tool.get(member)
        if member in tool and type(value) is not kind:
            found.append(_wrong(member, value))
    if "outputSchema" in tool and tool["outputSchema"] is None:
        found.append(_wrong("outputSchema", None))
    for hint in HINTS:
        value = peek.at(tool, "annotations", hint)
        if peek.has(tool, "annotations", hint) and type(value) is not bool:
            found.append(_wrong(f"annotations/{hint}", value))
    support = peek.at(tool, "execution", "taskSupport")
    if support is not None and support not in ("required", "optional", "forbidden"):
        found.append(_wrong("execution/taskSupport", support))
    return found


def _wrong(member: str, value: Any) -> Trait:
    if value is None:
        return Trait("null-member", f"/{member}", f"has null as {member}")
    return Trait("wrong-kind", f"/{member}", f"has a {member} of the wrong type")


def _of_schemas(tool: dict[str, Any], budget: WalkBudget, passed_over: Collection[str]) -> list[Trait]:
    found: list[Trait] = []
    for member, is_input in (("inputSchema", True), ("outputSchema", False)):
        if member in tool and (is_input or tool[member] is not None):
            found += (
                Trait(each.kind, pointer((member, *each.path)), f"{member} {each.sentence}")
                for each in features_of(tool[member], budget, is_input=is_input, passed_over=passed_over)
            )
    if type(tool.get("inputSchema")) is not dict:
        found.append(Trait("wrong-kind", "/inputSchema", "has no inputSchema object"))
    elif any(each.kind == "header" for each in found) and (problem := mirrors(tool["inputSchema"])[1]):
        found.append(Trait("mirrored", "/inputSchema", problem))
    return found


# Tool names with the server's name as prefix


def shown_name(naming: Naming, server: str, tool: str) -> Shown:
    """Return the name that a model sees for a tool, if its server is configured under the name `server`."""
    before, _, behind = naming.template.partition("{tool}")
    prefix = before.replace("{server}", server)
    if naming.longest_server and len(prefix) > naming.longest_server:
        prefix = prefix[: naming.longest_server - 1] + "_"
    joined = f"{prefix}{tool}{behind}"
    if naming.replaced:
        joined = _replacing(naming.replaced).sub("_", joined)
    fits = not naming.longest or len(joined) <= naming.longest
    return Shown(joined if fits else _cut(naming, joined), len(joined), not fits)


def _cut(naming: Naming, name: str) -> str:
    match naming.too_long:
        case TooLong.CUT:
            return name[: naming.longest]
        case TooLong.MIDDLE:
            half = (naming.longest - 3) // 2
            return f"{name[:half]}...{name[-half:]}"
        case TooLong.HASH:
            return f"{name[: naming.longest - 13]}_{'#' * 12}"
    return name


@lru_cache(maxsize=32)
def _replacing(characters: str) -> re.Pattern[str]:
    return re.compile(f"[{characters}]")
