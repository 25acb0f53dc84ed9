"""Where the references of a schema lead, and what becomes of it if they are followed. Nothing is ever fetched.

A schema may refer to itself: that is how trees are described. Two things are peculiar all the same: references that
lead only to each other, and references that multiply, so that a client that writes them all out never ends.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from inspector.forms.paths import Path
from inspector.forms.refs import Document

MOST_WRITTEN_OUT: Final = 100_000
"""Parts of a schema once all references are written out."""
_MOST_VISITED: Final = 20_000
_DATA: Final = frozenset(("const", "enum", "default", "examples", "example"))

Found = tuple[str, Path, str]
"""The kind, the place and the sentence."""


def reference_features(schema: Any, reads: Sequence[tuple[Path, Any]], side: str) -> Iterator[Found]:
    """What is peculiar about the references that stand at these places."""
    if not reads:
        return
    document = Document(schema)
    for path, ref in reads:
        if type(ref) is not str:
            yield f"{side}-reference", (*path, "$ref"), "has a $ref that is no string"
            continue
        target, why = document.find(ref)
        if why:
            kind = f"{side}-reference"
            yield kind, (*path, "$ref"), f"has a reference that leads nowhere here: {ref[:60]}"
        elif _is_loop(document, target):
            yield "reference-loop", (*path, "$ref"), f"has references that lead only to each other: {ref[:60]}"
            return
    size, is_recursive = written_out(schema, document)
    if size > MOST_WRITTEN_OUT:
        yield "multiplies", (), f"has references that multiply: written out it has more than {MOST_WRITTEN_OUT:,} parts"
    elif is_recursive:
        yield "recursive", (), "refers to itself"


def _is_loop(document: Document, target: Any) -> bool:
    """Whether a chain of nothing but references comes back to where it was."""
    met: set[int] = set()
    while type(target) is dict and type(target.get("$ref")) is str and len(target) == 1:
        if id(target) in met:
            return True
        met.add(id(target))
        target, why = document.find(target["$ref"])
        if why:
            return False
    return False


def written_out(schema: Any, document: Document) -> tuple[int, bool]:
    """How many parts a schema has with its references written out, and whether it refers to itself.

    A reference back counts as one part. Counting stops a little above `MOST_WRITTEN_OUT`.
    """
    sizes: dict[int, int] = {}
    open_: set[int] = set()
    recursive = False
    visited = 0
    stack: list[tuple[Any, bool]] = [(schema, False)]
    while stack:
        node, is_done = stack.pop()
        key = id(node)
        if is_done:
            open_.discard(key)
            sizes[key] = min(1 + sum(sizes.get(id(each), 1) for each in _parts(node, document)), MOST_WRITTEN_OUT + 1)
            continue
        if key in open_:
            recursive = True
            continue
        visited += 1
        if key in sizes or visited > _MOST_VISITED:
            continue
        open_.add(key)
        stack.append((node, True))
        stack.extend((each, False) for each in _parts(node, document) if type(each) in (dict, list))
    return sizes.get(id(schema), 1), recursive


def _parts(node: Any, document: Document) -> list[Any]:
    if type(node) is list:
        return node
    if type(node) is not dict:
        return []
    parts = [each for key, each in node.items() if key not in _DATA and type(each) in (dict, list)]
    ref = node.get("$ref")
    if type(ref) is str:
        target, why = document.find(ref)
        if not why:
            parts.append(target)
    return parts
