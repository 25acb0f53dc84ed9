#!/usr/bin/env bash
# textual-image 0.12.0 writes the definition of a sixel color where it first uses it (`#1;2;100;0;0`), and does not select it.
# xterm goes on with the color that it had: an image that is red above and blue below is green throughout. With 0.8.0, which
# selects each color, the same image is red and blue.
set -euo pipefail
for program in Xvfb xterm import; do
    command -v "$program" >/dev/null || { echo "needs $program (Debian packages xvfb, xterm, imagemagick)"; exit 2; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
for version in 0.8.0 0.12.0; do
    python3 -m venv "venv-$version"
    "venv-$version/bin/pip" install -q --disable-pip-version-check "textual-image==$version" textual==8.2.8 2>/dev/null
done
cat > draw.py <<'PY'
import time

from PIL import Image
from textual_image._sixel import image_to_sixels

flag = Image.new("RGB", (120, 120), (255, 0, 0))
flag.paste((0, 0, 255), (0, 60, 120, 120))
print("\x1b[2J\x1b[H" + image_to_sixels(flag), flush=True)
time.sleep(60)
PY
echo "textual-image 0.8.0 and 0.12.0, $(xterm -version)"
echo 'expected: red and blue with both'
python3 - <<'PY'
import os
import subprocess
import sys
import time

read, write = os.pipe()
argv = ["Xvfb", "-displayfd", str(write), "-screen", "0", "400x300x24"]
display = subprocess.Popen(argv, pass_fds=[write], stderr=subprocess.DEVNULL)
environment = {**os.environ, "DISPLAY": ":" + os.read(read, 20).decode().strip()}


def colors():
    """Return the colors of a point in the upper and one in the lower half of the image."""
    picture = subprocess.run(["import", "-window", "root", "-depth", "8", "ppm:-"], env=environment, capture_output=True)
    size = 400 * 300 * 3
    points = picture.stdout[-size:] if len(picture.stdout) > size else bytes(size)
    return [tuple(points[at : at + 3]) for at in ((40 * 400 + 60) * 3, (100 * 400 + 60) * 3)]


def drawn(version):
    program = [f"venv-{version}/bin/python", "draw.py"]
    argv = ["xterm", "-ti", "vt340", "-bg", "black", "-geometry", "50x15+0+0", "-e", *program]
    with subprocess.Popen(argv, env=environment, stderr=subprocess.DEVNULL) as xterm:
        end = time.monotonic() + 60
        while (0, 0, 0) in (seen := colors()) and time.monotonic() < end:
            time.sleep(0.2)
        xterm.kill()
    return seen


first, second = (drawn(version) for version in ("0.8.0", "0.12.0"))
display.kill()
print(f"seen: 0.8.0: {first[0]} above {first[1]}")
print(f"seen: 0.12.0: {second[0]} above {second[1]}")
is_right = first[0][0] > 200 > first[0][2] and first[1][2] > 200 > first[1][0]
sys.exit(not (is_right and second[0] == second[1]))
PY
