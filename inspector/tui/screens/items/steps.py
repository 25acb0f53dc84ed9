"""Three steps: list, form, result. Which of them are in sight, where the focus is, and the way back.

A wide terminal shows all three side by side, a middling one the result below the form, a narrow one the step that was
taken last.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeAlias, TypeVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from inspector.present.list_changes import ListNews, news_lines
from inspector.protocol.things import ListedItem
from inspector.text import clock, visible
from inspector.tui import keys
from inspector.tui.conversation import OpenConversation, why_silent
from inspector.tui.panels import Panel
from inspector.tui.screens.items.result import ResultPanel, has_picture
from inspector.tui.theme import spans_to_text
from inspector.tui.widgets.virtual_list import LogList

if TYPE_CHECKING:
    from inspector.checks.findings import Finding
    from inspector.tui.screens.items.form import ThingHead
    from inspector.tui.screens.items.list import ThingRows


# --- What checks have found about the thing that is shown: told above its form, and where screen E begins.


class FindingList(Protocol):
    """A list whose things checks have looked at."""

    def findings(self, thing: ListedItem | None) -> "Sequence[Finding]":
        """What checks have found about a thing, worst first."""

    def own_findings(self, thing: ListedItem | None) -> "Sequence[Finding]":
        """The same without what most things of the list have in common."""


class FindingForm(Protocol):
    """Where it is told what was found about a thing."""

    thing: ListedItem | None
    """What is shown."""

    def say_findings(self, findings: "Sequence[Finding]") -> None:
        """Say what was found about it; nearly free if it was said already."""


class StepFindings(Panel):
    """The part of a panel with a list and a form."""

    subject: OpenConversation
    side: FindingList
    form: FindingForm
    _seen_findings: tuple[object, ...] = ()

    def sync_findings(self) -> None:
        """Say of the thing that is shown what was found about it. Nearly free while both are the same."""
        checks, thing = self.subject.checks_so_far, self.form.thing
        seen = (checks, checks.changes if checks is not None else 0, thing)
        if seen != self._seen_findings:
            self._seen_findings = seen
            self.form.say_findings(self.side.own_findings(thing))

    @property
    def meant_findings(self) -> "Sequence[Finding]":
        """What was found about the thing that is shown, worst first: where the screen of findings begins."""
        return self.side.findings(self.form.thing)


class JudgedForm(Widget):
    """The part of a form with a head that tells what was found."""

    _head: "ThingHead"

    def say_findings(self, findings: "Sequence[Finding]") -> None:
        """Say what checks have found about the thing."""
        self._head.say_findings(findings)


class JudgedList(Widget):
    """The part of a list whose rows have badges."""

    _subject: OpenConversation
    _rows: "ThingRows"
    _list: LogList
    _judged = 0

    def sync_badges(self) -> None:
        """Draw the rows anew once checks have found something. Nearly free until then."""
        checks = self._subject.checks_so_far
        changes = checks.changes if checks is not None else 0
        if changes != self._judged:
            self._judged = changes
            self._rows.judged()
            self._list.sync()

    def findings(self, thing: ListedItem | None) -> "Sequence[Finding]":
        """What checks have found about a thing, worst first."""
        if thing is None or self._subject.checks_so_far is None:
            return ()
        from inspector.tui.screens.items.model import findings_about

        return findings_about(self._subject.checks_so_far, thing)

    def own_findings(self, thing: ListedItem | None) -> "Sequence[Finding]":
        """The same without what most things of the list have in common."""
        if thing is None or self._subject.checks_so_far is None:
            return ()
        from inspector.tui.screens.items.model import own_findings

        return own_findings(self._subject.checks_so_far, thing)


# --- The lines above a list of things: what has changed, which pages there are, how old it is, what is wrong.


def news_of(subject: OpenConversation, kinds: tuple[str, ...]) -> list[ListNews]:
    """What lists of a subject have to say. As costly as the lists are long."""
    listings = subject.journal.conversation.catalogue.listings
    return [
        ListNews(kind, listings[kind], listings[kind].changes(kind), subject.stopped(kind), subject.listing == kind)
        for kind in kinds
    ]


class ListHead(Static):
    """Asks a subject, and shows what has changed since the last time."""

    DEFAULT_CSS = """
    ListHead { height: auto; max-height: 6; padding: 0 1; display: none; }
    ListHead.-said { display: block; }
    """

    def __init__(self) -> None:
        super().__init__("", markup=False)
        self._seen: tuple[object, ...] = ()
        self.known: list[ListNews] = []
        """What there is to say, by kind."""
        self._told: object = None

    @property
    def has_more(self) -> bool:
        """Whether there is another page to be fetched."""
        return any(each.listing.next_cursor is not None for each in self.known)

    def sync(self, subject: OpenConversation, kinds: tuple[str, ...]) -> None:
        """Look again. Nearly free while nothing has changed."""
        listings = subject.journal.conversation.catalogue.listings
        shown = tuple(id(listings[kind]) for kind in kinds)
        seen = (shown, tuple(subject.stopped(kind) for kind in kinds), subject.listing in kinds, subject.memory)
        if seen != self._seen:
            self._seen = seen
            self.known = news_of(subject, kinds)
        now_ns, checks = subject.now_ns, subject.checks_so_far
        known = (each.listing.freshness for each in self.known)
        ends = (each.stale_from_ns if each is not None else None for each in known)
        stale = tuple(end is not None and end <= now_ns for end in ends)
        told = (seen, stale, checks.changes if checks is not None else 0)
        if told == self._told:
            return
        self._told = told
        self._show(subject, kinds)

    def _show(self, subject: OpenConversation, kinds: tuple[str, ...]) -> None:
        changes_key, head = keys.key_name(keys.action("offered.changes").keys[0]), subject.journal.head
        found = news_lines(
            self.known,
            subject.now_ns,
            lambda ns: clock(ns + head.tw - head.tm)[:8],
            changes_key=changes_key,
            refresh_key=keys.key_name(keys.action("refresh").keys[0]),
            more_key=keys.key_name(keys.action("offered.more").keys[0]),
        )
        if subject.memory is not None and subject.memory.alarms:
            from inspector.present.list_changes import head_lines

            found = [*head_lines(subject.memory, kinds, changes_key=changes_key), *found]
        checks = subject.checks_so_far
        if checks is not None and checks.has_things:
            from inspector.tui.screens.items.model import shared_lines

            evidence_key = keys.key_name(keys.action("screen.findings").keys[0])
            found = [*found, *map(tuple, shared_lines(checks, kinds, evidence_key))]
        self.set_class(bool(found), "-said")
        dark = self.app.current_theme.dark
        lines = [spans_to_text(list(line), dark=dark) for line in found]
        text = Text("\n").join(lines)
        text.no_wrap, text.overflow = False, "fold"
        self.update(text)


NARROW = 100
"""Below this many columns one step is shown at a time."""
WIDE = 140
"""From here on all three stand side by side."""
Step: TypeAlias = Literal["list", "form", "result"]
_STEPS: tuple[Step, ...] = ("list", "form", "result")


class StepList(Widget):
    """What the first step must be able to do."""

    @property
    def is_ready(self) -> bool:
        """Whether all of it has been laid out."""
        raise NotImplementedError

    def focus_list(self) -> None:
        """Focus the list."""
        raise NotImplementedError

    def end_search(self) -> bool:
        """Show everything again; whether something was hidden."""
        raise NotImplementedError

    def settle(self) -> Message | None:
        """Mean what the cursor is on without waiting any longer; what is to be done then, None if nothing is."""
        raise NotImplementedError

    def findings(self, thing: ListedItem | None) -> "Sequence[Finding]":
        """What checks have found about a thing, worst first."""
        raise NotImplementedError

    def own_findings(self, thing: ListedItem | None) -> "Sequence[Finding]":
        """The same without what most things of the list have in common."""
        raise NotImplementedError

    kinds: tuple[str, ...] = ()
    """The lists of the catalogue that are shown as one."""

    head: ListHead
    """What these have to say beside their items."""


class StepForm(Widget):
    """What the second step must be able to do."""

    thing: ListedItem | None
    """What is shown."""

    def say_findings(self, findings: "Sequence[Finding]") -> None:
        """Say what checks have found about it."""
        raise NotImplementedError

    @property
    def is_ready(self) -> bool:
        """Whether all of it has been laid out."""
        raise NotImplementedError

    def focus_first(self) -> None:
        """Focus the first field."""
        raise NotImplementedError


SideT = TypeVar("SideT", bound=StepList)
FormT = TypeVar("FormT", bound=StepForm)


class ItemSteps(StepFindings, Generic[SideT, FormT]):
    """List, form and result, arranged for the width there is."""

    DEFAULT_CSS = """
    ItemSteps { layout: horizontal; }
    ItemSteps > .steps--list { width: 39; height: 1fr; border-right: solid $border-blurred; }
    ItemSteps > .steps--work { width: 1fr; height: 1fr; layout: vertical; }
    ItemSteps .steps--form { width: 1fr; height: 1fr; }
    ItemSteps ResultPanel { width: 1fr; height: 1fr; border-top: solid $border-blurred; display: none; }
    ItemSteps.-called ResultPanel { display: block; }
    ItemSteps.-wide > .steps--work { layout: horizontal; }
    ItemSteps.-wide ResultPanel { display: block; border-top: none; border-left: solid $border-blurred; }
    ItemSteps.-narrow > .steps--list { display: none; width: 1fr; border: none; }
    ItemSteps.-narrow > .steps--work { display: none; }
    ItemSteps.-narrow .steps--form { display: none; }
    ItemSteps.-narrow ResultPanel { display: none; border: none; }
    ItemSteps.-narrow.-at-list > .steps--list { display: block; }
    ItemSteps.-narrow.-at-form > .steps--work, ItemSteps.-narrow.-at-form .steps--form { display: block; }
    ItemSteps.-narrow.-at-result > .steps--work, ItemSteps.-narrow.-at-result ResultPanel { display: block; }
    """

    side: SideT
    """The list."""
    form: FormT
    """The form of what is chosen in it."""

    def __init__(self, subject: OpenConversation, side: SideT, form: FormT, result: ResultPanel) -> None:
        super().__init__()
        self.subject = subject
        self.side = side
        self.side.add_class("steps--list")
        self.form = form
        self.form.add_class("steps--form")
        self.result = result
        """What came of asking for it."""
        self._field: Widget | None = None
        """The field that was left for the result."""

    def compose(self) -> ComposeResult:
        """List, form, result."""
        yield self.side
        with Container(classes="steps--work"):
            yield self.form
            yield self.result

    def on_mount(self) -> None:
        """Begin at the list."""
        self.go("list", focus=False)

    def on_resize(self, event: events.Resize) -> None:
        """Arrange for another width."""
        width = event.size.width
        self.update_classes({"-narrow": width < NARROW, "-wide": width >= WIDE})

    @property
    def is_ready(self) -> bool:
        """Whether all parts have been laid out: until then there is nothing to show anything in."""
        return self.side.is_ready and self.form.is_ready and self.result.body.is_ready

    def take_focus(self) -> None:
        """The list, or the step that was taken last; nothing if the focus is here already."""
        if not self.has_focus_within:
            self.go(self.step)

    def go_back(self) -> bool:
        """From the result to the form, from there to the list, and there out of the search; the list stays."""
        step = self.here()
        if step == "list":
            self.side.end_search()
            return True
        self.go(_STEPS[_STEPS.index(step) - 1])
        return True

    async def settle(self) -> None:
        """A key that acts means what is under the cursor, however fast it came after the one that moved there."""
        if (meant := self.side.settle()) is not None:
            await self.choose(meant)

    async def choose(self, meant: Any) -> None:
        """Show what is meant, as the list tells it."""
        raise NotImplementedError

    def action_tab(self, by: int) -> None:
        """Show the next view of the result."""
        self.add_class("-called")
        self.go("result", focus=False)
        self.result.action_tab(by)

    def action_result(self) -> None:
        """Go to the result; from there back to the field that was left for it."""
        if self.here() != "result":
            self.add_class("-called")
            self.go("result")
            return
        self.go("form")

    def action_changes(self) -> None:
        """Show what has changed in the list."""
        from inspector.tui.screens.items.dialogs import ChangesScreen

        subject, memory, kinds = self.subject, self.subject.memory, self.side.kinds
        subject.memory_state.shown = True

        async def answered(wanted: bool | None) -> None:
            if wanted and memory is not None:  # what was looked at, not what has come since
                from inspector.tui.screens.items.definition_changes import approve

                await approve(self.app, subject, memory, kinds)

        self.app.push_screen(ChangesScreen(self.side.head.known, subject.now_ns, memory, kinds), answered)

    async def action_more(self) -> None:
        """Fetch the list's next page."""
        if why := why_silent(self.subject):
            self.app.notify(why, severity="warning", markup=False)
            return
        await self.subject.fetch_more(*self.side.kinds)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer a result, a picture and a next page only where there is one."""
        match action:
            case "picture":
                return has_picture(self.result.looked)
            case "result":
                return not self.result.is_empty
            case "more":
                return self.side.head.has_more
            case _:
                return True

    def save_block(self) -> None:
        """Save the block under the cursor to a file that the person names."""
        from inspector.tui.widgets.save import SaveScreen, file_name

        block = self.result.body.block
        if block is None:
            self.app.notify("There is nothing to save yet: ask for it first.", markup=False)
            return

        def saved(path: object) -> None:
            if path is not None:
                self.app.notify(f"Saved as {visible(str(path), limit=300)}.", markup=False)

        payload, thing = block.payload, self.form.thing
        name = file_name(block.uri, block.mime_type, payload, called=thing.name if thing is not None else "")
        self.app.push_screen(SaveScreen(payload, name), saved)

    def action_picture(self) -> None:
        """Show the result's picture."""
        self.result.action_picture()

    async def action_markdown(self) -> None:
        """Show the result's texts as Markdown, or as they are."""
        await self.result.action_markdown()

    def action_edit(self) -> None:
        """Put the arguments of the call that is shown into the form."""
        self.result.action_edit()

    @property
    def step(self) -> Step:
        """The step that was taken last."""
        return next((step for step in _STEPS if self.has_class(f"-at-{step}")), "list")

    def here(self) -> Step:
        """Where the focus is."""
        if self.result.has_focus_within:
            return "result"
        return "form" if self.form.has_focus_within else "list" if self.side.has_focus_within else self.step

    def go(self, step: Step, *, focus: bool = True) -> None:
        """Take a step. From the result back to the form is back to the field that was left."""
        focused = self.screen.focused
        if step == "result" and focused is not None and self.form in focused.ancestors:
            self._field = focused
        field, self._field = self._field, self._field if step == "result" else None
        self.update_classes({f"-at-{each}": each == step for each in _STEPS})  # each change styles all parts anew
        if not focus:
            return
        if step == "form":
            self.call_after_refresh(self._focus_form, field)
        else:
            self.call_after_refresh(self.side.focus_list if step == "list" else self.result.body.focus_body)

    def _focus_form(self, field: Widget | None) -> None:
        if field is not None and field.is_attached and self.form in field.ancestors:
            field.focus()
        else:
            self.form.focus_first()
