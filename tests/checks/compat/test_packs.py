"""The facts about clients: each has a source, a date and a trait that is found."""

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from inspector.checks.compat.packs import (
    FEATURES,
    HOST_IDS,
    CompatEffect,
    CompatSource,
    Host,
    facts_about,
    known_hosts,
    newest,
    observations,
)
from inspector.checks.definitions import schemas, tools
from inspector.checks.findings import Confidence
from inspector.config import profiles

HOSTS = known_hosts()

_CHECKS = Path(schemas.__file__).parents[1]
_OF_THE_WHOLE = {
    "tool-count",
    "definition-tokens",
    "instructions-length",
    "more-pages",
    "duplicate-name",
    "similar-name",
}
_STRUCTURES = {"structure-wrong", "structure-missing", "structure-alone"}
_ELSEWHERE = {"shown-name-length"} | _STRUCTURES | _OF_THE_WHOLE
"""Traits of a surface as a whole, and those that need a host or a result."""


def _sources(host: Host) -> Iterator[tuple[str, CompatSource]]:
    for fact in host.facts:
        yield fact.trait, fact.source
    for limit in host.limits:
        yield limit.name, limit.source
    for feature in host.features:
        yield feature.name, feature.source
    if host.naming is not None:
        assert host.naming_source is not None
        yield "naming", host.naming_source


@pytest.mark.parametrize("host", HOSTS.values(), ids=HOSTS)
def test_facts_about_hosts_have_source_and_date(host: Host) -> None:
    for what, source in _sources(host):
        assert re.match(r"https://\S+$", source.url), what
        assert date(2024, 11, 5) <= source.date <= date(2027, 1, 1), what
        assert source.confidence in Confidence


@pytest.mark.parametrize("host", HOSTS.values(), ids=HOSTS)
def test_a_host_s_words_go_on_after_its_name(host: Host) -> None:
    assert host.id == host.id.lower()
    assert 0 < len(host.short) <= 5
    for said in (*(fact.sentence for fact in host.facts), *(limit.sentence for limit in host.limits)):
        assert said[:1].islower(), said
        assert not said.endswith("."), said
        assert len(said) <= 110
    assert {feature.name for feature in host.features} <= set(FEATURES)


def test_each_trait_that_a_fact_is_about_is_one_that_is_found() -> None:
    found = "\n".join(Path(module.__file__ or "").read_text() for module in (schemas, schemas, tools))
    for host in HOSTS.values():
        for fact in host.facts:
            bare = fact.trait.removeprefix("input-").removeprefix("output-")
            assert (
                f'"{fact.trait}"' in found or f'-{bare}"' in found or f'"{bare}"' in found or fact.trait in _ELSEWHERE
            )


def test_facts_about_returns_hosts_with_a_lower_limit() -> None:
    assert [host.id for host, _ in facts_about("tool-count", HOSTS.values(), 100)] == ["cursor"]
    assert [host.id for host, _ in facts_about("tool-count", HOSTS.values(), 129)] == ["vscode", "cursor"]


def test_the_newest_source_is_known() -> None:
    assert newest() >= date(2026, 11, 22)


def test_known_hosts_are_the_files_with_facts() -> None:
    folder = Path(profiles.__file__).parent / "clients"
    assert {*HOSTS} == {path.stem for path in folder.glob("*.yaml")}
    assert [*HOSTS] == [*HOST_IDS] == [host.id for host in HOSTS.values()]


def test_a_stated_fact_without_a_source_was_observed_and_is_no_worse_than_that() -> None:
    for id_, host in HOSTS.items():
        seen: dict[str, int] = {}
        for row in observations().get(id_, []):
            if row.effect is not None:
                seen[row.trait] = min(seen.get(row.trait, 99), row.effect.rank)
        for fact in host.facts:
            if fact.trait == "shown-name-length" and fact.source.is_observed:
                assert seen["name-length"] != CompatEffect.FINE.rank, id_
            elif fact.source.is_observed:
                assert fact.effect.rank >= seen[fact.trait], (id_, fact.trait)
            else:
                assert seen.get(fact.trait, 99) == CompatEffect.FINE.rank or fact.trait not in seen, (id_, fact.trait)


def test_a_source_before_the_newest_release_that_was_run_is_outdated() -> None:
    host = HOSTS["claude-code"]
    assert host.release is not None
    older = CompatSource("https://a", date(2026, 1, 1), "2.0.0")
    assert host.is_outdated(older)
    assert not host.is_outdated(host.release)
    assert not HOSTS["cursor"].is_outdated(older)
