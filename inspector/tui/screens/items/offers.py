"""Common parts of Resources and Prompts: completion of arguments, and a form that builds the request."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from textual import events, on, work
from textual.app import ComposeResult
from textual.geometry import Offset
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from inspector.errors import InspectError
from inspector.forms.fields import UNSET
from inspector.forms.paths import Path
from inspector.present.items import meta_lines, title_facts
from inspector.present.rows import RowSource, RowView
from inspector.present.spans import Fact, Line, Span, fact_lines, span, spans_width
from inspector.protocol import peek
from inspector.protocol.flows.steps import Replied
from inspector.protocol.jsonrpc import ResultResponse
from inspector.protocol.listed_items import ListedItem
from inspector.text import cell_width, visible
from inspector.tui import keys
from inspector.tui.conversation import ConversationStage, OpenConversation
from inspector.tui.results.panel import ResultPanel
from inspector.tui.results.views import ResultWords
from inspector.tui.screens.items.form import ItemForm, ItemHead
from inspector.tui.screens.items.list import ItemKind, ItemList
from inspector.tui.screens.items.model import (
    NOT_SUPPORTED,
    Completion,
    completion_failed,
    completion_of,
    described,
    head_lines,
)
from inspector.tui.screens.items.panel import ItemsPanel
from inspector.tui.theme import glyphs, spans_to_text
from inspector.tui.widgets.bars import StatusLine
from inspector.tui.widgets.schema_form.editors import BlockEdit, LineEdit
from inspector.tui.widgets.schema_form.fields import FieldNode
from inspector.tui.widgets.schema_form.form import SchemaForm
from inspector.tui.widgets.virtual_list import LogList

PAUSE: Final = 0.15
"""Seconds without a change before a completion is requested."""

_ROWS: Final = 5
"""Values visible at once."""

_LEAST: Final = 24
"""Least width of the list of values, in cells."""

_MOST = 200
"""Maximum number of lines of an expanded description."""


@dataclass(frozen=True, slots=True)
class PreparedRequest:
    """Request that the current form would send."""

    params: Any
    problem: str = ""
    """Why nothing can be sent; "" if it can."""
    preview: Line = ()
    """Preview for the user; () for none."""


@dataclass(frozen=True, slots=True)
class OfferKind:
    """Differences between resources and prompts, as texts and pure functions."""

    item: ItemKind
    verb: str
    """Label of the button: "Read"."""
    result_words: ResultWords
    titles: tuple[str, str, str]
    """Column titles of the list."""
    place: Callable[[ListedItem], Line]
    """Returns the line below the title."""
    facts: Callable[[ListedItem], tuple[Fact, ...]]
    schema: Callable[[ListedItem], Any]
    """Returns the schema of the form."""
    request: Callable[[ListedItem, Any], PreparedRequest]
    """Returns the request for an item and the form's arguments (UNSET for none)."""
    reference: Callable[[ListedItem], dict[str, Any] | None]
    """Returns the item's reference for completion; None if nothing can be completed."""


# Completion of arguments: requested when typing pauses, accepted by a key


class CompletionWanted(msgspec.Struct, frozen=True):
    reference: dict[str, Any]
    """Prompt or template, in the form of the specification."""
    name: str
    """Name of the argument."""
    value: str
    """Value typed so far."""
    others: dict[str, str]
    """Other arguments with a known value."""


class _Values(RowSource):
    """Values as rows. A server may send ten thousand; only a few are visible."""

    def __init__(self, values: Sequence[str]) -> None:
        self._values = values

    @property
    def count(self) -> int:
        return len(self._values)

    def row(self, index: int, width: int) -> RowView:
        return RowView((span(self._values[index], "text", limit=300),))


class Completions(Widget):
    """Short list of values below the field that they are for; hidden while there is nothing to show."""

    DEFAULT_CSS = """
    Completions {
        height: auto; display: none; overlay: screen; constrain: inside; background: $panel;
    }
    Completions.-shown { display: block; }
    Completions > LogList { height: 0; background: $panel; }
    Completions > StatusLine { background: $panel; }
    """

    class Taken(Message):
        """A value was chosen; it is unchanged from the server."""

        def __init__(self, value: str) -> None:
            super().__init__()
            self.value = value

    def __init__(self, conversation: OpenConversation) -> None:
        super().__init__()
        self._conversation = conversation
        self._wanted: CompletionWanted | None = None
        self._found = Completion()
        self._taken = -1
        self._silent = False
        """Whether the server is known not to support completion."""
        self._timer: Timer | None = None
        self._line = StatusLine()
        self._list = LogList(_Values(()))

    def compose(self) -> ComposeResult:
        yield self._line
        yield self._list

    def rebind(self, conversation: OpenConversation) -> None:
        self._conversation = conversation
        self._silent = False
        self.consider(None)

    def consider(self, wanted: CompletionWanted | None) -> None:
        """Note what is being typed now, and request its completion after a pause; None: nothing to complete."""
        if wanted == self._wanted:
            return
        taken = self._found.values[self._taken] if self._taken >= 0 else None
        before, self._wanted = self._wanted, wanted
        if wanted and before and (wanted.name, wanted.value) == (before.name, taken):
            return
        if self._timer is not None:
            self._timer.stop()
        if (
            wanted is None
            or self._silent
            or self._conversation.stage is not ConversationStage.OPEN
            or not self._conversation.can_act
        ):
            self._show(Completion())
        else:
            self._timer = self.set_timer(PAUSE, lambda: self._ask(wanted))

    @work(exclusive=True, group="completion")
    async def _ask(self, wanted: CompletionWanted) -> None:
        found = await self._answer(wanted)
        if self._wanted == wanted:
            self._show(found)

    async def _answer(self, wanted: CompletionWanted) -> Completion:
        opening = self._conversation.opening
        features = opening.revision.features if opening else frozenset()
        if opening and "completions capability" in features and "completions" not in opening.capabilities:
            return NOT_SUPPORTED
        params: dict[str, Any] = {"ref": wanted.reference, "argument": {"name": wanted.name, "value": wanted.value}}
        if "completion context" in features and wanted.others:
            params["context"] = {"arguments": wanted.others}
        try:
            called = await self._conversation.call("completion/complete", params, lambda exchange: None)
        except InspectError as error:
            return Completion(note=(span(f"no completion: {error}", "warning", limit=300),))
        if not isinstance(called.reply, Replied):
            return Completion(note=(("no completion: no response", "warning"),))
        message = called.reply.message
        return (
            completion_of(message.result) if isinstance(message, ResultResponse) else completion_failed(message.error)
        )

    def _show(self, found: Completion) -> None:
        self._found, self._taken = found, -1
        self._silent = self._silent or not found.supported
        rows = self._list.source = _Values(found.values)
        self._list.go_to(0)
        self._list.styles.height = min(rows.count, _ROWS)
        either = keys.action("resources.complete").key_text.replace("  ", " or ")
        key: list[Span] = [(f"{either} accepts one", "faint")] if rows.count else []
        self._line.show(list(found.note), key)
        self._place(spans_width([*found.note, *key]))
        self.set_class(bool(found.note), "-shown")

    def _place(self, note_width: int) -> None:
        """Put the list below the field with the focus, or above it if there is no space below."""
        field = self.screen.focused
        if field is None or field is self._list:
            return
        region, form = field.content_region, self.parent.region if isinstance(self.parent, Widget) else field.region
        widest = max((cell_width(visible(each, limit=300)) for each in self._found.values), default=0)
        beside = form.right - region.x + 1  # up to the edge: no rest of a description is left beside it
        width = min(max(_LEAST, widest + 4, note_width + 4, beside), form.width)
        height = 1 + min(len(self._found.values), _ROWS)
        is_above = region.bottom + height > self.screen.size.height and region.y >= height
        x = max(form.x, min(region.x - 1, form.right - width))  # what is beside the form stays visible
        self.absolute_offset = Offset(x, region.y - height if is_above else region.bottom)
        self.styles.width = width

    def take_next(self) -> str | None:
        """Return the next value, wrapping around after the last; None if there is none."""
        values = self._found.values
        if not values:
            return None
        self._taken = (self._taken + 1) % len(values)
        self._list.go_to(self._taken)
        return values[self._taken]

    def on_log_list_opened(self, event: LogList.Opened) -> None:
        """Accept the value under the cursor."""
        event.stop()
        self._taken = event.index
        self.post_message(self.Taken(self._found.values[event.index]))

    def on_log_list_selected(self, event: LogList.Selected) -> None:
        """Stop the message: nothing depends on the cursor."""
        event.stop()


# The form


def _describe(kind: OfferKind, item: ListedItem, full: bool, found: Sequence[list[Span]]) -> Iterator[list[Span]]:
    """Yield its name and place, its problems, and the server's description."""
    yield from (list(line) for line in head_lines(item))
    yield list(kind.place(item))
    if item.flaw:
        yield [(f"{glyphs().warning} {item.flaw}", "warning")]
    yield from found
    about = [list(line) for line in described(item)]
    yield from about[:_MOST]
    yield from (list(line) for line in fact_lines([*title_facts(item), *kind.facts(item)]))
    if full:
        yield from (list(line) for line in meta_lines(item.raw))


class OfferForm(ItemForm):
    """Form of one resource, template or prompt."""

    DEFAULT_CSS = """
    OfferForm > .offer--preview { height: auto; max-height: 4; padding: 0 1; margin: 1 0 0 0; display: none; }
    OfferForm.-preview > .offer--preview { display: block; }
    OfferForm.-bare SchemaForm { display: none; }
    """

    def __init__(self, conversation: OpenConversation, kind: OfferKind) -> None:
        head = ItemHead(lambda item, full, found: _describe(kind, item, full, found))
        super().__init__(head, one=kind.item.one, verb=kind.verb)
        self._kind = kind
        self._preview = Static("", classes="offer--preview")
        self._completions = Completions(conversation)
        self._completed: Path = ()
        """Path of the field that the completions are for; () for none."""

    def more(self) -> ComposeResult:
        yield self._preview
        yield self._completions

    @property
    def is_ready(self) -> bool:
        return super().is_ready and self._completions.is_mounted

    def rebind(self, conversation: OpenConversation) -> None:
        """Request completions from another conversation."""
        self._completions.rebind(conversation)

    def schema(self, item: ListedItem) -> object:
        schema = self._kind.schema(item)
        self.set_class(not peek.mapping(schema, "properties"), "-bare")
        return schema

    @property
    def params(self) -> dict[str, Any]:
        return dict(peek.mapping(self.request.params)) if self.item is not None else {}

    @property
    def request(self) -> PreparedRequest:
        """Request that would be sent now. Needs an item."""
        assert self.item is not None
        arguments = self.form.arguments
        return self._kind.request(self.item, {} if arguments is UNSET else arguments)

    def withheld(self) -> str:
        return self.request.problem if self.item is not None else ""

    async def show(self, item: ListedItem | None) -> None:
        """Show another item and clear the completions."""
        self._completed = ()
        self._completions.consider(None)
        await super().show(item)
        self._show_preview()

    def _show_preview(self) -> None:
        line = self.request.preview if self.item is not None else ()
        self.set_class(bool(line), "-preview")
        shown = spans_to_text(line, dark=self.app.current_theme.dark)
        shown.no_wrap, shown.overflow = False, "fold"
        self._preview.update(shown)

    def on_schema_form_changed(self, event: SchemaForm.Changed) -> None:
        """Update the preview and the completions."""
        self._show_preview()
        self._consider()

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def _complete_focused(self) -> None:
        """Complete the field that has the focus now, if one has it."""
        self._consider()

    def _consider(self) -> None:
        edit = self.screen.focused
        if self.item is None or not isinstance(edit, LineEdit | BlockEdit) or self.form.as_json:
            if edit is None or self._completions not in edit.ancestors:
                self._completions.consider(None)
            return
        node = next((each for each in edit.ancestors if isinstance(each, FieldNode)), None)
        reference = self._kind.reference(self.item)
        if node is None or not node.path or reference is None or self not in edit.ancestors:
            self._completions.consider(None)
            return
        self._completed, name = node.path, str(node.path[0])
        value = edit.value if isinstance(edit, LineEdit) else edit.text
        others = {key: each for key, each in peek.mapping(self.form.arguments).items() if isinstance(each, str)}
        others.pop(name, None)
        self._completions.consider(CompletionWanted(reference, name, value, others))

    async def complete(self) -> None:
        """Put the next proposed value into its field."""
        value = self._completions.take_next()
        if value is None:
            self.app.notify("No proposed values.")
        else:
            await self._put(value)

    async def _put(self, value: str) -> None:
        edit = await self.form.focus_at(self._completed) if self._completed else None
        if isinstance(edit, LineEdit):
            edit.value = value
            edit.cursor_position = len(value)
        elif isinstance(edit, BlockEdit):
            edit.text = value

    async def on_completions_taken(self, event: Completions.Taken) -> None:
        """Put the chosen value into its field."""
        event.stop()
        await self._put(event.value)


class OffersPanel(ItemsPanel[OfferForm]):
    """Panel of resources or prompts: completion, and params that the form builds."""

    def __init__(self, conversation: OpenConversation, kind: OfferKind, items: ItemList) -> None:
        form = OfferForm(conversation, kind)
        super().__init__(conversation, items, form, ResultPanel(kind.result_words))

    def rebind(self, conversation: OpenConversation) -> None:
        """Show another conversation, also in the form, which requests its completions there."""
        self.form.rebind(conversation)
        super().rebind(conversation)

    async def do_more(self, name: str) -> None:
        """Run the actions of these screens: "complete", and "edit" and "repeat" of the shown request."""
        match name:
            case "complete":
                await self.form.complete()
            case "repeat" if self.requests.last is None:
                await self.action_send()
            case _:
                await super().do_more(name)

    def on_item_form_call_wanted(self, event: ItemForm.CallWanted) -> None:
        """Send the request."""
        event.stop()
        method, params = self.items.kind.method, self.form.request.params
        self.requests.begin(self.requests.calling.begin(event.item, event.arguments, method, params))
