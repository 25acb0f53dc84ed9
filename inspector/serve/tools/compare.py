"""`compare`: what differs between two sessions, captures or lock files."""

import asyncio
import json
import os
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, field

from inspector.capture.compare.differences import OperationVerdict
from inspector.capture.compare.differences import compare as compare_operations
from inspector.capture.compare.normal import Normal
from inspector.capture.compare.operations import Operations, accounts
from inspector.capture.store.load import load
from inspector.errors import UsageError
from inspector.features.lock.changes import compare_definitions
from inspector.features.lock.lock_file import ServerDefinitions, definitions_of, is_lock_file, read_lock_file
from inspector.present.changes.captures import Names, comparison_data
from inspector.serve.bounded import bounded, fits
from inspector.serve.facts import changes_facts
from inspector.serve.sessions import Sessions
from inspector.serve.tool import Answer, Arguments, tool

_TOKENS = 500


class CompareArguments(Arguments):
    before: Annotated[str, Meta(description="Session, capture, or path of a lock file.")]
    after: Annotated[str, Meta(description="As before.")]
    only: Annotated[list[str], Meta(description="Methods or names: tools/*, add.")] = field(default_factory=list)


class CompareAnswer(Answer):
    counts: dict[str, int]
    definitions: list[dict[str, Any]]
    operations: list[dict[str, Any]] = field(default_factory=list)
    more: int = 0


class _Side(msgspec.Struct, frozen=True):
    definitions: ServerDefinitions
    operations: Operations | None = None
    """None for a lock file."""


@tool()
async def compare(sessions: Sessions, wanted: CompareArguments) -> CompareAnswer:
    """Show what is different between two sessions, recordings or lock files: tool schemas, outcomes of operations."""
    before, after = [await _side(sessions, name) for name in (wanted.before, wanted.after)]
    open_ = frozenset(each.id for each in sessions.all)
    return await asyncio.to_thread(_answer, before, after, wanted, open_)


async def _side(sessions: Sessions, name: str) -> _Side:
    if name in {each.id for each in sessions.all}:
        journal = (await sessions.get(name)).journal
        return await asyncio.to_thread(lambda: _Side(definitions_of(journal.conversation), accounts(journal)))
    return await asyncio.to_thread(_of_file, sessions, name)


def _of_file(sessions: Sessions, name: str) -> _Side:
    if os.path.isfile(name) and is_lock_file(path := Path(name)):
        return _Side(read_lock_file(path)[0])
    journal = load(sessions.capture_path(name))
    try:
        return _Side(definitions_of(journal.conversation), accounts(journal))
    finally:
        journal.close()


def _answer(before: _Side, after: _Side, wanted: CompareArguments, open_: frozenset[str]) -> CompareAnswer:
    if not (before.definitions.is_known and after.definitions.is_known):
        raise UsageError("a side has no definitions", hint="Its session was never opened.")
    changes = compare_definitions(before.definitions, after.definitions).changes
    answer = CompareAnswer(counts={"definitions": len(changes)}, definitions=changes_facts(changes), next="sessions()")
    if before.operations is None or after.operations is None:
        return answer
    found = compare_operations(before.operations, after.operations, Normal(()), tuple(wanted.only))
    answer.counts |= {verdict.value: found.count(verdict) for verdict in OperationVerdict}
    for row in comparison_data(found, Names(wanted.before, wanted.after))["operations"]:
        members = {name: row[name] for name in ("verdict", "method", "target", "why") if row[name]}
        members |= {side: row[side]["frame"] for side in ("before", "after") if row[side]}
        members |= {"changes": bounded(row["changes"][:5], 120)[0]} if row["changes"] else {}
        if not fits([*answer.operations, members], _TOKENS):
            answer.more += 1
            continue
        answer.operations.append(members)
    for side, name in (("after", wanted.after), ("before", wanted.before)):
        entry = next((each[side] for each in answer.operations if side in each), None)
        if entry is not None:
            answer.next = (
                f'message(session="{name}", entry={entry})' if name in open_ else f"open(capture={json.dumps(name)})"
            )
            break
    return answer
