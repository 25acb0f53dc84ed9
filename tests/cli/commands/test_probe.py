"""`mcp-inspect check --probe`: each planted fault is found, and a healthy server has none."""

from typing import Any

import pytest

from inspector.cli.exit_status import ExitStatus
from tests.architecture.sources import ROOT
from tests.cli.running import inspect

_FOUND = {
    "crash-on-null": "input-ends-server",
    "crash-on-missing": "input-ends-server",
    "crash-on-emoji": "input-ends-server",
    "crash-on-list": "input-ends-server",
    "hang-on-long": "input-without-response",
    "hang-on-empty": "input-without-response",
    "accepts-wrong-type": "invalid-input-accepted",
    "accepts-missing": "invalid-input-accepted",
    "accepts-null": "invalid-input-accepted",
    "accepts-out-of-bounds": "invalid-input-accepted",
    "accepts-unknown-choice": "invalid-input-accepted",
    "rejects-choice": "valid-input-rejected",
    "rejects-bound": "valid-input-rejected",
    "rejects-with-32602": "valid-input-rejected",
    "unspecific": "input-error-unspecific",
    "fails-inside": "input-fails-inside",
    "traceback": "response-has-traceback",
    "path": "response-has-path",
    "secret": "response-has-secret",
    "not-idempotent": "not-idempotent",
    "output": "structured-content-invalid",
    "changes-tools": "calls-change-definitions",
    "stdout": "stdout-not-json",
}
_INPUTS = {*_FOUND.values()} - {"structured-content-invalid", "stdout-not-json"}


def probed(fault: str, *words: str) -> Any:
    import sys

    target = (
        "-e",
        f"PYTHONPATH={ROOT}",
        "-e",
        "SERVICE_KEY=k-9384200",
        "--",
        sys.executable,
        "-m",
        "tests.servers.careless",
    )
    return inspect("check", "--probe", "--json", *words, *target, fault)


@pytest.mark.parametrize("fault", _FOUND)
def test_each_planted_fault_is_found(fault: str) -> None:
    ran = probed(fault, "--probe-timeout", "1", "--fail-on", "hint")
    found = {each["id"] for each in ran.data["findings"]}
    assert _FOUND[fault] in found, ran.stderr
    assert found & _INPUTS <= {_FOUND[fault]}, "nothing else is found"
    assert ran.status != ExitStatus.OK


def test_a_healthy_server_has_no_finding_about_input() -> None:
    ran = probed("healthy", "--random", "30")
    assert not {each["id"] for each in ran.data["findings"]} & _INPUTS
    assert "probing 1 of 2 tools" in ran.stderr
    assert "not probed, without readOnlyHint: write" in ran.stderr


def test_the_evidence_is_the_call() -> None:
    (found,) = [each for each in probed("accepts-missing").data["findings"] if each["id"] == "invalid-input-accepted"]
    assert found["sentence"] == "work: succeeds although 'text' is missing"
    assert len(found["evidence"]["frames"]) == 2


def test_a_dry_run_lists_the_calls_and_makes_none(tmp_path: Any) -> None:
    capture = tmp_path / "dry.mcpcap"
    ran = probed("healthy", "--dry-run", "--allow-destructive", "--capture", str(capture))
    assert ran.status == ExitStatus.OK
    assert "invalid  'text' is missing" in ran.stderr
    assert "probing 2 of 2 tools" in ran.stderr
    assert b"tools/call" not in capture.read_bytes()


def test_options_of_probe_need_it() -> None:
    assert "need --probe" in inspect("check", "--random", "3", "--", "true").stderr
    assert "this is a file" in inspect("check", "--probe", "some.mcpcap").stderr
