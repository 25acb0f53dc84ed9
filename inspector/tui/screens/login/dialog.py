"""Login dialog: the steps so far, the URL for the user's consent, and what to do if the redirect fails.

The URL is shown in full, with its host as browsers show it. It is opened on a key and never by itself. Closing the
dialog leaves the login waiting. The dialog closes itself once the login has succeeded.
"""

from pathlib import Path

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Input, Static

from inspector.auth.addresses import open_browser, out_of_reach, tunnel
from inspector.auth.guide import WaitingForLogin
from inspector.present.logins import link_section, qr_lines, read_link, step_lines, steps_end, too_small
from inspector.present.spans import Line, Span
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.clipboard import copy
from inspector.tui.conversation import OpenConversation
from inspector.tui.theme import glyphs, spans_to_text
from inspector.tui.widgets.dialogs import ConfirmScreen, Dialog, DialogBox, is_on_top
from inspector.tui.widgets.key_bars import FooterBar
from inspector.tui.widgets.section_card import section_renderable

_TICKS_PER_SECOND = 10
_WHILE_WAITING = ("open", "copy", "paste", "draw", "give_up")


class LoginScreen(Dialog[None]):
    """Dialog of a running login."""

    BINDINGS = keys.bindings_of("login.open", "login.copy", "login.paste", "login.qr", "login.give_up", "login.later")
    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text("utf-8")

    def __init__(self, conversation: OpenConversation) -> None:
        super().__init__()
        self._conversation = conversation
        self._seen: tuple[object, ...] = ()
        self._waiting: WaitingForLogin | None = None
        self._confirmed: WaitingForLogin | None = None
        """Login for which the user has confirmed the host that gets the code."""
        self._began = conversation.login.guide.logins if conversation.login.guide else 0

    def compose(self) -> ComposeResult:
        with DialogBox() as box:
            box.border_title = "Login required"
            with VerticalScroll(id="login-ladder"):
                yield Static(id="login-steps", markup=False)
            yield Static(id="login-link", markup=False)
            yield Static(id="login-ways", markup=False)
            yield Input(placeholder="paste the final URL or the code", compact=True)
            yield Static(id="login-wrong", markup=False)
        yield FooterBar()

    def on_mount(self) -> None:
        """Show the login and check its state regularly."""
        self.query_one("#login-ladder").focus()
        self._tick()
        self.set_interval(1 / _TICKS_PER_SECOND, self._tick)

    def on_resize(self, event: events.Resize) -> None:
        """Give the URL priority over the steps on low screens."""
        self.set_class(event.size.height < 34, "-low")

    def _tick(self) -> None:
        if not is_on_top(self):  # dismissed but not yet removed, or covered by another dialog
            return
        guide = self._conversation.login.guide
        if guide is None or guide.logins != self._began or self._has_ended():
            self.dismiss()
            return
        seen = (guide.login_steps, guide.waiting)
        if seen == self._seen:
            return
        self._seen, self._waiting = seen, guide.waiting
        self.refresh_bindings()
        self._draw(step_lines(guide.login_steps, brief=True))

    def _has_ended(self) -> bool:
        """Return whether the login has succeeded, and notify the user then. A failed one stays visible."""
        guide = self._conversation.login.guide
        if guide is None or guide.busy:
            return False
        if not guide.failed:
            self.app.notify("Logged in.")
            return True
        return False

    def _draw(self, steps: list[Line]) -> None:
        dark = self.app.current_theme.dark
        shown = Text("\n").join(_wrapping(line, dark) for line in steps)
        self.query_one("#login-steps", Static).update(shown)
        self.query_one("#login-ladder", VerticalScroll).scroll_end(animate=False)
        waiting = self._waiting
        link, ways = self.query_one("#login-link", Static), self.query_one("#login-ways", Static)
        self.query_one(Input).display = waiting is not None
        if waiting is None:
            link.update(
                Text(
                    steps_end(self._conversation.login.guide.login_steps, climbed=True)
                    if self._conversation.login.guide
                    else ""
                )
            )
            ways.update(
                Text(
                    "Waiting for the authorization server."
                    if self._is_busy
                    else f"{keys.shown_key('login.later')} closes; {keys.shown_key('reconnect')} reconnects."
                )
            )
            return
        link.update(section_renderable(link_section(read_link(waiting.url), waiting.code_host), dark=dark))
        ways.update(Text(_ways(waiting)))

    @property
    def _is_busy(self) -> bool:
        guide = self._conversation.login.guide
        return guide is not None and guide.busy

    def _wrong(self, why: str) -> None:
        self.query_one("#login-wrong", Static).update(Text(why))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self._waiting is not None or action not in _WHILE_WAITING

    def action_open(self) -> None:
        """Open the URL in the browser."""
        if self._waiting is None:  # the login ended just now
            return
        link = read_link(self._waiting.url)
        if self._waiting.code_host and self._confirmed is not self._waiting:
            self._confirm(self._waiting)
        elif why_not := link.why_not or out_of_reach():
            self._wrong(f"Not opened: {why_not}.")
        elif not open_browser(link.openable):
            self._wrong("No browser found: copy the URL.")
        else:
            self._wrong("")

    def _confirm(self, waiting: WaitingForLogin) -> None:
        """Ask whether another host may get the code, in a dialog in which a second Enter goes back."""

        def answered(yes: bool | None) -> None:
            if yes and waiting is self._waiting:
                self._confirmed = waiting
                self.action_open()

        host = visible(waiting.code_host, limit=200)
        lines: list[list[Span]] = [[(f"{glyphs().warning} Another host gets the code of this login.", "warning")]]
        self.app.push_screen(ConfirmScreen("Open the page?", lines, host, ("Back", "Open")), answered)

    def action_copy(self) -> None:
        if self._waiting is not None:
            copy(self.app, self._waiting.url, "URL")

    def action_paste(self) -> None:
        """Focus the field to type or paste."""
        self.query_one(Input).focus()

    def action_draw(self) -> None:
        """Show the URL as a QR code."""
        if self._waiting is None:
            return
        lines = qr_lines(self._waiting.url)
        if why_not := too_small(lines, *self.app.size):
            self._wrong(why_not)
        else:
            self.app.push_screen(QrScreen(lines))

    async def action_give_up(self) -> None:
        await self._conversation.login.give_up()

    def action_leave(self) -> None:
        """Leave the field, or close the dialog while the login keeps waiting."""
        if self.query_one(Input).has_focus:
            self.query_one("#login-ladder").focus()
        else:
            self.dismiss()

    async def on_paste(self, event: events.Paste) -> None:
        """Put pasted text into the field and use it, wherever the focus is."""
        event.stop()
        field = self.query_one(Input)
        if not field.has_focus:
            field.value = event.text.strip()
            await self._take(field.value)

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Use the typed text."""
        event.stop()
        await self._take(event.value)

    async def _take(self, text: str) -> None:
        wrong = await self._conversation.login.take_pasted(text)
        self._wrong(f"{wrong[:1].upper()}{wrong[1:]}." if wrong else "")


class QrScreen(Dialog[None]):
    """URL as a QR code, dark on light in every theme."""

    BINDINGS = keys.bindings_of("qr.back")
    DEFAULT_CSS = """
    QrScreen { align: center middle; background: $background; }
    QrScreen Static { width: auto; height: auto; color: black; background: white; }
    """

    def __init__(self, lines: tuple[str, ...]) -> None:
        super().__init__()
        self._lines = lines

    def compose(self) -> ComposeResult:
        yield Static(Text("\n".join(self._lines), "#000000 on #ffffff"), markup=False)

    def on_click(self) -> None:
        self.close()


def _ways(waiting: WaitingForLogin) -> str:
    """Return the instructions, with or without a browser on this machine."""
    why_not = out_of_reach()
    if not why_not:
        return f"{keys.shown_key('login.open')} opens the browser. If the redirect fails, paste the final URL here."
    if not waiting.port:
        return f"No browser here: {why_not}. Open the URL on another machine and paste the final URL here."
    return f"No browser here: {why_not}. Paste the final URL, or forward the port: {tunnel(waiting.port)}"


def _wrapping(line: Line, dark: bool) -> Text:
    text = spans_to_text(line, dark=dark)
    text.no_wrap, text.overflow = False, "fold"
    return text
