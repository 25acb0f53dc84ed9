"""What a piece of text means, by name: the only thing a view-model says about its looks.

`tui/styles.py` turns a role into a style, and is alone in knowing colours. A role is a meaning and never a
colour: whoever shows it adds a glyph or a word, because colour alone tells some people nothing.
"""

from typing import Literal, TypeAlias

Role: TypeAlias = Literal[
    # text
    "text", "strong", "muted", "faint", "accent", "title",
    # a row of traffic
    "method", "target", "to_server", "from_server", "request", "answer", "notification", "stderr", "event",
    # states and verdicts
    "ok", "pending", "warning", "error", "claimed", "match",
    # JSON
    "key", "string", "number", "literal", "punctuation", "foreign",
    # comparing
    "added", "removed",
]  # fmt: skip
"""`claimed` is what a server says of itself; `foreign` is text that is no JSON; `event` is what happened beside
the frames; `match` is what a search has found."""

Span: TypeAlias = tuple[str, Role]
"""Text that has been through `text.visible`, and its meaning."""
