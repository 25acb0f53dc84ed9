"""Run pinned agents through the tap, and let `blame` find why servers fail: `python -m tests.clients.blaming [CLIENT]`.

Each agent opens, through a tap, servers that reject a member of what it sends, though they work with `mcp-inspect`.
From the capture of the tap, `blame` must name that member, if the agent sends one. `--installed FOLDER` uses the
installations in its subfolders, named by client. Exits 1 if a member is not named.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.clients.endpoint import ModelEndpoint
from tests.clients.pins import PINS, Pin
from tests.clients.run import AGENTS, environment, install, run

_ROOT: Final = Path(__file__).parents[2]
_SERVER: Final = """
import json, sys
MEMBERS, KNOWN = sys.argv[1].split("."), set(sys.argv[2].split(","))
def value(message):
    for name in MEMBERS:
        message = message.get(name, {}) if isinstance(message, dict) else {}
    return message
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    if message["method"] == "initialize":
        unknown = sorted(set(value(message["params"])) - KNOWN)
        if unknown:
            answer["error"] = {"code": -32602, "message": "Invalid request parameters"}
        else:
            version = message["params"]["protocolVersion"]
            server = {"name": "strict", "version": "1"}
            answer["result"] = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server}
    elif message["method"] == "tools/list":
        answer["result"] = {"tools": [{"name": "t", "inputSchema": {"type": "object"}}]}
    else:
        answer["error"] = {"code": -32601, "message": "Method not found"}
    print(json.dumps(answer), flush=True)
"""
_STRICT: Final = {"clientInfo": "name,version,title", "capabilities": "roots,sampling"}
"""Where a server knows few members, as one that an older SDK was written for, and which."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.clients.blaming", description=__doc__)
    parser.add_argument("clients", nargs="*", metavar="CLIENT", choices=[*AGENTS, []])
    parser.add_argument("--installed", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    failed = 0
    for id_ in options.clients or ("claude-code", "opencode"):
        with tempfile.TemporaryDirectory(prefix="clients-", ignore_cleanup_errors=True) as folder:
            place = options.installed / id_ if options.installed else Path(folder) / "client"
            if not options.installed:
                install(PINS[id_], place)
            for where, is_named, sentence in _blamed(PINS[id_], place, Path(folder)):
                print(f"{id_} {PINS[id_].version}, {where}: {sentence}")
                failed += not is_named
    return 1 if failed else 0


def _blamed(pin: Pin, installed: Path, folder: Path) -> Iterator[tuple[str, bool, str]]:
    """Yield where each server is strict, whether that was named, and the sentence."""
    for where, known in _STRICT.items():
        home = folder / where
        home.mkdir()
        server = (sys.executable, "-S", "-c", _SERVER, where, known)
        fails = home / "fails.mcpcap"
        ours = (
            "env",
            f"PYTHONPATH={_ROOT}",
            f"MCP_INSPECT_HOME={home / 'inspector'}",
            sys.executable,
            "-m",
            "inspector",
        )
        with ModelEndpoint("$never") as endpoint:
            start = AGENTS[pin.id](
                home, endpoint.url, {"strict": (*ours, "tap", "--capture", str(fails), "--", *server)}
            )
            run(start.argv, environment(installed, pin, home, start.env), home)
        if not fails.exists():
            yield where, False, "the agent did not start the tap"
            continue
        words = [*ours, "blame", str(fails), "--json", "--", *server]
        done = subprocess.run(words, cwd=home, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        sentence = str(json.loads(done.stdout)["sentence"]) if done.stdout else done.stderr
        was_rejected = b"-32602" in fails.read_bytes()  # an agent that sends nothing unknown is not
        yield where, (where in sentence) == was_rejected, sentence


if __name__ == "__main__":
    sys.exit(main())
