"""A server for tests that are plain functions: what generated pytest files use.

with ServerUnderTest("node", "server.js") as server:
    reply = server.request("tools/call", {"name": "add", "arguments": {"a": 2, "b": 3}})
    assert reply.at("/result/content/0/text") == "5"
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Self

from inspector.capture.compare.normal import Normal
from inspector.capture.journal import start_capture
from inspector.config.environment import build_environment
from inspector.config.targets import HttpTarget, StdioTarget, Target
from inspector.features.cases.model import CaseDefinition
from inspector.features.cases.running import NAME, ActualResponse, Bench, CaseResponses, shown, value_at
from inspector.forms.patterns import matches
from inspector.forms.validate import validate
from inspector.protocol import capabilities, peek
from inspector.protocol.changes import ABSENT, differences
from inspector.session.engine import Engine
from inspector.session.open import open_session
from inspector.session.options import Settings
from inspector.session.session import Session


class ServerReply:
    """The response to a request. Places are JSON Pointers into `{"result": …}` or `{"error": …}`."""

    def __init__(self, response: ActualResponse) -> None:
        self._came = response
        self.ms = response.ms or 0.0
        """Duration in milliseconds; 0 if unknown."""
        self.output_schema = response.output_schema
        """Output schema of the called tool; None if it declares none."""

    @property
    def document(self) -> dict[str, Any]:
        return self._came.reply

    @property
    def error(self) -> Any:
        """The JSON-RPC error, or the content of a tool error; None on success."""
        failed = peek.flag(self.document, "result", "isError") is True
        return peek.at(self.document, "result", "content") if failed else self.document.get("error")

    def has(self, pointer: str) -> bool:
        """Return whether there is a value at a place."""
        return value_at(self.document, pointer) is not ABSENT

    def at(self, pointer: str) -> Any:
        """Return the value at a place. Raises: AssertionError if there is none."""
        value = value_at(self.document, pointer)
        assert value is not ABSENT, f"there is no {pointer} in {shown(self.document)}"
        return value

    def matches(self, pointer: str, pattern: str) -> bool:
        """Return whether a regular expression matches anywhere in the text at a place."""
        text = self.at(pointer)
        return isinstance(text, str) and matches(pattern, text)

    def problems(self, pointer: str, schema: Any) -> list[str]:
        """Validate the value at a place against a JSON Schema and return the violations; [] if it is valid."""
        verdict = validate(schema, self.at(pointer))
        return [f"{each.pointer}: {each.sentence}" for each in verdict.problems] or ([verdict.note] * (not verdict.ok))

    def differences(self, pointer: str, expected: Any) -> list[str]:
        """Return differences from the expected value, ignoring generated ids, times and the like; [] if none."""
        normal = Normal()
        changes = differences(normal(expected), normal(self.at(pointer)))
        return [f"{each.path}: expected {shown(each.before)}, came {shown(each.after)}" for each in changes]


class ServerUnderTest:
    """A connection to a server that lasts as long as the `with` block."""

    def __init__(self, *target: str, env: Mapping[str, str] | None = None, cwd: str | None = None) -> None:
        """Create the connection.

        `target` is a command and its arguments, or one URL. `env` adds variables to the few that are inherited.
        """
        self._target = _target(target, env or {}, cwd or os.getcwd())
        self._answers = CaseResponses()
        self._engine: Engine | None = None
        self._session: Session | None = None

    def __enter__(self) -> Self:
        self._engine = Engine()
        try:
            self._session = self._engine.submit(self._open()).result()
        except BaseException:
            self._engine.stop()
            raise
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._engine is not None and self._session is not None:
            self._engine.submit(_close(self._session)).result()
            self._engine.stop()

    def request(self, method: str, params: Mapping[str, Any], *, answers: Sequence[Any] = ()) -> ServerReply:
        """Send a request and wait for the response.

        `answers` are the responses to server requests during the call, in the format of a --responses file.

        Raises: AssertionError if there is no response.
        """
        assert self._engine is not None, "use it in a with statement"
        assert self._session is not None, "it is not connected"
        case = CaseDefinition(method, method, dict(params), answers=tuple(answers))
        bench = Bench(self._session, self._answers, Normal(), self._fresh)
        response = self._engine.submit(bench.ask(case)).result()
        assert not response.why, response.why
        return ServerReply(response)

    def _fresh(self) -> Session:
        return _session(self._target, self._answers)

    async def _open(self) -> Session:
        session = self._fresh()
        await session.__aenter__()
        try:
            await session.connect()
        except BaseException:
            await _close(session)
            raise
        return session


async def _close(session: Session) -> None:
    await session.__aexit__(None, None, None)
    session.journal.close()


def _session(target: Target, answers: CaseResponses) -> Session:
    settings = Settings(policies=((NAME, answers.answer),), offers=frozenset(capabilities.ALL))
    return open_session(target, start_capture(None), settings)


def _target(words: Sequence[str], env: Mapping[str, str], cwd: str) -> Target:
    if len(words) == 1 and words[0].startswith(("http://", "https://")):
        return HttpTarget(words[0])
    set_ = [f"{name}={value}" for name, value in env.items()]
    return StdioTarget(tuple(words), build_environment(os.environ, inherit_all=False, set_=set_), cwd)
