"""The list of tools, and the details of one tool. What a server states about its tools is shown as a claim.

An unusable tool stays in the list and says why. The cost of a tool is its size in the list as a model gets it: bytes
are counted, tokens are an estimate and called one.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from inspector import text
from inspector.present import spans as signs
from inspector.present.highlight import highlighted
from inspector.present.json_text import JsonLines
from inspector.present.rows import RowSource, RowView, title_at
from inspector.present.spans import Fact, Line, Span, fact, lay, paragraph, span
from inspector.present.words import badge
from inspector.protocol import peek
from inspector.protocol.apps import AppLink, Page
from inspector.protocol.jsonrpc import encode
from inspector.protocol.listed_items import HINTS, ListedItem, Tool
from inspector.protocol.tracking.subscriptions import ListenStream, StreamFilter, Subscriptions, SubscriptionState

if TYPE_CHECKING:
    from inspector.checks.findings import Finding


MOST_ICONS = 10
_MOST_ANNOTATIONS = 20
_MOST_META = 200
"""Maximum lines of `_meta` that are shown."""
_ROLES = ("user", "assistant")
BITE = 1000
"""Rows that are ranked between two checks for cancellation."""
MARKS: dict[str, Span] = {"new": ("+ new", "added"), "changed": (f"{signs.EVENT} changed", "warning")}
SIZE = "Size"
_UP, _DOWN = "↑", "↓"
_WIDE_FROM = 60
READ_ONLY, DESTRUCTIVE = "R", "D"
"""Hints of the server in a list; the description of a tool has them in full."""
NEVER_RENDERED = "The source is shown; the page is not rendered."
MOST_OF_SOURCE = 200_000
"""Maximum characters that are shown."""
_MOST_NAMED = 3
"""Maximum URIs that are named; the others are counted."""
_MOST_CHARACTERS = 120
_MAX_COUNT = 9999
_STANDINGS: dict[SubscriptionState, Span] = {
    SubscriptionState.WATCHED: (f"{signs.CONNECTED} Subscribed", "accent"),
    SubscriptionState.ASKED: (f"{signs.PENDING} Subscribing", "pending"),
    SubscriptionState.NOT_GRANTED: (f"{signs.WARNING} Subscription not granted", "warning"),
    SubscriptionState.ONCE: (f"{signs.DISCONNECTED} No longer subscribed", "faint"),
}


Row = TypeVar("Row")


class ItemRow(msgspec.Struct, frozen=True, gc=False):
    """A listed item in a list. Its texts are made only for visible rows, because a list may have a hundred thousand."""

    item: ListedItem
    size: int = 0
    """Bytes of the item's JSON in the list; 0 if it was not measured."""

    @property
    def heading(self) -> str:
        """What the row is called, as the server wrote it: title, else name."""
        return self.item.title

    @property
    def label(self) -> str:
        """The heading, safe to show; a label of ours in brackets without one."""
        return text.visible(self.heading, limit=200) or "(no name)"

    @property
    def title(self) -> str:
        """Further name, safe to show; "" for none."""
        return ""

    @property
    def place(self) -> str:
        """Identification in wide lists, safe to show: a URI, a template or argument names."""
        return ""

    @property
    def right(self) -> str:
        """Short text at the right edge, safe to show: media type, size."""
        return ""

    @property
    def flaw(self) -> str:
        """Why the item can't be used; "" if it can."""
        return self.item.flaw

    @property
    def sign(self) -> str:
        """Sign of its kind, followed by a space, if the list has several kinds."""
        return ""

    @property
    def searched(self) -> tuple[str, ...]:
        """What a search finds next to the heading, as the server wrote it: name, URI or template, media type."""
        return self.item.name, self.item.key, peek.text(self.item.raw, "mimeType") or ""


class ToolRow(ItemRow, frozen=True, gc=False):
    """A tool in the list: it is known by its name."""

    @property
    def heading(self) -> str:
        return self.item.name

    @property
    def title(self) -> str:
        """Title, safe to show; "" if it adds nothing to the name."""
        return "" if self.item.title == self.item.name else text.visible(self.item.title, limit=200)

    @property
    def searched(self) -> tuple[str, ...]:
        return (self.item.title,)


class ToolFacts(msgspec.Struct, frozen=True):
    """What a panel about one tool shows first."""

    title: Line
    description: tuple[Line, ...]
    flaw: str = ""
    """Why the tool can't be used; "" if it can."""


def title_facts(item: ListedItem) -> list[Fact]:
    """Return which title is shown, if several differ: title, then annotations.title, then name."""
    places: dict[str, tuple[str, ...]] = {"title": ("title",), "annotations.title": ("annotations", "title")}
    given = {label: peek.text(item.raw, *path) for label, path in (*places.items(), ("name", ("name",)))}
    there = {label: value for label, value in given.items() if value}
    if len(set(there.values())) < 2 or "annotations.title" not in there:
        return []
    shown = next((label for label, value in there.items() if value == item.title), "")
    return [
        fact(label, f"{value}{'  (displayed)' if label == shown else ''}", "claimed") for label, value in there.items()
    ]


def annotation_facts(raw: Any) -> list[Fact]:
    """Return one fact per annotation."""
    given = peek.at(raw, "annotations")
    if given is None:
        return []
    if not isinstance(given, dict):
        return [Fact("annotations", f"{peek.type_name(given)} instead of object", "warning")]
    return [_annotation(key, value) for key, value in list(given.items())[:_MOST_ANNOTATIONS] if key != "title"]


def _annotation(key: str, value: Any) -> Fact:
    judge = _JUDGES.get(key)
    wrong = judge(value) if judge else ""
    shown = _shown(value)
    return fact(key, f"{shown}  ({wrong})" if wrong else shown, "warning" if wrong else "claimed")


def _shown(value: Any) -> str:
    if isinstance(value, list) and not any(isinstance(each, dict | list) for each in value):
        return ", ".join(str(each) for each in value[:50])[:500]
    return value[:500] if isinstance(value, str) else text.decode(encode(value)[:500])


def _audience(value: Any) -> str:
    if not isinstance(value, list):
        return "not an array"
    odd = [each for each in value if each not in _ROLES]
    return "not user or assistant" if odd else ""


def _priority(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "not a number"
    return "" if 0 <= value <= 1 else "not between 0 and 1"


def _last_modified(value: Any) -> str:
    if not isinstance(value, str):
        return "not a string"
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return "not an ISO 8601 time"
    return ""


def _hint(value: Any) -> str:
    return "" if isinstance(value, bool) else "not a boolean"


_JUDGES: dict[str, Callable[[Any], str]] = {
    "audience": _audience,
    "priority": _priority,
    "lastModified": _last_modified,
    **dict.fromkeys(HINTS, _hint),
}


def icon_facts(raw: Any) -> list[Fact]:
    """Return the icons: source, media type, sizes, theme."""
    given = peek.at(raw, "icons")
    if given is None:
        return []
    if not isinstance(given, list):
        return [Fact("icons", f"{peek.type_name(given)} instead of array", "warning")]
    facts = [fact("icon", icon_words(icon), "muted") for icon in given[:MOST_ICONS]]
    if len(given) > MOST_ICONS:
        facts.append(Fact("icons", f"{len(given) - MOST_ICONS} more", "muted"))
    return facts


def icon_words(icon: Any) -> str:
    """Describe an icon; foreign text. A data URI is cut to its beginning."""
    source = peek.text(icon, "src") or "no src"
    sizes = peek.at(icon, "sizes")
    listed = sizes if isinstance(sizes, str) else ", ".join(each for each in peek.items(sizes) if isinstance(each, str))
    theme = peek.text(icon, "theme")
    parts = (source[:80], peek.text(icon, "mimeType"), listed, f"{theme} theme" if theme else "")
    return " ".join(part for part in parts if part)


def meta_facts(raw: Any) -> list[Fact]:
    """Return the names in `_meta`."""
    meta = peek.at(raw, "_meta")
    if meta is None:
        return []
    if not isinstance(meta, dict):
        return [Fact("_meta", f"{peek.type_name(meta)} instead of object", "warning")]
    return [fact("_meta", ", ".join(meta) or "empty", "muted")]


def meta_lines(raw: Any) -> Iterator[Line]:
    """Yield `_meta` as JSON, line by line; nothing without one."""
    meta = peek.at(raw, "_meta")
    if not meta:
        return
    yield (("_meta", "muted"),)
    lines = JsonLines(encode(meta))
    for index in range(min(lines.count, _MOST_META)):
        yield (("  ", "text"), *lines.line(index))
    if lines.count > _MOST_META:
        yield ((f"  and {lines.count - _MOST_META} more lines", "muted"),)


def item_facts(item: ListedItem) -> list[Fact]:
    """Return all statements about an item except the JSON of `_meta`."""
    raw = item.raw
    return [*title_facts(item), *annotation_facts(raw), *icon_facts(raw), *meta_facts(raw)]


# Ranking the matches of a search, best first. Searching a long list stops when the user no longer waits for it.


def always() -> bool:
    """Return True: the search is never cancelled."""
    return True


def best_first(
    rows: Sequence[Row], rank: Callable[[Row], int | None], goes_on: Callable[[], bool] = always
) -> list[Row]:
    """Return the ranked rows, lowest rank first, ties in their order; after a cancellation those found so far."""
    ranked: list[tuple[int, Row]] = []
    for first in range(0, len(rows), BITE):
        if not goes_on():
            break
        ranked += [(place, row) for row in rows[first : first + BITE] if (place := rank(row)) is not None]
    return [row for _, row in sorted(ranked, key=itemgetter(0))]


# How a row shows that its item is new or has changed: a sign and a label.


def tool_rows(tools: Sequence[Tool], wanted: str = "") -> list[ItemRow]:
    """Return the tools that match a search, best first; without a search all of them in the server's order."""
    return matching_rows([ToolRow(tool, len(encode(tool.raw))) for tool in tools], wanted)


def matching_rows(rows: Sequence[ItemRow], wanted: str, goes_on: Callable[[], bool] = always) -> list[ItemRow]:
    """Return the rows that match a search, best first; without a search all of them in the server's order.

    The order is: heading begins with the text, heading contains it, name, title, URI or media type contains it, heading
    has its letters in order, description contains it.
    """
    needle = wanted.strip().casefold()
    return best_first(rows, lambda row: _rank(row, needle), goes_on) if needle else [*rows]


def _rank(row: ItemRow, wanted: str) -> int | None:
    heading = row.heading.casefold()
    if wanted in heading:
        return 0 if heading.startswith(wanted) else 1
    if any(wanted in each.casefold() for each in row.searched):
        return 2
    letters = iter(heading)
    if all(letter in letters for letter in wanted if not letter.isspace()):
        return 3
    return 4 if wanted in row.item.description.casefold() else None


def total_cost(rows: Sequence[ItemRow]) -> str:
    """Return the total cost of the tools: "13 tools, 9.1 kB, ≈2,300 tokens"."""
    size = sum(row.size for row in rows)
    count = text.counted(len(rows), "tool")
    return f"{count}, {text.human_size(size)}, ≈{text.estimate_tokens(size):,} tokens"


class SearchedRows(RowSource):
    """Items that a server lists, as searchable rows."""

    def __init__(self) -> None:
        self.rows: Sequence[ItemRow] = ()
        self.marks: Mapping[str, str] = {}
        """"new" or "changed" by key; set before `show`."""
        self.found: Callable[[Any], Sequence[Finding]] = lambda item: ()
        """Return the findings about an item."""
        self.sorted_by: tuple[str, bool] = ("", False)
        """Title of the column that the rows are sorted by, and whether the largest is first; "": the server's order."""
        self._unsorted: Sequence[ItemRow] = ()

    def replace(self, items: Sequence[Any], wanted: str = "") -> None:
        """Show other items, or the same items after another search."""
        self.show(self.matching(items, wanted))

    def all_rows(self, items: Sequence[Any]) -> Sequence[ItemRow]:
        """Return a row per item."""
        return items

    def matching(self, items: Sequence[Any], wanted: str, goes_on: Callable[[], bool] = always) -> list[ItemRow]:
        """Return the rows that match a search; the result is meaningless after a cancellation. Thread-safe."""
        return matching_rows(self.all_rows(items), wanted, goes_on)

    def show(self, rows: Sequence[ItemRow]) -> None:
        self._unsorted = rows
        self._sort()

    def sort_keys(self) -> Mapping[str, Callable[[ItemRow], Any]]:
        """Return the titles of the columns that the rows can be sorted by, with their keys."""
        return {}

    def press_title(self, x: int, width: int) -> bool:
        """Sort by the title at a cell of the header; return whether there is one.

        The first press sorts from the smallest, the second from the largest, the third restores the server's order.
        """
        title = title_at(self.header(width), x, self.sort_keys())
        if title:
            self._sort_next((("", False), (title, False), (title, True)))
        return bool(title)

    def sort_next(self) -> str:
        """Sort by the next column, the last one from the largest; return its title, "" for the server's order."""
        first, *others = self.sort_keys()
        self._sort_next((("", False), (first, False), *((title, True) for title in others)))
        return self.sorted_by[0]

    def _sort_next(self, order: Sequence[tuple[str, bool]]) -> None:
        self.sorted_by = order[(order.index(self.sorted_by) + 1) % len(order) if self.sorted_by in order else 1]
        self._sort()

    def marked(self, title: str, *, right: bool = False) -> str:
        """Return a title, with a mark if the rows are sorted by it. `right`: the column is aligned at the right."""
        if not title or title != self.sorted_by[0]:
            return title
        mark = _DOWN if self.sorted_by[1] else _UP
        return f"{mark} {title}" if right else f"{title} {mark}"

    def _sort(self) -> None:
        title, largest_first = self.sorted_by
        key = self.sort_keys().get(title) if title else None
        self.rows = sorted(self._unsorted, key=key, reverse=largest_first) if key is not None else self._unsorted
        self._generation += 1

    def touch(self) -> None:
        """Build the rows again, because findings or subscriptions have changed."""
        self._generation += 1

    def item(self, index: int) -> ListedItem:
        return self.rows[index].item

    def row(self, index: int, width: int) -> RowView:
        row = self.rows[index]
        mark, found = self.marks.get(row.item.key, ""), badge(self.found(row.item))
        return RowView(row_spans(row, width, mark, found, self.notes(row), self.right(row, width)))

    def notes(self, row: ItemRow) -> list[Span]:
        """Return what follows the name, mark and badge of a row."""
        return []

    def right(self, row: ItemRow, width: int) -> str:
        """Return the text at the right edge of a row."""
        return row.right

    def identity(self, index: int) -> object:
        """Return the type and the key of a row's item."""
        item = self.item(index)
        return type(item), item.key

    @property
    def count(self) -> int:
        return len(self.rows)


class ToolList(SearchedRows):
    def __init__(self) -> None:
        super().__init__()
        self._all: tuple[Sequence[Tool], list[ItemRow]] = ((), [])
        self.used: Callable[[str], str] = lambda name: ""
        """Returns the use of a tool so far, in a few words."""

    def all_rows(self, tools: Sequence[Tool]) -> list[ItemRow]:
        """Return a row per tool, cached for the same list because the size of each tool must be measured."""
        if self._all[0] is not tools:
            self._all = (tools, tool_rows(tools))
        return self._all[1]

    def notes(self, row: ItemRow) -> list[Span]:
        """Return the claims of a tool, and how it was used."""
        found = tool_claims(row.item)
        if used := self.used(row.item.name):
            found.append((f"  {used}", "faint"))
        return found

    def right(self, row: ItemRow, width: int) -> str:
        """Return the size of a tool, while the tools are sorted by it."""
        return size_text(row, width) if self.sorted_by[0] == SIZE else ""

    def header(self, width: int) -> Sequence[Span]:
        cost = ""
        if self.sorted_by[0] == SIZE:
            cost = self.marked(SIZE, right=True) + ("   ≈Tokens" if width >= _WIDE_FROM else "")
        tool = text.pad(self.marked("Tool"), max(0, width - len(cost) - 1))
        return lay([(tool, "muted"), (f" {cost}", "muted")], width)

    def sort_keys(self) -> Mapping[str, Callable[[ItemRow], Any]]:
        """Sort by name, or by size."""
        return {"Tool": lambda row: row.item.name.casefold(), SIZE: lambda row: row.size}


def tool_claims(item: ListedItem) -> list[Span]:
    """Return the hints of a server about a tool, short."""
    tool = Tool(item.raw)
    if tool.read_only:
        return [(f" {READ_ONLY}", "muted")]
    return [(f" {DESTRUCTIVE}", "warning")] if tool.destructive else []


def size_text(row: ItemRow, width: int) -> str:
    """Return the size of an item; in wide lists with the tokens that it costs."""
    size = text.human_size(row.size)
    return f"{size}  {text.pad(f'{text.estimate_tokens(row.size):,}', 8, right=True)}" if width >= _WIDE_FROM else size


def row_spans(
    row: ItemRow, width: int, mark: str = "", badge: Span | None = None, notes: Sequence[Span] = (), right: str = ""
) -> list[Span]:
    """Return one item in exactly `width` cells: label, in wide lists the place, and `right` at the right edge.

    `mark` is "new", "changed" or "", `badge` shows findings, `notes` follow them. In a narrow list the label is cut
    before the badge.
    """
    left: list[Span] = [(row.sign, "accent")] if row.sign else []
    left.append((row.label, "warning" if row.flaw else "method"))
    if mark:
        left += [(" ", "text"), MARKS[mark]]
    if badge is not None:
        left += [(" ", "text"), badge]
    if row.flaw:
        left.append((f" {signs.WARNING} {row.flaw}", "warning"))
    left += notes
    if row.title:
        left.append((f"  {row.title}", "muted"))
    return laid(left, [(row.place, "target")] if row.place and not row.flaw else [], (right, "faint"), width)


def laid(left: Sequence[Span], middle: Sequence[Span], right: Span, width: int) -> list[Span]:
    """Lay out a row of a list, or its header: the right column first, then in wide lists the middle one."""
    edge = min(text.cell_width(right[0]), max(0, width // 2))
    room = max(0, width - edge - 1) if right[0] or middle else width
    spans = lay(left, room)
    if width >= _WIDE_FROM and middle:
        column = min(width * 2 // 5, room)  # independent of the right edge, so that the places are aligned
        spans = [*lay(left, column), ("  ", "text"), *lay(middle, room - column - 2)]
    return lay([*spans, (" ", "text"), (text.fit(right[0], edge), right[1])], width)


def tool_facts(tool: Tool) -> ToolFacts:
    """Return what a panel about one tool shows first."""
    row = ToolRow(tool)
    title: Line = ((row.label, "title"), (f"  {row.title}", "text")) if row.title else ((row.label, "title"),)
    described = paragraph(tool.description, "foreign", limit=20_000)
    return ToolFacts(title, described or ((("no description", "muted"),),), row.flaw)


# MCP Apps: the line of a tool, what a page requests, and its source. Pages are never rendered.


def link_line(link: AppLink, key: str = "") -> Line:
    """Return a tool's page in one line; `key` opens its source."""
    hidden = "  hidden from the model" if link.hidden_from_model else ""
    if not link.uri:
        message = f"App: {'; '.join(link.flaws)}" if link.flaws else f"Shown to: {', '.join(link.visibility)}"
        return ((text.visible(message, limit=200), "warning" if link.flaws else "claimed"), (hidden, "warning"))
    flaws = f"  {signs.WARNING} {text.visible('; '.join(link.flaws), limit=200)}" if link.flaws else ""
    opens = f"  {key} shows its source" if key else ""
    return (
        ("App: ", "faint"),
        span(link.uri, "target", limit=300),
        (hidden, "warning"),
        (flaws, "warning"),
        (opens, "accent"),
    )


def page_facts(page: Page) -> tuple[Fact, ...]:
    """Return what a page states about itself, and its defects."""
    found = [Fact("problem", text.visible(flaw, limit=200), "warning") for flaw in page.flaws]
    found.append(Fact("app", NEVER_RENDERED, "muted"))
    if page.by_listing:
        found.append(Fact("from", "the entry in resources/list", "muted"))
    if page.domains:
        found += [fact(name, ", ".join(domains), "claimed") for name, domains in page.domains]
    else:
        found.append(Fact("csp", "not specified: no connections, no external resources"))
    found.append(fact("permissions", ", ".join(page.permissions) or "none", "claimed" if page.permissions else "muted"))
    if page.domain:
        found.append(fact("domain", page.domain, "claimed"))
    if page.prefers_border is not None:
        found.append(Fact("border", "wanted" if page.prefers_border else "not requested", "claimed"))
    return tuple(found)


def source_facts(page: Page) -> tuple[Fact, ...]:
    """Return the facts of a page together with those of its source, for a place that does not show them otherwise."""
    return (
        fact("uri", page.uri or "not specified", "target"),
        fact("type", page.mime_type or "not specified"),
        Fact("size", f"{len(page.source):,} bytes"),
        Fact("sha256", page.sha256, "faint"),
        *page_facts(page),
    )


def source_lines(page: Page) -> list[Line]:
    """Return the highlighted source, line by line, safe to show."""
    whole = text.decode(page.source)
    safe = text.visible(whole, limit=MOST_OF_SOURCE, newlines=True)
    lines = highlighted(safe, "text/html", "") or [((line, "foreign"),) for line in safe.split("\n")]
    more = len(whole) - MOST_OF_SOURCE
    return lines if more <= 0 else [*lines, ((f"{signs.NOTE} {more:,} more characters", "muted"),)]


# Subscriptions as text: the filter of a stream, the state of one resource, and a row's mark.


def filter_words(wanted: StreamFilter) -> str:
    """Return a filter as text that is safe to show: "tools, resources, demo://a and 3 more"; "" for an empty one."""
    kinds = [name for name in ("tools", "prompts", "resources") if getattr(wanted, name)]
    lists = [f"list{'' if len(kinds) == 1 else 's'} of {text.enumerated(kinds)}"] if kinds else []
    tasks = [text.counted(len(wanted.task_ids), "task")] if wanted.task_ids else []
    named = [text.visible(uri, limit=_MOST_CHARACTERS) for uri in wanted.uris[:_MOST_NAMED]]
    more = len(wanted.uris) - len(named)
    return ", ".join([*lists, *tasks, *named, *([f"{more:,} more"] if more > 0 else [])])


def stream_lines(subscriptions: Subscriptions) -> list[Line]:
    """Return what the newest stream listens for and what the server did not grant; [] if there never was a stream."""
    streams = subscriptions.streams
    newest = next((each for each in reversed(streams) if each.is_open), streams[-1] if streams else None)
    if newest is None:
        watched = [uri for uri, still in list(subscriptions.subscribed.items()) if still]
        return [_watching(StreamFilter(uris=tuple(watched)))] if watched else []
    return _of_stream(newest)


def _watching(granted: StreamFilter) -> Line:
    return (f"{signs.CONNECTED} ", "accent"), ("subscribed to ", "muted"), (filter_words(granted) or "nothing", "text")


def _of_stream(stream: ListenStream) -> list[Line]:
    if stream.granted is None:
        words = "subscribing to" if stream.is_open else "not acknowledged:"
        sign, role = (signs.PENDING, "pending") if stream.is_open else (signs.WARNING, "warning")
        return [((f"{sign} {words} ", role), (filter_words(stream.asked), "muted"))]  # type: ignore[list-item]
    if not stream.is_open:
        return [((f"{signs.DISCONNECTED} ended: ", "faint"), (filter_words(stream.granted) or "nothing", "faint"))]
    lines = [_watching(stream.granted)]
    if stream.not_granted:
        lines.append(((f"{signs.WARNING} not granted: {filter_words(stream.not_granted)}", "warning"),))
    return lines


def subscription_of(subscriptions: Subscriptions, uris: Iterable[str]) -> SubscriptionState | None:
    """Return the state of an item with several URIs: the best among them; None without any."""
    found = {subscriptions.standing(uri) for uri in uris}
    return next((each for each in SubscriptionState if each in found), None)


def mark(subscriptions: Subscriptions, uris: Iterable[str], *, short: bool = False) -> Line:
    """Return a row's subscription mark, in few cells: its state, and the number of updates since it was read.

    `short`: only the number, if it is not 0.
    """
    uris = tuple(uris)
    standing = subscription_of(subscriptions, uris)
    count = sum(subscriptions.since_read(uri) for uri in uris)
    spans: list[Span] = []
    if standing is not None and not (short and count > 0):
        message, role = _STANDINGS[standing]
        spans.append((f"{signs.WARNING} Not granted" if standing is SubscriptionState.NOT_GRANTED else message, role))
    if count > 0:
        spans.append((f"{signs.EVENT} updated{_times(count)}", "strong"))
    return tuple(part for each in spans for part in ((" ", "text"), each))


def _times(count: int) -> str:
    return "" if count == 1 else f" {signs.TIMES}{count:,}" if count <= _MAX_COUNT else f" {signs.TIMES}{_MAX_COUNT:,}+"


def about(subscriptions: Subscriptions, uri: str, wall_of: Callable[[int], int]) -> Line:
    """Return the state of one resource in a line; () without one. `wall_of` returns the wall-clock time of a frame."""
    standing, update = subscriptions.standing(uri), subscriptions.updates.get(uri)
    spans: list[Span] = [] if standing is None else [_STANDINGS[standing]]
    if update is not None:
        since = subscriptions.since_read(uri)
        times = "once" if update.count == 1 else f"{update.count:,} times"
        fresh = f", {since:,} since it was read" if since else ", read since"
        last = text.clock(wall_of(update.frame))
        spans += [
            ("  " if spans else "", "text"),
            (f"{signs.EVENT} updated {times}{fresh}", "strong" if since else "muted"),
        ]
        spans.append((f", last {last} (#{update.frame})", "muted"))
    return tuple(spans)
