"""What `check --json` says first of the reported faults: everything runs in this process but the servers over stdio."""

import json
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspector.transports.http.listener import Listener
from tests.cli.running import Ran, inspect
from tests.servers.faulty import ROOT
from tests.servers.faulty.verdicts import AT_ONCE, hosted
from tests.servers.trackers import HERE, Fault, command_of


@dataclass(frozen=True)
class Found:
    """What came of one of them."""

    name: str
    fault: Fault
    ran: Ran
    """`check --json`."""
    capture: Path

    @property
    def primary(self) -> dict[str, Any]:
        """The first finding, or verdict of `bench`, or the reason of what failed; {} if there is none."""
        told = json.loads(self.ran.stdout) if self.ran.stdout.startswith("{") else {}
        error = self.ran.error if re.search(r'^{"error":', self.ran.stderr, re.M) else {}
        failed = error.get("diagnosis") or ([{"id": error["code"], "sentence": error["message"]}] if error else [])
        if isinstance(told.get("failure"), str):
            failed.append({"id": "failure", "sentence": told["failure"]})
        return dict(told.get("primary") or next(iter(told.get("verdicts", []) + _worst_steps(told) + failed), {}))

    @property
    def id(self) -> str:
        """Its id; "-" if there is none."""
        return str(self.primary.get("id", "-"))

    @property
    def sentence(self) -> str:
        """Its one sentence."""
        return str(self.primary.get("sentence", ""))

    @property
    def wrong(self) -> str:
        """What is not as it has to be; "" if the cause is named first."""
        if self.ran.status == 70 or (self.fault.exit is not None and self.ran.status != self.fault.exit):
            return f"the exit status is {self.ran.status}: {self.ran.stderr[-300:]}"
        if not self.fault.expects:
            return self._accused
        if self.id not in self.fault.expects:
            return f"the first finding is {self.id}"
        missing = [each for each in self.fault.says if not re.search(each, self.sentence, re.IGNORECASE)]
        return f"its sentence lacks {', '.join(missing)}" if missing else ""

    @property
    def _accused(self) -> str:
        """What is found that is no hint."""
        if not self.ran.stdout.startswith("{"):
            return f"no JSON: {self.ran.stderr[-300:]}"
        told = self.ran.data
        found = [each for each in told.get("findings", told.get("verdicts", [])) if each.get("severity") != "hint"]
        return "".join(f"accused: {each['id']}: {each['sentence']}; " for each in found)


def _worst_steps(told: dict[str, Any]) -> list[dict[str, str]]:
    """What `auth explain` says of the steps that are not as they should be, the worst first."""
    worst = [
        each
        for kind in ("broken", "odd", "assumed", "missing")
        for each in told.get("steps", [])
        if each["verdict"] == kind
    ]
    return [{"id": each["step"], "sentence": f"{each['found']}. {each['fix']}"} for each in worst]


def run(name: str, fault: Fault, place: Path) -> Found:
    """Run it, with its recording in `place`."""
    capture = place / f"{name.replace('/', '-')}.mcpcap"
    words = (*shlex.split(fault.words), "--json", "--capture", str(capture))
    home = {"MCP_INSPECT_HOME": str(capture.with_suffix(""))}  # a port may come again, and its era is remembered
    if fault.url:
        with hosted(Listener(fault.run(), host=fault.host)) as listener:
            url, options = (each.replace("{port}", str(listener.port)) for each in (fault.url, fault.options))
            target = url if "://" in url else listener.url + url
            return Found(name, fault, inspect(*words, *shlex.split(options), target, env=home), capture)
    given = {"PYTHONPATH": ROOT, "PATH": f"{HERE / 'bin'}:/usr/bin:/bin", "FAULT": name, "PLAYER": sys.executable}
    child = [word for key, value in given.items() for word in ("-e", f"{key}={value}")]
    words += (*child, *shlex.split(fault.options), "--", *command_of(name, fault))
    return Found(name, fault, inspect(*words, env=home), capture)


def run_all(wanted: Sequence[tuple[str, Fault]], place: Path) -> Iterator[Found]:
    """Run them all, some at the same time; in their order."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield from pool.map(lambda each: run(each[0], each[1], place), wanted)
