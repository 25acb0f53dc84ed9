"""Commands of the palette for actions that are not valid now: they go to the screen of the action, and run it."""

from collections.abc import Awaitable, Callable, Collection, Iterator
from functools import partial
from typing import Any

from textual.app import App
from textual.binding import Binding
from textual.widget import Widget

from inspector.tui import keys
from inspector.tui.actions import Action, ActionScope, Command
from inspector.tui.panels import Panel


class OtherActions:
    """Runs actions of other screens and panes of the app."""

    def __init__(
        self, app: App[Any], panel: Callable[[], Panel], show_screen: Callable[[str], Awaitable[object]]
    ) -> None:
        """`panel` returns the visible panel."""
        self._app = app
        self._panel = panel
        self._show_screen = show_screen

    def commands(self, valid: Collection[str]) -> Iterator[Command]:
        """Yield a command for each action not in `valid`: of another screen or pane, or not possible now."""
        for each in keys.all_actions():
            if each.id in valid or each.id == "palette" or each.keys[0] == "escape":
                continue
            is_placed = each.where in keys.SCREEN_OF or each.where in keys.OPENED_BY
            if each.needs or is_placed or each.where == ActionScope.EVERYWHERE:
                go = partial(self._app.call_later, self._go, each)
                run = partial(self._app.notify, each.needs) if each.needs else go
                yield Command(each.label, each.needs or each.sentence, each.key_text, run, each.where, each.id)

    async def _go(self, action: Action) -> None:
        """Show the screen of an action, and run it there; if it is not possible, say so."""
        if (opening := keys.OPENED_BY.get(action.where)) is not None:
            if not await self._run(keys.action(opening)):
                self._app.notify(f"{action.label} is not possible now.")
            return
        screen = keys.SCREEN_OF.get(action.where)
        if screen is not None and action.where not in self._panel().places:
            await self._show_screen(screen)
            self._panel().take_focus()
        self._app.call_after_refresh(self._run_or_notify, action)

    async def _run_or_notify(self, action: Action) -> None:
        if not await self._run(action):
            self._app.notify(f"{action.label} is not possible with what is selected here.")

    async def _run(self, action: Action) -> bool:
        """Run an action on the visible widget that has it, which gets the focus; return whether there was one."""
        if action.action.startswith("app."):
            return await self._app.run_action(action.action)
        for widget in _widgets(self._panel()):
            if _implements(widget, action):
                if widget.can_focus:
                    widget.focus()
                return await self._app.run_action(action.action, widget)
        return False


def _widgets(panel: Panel) -> Iterator[Widget]:
    """Yield the panel and its visible widgets."""
    yield panel
    yield from (each for each in panel.walk_children(Widget) if each.is_on_screen)


def _implements(widget: Widget, action: Action) -> bool:
    name = action.action.partition("(")[0]
    has = any(isinstance(each, Binding) and each.id == action.id for each in widget.BINDINGS)
    return has and hasattr(widget, f"action_{name}") and bool(widget.check_action(name, ()))
