"""What is offered to a server, and the answers to what it asks, as the command line says it."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.capture.load import load
from inspector.cli.answers import Answers, read
from inspector.errors import UsageError
from inspector.protocol import offers, peek
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.questions import Kind, Root
from tests.cli.running import demo, inspect


def _read(**options: Any) -> Answers:
    return read(options)


def _file(place: Path, *kinds: str) -> Path:
    answers = {"elicitation": "accept", "sampling": "text", "roots": "error"}
    file = place / "answers.json"
    file.write_text(json.dumps([{"kind": kind, "answer": answers[kind]} for kind in kinds]))
    return file


def test_with_a_person_everything_is_offered_and_without_one_only_what_needs_nobody() -> None:
    assert _read().offers(has_person=True) == frozenset(offers.ALL)
    assert _read().offers(has_person=False) == {offers.TASKS}


def test_without_a_person_that_is_offered_which_was_prepared(tmp_path: Path) -> None:
    assert _read(root=(str(tmp_path),)).offers(has_person=False) == {offers.ROOTS, offers.TASKS}
    sampling = _read(answers=_file(tmp_path, "sampling"))
    assert sampling.offers(has_person=False) == {offers.SAMPLING, offers.TASKS}
    both = _read(answers=_file(tmp_path, "elicitation", "sampling"))
    assert both.offers(has_person=False) == {offers.SAMPLING, offers.FORM, offers.URL, offers.TASKS}
    assert [each.kind for each in both.prepared] == [Kind.ELICITATION, Kind.SAMPLING]


@pytest.mark.parametrize(
    ("offer", "no_offer", "made"),
    [
        ((), ("elicitation,roots",), {offers.SAMPLING, offers.SAMPLING_TOOLS, offers.TASKS}),
        ((), ("sampling,tasks",), {offers.ROOTS, offers.FORM, offers.URL}),
        ((), ("sampling.tools", "elicitation.url"), {offers.ROOTS, offers.SAMPLING, offers.FORM, offers.TASKS}),
        (("sampling",), ("all",), {offers.SAMPLING}),
        (("roots, elicitation.form",), ("all",), {offers.ROOTS, offers.FORM}),
        ((), ("all",), set()),
    ],
)
def test_offers_are_switches(offer: tuple[str, ...], no_offer: tuple[str, ...], made: set[str]) -> None:
    assert _read(offer=offer, no_offer=no_offer).offers(has_person=True) == made


def test_more_may_be_offered_than_can_be_answered() -> None:
    assert _read(offer=("all",)).offers(has_person=False) == frozenset(offers.ALL)


def test_roots_are_directories_and_uris(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a b").mkdir()
    monkeypatch.chdir(tmp_path)
    assert _read(root=("a b",), root_uri=("file:///x", "odd:thing")).roots == (
        Root((tmp_path / "a b").as_uri(), "a b"),
        Root("file:///x"),
        Root("odd:thing"),
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--offer", "elicitation,telepathy"), "'telepathy' is nothing that can be offered"),
        (("--root", "/no/such/place"), "--root /no/such/place: no such directory"),
        (("--root-uri", "plain words"), "--root-uri 'plain words' is no URI"),
        (("--root-uri", "http://[x"), "is no URI"),
        (("--answers", "/no/such/file"), "--answers /no/such/file"),
    ],
)
def test_what_cannot_be_meant_starts_no_server(words: tuple[str, ...], said: str) -> None:
    ran = inspect("info", *words, "--", "no-such-program")
    assert ran.status == 2
    assert said in ran.stderr


def test_a_name_that_is_none_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="nothing that can be offered"):
        _read(no_offer=("x",))


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_what_is_offered_is_what_the_server_is_told(tmp_path: Path, era: str) -> None:
    capture = tmp_path / "a.mcpcap"
    words = ("--no-offer", "all", "--offer", "roots,elicitation.form", "--no-extension", "all")
    more = ("--era", era, "--capture", str(capture))
    assert inspect("list", "tools", *words, *more, *demo()).status == 0
    declared = [peek.at(params, *path) for params in _asked(capture) for path in _WHERE if peek.at(params, *path)]
    assert declared
    for capabilities in declared:
        assert set(capabilities) == {"roots", "elicitation"}
        assert capabilities["elicitation"] == {"form": {}}


_WHERE = (("capabilities",), ("_meta", "io.modelcontextprotocol/clientCapabilities"))


def _asked(capture: Path) -> list[Any]:
    """The params of every request that was sent."""
    journal = load(capture)
    frames = [journal.store.entry(n).what for n in range(1, journal.count + 1)]
    journal.close()
    sent = [what.payload for what in frames if isinstance(what, Frame) and what.direction is Direction.TO_SERVER]
    return [json.loads(payload).get("params") for payload in sent]
