"""What tool definitions and results cost a language model, in bytes and estimated tokens.

A client sends the definitions of all tools with each request to its model, so their size is a permanent cost.
Results cost once, but are often much larger. Everything here is computed offline from what the server sent.

Tool search is simulated too. Clients with many tools defer their definitions and let the model search for them, by
BM25 or by a regular expression over names, descriptions, and names and descriptions of parameters.

Source: https://docs.claude.com/en/docs/agents-and-tools/tool-use/tool-search-tool (fields, variants and result count);
Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009 (ranking).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log
from statistics import quantiles
from typing import Any, Final, Literal

import msgspec
import regex

from inspector.capture.journal import Journal
from inspector.capture.messages import result_response_of
from inspector.checks.definitions.confusable import ConfusablePair, confusable_pairs, words_of
from inspector.documents import UNENCODABLE
from inspector.errors import UsageError
from inspector.protocol import peek
from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.frames import Direction
from inspector.text import estimate_tokens

Part = Literal["name", "description", "properties", "property descriptions", "enums", "$defs", "output schema", "other"]
PARTS: Final[tuple[Part, ...]] = (
    "name", "description", "properties", "property descriptions", "enums", "$defs", "output schema", "other",
)  # fmt: skip
"""Parts of a definition, in display order."""
_MAX_DEPTH: Final = 60
_BASE64: Final = re.compile(r"(?:data:[\w/+.-]+;base64,)?[A-Za-z0-9+/_-]{400,}={0,2}")
"""Base64 of at least 300 bytes. Ids and hashes are shorter."""
_MANY: Final = 100
"""Number of list items from which a result should be paginated."""
_CURSORS: Final = frozenset(
    ("cursor", "offset", "page", "limit", "page_size", "pagesize", "per_page", "perpage", "start")
)

TOP: Final = 5
"""Number of tools that a search returns."""

_K1, _B = 1.2, 0.75
"""The usual parameters of BM25: how much repetition counts, and how much a text's length."""

_PATIENCE_S = 1.0
"""Timeout of a regular expression over all tools."""


class ToolCost(msgspec.Struct, frozen=True):
    """Cost of one tool definition. Sizes are bytes of compact JSON."""

    name: str
    """Untrusted text."""
    size: int
    parts: dict[Part, int]
    """Sizes that add up to `size`."""

    @property
    def tokens(self) -> int:
        """Estimated tokens."""
        return estimate_tokens(self.size)


class ResultCost(msgspec.Struct, frozen=True):
    """Cost of one tool's results in a capture. Sizes are bytes."""

    tool: str
    """Untrusted text."""
    calls: int
    median: int
    p95: int
    largest: int
    repeated: int
    """Size of text that only repeats `structuredContent`."""
    base64: int
    """Size of Base64 in text blocks, which a model reads as text."""
    longest_list: int
    """Number of items of the longest list if the tool has no parameter for pages; else 0."""


class Cost(msgspec.Struct, frozen=True):
    """What a server costs."""

    server: str
    """Untrusted text; "" if unknown."""
    instructions: int
    """Size of the server's instructions in bytes."""
    tools: tuple[ToolCost, ...]
    """Costs per tool, largest first."""
    confusable: tuple[tuple[str, str, ConfusablePair], ...]
    """Names of two tools and their similarity, most similar first."""
    results: tuple[ResultCost, ...]
    """Costs of results, largest total first."""

    @property
    def size(self) -> int:
        """Size of all definitions and the instructions in bytes."""
        return self.instructions + sum(tool.size for tool in self.tools)

    @property
    def tokens(self) -> int:
        """Estimated tokens of all definitions and the instructions."""
        return estimate_tokens(self.size)

    @property
    def parts(self) -> dict[Part, int]:
        """Sizes of each part of all definitions in bytes."""
        found: Counter[Part] = Counter()
        for tool in self.tools:
            found.update(tool.parts)
        return {part: found[part] for part in PARTS}


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


def cost_of(journal: Journal) -> Cost:
    """Return the cost of the definitions and results in a journal."""
    conversation = journal.conversation
    opening = conversation.opening
    tools = [tool for tool in conversation.catalogue.listings["tools"].items if isinstance(tool, dict)]
    names = [peek.text(tool, "name") or "" for tool in tools]
    pairs = ((names[pair.first], names[pair.second], pair) for pair in confusable_pairs(tools))
    return Cost(
        server=(peek.text(opening.server, "name") or "") if opening is not None else "",
        instructions=len(opening.instructions.encode("utf-8", "replace")) if opening is not None else 0,
        tools=tuple(sorted(map(tool_cost, tools), key=lambda each: (-each.size, each.name))),
        confusable=tuple(pairs),
        results=tuple(_results(journal, dict(zip(names, tools, strict=True)))),
    )


def tool_cost(tool: Mapping[str, Any]) -> ToolCost:
    """Return the cost of one definition, by part."""
    size = _size(tool)
    parts: Counter[Part] = Counter()
    parts["name"] = _size(tool.get("name", ""))
    parts["description"] = _size(tool["description"]) if "description" in tool else 0
    parts["output schema"] = _size(tool["outputSchema"]) if "outputSchema" in tool else 0
    if "inputSchema" in tool:
        _of_schema(tool["inputSchema"], parts)
    parts["other"] = max(0, size - parts.total())
    return ToolCost(peek.text(tool, "name") or "", size, {part: parts[part] for part in PARTS})


def _of_schema(schema: Any, parts: "Counter[Part]") -> None:
    """Split an input schema: descriptions, enums and `$defs` are counted separately, the rest as `properties`."""
    whole = _size(schema)
    taken = 0
    waiting: list[tuple[Any, int]] = [(schema, 0)]
    while waiting:
        each, depth = waiting.pop()
        if isinstance(each, list):
            waiting += [(below, depth + 1) for below in each if depth < _MAX_DEPTH]
        if not isinstance(each, dict):
            continue
        for key, below in each.items():
            part = _part_of(key, below)
            if part is None:
                if depth < _MAX_DEPTH:
                    waiting.append((below, depth + 1))
                continue
            size = _size(below) + len(key) + 3
            parts[part] += size
            taken += size
    parts["properties"] += max(0, whole - taken)


def _part_of(key: str, value: Any) -> Part | None:
    if key in ("description", "title") and isinstance(value, str):
        return "property descriptions"
    if key == "enum" and isinstance(value, list):
        return "enums"
    return "$defs" if key in ("$defs", "definitions") and isinstance(value, dict) else None


def _size(value: Any) -> int:
    try:
        return len(msgspec.json.encode(value))
    except UNENCODABLE:
        return 0


# Results


def _results(journal: Journal, tools: Mapping[str, Mapping[str, Any]]) -> list[ResultCost]:
    sizes: dict[str, list[int]] = defaultdict(list)
    repeated: Counter[str] = Counter()
    base64: Counter[str] = Counter()
    longest: dict[str, int] = {}
    for name, result, size in _called(journal):
        sizes[name].append(size)
        structured = peek.at(result, "structuredContent")
        for text in _texts(result):
            if structured is not None and _repeats(text, structured):
                repeated[name] += len(text.encode("utf-8", "replace"))
            base64[name] += sum(len(found) for found in _BASE64.findall(text))
        if not _has_pages(tools.get(name, {})):
            longest[name] = max(longest.get(name, 0), _longest_list(structured if structured is not None else result))
    found = [
        ResultCost(
            name, len(each), round(_quantile(each, 50)), round(_quantile(each, 95)), max(each),
            repeated[name], base64[name], longest.get(name, 0),
        )
        for name, each in sizes.items()
    ]  # fmt: skip
    return sorted(found, key=lambda each: (-sum(sizes[each.tool]), each.tool))


def _called(journal: Journal) -> Iterator[tuple[str, Any, int]]:
    """Yield tool, result and size of each answered call."""
    for exchange in journal.conversation.exchanges:
        if exchange.method != "tools/call" or exchange.sender is not Direction.TO_SERVER or exchange.probe:
            continue
        if exchange.state is not ExchangeState.ANSWERED or exchange.answer_frame is None:
            continue
        if (response := result_response_of(journal, exchange)) is not None:
            yield exchange.target, response.result, journal.store.size(exchange.answer_frame)


def _texts(result: Any) -> Iterator[str]:
    blocks = peek.at(result, "content")
    for block in blocks if isinstance(blocks, list) else ():
        if peek.text(block, "type") == "text" and (text := peek.text(block, "text")):
            yield text


def _repeats(text: str, structured: Any) -> bool:
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        return bool(msgspec.json.decode(text) == structured)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return False


def _longest_list(value: Any) -> int:
    """Return the number of items of the longest list in the first three levels of a result."""
    longest, waiting = 0, [(value, 0)]
    while waiting:
        each, depth = waiting.pop()
        below: Iterable[Any] = ()
        if isinstance(each, list):
            longest, below = max(longest, len(each)), each[:_MANY]
        elif isinstance(each, dict):
            below = list(each.values())[:_MANY]
        if depth < 3:
            waiting += [(item, depth + 1) for item in below]
    return longest if longest > _MANY else 0


def _has_pages(tool: Mapping[str, Any]) -> bool:
    return any(
        name.lower() in _CURSORS or "cursor" in name.lower() for name in peek.mapping(tool, "inputSchema", "properties")
    )


def _quantile(values: Sequence[int], percent: int) -> float:
    return quantiles(values, n=100, method="inclusive")[percent - 1] if len(values) > 1 else values[0]


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
