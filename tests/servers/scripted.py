"""Responds by a script: JSON of method → response, or an array of responses in order.

What comes is {"result": …}, {"error": …}, {"raw": "a line"} with $ID or $DEEP in it, "silence" or "death"; "stderr"
beside it is written first. A method that is not in the script is answered with -32601, except ping. `log=FILE` keeps
every line that was read.
"""

import json
import sys
from typing import Any

script = json.loads(sys.argv[1])
log = next((word.removeprefix("log=") for word in sys.argv[2:] if word.startswith("log=")), None)


def answer(message: Any) -> None:
    unknown = (
        {"result": {}} if message["method"] == "ping" else {"error": {"code": -32601, "message": "no such method"}}
    )
    comes = script.get(message["method"], unknown)
    if isinstance(comes, list):
        comes = comes.pop(0) if len(comes) > 1 else comes[0]
    if comes == "death":
        sys.stderr.write("going down\n")
        sys.exit(7)
    if comes == "silence" or "id" not in message:
        return
    if line := comes.pop("stderr", ""):
        sys.stderr.write(line + "\n")
        sys.stderr.flush()
    line = comes["raw"] if "raw" in comes else json.dumps({"jsonrpc": "2.0", "id": message["id"], **comes})
    deep = "[" * 1_000_000 + "]" * 1_000_000 if "$DEEP" in line else ""
    sys.stdout.write(line.replace("$ID", json.dumps(message["id"])).replace("$DEEP", deep) + "\n")
    sys.stdout.flush()


for line in sys.stdin:
    if log:
        with open(log, "a") as kept:
            kept.write(line)
    answer(json.loads(line))
