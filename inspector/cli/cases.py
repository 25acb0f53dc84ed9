"""The calls that `check` makes because it was told to: `--call TOOL=JSON`, each a case that can fail."""

import shlex
from collections.abc import Sequence
from typing import Any, TextIO

import msgspec

from inspector.capture.journal import Journal
from inspector.cli.arguments import read_whole
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import Visit
from inspector.cli.outcome import answered
from inspector.cli.output import Output
from inspector.errors import UsageError
from inspector.protocol import peek
from inspector.protocol.jsonrpc import Answer, ErrorAnswer
from inspector.viewmodels.result import Finished, incomplete


class Case(msgspec.Struct, frozen=True):
    """A call to make."""

    tool: str
    arguments: Any


def read_cases(words: Sequence[str], stdin: TextIO) -> tuple[Case, ...]:
    """`TOOL` alone, `TOOL=JSON`, or `TOOL=@FILE`. Raises: UsageError."""
    return tuple(_case(word, stdin) for word in words)


def _case(word: str, stdin: TextIO) -> Case:
    tool, given, text = word.partition("=")
    if not tool:
        raise UsageError(f"--call {word!r} names no tool", hint="Write --call 'TOOL={\"a\": 1}'.")
    arguments = read_whole(text, stdin, f"--call {tool}=") if given else {}
    if not isinstance(arguments, dict):
        raise UsageError(f"--call {tool}: the arguments are no object", hint="Write --call 'TOOL={\"a\": 1}'.")
    return Case(tool, arguments)


async def make_cases(visit: Visit, cases: Sequence[Case]) -> ExitStatus:
    """Make the calls, one after the other; TOOL_ERROR if one of them failed.

    Raises: what `answered` raises, if no answer came.
    """
    status = ExitStatus.OK
    for case in cases:
        called = await visit.session.call("tools/call", {"name": case.tool, "arguments": case.arguments})
        why = failure_of(answered(called.reply, "tools/call").message)
        if why:
            visit.output.warn(f"{case.tool} failed: {why}")
            status = ExitStatus.TOOL_ERROR
        else:
            visit.output.narrate(f"{case.tool} went well")
    return status


def say_uncalled(output: Output, journal: Journal) -> None:
    """Say that no tool was called, where there are some: what only a call shows, nobody has looked at."""
    tools = journal.conversation.catalogue.listings["tools"].items
    name = next((found for tool in tools if (found := peek.text(tool, "name"))), "")
    if name:
        word = shlex.quote(name + '={"a": 1}')
        output.narrate(f"no tool was called: --call {word} calls one, and what comes of it is checked, too")


def failure_of(message: Answer | ErrorAnswer) -> str:
    """Why a call failed, in the server's words, or why its result is not complete; "" if it went well."""
    if isinstance(message, ErrorAnswer):
        return f"error {message.code}: {message.message[:200]}"
    if not peek.flag(message.result, "isError"):
        return incomplete(Finished("tools/call", result=message.result))
    said = (peek.text(block, "text") for block in peek.items(message.result, "content"))
    return next((each[:200] for each in said if each), "it says isError, and not why")
