"""Two tabs side by side on wide terminals: the same screen of both servers, and what differs between them.

Both halves are complete panels. The half with the focus is the current tab, so every key and action concerns it.
On Tools, Resources and Prompts the other half follows the selection by name, and a bar below names the differences
of the lists, of the selected item and of its results.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import msgspec
from textual.app import App
from textual.widget import Widget

from inspector.present import spans as signs
from inspector.present.changes.lists import change_lines
from inspector.present.spans import Line, Span, span
from inspector.protocol.changes import ListChanges, differences, key_of, list_changes
from inspector.protocol.listed_items import ListedItem
from inspector.protocol.tracking.catalogue import Listing
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.bars import HeaderBar, IdentityBar
from inspector.tui.panels import Panel
from inspector.tui.restart_model import ResultChange, compare_results, result_of, side_lines
from inspector.tui.tabs import WIDE, Tab, Tabs
from inspector.tui.threads import read_on_thread
from inspector.tui.toasts import Toasts
from inspector.tui.widgets.bars import BarItem, BarLine, ItemBar
from inspector.tui.widgets.lines import LinesScreen

_KINDS = {"tools": ("tools",), "resources": ("resources", "templates"), "prompts": ("prompts",)}
"""The lists of each screen that compares."""
_MOST_PATHS = 3


class ListsCompared(msgspec.Struct, frozen=True):
    """What differs between the lists of two servers; changes go from the left one to the right one."""

    names: tuple[str, str]
    """Names of the tabs; untrusted text."""
    changes: tuple[ListChanges, ...]
    alike: int
    """Number of items that are equal on both sides."""

    def about(self, key: str) -> Line:
        """Return how an item differs."""
        name = span(key, "method", limit=60)
        for each in self.changes:
            if any(key_of(each.kind, raw) == key for raw in each.added):
                return (name, (" only in ", "muted"), span(self.names[1], "text", limit=40))
            if each.has_lost(key):
                return (name, (" only in ", "muted"), span(self.names[0], "text", limit=40))
            for before, after in each.changed:
                if key_of(each.kind, after) == key:
                    paths = [change.path or "all of it" for change in differences(before, after)]
                    more = f" and {len(paths) - _MOST_PATHS} more" if len(paths) > _MOST_PATHS else ""
                    message = visible(", ".join(paths[:_MOST_PATHS]), limit=160)
                    return (name, (" differs: ", "warning"), (f"{message}{more}", "text"))
        return (name, (" is the same", "faint"))

    @property
    def differs(self) -> bool:
        """Whether there is any difference."""
        return any(each.any for each in self.changes)


def compare_lists(names: tuple[str, str], kinds: Sequence[str], *sides: Mapping[str, Listing]) -> ListsCompared:
    """Compare lists of two servers. Of a list that is not complete, nothing counts as missing."""
    left, right = sides
    found = tuple(
        list_changes(
            kind, left[kind].items, right[kind].items, before_whole=left[kind].whole, after_whole=right[kind].whole
        )
        for kind in kinds
    )
    there = sum(len(right[kind].items) for kind in kinds)
    return ListsCompared(names, found, max(0, there - sum(len(each.added) + len(each.changed) for each in found)))


def summary_line(found: ListsCompared, many: str) -> Line:
    """Return the numbers of equal and different items; `many` is what they are called."""
    parts: list[Span] = [(f"{many.capitalize()}  ", "muted"), (f"{found.alike:,} alike", "text")]
    differ = sum(len(each.changed) for each in found.changes)
    if differ:
        parts += [("  ", "text"), (f"{signs.WARNING} {differ:,} differ", "warning")]
    only = (sum(len(each.removed) for each in found.changes), sum(len(each.added) for each in found.changes))
    for count, name in zip(only, found.names, strict=True):
        if count:
            parts += [("  ", "text"), (f"{signs.WARNING} {count:,} only in ", "warning"), span(name, "text", limit=40)]
    if found.changes and any(each.reordered for each in found.changes):
        parts += [("  ", "text"), ("different order", "muted")]
    return tuple(parts)


def results_line(found: ResultChange) -> Line:
    """Return the states of two results, and where they differ."""
    assert found.before is not None, "two results"
    left, right = found.before, found.after
    states: list[Span] = [*left.status, (" │ ", "faint"), *right.status, ("  ", "text")]
    if not found.changes:
        return (("Results  ", "muted"), *states, ("the same", "faint"))
    where = visible(", ".join(each.path or "all of it" for each in found.changes[:_MOST_PATHS]), limit=160)
    differ: Span = (f"{signs.WARNING} {len(found.changes):,} differ: ", "warning")
    return ("Results  ", "muted"), *states, differ, (where, "text")


class DifferencesBar(ItemBar):
    """What differs between the two halves; hidden where nothing is compared."""

    DEFAULT_CSS = """
    DifferencesBar { display: none; background: $surface; }
    DifferencesBar.-shown { display: block; }
    """

    def pressed(self, name: str) -> None:
        self.app.call_later(self.app.run_action, keys.action("tabs.differences").action)


class SideBySide:
    """Shows two tabs side by side, keeps their selections together and compares them."""

    def __init__(
        self, app: App[None], tabs: Tabs, header: HeaderBar, toasts: Toasts, show: Callable[[str], Awaitable[None]]
    ) -> None:
        """`show` shows a screen of the current tab, and of the other one."""
        self._app = app
        self._tabs = tabs
        self._header = header
        self._toasts = toasts
        self._show = show
        self._other: Tab | None = None
        self._titles: dict[Tab, IdentityBar] = {}
        self._bar: DifferencesBar | None = None
        self._followed: object = None
        """Kind and name of the item that was last shown in the other half."""
        self._compared: tuple[object, ...] = ()
        self._found: ListsCompared | None = None
        self._looked: tuple[object, ...] = ()
        self._results: ResultChange | None = None
        tabs.panes.entered = self._enter

    async def turn(self) -> None:
        """Show the next tab beside this one; again shows one at a time."""
        tabs, width = self._tabs, self._app.size.width
        if tabs.pair:
            tabs.set_pair()
        elif len(tabs) == 1:
            self._toasts.say(f"Only one server is open. {keys.shown_key('tabs.open')} opens another one.")
            return
        elif width < WIDE:
            needed = f"Two servers side by side need {WIDE} columns; this terminal has {width}."
            self._toasts.say(f"{needed} mcp-inspect diff compares them anywhere.")
            return
        else:
            every = [*tabs]
            at = every.index(tabs.current)
            tabs.set_pair(tabs.current, every[at + 1] if at + 1 < len(every) else every[at - 1])
        await self._show(tabs.current.shown)

    def show_differences(self) -> None:
        """Show everything that differs between the two halves."""
        if self._found is None or self._tabs.other is None:
            wanted = f"Show Tools, Resources or Prompts of two servers side by side ({keys.shown_key('tabs.beside')})."
            self._toasts.say(wanted)
            return
        left, right = (visible(name, limit=40) for name in self._found.names)
        lines: list[Line] = []
        if self._results is not None and self._results.changes:
            lines += [results_line(self._results), *side_lines(self._results, self._app.size.width - 8, 200), ()]
        lines += [line for each in self._found.changes if each.any for line in (*change_lines(each), ())]
        if not lines:
            self._toasts.say(f"{left} and {right} do not differ here.")
            return
        lines = [(("− ", "removed"), (left, "text"), ("   + ", "added"), (right, "text")), (), *lines]
        self._app.push_screen(LinesScreen("Differences", lines))

    def _enter(self, widget: Widget) -> None:
        """Make the half with the focus the current one."""
        other = self._tabs.other
        if other is None or other.pane not in widget.ancestors:
            return
        self._tabs.current = other
        self._header.rebind(other.conversation)
        self._header.shown = other.shown
        if self._tabs.bar is not None:
            self._tabs.bar.sync()
        self._sync_titles()
        self._followed = _item_key(other.panels[other.shown].showing[0])  # only a new selection is followed

    # The tick

    def tick(self) -> None:
        """Update titles and differences, and follow the selection; nearly free while one tab is visible."""
        tabs = self._tabs
        other = tabs.other
        if (other is None) is not (self._other is None) and not tabs.shows_timeline:
            self._app.call_later(self._show, tabs.current.shown)  # the terminal is wider or narrower
        self._other = other
        self._header.names_server = other is None
        self._sync_titles()
        if other is None:
            self._forget()
            return
        here, beside = tabs.panel, other.panels.get(other.shown)
        if beside is None or tabs.current.shown not in _KINDS:
            self._forget()
            return
        self._follow(here, beside)
        self._compare()
        self._compare_results()
        self._sync_bar(here.showing[0])

    def _forget(self) -> None:
        self._followed, self._compared, self._found = None, (), None
        self._looked, self._results = (), None
        if self._bar is not None:
            self._bar.remove_class("-shown")

    def _sync_titles(self) -> None:
        shown = () if self._tabs.other is None else self._tabs.pair
        for tab in self._tabs:
            tab.pane.set_class(tab in shown[:1], "-left")
            tab.pane.set_class(tab in shown[1:], "-right")
        for tab in shown:
            if tab not in self._titles and tab.pane.is_attached:
                title = self._titles[tab] = IdentityBar(tab)
                tab.pane.mount(title, before=0)
        for tab, title in [*self._titles.items()]:
            if tab not in self._tabs:
                del self._titles[tab]
            elif title.is_attached:
                title.display = tab in shown
                if tab in shown:
                    title.sync(chosen=tab is self._tabs.current)

    def _follow(self, here: Panel, beside: Panel) -> None:
        """Show the selected item in the other half, too, unless its server has none of this name."""
        item, _ = here.showing
        if (key := _item_key(item)) != self._followed:
            self._followed = key
            if item is not None:
                beside.call_later(beside.follow_item, item)

    def _sides(self) -> tuple[Mapping[str, Listing], ...]:
        return tuple(tab.conversation.journal.conversation.catalogue.listings for tab in self._tabs.pair)

    def _compare(self) -> None:
        kinds, sides = _KINDS[self._tabs.current.shown], self._sides()
        names = (self._tabs.pair[0].name, self._tabs.pair[1].name)
        key = (names, *(side[kind] for side in sides for kind in kinds))
        if len(key) == len(self._compared) and all(
            a is b or a == names == b for a, b in zip(key, self._compared, strict=True)
        ):
            return
        self._compared = key
        if not all(any(side[kind].asked for kind in kinds) for side in sides):
            self._found = None
            return
        copies = [{kind: side[kind] for kind in kinds} for side in sides]

        async def compare() -> None:
            found = await read_on_thread(compare_lists, names, kinds, *copies)
            if key is self._compared:
                self._found = found

        self._app.run_worker(compare(), group="comparing lists", exclusive=True)

    def _compare_results(self) -> None:
        shown = [tab.panels[tab.shown].showing for tab in self._tabs.pair]
        items, looked = [item for item, _ in shown], [result for _, result in shown]
        key = (*looked, *items)
        if len(key) == len(self._looked) and all(a is b for a, b in zip(key, self._looked, strict=True)):
            return
        self._looked, self._results = key, None
        left, right = items
        if any(each is None for each in looked) or left is None or right is None or left.key != right.key:
            return
        results = [result_of(each, left.key, 0) for each in looked if each is not None]

        async def compare() -> None:
            found = await read_on_thread(compare_results, *results)
            if key is self._looked:
                self._results = found

        self._app.run_worker(compare(), group="comparing results", exclusive=True)

    def _sync_bar(self, item: ListedItem | None) -> None:
        if self._bar is None:
            self._bar = DifferencesBar()
            self._app.screen_stack[0].mount(self._bar, before="FooterBar")
        if not self._bar.is_attached:
            return
        found = self._found
        self._bar.set_class(found is not None, "-shown")
        if found is None:
            return
        button: Any = ("[ Differences ", "accent"), (keys.shown_key("tabs.differences"), "faint"), (" ]", "accent")
        many = self._tabs.current.shown
        items = [BarItem(summary_line(found, many))]
        if item is not None and found.differs:
            items.append(BarItem(found.about(item.key), rank=1))
        lines = [BarLine(tuple(items), (BarItem(button, "differences"),) if found.differs else (), gap=3, inset=1)]
        if self._results is not None:
            lines.append(BarLine((BarItem(results_line(self._results)),), inset=1))
        self._bar.show(lines)


def _item_key(item: ListedItem | None) -> tuple[type[ListedItem], str] | None:
    return None if item is None else (type(item), item.key)
