"""Consent from a terminal: the address, the ways to it, and what the person types meanwhile.

Nothing is opened before the person has said so, and what is opened was looked at before.
"""

import shutil

from inspector.auth.browser import open_browser, out_of_reach, tunnel
from inspector.auth.guide import Guide, Waiting
from inspector.cli.output import Output
from inspector.cli.typed import Typed
from inspector.viewmodels.lines import Line, section_lines
from inspector.viewmodels.links import link_section, read_link
from inspector.viewmodels.qr import qr_lines, too_small

_GIVE_UP = ("q", "quit")


class Consent:
    """What the guide shows and hears at a terminal."""

    def __init__(self, output: Output, *, port: int = 0, callback: str = "", patience_s: float = 600.0) -> None:
        self.guide = Guide(port=port, callback=callback, patience_s=patience_s, show=self._show)
        self._output = output
        self._typed: Typed | None = None

    def stop(self) -> None:
        """Nobody types any more."""
        if self._typed is not None:
            self._typed.stop()
            self._typed = None

    def _show(self, waiting: Waiting) -> None:
        self._output.narrate_lines(section_lines(link_section(read_link(waiting.url))))
        self._output.narrate_lines(self._ways(waiting))
        self.stop()
        self._typed = Typed(self._output.world.stdin, self._take)

    def _ways(self, waiting: Waiting) -> list[Line]:
        """What can be done now, a line each."""
        env = self._output.world.env
        why_not = out_of_reach(env)
        found: list[Line] = []
        if not why_not:
            found.append(_way("Enter", "opens it in the browser"))
        else:
            found.append(_way("here", f"no browser: {why_not}; open the address where there is one"))
        if waiting.port and why_not:
            found.append(_way("tunnel", f"on that machine, so that it finds back here: {tunnel(waiting.port, env)}"))
        found.append(
            _way("paste", "the address that the browser ends at, or the code in it, if it does not get through")
        )
        found.append(_way("qr", "shows the address for a camera; q gives up"))
        return found

    def _take(self, line: str) -> None:
        """What was typed."""
        waiting, word = self.guide.waiting, line.strip()
        if waiting is None:
            return
        if not word:
            self._open(waiting)
        elif word.lower() in _GIVE_UP:
            self.guide.give_up()
        elif word.lower() == "qr":
            self._draw(waiting)
        elif wrong := self.guide.take(word):
            self._output.warn(wrong)

    def _open(self, waiting: Waiting) -> None:
        link = read_link(waiting.url)
        why_not = link.why_not or out_of_reach(self._output.world.env)
        if why_not:
            self._output.warn(f"not opened: {why_not}")
        elif open_browser(link.openable):
            self._output.narrate(f"opened in the browser: {link.host}")
        else:
            self._output.warn("no browser was found: copy the address")

    def _draw(self, waiting: Waiting) -> None:
        lines = qr_lines(waiting.url)
        if why_not := too_small(lines, shutil.get_terminal_size().columns, len(lines)):
            self._output.warn(why_not)
            return
        for line in lines:  # black on white, whatever the terminal's colours are
            self._output.world.stderr.write(f"\x1b[30;107m{line}\x1b[0m\n")
        self._output.world.stderr.flush()


def _way(key: str, what: str) -> Line:
    return ((f"  {key:<7} ", "accent"), (what, "text"))
