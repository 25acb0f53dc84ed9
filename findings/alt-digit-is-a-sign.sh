#!/usr/bin/env bash
# Textual 8.2.8 reads Escape and a digit, which every terminal writes for Alt and the digit, as the sign that a Mac's
# Option key types: a binding for alt+1 is never reached. Alt and a letter is that key.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install -q textual==8.2.8
cat > app.py <<'PY'
from textual.app import App


class Keys(App[None]):
    def on_key(self, event):
        with open("keys", "a") as file:
            print(event.key, file=file)


Keys().run()
PY
echo 'textual 8.2.8'
echo 'expected: alt+a alt+1'
venv/bin/python - <<'PY'
import os
import pty
import select
import subprocess
import sys
import time

main, terminal = pty.openpty()
with subprocess.Popen([sys.executable, "app.py"], stdin=terminal, stdout=terminal, stderr=terminal) as app:
    drawn, end, seen = b"", time.monotonic() + 60, []
    pressed = 0
    while time.monotonic() < end and len(seen) < 2:
        if select.select([main], [], [], 0.2)[0]:
            drawn += os.read(main, 65536)
        elif b"\x1b[?1049h" in drawn and pressed == len(seen):
            os.write(main, (b"\x1ba", b"\x1b1")[pressed])
            pressed += 1
        if os.path.exists("keys"):
            seen = open("keys").read().split()
    app.kill()
print(f"seen: {' '.join(seen)}")
sys.exit(seen != ["alt+a", "inverted_exclamation_mark"])
PY
