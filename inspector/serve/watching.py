"""An agent's session as a running tap: `mcp-inspect attach` shows it live, holds its requests, edits and answers them.

It is in the registry of taps and has their control socket. A message is held before it is sent; what the capture has
is what was sent. All of it runs on the engine's loop.
"""

import logging
import os
import time
from typing import Any

from inspector.capture.format.records import EditRecord, RuleRecord
from inspector.capture.journal import Journal
from inspector.config.targets import HttpTarget, StdioTarget, Target
from inspector.features.tap.control import Control
from inspector.features.tap.http_held import HttpRecording, HttpRules
from inspector.features.tap.registry import program_of
from inspector.protocol.credentials import command_without_credentials, without_credentials
from inspector.protocol.frames import Cause, Channel, Direction, Eol
from inspector.protocol.headers import version_header
from inspector.protocol.jsonrpc import read
from inspector.serve.facts import payload_of
from inspector.session.engine import Engine
from inspector.session.raw import ids_of
from inspector.session.session import Session
from inspector.transports.base import Outgoing
from inspector.transports.http.listener import HangUp

_BACK = {Channel.STDIN: Channel.STDOUT, Channel.POST: Channel.REPLY}
"""The channel of a response, by that of its request."""
_RESPONSE_S = 30.0
logger = logging.getLogger(__name__)


class _Notes(HttpRecording):
    """Notes what a person did to a message. The message itself is recorded by the session when it is sent."""

    def edited(self, record: EditRecord) -> None:
        """Note a decision, with the text that was sent instead."""
        if record.act in ("modify", "drop", "answer"):
            text = record.raw if isinstance(record.raw, str) else ""
            self.ruled(RuleRecord(name=f"held: {record.act}", on=True, by=record.by, text=text, why=record.why))


class WatchedSession:
    """Lists a session among the running taps, and holds its messages for a person."""

    def __init__(self, session: Session, journal: Journal, target: Target, name: str, engine: Engine) -> None:
        """Register it. Where that is impossible the session runs unwatched."""
        self._session = session
        self._journal = journal
        self._engine = engine
        self._recording = _Notes(journal)
        self.rules = HttpRules(self._recording, (), 0.0, self._send, lambda payload: None)
        self._control: Control | None = None
        if not self._recording.path:
            return
        try:
            self._control = Control(self.rules, _facts(target, name, self._recording.path))
            self._control.start()
        except OSError as error:
            logger.info("the session is not listed for attach: %s", error)
        session.hold_with(self._before_send)

    def close(self) -> None:
        """Take it off the list, and release what is held."""
        self.rules.held.release_all("end", "the session ends")
        self.rules.timers.stop()
        if self._control is not None:
            self._control.close()
            for act in self.rules.at_end:
                act()
            self._control = None
        self._recording.close()

    async def _before_send(self, message: Outgoing) -> Outgoing | None:
        """Return the message to send, as the rules and a person leave it; None if it is not sent."""
        if not self.rules.judge.armed:
            return message
        channel = Channel.STDIN if self._session.transport.kind == "stdio" else Channel.POST
        try:
            ruling = await self.rules.rule(
                Direction.TO_SERVER, message.payload, channel, tuple(message.headers.items())
            )
        except HangUp:
            return None
        if ruling.reply is not None:
            eol = Eol.LF if channel is Channel.STDIN else Eol.NONE
            self._journal.frame(Direction.TO_SERVER, channel, message.payload, eol=eol, origin="user")
            back = _BACK[channel]
            self._journal.frame(Direction.FROM_SERVER, back, ruling.reply, eol=eol, cause=Cause.IN_PLACE, origin="user")
            return None
        if ruling.payload is None:
            return None
        return Outgoing(ruling.payload, message.expects, message.headers, message.opens_session, message.cause)

    def _send(self, request: bytes) -> None:
        """Send a request that a person has written, and keep its response for them."""
        self._engine.submit(self._sent(request))

    async def _sent(self, request: bytes) -> None:
        headers = version_header(self._session.revision) if self._session.revision else {}
        sent = await self._session.raw.send(request, headers=headers, wait_s=_RESPONSE_S)
        (id_,) = ids_of(request)
        for n in sent.received:
            payload = payload_of(self._journal, n)
            if any(getattr(message, "id", None) == id_ for message in read(payload)):
                self.rules.sent[str(id_)] = payload


def _facts(target: Target, name: str, capture: str) -> dict[str, Any]:
    """Return the entry in the registry."""
    transport, argv = "stdio", [""]
    match target:
        case HttpTarget():
            transport, argv = "http", [without_credentials(target.url)]
        case StdioTarget():
            argv = list(command_without_credentials(target.argv))
    agent = os.getppid()
    return {
        "label": "agent",
        "argv": argv,
        "server": name,
        "cwd": os.getcwd(),
        "transport": transport,
        "server_pid": 0,
        "client_pid": agent,
        "client": program_of(agent),
        "capture": capture,
        "trouble": "",
        "since": time.time_ns(),
    }
