"""The table of the fleet in Markdown."""

import json
import tomllib
from pathlib import Path
from typing import Any

from tests.servers.fleet.members import HERE


def print_table(path: Path) -> None:
    """Print a row for each member that could be run, and what is not proved."""
    proofs = tomllib.loads((HERE / "proofs.toml").read_text())
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    ran = [row for row in rows if not row.get("failed") and row["commands"]["check"]["status"] in (0, 1, 5)]
    print("| server | transport | version | errors and warnings, with what proves them |\n|---|---|---|---|")
    unproved = 0
    for row in ran:
        said, missing = _said(row, proofs)
        unproved += missing
        print(f"| {row['name']} | {row['transport']} | {row['version']} | {said} |")
    print("\n| finding | what proves it, if the row does not |\n|---|---|")
    said_once = {finding["id"] for row in ran for each in row["commands"].values() for finding in each["findings"]}
    for id_ in sorted(said_once & proofs["any"].keys()):
        print(f"| `{id_}` | {proofs['any'][id_]} |")
    print(f"\n{len(ran)} of {len(rows)} ran; {unproved} findings are not proved")


def _said(row: dict[str, Any], proofs: dict[str, Any]) -> tuple[str, int]:
    """Return what is said of a member, and how many of it are not proved."""
    found: dict[str, list[str]] = {}
    for command, each in row["commands"].items():
        for finding in each["findings"]:
            found.setdefault(finding["id"], []).append(command)
    own, missing = proofs.get(row["name"].rpartition(" ")[0] or row["name"], {}), 0
    parts = []
    for id_ in found:
        proof = own.get(id_, "" if id_ in proofs["any"] else "unproved")
        missing += proof == "unproved"
        parts.append(f"`{id_}`: {proof}" if proof else f"`{id_}`")
    return "; ".join(parts) or "none", missing
