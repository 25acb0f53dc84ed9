"""The form of a message written by hand: its kind, method, id, headers and text. It checks and never forbids."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.suggester import SuggestFromList
from textual.widgets import Input, Static, TextArea

from inspector.protocol.drafts import Draft, DraftKind, fault_in, header_pairs, oddities
from inspector.tui.styles import glyphs, spans_to_text
from inspector.tui.widgets.form_editors import BlockEdit, LineEdit
from inspector.tui.widgets.segments import Segments
from inspector.viewmodels.roles import Span

_KINDS = tuple(DraftKind)
_STAMPS = ("as the revision wants", "nothing added")
_TEXT_WORDS = {
    DraftKind.REQUEST: "params, JSON or not; empty for none",
    DraftKind.NOTIFICATION: "params, JSON or not; empty for none",
    DraftKind.BATCH: 'an array of messages: [{"method": "ping"}, …]',
    DraftKind.EXACT: "exactly what is sent; over stdio each line is a frame",
}


class RawForm(Vertical):
    """A draft, as it is typed."""

    DEFAULT_CSS = """
    RawForm { height: 1fr; padding: 0 1; }
    RawForm Horizontal { height: auto; }
    RawForm .raw--label { width: 9; color: $text-muted; }
    RawForm .raw--row { height: auto; }
    RawForm LineEdit { margin: 0 1 0 0; }
    RawForm #raw-id { width: 18; }
    RawForm BlockEdit, RawForm BlockEdit.-textual-compact { height: 1fr; min-height: 3; max-height: 100%; }
    RawForm .raw--said { height: auto; max-height: 4; color: $text-muted; }
    RawForm.-whole .raw--of-single { display: none; }
    RawForm.-stdio .raw--of-http { display: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._methods: tuple[str, ...] = ()
        self._kinds = Segments(_KINDS, (0,))
        self._method = LineEdit("", unset=True)
        self._id_line = LineEdit("", unset=True)
        self._id_line.id = "raw-id"
        self._stamp = Segments(_STAMPS, (0,))
        self._headers = LineEdit("", unset=True)
        self._text = BlockEdit("", unset=True)
        self._said = Static("", classes="raw--said", markup=False)
        self._near = Static("", classes="raw--of-single raw--said", markup=False)

    def compose(self) -> ComposeResult:
        """Line by line."""
        yield from self._rows()
        yield self._text
        yield self._said

    def _rows(self) -> ComposeResult:
        with Horizontal(classes="raw--row"):
            yield Static("Send", classes="raw--label")
            yield self._kinds
        with Horizontal(classes="raw--row raw--of-single"):
            yield Static("Method", classes="raw--label")
            yield self._method
            yield self._id_line
        yield self._near
        with Horizontal(classes="raw--row"):
            yield Static("Add", classes="raw--label")
            yield self._stamp
        with Horizontal(classes="raw--row raw--of-http"):
            yield Static("Headers", classes="raw--label")
            yield self._headers

    def on_mount(self) -> None:
        """Say what is to be written where."""
        self._method.placeholder = "method"
        self._id_line.placeholder = "id: the next"
        self._headers.placeholder = "Name: value; Name: value"
        self._say()

    # What the panel asks

    def offer(self, methods: Sequence[str], *, over_http: bool) -> None:
        """Propose these methods, and headers where there are some; nearly free if nothing has changed."""
        self.set_class(not over_http, "-stdio")
        if tuple(methods) != self._methods:
            self._methods = tuple(methods)
            self._method.suggester = SuggestFromList(self._methods, case_sensitive=False)
            self._say()

    @property
    def draft(self) -> Draft:
        """What is written now."""
        kind = self._kind
        single = kind in (DraftKind.REQUEST, DraftKind.NOTIFICATION)
        return Draft(
            kind,
            self._method.value.strip() if single else "",
            self._text.text,
            self._id_line.value if kind is DraftKind.REQUEST else "",
            stamp=self._stamp.chosen == (0,),
            headers=header_pairs(self._headers.value.split(";"))[0],
        )

    def take(self, draft: Draft) -> None:
        """Put a draft into the form."""
        self._kinds.choose(_KINDS.index(draft.kind))
        self._method.value, self._id_line.value = draft.method, draft.id
        self._stamp.choose(0 if draft.stamp else 1)
        self._headers.value = "; ".join(f"{name}: {value}" for name, value in draft.headers)
        self._text.load_text(draft.text)
        self._say()

    def focus_first(self) -> None:
        """Where one begins to write."""
        single = self._kind in (DraftKind.REQUEST, DraftKind.NOTIFICATION)
        (self._method if single and not self._method.value else self._text).focus()

    # What is typed

    def on_segments_chosen(self, event: Segments.Chosen) -> None:
        """Another kind, or another way to stamp."""
        event.stop()
        event.control.choose(event.index)
        self._say()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Check anew."""
        event.stop()
        self._say()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """On to the text."""
        event.stop()
        self._text.focus()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Check anew."""
        event.stop()
        self._say()

    @property
    def _kind(self) -> DraftKind:
        return _KINDS[self._kinds.chosen[0]]

    def _say(self) -> None:
        """What is odd about the draft, and which methods are near what is typed."""
        if not self.is_mounted:
            return
        kind = self._kind
        self.set_class(kind in (DraftKind.BATCH, DraftKind.EXACT), "-whole")
        self._id_line.display = kind is DraftKind.REQUEST
        self._text.placeholder = _TEXT_WORDS[kind]
        self._said.update(spans_to_text(self._verdict(kind), dark=self.app.current_theme.dark))
        self._near.update(spans_to_text(self._near_by(), dark=self.app.current_theme.dark))

    def _verdict(self, kind: DraftKind) -> list[Span]:
        found = _faults(kind, self._text.text)
        wrong = header_pairs(self._headers.value.split(";"))[1]
        if wrong:
            found.append("a header needs a name, a colon and a value")
        if not found:
            return [(f"{glyphs().ok} ", "ok"), ("nothing odd about it", "faint")]
        return [(f"{glyphs().warning} {'; '.join(found[:3])}; it can be sent all the same", "warning")]

    def _near_by(self) -> list[Span]:
        typed = self._method.value.strip().casefold()
        if typed in map(str.casefold, self._methods):
            return []
        near = [method for method in self._methods if typed in method.casefold()]
        return [("         ", "text"), ("  ".join(near[:4]), "faint")] if near else []


def _faults(kind: DraftKind, text: str) -> list[str]:
    """What is odd about a text. A long one is checked once it is sent."""
    if len(text) > 200_000:
        return []
    if kind is DraftKind.EXACT:
        odd = oddities(text.encode("utf-8", "surrogatepass"))
        return [each.rstrip(".") for each in odd] if text else ["there is nothing to send"]
    fault = fault_in(text)
    return [f"no JSON: {fault}"] if fault else []
