"""A sample of the mutations: those of one response to each operator that neither wait nor are slow."""

import asyncio

import pytest

from tests.servers.mutations.judging import Judgement, judge
from tests.servers.mutations.mutants import Mutation, mutated_text
from tests.servers.mutations.running import SETTINGS, Setting, mutations_of, run

_WAIT = ("drop", "truncate", "reorder", "rename data", "hang up", "split", "no newline")
"""Operators after which a response is waited for."""
_EVERY = 67


async def _sample(setting: Setting) -> list[tuple[Mutation, Judgement, str]]:
    messages = (await run(setting, None)).messages
    quick = [each for each in mutations_of(setting, messages) if not (each.operator in _WAIT and _waits(each))]
    found = []
    for mutation in quick[::_EVERY]:
        heard = await run(setting, mutation)
        first = heard.primary
        judgement = judge(setting, mutation, heard, messages[mutation.method])
        found.append((mutation, judgement, f"{first.id}: {first.sentence}" if first else heard.crash))
    return found


def _waits(mutation: Mutation) -> bool:
    return mutation.kind != "member" or mutation.place in ("/id", "/result", "/error", "/jsonrpc")


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_conforming_server_as_it_is_has_no_finding(setting: Setting) -> None:
    heard = asyncio.run(run(setting, None))
    assert (heard.findings, heard.crash) == ([], "")


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_mutations_of_a_conforming_server_are_named_or_rightly_silent(setting: Setting) -> None:
    found = asyncio.run(_sample(setting))
    wrong = [each for each in found if not each[1].is_right]
    assert not [each for each in wrong if each[1] is Judgement.CRASHED]
    assert len(wrong) <= len(found) // 10, wrong


@pytest.mark.parametrize("words", ["stdio member /result null", "http member /id null", "http body text"])
def test_broken_discovery_is_named_and_not_the_rejection_that_follows(words: str) -> None:
    transport, kind, *place, operator = words.split()
    broken = Mutation(kind, "server/discover", "".join(place), operator)
    first = asyncio.run(run(Setting("modern", transport), broken)).primary
    assert getattr(first, "id", "nothing") in ("result-not-object", "invalid-json-rpc")


@pytest.mark.parametrize(
    ("operator", "place", "text"),
    [
        ("drop", "/a/0", '{"a": [2], "b": "xy"}'),
        ("rename", "/b", '{"a": [1, 2], "bX": "xy"}'),
        ("duplicate", "/b", '{"a": [1, 2], "b": "xy", "b": "xy"}'),
        ("retype", "/a/0", '{"a": ["1", 2], "b": "xy"}'),
        ("truncate", "/b", '{"a": [1, 2], "b": "x"}'),
        ("reorder", "/a", '{"a": [2, 1], "b": "xy"}'),
    ],
)
def test_mutated_text_changes_one_member(operator: str, place: str, text: str) -> None:
    message = {"a": [1, 2], "b": "xy"}
    assert mutated_text(message, Mutation("member", "m", place, operator)) == text
