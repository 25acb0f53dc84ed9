"""A dialog with a line for a path, and a file that is made there: on a thread, and one at a time.

Nothing is replaced unasked. Whoever leaves while it is being made is told what came of it.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from rich.text import Text
from textual.widgets import Input, Static

from inspector.config.paths import expanded
from inspector.errors import InspectError
from inspector.tui.screens import is_on_top
from inspector.tui.screens.dialog import Dialog
from inspector.tui.styles import glyphs
from inspector.viewmodels.text import visible

MadeT = TypeVar("MadeT")


class Making(Dialog[MadeT | None], Generic[MadeT]):
    """Answers with what was made; None if whoever was asked has left. Composes an `Input`, and a `Static` to say."""

    SAID: ClassVar[str]
    """What finds the line in which it is said what is wrong."""

    def __init__(self) -> None:
        super().__init__()
        self._warned: Path | None = None
        """The file that the person has been told is there."""
        self._is_making = False
        self._made: MadeT | None = None
        """What was made while another screen lay over this one."""

    def maker(self, path: Path, *, replace: bool) -> Callable[[], MadeT]:
        """What makes the file, of what is chosen now; it is called on a thread.

        It raises FileExistsError if the file is there and must not be replaced, InspectError, OSError or ValueError if
        it can't be made.
        """
        raise NotImplementedError

    def told(self, made: MadeT) -> str:
        """What was made, in a sentence; may be foreign text."""
        raise NotImplementedError

    def busy(self) -> str:
        """What is said meanwhile."""
        return "Writing…"

    def on_input_changed(self, event: Input.Changed) -> None:
        """Another path: what was said of the one before is void."""
        event.stop()
        self._warned = None
        if not self._is_making:
            self._say("")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Make it, or ask first."""
        event.stop()
        if event.value.strip() and not self._is_making:
            self._is_making = True
            self._say(self.busy())
            path = expanded(event.value.strip())
            attempt = self._attempt(path, self.maker(path, replace=path == self._warned))
            self.app.run_worker(attempt, group="making")  # the app's: it goes on if the person leaves

    def on_screen_resume(self) -> None:
        """What lay over this is gone, and meanwhile it was made."""
        if self._made is not None:
            self.dismiss(self._made)

    async def _attempt(self, path: Path, make: Callable[[], MadeT]) -> None:
        try:
            made = await asyncio.to_thread(make)
        except FileExistsError:
            self._warned = path
            self._fail("It is there already. Enter again replaces it.")
        except InspectError as error:
            self._fail(f"{error}. {error.hint[:1].upper()}{error.hint[1:]}".rstrip())
        except (OSError, ValueError) as error:
            self._fail(f"It can't be made: {getattr(error, 'strerror', None) or error}.")
        else:
            self._succeed(made)

    def _succeed(self, made: MadeT) -> None:
        if is_on_top(self):
            self.dismiss(made)
        elif self in self.app.screen_stack:
            self._made = made
        else:
            self.app.notify(visible(self.told(made), limit=400), markup=False, timeout=8)

    def _fail(self, sentence: str) -> None:
        self._is_making = False
        if self in self.app.screen_stack:
            self._say(sentence)
        else:
            self.app.notify(visible(sentence, limit=400), severity="error", markup=False, timeout=8)

    def _say(self, sentence: str) -> None:
        shown = f"{glyphs().warning} {visible(sentence, limit=400)}" if sentence else ""
        self.query_one(self.SAID, Static).update(Text(shown))

    def action_leave(self) -> None:
        """Leave. What is being made is finished all the same."""
        self.dismiss(None)
