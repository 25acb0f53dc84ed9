"""The form of a resource, a template or a prompt: what it says of itself, its arguments, and what would be sent.

What would be sent is shown while it is typed. Values that the server proposes stand below the form; a key takes one
after the other into the field.
"""

from collections.abc import Iterator

from textual import events
from textual.app import ComposeResult
from textual.widgets import Static

from inspector.forms.fields import UNSET
from inspector.protocol import peek
from inspector.protocol.things import Thing
from inspector.tui.panels.completions import Completions, Wanted
from inspector.tui.panels.offer_kind import OfferKind, Request
from inspector.tui.panels.thing_form import ThingForm, ThingHead
from inspector.tui.panels.tool_head import beginning
from inspector.tui.styles import glyphs, spans_to_text
from inspector.tui.subject import Subject
from inspector.tui.widgets.form_editors import BlockEdit, LineEdit
from inspector.tui.widgets.form_fields import FieldNode
from inspector.tui.widgets.schema_form import SchemaForm
from inspector.viewmodels.lines import fact_lines
from inspector.viewmodels.offers import described, head_lines
from inspector.viewmodels.roles import Span
from inspector.viewmodels.thing_facts import meta_lines, title_facts

_MOST = 200
"""Lines that are shown of a description in full."""


class OfferHead(ThingHead):
    """About one thing. Long descriptions show their beginning until somebody asks for all."""

    DEFAULT_CSS = """
    OfferHead { height: auto; padding: 0 2; margin: 0 0 1 0; }
    """

    def __init__(self, kind: OfferKind) -> None:
        super().__init__("")
        self._kind = kind
        self._thing: Thing | None = None
        self._full = False

    def show(self, thing: Thing | None) -> None:
        """Show another thing."""
        self._thing, self._full = thing, False
        self._renew()

    def toggle(self) -> None:
        """Show all of the description, or its beginning."""
        self._full = not self._full
        self._renew()

    def lines(self) -> list[list[Span]]:
        """Its name and place, what is wrong with it, and what its server says of it."""
        return list(self._lines(self._thing)) if self._thing else []

    def _lines(self, thing: Thing) -> Iterator[list[Span]]:
        yield from (list(line) for line in head_lines(thing))
        yield list(self._kind.place(thing))
        if thing.flaw:
            yield [(f"{glyphs().warning} {thing.flaw}", "warning")]
        if not self._folded:
            yield from self.finding_lines(full=self._full)
        about = [list(line) for line in described(thing)]
        yield from about[:_MOST] if self._full else beginning(about)
        yield from (list(line) for line in fact_lines([*title_facts(thing), *self._kind.facts(thing)]))
        if self._full:
            yield from (list(line) for line in meta_lines(thing.raw))


class OfferForm(ThingForm):
    """One offer, ready to be asked for."""

    DEFAULT_CSS = """
    OfferForm > .offer--preview { height: auto; max-height: 4; padding: 0 1; margin: 1 0 0 0; display: none; }
    OfferForm.-preview > .offer--preview { display: block; }
    OfferForm.-bare SchemaForm { display: none; }
    """

    def __init__(self, subject: Subject, kind: OfferKind) -> None:
        super().__init__(OfferHead(kind), one=kind.words.one, verb=kind.verb)
        self._kind = kind
        self._preview = Static("", classes="offer--preview")
        self._completions = Completions(subject)
        self._edit: LineEdit | BlockEdit | None = None
        """The field that the completions are for."""

    def more(self) -> ComposeResult:
        """What would be sent, and what the server proposes."""
        yield self._preview
        yield self._completions

    @property
    def is_ready(self) -> bool:
        """Whether all of it has been laid out."""
        return super().is_ready and self._completions.is_mounted

    def rebind(self, subject: Subject) -> None:
        """Complete from another conversation."""
        self._completions.rebind(subject)

    def schema(self, thing: Thing) -> object:
        """What the form asks for."""
        schema = self._kind.schema(thing)
        self.set_class(not peek.mapping(schema, "properties"), "-bare")
        return schema

    @property
    def request(self) -> Request:
        """What would be sent now. Raises nothing; only with a thing."""
        assert self.thing is not None
        arguments = self.form.arguments
        return self._kind.request(self.thing, {} if arguments is UNSET else arguments)

    def withheld(self) -> str:
        """Why nothing can be sent now."""
        return self.request.problem if self.thing is not None else ""

    async def show(self, thing: Thing | None) -> None:
        """Show another thing; completions of the one before go away."""
        self._edit = None
        self._completions.consider(None)
        await super().show(thing)
        self._say_preview()

    def _say_preview(self) -> None:
        line = self.request.preview if self.thing is not None else ()
        self.set_class(bool(line), "-preview")
        shown = spans_to_text(line, dark=self.app.current_theme.dark)
        shown.no_wrap, shown.overflow = False, "fold"
        self._preview.update(shown)

    def on_schema_form_changed(self, event: SchemaForm.Changed) -> None:
        """Show what would be sent, and think about what could be proposed."""
        self._say_preview()
        self._consider()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Propose values for the field that has the focus now."""
        self._consider()

    def _consider(self) -> None:
        edit = self.screen.focused
        if self.thing is None or not isinstance(edit, LineEdit | BlockEdit) or self.form.as_json:
            if edit is None or self._completions not in edit.ancestors:
                self._completions.consider(None)
            return
        node = next((each for each in edit.ancestors if isinstance(each, FieldNode)), None)
        reference = self._kind.reference(self.thing)
        if node is None or not node.path or reference is None or self not in edit.ancestors:
            return
        self._edit, name = edit, str(node.path[0])
        value = edit.value if isinstance(edit, LineEdit) else edit.text
        others = {key: each for key, each in peek.mapping(self.form.arguments).items() if isinstance(each, str)}
        others.pop(name, None)
        self._completions.consider(Wanted(reference, name, value, others))

    def complete(self) -> None:
        """Take the next of the proposed values into its field."""
        value = self._completions.take_next()
        if value is None:
            self.app.notify("There is nothing to take: no value is proposed.", markup=False)
        else:
            self._put(value)

    def _put(self, value: str) -> None:
        edit = self._edit
        if isinstance(edit, LineEdit) and edit.is_attached:
            edit.value = value
            edit.cursor_position = len(value)
            edit.focus()
        elif isinstance(edit, BlockEdit) and edit.is_attached:
            edit.text = value
            edit.focus()

    def on_completions_taken(self, event: Completions.Taken) -> None:
        """Take the value that was chosen."""
        event.stop()
        self._put(event.value)
