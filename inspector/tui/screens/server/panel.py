"""Server screen: identity, capabilities of both sides, process, stderr and recording.

Each section is a card that can be focused and copied. Wide terminals show two columns of cards. Values of variables
are masked until a key reveals them. Nothing is redrawn while nothing has changed, so a quiet server costs nothing.
"""

from collections.abc import Iterator
from typing import ClassVar

from msgspec.structs import replace
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from inspector.present.failure_report import has_failure
from inspector.present.logins import ladder_section
from inspector.present.server import environment_section, recording_section, server_sections
from inspector.present.spans import Fact, Section
from inspector.tui import keys
from inspector.tui.clipboard import copy
from inspector.tui.conversation import ConversationStage, OpenConversation
from inspector.tui.panels import Panel
from inspector.tui.post_mortem import PostMortemCard
from inspector.tui.process_usage import usage_facts
from inspector.tui.theme import glyphs
from inspector.tui.widgets.bars import ButtonBar
from inspector.tui.widgets.section_card import COPY, SectionCard, sections_text
from inspector.tui.widgets.virtual_lines import Scroller

_WIDE_FROM = 110
_TICKS = 6
"""Number of `sync` calls per update: five updates a second are fast enough."""
_MANY_EXCHANGES = 5000
_TICKS_OF_MANY = 60
"""Number of `sync` calls per update with more than `_MANY_EXCHANGES` exchanges: each update counts them all."""
_RIGHT = ("Process", "HTTP", "Login", "Environment", "Ping", "Traffic", "Recording", "stderr")
"""Sections of the right column, in this order; all others are in the left one."""
_FIRST = ("pid", "started", "state")
"""First facts of a process."""
_CAPABILITIES = frozenset({"Server capabilities", "Client capabilities"})


class ServerPanel(Panel):
    """Panel of everything known about the server."""

    places = keys.SCREENS["server"].places
    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("Server"), COPY]
    DEFAULT_CSS = """
    ServerPanel {
        & > #server-page { height: 1fr; }
        #server-columns { height: auto; layout: vertical; }
        #server-columns > Vertical { height: auto; width: 1fr; }
        &.-wide #server-columns { layout: horizontal; }
        PostMortemCard { max-height: 100%; }
    }
    """

    def __init__(self, conversation: OpenConversation) -> None:
        super().__init__()
        self.conversation = conversation
        self._reveal = False
        self._ticks = 0
        self._seen: tuple[object, ...] = ()
        self._cards: dict[str, SectionCard] = {}
        self._mortem: PostMortemCard | None = None
        self._buttons = ButtonBar()

    def compose(self) -> ComposeResult:
        """Lay out two columns of cards, and the buttons; cards that are mounted one by one are laid out twice."""
        self._cards = {section.title: SectionCard(section) for section in self._sections()}
        with Scroller(id="server-page"), Vertical(id="server-columns"):
            yield Vertical(*(card for title, card in self._cards.items() if title not in _RIGHT), id="server-left")
            yield Vertical(*(self._cards[title] for title in _RIGHT if title in self._cards), id="server-right")
        yield self._buttons

    def on_mount(self) -> None:
        """Make the first update, with the layout for the width that is to be expected."""
        self._arrange(self.app.size.width)
        self._look()

    def on_resize(self, event: events.Resize) -> None:
        self._arrange(event.size.width)

    def _arrange(self, width: int) -> None:
        self.set_class(width >= _WIDE_FROM, "-wide")

    # --- interface for the app

    def sync(self) -> None:
        """Update the cards that have changed, at intervals."""
        self._ticks += 1
        many = len(self.conversation.journal.conversation.exchanges) > _MANY_EXCHANGES
        if self.is_mounted and self._ticks >= (_TICKS_OF_MANY if many else _TICKS):
            self._look()

    def rebind(self, conversation: OpenConversation) -> None:
        self.conversation = conversation
        self._seen = ()
        if self._mortem is not None:
            self._mortem.remove()
            self._mortem = None
        if self.is_mounted:
            self._look()

    def take_focus(self) -> None:
        """Focus the page; Tab moves to its cards."""
        self.query_one("#server-page").focus()

    def copy(self) -> None:
        """Copy all sections as shown."""
        copy(self.app, sections_text(self._sections()), "all sections")

    # --- keys

    def action_reveal(self) -> None:
        """Toggle the masking of variable values."""
        self._reveal = not self._reveal
        self.notify(f"Secrets are {'shown' if self._reveal else 'masked'}.", timeout=3)
        self._look()

    def action_copy(self) -> None:
        """Copy all sections; a card with the focus copies itself."""
        self.copy()

    # --- rendering

    def _look(self) -> None:
        self._ticks = 0
        seen = self._state()
        if seen == self._seen:
            return
        self._seen = seen
        shown = {section.title: section for section in self._sections()}
        for title in self._cards.keys() - shown.keys():
            self._cards.pop(title).remove()
        for title, section in shown.items():
            self._show(title, section)
        restart = "Restart" if self.conversation.can_act else "Start server"
        self._buttons.offer(("reconnect", restart), "server.capabilities", "copy")
        self.query_one("#server-left").display = any(title not in _RIGHT for title in self._cards)
        self._show_card()

    def _state(self) -> tuple[object, ...]:
        """Return a state that is cheap to compare; sections are built only if it has changed."""
        journal = self.conversation.journal
        return (
            id(journal),
            journal.count,
            journal.recording,
            journal.notices,
            self.conversation.stage,
            self._reveal,
            self.conversation.login.guide.login_steps if self.conversation.login.guide is not None else (),
            usage.changes if (usage := self.conversation.usage) is not None else 0,
        )

    def _sections(self) -> Iterator[Section]:
        conversation = self.conversation
        environment = conversation.about.environment
        origins = environment.origins if environment else {}
        for section in server_sections(conversation.journal, origins=origins):
            if section.title == "Process":
                names = [fact.key[1:] for fact in section.facts if fact.key.startswith("$")]
                facts = sorted(section.facts, key=lambda fact: fact.key not in _FIRST)
                shown = tuple(fact for fact in facts if not fact.key.startswith("$"))
                used = usage_facts(conversation.usage.samples) if conversation.usage is not None else ()
                yield replace(section, facts=(*shown, *used))
                values = environment.values if environment else {}
                yield environment_section(names, values, origins, reveal=self._reveal)
            elif section.title == "Client" and conversation.about.profile:
                profile = Fact("profile", f"--as {conversation.about.profile}", "accent")
                yield replace(section, facts=(*section.facts, profile))
            elif section.title in _CAPABILITIES:
                yield _ticked(section)
            elif section.title != "Notices":
                yield section
        if conversation.login.guide is not None and conversation.login.guide.login_steps:
            yield ladder_section(conversation.login.guide.login_steps)
        yield recording_section(conversation.journal)

    def _show(self, title: str, section: Section) -> None:
        card = self._cards.get(title)
        if card is not None:
            card.show(section)
            return
        card = self._cards[title] = SectionCard(section)
        if title not in _RIGHT:
            self.query_one("#server-left").mount(card)
            return
        later = [self._cards[other] for other in _RIGHT[_RIGHT.index(title) + 1 :] if other in self._cards]
        self.query_one("#server-right").mount(card, before=later[0] if later else None)

    def _show_card(self) -> None:
        """Show the card of a dead connection above all others, once."""
        if self._mortem is None and _is_dead(self.conversation):
            self._mortem = PostMortemCard(self.conversation, dismissable=False)
            self.query_one("#server-page").mount(self._mortem, before=0)


def _is_dead(conversation: OpenConversation) -> bool:
    """Return whether the connection failed or ended unexpectedly."""
    match conversation.stage:
        case ConversationStage.FAILED:
            return True
        case ConversationStage.CLOSED:
            return bool(conversation.why)
        case ConversationStage.RECORDED:
            return has_failure(conversation.journal)
        case _:
            return False


def _ticked(section: Section) -> Section:
    """Return the section with a tick before each capability, since only present ones are listed."""
    return replace(section, facts=tuple(replace(fact, key=f"{glyphs().ok} {fact.key}") for fact in section.facts))
