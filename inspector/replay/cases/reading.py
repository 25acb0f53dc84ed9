"""A file of cases, read: YAML without aliases and tags, each fault with its line.

Only what JSON has is read: a date stays the text that it is, and nothing is made of tags.
"""

import re
from collections.abc import Iterator
from typing import Any

from inspector.errors import UsageError
from inspector.forms.patterns import usable
from inspector.replay.cases.model import HEADER, OUTPUT_SCHEMA, VERSION, Case, Cases, Expectation, Kind

LARGEST = 16 * 1024 * 1024
"""Characters of a file that is read."""
TYPES = ("null", "boolean", "object", "array", "number", "integer", "string")
_MEMBERS = ("name", "request", "params", "expect", "answers", "isolate")
_KINDS = tuple(kind.value for kind in Kind)
_TAG = "tag:yaml.org,2002:"
_PLAIN = {"map", "seq", "str", "int", "float", "bool", "null"}
_JSON_FLOAT = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?[eE][-+]?[0-9]+")
_Node = Any
"""A node as PyYAML composes it; the package is imported with the first file."""


def read_cases(text: str, name: str) -> Cases:
    """The cases of a file; `name` is how the file is called in what is said of it.

    Raises: UsageError, naming the line.
    """
    return Cases(tuple(_Reader(text, name).cases()), text)


class _Reader:
    """One file."""

    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name

    def cases(self) -> Iterator[Case]:
        """Each case, in order; no two have the same name."""
        root = self._members(self._root(), (HEADER, "cases"), "a file of cases")
        version = self._value(root[HEADER]) if HEADER in root else None
        if version != VERSION:
            raise self._fault(
                None, f"it does not begin with {HEADER}: {VERSION}", "A newer program may have written it."
            )
        names: set[str] = set()
        for node in self._items(root.get("cases"), "cases"):
            case = self._case(node)
            if case.name in names:
                raise self._fault(node, f"there is another case named {case.name!r}", "Give each a name of its own.")
            names.add(case.name)
            yield case

    def _root(self) -> _Node:
        import yaml

        if len(self._text) > LARGEST:
            raise self._fault(None, f"it has more than {LARGEST:,} characters", "Part it into several files.")
        try:
            _refuse_aliases(self._text)
            return yaml.compose(self._text, Loader=_loader())
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            where = f"line {mark.line + 1}: " if mark else ""
            why = getattr(error, "problem", None) or "it is no YAML"
            raise UsageError(
                f"{self._name}, {where}{why}", hint="It is YAML, as `mcp-inspect promote` writes it."
            ) from None
        except RecursionError:
            raise self._fault(None, "it is nested too deeply", "Write large values as a snapshot of a part.") from None

    def _case(self, node: _Node) -> Case:
        members = self._members(node, _MEMBERS, "a case")
        for needed in ("name", "request"):
            if needed not in members:
                raise self._fault(node, f"a case without {needed}", "It needs at least a name and a request.")
        params = self._value(members["params"]) if "params" in members else {}
        if not isinstance(params, dict):
            raise self._fault(members["params"], "params are no object", 'Write them as {"name": …}.')
        return Case(
            name=self._text_of(members["name"], "name"),
            request=self._text_of(members["request"], "request"),
            params=params,
            expect=tuple(self._expectations(members.get("expect"))),
            answers=tuple(self._value(each) for each in self._items(members.get("answers"), "answers")),
            isolate="isolate" in members and self._value(members["isolate"]) is True,
            line=node.start_mark.line + 1,
        )

    def _expectations(self, node: _Node | None) -> Iterator[Expectation]:
        for each in self._items(node, "expect"):
            members = self._members(each, ("at", *_KINDS), "an expectation")
            kinds = [kind for kind in Kind if kind in members]
            if not kinds:
                raise self._fault(each, "an expectation that expects nothing", f"It has one of {', '.join(_KINDS)}.")
            at = self._text_of(members["at"], "at") if "at" in members else "/result"
            if at and not at.startswith("/"):
                raise self._fault(each, f"{at!r} is no JSON pointer", "Begin it with /result or /error.")
            for kind in kinds:
                there = members[kind]
                value = self._checked(there, kind)
                span = (there.start_mark.index, there.end_mark.index)
                yield Expectation(kind, value, at, there.start_mark.line + 1, span)

    def _checked(self, node: _Node, kind: Kind) -> Any:
        """The value of an expectation, if it makes sense."""
        value = self._value(node)
        wrong = _FAULTS[kind](value) if kind in _FAULTS else ""
        if wrong:
            raise self._fault(node, f"{kind}: {wrong}", "")
        return value

    def _members(self, node: _Node | None, allowed: tuple[str, ...], what: str) -> dict[str, _Node]:
        """The members of an object, each at most once and known."""
        if node is None or node.id != "mapping":
            raise self._fault(node, f"{what} is an object", f"It has {', '.join(allowed)}.")
        found: dict[str, _Node] = {}
        for key, value in node.value:
            name = key.value if key.id == "scalar" else "…"
            if name not in allowed:
                raise self._fault(key, f"{name!r} means nothing in {what}", f"There are {', '.join(allowed)}.")
            if name in found:
                raise self._fault(key, f"{name!r} stands twice in {what}", "Leave one of them out.")
            found[name] = value
        return found

    def _items(self, node: _Node | None, what: str) -> list[_Node]:
        if node is None or (node.id == "scalar" and node.tag == _TAG + "null"):
            return []
        if node.id != "sequence":
            raise self._fault(node, f"{what} is a list", "Begin each of its items with a dash.")
        items: list[_Node] = node.value
        return items

    def _text_of(self, node: _Node, what: str) -> str:
        value = self._value(node)
        if not isinstance(value, str):
            raise self._fault(node, f"{what} is a text", "Put it between quotes.")
        return value

    def _value(self, node: _Node) -> Any:
        """What a node says, in what JSON has."""
        if node.tag.removeprefix(_TAG) not in _PLAIN:
            raise self._fault(node, f"the tag {node.tag[:80]} means nothing here", "Write plain values.")
        if node.id == "sequence":
            return [self._value(each) for each in node.value]
        if node.id == "mapping":
            return {str(self._value(key)): self._value(each) for key, each in node.value}
        try:
            return _loader()("").construct_object(node)
        except (ValueError, TypeError):
            raise self._fault(node, "a number that can't be read", "Put it between quotes if it is a text.") from None

    def _fault(self, node: _Node | None, what: str, hint: str) -> UsageError:
        where = f", line {node.start_mark.line + 1}" if node is not None else ""
        return UsageError(f"{self._name}{where}: {what}", hint=hint)


def _refuse_aliases(text: str) -> None:
    """Aliases let a page of YAML become gigabytes; no case needs one."""
    import yaml

    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            mark: Any = event.start_mark
            raise yaml.MarkedYAMLError(problem="an alias (*) is not taken here", problem_mark=mark)


def _loader() -> Any:
    """A loader to which a date is a text, and 1e22 a number."""
    import yaml

    class Loader(yaml.SafeLoader):
        """Knows what JSON has."""

    Loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag != _TAG + "timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    Loader.add_implicit_resolver(_TAG + "float", _JSON_FLOAT, list("-0123456789"))
    return Loader


def _wrong_type(value: Any) -> str:
    names = value if isinstance(value, list) else [value]
    unknown = [name for name in names if name not in TYPES]
    return f"{unknown[0]!r} is none of {', '.join(TYPES)}" if unknown or not names else ""


def _wrong_pattern(value: Any) -> str:
    return "" if isinstance(value, str) and usable(value) else "a regular expression is expected"


def _wrong_schema(value: Any) -> str:
    return (
        "" if isinstance(value, dict | bool) or value == OUTPUT_SCHEMA else f"a schema or {OUTPUT_SCHEMA} is expected"
    )


def _wrong_limit(value: Any) -> str:
    fine = isinstance(value, int | float) and not isinstance(value, bool) and value > 0
    return "" if fine else "milliseconds are expected, more than 0"


_FAULTS = {
    Kind.TYPE: _wrong_type,
    Kind.EXISTS: lambda value: "" if isinstance(value, bool) else "true or false is expected",
    Kind.MATCHES: _wrong_pattern,
    Kind.SCHEMA: _wrong_schema,
    Kind.FASTER: _wrong_limit,
}
