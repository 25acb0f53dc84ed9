"""The head of a field in words: its name, what is asked, in what state it is, and what can be done to it.

Pure: from a field, its place and its shape to spans and deeds. All of a schema's words are made safe here.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.forms.fields import Field, JsonField, Opened, kind_of
from inspector.forms.typed import json_text, text_of
from inspector.forms.values import FormValue
from inspector.tui.styles import glyphs
from inspector.tui.widgets.form_bar import ADD, DOWN, REMOVE, UP, Deed
from inspector.viewmodels.roles import Span
from inspector.viewmodels.text import visible

GROUPS = ("object", "list", "union")
"""The shapes that hold fields."""
_FOLD = Deed("fold", "fold")
_UNFOLD = Deed("fold", "unfold")
_CHOOSE = Deed("choose", f"{glyphs().opened} choose")
_WRITE = Deed("write", "write a value")
_OPEN = Deed("add", f"{glyphs().closed} open")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a field stands, as its head says it."""

    name: str = ""
    """Foreign text; "" for the root and for a branch of a union."""
    item: int | None = None
    """The index of an item of a list."""
    of: int = 0
    """How many items that list has."""
    removable: bool = False
    """Whether it can be taken away, place and all: an item, or a member that the schema does not name."""
    bare: bool = False
    """Without a head: the root, and a branch."""
    last: bool = False
    """Whether nothing follows it in what it stands in."""


def has_head(place: Place, shape: str) -> bool:
    """Whether there is a head: always, but at a bare place only where there is nothing else to press."""
    return not place.bare or shape in ("lazy", "absent", "null", "picker")


def head_spans(asked: Opened | Field, place: Place, shape: str, value: FormValue, *, folded: bool) -> list[Span]:
    """The words of a head."""
    spans: list[Span] = []
    if shape in GROUPS:
        spans.append((f"{glyphs().closed if folded else glyphs().opened} ", "accent"))
    spans.append((visible(place.name, limit=80), "strong"))
    if asked.required:
        spans.append((" *", "error"))
    title = visible(asked.title, limit=60)
    if title and title.casefold() != place.name.casefold().replace("_", " "):
        spans.append((f"  {title}", "text"))
    spans.append(("  " + f" {glyphs().note} ".join(_words(asked, shape, value)), "faint"))
    if shape in ("null", "picker"):
        spans.append((f"  {visible(text_of(asked, value), limit=60) or 'unset'}", "literal"))
    return spans


def with_problems(spans: list[Span], count: int) -> list[Span]:
    """The words of a folded head that hides so many problems: their number comes first."""
    return [*spans[:2], (f"  {glyphs().error} {count}", "error"), *spans[2:]] if count else spans


def _words(asked: Field, shape: str, value: FormValue) -> list[str]:
    words = [kind_of(asked), visible(asked.constraint_text().removesuffix(", integer"), limit=80)]
    if shape == "absent":
        words.append("unset")
    if shape == "list" and isinstance(value, list):
        words.append(f"{len(value)} now")
    if asked.deprecated:
        words.append("deprecated")
    return [word for word in dict.fromkeys(words) if word]


def deeds(asked: Field, place: Place, shape: str, *, folded: bool) -> list[Deed]:
    """What can be done to a field, the usual thing first."""
    found = list(_own_deeds(asked, place, shape, folded))
    if place.item is not None and place.of > 1:
        found += [UP, DOWN]
    if place.removable:
        found.append(REMOVE)
    return found


def _own_deeds(asked: Field, place: Place, shape: str, folded: bool) -> Iterator[Deed]:
    single = {"lazy": _OPEN, "absent": ADD, "null": _WRITE, "picker": _CHOOSE}
    if shape in single:
        yield single[shape]
    if shape in GROUPS and not place.bare:
        yield _UNFOLD if folded else _FOLD
        if not asked.required and not place.removable and shape != "union":
            yield REMOVE


def about(asked: Field, shape: str) -> str:
    """What the schema says of a field, and why it looks the way it does; "" for nothing."""
    parts = [visible(asked.description, limit=2000)]
    if isinstance(asked, JsonField):
        parts.append(f"Written as JSON: {visible(asked.why, limit=300)}.")
    elif shape == "json":
        parts.append("The value is not of the kind that the field asks for, so it is written as JSON.")
    if asked.examples:
        parts.append(f"Such as {visible(json_text(asked.examples[0], indent=None), limit=80)}")
    return " ".join(part for part in parts if part)
