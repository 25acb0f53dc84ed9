"""Phrases that plain English does not need, and where they occur: `python -m tests.language [--list] [PATH ...]`.

Read are string literals (docstrings included) and comments of Python files, and every line of the documents. Names in
code are not read.
"""

import argparse
import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
"""The checkout."""

_ROWS = Path(__file__).with_suffix(".tsv").read_text("utf-8").splitlines()[1:]
PHRASES = dict(row.split("\t") for row in _ROWS)
"""Pattern → what to say instead. Case is ignored. A space is any white space, also between two lines of a comment."""

_GAP = r"[\s#]+"
_ANY = re.compile("|".join(rf"\b({phrase.replace(' ', _GAP)})(?!\w)" for phrase in PHRASES), re.IGNORECASE)
_FILES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")


class Hit(NamedTuple):
    path: str
    """From the checkout, with slashes."""
    line: int
    """From 1."""
    found: str
    """The words as written, in one line."""
    instead: str

    @property
    def room(self) -> str:
        """The folder it counts for: "inspector/tui", "docs", "tests"; files at the top of `inspector/` are one room."""
        parts = self.path.split("/")
        if parts[0] == "inspector":
            return "/".join(parts[:2]) if len(parts) > 2 else "inspector"
        return parts[0]


def files(*places: str) -> Iterator[Path]:
    """Yield the files to read below some paths of the checkout, in order; without paths all of them."""
    for place in places or ("inspector", "benchmarks", "docs", "tests", *_FILES):
        start = ROOT / place
        found = [start] if start.is_file() else [*start.rglob("*.py"), *start.rglob("*.md")]
        yield from sorted(file for file in found if file != Path(__file__) and "__pycache__" not in file.parts)


def hits(path: str, text: str) -> list[Hit]:
    """Return the phrases in one file, in order. What is not a string or comment of a Python file does not count."""
    if not _ANY.search(text):
        return []
    in_tests = path.startswith(("benchmarks/", "tests/"))
    read = [range(len(text))] if path.endswith(".md") else _prose(text, only_docstrings=in_tests)
    advice = list(PHRASES.values())
    return [
        Hit(
            path,
            text.count("\n", 0, found.start()) + 1,
            " ".join(found[0].replace("#", " ").split()),
            advice[(found.lastindex or 1) - 1],
        )
        for found in _ANY.finditer(text)
        if any(found.start() in each for each in read)
    ]


def _prose(text: str, *, only_docstrings: bool) -> list[range]:
    """Return where the strings and comments of a Python file are, as offsets into its text."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    docstrings = _docstring_lines(text) if only_docstrings else None
    kinds = {tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    result = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_wanted = token.type in kinds and (docstrings is None or token.start[0] in docstrings)
        if is_wanted or token.type == tokenize.COMMENT:
            result.append(range(starts[token.start[0] - 1] + token.start[1], starts[token.end[0] - 1] + token.end[1]))
    return result


def _docstring_lines(text: str) -> set[int]:
    """Return the first lines of the docstrings: in tests, other strings are data."""
    return {
        node.value.lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def all_hits(places: Iterable[str] = ()) -> list[Hit]:
    """Return the phrases in all files below some paths of the checkout."""
    return [hit for file in files(*places) for hit in hits(file.relative_to(ROOT).as_posix(), file.read_text())]


def main() -> None:
    """Print the number of phrases in each folder; with `--list` or a path, each phrase with its place."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="print each place")
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="a file or folder of the checkout, such as inspector/cli"
    )
    arguments = parser.parse_args()
    found = all_hits(arguments.paths)
    if arguments.list or arguments.paths:
        for hit in found:
            print(f"{hit.path}:{hit.line}: {hit.found!r} → {hit.instead}")
    for room, count in sorted(Counter(hit.room for hit in found).items()):
        print(f"{count:5} {room}", file=sys.stderr)


if __name__ == "__main__":
    main()
