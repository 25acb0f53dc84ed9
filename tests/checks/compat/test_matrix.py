"""Tools against hosts."""

import pytest

from inspector.checks.compat.matrix import CheckedDefinitions, Matrix, concerns, for_hosts, matrix_of, tokens_of
from inspector.checks.compat.packs import CompatEffect, Host, known_hosts
from inspector.checks.findings import Confidence, Finding, Severity

HOSTS = known_hosts()

_OBJECT = {"type": "object"}
_FINE = {"name": "fine", "description": "d", "inputSchema": _OBJECT}
_ALL = tuple(HOSTS)


def _matrix(*tools: object, server: str = "s", instructions: str = "", pages: int = 1) -> Matrix:
    return matrix_of(CheckedDefinitions(tools, server, instructions, pages), HOSTS.values())


def _effect(matrix: Matrix, row: int, host: str) -> CompatEffect | None:
    cell = matrix.rows[row].cells[_ALL.index(host)]
    return cell[0].fact.effect if cell else None


def test_matrix_of_a_plain_tool_is_empty() -> None:
    matrix = _matrix(_FINE)
    assert not any(matrix.rows[0].cells)
    assert not any(matrix.whole)


@pytest.mark.parametrize(
    ("more", "host", "effect"),
    [
        ({"inputSchema": {"anyOf": []}}, "claude-code", CompatEffect.ALL_GONE),
        ({"inputSchema": {"anyOf": []}}, "vscode", CompatEffect.CHANGED),
        ({"inputSchema": {"anyOf": []}}, "python-sdk-1", CompatEffect.FINE),
        ({"inputSchema": _OBJECT | {"properties": {"a": {"type": "array"}}}}, "vscode", CompatEffect.BREAKS),
        ({"inputSchema": _OBJECT | {"properties": {"a<": {}}}}, "claude-code", CompatEffect.GONE),
        ({"inputSchema": _OBJECT | {"properties": {"a": None}}}, "codex", CompatEffect.GONE),
        ({"inputSchema": _OBJECT | {"anyOf": []}}, "claude-code", CompatEffect.CHANGED),
        ({"inputSchema": _OBJECT | {"if": {}}}, "claude-code", CompatEffect.FINE),
        ({"name": "x" * 100}, "codex", None),
        ({"name": "x" * 100}, "claude-code", None),
        ({"name": "x" * 128}, "claude-code", CompatEffect.GONE),
        ({"outputSchema": {"type": "array"}}, "python-sdk-2", CompatEffect.ALL_GONE),
        ({"outputSchema": {"type": "array"}}, "python-sdk-1", CompatEffect.FAILS),
        ({"name": "x" * 62}, "cursor", CompatEffect.GONE),
        ({"name": "x" * 62}, "vscode", CompatEffect.CUT),
        ({"description": "x" * 4096}, "claude-code", None),
        ({"description": "x" * 4097}, "claude-code", CompatEffect.CUT),
        ({"title": None}, "typescript-sdk-2", CompatEffect.ALL_GONE),
    ],
)
def test_matrix_cell_has_the_effect_on_the_host(
    more: dict[str, object], host: str, effect: CompatEffect | None
) -> None:
    assert _effect(_matrix(_FINE, _FINE | more), 1, host) is effect


def test_a_tool_because_of_which_all_are_gone_is_named() -> None:
    matrix = _matrix(_FINE, _FINE | {"name": "bad", "inputSchema": None})
    row = matrix.gone(_ALL.index("claude-code"))
    assert row is not None
    assert row.name == "bad"
    assert matrix.gone(_ALL.index("cursor")) is None


def test_the_surface_as_a_whole_has_a_row() -> None:
    matrix = _matrix(*[_FINE] * 129, pages=2, instructions="x" * 5000)
    whole = {host: {each.fact.trait for each in cell} for host, cell in zip(_ALL, matrix.whole, strict=True)}
    assert whole["vscode"] == {"tool-count"}
    assert whole["codex"] == {"duplicate-name", "more-pages"}
    assert whole["cursor"] == {"tool-count"}
    assert whole["claude-code"] == {"duplicate-name", "more-pages", "instructions-length"}


def test_names_that_clients_make_equal_are_reported_for_the_server() -> None:
    matrix = _matrix(_FINE | {"name": "a.b"}, _FINE | {"name": "a_b"})
    cell = {each.fact.trait: each for each in matrix.whole[_ALL.index("claude-code")]}
    assert cell["similar-name"].fact.effect is CompatEffect.GONE
    assert "'a.b' and 'a_b'" in cell["similar-name"].trait.sentence
    assert not any(each.fact.trait == "similar-name" for cell in _matrix(_FINE).whole for each in cell)


def test_the_name_that_a_model_sees_is_known_where_the_host_s_way_is() -> None:
    shown = dict(zip(_ALL, _matrix(_FINE | {"name": "a.b"}, server="git").rows[0].shown, strict=True))
    assert shown["claude-code"] == "mcp__git__a_b"
    assert shown["vscode"] == "mcp_git_a_b"
    assert shown["python-sdk-2"] == ""


def test_matrix_survives_non_tools_and_deep_nesting() -> None:
    deep: dict[str, object] = {}
    inner = deep
    for _ in range(300_000):
        inner["properties"] = {"a": (below := dict[str, object]())}
        inner = below
    assert len(_matrix(7, None, {}, {"name": "a", "inputSchema": deep}).rows) == 2
    assert tokens_of(deep) == 0


def test_missing_client_feature_is_reported_if_the_server_uses_it() -> None:
    surface = CheckedDefinitions((_FINE,), "s", uses=frozenset(("sampling", "elicitation")))
    hosts = ("claude-desktop", "vscode", "codex", "gemini-cli")
    matrix = matrix_of(surface, [HOSTS[host] for host in hosts])
    lacks = {host: [each.fact.trait for each in cell] for host, cell in zip(hosts, matrix.whole, strict=True) if cell}
    assert lacks == {
        "claude-desktop": ["uses-sampling"],
        "codex": ["uses-sampling"],
        "gemini-cli": ["uses-sampling", "uses-elicitation"],
    }


def test_a_feature_that_a_client_was_seen_to_answer_though_undeclared_does_not_fail() -> None:
    surface = CheckedDefinitions((_FINE,), "s", uses=frozenset(("roots",)))
    (cell,) = matrix_of(surface, [HOSTS["codex"]]).whole
    (found,) = [each.fact for each in cell if each.fact.trait == "uses-roots"]
    assert found.effect is CompatEffect.CHANGED
    assert found.sentence == 'does not declare roots, but answers roots/list with {"roots": []}'


_E, _W, _H = Severity.ERROR, Severity.WARNING, Severity.HINT


def _found(
    id_: str, severity: Severity = _W, trait: str = "", pointer: str = "", hosts: tuple[str, ...] = ()
) -> Finding:
    return Finding(id_, severity, Confidence.CERTAIN, "x", (1,), pointer, trait=trait, hosts=hosts)


def _hosts(*ids: str) -> list[Host]:
    return [HOSTS[id_] for id_ in ids]


def test_a_rule_concerns_the_hosts_that_know_its_trait() -> None:
    assert {host.id for host, _ in concerns(_found("input-schema-not-object"))} >= {
        "claude-code",
        "vscode",
        "python-sdk-2",
    }
    assert "python-sdk-1" not in {host.id for host, _ in concerns(_found("input-schema-not-object"))}  # it takes it
    assert concerns(_found("invalid-schema", pointer="/result/tools/0/outputSchema/a"))[0][1].trait == "output-broken"
    assert not concerns(_found("unexpected-response"))
    assert not concerns(_found("null-optional-member", pointer="/result/prompts/0/title"))


def test_a_finding_that_names_its_hosts_concerns_no_other() -> None:
    found = _found("tool-name-length", trait="shown-name-length", hosts=("cursor",))
    assert [host.id for host, _ in concerns(found)] == ["cursor"]


def test_chosen_hosts_set_the_severity() -> None:
    arrays = _found("array-without-items", trait="array-without-items")
    (kept,) = for_hosts([arrays], _hosts("vscode", "codex"))
    assert (kept.severity, kept.hosts) == (_W, ("vscode", "codex"))  # what VS Code does is reported, not observed
    (kept,) = for_hosts([arrays], _hosts("codex"))
    assert kept.severity is _H


def test_diagnoses_without_an_affected_host_are_dropped() -> None:
    assert for_hosts([_found("array-without-items", trait="array-without-items")], _hosts("cursor")) == []
    rule, hidden = _found("input-schema-not-object", _E), _found("hidden-text")
    assert for_hosts([rule, hidden], _hosts("cursor")) == [rule, hidden]


def test_a_rule_never_gets_milder_by_a_host() -> None:
    (kept,) = for_hosts([_found("tool-description", _W)], _hosts("vscode"))
    assert kept.severity is _W


def test_a_reported_fact_weighs_one_step_less_than_an_observed_one() -> None:
    for host in HOSTS.values():
        for fact in host.facts:
            full = fact.effect.severity
            assert fact.severity is (full if fact.source.is_observed else {_E: _W, _W: _H, _H: _H}[full])
    (kept,) = for_hosts([_found("input-schema-not-object", _H)], _hosts("claude-code"))
    assert kept.severity is _E
    (kept,) = for_hosts([_found("input-schema-not-object", _H)], _hosts("vscode"))
    assert kept.severity is _H
