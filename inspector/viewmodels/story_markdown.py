"""A story as Markdown, with a Mermaid sequence diagram: for an issue, a chat, a report.

Whatever a server said stands in it as data: nothing of it can end a code block, begin a line of its own, or act in the
diagram. Payloads are cut, and secret headers are never in it.
"""

import re
from collections.abc import Iterator

from inspector.capture.beginnings import beginning
from inspector.capture.journal import Journal
from inspector.protocol.frames import Frame
from inspector.viewmodels import signs, text
from inspector.viewmodels.log_look import seconds
from inspector.viewmodels.story import Step, Story

MOST_BYTES = 4096
"""Of each payload."""
_MOST_ARROWS = 200
"""Of the diagram: renderers give up on larger ones."""
_LONGEST = 90
_PAYLOADS = frozenset(("request", "answer", "question", "reply", "late", "cancel"))
"""Steps whose messages are quoted."""
_PLAIN = re.compile(r"[^A-Za-z0-9 .,:/()_=+*?!'-]")
_END = re.compile(r"\bend\b", re.IGNORECASE)
"""Ends a part of a diagram, wherever it stands."""
_TICKS = re.compile(r"`+")
_ARROWS = {"request": "->>", "question": "->>", "answer": "-->>", "reply": "-->>", "late": "--x"}


def markdown_of(story: Story, journal: Journal) -> str:
    """The story as a page of its own."""
    return "\n".join(_page(story, journal)) + "\n"


def _page(story: Story, journal: Journal) -> Iterator[str]:
    yield f"# {code(story.title)}"
    yield ""
    yield "| | |"
    yield "|---|---|"
    for fact in story.facts:
        yield f"| {fact.key} | {code(fact.value).replace('|', chr(92) + '|')} |"
    yield ""
    yield "## Sequence"
    yield ""
    yield "```mermaid"
    yield from _diagram(story)
    yield "```"
    yield ""
    yield "## Steps"
    yield ""
    for at, step in enumerate(story.steps):
        if story.left_out and at == len(story.steps) // 2:
            yield from (f"*{story.left_out:,} steps are left out here.*", "")
        yield from _told(step, journal)


def _told(step: Step, journal: Journal) -> Iterator[str]:
    sign = {"to_server": signs.TO_SERVER, "from_server": signs.FROM_SERVER, "beside": signs.NOTE}[step.way]
    said = f": {code(step.said)}" if step.said and step.part not in _PAYLOADS else ""
    yield f"- **{_after(step)}** {sign} {code(step.title)}{said}, entry {step.n}"
    what = journal.store.entry(step.n).what if step.part in _PAYLOADS else None
    if isinstance(what, Frame):
        yield ""
        yield from block(journal, step.n)
        yield ""


def block(journal: Journal, n: int) -> Iterator[str]:
    """The message in a code block that nothing in it can end."""
    what = beginning(journal.store, n).what
    payload = what.payload if isinstance(what, Frame) else b""
    shown = text.visible(text.decode(payload[:MOST_BYTES]), newlines=True).rstrip("\n")
    longest = max((len(run) for run in _TICKS.findall(shown)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"  {fence}json"
    yield from (f"  {line}" for line in shown.split("\n"))
    yield f"  {fence}"
    size = journal.store.size(n)
    if size > MOST_BYTES:
        yield ""
        yield f"  *the first {MOST_BYTES:,} of {size:,} bytes*"


def _after(step: Step) -> str:
    return f"{'' if step.after_ns < 0 else '+'}{seconds(step.after_ns)} s"


def code(said: str) -> str:
    """A text as code: in it nothing is markup, and nobody is mentioned or linked to."""
    ticks = "`" * (1 + max((len(run) for run in _TICKS.findall(said)), default=0))
    room = " " if said.startswith("`") or said.endswith("`") else ""
    return f"{ticks}{room}{said.replace(chr(10), ' ') or ' '}{room}{ticks}"


# --- the diagram


def _diagram(story: Story) -> Iterator[str]:
    yield "sequenceDiagram"
    yield "    participant C as Client"
    yield f"    participant S as {_label(story.server) or 'Server'}"
    arrows = [step for step in story.steps if step.part != "http"]
    for step in arrows[:_MOST_ARROWS]:
        yield f"    {_arrow(step)}"
    if len(arrows) > _MOST_ARROWS or story.left_out:
        yield f"    Note over C,S: {len(arrows) - len(arrows[:_MOST_ARROWS]) + story.left_out} more"


def _arrow(step: Step) -> str:
    label = _label(f"{step.title} {step.said}".strip() if step.part in ("stderr", "log") else step.title)
    if step.way == "beside":
        return f"Note right of S: {_after(step)} {label}"
    one, other = ("C", "S") if step.way == "to_server" else ("S", "C")
    return f"{one}{_ARROWS.get(step.part, '-)')}{other}: {label} ({_after(step)})"


def _label(said: str) -> str:
    """A text that is only text in a diagram: signs that mean something there are written as their numbers."""
    short = said if len(said) <= _LONGEST else said[: _LONGEST - 1] + "…"
    return _END.sub("#101;nd", _PLAIN.sub(lambda found: f"#{ord(found[0])};", short))
