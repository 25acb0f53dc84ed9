"""Real servers over every transport: detected era, all lists, and a clean end."""

import json
from collections.abc import Callable

import pytest

from inspector.capture.format.verify import verify
from inspector.capture.store.load import load
from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.facts import HttpEvent, HttpFact, ProcessEvent, ProcessFact
from inspector.protocol.flows.steps import GivenUp
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.table import newest_of
from tests.stories.real_targets import REAL, Real, filled_in
from tests.stories.visits import Seen, Visit, seen

pytestmark = pytest.mark.real


def at(suits: Callable[[Real], object]) -> pytest.MarkDecorator:
    """Tell the story of those servers alone that it suits."""
    return pytest.mark.parametrize("visited", [real for real in REAL if suits(real)], ids=str, indirect=True)


def http_facts(saw: Seen, event: HttpEvent) -> list[HttpFact]:
    whats = [entry.what for entry in saw.entries]
    return [what for what in whats if isinstance(what, HttpFact) and what.event is event]


def test_a_server_is_met_in_its_own_era(visited: Visit) -> None:
    opening = visited.first.opening
    assert (opening.era, opening.revision.date) == (visited.real.era, newest_of(visited.real.era).date)
    assert opening.server["name"] == visited.real.wishes.name
    assert opening.warnings == ()


def test_only_the_probe_is_tagged_as_one_in_both_directions(visited: Visit) -> None:
    saw = visited.seen[0]
    probes = [each for each in saw.exchanges if each.probe]
    assert [each.method for each in probes] == ([] if visited.real.transport == "sse" else ["server/discover"])
    assert saw.probes == {n for each in probes for n in (each.request_frame, each.answer_frame)} - {None}


def test_a_server_that_is_known_is_not_probed_again(visited: Visit) -> None:
    before, after = (saw.methods() for saw in visited.seen)
    if visited.real.era is Era.LEGACY:
        assert "server/discover" not in after
        assert not visited.seen[1].probes
    assert "initialize" not in after or visited.real.era is Era.LEGACY
    assert len(after) <= len(before)
    assert visited.second.opening == visited.first.opening


def test_every_list_that_the_server_promises_is_fetched_whole(visited: Visit) -> None:
    for sitting in (visited.first, visited.second):
        assert sitting.lists["tools"].items
        assert {kind: (pages.stopped, pages.failed) for kind, pages in sitting.lists.items()} == dict.fromkeys(
            sitting.lists, ("", None)
        )


def test_nested_arguments_cross_the_wire_as_they_were_given(visited: Visit) -> None:
    wish, got = visited.real.wishes.nested, visited.first.outcomes["nested"]
    request = json.loads(visited.seen[0].frame(got.exchanges[0].request_frame).payload)
    assert request["params"]["arguments"] == filled_in(wish.arguments, visited.place)
    assert wish.shows in got.text


def test_a_tool_that_fails_has_answered(visited: Visit) -> None:
    got = visited.first.outcomes["fails"]
    assert got.result["isError"] is True
    assert visited.real.wishes.fails.shows in got.text
    assert (got.exchanges[0].state, got.exchanges[0].tool_error) == (ExchangeState.ANSWERED, True)


@at(lambda real: real.wishes.progress)
def test_each_word_of_progress_is_heard(visited: Visit) -> None:
    got = visited.first.outcomes["progress"]
    heard = got.exchanges[0].progress
    assert heard is not None
    assert heard.count >= 3
    assert heard.progress == heard.total == heard.count


@at(lambda real: real.wishes.picture)
@pytest.mark.parametrize("wish", ["picture", "resource", "prompt"])
def test_a_picture_a_resource_and_a_prompt_come_whole(visited: Visit, wish: str) -> None:
    got = visited.first.outcomes[wish]
    assert getattr(visited.real.wishes, wish).shows in got.text


@at(lambda real: real.wishes.endless)
def test_a_call_is_called_off_in_the_way_of_its_revision(visited: Visit) -> None:
    got = visited.first.outcomes["endless"]
    exchange, notices = got.exchanges[0], visited.seen[0].sent("notifications/cancelled")
    assert isinstance(got.called.reply, GivenUp)
    if visited.real.transport == "http" and visited.real.era is Era.MODERN:
        assert notices == []
        end = next(fact for fact in http_facts(visited.seen[0], HttpEvent.END) if fact.http == exchange.http)
        assert end.why
    else:
        assert [notice["params"]["requestId"] for notice in notices] == [exchange.id]
    assert visited.seen[0].exchanges[exchange.number - 1].state in (ExchangeState.CANCELLED, ExchangeState.LATE)


def test_a_capture_vouches_for_every_frame(visited: Visit) -> None:
    for path, saw in zip(visited.captures, visited.seen, strict=True):
        verdict = verify(path)
        assert (verdict.complete, verdict.faults) == (True, ())
        assert verdict.covered == verdict.frames == len(saw.frames)


def test_a_capture_shows_the_very_same_rows_again(visited: Visit) -> None:
    for path, saw in zip(visited.captures, visited.seen, strict=True):
        journal = load(path)
        again = seen(journal)
        journal.close()
        assert (journal.live, journal.notices) == (False, ())
        assert again.entries == saw.entries
        assert again.exchanges == saw.exchanges
        assert again.opening == saw.opening
        assert (again.tree, again.wire, again.probes) == (saw.tree, saw.wire, saw.probes)


@at(lambda real: real.transport == "stdio")
def test_a_server_that_we_started_ends_when_we_leave(visited: Visit) -> None:
    for saw in visited.seen:
        facts = [entry.what for entry in saw.entries if isinstance(entry.what, ProcessFact)]
        assert [fact.signal for fact in facts if fact.event is ProcessEvent.SIGNAL] in ([], ["SIGTERM"])
        assert [fact.event for fact in facts].count(ProcessEvent.EXIT) == 1


@at(lambda real: real.transport == "http")
def test_a_session_over_http_is_deleted_at_its_end(visited: Visit) -> None:
    for saw in visited.seen:
        last = http_facts(saw, HttpEvent.REQUEST)[-1]
        assert (last.method == "DELETE") == (visited.real.era is Era.LEGACY)
