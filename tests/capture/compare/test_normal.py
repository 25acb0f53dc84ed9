"""What differs from run to run gets a placeholder, and nothing else does."""

from pathlib import Path
from typing import Any

import pytest

from inspector.capture.compare.normal import Normal, read_rule, read_rules
from inspector.errors import UsageError


@pytest.mark.parametrize(
    ("value", "normal"),
    [
        ("id 0199c9f2-1d10-7a3e-a6d8-0123456789ab!", "id <uuid>!"),
        ("at 2026-07-28T10:00:00.123Z, again", "at <time>, again"),
        ("Tue, 28 Jul 2026 10:00:00 GMT", "<time>"),
        ('{"timestamp": 1795986322, "n": 17}', '{"timestamp": <time>, "n": 17}'),
        ("http://127.0.0.1:49152/mcp", "http://127.0.0.1:<port>/mcp"),
        ("http://example.com:8080/", "http://example.com:8080/"),
        ("in /tmp/tmpx7d_2/out.txt", "in <temporary>/out.txt"),
        ("/home/me/tmp", "/home/me/tmp"),
        ({"nextCursor": "bzEy", "cursor": 3}, {"nextCursor": "<cursor>", "cursor": "<cursor>"}),
        ({"requestState": "x.y"}, {"requestState": "<state>"}),
        ({"taskId": "t", "id": "a1b2c3d4e5"}, {"taskId": "<id>", "id": "<id>"}),
        ({"id": "add", "userId": 7, "grid": "a1b2c3d4e5"}, {"id": "add", "userId": 7, "grid": "a1b2c3d4e5"}),
        ({"createdAt": 1_795_300_000_000, "time": 1_795_300_000}, {"createdAt": "<time>", "time": "<time>"}),
        ({"size": 1_795_300_000, "at": True, "time": 3}, {"size": 1_795_300_000, "at": True, "time": 3}),
        ([1, None, 1.5, "plain"], [1, None, 1.5, "plain"]),
    ],
)
def test_a_value_is_made_comparable(value: Any, normal: Any) -> None:
    assert Normal()(value) == normal


def test_excluded_normalization_keeps_values() -> None:
    exact = Normal(off=["ports", "ids"])
    assert exact({"id": "a1b2c3d4e5", "url": "localhost:80"}) == {"id": "a1b2c3d4e5", "url": "localhost:80"}


@pytest.mark.parametrize(
    ("rule", "normal"),
    [
        ("result.items[*].n", {"result": {"items": [{"n": "<ignored>"}, {"n": "<ignored>", "m": 2}]}, "n": 3}),
        ("result.items[1] => <second>", {"result": {"items": [{"n": 1}, "<second>"]}, "n": 3}),
        ("**.n => <n>", {"result": {"items": [{"n": "<n>"}, {"n": "<n>", "m": 2}]}, "n": "<n>"}),
        ("*.items", {"result": {"items": "<ignored>"}, "n": 3}),
        ('"result"["items"]', {"result": {"items": "<ignored>"}, "n": 3}),
    ],
)
def test_a_rule_names_a_place(rule: str, normal: Any) -> None:
    assert Normal([read_rule(rule)])({"result": {"items": [{"n": 1}, {"n": 2, "m": 2}]}, "n": 3}) == normal


def test_rule_placeholder_is_taken_literally() -> None:
    assert Normal([read_rule(r"/pid \d+/ => pid \1")])("a pid 17, a/b") == r"a pid \1, a/b"


@pytest.mark.parametrize("text", ["", "=> x", "a b", "a =>", "/[/", "a..b["])
def test_invalid_rule_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="invalid rule"):
        read_rule(text)


@pytest.mark.parametrize(
    ("name", "text"),
    [("r.yaml", "ignore:\n  - result.n\nexact: [ports]\n"), ("r.toml", 'ignore = ["result.n"]\nexact = ["ports"]\n')],
)
def test_rules_stand_in_a_file(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    rules, exact = read_rules(path)
    assert (rules, exact) == ([read_rule("result.n")], ["ports"])


@pytest.mark.parametrize("text", ["ignor: []", "ignore: 3", "{", "exact: [numbers]", "ignore: ['a b']"])
def test_a_file_that_is_wrong_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "r.yml"
    path.write_text(text)
    with pytest.raises(UsageError):
        read_rules(path)


def test_a_value_that_is_too_deep_is_left_as_it_is() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    assert Normal()(deep) is deep
