"""Reads case files: YAML without aliases and tags. Each error names its line.

Only JSON types are read: a date stays text, and tags have no effect. An object with a duplicate member is ambiguous,
so it is an error.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, TypeVar

from inspector.errors import UsageError
from inspector.features.cases.model import (
    HEADER,
    NAME_OF_VARIABLE,
    OUTPUT_SCHEMA,
    VERSION,
    CallEnvironment,
    CallVariable,
    CaseDefinition,
    Cases,
    Expectation,
    ExpectationKind,
    Marker,
    SavedValue,
    references,
)
from inspector.forms.patterns import usable
from inspector.protocol.revisions.table import dates, is_known
from inspector.text import cut

LARGEST = 16 * 1024 * 1024
"""Maximum number of characters in a file."""
TYPES = ("null", "boolean", "object", "array", "number", "integer", "string")
FILE_MEMBERS = (HEADER, "target", "revision", "uses", "vars", "cases")
CASE_MEMBERS = ("name", "uses", "request", "params", "expect", "save", "answers", "isolate", "session")
ENVIRONMENT_MEMBERS = ("target", "vars")
_STEP = re.compile(r"""\.([^\W\d][\w-]*)|\[(-?\d{1,9})\]|\['([^'\\]*)'\]|\["([^"\\]*)"\]""")
"""One step of a path: a member, an index, or a member between quotes."""
_KINDS = tuple(kind.value for kind in ExpectationKind)
_TAG = "tag:yaml.org,2002:"
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?\Z")
_PLAIN: dict[str, tuple[re.Pattern[str], str]] = {
    "null": (re.compile(r"(?:~|null)?\Z"), "~n"),
    "bool": (re.compile(r"(?:true|false)\Z"), "tf"),
    "int": (re.compile(r"-?(?:0|[1-9][0-9]*)\Z"), "-0123456789"),
    "float": (_NUMBER, "-0123456789"),
}
"""Unquoted scalars that are not strings, with their first letters. Others are strings: 12:30, 007, yes, 2026-01-01."""
_Node = Any
"""A node as PyYAML composes it. PyYAML is imported when the first file is read."""

T = TypeVar("T")
_MADE: dict[str, Callable[[str], Any]] = {
    "null": lambda text: None,
    "bool": lambda text: text == "true",
    "int": int,
    "float": float,
}


def read_cases(text: str, name: str) -> Cases:
    """Parse the cases of a file; `name` is the file's name in error messages. Raises: UsageError, naming the line."""
    return _read(_Reader(text, name).file, name)


def read_environment(text: str, name: str, file: str) -> CallEnvironment:
    """Parse the environment `name` from the text of `file`. Raises: UsageError, naming the line."""
    return _read(lambda: _Reader(text, file).environment(name), file)


def _read(read: Callable[[], T], name: str) -> T:
    try:
        return read()
    except RecursionError:
        raise UsageError(f"{name}: it is nested too deeply", hint="Write cases about parts of it.") from None


class _Reader:
    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name

    def file(self) -> Cases:
        root = self._members(self._root(), FILE_MEMBERS, "a file of cases")
        version = self._value(root[HEADER]) if HEADER in root else None
        if version != VERSION:
            raise self._fault(
                None, f"it does not begin with {HEADER}: {VERSION}", "A newer program may have written it."
            )
        return Cases(
            tuple(self._cases(root.get("cases"))),
            self._text,
            self._span(root["cases"]) if "cases" in root else (0, 0),
            target=self._target(root),
            revision=self._revision(root),
            uses=tuple(
                Marker(self._text_of(each, "the name of a file"), line=each.start_mark.line + 1)
                for each in self._items(root.get("uses"), "uses")
            ),
            variables=tuple(self._variables(root.get("vars"))),
        )

    def environment(self, name: str) -> CallEnvironment:
        root = self._members(self._root(), ENVIRONMENT_MEMBERS, "an environment")
        return CallEnvironment(name, self._target(root), tuple(self._variables(root.get("vars"))))

    def _target(self, members: dict[str, _Node]) -> str:
        if "target" not in members:
            return ""
        target = self._text_of(members["target"], "target")
        if not target or any(letter.isspace() for letter in target):
            raise self._fault(
                members["target"],
                f"target: {cut(target, 80)!r} is neither a URL nor the name of a server",
                "A command is given after --, or in the configuration of a client.",
            )
        return target

    def _revision(self, members: dict[str, _Node]) -> str:
        if "revision" not in members:
            return ""
        revision = self._text_of(members["revision"], "revision")
        if not is_known(revision):
            raise self._fault(
                members["revision"],
                f"revision: {cut(revision, 80)!r} is no protocol version",
                f"There are {', '.join(dates())}.",
            )
        return revision

    def _cases(self, listed: _Node | None) -> Iterator[CaseDefinition]:
        """Yield each case in order. Two cases with the same name are an error."""
        names: set[str] = set()
        for node in self._items(listed, "cases"):
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
            return yaml.compose(self._text, Loader=_loader())
        except yaml.reader.ReaderError as error:
            line = self._text.count("\n", 0, error.position) + 1
            raise UsageError(
                f"{self._name}, line {line}: the letter U+{error.character:04X} is not allowed in YAML",
                hint="Write it as an escape between double quotes.",
            ) from None
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            where = f"line {mark.line + 1}: " if mark else ""
            why = getattr(error, "problem", None) or "invalid YAML"
            raise UsageError(
                f"{self._name}, {where}{why}", hint="It is YAML, as `mcp-inspect test --from-capture` writes it."
            ) from None

    def _case(self, node: _Node) -> CaseDefinition:
        members = self._members(node, CASE_MEMBERS, "a case")
        for needed in ("name", "request"):
            if needed not in members:
                raise self._fault(node, f"a case without {needed}", "It needs at least a name and a request.")
        params = self._value(members["params"]) if "params" in members else {}
        if not isinstance(params, dict):
            raise self._fault(members["params"], "params are no object", 'Write them as {"name": …}.')
        return CaseDefinition(
            name=self._text_of(members["name"], "name"),
            request=self._text_of(members["request"], "request"),
            params=params,
            expect=tuple(self._expectations(members.get("expect"))),
            answers=tuple(self._value(each) for each in self._items(members.get("answers"), "answers")),
            isolate="isolate" in members and self._flag(members["isolate"], "isolate"),
            session=self._text_of(members["session"], "session") if "session" in members else "",
            line=node.start_mark.line + 1,
            expects_at=members["expect"].start_mark.index if members.get("expect") else 0,
            span=self._span(node),
            name_at=self._span(members["name"]),
            uses_at=tuple(map(self._span, self._items(members.get("uses"), "uses of a case"))),
            save=tuple(self._saved(members.get("save"))),
            uses=tuple(
                self._text_of(each, "the name of a case") for each in self._items(members.get("uses"), "uses of a case")
            ),
            references=tuple(self._references_of(members)),
        )

    def _references_of(self, members: dict[str, _Node]) -> Iterator[Marker]:
        """Yield the markers in what is sent, and in expected values that are compared for equality."""
        for name in ("params", "answers"):
            if name in members:
                yield from self._references(members[name])
        for each in self._items(members.get("expect"), "expect"):
            equals = self._members(each, ("at", *_KINDS), "an expectation").get(ExpectationKind.EQUALS)
            if equals is not None:
                yield from self._references(equals)

    def _references(self, node: _Node) -> Iterator[Marker]:
        if node.id == "scalar":
            if node.tag == _TAG + "str":
                yield from references(node.value, node.start_mark.line + 1)
            return
        for each in node.value:
            yield from self._references(each if node.id == "sequence" else each[1])

    def _saved(self, node: _Node | None) -> Iterator[SavedValue]:
        for name, there in self._named(node, "save"):
            path = self._text_of(there, f"save {name}")
            steps, at = [], 1
            while path[:1] == "$" and (found := _STEP.match(path, at)) is not None:
                member, index, single, double = found.groups()
                steps.append(int(index) if index is not None else member or single or double or "")
                at = found.end()
            if not path.startswith("$") or at < len(path):
                raise self._fault(
                    there,
                    f"save {name}: {cut(path, 80)!r} is not a path",
                    "Write it as $.structuredContent.id or $.content[0].text; $ is the result.",
                )
            yield SavedValue(name, path, tuple(steps), there.start_mark.line + 1)

    def _variables(self, node: _Node | None) -> Iterator[CallVariable]:
        for name, there in self._named(node, "vars"):
            yield CallVariable(name, self._value(there), there.start_mark.line + 1, tuple(self._references(there)))

    def _named(self, node: _Node | None, what: str) -> Iterator[tuple[str, _Node]]:
        """Yield the members of an object of variables."""
        if node is None or (node.id == "scalar" and node.tag == _TAG + "null"):
            return
        if node.id != "mapping":
            raise self._fault(node, f"{what} is an object", "Write NAME: VALUE on each line below it.")
        found: set[str] = set()
        for key, value in node.value:
            name = key.value if key.id == "scalar" else "…"
            if not NAME_OF_VARIABLE.match(name):
                raise self._fault(
                    key, f"{what}: {cut(name, 80)!r} is no name of a variable", "Use letters, digits, - and _."
                )
            if name in found:
                raise self._fault(key, f"duplicate variable {name!r} in {what}", "Leave one of them out.")
            found.add(name)
            yield name, value

    def _expectations(self, node: _Node | None) -> Iterator[Expectation]:
        for each in self._items(node, "expect"):
            members = self._members(each, ("at", *_KINDS), "an expectation")
            kinds = [kind for kind in ExpectationKind if kind in members]
            if not kinds:
                raise self._fault(each, "an expectation that expects nothing", f"It has one of {', '.join(_KINDS)}.")
            at = self._text_of(members["at"], "at") if "at" in members else "/result"
            if at and not at.startswith("/"):
                raise self._fault(each, f"{at!r} is not a JSON Pointer", "Begin it with /result or /error.")
            for kind in kinds:
                there = members[kind]
                value = self._checked(there, kind)
                yield Expectation(kind, value, at, there.start_mark.line + 1, self._span(there))

    def _checked(self, node: _Node, kind: ExpectationKind) -> Any:
        """Return the value of an expectation after checking that it is valid for its kind."""
        value = self._value(node)
        wrong = _FAULTS[kind](value) if kind in _FAULTS else ""
        if wrong:
            raise self._fault(node, f"{kind}: {wrong}", "")
        return value

    def _members(self, node: _Node | None, allowed: tuple[str, ...], what: str) -> dict[str, _Node]:
        """Return the members of an object. A duplicate or unknown member is an error."""
        if node is None or node.id != "mapping":
            raise self._fault(node, f"{what} is an object", f"It has {', '.join(allowed)}.")
        found: dict[str, _Node] = {}
        for key, value in node.value:
            name = key.value if key.id == "scalar" else "…"
            if name not in allowed:
                raise self._fault(key, f"unknown key {cut(name, 80)!r} in {what}", _suggested(name, allowed))
            if name in found:
                raise self._fault(key, f"duplicate member {name!r} in {what}", "Leave one of them out.")
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

    def _flag(self, node: _Node, what: str) -> bool:
        value = self._value(node)
        if not isinstance(value, bool):
            raise self._fault(node, f"{what} is true or false", "Write one of them, without quotes.")
        return value

    def _value(self, node: _Node) -> Any:
        """Return the value of a node as JSON types."""
        if node.id == "sequence" and node.tag == _TAG + "seq":
            return [self._value(each) for each in node.value]
        if node.id == "mapping" and node.tag == _TAG + "map":
            return self._object(node)
        if node.id == "scalar" and node.tag == _TAG + "str":
            return node.value
        return self._plain(node)

    def _object(self, node: _Node) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in node.value:
            if key.id != "scalar":
                hint = 'A variable is written between quotes: "{{name}}".' if key.id == "mapping" else ""
                raise self._fault(key, "the name of a member is a text", hint or "Put it between quotes.")
            if key.value in found:
                raise self._fault(
                    key, f"duplicate member {cut(key.value, 80)!r} in an object", "Leave one of them out."
                )
            found[key.value] = self._value(value)
        return found

    def _plain(self, node: _Node) -> Any:
        tag = node.tag.removeprefix(_TAG)
        if tag not in _PLAIN or node.id != "scalar":
            raise self._fault(node, f"the tag {cut(node.tag, 80)} means nothing here", "Write plain values.")
        if not _PLAIN[tag][0].match(node.value):
            raise self._fault(node, f"this is no {tag} of JSON", "Put it between quotes if it is a text.")
        try:
            return _MADE[tag](node.value)
        except ValueError:
            raise self._fault(node, "a number that can't be read", "Put it between quotes if it is a text.") from None

    def _span(self, node: _Node) -> tuple[int, int]:
        """Return a node's span in the text. PyYAML counts everything before the next node as part of a block."""
        begin: int = node.start_mark.index
        while node.id != "scalar" and not node.flow_style and node.value:
            last = node.value[-1]
            node = last[1] if node.id == "mapping" else last
        return begin, max(begin, len(self._text[: node.end_mark.index].rstrip()))

    def _fault(self, node: _Node | None, what: str, hint: str) -> UsageError:
        where = f", line {node.start_mark.line + 1}" if node is not None else ""
        return UsageError(f"{self._name}{where}: {what}", hint=hint)


def _suggested(name: str, known: Iterable[str]) -> str:
    """Return a hint with the most similar known name and all known names."""
    from difflib import get_close_matches

    near = get_close_matches(name, [*known], n=1)
    return f"{f'Did you mean {near[0]!r}? ' if near else ''}There are: {', '.join(known)}."


@cache
def _loader() -> Any:
    """Return a loader that resolves JSON types and refuses aliases, which can expand one page to gigabytes."""
    import yaml

    class Loader(yaml.SafeLoader):
        """YAML loader that knows only JSON types."""

        def compose_node(self, parent: Any, index: Any) -> Any:
            """Compose a node; an alias is an error."""
            if self.check_event(yaml.AliasEvent):
                mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
                raise yaml.MarkedYAMLError(problem="an alias (*) is not taken here", problem_mark=mark)
            return super().compose_node(parent, index)

    Loader.yaml_implicit_resolvers = {}
    for tag, (pattern, first) in _PLAIN.items():
        Loader.add_implicit_resolver(_TAG + tag, pattern, [*first, *[""] * (tag == "null")])
    return Loader


def _wrong_type(value: Any) -> str:
    names = value if isinstance(value, list) else [value]
    unknown = [name for name in names if name not in TYPES]
    wrong = [f"{name!r}"[:80] for name in unknown] if names else ["an empty list"]
    return f"{wrong[0]} is not one of {', '.join(TYPES)}" if wrong else ""


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
    ExpectationKind.TYPE: _wrong_type,
    ExpectationKind.EXISTS: lambda value: "" if isinstance(value, bool) else "true or false is expected",
    ExpectationKind.MATCHES: _wrong_pattern,
    ExpectationKind.SCHEMA: _wrong_schema,
    ExpectationKind.FASTER: _wrong_limit,
}
