"""Whom a finding concerns."""

from inspector.checks.findings import Confidence, Finding, Severity
from inspector.checks.hosts.facts import Host
from inspector.checks.hosts.packs import HOSTS
from inspector.checks.hosts.relevance import concerns, for_hosts

_E, _W, _H = Severity.ERROR, Severity.WARNING, Severity.HINT


def _found(
    id_: str, severity: Severity = _W, trait: str = "", pointer: str = "", hosts: tuple[str, ...] = ()
) -> Finding:
    return Finding(id_, severity, Confidence.CERTAIN, "x", (1,), pointer, trait=trait, hosts=hosts)


def _hosts(*ids: str) -> list[Host]:
    return [HOSTS[id_] for id_ in ids]


def test_a_rule_concerns_the_hosts_that_know_its_trait() -> None:
    assert {host.id for host, _ in concerns(_found("T02"))} >= {"claude-code", "vscode", "python-sdk-2"}
    assert "python-sdk-1" not in {host.id for host, _ in concerns(_found("T02"))}  # it takes it
    assert concerns(_found("T03", pointer="/result/tools/0/outputSchema/a"))[0][1].trait == "output-broken"
    assert not concerns(_found("E08"))
    assert not concerns(_found("E19", pointer="/result/prompts/0/title"))


def test_a_finding_that_names_its_hosts_concerns_no_other() -> None:
    found = _found("S-12", trait="shown-name-length", hosts=("cursor",))
    assert [host.id for host, _ in concerns(found)] == ["cursor"]


def test_for_chosen_hosts_what_they_stumble_over_is_as_bad_as_it_is_there() -> None:
    arrays = _found("S-06", trait="array-without-items")
    (kept,) = for_hosts([arrays], _hosts("vscode", "codex"))
    assert (kept.severity, kept.hosts) == (_E, ("vscode", "codex"))
    (kept,) = for_hosts([arrays], _hosts("codex"))
    assert kept.severity is _H


def test_what_no_specification_forbids_and_no_chosen_host_minds_is_left_out() -> None:
    assert for_hosts([_found("S-06", trait="array-without-items")], _hosts("cursor")) == []
    rule, hidden = _found("T02", _E), _found("S-14")
    assert for_hosts([rule, hidden], _hosts("cursor")) == [rule, hidden]


def test_a_rule_never_gets_milder_by_a_host() -> None:
    (kept,) = for_hosts([_found("T15", _W)], _hosts("vscode"))
    assert kept.severity is _W
