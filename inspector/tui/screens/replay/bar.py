"""The replay bar above the footer: position, speed and state of the playback.

Every screen shows the state at the replay position, so the bar is on every screen. A click on its track seeks.
"""

from collections.abc import Awaitable, Callable

from textual import events

from inspector.present.spans import Line, Role, Span
from inspector.text import one_line
from inspector.tui import keys
from inspector.tui.actions import ActionScope
from inspector.tui.screens.replay import model
from inspector.tui.screens.replay.model import PlaybackState
from inspector.tui.screens.replay.playback import AnyPlayback
from inspector.tui.theme import glyphs
from inspector.tui.widgets.bars import BarItem, BarLine, ItemBar

_TRACK = "track"
_LEAST_TRACK = 12
"""Minimum width of the track, in cells; a narrower one is left out."""
_LONGEST_NAME = 40

_WORDS = {
    "replay.play": "Play",
    "replay.back": "",
    "replay.on": "Step",
    "replay.end": "End",
    "replay.slower": "",
    "replay.faster": "Speed",
}


class TransportBar(ItemBar, can_focus=True):
    """The replay bar, one line high. It has its own keys while it is focused."""

    BINDINGS = keys.bindings(ActionScope.REPLAY_BAR)
    DEFAULT_CSS = """
    TransportBar { dock: bottom; height: 1; margin-bottom: 1; background: $surface; }
    TransportBar:focus { background: $panel; }
    """

    def __init__(self, go_to: Callable[[int], Awaitable[None]]) -> None:
        """`go_to` seeks to an entry."""
        super().__init__()
        self._go_to = go_to
        self._count = 0
        """Number of entries at the last update; 0 while nothing is replayed."""
        self._shown_count: object = None

    def sync(self, playback: AnyPlayback | None, held: int | None = None) -> None:
        """Update the bar; None if the active tab replays nothing.

        `held`: number of messages that the attached tap holds; None if none is attached.
        """
        if (playback is not None) != self.display:
            self.display = playback is not None
        self._count = 0 if playback is None else playback.count
        if playback is None:
            return
        state = state_of(playback, held)
        count = state, self.size.width
        if count != self._shown_count:
            self._shown_count = count
            self.show([self._line(state, playback)])

    def _line(self, state: PlaybackState, playback: AnyPlayback) -> BarLine:
        if state.is_live:
            items = [BarItem(tuple(model.place_text(state)))]
            if state.parties is not None:
                client, server = (one_line(each, _LONGEST_NAME) for each in state.parties)
                who: Line = ((client, "strong"), (f" {glyphs().to_server} ", "faint"), (server, "strong"))
                items.append(BarItem(who, rank=8))
            return BarLine(tuple(items), _hints(state), inset=1)
        items = [
            BarItem((*model.state_text(state), (" ", "text")), name="replay.play"),
            BarItem(tuple(model.place_text(state))),
        ]
        if not state.is_at_end or state.playing:
            items.append(BarItem(tuple(model.time_text(playback.moment)), rank=4))
        if state.fronted:
            items.append(BarItem(tuple(model.speed_text(state)), name="replay.faster", rank=1))
            items.append(BarItem(tuple(model.pause_text(state)), rank=3))
        line = BarLine(tuple(item for item in items if item.spans), _hints(state), inset=1)
        room = self.size.width - line.width - line.gap
        if room < _LEAST_TRACK:
            return line
        cells = BarItem(tuple(model.track(state, room)), name=_TRACK, rank=5)
        return BarLine((*line.left, cells), line.right, inset=1)

    def on_click(self, event: events.Click) -> None:
        """Seek to the clicked position of the track; other items behave as in any item bar."""
        for x, item in self._placed(event.y):
            if item.name == _TRACK and x <= event.x < x + item.width:
                event.stop()
                event.prevent_default()
                self.app.call_later(self._go_to, model.entry_at(event.x - x, item.width, self._count))
                return

    def pressed(self, name: str) -> None:
        self.app.call_later(self.app.run_action, keys.action(name).action)


def state_of(playback: AnyPlayback, held: int | None = None) -> PlaybackState:
    """Return what the bar shows."""
    pause, player = playback.pause, playback.player
    return PlaybackState(
        playback.at,
        playback.count,
        playback.shown,
        playback.is_at_end and not playback.is_fronted,
        player.playing,
        playback.is_fronted,
        player.speed,
        pause.left_ns // 100_000_000 * 100_000_000 if pause else 0,
        pause.own_ns if pause else 0,
        pause.cut if pause else False,
        playback.grows,
        playback.is_reading,
        playback.parties,
        held,
    )


def _hints(state: PlaybackState) -> tuple[BarItem, ...]:
    if state.is_live:
        return _live_hints(state)
    wanted = ["replay.play", "replay.back", "replay.on"] if state.count else []
    if state.fronted:
        speeds = ["replay.slower", "replay.faster"]
        wanted = ["replay.play", *speeds] if state.playing else [*wanted, *speeds]
    if not state.is_at_end:
        wanted.append("replay.end")
    server = keys.action("reconnect")
    starts: tuple[Span, ...] = ((keys.key_name(server.keys[0]), "accent"), (" Start server", "muted"))
    hints = tuple(_hint(name, place, state) for place, name in enumerate(wanted))
    start = [BarItem(starts, name=server.id, rank=6)] if state.count else []  # an empty capture names no server
    return (*hints[:1], *start, *hints[1:])


def _live_hints(state: PlaybackState) -> tuple[BarItem, ...]:
    steps = (_hint("replay.back", 2, state), _hint("replay.on", 2, state))
    if state.held is None:
        return steps
    held = keys.action("tap.held")
    role: Role = "warning" if state.held else "muted"
    shown: Line = ((f"Held {state.held} " if state.held else "Held ", role), (keys.key_name(held.keys[0]), "accent"))
    propose = keys.action("tap.propose")
    hold: Line = ((f"{propose.label} ", "muted"), (keys.key_name(propose.keys[0]), "accent"))
    return (BarItem(hold, name=propose.id, rank=1), BarItem(shown, name=held.id), *steps)


def _hint(name: str, place: int, state: PlaybackState) -> BarItem:
    action = keys.action(name)
    word = "Pause" if name == "replay.play" and state.playing else _WORDS[name]
    spans: list[Span] = [(keys.key_name(action.keys[0]), "accent")]
    if word:
        spans.append((f" {word}", "muted"))
    rank = 6 + place if word else 8 + place  # a key with no label belongs to the next one, and is left out first
    return BarItem(tuple(spans), name=name, rank=rank)
