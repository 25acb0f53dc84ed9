"""Credentials in a target appear in no output and in no report."""

import os
import sys
from pathlib import Path

import pytest

from tests.cli.running import Ran, inspect

_URL = "http://us3r:pw5ecret@127.0.0.1:1/mcp?api_key=k3ysecret"
_HEADER = ("-H", "X-Api-Key: hdrs3cret", "--timeout", "5")
_CHILD = ("-e", "API_TOKEN=envs3cret", "--", sys.executable, "nowhere.py", "--token=k3ysecret", "--api-key", "pw5ecret")
_REPORTS = ("baseline", "junit", "sarif")
_SECRETS = ("us3r", "pw5ecret", "k3ysecret", "hdrs3cret", "envs3cret")


def _leaks(ran: Ran, directory: Path) -> list[tuple[str, str]]:
    told = {"stdout": ran.stdout, "stderr": ran.stderr}
    told |= {path.name: path.read_text(encoding="utf-8") for path in directory.iterdir() if path.name in _REPORTS}
    return [(where, secret) for where, words in told.items() for secret in _SECRETS if secret in words]


@pytest.mark.parametrize("target", [(_URL, *_HEADER), _CHILD], ids=["http", "stdio"])
@pytest.mark.parametrize("command", ["check", "doctor"])
@pytest.mark.parametrize("flags", [("--json",), ()], ids=["json", "text"])
def test_reports_name_the_target_without_it(
    command: str, flags: tuple[str, ...], target: tuple[str, ...], tmp_path: Path
) -> None:
    reports = [f"--{kind}={tmp_path / kind}" for kind in _REPORTS]
    ran = inspect(command, *flags, *reports, "--write-baseline", "--github", *target).exits(4)
    assert set(_REPORTS) <= set(os.listdir(tmp_path))
    assert _leaks(ran, tmp_path) == []


@pytest.mark.parametrize(
    "argv",
    [
        ("info", _URL, *_HEADER),
        ("info", "--json", *_CHILD),
        ("lock", _URL, *_HEADER),
        ("compat", "--json", _URL, *_HEADER),
        ("diff", "--json", _URL, _URL),
        ("auth", _URL),
        ("debug", _URL),
        ("replay", _URL),
        ("tail", _URL),
        ("trace", _URL),
        ("verify", _URL),
        ("check", "x" + _URL),
    ],
    ids=lambda argv: argv[0],
)
def test_failures_and_refusals_name_the_target_without_it(argv: tuple[str, ...], tmp_path: Path) -> None:
    ran = inspect(*argv)
    assert ran.status != 0
    assert ran.stderr
    assert _leaks(ran, tmp_path) == []
