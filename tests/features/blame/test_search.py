"""The search for the decisive difference, on servers that fail for a known one."""

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from inspector.features.blame.script import ClientScript, Step
from inspector.features.blame.search import RUNS, BlameEnd
from inspector.protocol.facts import InheritedState
from inspector.protocol.frames import Eol
from tests.features.blame.playing import FAILED, MemoryPlayer, blamed, changed, client, fails, step, works

LIST = "tools/list"
PING = Step("ping", b'{"jsonrpc":"2.0","id":"p","method":"ping"}')
VERSION = {"protocolVersion": "2025-06-18"}
PROGRESS = {"params": {"_meta": {"progressToken": 1, "x": 1}}}


def called(depth: int) -> Step:
    """A call with two arguments."""
    arguments = {"depth": depth, "path": f"/{depth}"}
    message = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "walk", "arguments": arguments}}
    return step(message)


def text(script: ClientScript, old: str, new: str) -> ClientScript:
    """The script with the text of its list request changed."""
    (listing,) = (each for each in script.steps if each.key == LIST)
    assert old in listing.payload.decode()
    return changed(script, LIST, payload=listing.payload.decode().replace(old, new).encode())


CASES: list[tuple[str, ClientScript, ClientScript, list[str]]] = [
    ("roots", fails(), works(), ["`params.capabilities.roots` of initialize is {}"]),
    ("list-changed", fails(), works(), ["`params.capabilities.roots.listChanged` of initialize is true"]),
    ("sampling", fails(), works(), ["`params.capabilities.sampling` of initialize is absent"]),
    ("version", fails(), works(), ['`params.protocolVersion` of initialize is "2025-06-18"']),
    ("client-name", fails(), works(), ['`params.clientInfo.name` of initialize is "works"']),
    ("client-title", fails(), works(), ["`params.clientInfo.title` of initialize is absent"]),
    ("progress", fails(PROGRESS), works(), ["`params._meta.progressToken` of tools/list is absent"]),
    ("any-meta", fails(PROGRESS), works(), ["`params._meta` of tools/list is absent"]),
    ("both-members", fails(PROGRESS), works(), ["`params._meta` of tools/list is absent"]),
    (
        "any-meta",
        fails(PROGRESS),
        client((1, 2), VERSION, {}, environment=("PATH", "PLANTED_TOKEN")),
        ["`params._meta` of tools/list is absent"],
    ),
    ("params", fails(), works(), ["`params` of tools/list is {}"]),
    ("null-params", fails({"params": None}), works(), ["`params` of tools/list is {}"]),
    ("text-ids", fails(), works(), ["the id of tools/list is 2"]),
    ("id-zero", client((0, 1), VERSION, {}), works(), ["the id of initialize is 1"]),
    ("counted-ids", client((1, 2), VERSION, {}), client((0, 1), VERSION, {}), ["the ids of the requests are 0, 1, …"]),
    ("id-reused", client((1, 1), VERSION, {}), works(), ["the id of tools/list is 2"]),
    (
        "member-order",
        changed(works(), LIST, payload=b'{"id":2,"jsonrpc":"2.0","method":"tools/list","params":{}}'),
        works(),
        ["the members of tools/list come in another order"],
    ),
    (
        "escapes",
        text(works(), "{}", '{"q":"\\u00e9"}'),
        text(works(), "{}", '{"q":"é"}'),
        ["tools/list has characters beyond ASCII as they are"],
    ),
    (
        "numbers",
        text(works(), "{}", '{"depth":1.0}'),
        text(works(), "{}", '{"depth":1e0}'),
        ['tools/list is spelled …ams":{"depth":1e0}}'],
    ),
    ("crlf", changed(fails(), LIST, eol=Eol.CRLF), works(), ["tools/list ends with LF"]),
    ("no-line-end", changed(fails(), LIST, eol=Eol.NONE), works(), ["tools/list ends with LF"]),
    ("spaces", text(fails(), ":", ": "), works(), ["tools/list is written without spaces"]),
    (
        "initialized",
        replace(fails(), steps=(fails().steps[0], fails().steps[2])),
        works(),
        ["the client sends notifications/initialized before tools/list"],
    ),
    (
        "ping-first",
        replace(fails(), steps=(*fails().steps[:2], PING, fails().steps[2])),
        works(),
        ["the client does not send ping"],
    ),
    (
        "argument",
        replace(fails(), steps=(*fails().steps, called(2))),
        replace(works(), steps=(*works().steps, called(1))),
        ["`params.arguments.depth` of tools/call walk is 1"],
    ),
    (
        "overlap",
        changed(changed(fails(), LIST, waiting=1), "notifications/initialized", waiting=1),
        works(),
        ["the client waits for all earlier responses before tools/list"],
    ),
    ("hurry", fails(), changed(works(), LIST, pause_s=0.5), ["the client waits 0.5 s before tools/list"]),
    ("dawdle", changed(fails(), LIST, pause_s=0.8), works(), ["the client waits 0.0 s before tools/list"]),
    ("variable", fails(), works(), ["the variable PLANTED_TOKEN is set"]),
    (
        "noisy-variable",
        fails(environment=("PATH", "PLANTED_DEBUG")),
        works(),
        ["the variable PLANTED_DEBUG is not set"],
    ),
    ("directory", fails(cwd="/tmp/fails"), works(cwd="/tmp/works"), ["the server runs in /tmp/works"]),
    ("flag", fails(argv=("planted", "-v", "--strict")), works(), ["the argument -v --strict is not given"]),
    (
        "umask",
        fails(inherited=InheritedState(0o077, (15,))),
        works(inherited=InheritedState(0o022)),
        ["the umask is 022"],
    ),
    (
        "blocked-signal",
        fails(inherited=InheritedState(0o077, (15,))),
        works(inherited=InheritedState(0o022)),
        ["the blocked signals are none"],
    ),
    (
        "ignored-signal",
        fails(inherited=InheritedState(0o077, (15,), (1,))),
        works(inherited=InheritedState(0o022)),
        ["the ignored signals are none"],
    ),
    (
        "descriptor",
        fails(inherited=InheritedState(0o022, files=(7,))),
        works(inherited=InheritedState(0o077)),
        ["the open descriptors beyond stderr are none"],
    ),
    (
        "terminal",
        fails(inherited=InheritedState(0o022, terminal=True)),
        works(inherited=InheritedState(0o077)),
        ["stderr is no terminal"],
    ),
    # two causes, each of which makes it fail
    (
        "roots+text-ids",
        fails(),
        works(),
        ["`params.capabilities.roots` of initialize is {}", "the id of tools/list is 2"],
    ),
    (
        "client-title+params",
        fails(),
        works(),
        ["`params.clientInfo.title` of initialize is absent", "`params` of tools/list is {}"],
    ),
    (
        "crlf+variable",
        changed(fails(), LIST, eol=Eol.CRLF),
        works(),
        ["tools/list ends with LF", "the variable PLANTED_TOKEN is set"],
    ),
]


@pytest.mark.parametrize(("reasons", "first", "second", "labels"), CASES, ids=[case[0] for case in CASES])
async def test_blame_names_exactly_what_decides(
    reasons: str, first: ClientScript, second: ClientScript, labels: list[str]
) -> None:
    found = await blamed(MemoryPlayer(reasons), first, second)
    assert found.end is BlameEnd.FOUND
    assert [each.label for each in found.edits] == labels
    assert not found.instead


@pytest.mark.parametrize(
    ("reasons", "first", "labels", "instead"),
    [
        ("roots&text-ids", fails(), ["`params.capabilities.roots` of initialize is {}"], ["the id of tools/list is 2"]),
        (
            "progress&variable",
            fails(PROGRESS),
            ["`params._meta.progressToken` of tools/list is absent"],
            ["the variable PLANTED_TOKEN is set"],
        ),
    ],
)
async def test_blame_of_causes_that_only_fail_together_names_both(
    reasons: str, first: ClientScript, labels: list[str], instead: list[str]
) -> None:
    found = await blamed(MemoryPlayer(reasons), first, works())
    assert [each.label for each in found.edits] == labels
    assert [each.label for each in found.instead] == instead


async def test_blame_of_a_page_that_is_not_fetched_names_the_request() -> None:
    page = {"jsonrpc": "2.0", "id": 3, "method": "tools/list", "params": {"cursor": "other"}}
    second = replace(step(page), key="tools/list (2)", is_next_page=True)
    found = await blamed(MemoryPlayer("second-page"), works(), replace(works(), steps=(*works().steps, second)))
    assert [each.label for each in found.edits] == ["the client sends tools/list (2) at last"]
    assert (found.fails, found.works) == ({LIST: "1 item: a"}, {LIST: "2 items: a, b"})


async def test_blame_of_a_client_that_stopped_after_the_opening_goes_on_as_the_other_does() -> None:
    discover = step({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {}})
    found = await blamed(MemoryPlayer("initialized"), ClientScript((discover,)), works())
    assert [each.label for each in found.edits] == ["the client sends notifications/initialized before tools/list"]


async def test_blame_of_a_healthy_server_names_nothing() -> None:
    first = fails(PROGRESS, cwd="/tmp/fails", inherited=InheritedState(0o077))
    found = await blamed(MemoryPlayer("healthy"), first, works(inherited=InheritedState(0o022)))
    assert found.end is BlameEnd.SAME
    assert not found.edits


async def test_blame_does_not_call_the_refused_question_for_the_era_a_failure() -> None:
    asks = replace(works(), steps=(step({"jsonrpc": "2.0", "id": 0, "method": "server/discover"}), *works().steps))
    found = await blamed(
        MemoryPlayer("healthy"), asks, asks, {"server/discover": "error -32601", "initialize": "result"}
    )
    assert (found.end, found.fails) == (BlameEnd.SAME, {})


async def test_blame_of_a_failure_that_does_not_happen_here_reports_that() -> None:
    found = await blamed(MemoryPlayer("healthy"), fails(), works(), FAILED)
    assert found.end is BlameEnd.NOT_REPRODUCED
    assert found.fails == {LIST: "error -32000"}


async def test_blame_of_a_server_that_fails_with_both_names_no_difference() -> None:
    found = await blamed(MemoryPlayer("never"), fails(), works())
    assert found.end is BlameEnd.SAME
    assert found.fails == {LIST: "error -32000"}


async def test_blame_that_uses_up_its_runs_reports_that() -> None:
    found = await blamed(MemoryPlayer("client-title+params"), fails(), works(), most_runs=8)
    assert found.end is BlameEnd.UNFINISHED
    assert found.runs == 8


@pytest.mark.parametrize("reason", ["third", "half", "mostly"])
async def test_blame_of_a_server_that_fails_by_chance_calls_it_flaky_with_its_rate(
    reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANTED_COUNT", str(tmp_path / "count"))
    found = await blamed(MemoryPlayer(reason), fails(), works(), FAILED)
    assert found.end is BlameEnd.FLAKY
    assert re.search(r"tools/list gives error -32000 in \d of 10 runs", found.note)
    assert not found.edits


async def test_blame_finds_one_of_forty_differences_in_few_runs() -> None:
    many: dict[str, Any] = {"environment": (*(f"V{n}" for n in range(34)), "PATH")}
    found = await blamed(MemoryPlayer("roots"), fails(**many), works())
    assert found.compared >= 40
    assert len(found.edits) == 1
    assert found.runs <= 9 * RUNS
