"""What a metaschema can't see in a schema: patterns that are none, references that lead nowhere."""

from collections.abc import Iterator
from typing import Final

from inspector.forms.keywords import Fault
from inspector.forms.paths import Path
from inspector.forms.patterns import usable
from inspector.forms.refs import MOST_NODES, Document

_DATA: Final = frozenset(("const", "enum", "default", "examples", "example"))


def schema_faults(schema: object) -> Iterator[tuple[str, Fault]]:
    """The keyword at fault and what is wrong with it, outermost first; the paths are places in the schema."""
    document = Document(schema)
    for path, node in _objects(schema):
        ref = node.get("$ref")
        if isinstance(ref, str) and "json-schema.org/" not in ref:
            _, why = document.find(ref)
            if why:
                yield "$ref", Fault(f"can't be used: {why}", (*path, "$ref"))
        pattern = node.get("pattern")
        if isinstance(pattern, str) and not usable(pattern):
            yield "pattern", Fault("is no usable regular expression", (*path, "pattern"))
        patterns = node.get("patternProperties")
        for each in patterns if isinstance(patterns, dict) else ():
            if not usable(each):
                yield "patternProperties", Fault("is no usable regular expression", (*path, "patternProperties", each))


def _objects(schema: object) -> Iterator[tuple[Path, dict[str, object]]]:
    """Every object of a schema that is no data, with its place; up to a limit, without recursion."""
    waiting: list[tuple[Path, object]] = [((), schema)]
    for _ in range(MOST_NODES):
        if not waiting:
            return
        path, node = waiting.pop()
        if isinstance(node, dict):
            yield path, node
            inner = [((*path, key), each) for key, each in node.items() if key not in _DATA]
            waiting.extend(reversed(inner))
        elif isinstance(node, list):
            waiting.extend(reversed([((*path, at), each) for at, each in enumerate(node)]))
