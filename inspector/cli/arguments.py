"""Parses call arguments as typed: `-a name=text`, `-a name:=JSON`, and `--args` with all of them.

Wrong arguments are rejected before a server is started where possible.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from inspector.documents import UnreadableDocument, read_json
from inspector.errors import UsageError, why_unreadable
from inspector.forms.arguments import interpret_argument

_OBJECT = '{"a": 1}'
_PAIR = f"Quote it for the shell: -a 'name:={_OBJECT}'. A text needs no JSON: -a name=text."


@dataclass(frozen=True, slots=True)
class TypedArgument:
    """One -a option."""

    name: str
    text: str
    value: Any
    """JSON value given with :=; unused if `is_json` is false."""
    is_json: bool


def refuse_argument(word: object) -> None:
    """Raises: UsageError if the place of the URL has an argument, `name=value` without -a."""
    if isinstance(word, str) and re.fullmatch(r"[\w.-]+:?=.*", word, re.DOTALL):
        raise UsageError(f"{word!r} is not a server", hint=f"An argument is given with -a: -a {shlex.quote(word)}")


def read_pairs(pairs: Sequence[str]) -> tuple[TypedArgument, ...]:
    """Parse `name=text` and `name:=JSON`. Raises: UsageError, also for a duplicate name."""
    found = tuple(_pair(text) for text in pairs)
    names = [each.name for each in found]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"-a {name} is given twice", hint="Several values are one array: -a 'name:=[1, 2]'.")
    return found


def read_whole(text: str | None, stdin: TextIO, option: str = "--args") -> Any:
    """Return the JSON value of an option like --args: JSON text, `@FILE`, or `-` for stdin.

    Return None if the option is missing. Raises: UsageError.
    """
    if text is None:
        return None
    if text == "-":
        return parse(stdin.read(), f"{option} - (stdin)")
    if not text.startswith("@"):
        space = "" if option.endswith("=") else " "
        return parse(text, option, f"Quote it for the shell: {option}{space}'{_OBJECT}'.")
    try:
        return parse(Path(text[1:]).read_text(encoding="utf-8-sig"), f"{option} {text}")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{option} {text}: the file can't be read: {why_unreadable(error)}") from None


def parse(text: str, where: str, hint: str = "") -> Any:
    """Parse JSON. Raises: UsageError that states the problem and its position."""
    try:
        return read_json(text)
    except UnreadableDocument as error:
        raise UsageError(f"{where}: invalid JSON: {error.placed}", hint=hint) from None


def joined(whole: Any, pairs: Sequence[TypedArgument], schema: object) -> Any:
    """Return the arguments to send: `whole` with each pair added, texts converted by `schema`; None if there are none.

    Raises: UsageError if there are pairs and `whole` is not an object.
    """
    if not pairs:
        return whole
    if whole is not None and not isinstance(whole, dict):
        raise UsageError("-a needs --args to be an object", hint="Use one of them.")
    return {**(whole or {}), **{each.name: _value(each, schema) for each in pairs}}


def as_texts(pairs: Sequence[TypedArgument]) -> Mapping[str, str]:
    """Return the arguments of a prompt, which are texts. Raises: UsageError for one that was given as JSON."""
    for each in pairs:
        if each.is_json:
            raise UsageError(f"-a {each.name}:= : a prompt's arguments are texts", hint=f"Write -a {each.name}=text.")
    return {each.name: each.text for each in pairs}


def _pair(text: str) -> TypedArgument:
    name, equals, value = text.partition("=")
    is_json = name.endswith(":")
    name = name.removesuffix(":")
    if not equals or not name:
        raise UsageError(f"-a {text!r} names no argument", hint="Write -a name=text or -a name:=JSON.")
    return TypedArgument(name, value, parse(value, f"-a {name}:=", _PAIR) if is_json else None, is_json)


def _value(typed: TypedArgument, schema: object) -> Any:
    if typed.is_json:
        return typed.value
    return typed.text if schema is None else interpret_argument(schema, typed.name, typed.text)
