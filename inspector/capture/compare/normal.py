"""Normalization: values that differ from run to run without meaning (ids, times, ports) get a placeholder.

The user can add rules, one per line:

    result.content[*].text                   this path, with any value
    **.etag => <etag>                        the same, with a placeholder; ** is any path, * any one member
    /pid [0-9]+/ => pid <n>                  every match of a regular expression in any text
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from inspector.documents import UnreadableDocument, prepared_type, read_toml, read_yaml
from inspector.errors import UsageError

_UUID = re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")
_TIME = re.compile(
    r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z\b|\s?[+-]\d\d:?\d\d\b)?"
    r"|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? (?:\d{1,2} [A-Z][a-z]{2}|[A-Z][a-z]{2} \d{1,2}),? \d{4}"
    r" \d\d:\d\d:\d\d(?: ?(?:GMT|UTC)?(?:[+-]\d{4})?)?"
    r"|\b\d{1,2}:\d\d:\d\d(?:[.,]\d{1,6})?(?: ?[AP]M\b)?"
    r"|\b(?:(?<=time\":)|(?<=time\": )|(?<=stamp\":)|(?<=stamp\": ))\d{10,13}(?:\.\d{1,9})?\b"  # JSON in a text
)
_PORT = re.compile(
    r"(?<=localhost:)\d{2,5}\b|(?<=127\.0\.0\.1:)\d{2,5}\b|(?<=\[::1\]:)\d{2,5}\b|(?<=0\.0\.0\.0:)\d{2,5}\b"
)
_TEMPORARY = re.compile(
    r"(?:/private)?/(?:var/)?tmp/[^/\s\"'<>:;,)]+|(?:/private)?/var/folders/[^\s\"'<>:;,)/]+/[^/\s\"'<>]+/T/[^/\s\"'<>]+"
    r"|[A-Za-z]:\\(?:[^\\\s\":]+\\)+Temp\\[^\\\s\"]+"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\-. ]+")
_MADE_UP = re.compile(r"(?=[^\s]*\d)[\w\-.:+/=~]{8,}\Z")
_LATE, _EARLY = 4_102_444_800, 946_684_800
"""Range in which a number counts as a time, in seconds since 1970: the years 2000 to 2100."""

NAMES = ("uuids", "times", "ports", "paths", "ids", "cursors")
"""Kinds of values that are replaced unless the user requests an exact comparison."""

_TEXTS: dict[str, tuple[re.Pattern[str], str, tuple[str, ...]]] = {
    "uuids": (_UUID, "<uuid>", ("-",)),
    "times": (_TIME, "<time>", (":",)),
    "ports": (_PORT, "<port>", ("localhost:", "127.0.0.1:", "[::1]:", "0.0.0.0:")),
    "paths": (_TEMPORARY, "<temporary>", ("/tmp/", "/var/folders/", "\\Temp\\")),
}
"""Pattern, placeholder, and substrings one of which is in every match.

The substrings are a cheap pre-check: most values contain none of them.
"""
_CURSORS = {"cursor": "<cursor>", "nextCursor": "<cursor>", "requestState": "<state>", "progressToken": "<token>"}
_MADE_BY_THE_PROTOCOL = {"taskId", "requestId", "sessionId", "elicitationId", "subscriptionId", "traceparent"}
_TELLS_TIME = {"time", "timestamp", "date", "at", "created", "updated", "modified", "expires", "now", "when"}

_MOST_NAMES = 10_000
"""Limit of cached names: a server may invent any number."""


class NormalizationRule(msgspec.Struct, frozen=True):
    """A rule written by the user."""

    placeholder: str
    place: tuple[str, ...] = ()
    """Path to the value; () for a rule that applies to any text."""
    pattern: re.Pattern[str] | None = None


class _Named(msgspec.Struct, frozen=True, gc=False):
    """What a member's name implies about its value."""

    cursor: str = ""
    """Placeholder, if the name is a cursor or token of the protocol; otherwise ""."""
    is_id: bool = False
    """Whether the protocol defines the member as an id, whatever the value looks like."""
    may_be_id: bool = False
    tells_time: bool = False

    def of_text(self, text: str) -> str:
        """Return the placeholder for a text; "" if the text is to be compared."""
        if self.cursor or self.is_id:
            return self.cursor or "<id>"
        return "<id>" if self.may_be_id and _MADE_UP.match(text) else ""

    def of_number(self, value: float) -> str:
        """Return the placeholder for a number or a boolean; "" if it is to be compared."""
        if isinstance(value, bool):
            return "<id>" if self.is_id else ""
        if isinstance(value, int) and (self.cursor or self.is_id):
            return self.cursor or "<id>"
        return "<time>" if self.tells_time and _is_moment(value) else ""


_NO_NAME = _Named()


class Normal:
    """Replaces volatile values by placeholders. One object can be used for any number of values."""

    def __init__(self, rules: Sequence[NormalizationRule] = (), *, off: Iterable[str] = ()) -> None:
        """Create a normalizer. `off` lists the kinds of `NAMES` that are not replaced."""
        left = [name for name in NAMES if name not in set(off)]
        texts = [_TEXTS[name] for name in left if name in _TEXTS]
        texts += [(rule.pattern, rule.placeholder, ("",)) for rule in rules if rule.pattern is not None]
        self._texts = [(pattern, placeholder.replace("\\", r"\\"), needles) for pattern, placeholder, needles in texts]
        self._left = frozenset(left)
        self._named: dict[str, _Named] = {}
        """Cache by member name: the same names recur."""
        self._places = [rule for rule in rules if rule.place]

    def __call__(self, value: Any) -> Any:
        """Return a copy with placeholders.

        The argument is not changed. A value nested too deeply is returned unchanged.
        """
        try:
            if not self._places:
                return self._below(value, _NO_NAME)
            return self._walk(value, "", [(rule.place, rule.placeholder) for rule in self._places])
        except RecursionError:
            return value

    def _walk(self, value: Any, name: str, rules: list[tuple[tuple[str, ...], str]]) -> Any:
        if not rules:
            return self._below(value, self._known(name))
        for place, placeholder in rules:
            if all(step == "**" for step in place):
                return placeholder
        if isinstance(value, dict):
            return {key: self._walk(each, key, _below(rules, key)) for key, each in value.items()}
        if isinstance(value, list):
            return [self._walk(each, name, _below(rules, f"[{at}]")) for at, each in enumerate(value)]
        return self._below(value, self._known(name))

    def _below(self, value: Any, name: "_Named") -> Any:
        """Normalize a value that no path rule applies to. An array item uses the name of its array."""
        if isinstance(value, str):
            return name.of_text(value) or self.text(value)
        if isinstance(value, dict):
            known, learn, below = self._named, self._known, self._below
            return {key: below(each, known.get(key) or learn(key)) for key, each in value.items()}
        if isinstance(value, list):
            return [self._below(each, name) for each in value]
        return value if value is None else name.of_number(value) or value

    def _known(self, name: str) -> "_Named":
        found = self._named.get(name)
        if found is None:
            if len(self._named) >= _MOST_NAMES:
                self._named.clear()
            found = self._named[name] = _named(name, self._left)
        return found

    def text(self, text: str) -> str:
        """Return a text with placeholders."""
        for pattern, placeholder, needles in self._texts:
            for needle in needles:
                if needle in text:
                    text = pattern.sub(placeholder, text)
                    break
        return text


@prepared_type
class _File(msgspec.Struct, forbid_unknown_fields=True):
    ignore: list[str] = []
    exact: list[str] = []


def read_rule(text: str) -> NormalizationRule:
    """Parse one rule as the user writes it. Raises: UsageError."""
    left, arrow, right = text.partition("=>")
    if text.lstrip().startswith("/") and (end := text.rfind("/", 0, text.find("=>") if arrow else None)) > 0:
        left = text[: end + 1]
        arrow, right = ("=>", text[end + 1 :].partition("=>")[2]) if "=>" in text[end + 1 :] else ("", "")
    left, placeholder = left.strip(), right.strip() or "<ignored>"
    if len(left) > 1 and left.startswith("/") and left.endswith("/"):
        try:
            return NormalizationRule(placeholder, pattern=re.compile(left[1:-1]))
        except re.error as error:
            raise UsageError(f"invalid rule {text!r}: {error}", hint="Write /REGEX/ => PLACEHOLDER.") from None
    steps = _steps(left)
    if not steps or (arrow and not right.strip()):
        raise UsageError(
            f"invalid rule {text!r}", hint="Write a path such as result.content[*].text, or PATH => PLACEHOLDER."
        )
    return NormalizationRule(placeholder, place=steps)


def read_rules(path: Path) -> tuple[list[NormalizationRule], list[str]]:
    """Read rules and the kinds to compare exactly from a file: its lists `ignore` and `exact`.

    The file is YAML or TOML, depending on its suffix.

    Raises: UsageError.
    """
    try:
        text = path.read_text(encoding="utf-8")
        value = read_toml(text) if path.suffix == ".toml" else read_yaml(text)
        found = msgspec.convert({"ignore": value} if isinstance(value, list) else value or {}, _File)
    except (OSError, ValueError, msgspec.ValidationError) as error:
        why = error.placed if isinstance(error, UnreadableDocument) else error
        raise UsageError(
            f"--rules {path}: {why}", hint="It has `ignore`, a list of rules, and `exact`, a list of names."
        ) from None
    if unknown := [name for name in found.exact if name not in NAMES]:
        raise UsageError(f"--rules {path}: unknown name {unknown[0]!r} in `exact`", hint=f"Known names: {NAMES}.")
    return [read_rule(each) for each in found.ignore], found.exact


def _steps(text: str) -> tuple[str, ...]:
    """Split `result.content[*].text` into its steps: result, content, [*], text."""
    if not re.fullmatch(r'(?:\.?(?:\*\*|\*|[^.\[\]"\s]+|"[^"]*")|\[(?:\*|\d+|"[^"]*")\])+', text):
        return ()
    found = re.findall(r'"[^"]*"|\[(?:\*|\d+)\]|\[("[^"]*")\]|[^.\[\]"]+', text)
    whole = re.finditer(
        r'\["(?P<quoted>[^"]*)"\]|"(?P<text>[^"]*)"|(?P<item>\[(?:\*|\d+)\])|(?P<plain>[^.\[\]"]+)', text
    )
    return tuple(next(part for part in each.groups() if part is not None) for each in whole) if found else ()


def _below(rules: list[tuple[tuple[str, ...], str]], step: str) -> list[tuple[tuple[str, ...], str]]:
    """Return what is left of the rules one step further down."""
    found = []
    for place, placeholder in rules:
        if place and place[0] == "**":
            found.append((place, placeholder))
            place = place[1:]
        if place and (place[0] == step or place[0] == "*" or (place[0] == "[*]" and step.startswith("["))):
            found.append((place[1:], placeholder))
    return found


def _named(name: str, left: frozenset[str]) -> _Named:
    words = [word.lower() for word in _CAMEL.split(name) if word]
    ids = "ids" in left
    return _Named(
        _CURSORS.get(name, "") if "cursors" in left else "",
        ids and name in _MADE_BY_THE_PROTOCOL,
        ids and words[-1:] == ["id"],
        "times" in left and not _TELLS_TIME.isdisjoint(words),
    )


def _is_moment(value: float) -> bool:
    return value >= _EARLY and any(_EARLY <= value / unit <= _LATE for unit in (1, 1e3, 1e6, 1e9))
