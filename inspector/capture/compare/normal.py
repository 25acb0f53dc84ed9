"""What differs from run to run and means nothing: made-up ids, times, cursors, ports, paths. Each gets a placeholder.

A person adds rules of his own, a line each:

    result.content[*].text                   that place, whatever stands there
    **.etag => <etag>                        the same, with a placeholder; ** is any way down, * any one member
    /pid [0-9]+/ => pid <n>                  what a regular expression finds in any text
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from inspector.errors import UsageError

_UUID = re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")
_TIME = re.compile(
    r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z\b|\s?[+-]\d\d:?\d\d\b)?"
    r"|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? (?:\d{1,2} [A-Z][a-z]{2}|[A-Z][a-z]{2} \d{1,2}),? \d{4}"
    r" \d\d:\d\d:\d\d(?: ?(?:GMT|UTC)?(?:[+-]\d{4})?)?"
    r"|\b\d{1,2}:\d\d:\d\d(?:[.,]\d{1,6})?(?: ?[AP]M\b)?"
)
_PORT = re.compile(
    r"(?<=localhost:)\d{2,5}\b|(?<=127\.0\.0\.1:)\d{2,5}\b|(?<=\[::1\]:)\d{2,5}\b|(?<=0\.0\.0\.0:)\d{2,5}\b"
)
_TEMPORARY = re.compile(
    r"(?:/private)?/(?:var/)?tmp/[^/\s\"'<>:;,)]+|(?:/private)?/var/folders/[^\s\"'<>:;,)/]+/[^/\s\"'<>]+/T/[^/\s\"'<>]+"
    r"|[A-Za-z]:\\(?:[^\\\s\"]+\\)+Temp\\[^\\\s\"]+"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\-. ]+")
_MADE_UP = re.compile(r"(?=[^\s]*\d)[\w\-.:+/=~]{8,}\Z")
_LATE, _EARLY = 4_102_444_800, 946_684_800
"""Seconds since 1970 between which a number in a member that tells a time is one: 2000 to 2100."""

NAMES = ("uuids", "times", "ports", "paths", "ids", "cursors")
"""What is replaced unless somebody wants it exact."""

_TEXTS: dict[str, tuple[re.Pattern[str], str, tuple[str, ...]]] = {
    "uuids": (_UUID, "<uuid>", ("-",)),
    "times": (_TIME, "<time>", (":",)),
    "ports": (_PORT, "<port>", ("localhost:", "127.0.0.1:", "[::1]:", "0.0.0.0:")),
    "paths": (_TEMPORARY, "<temporary>", ("/tmp/", "/var/folders/", "\\Temp\\")),
}
"""A pattern, its placeholder, and texts one of which is in every match: most values have none of them."""
_CURSORS = {
    "cursor": "<cursor>",
    "nextCursor": "<cursor>",
    "requestState": "<state>",
    "progressToken": "<token>",
}
_MADE_BY_THE_PROTOCOL = {"taskId", "requestId", "sessionId", "elicitationId", "subscriptionId", "traceparent"}
_TELLS_TIME = {"time", "timestamp", "date", "at", "created", "updated", "modified", "expires", "now", "when"}

Path_ = tuple[str | int, ...]


class Rule(msgspec.Struct, frozen=True):
    """One rule of a person's."""

    placeholder: str
    place: tuple[str, ...] = ()
    """Steps down; () for a rule about texts."""
    pattern: re.Pattern[str] | None = None


class Normal:
    """Makes values comparable. One object serves any number of values."""

    def __init__(self, rules: Sequence[Rule] = (), *, off: Iterable[str] = ()) -> None:
        """`off` names what stays as it is, out of `NAMES`."""
        left = [name for name in NAMES if name not in set(off)]
        self._texts = [_TEXTS[name] for name in left if name in _TEXTS]
        self._texts += [(rule.pattern, rule.placeholder, ("",)) for rule in rules if rule.pattern is not None]
        self._by_name: list[Callable[[str, Any], str | None]] = []
        if "cursors" in left:
            self._by_name.append(_cursor)
        if "ids" in left:
            self._by_name.append(_id)
        if "times" in left:
            self._by_name.append(_moment)
        self._places = [rule for rule in rules if rule.place]

    def __call__(self, value: Any) -> Any:
        """The value with placeholders. What it was is left alone; too deep a value is returned as it is."""
        try:
            return self._walk(value, "", [(rule.place, rule.placeholder) for rule in self._places])
        except RecursionError:
            return value

    def _walk(self, value: Any, name: str, rules: list[tuple[tuple[str, ...], str]]) -> Any:
        if rules:
            for place, placeholder in rules:
                if _is_there(place):
                    return placeholder
        if isinstance(value, dict):
            return {key: self._walk(each, key, _below(rules, key) if rules else rules) for key, each in value.items()}
        if isinstance(value, list):
            below = [_below(rules, f"[{at}]") for at in range(len(value))] if rules else [rules] * len(value)
            return [self._walk(each, name, under) for each, under in zip(value, below, strict=True)]
        return self._plain(value, name)

    def _plain(self, value: Any, name: str) -> Any:
        for by_name in self._by_name:
            if found := by_name(name, value):
                return found
        return self.text(value) if isinstance(value, str) else value

    def text(self, text: str) -> str:
        """A text with placeholders."""
        for pattern, placeholder, needles in self._texts:
            if any(needle in text for needle in needles):
                text = pattern.sub(placeholder.replace("\\", r"\\"), text)
        return text


def read_rule(text: str) -> Rule:
    """One rule as a person writes it. Raises: UsageError."""
    left, arrow, right = text.partition("=>")
    if text.lstrip().startswith("/") and (end := text.rfind("/", 0, text.find("=>") if arrow else None)) > 0:
        left = text[: end + 1]
        arrow, right = ("=>", text[end + 1 :].partition("=>")[2]) if "=>" in text[end + 1 :] else ("", "")
    left, placeholder = left.strip(), right.strip() or "<ignored>"
    if len(left) > 1 and left.startswith("/") and left.endswith("/"):
        try:
            return Rule(placeholder, pattern=re.compile(left[1:-1]))
        except re.error as error:
            raise UsageError(f"{text!r} is no rule: {error}", hint="Write /REGEX/ => PLACEHOLDER.") from None
    steps = _steps(left)
    if not steps or (arrow and not right.strip()):
        raise UsageError(
            f"{text!r} is no rule", hint="Write a path such as result.content[*].text, or PATH => PLACEHOLDER."
        )
    return Rule(placeholder, place=steps)


class _File(msgspec.Struct, forbid_unknown_fields=True):
    ignore: list[str] = []
    exact: list[str] = []


def read_rules(path: Path) -> tuple[list[Rule], list[str]]:
    """Rules of a file, YAML or TOML by its ending, and what it wants exact: `ignore` and `exact` are lists.

    Raises: UsageError.
    """
    try:
        text = path.read_text(encoding="utf-8")
        value = tomllib.loads(text) if path.suffix == ".toml" else _yaml(text)
        found = msgspec.convert({"ignore": value} if isinstance(value, list) else value or {}, _File)
    except (OSError, ValueError, msgspec.ValidationError) as error:
        raise UsageError(
            f"--rules {path}: {error}", hint="It has `ignore`, a list of rules, and `exact`, a list of names."
        ) from None
    if unknown := [name for name in found.exact if name not in NAMES]:
        raise UsageError(f"--rules {path}: {unknown[0]!r} is nothing that is replaced", hint=f"There are {NAMES}.")
    return [read_rule(each) for each in found.ignore], found.exact


def _yaml(text: str) -> Any:
    import yaml  # few runs have such a file

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None


def _steps(text: str) -> tuple[str, ...]:
    """`result.content[*].text` as its steps: result, content, [*], text."""
    if not re.fullmatch(r'(?:\.?(?:\*\*|\*|[^.\[\]"\s]+|"[^"]*")|\[(?:\*|\d+|"[^"]*")\])+', text):
        return ()
    found = re.findall(r'"[^"]*"|\[(?:\*|\d+)\]|\[("[^"]*")\]|[^.\[\]"]+', text)
    whole = re.finditer(
        r'\["(?P<quoted>[^"]*)"\]|"(?P<text>[^"]*)"|(?P<item>\[(?:\*|\d+)\])|(?P<plain>[^.\[\]"]+)', text
    )
    return tuple(next(part for part in each.groups() if part is not None) for each in whole) if found else ()


def _is_there(place: tuple[str, ...]) -> bool:
    return not place or all(step == "**" for step in place)


def _below(rules: list[tuple[tuple[str, ...], str]], step: str) -> list[tuple[tuple[str, ...], str]]:
    """What is left of rules one step further down."""
    found = []
    for place, placeholder in rules:
        if place and place[0] == "**":
            found.append((place, placeholder))
            place = place[1:]
        if place and (place[0] == step or place[0] == "*" or (place[0] == "[*]" and step.startswith("["))):
            found.append((place[1:], placeholder))
    return found


def _cursor(name: str, value: Any) -> str | None:
    return _CURSORS.get(name) if isinstance(value, str | int) and not isinstance(value, bool) else None


def _id(name: str, value: Any) -> str | None:
    if name in _MADE_BY_THE_PROTOCOL and isinstance(value, str | int):
        return "<id>"
    if not isinstance(value, str) or not _MADE_UP.match(value):
        return None
    return "<id>" if _words(name)[-1:] == ["id"] else None


def _moment(name: str, value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < _EARLY:
        return None
    if not _TELLS_TIME & set(_words(name)):
        return None
    return "<time>" if any(_EARLY <= value / unit <= _LATE for unit in (1, 1e3, 1e6, 1e9)) else None


def _words(name: str) -> list[str]:
    return [word.lower() for word in _CAMEL.split(name) if word]
