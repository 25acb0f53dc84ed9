"""What `diff` makes of two surfaces: text, Markdown or JSON, and the exit status."""

from typing import Any

from inspector.capture.surfaces.changes import SurfaceDiff, compare_surfaces
from inspector.capture.surfaces.lock_file import as_json
from inspector.capture.surfaces.ratings import Rating
from inspector.cli.exit_status import ExitStatus
from inspector.cli.output import Output
from inspector.cli.sides import Side, options_for, surface_of_side
from inspector.cli.world import World

FAILS = (*(rating.value for rating in Rating), "any", "never")
"""What `--fail-on` takes."""


def diff_surfaces(
    world: World, output: Output, sides: tuple[Side, ...], options: dict[str, Any], *, fail_on: str, markdown: bool
) -> ExitStatus:
    """Compare what two sides offer and tell it. A side that can't be reached gives its own status.

    Raises: UsageError, CaptureError for a file that can't be read.
    """
    found = []
    for side in sides:
        fetched = surface_of_side(world, output, side, options_for(side, sides, options))
        if fetched.status is not ExitStatus.OK:
            return fetched.status
        found.append(fetched.surface)
    diff = compare_surfaces(*found)
    from inspector.viewmodels.surface_changes import diff_as_json, diff_lines, diff_markdown

    before, after = (side.name for side in sides)
    if output.as_json:
        about = [
            {"target": side.name, "kind": side.kind, "server": surface.server, "hash": as_json(surface)["hash"]}
            for side, surface in zip(sides, found, strict=True)
        ]
        output.data({"before": about[0], "after": about[1]} | diff_as_json(diff))
    elif markdown:
        output.text("\n".join(diff_markdown(diff, before, after)))
    else:
        output.lines(diff_lines(diff, before, after))
    return ExitStatus.FINDINGS if fails(diff, fail_on) else ExitStatus.OK


def fails(diff: SurfaceDiff, on: str) -> bool:
    """Whether anything is as bad as that, or worse."""
    if on == "never" or diff.worst is None:
        return False
    return on == "any" or diff.worst.rank <= Rating(on).rank
