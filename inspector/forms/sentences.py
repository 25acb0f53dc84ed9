"""What is wrong with a value, in a few words that can stand beside its field ("must be at least 3 characters").

The words are ours and short; what they quote (allowed values, patterns) is the schema's: foreign text.
"""

from collections.abc import Callable, Mapping, Sized
from typing import Final

from inspector.forms.simple import as_text

LONGEST_QUOTE: Final = 80
MOST_OPTIONS: Final = 8


def sentence(keyword: str, asked: object, got: object) -> str:
    """Why `got` fails `keyword: asked`. Total: an unknown keyword and a strange value have their sentence too."""
    say = _SENTENCES.get(keyword)
    return say(asked, got) if say else f"does not satisfy {keyword}: {quote(asked)}"


def quote(value: object) -> str:
    """A value in at most 80 characters; containers by their size, since printing a large one costs."""
    if isinstance(value, dict):
        return f"an object with {_count(len(value), 'member')}"
    if isinstance(value, list) and len(value) > MOST_OPTIONS:
        return f"a list of {len(value)} items"
    if isinstance(value, list) and any(isinstance(each, dict | list) for each in value):
        return f"a list of {_count(len(value), 'item')}"
    text = as_text(value[: LONGEST_QUOTE + 1] if isinstance(value, str) else value)
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"


def kind_name(value: object) -> str:
    """What a value is, with its article."""
    if isinstance(value, bool):
        return "true" if value else "false"
    names = ((str, "a string"), (int | float, "a number"), (dict, "an object"), (list, "an array"))
    return next((name for kind, name in names if isinstance(value, kind)), "null")


def _type(asked: object, got: object) -> str:
    types = asked if isinstance(asked, list) else [asked]
    wanted = " or ".join(_TYPES.get(str(each), str(each)) for each in types)
    if isinstance(got, float) and types == ["integer"]:
        return "must be an integer, without a fraction"
    return f"must be {wanted}, and is {kind_name(got)}"


def _enum(asked: object, got: object) -> str:
    options = asked if isinstance(asked, list) else [asked]
    shown = ", ".join(quote(each) for each in options[:MOST_OPTIONS])
    more = f" and {len(options) - MOST_OPTIONS} more" if len(options) > MOST_OPTIONS else ""
    return f"is not one of: {shown}{more}"


def _at_least(noun: str) -> Callable[[object, object], str]:
    return lambda asked, got: f"must have at least {_count(asked, noun)}{_has(got)}"


def _at_most(noun: str) -> Callable[[object, object], str]:
    return lambda asked, got: f"must have at most {_count(asked, noun)}{_has(got)}"


def _bound(words: str) -> Callable[[object, object], str]:
    return lambda asked, got: f"must be {words} {quote(asked)}"


def _fixed(words: str) -> Callable[[object, object], str]:
    return lambda asked, got: words


def _has(got: object) -> str:
    return f", and has {len(got)}" if isinstance(got, Sized) else ""


def _count(number: object, noun: str) -> str:
    return f"{quote(number)} {noun}" if number == 1 else f"{quote(number)} {noun}s"


_TYPES: Final = {
    "string": "a string",
    "number": "a number",
    "integer": "an integer",
    "boolean": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
}

_SENTENCES: Final[Mapping[str, Callable[[object, object], str]]] = {
    "type": _type,
    "enum": _enum,
    "const": lambda asked, got: f"must be {quote(asked)}",
    "minLength": _at_least("character"),
    "maxLength": _at_most("character"),
    "minItems": _at_least("item"),
    "maxItems": _at_most("item"),
    "minProperties": _at_least("member"),
    "maxProperties": _at_most("member"),
    "minimum": _bound("at least"),
    "maximum": _bound("at most"),
    "exclusiveMinimum": _bound("more than"),
    "exclusiveMaximum": _bound("less than"),
    "multipleOf": _bound("a multiple of"),
    "not": _fixed("is what the schema says it must not be"),
    "contains": _fixed("lacks an item of the kind that the schema wants"),
    "minContains": _fixed("has too few items of the kind that the schema wants"),
    "maxContains": _fixed("has too many items of the kind that the schema wants"),
    "items": _fixed("has more items than the schema allows"),
    "additionalItems": _fixed("has more items than the schema allows"),
    "unevaluatedItems": _fixed("has items that the schema does not allow"),
    "unevaluatedProperties": _fixed("has members that the schema does not allow"),
    "anyOf": _fixed("is none of the kinds that the schema allows"),
    "": _fixed("is not allowed here"),
}
