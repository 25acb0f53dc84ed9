"""Dialogs for the credentials of a connection to a URL: a bearer token, or all its headers.

They are kept for the session: nothing is stored, and captures mask them like those of the command line.
"""

from collections.abc import Iterable

from rich.text import Text
from textual.widgets import Input

from inspector.config.targets import HttpTarget, parse_header
from inspector.errors import UsageError
from inspector.protocol.credentials import is_secret_header
from inspector.protocol.facts import Headers
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.widgets.fields_screen import FieldsScreen
from inspector.tui.widgets.schema_form.editors import LineEdit


class CredentialsScreen(FieldsScreen[Headers | None]):
    """Returns the headers to send; None if the user leaves."""

    BINDINGS = keys.bindings_of("headers.connect", "headers.leave")

    def read(self) -> Headers:
        """Return the headers as typed. Raises: UsageError without a value, which may be a token."""
        raise NotImplementedError

    def finish(self) -> None:
        try:
            self.dismiss(self.read())
        except UsageError as error:
            self.say_wrong(error.full_text)

    def action_finish(self) -> None:
        self.finish()


class TokenScreen(CredentialsScreen):
    """A line for a bearer token, masked."""

    def __init__(self, target: HttpTarget) -> None:
        self._others = tuple((name, value) for name, value in target.headers if name.lower() != "authorization")
        super().__init__(f"Token for {visible(target.label, limit=50)}", [LineEdit("", unset=False, secret=True)])

    def labels(self) -> Iterable[Text]:
        """Return what happens with the token."""
        yield Text("Sent as Authorization: Bearer …, for this session only; it is not stored.")

    def read(self) -> Headers:
        return (*self._others, bearer_header(self._edits[0].value))


def bearer_header(typed: str) -> tuple[str, str]:
    """Return the header for a token that was typed or pasted, perhaps with its scheme. Raises: UsageError."""
    token = typed.strip()
    scheme, *rest = token.split(maxsplit=1)[:2] or [""]
    if scheme.lower() == "bearer":
        token = "".join(rest)
    if not token:
        raise UsageError("the token is empty", hint="Type or paste it; Esc goes back.")
    if any(char.isspace() for char in token):
        other = f"{keys.shown_key('headers')} sets a header of another scheme."
        raise UsageError("a token contains no spaces", hint=other)
    return parse_header(f"Authorization: Bearer {token}")


class HeadersScreen(CredentialsScreen):
    """A line for each header, with secret values masked, and one for another header."""

    def __init__(self, target: HttpTarget) -> None:
        self._names = tuple(name for name, _ in target.headers)
        edits = [LineEdit(value, unset=True, secret=is_secret_header(name)) for name, value in target.headers]
        super().__init__(f"Headers for {visible(target.label, limit=50)}", [*edits, LineEdit("", unset=True)])

    def labels(self) -> Iterable[Text]:
        """Return the names of the headers, and what the last line is for."""
        for name in self._names:
            yield Text.assemble((visible(name, limit=60), "bold"), "  empty: not sent")
        yield Text.assemble(("Add", "bold"), "  Name: value, such as X-Api-Key: …")

    def on_mount(self) -> None:
        """Focus the line for another header."""
        self._edits[-1].focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Mask the added header once its name says that its value is a secret."""
        if event.input is self._edits[-1]:
            name, colon, _ = event.value.partition(":")
            event.input.password = bool(colon) and is_secret_header(name.strip())

    def read(self) -> Headers:
        """Return the headers that have a value, and the added one."""
        values = [edit.value.strip() for edit in self._edits]
        kept = [parse_header(f"{name}: {value}") for name, value in zip(self._names, values[:-1], strict=True) if value]
        return (*kept, parse_header(values[-1])) if values[-1] else tuple(kept)
