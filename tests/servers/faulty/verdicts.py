"""What `check` says of the faulty servers: each is run once, recorded, and looked at again in its recording.

Everything runs in this process but the servers that are started; four at a time, since most of them only wait.
"""

import asyncio
import importlib
import json
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspector.capture.store.load import load
from inspector.protocol.facts import ProcessEvent, ProcessFact
from inspector.transports.children import is_group_alive
from inspector.transports.http.listener import Listener
from tests.cli.running import Ran, inspect
from tests.servers.faulty import Faulty

AT_ONCE = 4


@dataclass(frozen=True)
class Verdict:
    """What came of one server."""

    server: Faulty
    live: Ran
    """`check --json`, or that of doctor, with the server."""
    text: Ran
    """`check`, of the recording."""
    again: Ran
    """`check --json`, of the recording."""
    capture: Path
    """The recording; beside it lie its reports, with .sarif and .xml for the suffix."""
    left: tuple[int, ...]
    """Process groups that are still alive."""

    @property
    def primary(self) -> str:
        """The id of the primary finding in the JSON of the live run; "-" if there is none."""
        return primary_of(self.live)

    @property
    def is_expected(self) -> bool:
        """Whether the primary finding is the one that is expected."""
        return self.server.expects == self.primary

    @property
    def faults(self) -> list[str]:
        """All that is not as it has to be, as sentences; [] if everything is."""
        expects = self.server.expects
        first = self.text.stdout.split("\n", 1)[0]
        told = (
            (self.is_expected, f"the primary finding is {self.primary} {_sentence(self.live)}"),
            (self.live.status == self.server.exit, f"the exit status is {self.live.status}: {self.live.stderr[-300:]}"),
            (primary_of(self.again) == self.primary, f"of the recording it is {primary_of(self.again)}"),
            (expects in first.split(), f"the text begins with {first!r}"),
            (not self.left, f"processes are left: {self.left}"),
            (
                "Traceback" not in self.live.stderr + self.text.stderr or _quotes(self),
                f"it crashed: {self.live.stderr}",
            ),
        )
        return [sentence for holds, sentence in told if not holds]


def _quotes(verdict: Verdict) -> bool:
    """Whether a traceback in our words is the server's: only 70 is ours."""
    return 70 not in (verdict.live.status, verdict.text.status)


def primary_of(ran: Ran) -> str:
    """The id of the primary finding in a run's JSON."""
    found = _document(ran).get("primary")
    return found["id"] if found else "-"


def _sentence(ran: Ran) -> str:
    found = _document(ran).get("primary")
    return found["sentence"] if found else ""


def _document(ran: Ran) -> dict[str, Any]:
    try:
        document: dict[str, Any] = json.loads(ran.stdout)
    except ValueError:
        return {}
    return document


def check(server: Faulty, place: Path) -> Verdict:
    """Run it, with its recording in `place`."""
    capture = place / f"{server.name.replace('/', '-')}.mcpcap"
    with _words(server) as words:
        live = inspect(server.by, "--json", "--capture", str(capture), *words)
    if not capture.exists():
        nothing = Ran(-1, "", "")
        return Verdict(server, live, nothing, nothing, capture, ())
    reports = "--sarif", str(capture.with_suffix(".sarif")), "--junit", str(capture.with_suffix(".xml"))
    recorded = inspect("check", *reports, str(capture)), inspect("check", "--json", str(capture))
    return Verdict(server, live, *recorded, capture, tuple(_left(capture)))


def check_all(servers: Sequence[Faulty], place: Path) -> Iterator[Verdict]:
    """Run them all, some at the same time; in their order."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield from pool.map(lambda server: check(server, place), servers)


def _left(capture: Path) -> Iterator[int]:
    journal = load(capture)
    try:
        for entry in journal.processes:
            fact = entry.what
            if isinstance(fact, ProcessFact) and fact.event is ProcessEvent.SPAWN and is_group_alive(fact.pid):
                yield fact.pid
    finally:
        journal.close()


@contextmanager
def _words(server: Faulty) -> Iterator[tuple[str, ...]]:
    """The words that name it; while they are used it is served, if it is one to be served."""
    if not server.url:
        yield server.words
        return
    name = f"tests.servers.faulty.{server.name.replace('/', '.')}"
    sys.modules.pop(name, None)  # what it remembers is of one run
    module = importlib.import_module(name)
    tls = getattr(module, "tls", None)
    with hosted(Listener(module.answer, tls=tls() if tls else None)) as listener:
        url = server.url if "://" in server.url else listener.url + server.url
        yield (*(_filled(each, listener) for each in server.options), _filled(url, listener))


def _filled(word: str, listener: Listener) -> str:
    return word.replace("{port}", str(listener.port))


@contextmanager
def hosted(listener: Listener) -> Iterator[Listener]:
    """Serve it on a thread and a loop of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(listener.start(), loop).result(10)
        yield listener
    finally:
        asyncio.run_coroutine_threadsafe(listener.close(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
