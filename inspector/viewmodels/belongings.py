"""What the server's screen shows beside what was said and counted: the child's variables, and where it is recorded.

Values of variables are keys and passwords as often as not, so they are masked until somebody asks to see them; but for
the few that every program has.
"""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress

from inspector.capture.journal import Journal
from inspector.viewmodels import signs, text
from inspector.viewmodels.lines import Fact, Section, fact, paragraph
from inspector.viewmodels.secrets import MASK

UNEXPANDED = re.compile(r"\$\{[^}]{1,200}\}")
"""What somebody hoped a shell would replace."""
_LONGEST = 300
_HARMLESS = frozenset({"HOME", "LANG", "LOGNAME", "PATH", "PWD", "SHELL", "TERM", "USER"})


def environment_section(
    names: Iterable[str], values: Mapping[str, str], origins: Mapping[str, str], *, reveal: bool
) -> Section:
    """The variables the child got, with where each came from. `values` is empty where they are not known."""
    facts = tuple(_variable(name, values.get(name), origins.get(name, ""), reveal=reveal) for name in names)
    return Section("Environment", facts)


def _variable(name: str, value: str | None, origin: str, *, reveal: bool) -> Fact:
    reveal = reveal or name in _HARMLESS
    shown = "set" if value is None else "(empty)" if not value else value[:_LONGEST] if reveal else MASK
    found = UNEXPANDED.search(value or "")
    if found is not None:
        shown = f"{shown}  {signs.WARNING} {found[0]} stands as it is: nothing expands it"
    said = f"{shown}  {signs.NOTE} {origin}" if origin else shown
    return fact(name, said, "warning" if found else "text" if reveal and value else "muted")


def _size(journal: Journal) -> Iterable[Fact]:
    """How large the file is now; nothing if it is not there."""
    if journal.capture_path is not None:
        with suppress(OSError):
            yield Fact("size", text.human_size(journal.capture_path.stat().st_size))


def recording_section(journal: Journal) -> Section:
    """Where what happens is kept, and what a person should know about that."""
    notices = tuple(line for notice in journal.notices for line in paragraph(f"{signs.WARNING} {notice}", "warning"))
    if journal.capture_path is None:
        return Section("Recording", (Fact("file", "none: what happens is gone afterwards", "muted"),), notices)
    state = ("recording", "ok") if journal.recording else ("not recording any more", "warning")
    if journal.loaded:
        state = ("a recording that is looked at", "muted")
    facts = (
        Fact("state", *state),  # type: ignore[arg-type]
        fact("file", str(journal.capture_path)),
        *_size(journal),
        Fact("since", text.clock(journal.started_wall_ns)),
    )
    return Section("Recording", facts, notices)
