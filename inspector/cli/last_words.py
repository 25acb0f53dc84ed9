"""What is told of a server when a command failed: how it was run, how it ended, what it said last."""

from typing import Any

from inspector.capture.journal import Journal
from inspector.cli.output import Output


def show_last_words(output: Output, journal: Journal, *, judged_elsewhere: bool = False) -> dict[str, Any]:
    """Show what is known on stderr, before the failure itself; the members that the failure's JSON gets.

    A server that died gets its whole card; of one that lives its last lines on stderr are shown. Then why, if that is
    known; `judged_elsewhere`: the command tells its findings by itself.
    """
    from inspector.cli.reports import finding_as_json  # nobody who does not fail pays for the checks
    from inspector.viewmodels.diagnosis import diagnosis_lines, diagnosis_of

    more = _show_what_is_left(output, journal)
    found = diagnosis_of(journal)
    if found is None:
        return more
    if not judged_elsewhere:
        output.narrate_lines(diagnosis_lines(found))
    follows = (finding_as_json(each, found.reason.id) for each in found.follows)
    return more | {"diagnosis": [finding_as_json(found.reason), *follows]}


def _show_what_is_left(output: Output, journal: Journal) -> dict[str, Any]:
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
