"""What is told of a server when a command failed: how it was run, how it ended, what it said last."""

from typing import Any

from inspector.capture.journal import Journal
from inspector.cli.output import Output


def show_last_words(output: Output, journal: Journal) -> dict[str, Any]:
    """Show what is known on stderr, before the failure itself; the members that the failure's JSON gets.

    A server that died gets its whole card; of one that lives its last lines on stderr are shown.
    """
    from inspector.viewmodels.lines import section_lines
    from inspector.viewmodels.post_mortem import as_data, has_died, post_mortem
    from inspector.viewmodels.server import stderr_section

    if has_died(journal):
        for section in post_mortem(journal).sections:
            output.narrate_lines(section_lines(section))
        return {"post_mortem": as_data(journal)}
    if not journal.stderr_tail:
        return {}
    output.narrate_lines(section_lines(stderr_section(journal, _LINES)))
    return {"stderr": [line.decode("utf-8", "replace") for line in list(journal.stderr_tail)[-_LINES:]]}


_LINES = 20
"""Of the stderr of a server that lives."""
