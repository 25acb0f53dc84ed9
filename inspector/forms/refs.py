"""Resolving of `$ref` within one document. Nothing is ever fetched.

A reference is a pointer (`#/$defs/a`), an anchor (`#a`), or the `$id` of a schema in the same document, optionally
followed by either. Any other reference is external, which is reported as a sentence.
"""

from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote, urldefrag, urljoin

from inspector.json_pointer import steps

MOST_NODES: Final = 10_000
"""Maximum number of JSON values that are searched for anchors and ids."""

_NOWHERE: Final = object()


class SchemaDocument:
    """A schema as the target of references."""

    def __init__(self, root: object) -> None:
        self.root = root
        self._index: dict[str, object] | None = None
        self._found: dict[str, tuple[object, str]] = {}

    def find(self, ref: str) -> tuple[object, str]:
        """Resolve `ref`. Return the schema and "", or None and a sentence why there is none."""
        if ref not in self._found:  # large schemas refer to a few others thousands of times
            self._found[ref] = self._find(ref)
        return self._found[ref]

    def _find(self, ref: str) -> tuple[object, str]:
        base, fragment = _split(ref)
        home = self._home(base)
        if home is _NOWHERE:
            return None, f"its schema is external ({ref}); schemas are never fetched"
        if fragment and not fragment.startswith("/"):
            found = self._names().get(f"#{fragment}", _NOWHERE)
        else:
            found = _follow(home, fragment)
        return (None, f"it refers to {ref}, which is not in the schema") if found is _NOWHERE else (found, "")

    def _home(self, base: str) -> object:
        """Return the schema for the part of a reference before `#`."""
        return self.root if not base else self._names().get(base, _NOWHERE)

    def _names(self) -> dict[str, object]:
        """Return the schemas by anchor ("#name") and by id, both as written and resolved; built on first use."""
        if self._index is None:
            self._index = {}
            root_id = self.root.get("$id") if isinstance(self.root, dict) else None
            home = root_id if isinstance(root_id, str) else ""
            for schema in _objects(self.root):
                for name in _names_of(schema, home):
                    self._index.setdefault(name, schema)
        return self._index


def _split(ref: str) -> tuple[str, str]:
    try:
        base, fragment = urldefrag(ref)
    except ValueError:  # an invalid URL, such as "http://["
        return ref, ""
    return base, unquote(fragment)


def _names_of(schema: dict[object, object], home: str) -> Iterator[str]:
    own = schema.get("$id", schema.get("id"))
    if isinstance(own, str) and own:
        if own.startswith("#"):  # an anchor in draft-07
            yield own
        yield own.removesuffix("#")
        try:
            yield urljoin(home, own).removesuffix("#")
        except ValueError:
            return
    for key in ("$anchor", "$dynamicAnchor"):
        anchor = schema.get(key)
        if isinstance(anchor, str):
            yield f"#{anchor}"


def _objects(root: object) -> Iterator[dict[object, object]]:
    """Yield the JSON objects of the document, outermost first, up to the limit. Not recursive."""
    waiting: list[object] = [root]
    for _ in range(MOST_NODES):
        if not waiting:
            return
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting.extend(reversed(node.values()))
        elif isinstance(node, list):
            waiting.extend(reversed(node))


def _follow(node: object, pointer: str) -> object:
    """Resolve a JSON pointer (RFC 6901) that is already percent-decoded."""
    for key in steps(pointer):
        if isinstance(node, dict):
            node = node.get(key, _NOWHERE)
        elif isinstance(node, list) and key.isascii() and key.isdigit() and len(key) < 10:
            node = node[int(key)] if int(key) < len(node) else _NOWHERE
        else:
            return _NOWHERE
    return node
