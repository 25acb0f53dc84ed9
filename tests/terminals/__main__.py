"""Run mcp-inspect in each terminal that is installed, and print what docs/terminals.md says, with a picture of each.

Needs Xvfb, xdotool, xclip, xwininfo, ImageMagick and the terminals: on Debian `apt install xvfb xdotool xclip x11-utils
imagemagick` and the packages in `emulators.py`; for foot also sway and wl-clipboard. Arguments are the names of the
terminals to run; without any, all are run. KEEP_PICTURES names a folder for more pictures.
"""

import shutil
import sys

from tests.terminals.emulators import EMULATORS
from tests.terminals.runs import row_of


def main() -> None:
    """Run the terminals that are named, or all that are installed."""
    wanted = sys.argv[1:] or [each.name for each in EMULATORS]
    for each in EMULATORS:
        if each.name not in wanted or not shutil.which(each.program):
            continue
        row = row_of(each)
        print(f"## {row.name} {row.version}")
        for name in ("attributes", "mouse", "copied", "picture", "colors", "resized", "stopped", "left", "killed"):
            print(f"{name}: {getattr(row, name)!r}")
        for key, what in row.odd.items():
            print(f"key {key}: {what}")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
