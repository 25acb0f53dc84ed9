"""A file of known findings: what is in it is counted and fails nothing, until somebody repairs it.

A finding is known again by its check and by what it says without the numbers in it, so that another run, another port
and another place in the traffic make no difference. The file is JSON that a person can read, review and shorten.
"""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from inspector.checks.findings import Finding
from inspector.errors import UsageError

_FORMAT, _VERSION = "mcp-inspect baseline", 1
_VARIABLE = re.compile(r"\b[0-9a-f]{8,}(?:-[0-9a-f]{4,}){0,4}\b|\d+(?:\.\d+)?")
Key = tuple[str, str, str]


def key_of(finding: Finding) -> Key:
    """What a finding is known by: its check, its place in the message and its words, numbers left out."""
    return finding.id, _VARIABLE.sub("#", finding.pointer), _VARIABLE.sub("#", finding.sentence)


class Baseline:
    """The findings that were known before."""

    def __init__(self, known: Iterable[Key] = ()) -> None:
        self.known = frozenset(known)

    def knows(self, finding: Finding) -> bool:
        """Whether it was there before."""
        return key_of(finding) in self.known

    def new(self, findings: Iterable[Finding]) -> list[Finding]:
        """Those that were not."""
        return [each for each in findings if not self.knows(each)]

    def gone(self, findings: Iterable[Finding]) -> int:
        """How many of the known did not come this time."""
        return len(self.known - {key_of(each) for each in findings})


def read_baseline(path: Path) -> Baseline:
    """Raises: UsageError if there is no such file, or it is something else."""
    try:
        value: Any = json.loads(path.read_text(encoding="utf-8"))
        if value["format"] != _FORMAT:
            raise KeyError("format")
        known = [(str(each["id"]), str(each.get("pointer", "")), str(each["sentence"])) for each in value["findings"]]
    except FileNotFoundError:
        hint = "Make one of what is found now: add --write-baseline."
        raise UsageError(f"--baseline {path}: no such file", hint=hint) from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--baseline {path}: can't be read: {error}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UsageError(f"--baseline {path}: this is no baseline", hint="Make one with --write-baseline.") from None
    if isinstance(value.get("version"), int) and value["version"] > _VERSION:
        raise UsageError(f"--baseline {path}: a newer mcp-inspect has written it", hint="Update this one.")
    return Baseline(known)


def written(findings: Sequence[Finding], target: str) -> bytes:
    """A baseline of findings, each once, in an order that makes differences small."""
    entries = [
        {"id": id_, "pointer": pointer, "sentence": said} for id_, pointer, said in sorted(map(key_of, findings))
    ]
    once = [each for at, each in enumerate(entries) if each not in entries[:at]]
    document = {"format": _FORMAT, "version": _VERSION, "target": target, "findings": once}
    return json.dumps(document, indent=1, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
