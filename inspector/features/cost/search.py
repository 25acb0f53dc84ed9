"""A simulation of clients' tool search: does a query find the right tool among the first five?

Clients with many tools defer their definitions and let the model search for them, by BM25 or by a regular expression
over names, descriptions, and names and descriptions of parameters. Both are simulated here.

Source: https://docs.claude.com/en/docs/agents-and-tools/tool-use/tool-search-tool (fields, variants and result count);
Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009 (ranking).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import Any, Final

import msgspec
import regex

from inspector.checks.definitions.confusable import words_of
from inspector.errors import UsageError
from inspector.protocol import peek

TOP: Final = 5
"""Number of tools that a search returns."""
_K1, _B = 1.2, 0.75
"""The usual parameters of BM25: how much repetition counts, and how much a text's length."""
_PATIENCE_S = 1.0
"""Timeout of a regular expression over all tools."""


class SearchQuery(msgspec.Struct, frozen=True):
    """One query to simulate."""

    text: str
    """Search terms, or a regular expression between slashes."""
    expected: str = ""
    """Expected tool; "" if not given."""


class SearchResult(msgspec.Struct, frozen=True):
    """The result of a query. Names are untrusted text."""

    query: SearchQuery
    top: tuple[str, ...]
    """Names of the first five tools, best first."""
    rank: int
    """Rank of the expected tool, from 1; 0 if it is not found or no tool is expected."""
    missing: tuple[str, ...]
    """Terms of the query that the expected tool lacks."""

    @property
    def found(self) -> bool:
        """Whether the expected tool is among the first five; if none is expected, whether any tool is found."""
        return 0 < self.rank <= TOP if self.query.expected else bool(self.top)


def read_queries(lines: Iterable[str]) -> list[SearchQuery]:
    """Read queries, one per line: `QUERY` or `QUERY => TOOL`. Blank lines and lines that begin with # are skipped.

    Raises: UsageError for a tool without a query.
    """
    found = []
    for line in lines:
        text, _, expected = line.partition("=>")
        if expected.strip() and not text.strip():
            raise UsageError(f"no query before => in {line!r}", hint="Write QUERY => TOOL.")
        if text.strip() and not text.lstrip().startswith("#"):
            found.append(SearchQuery(text.strip(), expected.strip()))
    return found


class ToolSearch:
    """A search index over tools."""

    def __init__(self, tools: Sequence[Mapping[str, Any]]) -> None:
        self._names = [peek.text(tool, "name") or "" for tool in tools]
        self._texts = [_text_of(tool) for tool in tools]
        self._words = [Counter(words_of(text)) for text in self._texts]
        lengths = [words.total() for words in self._words]
        self._average = sum(lengths) / len(lengths) if lengths else 1.0
        self._documents = Counter(word for words in self._words for word in words)

    def search(self, query: SearchQuery) -> SearchResult:
        """Return what a query finds.

        Raises: UsageError for an expected tool that does not exist, an invalid regular expression, or one that takes
        too long.
        """
        if query.expected and query.expected not in self._names:
            raise UsageError(
                f"query {query.text!r} expects the tool {query.expected!r}, which does not exist",
                hint="Names are case-sensitive; mcp-inspect list tools prints them.",
            )
        pattern = query.text[1:-1] if len(query.text) > 2 and query.text[0] == query.text[-1] == "/" else None
        order = self._by_words(query.text) if pattern is None else self._by_pattern(pattern)
        names = [self._names[at] for at in order]
        rank = names.index(query.expected) + 1 if query.expected in names and query.expected else 0
        return SearchResult(query, tuple(names[:TOP]), rank, () if pattern is not None else self._missing(query))

    def _by_words(self, text: str) -> list[int]:
        wanted = set(words_of(text))
        scores = ((self._score(wanted, at), at) for at in range(len(self._names)))
        return [at for score, at in sorted(scores, key=lambda each: (-each[0], each[1])) if score > 0]

    def _score(self, wanted: set[str], at: int) -> float:
        words, score = self._words[at], 0.0
        spread = _K1 * (1 - _B + _B * words.total() / self._average)
        for word in wanted & words.keys():
            count = self._documents[word]
            rarity = log(1 + (len(self._names) - count + 0.5) / (count + 0.5))
            score += rarity * words[word] * (_K1 + 1) / (words[word] + spread)
        return score

    def _by_pattern(self, pattern: str) -> list[int]:
        try:
            wanted = regex.compile(pattern, regex.IGNORECASE)
            return [at for at, text in enumerate(self._texts) if wanted.search(text, timeout=_PATIENCE_S)]
        except regex.error as error:
            raise UsageError(f"/{pattern}/ is not a valid regular expression: {error}") from None
        except TimeoutError:
            raise UsageError(f"/{pattern}/ takes longer than {_PATIENCE_S:g} s", hint="Simplify it.") from None

    def _missing(self, query: SearchQuery) -> tuple[str, ...]:
        if not query.expected:
            return ()
        there = self._words[self._names.index(query.expected)]
        return tuple(word for word in dict.fromkeys(words_of(query.text)) if word not in there)


def _text_of(tool: Mapping[str, Any]) -> str:
    """Return all searched texts: name, title, description, and those of the parameters."""
    parts = [peek.text(tool, name) or "" for name in ("name", "title", "description")]
    for name, schema in peek.mapping(tool, "inputSchema", "properties").items():
        parts += [name, peek.text(schema, "description") or ""]
    return "\n".join(parts)
