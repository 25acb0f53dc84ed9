"""The YAML front matter of a Markdown file, held against the JSON that is said to be the same.

Foreign YAML is never constructed: it is read as far as its nodes and walked beside the JSON, in bounded steps, so that
aliases can't multiply and tags mean nothing. A plain word is what either YAML 1.1 or 1.2 takes it for: `no` is false
for one and a text for the other, and a server may have used either.
"""

import re
from typing import Any

import msgspec

from inspector.protocol import peek

_Node = Any
"""A node as PyYAML composes it; its package is imported with the first front matter."""
MOST_BYTES = 32 * 1024
"""Of front matter that is read: a reader of YAML is slow."""
_MOST_STEPS = 10_000
_DEEPEST = 60
_FENCE = re.compile(r"---[ \t]*\r?\n")
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE)
_PLAIN_12 = re.compile(
    r"(?P<null>null|Null|NULL|~|)|(?P<true>true|True|TRUE)|(?P<false>false|False|FALSE)"
    r"|(?P<int>[-+]?[0-9]{1,300})|0o(?P<octal>[0-7]{1,300})|0x(?P<hex>[0-9a-fA-F]{1,300})"
    r"|(?P<float>[-+]?(?:\.[0-9]{1,300}|[0-9]{1,300}(?:\.[0-9]{0,300})?)(?:[eE][-+]?[0-9]{1,3})?)"
)
"""The core schema of YAML 1.2."""
_TAG = "tag:yaml.org,2002:"
_KINDS = {"mapping": "map", "sequence": "seq"}


class Difference(msgspec.Struct, frozen=True):
    """Where the two differ first, as a person reads it; both sides foreign."""

    claimed: str
    found: str


def _differ(path: str, claimed: str, found: str) -> Difference:
    where = path[-200:] or "front matter"
    return Difference(f"{where}: {claimed}", f"{where}: {found}")


def front_matter(text: str) -> str | None:
    """The YAML between the fences at the very beginning; None if there are none."""
    opening = _FENCE.match(text)
    if opening is None:
        return None
    end = _END.search(text, opening.end())
    return None if end is None else text[opening.end() : end.start()]


def compare(data: bytes, claimed: Any) -> Difference | None:
    """Where a file's front matter differs from what is claimed, or why that can't be told; None if it is the same."""
    found = front_matter(data[: MOST_BYTES + 16].decode("utf-8", "replace"))
    if found is None:
        long = len(data) > MOST_BYTES and data.startswith(b"---")
        return Difference(_shown(claimed), f"front matter of more than {MOST_BYTES:,} bytes" if long else "none")
    import yaml

    try:
        node = yaml.compose(found, Loader=yaml.SafeLoader)
        return _Walk().compare(node, claimed, "", 0)
    except yaml.YAMLError as error:
        return Difference(_shown(claimed), f"no YAML: {_said(error)}")
    except (RecursionError, ValueError) as error:
        return Difference(_shown(claimed), f"YAML that can't be read: {type(error).__name__}")


def _said(error: Exception) -> str:
    problem, mark = getattr(error, "problem", None), getattr(error, "problem_mark", None)
    return f"{problem or 'it is malformed'}" + (f" in line {mark.line + 1}" if mark else "")


class _Walk:
    """One walk over nodes and JSON, side by side, to the first difference."""

    def __init__(self) -> None:
        self._left = _MOST_STEPS

    def compare(self, node: _Node, claimed: Any, path: str, depth: int) -> Difference | None:
        """Compare what stands at a place."""
        self._left -= 1
        if self._left < 0 or depth > _DEEPEST:
            return _differ(path, _shown(claimed), "YAML that grows without end when it is read")
        if node is None:
            return None if claimed in (None, {}) else _differ(path, _shown(claimed), "nothing")
        if not node.tag.startswith(_TAG) or (node.id != "scalar" and node.tag != _TAG + _KINDS[node.id]):
            return _differ(path, _shown(claimed), f"a value with the tag {node.tag[:80]}")
        if node.id == "mapping":
            return self._mapping(node, claimed, path, depth)
        if node.id == "sequence":
            return self._sequence(node, claimed, path, depth)
        return _scalar(node, claimed, path)

    def _mapping(self, node: _Node, claimed: Any, path: str, depth: int) -> Difference | None:
        if not isinstance(claimed, dict):
            return _differ(path, _shown(claimed), "an object")
        seen: set[str] = set()
        for key, value in node.value:
            name = key.value if isinstance(key.value, str) else "?"
            here = f"{path}.{name}" if path else name
            if name in seen:
                return _differ(here, _shown(claimed.get(name)), "it is there more than once")
            if name not in claimed:
                return _differ(here, "not there", _of(value))
            seen.add(name)
            if (difference := self.compare(value, claimed[name], here, depth + 1)) is not None:
                return difference
        more = next((name for name in claimed if name not in seen), None)
        if more is None:
            return None
        return _differ(f"{path}.{more}" if path else more, _shown(claimed[more]), "not there")

    def _sequence(self, node: _Node, claimed: Any, path: str, depth: int) -> Difference | None:
        if not isinstance(claimed, list) or len(claimed) != len(node.value):
            return _differ(path, _shown(claimed), f"an array of {len(node.value)}")
        pairs = enumerate(zip(node.value, claimed, strict=True))
        found = (self.compare(value, item, f"{path}[{place}]", depth + 1) for place, (value, item) in pairs)
        return next((difference for difference in found if difference is not None), None)


def _scalar(node: _Node, claimed: Any, path: str) -> Difference | None:
    if any(_same(value, claimed) for value in _meanings(node)) or _same_date(node, claimed):
        return None
    shown, found = _shown(claimed), _of(node)
    if shown == found:
        shown, found = (
            f"{each}, a {peek.type_name(value)}" for each, value in ((shown, claimed), (found, _meanings(node)[0]))
        )
    return _differ(path, shown, found)


def _meanings(node: _Node) -> list[Any]:
    """What a scalar may stand for."""
    text: str = node.value
    if node.style is not None:
        return [text]
    return [_by_core_schema(text), _by_older_schema(node)]


def _by_core_schema(text: str) -> Any:
    found = _PLAIN_12.fullmatch(text)
    match found.lastgroup if found else None:
        case "null":
            return None
        case "true":
            return True
        case "false":
            return False
        case "int":
            return int(text)
        case "octal":
            return int(text[2:], 8)
        case "hex":
            return int(text[2:], 16)
        case "float":
            return float(text)
        case _:
            return text


def _by_older_schema(node: _Node) -> Any:
    """As YAML 1.1 reads a plain word; the word itself where that is nothing that JSON has."""
    from yaml.constructor import SafeConstructor

    kind, make = node.tag.removeprefix(_TAG), SafeConstructor()
    try:
        if kind == "bool":
            return make.construct_yaml_bool(node)
        if kind == "int" and len(node.value) < 300:
            return make.construct_yaml_int(node)
        if kind == "float":
            return make.construct_yaml_float(node)
    except (ValueError, KeyError, OverflowError):
        pass
    return None if kind == "null" else node.value


def _same(value: Any, claimed: Any) -> bool:
    if isinstance(value, bool) or isinstance(claimed, bool):
        return value is claimed
    return bool(value == claimed) and (isinstance(value, str) == isinstance(claimed, str))


def _same_date(node: _Node, claimed: Any) -> bool:
    """A date becomes a text, and readers write its time in different ways."""
    dated = node.tag == f"{_TAG}timestamp" and isinstance(claimed, str)
    return dated and claimed[:10] == node.value[:10]


def _of(node: _Node) -> str:
    if node.id == "scalar":
        return str(node.value)[:200]
    return "an object" if node.id == "mapping" else "an array"


def _shown(claimed: Any) -> str:
    if isinstance(claimed, dict | list):
        return f"an {peek.type_name(claimed)}" + (f" of {len(claimed)}" if isinstance(claimed, list) else "")
    return (
        str(claimed)[:200]
        if isinstance(claimed, str | int | float) and not isinstance(claimed, bool)
        else _word(claimed)
    )


def _word(claimed: Any) -> str:
    return {None: "null", True: "true", False: "false"}.get(claimed, peek.type_name(claimed))
