"""Findings for other programs: JSON, JUnit XML for build servers, SARIF 2.1.0 for code scanning.

Foreign text in XML is made visible, because XML can't represent control characters; JSON can.
"""

import json
import re
import xml.etree.ElementTree as Xml
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

from inspector import __version__
from inspector.checks.findings import Finding, Severity, page_of
from inspector.checks.registry import Check
from inspector.errors import UsageError, why_unreadable
from inspector.present.compatibility import concerned_as_json
from inspector.present.http import masked_url
from inspector.protocol.revisions.table import find
from inspector.text import visible

_FORMAT, _VERSION = "mcp-inspect baseline", 1
_VARIABLE = re.compile(r"\b[0-9a-f]{8,}(?:-[0-9a-f]{4,}){0,4}\b|\d+(?:\.\d+)?")
Key = tuple[str, str, str]
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "note"}
_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"


def key_of(finding: Finding) -> Key:
    """Return the identity of a finding: its check, its place in the message and its text without numbers."""
    return finding.id, _VARIABLE.sub("#", finding.pointer), _VARIABLE.sub("#", finding.sentence)


class Baseline:
    """Previously known findings."""

    def __init__(self, known: Iterable[Key] = ()) -> None:
        self.known = frozenset(known)

    def knows(self, finding: Finding) -> bool:
        return key_of(finding) in self.known

    def new(self, findings: Iterable[Finding]) -> list[Finding]:
        """Return the findings that are not in the baseline."""
        return [each for each in findings if not self.knows(each)]

    def gone(self, findings: Iterable[Finding]) -> int:
        """Return the number of findings in the baseline that no longer occur."""
        return len(self.known - {key_of(each) for each in findings})


def read_baseline(path: Path) -> Baseline:
    """Read a baseline file. Raises: UsageError if it is missing or invalid."""
    try:
        value: Any = json.loads(path.read_text(encoding="utf-8"))
        if value["format"] != _FORMAT:
            raise KeyError("format")
        known = [(str(each["id"]), str(each.get("pointer", "")), str(each["sentence"])) for each in value["findings"]]
    except FileNotFoundError:
        hint = "Make one of what is found now: add --write-baseline."
        raise UsageError(f"--baseline {path}: no such file", hint=hint) from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--baseline {path}: can't be read: {why_unreadable(error)}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UsageError(f"--baseline {path}: not a baseline file", hint="Create one with --write-baseline.") from None
    if isinstance(value.get("version"), int) and value["version"] > _VERSION:
        raise UsageError(f"--baseline {path}: a newer mcp-inspect has written it", hint="Update this one.")
    return Baseline(known)


def written(findings: Sequence[Finding], target: str) -> bytes:
    """Return a baseline file of findings without duplicates, in an order that keeps diffs small."""
    entries = [
        {"id": id_, "pointer": pointer, "sentence": message} for id_, pointer, message in sorted(map(key_of, findings))
    ]
    once = [each for at, each in enumerate(entries) if each not in entries[:at]]
    document = {"format": _FORMAT, "version": _VERSION, "target": target, "findings": once}
    return json.dumps(document, indent=1, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def finding_as_json(finding: Finding, follows_from: str = "") -> dict[str, Any]:
    """Return one finding; missing members are null. `follows_from`: the id of its cause."""
    return {
        "id": finding.id,
        "severity": finding.severity,
        "confidence": finding.confidence,
        "sentence": finding.sentence,
        "count": finding.count,
        "evidence": {"frames": finding.frames, "pointer": finding.pointer, "bytes": finding.span},
        "fix": finding.fix or None,
        "page": finding.page or None,
        "revision": finding.revision or None,
        "connection": finding.connection,
        "follows_from": follows_from or None,
        "hosts": concerned_as_json(finding),
    }


def check_as_json(check: Check) -> dict[str, Any]:
    """Return one check, with the page of the newest revision that it applies to."""
    return {
        "id": check.id,
        "severity": check.severity,
        "title": check.title,
        "confidence": check.confidence,
        "revisions": check.revisions,
        "page": _page(check) or None,
        "fix": check.fix or None,
    }


def junit(
    findings: Sequence[Finding],
    checks: Iterable[Check],
    target: str,
    fails: Severity,
    known: Callable[[Finding], bool] = lambda _: False,
    failure: str = "",
) -> bytes:
    """Return a test suite with a case per check, which fails on a new finding of at least severity `fails`.

    With a `failure` there is an additional case with an error: what failed before the checks were complete.
    """
    by_id: dict[str, list[Finding]] = {}
    for each in findings:
        by_id.setdefault(each.id, []).append(each)
    suite = Xml.Element("testsuite", name="mcp-inspect")
    suite.append(_properties(target))
    failed = total = 0
    for check in checks:
        total += 1
        case = Xml.SubElement(suite, "testcase", classname=f"mcp.{check.id}", name=check.title, time="0")
        here = by_id.get(check.id, [])
        bad = [each for each in here if each.severity.rank <= fails.rank and not known(each)]
        rest = [each for each in here if each not in bad]
        if bad:
            failed += 1
            why = Xml.SubElement(case, "failure", type=bad[0].severity, message=visible(bad[0].sentence))
            why.text = "\n".join(map(_line, bad))
        if rest:
            Xml.SubElement(case, "system-out").text = "\n".join(map(_line, rest))
    if failure:
        total += 1
        case = Xml.SubElement(suite, "testcase", classname="mcp.session", name="the session", time="0")
        Xml.SubElement(case, "error", type="failure", message=visible(failure))
    suite.set("tests", str(total))
    suite.set("failures", str(failed))
    suite.set("errors", "1" if failure else "0")
    for name in ("skipped", "time"):
        suite.set(name, "0")
    text: str = Xml.tostring(suite, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def _properties(target: str) -> Xml.Element:
    properties = Xml.Element("properties")
    Xml.SubElement(properties, "property", name="target", value=_shown(target))
    return properties


def _line(finding: Finding) -> str:
    where = f"#{finding.frames[0]} " if finding.frames else ""
    return visible(f"{where}{finding.pointer} {finding.sentence}" + (f" → {finding.fix}" if finding.fix else ""))


def sarif(
    findings: Sequence[Finding],
    checks: Sequence[Check],
    target: str,
    known: Callable[[Finding], bool] | None = None,
    failure: str = "",
    exit_code: int | None = None,
) -> bytes:
    """Return a run with a rule per check and a result per finding; `known` determines whether a result is new.

    With a `failure` the invocation is marked as unsuccessful, with the exit code if there is one.

    A session has no source lines, but viewers need one, so it is always line 1.
    """
    places = {check.id: place for place, check in enumerate(checks)}
    driver = {"name": "mcp-inspect", "version": __version__, "rules": [_rule(check) for check in checks]}
    results = [_result(each, places, target) | _state(each, known) for each in findings]
    run: dict[str, Any] = {"tool": {"driver": driver}, "results": results}
    if failure:
        notice = {"level": "error", "message": {"text": visible(failure)}}
        code = {} if exit_code is None else {"exitCode": exit_code}
        run["invocations"] = [{"executionSuccessful": False, "toolExecutionNotifications": [notice]} | code]
    return json.dumps({"$schema": _SARIF, "version": "2.1.0", "runs": [run]}, indent=1).encode() + b"\n"


def _shown(target: str) -> str:
    """Return a target without its secrets."""
    return masked_url(target) if "://" in target else visible(target)


def _uri(target: str) -> str:
    """Return a target as an RFC 3986 reference; for a file it is its path."""
    return quote(_shown(target), safe="/:?#[]@!$&'()*+,;=~%" if "://" in target else "/") or "server"


def _fingerprint(finding: Finding) -> str:
    """Return a value that is equal for the same finding in other runs."""
    return sha256("\n".join(key_of(finding)).encode("utf-8", "backslashreplace")).hexdigest()[:32]


def _state(finding: Finding, known: Callable[[Finding], bool] | None) -> dict[str, str]:
    return {} if known is None else {"baselineState": "unchanged" if known(finding) else "new"}


def _rule(check: Check) -> dict[str, Any]:
    rule: dict[str, Any] = {
        "id": check.id,
        "shortDescription": {"text": check.title},
        "fullDescription": {"text": check.title},
        "help": {"text": check.fix or check.title},
        "defaultConfiguration": {"level": _LEVELS[check.severity]},
    }
    if page := _page(check):
        rule["helpUri"] = page
    return rule


def _page(check: Check) -> str:
    return page_of(check.topic, find(check.revisions[-1]))


def _result(finding: Finding, places: Mapping[str, int], target: str) -> dict[str, Any]:
    name = f"entry {finding.frames[0]}{finding.pointer}" if finding.frames else "the session"
    return {
        "ruleId": finding.id,
        "ruleIndex": places[finding.id],
        "level": _LEVELS[finding.severity],
        "message": {"text": visible(finding.sentence + (f" ({finding.fix})" if finding.fix else ""))},
        "partialFingerprints": {"finding/v1": _fingerprint(finding)},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": {"uri": _uri(target)}, "region": {"startLine": 1}},
                "logicalLocations": [{"fullyQualifiedName": visible(name)}],
            }
        ],
    }
