"""Reads and edits case files: YAML without aliases and tags. Each error names its line.

Only JSON types are read: a date stays text, and tags have no effect. An object with a duplicate member is ambiguous,
so it is an error.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from inspector.atomic_write import write_whole
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
_NEW = f"# What a server must answer. To try it:  mcp-inspect test FILE TARGET\n{HEADER}: {VERSION}\n"
_NEW_CALLS = f"# Saved calls. To run them:  mcp-inspect run FILE\n{HEADER}: {VERSION}\ncases:\n"
_LONGEST_KEY = 1000
"""Maximum length of a quoted member name. YAML requires a question mark before a longer one."""
_ONE_VALUE = {ExpectationKind.EQUALS, ExpectationKind.SNAPSHOT, ExpectationKind.TYPE, ExpectationKind.EXISTS}
"""Kinds of which a place can have only one."""
SUFFIX = ".cases.yaml"


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
        """Parse a case file."""
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
        """Parse an environment."""
        root = self._members(self._root(), ENVIRONMENT_MEMBERS, "an environment")
        return CallEnvironment(name, self._target(root), tuple(self._variables(root.get("vars"))))

    def _target(self, members: dict[str, _Node]) -> str:
        if "target" not in members:
            return ""
        target = self._text_of(members["target"], "target")
        if not target or any(letter.isspace() for letter in target):
            raise self._fault(
                members["target"],
                f"target: {target[:80]!r} is neither a URL nor the name of a server",
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
                f"revision: {revision[:80]!r} is no protocol version",
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
                    f"save {name}: {path[:80]!r} is not a path",
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
                    key, f"{what}: {name[:80]!r} is no name of a variable", "Use letters, digits, - and _."
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
                raise self._fault(key, f"unknown key {name[:80]!r} in {what}", _suggested(name, allowed))
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
                raise self._fault(key, f"duplicate member {key.value[:80]!r} in an object", "Leave one of them out.")
            found[key.value] = self._value(value)
        return found

    def _plain(self, node: _Node) -> Any:
        tag = node.tag.removeprefix(_TAG)
        if tag not in _PLAIN or node.id != "scalar":
            raise self._fault(node, f"the tag {node.tag[:80]} means nothing here", "Write plain values.")
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


# Adding cases to a file, with comments preserved


def as_yaml(value: Any) -> str:
    """Return a value on one line: JSON with YAML escapes for invisible characters.

    Raises: ValueError for a value that JSON can't represent.
    """
    match value:
        case dict():
            return "{" + ", ".join(f"{_key(str(key))}: {as_yaml(each)}" for key, each in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(as_yaml, value)) + "]"
        case str():
            text = json.dumps(value, ensure_ascii=False)
            return text if text.isprintable() else "".join(map(_letter, text))
        case float() if not math.isfinite(value):
            if math.isnan(value):
                raise ValueError("NaN is no value of JSON")
            return "1e999" if value > 0 else "-1e999"
    return json.dumps(value)


def written(case: CaseDefinition, indent: str = "  ") -> str:
    """Return the YAML lines of a case."""
    lines = [f"- name: {as_yaml(case.name)}", f"  request: {as_yaml(case.request)}"]
    if case.uses:
        lines.append(f"  uses: {as_yaml(case.uses)}")
    if case.params:
        lines.append(f"  params: {as_yaml(case.params)}")
    if case.isolate:
        lines.append("  isolate: true")
    if case.session:
        lines.append(f"  session: {as_yaml(case.session)}")
    if case.answers:
        lines += ["  answers:", *(f"    - {as_yaml(each)}" for each in case.answers)]
    if case.expect:
        lines += ["  expect:", *(f"    {line}" for each in case.expect for line in _expected(each))]
    if case.save:
        lines.append(f"  save: {as_yaml({each.name: each.path for each in case.save})}")
    return "".join(f"{indent}{line}\n" for line in lines)


def with_cases(text: str, cases: Sequence[CaseDefinition], name: str, revision: str = "") -> str:
    """Return the file's text with these cases; expectations are added to an existing case with the same request.

    `revision`: the protocol version of their results, which a new file names; "" for none.

    If the existing case contradicts them, for example because the response has changed since, it stays unchanged and
    a new case is added. `text` is "" for a new file. If a name is taken, a number is appended.

    Raises: UsageError if the text is not a case file, or a value is not allowed in one.
    """
    new = f'{_NEW}revision: "{revision}"\ncases:\n' if revision else f"{_NEW}cases:\n"
    found = read_cases(text if text.strip() else new, name)
    every = [*found.cases]
    added: dict[int, list[Expectation]] = {}
    for case in cases:
        home = _home(every, case)
        if home is None:
            every.append(msgspec.structs.replace(case, name=_free(case.name, {each.name for each in every})))
            continue
        more = [each for each in case.expect if not any(_is_same(each, old) for old in every[home].expect)]
        added.setdefault(home, []).extend(more)
        every[home] = msgspec.structs.replace(every[home], expect=(*every[home].expect, *more))
    before = len(found.cases)
    try:
        made = _edited(found, {at: more for at, more in added.items() if at < before}, every[before:])
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise UsageError(f"a value can't be written to {name}: {why}", hint="Choose a part of it, or others.") from None
    read_cases(made, name)  # never write text that can't be read back
    return made


def with_values(found: Cases, values: Sequence[tuple[Expectation, Any]]) -> str:
    """Return the file's text with other values for these expectations."""
    text = found.text
    for expectation, value in sorted(values, key=lambda each: each[0].span, reverse=True):
        begin, end = expectation.span
        text = text[:begin] + _room(text, begin) + as_yaml(value) + text[end:]
    return text


def with_copy(found: Cases, case: CaseDefinition) -> str:
    """Return the file's text with a copy of a case at the end. If its name is taken, a number is appended."""
    copy = msgspec.structs.replace(case, name=_free(case.name, {each.name for each in found.cases}))
    at, insertion = _more_cases(found, [copy])
    return found.text[:at] + insertion + found.text[at:]


def with_name(found: Cases, case: CaseDefinition, name: str) -> str:
    """Return the file's text with one case renamed, also where other cases use it. Raises: UsageError."""
    if any(each.name == name for each in found.cases):
        raise UsageError(f"there is another case named {name!r}", hint="Give each a name of its own.")
    places = [case.name_at]
    for each in found.cases:
        places += [at for used, at in zip(each.uses, each.uses_at, strict=True) if used == case.name]
    text = found.text
    for begin, end in sorted(places, reverse=True):
        text = text[:begin] + as_yaml(name) + text[end:]
    return text


def without_case(found: Cases, case: CaseDefinition) -> str:
    """Return the file's text without one of its cases. Comments are preserved."""
    text, (begin, end) = found.text, case.span
    if text[found.span[0]] == "[":
        after = re.compile(r"\s*,\s*").match(text, end)
        if after is not None:
            return text[:begin] + text[after.end() :]
        return text[:begin].rstrip().removesuffix(",") + text[end:]
    dash = text.rindex("-", 0, begin)
    line = text.rfind("\n", 0, dash) + 1
    next_line = text.find("\n", end)
    return text[:line] + (text[next_line + 1 :] if next_line >= 0 else "")


def _edited(found: Cases, added: dict[int, list[Expectation]], new: Sequence[CaseDefinition]) -> str:
    """Return the text with expectations added to the cases at these indexes, and with new cases."""
    edits = [_more_expected(found.text, found.cases[at].expects_at, more) for at, more in added.items() if more]
    if new:
        edits.append(_more_cases(found, new))
    text = found.text
    for at, insertion in sorted(edits, reverse=True):
        text = text[:at] + insertion + text[at:]
    return text


def _more_expected(text: str, at: int, more: Sequence[Expectation]) -> tuple[int, str]:
    """Return where to insert expectations, and the text to insert. They precede the existing ones."""
    if text[at] == "[":
        return at + 1, "".join(f"{as_yaml(_as_object(each))}, " for each in more)
    indent = "\n" + " " * _column(text, at)
    return at, "".join(f"{line}{indent}" for each in more for line in _expected(each))


def _more_cases(found: Cases, new: Sequence[CaseDefinition]) -> tuple[int, str]:
    """Return where to insert cases, and the text to insert. They follow the existing ones."""
    text, (begin, end) = found.text, found.span
    if text[begin : begin + 1] == "[":
        last = len(text[: end - 1].rstrip())
        comma = ", " if text[last - 1] not in "[," else ""
        return last, comma + ", ".join(as_yaml(_case_as_object(each)) for each in new)
    indent = " " * _column(text, begin) if found.cases else "  "
    cases = "".join(written(each, indent) for each in new)
    line = text.find("\n", end) if end else -1
    if line >= 0:
        return line + 1, cases
    return len(text), "\n" * (not text.endswith("\n")) + ("" if end else "cases:\n") + cases


def _home(every: Sequence[CaseDefinition], case: CaseDefinition) -> int | None:
    """Return the index of the case to which another one's expectations are added; None if a new case is needed."""
    same = [at for at, each in enumerate(every) if _asks_the_same(each, case) and each.expect]
    known = [at for at in same if all(any(_is_same(one, old) for old in every[at].expect) for one in case.expect)]
    return next(iter(known or [at for at in same if not _contradicts(every[at], case)]), None)


def _contradicts(one: CaseDefinition, other: CaseDefinition) -> bool:
    pairs = [(mine, yours) for mine in one.expect for yours in other.expect]
    return any(
        (mine.kind is yours.kind and mine.kind in _ONE_VALUE and mine.at == yours.at and mine.value != yours.value)
        or {_half(mine), _half(yours)} == {"result", "error"}
        for mine, yours in pairs
    )


def _half(expectation: Expectation) -> str:
    """Return the member that an expectation requires in the response: "result" or "error"; "" for none."""
    wants_none = expectation.kind is ExpectationKind.FASTER or (
        expectation.kind is ExpectationKind.EXISTS and expectation.value is False
    )
    return "" if wants_none else expectation.at.split("/")[1:2][0] if expectation.at else ""


def _expected(expectation: Expectation) -> list[str]:
    members = [f"{name}: {as_yaml(value)}" for name, value in _as_object(expectation).items()]
    return [f"- {members[0]}", *(f"  {each}" for each in members[1:])]


def _as_object(expectation: Expectation) -> dict[str, Any]:
    what = {expectation.kind.value: expectation.value}
    return what if expectation.kind is ExpectationKind.FASTER else {"at": expectation.at, **what}


def _case_as_object(case: CaseDefinition) -> dict[str, Any]:
    made: dict[str, Any] = {"name": case.name, "request": case.request}
    rest = {"params": case.params, "isolate": case.isolate, "answers": list(case.answers), "session": case.session}
    rest |= {"uses": list(case.uses), "save": {each.name: each.path for each in case.save}}
    made |= {name: value for name, value in rest.items() if value}
    return made | ({"expect": [_as_object(each) for each in case.expect]} if case.expect else {})


def _room(text: str, at: int) -> str:
    """Return the white space that YAML requires before a value.

    A block list may begin at the same column as its name; any other value must be indented further.
    """
    if at and not text[at - 1].isspace() and text[at - 1] not in "[{,":
        return " "
    alone = not text[at - _column(text, at) : at].strip()
    return "  " if alone and text[at : at + 1] == "-" else ""


def _column(text: str, at: int) -> int:
    return at - (text.rfind("\n", 0, at) + 1)


def _key(name: str) -> str:
    key = as_yaml(name)
    return key if len(key) < _LONGEST_KEY else f"? {key} "


def _letter(letter: str) -> str:
    return letter if letter.isprintable() else f"\\U{ord(letter):08X}"


def _asks_the_same(one: CaseDefinition, other: CaseDefinition) -> bool:
    return (one.request, one.params, one.answers) == (other.request, other.params, other.answers)


def _is_same(one: Expectation, other: Expectation) -> bool:
    return (one.kind, one.at, one.value) == (other.kind, other.at, other.value)


def _free(name: str, taken: Iterable[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    return free


# Finding, reading and extending case files


def beside(capture: Path) -> Path:
    """Return the case file that belongs to a capture: `session.cases.yaml` beside `session.mcpcap`."""
    return capture.with_name(capture.name.removesuffix(".mcpcap") + SUFFIX)


def open_cases(path: Path) -> Cases:
    """Read a case file. Raises: UsageError."""
    return read_cases(_text(path), str(path))


def open_environment(path: Path, name: str) -> CallEnvironment:
    """Read an environment file. Raises: UsageError."""
    return read_environment(_text(path), name, str(path))


def add_cases(path: Path, cases: Sequence[CaseDefinition], revision: str = "") -> int:
    """Add cases to a file and return its number of cases. Raises: UsageError.

    A missing file is created, readable by its owner only. It names `revision`, the protocol version of the results.
    """
    text = with_cases(_text(path) if path.exists() else "", cases, str(path), revision)
    write_whole(path, text.encode(), new=0o600)  # server output, possibly with secrets
    return len(read_cases(text, str(path)).cases)


def open_or_begin(path: Path) -> Cases:
    """Read a file of saved calls, or return an empty one if the file does not exist. Raises: UsageError."""
    return open_cases(path) if path.exists() else read_cases(_NEW_CALLS, str(path))


def rewrite(path: Path, text: str) -> None:
    """Write an edited case file if its text can be read back. Raises: UsageError."""
    read_cases(text, str(path))
    write_whole(path, text.encode())


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > 4 * LARGEST:
            raise UsageError(f"{path}: larger than any file of cases", hint="Part it into several files.")
        return path.read_bytes().decode("utf-8")  # keep line endings
    except OSError as error:
        raise UsageError(
            f"{path}: can't be read: {error.strerror}", hint="mcp-inspect test --from-capture writes such a file."
        ) from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: byte {error.start} is not UTF-8", hint="Save it as UTF-8.") from None
