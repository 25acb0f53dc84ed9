"""Saved and recent targets: readable, private, and with secrets by name only."""

import stat
from pathlib import Path

import pytest

from inspector.config.known_targets import (
    MOST_RECENT,
    RecentTarget,
    RecentTargets,
    SavedTarget,
    SavedTargets,
    known_targets,
    problem_of,
    sent_headers,
    target_from,
)
from inspector.errors import UsageError

FORM = {"name": "x", "address": "node x.js", "directory": "", "variables": "", "headers": "", "era": "auto"}


def test_a_target_is_saved_renamed_and_deleted(tmp_path: Path) -> None:
    targets = SavedTargets(tmp_path)
    targets.save(SavedTarget("a", "node a.js"))
    targets.save(SavedTarget("b", url="https://b.test/mcp"))
    targets.save(SavedTarget("c", "node c.js"), instead_of="a")
    assert [each.name for each in SavedTargets(tmp_path).read()] == ["c", "b"]
    with pytest.raises(UsageError, match="Another target has the name"):
        targets.save(SavedTarget("b", "node b.js"))
    targets.delete("c")
    assert [each.name for each in targets.read()] == ["b"]
    assert stat.S_IMODE(targets.file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (SavedTarget("a b", "x"), "without spaces"),
        (SavedTarget("", "x"), "name"),
        (SavedTarget("a"), "a command or a URL"),
        (SavedTarget("a", "x", "https://a.test"), "a command or a URL"),
        (SavedTarget("a", url="ftp://a.test"), "http://"),
        (SavedTarget("a", "x 'y"), "cannot be read"),
        (SavedTarget("a", "x --api-key s3cr3t"), "credential"),
        (SavedTarget("a", url="https://me:pw@a.test/mcp"), "credential"),
        (SavedTarget("a", "x", variables=["API_KEY=s3cr3t"]), "is a secret"),
        (SavedTarget("a", "x", variables=["1=2"]), "name of a variable"),
        (SavedTarget("a", url="https://a.test", headers={"Authorization": "Bearer s3cr3t"}), "is a secret"),
        (SavedTarget("a", url="https://a.test", variables=["A"]), "for commands"),
        (SavedTarget("a", "x", headers={"A": "b"}), "for URLs"),
    ],
)
def test_wrong_or_secret_target_is_not_saved(tmp_path: Path, target: SavedTarget, said: str) -> None:
    assert said in problem_of(target)
    with pytest.raises(UsageError):
        SavedTargets(tmp_path).save(target)
    assert not (tmp_path / "targets.yaml").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("targets: [", ":1:"),
        ("targets: 3", "array"),
        ("targets: [{name: a}]", "a: A target has"),
        ("targets: [{name: a, command: x, colour: red}]", "colour"),
        ("- {name: a, command: x, era: stone}", "stone"),
    ],
)
def test_a_broken_file_is_reported_with_the_reason(tmp_path: Path, text: str, said: str) -> None:
    targets = SavedTargets(tmp_path)
    targets.file.write_text(text)
    with pytest.raises(UsageError, match=r"targets\.yaml") as caught:
        targets.read()
    assert said in str(caught.value)
    known, problem = known_targets(tmp_path, tmp_path)
    assert known == []
    assert said in problem


def test_headers_get_the_values_of_variables() -> None:
    headers = (("Authorization", "Bearer ${TOKEN}"), ("X", "${A}${B}"))
    assert sent_headers(headers, {"TOKEN": "t", "A": "1", "B": "2"}) == (("Authorization", "Bearer t"), ("X", "12"))
    with pytest.raises(UsageError, match=r"\$TOKEN, which is not set"):
        sent_headers(headers, {})


def test_a_form_becomes_a_target() -> None:
    values = FORM | {"variables": "API_KEY 'LEVEL=very high'", "era": "legacy", "directory": "~/src"}
    assert target_from(values) == SavedTarget(
        "x", "node x.js", "", "~/src", ["API_KEY", "LEVEL=very high"], {}, "legacy"
    )
    url = FORM | {"address": "https://a.test/mcp", "headers": "Authorization: Bearer ${T}; X-Team: blue"}
    assert target_from(url).headers == {"Authorization": "Bearer ${T}", "X-Team": "blue"}
    for wrong in ({"era": "stone"}, {"headers": "x"}, {"variables": "'"}):
        with pytest.raises(UsageError):
            target_from(url | wrong)


def test_recent_targets_are_bounded_and_without_credentials(tmp_path: Path) -> None:
    recent = RecentTargets(tmp_path)
    recent.remember(RecentTarget("k", ("x", "--api-key", "s3cr3t"), when=1e9))
    recent.remember(RecentTarget("u", url="https://a.test/mcp?token=s3cr3t", when=1e9))
    assert recent.read() == []
    for number in range(MOST_RECENT + 5):
        recent.remember(RecentTarget(str(number), ("x",), when=float(number)))
    assert [each.key for each in recent.read()][:2] == [str(MOST_RECENT + 4), str(MOST_RECENT + 3)]
    assert len(recent.read()) == MOST_RECENT
    recent.forget(str(MOST_RECENT + 4))
    assert recent.read()[0].key == str(MOST_RECENT + 3)
    (tmp_path / "recent-targets.json").write_text("nonsense")
    assert recent.read() == []


def test_a_saved_target_shows_how_it_went_and_the_last_one_is_first(tmp_path: Path) -> None:
    targets, recent = SavedTargets(tmp_path), RecentTargets(tmp_path)
    for name in ("a", "b"):
        targets.save(SavedTarget(name, f"node {name}.js"))
    recent.remember(RecentTarget(targets.read()[1].key, ("node", "b.js"), when=5.0, summary="3 tools"))
    recent.remember(RecentTarget("other", ("python", "-m", "thing"), when=9.0))
    known, _ = known_targets(tmp_path, tmp_path)
    assert [(each.name, each.saved is not None, each.recent is not None) for each in known] == [
        ("thing", False, True),
        ("b", True, True),
        ("a", True, False),
    ]
