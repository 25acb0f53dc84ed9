"""What is told of a server when a command failed: how it was run, how it ended, what it said last."""

from typing import Any

from inspector.capture.journal import Journal
from inspector.cli.exit_status import ExitStatus, code_of, status_of
from inspector.cli.output import Output
from inspector.errors import InspectError


def tell_failure(
    output: Output, error: InspectError, journal: Journal, *, judged_elsewhere: bool = False
) -> ExitStatus:
    """Show what is known on stderr, then the failure itself; its exit status.

    A server that died gets its whole card; of one that lives its last lines on stderr are shown. Then why, if that is
    known; `judged_elsewhere`: the command tells its findings by itself. A reason that says what the failure says is
    told once, with the failure's own hint, which knows what was looked for.
    """
    from inspector.cli.reports import finding_as_json  # nobody who does not fail pays for the checks
    from inspector.viewmodels.diagnosis import diagnosis_lines, diagnosis_of, says_the_same

    more = _show_what_is_left(output, journal)
    if journal.notices:
        more |= {"notices": list(journal.notices)}
    found = diagnosis_of(journal)
    if found is None:
        return output.failure(error, more)
    follows = (finding_as_json(each, found.reason.id) for each in found.follows)
    more |= {"diagnosis": [finding_as_json(found.reason), *follows]}
    if not says_the_same(found, str(error)):
        if not judged_elsewhere:
            output.narrate_lines(diagnosis_lines(found))
        return output.failure(error, more)
    if judged_elsewhere and not output.as_json:
        return output.report(code_of(error), f"no session came about: {found.reason.id}", "", status_of(error), more)
    return output.report(code_of(error), str(error), error.hint or found.reason.fix, status_of(error), more)


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
