"""The table of the fleet in Markdown."""

import json
import tomllib
from collections.abc import Container
from pathlib import Path
from typing import Any

from tests.servers.fleet.members import HERE


def print_unproved(path: Path, names: Container[str]) -> int:
    """Print the errors and warnings about the members `names` that nothing proves; return how many there are."""
    proofs, unproved = _proofs(), 0
    for row in _rows(path):
        known = _of(row["name"], proofs)
        for command, each in row["commands"].items() if row["name"] in names else ():
            for finding in each["findings"]:
                if finding["id"] not in known:
                    unproved += 1
                    print(f"{row['name']}: {command}: {finding['severity']} {finding['id']}: {finding['sentence']}")
    print(f"{unproved} errors and warnings are not proved")
    return unproved


def print_table(path: Path) -> None:
    """Print a row for each member that could be run."""
    proofs, rows = _proofs(), _rows(path)
    ran = [row for row in rows if not row.get("failed") and row["commands"]["check"]["status"] in (0, 1, 5)]
    print("| server | transport | version | errors and warnings, with what proves them |\n|---|---|---|---|")
    for row in ran:
        known = _of(row["name"], proofs)
        said = {id_: known.get(id_, "unproved") for id_ in _ids(row)}
        parts = [f"`{id_}`: {proof}" if proof else f"`{id_}`" for id_, proof in said.items()]
        print(f"| {row['name']} | {row['transport']} | {row['version']} | {'; '.join(parts) or 'none'} |")
    print("\n| finding | what proves it, if the row does not |\n|---|---|")
    for id_ in sorted({id_ for row in ran for id_ in _ids(row)} & proofs["any"].keys()):
        print(f"| `{id_}` | {proofs['any'][id_]} |")
    print(f"\n{len(ran)} of {len(rows)} ran")


def _ids(row: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys(finding["id"] for each in row["commands"].values() for finding in each["findings"]))


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def _proofs() -> dict[str, dict[str, str]]:
    return tomllib.loads((HERE / "proofs.toml").read_text())


def _of(name: str, proofs: dict[str, dict[str, str]]) -> dict[str, str]:
    """Return what is proved of a member; a proof is empty if it is that of all members."""
    own = [said for about, said in proofs.items() if f"{name} ".startswith((f"{about} ", f"{about}, "))]
    return dict.fromkeys(proofs["any"], "") | {id_: proof for said in own for id_, proof in said.items()}
