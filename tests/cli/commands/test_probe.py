"""`mcp-inspect check --probe`: each planted fault is found, and a healthy server has none."""

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.exit_status import ExitStatus
from tests.architecture.sources import ROOT
from tests.cli.running import inspect
from tests.waiting import SLOWNESS

_FOUND = tomllib.loads((ROOT / "tests/servers/careless.toml").read_text())
_RIGHTLY, _UNRELATED, _ONLY_HINTS = (_FOUND.pop(each).split() for each in ("rightly", "unrelated", "only-hints"))
_HANGS = {"prints-before-it", "waits-as-told"} | {key for key, id_ in _FOUND.items() if id_ == "input-without-response"}
_SHORT_S = f"{2 * SLOWNESS:.0f}"
"""How long a call that is never responded to is waited for: longer than any other call takes."""
_INPUTS = {*_FOUND.values()} - {"structured-content-invalid", "stdout-not-json"}


def probed(fault: str, *words: str) -> Any:
    given = (f"-ePYTHONPATH={ROOT}", "-eSERVICE_KEY=k-9384200", "-eSERVICE_HOST=db.example")
    target = (*given, "--", sys.executable, "-m")
    return inspect("check", "--probe", "--json", *words, *target, "tests.servers.careless", fault)


@pytest.mark.parametrize("fault", _FOUND)
def test_each_planted_fault_is_found(fault: str) -> None:
    more = ["--allow-destructive"] if fault == "not-idempotent" else []
    if fault in _HANGS:
        more += ["--probe-timeout", _SHORT_S]
    ran = probed(fault, "--fail-on", "hint", *more)
    found = {each["id"] for each in ran.data["findings"]}
    assert _FOUND[fault] in found, ran.stderr
    assert found & {*_INPUTS, "request-unanswered"} <= {_FOUND[fault]}, "nothing else is found"
    assert ran.status != ExitStatus.OK


@pytest.mark.parametrize("healthy", _RIGHTLY)
def test_probe_when_the_server_refuses_or_transforms_rightly_finds_nothing(healthy: str) -> None:
    ran = probed(healthy, "--fail-on", "hint")
    assert [each["sentence"] for each in ran.data["findings"] if each["id"] in _INPUTS] == []
    assert "No check explains" not in ran.stderr + ran.stdout


def test_tool_that_no_longer_responds_to_any_call_does_not_fail_with_a_value() -> None:
    ran = probed("limits-its-calls", "--fail-on", "hint", "--probe-timeout", _SHORT_S)
    said = {each["id"]: each["sentence"] for each in ran.data["findings"] if each["id"] in {*_INPUTS, "slow-tool"}}
    assert [*said] == ["slow-tool"]
    assert said["slow-tool"].endswith("nor to the first call again: it may limit the number of calls")


def test_a_healthy_server_has_no_finding_about_input() -> None:
    ran = probed("healthy", "--random", "30")
    assert not {each["id"] for each in ran.data["findings"]} & _INPUTS
    assert "probing 1 of 2 tools" in ran.stderr
    assert "not probed, without readOnlyHint: write" in ran.stderr


@pytest.mark.parametrize("healthy", ["idempotent-with-times", "creates-at-first"])
def test_idempotent_results_may_differ_in_their_moments_and_the_first_time(healthy: str) -> None:
    ran = probed(healthy, "--fail-on", "hint", "--allow-destructive")
    assert "not-idempotent" not in {each["id"] for each in ran.data["findings"]}


def test_a_tool_that_is_always_slow_is_only_a_hint(tmp_path: Path) -> None:
    capture = tmp_path / "slow.mcpcap"
    ran = probed("slow", "--probe-timeout", _SHORT_S, "--capture", str(capture))
    (found,) = [each for each in ran.data["findings"] if each["id"] in {*_INPUTS, "slow-tool"}]
    assert (found["id"], found["severity"]) == ("slow-tool", "hint")
    assert "connected again" not in ran.stderr
    assert b"notifications/cancelled" in capture.read_bytes(), "the server does not have to finish it"
    assert "call-timed-out" not in {each["id"] for each in ran.data["findings"]}, "it is judged as slow-tool"


def test_probe_of_tools_that_all_hang_stops_after_a_few_and_names_the_others() -> None:
    ran = probed("slow-with-many-tools", "--probe-timeout", "1")
    assert "no call of work, work2, work3 got a response in 1 s; not probed: work4, work5\n" in ran.stderr


def test_probe_when_its_time_is_over_names_what_it_did_not_try() -> None:
    ran = probed("healthy", "--allow-destructive", "--probe-for", "0").exits(ExitStatus.OK)
    assert "for 0 s at most (--probe-for)" in ran.stderr
    assert "the time is over (0 s); not probed: work, write\n" in ran.stderr
    assert ran.data["not_probed"] == [{"tool": each, "why": "the time is over (0 s)"} for each in ("work", "write")]
    assert probed("healthy").data["not_probed"] == [{"tool": "write", "why": "without readOnlyHint"}]


@pytest.mark.parametrize("fault", [*_UNRELATED, *_ONLY_HINTS])
def test_probe_does_not_blame_effects_unrelated_to_arguments(fault: str) -> None:
    """A path that is an example, a network that is missing for all arguments, a constraint that the schema lacks."""
    found = [each for each in probed(fault).data["findings"] if each["id"] in {*_INPUTS, "undeclared-constraint"}]
    assert not [each["sentence"] for each in found if each["severity"] in ("error", "warning")]
    assert ("undeclared-constraint" in {each["id"] for each in found}) is (fault in _ONLY_HINTS)


@pytest.mark.parametrize(("fault", "quote"), [("empty-is-missing", "Missing"), ("empty-is-too-short", "… Invalid arg")])
def test_an_empty_text_that_counts_as_missing_is_named_as_that(fault: str, quote: str) -> None:
    (found,) = [each for each in probed(fault).data["findings"] if "rejected" in each["sentence"]]
    assert found["sentence"].startswith(f"work: rejected if a text is empty, which inputSchema allows: {quote}")


def test_tool_that_always_fails_is_named_on_stderr() -> None:
    assert "work: no valid call succeeded" in probed("no-network").stderr
    assert "no valid call succeeded" not in probed("healthy").stderr


def test_the_probing_goes_on_after_a_crash_and_after_a_hang() -> None:
    ran = probed("crash-twice", "--probe-timeout", _SHORT_S)
    found = [each for each in ran.data["findings"] if each["id"] in _INPUTS]
    assert {each["sentence"] for each in found} == {
        "work: the server disconnects if 'count' is null",
        f"work: no response in {_SHORT_S} s if 'text' has 10,000 characters",
    }
    assert "work: the server disconnected: 'count' is null; connected again" in ran.stderr
    assert "work: the server no longer responds: 'text' has 10,000 characters; connected again" in ran.stderr
    assert "calls were made" not in ran.stderr
    calls = [each for each in found if each["evidence"]["frames"]]
    assert len(calls) == 2, "each has its call as evidence"


@pytest.mark.parametrize("fault", ["crash-on-twelfth", "ends-by-itself", "ends-after-a-time"])
def test_a_call_that_does_not_end_the_server_twice_is_not_why_it_ended(fault: str) -> None:
    ran = probed(fault)
    assert "work: the call is not why the server ended" in ran.stderr
    assert {each["id"] for each in ran.data["findings"]} & {*_INPUTS, "exit-during-session"} == {"exit-during-session"}


def test_a_tool_that_ends_the_server_again_and_again_is_given_up() -> None:
    ran = probed("crash-on-null", "--allow-destructive")
    sentences = [each["sentence"] for each in ran.data["findings"] if each["id"] == "input-ends-server"]
    assert len(sentences) == 6, "three of each tool"
    assert re.search(r"work: \d+ of 40 calls were made", ran.stderr)
    assert re.search(r"write: \d+ of 40 calls were made", ran.stderr)


def test_a_server_that_does_not_start_again_ends_the_probing(tmp_path: Path) -> None:
    ran = probed("crash-on-null", "-e", f"STARTS_ONCE={tmp_path / 'once'}")
    assert "'text' is null; connecting again failed: " in ran.stderr
    assert "what follows in the plan was not called" in ran.stderr
    assert "input-ends-server" in {each["id"] for each in ran.data["findings"]}


def test_the_evidence_is_the_call() -> None:
    (found,) = [each for each in probed("accepts-missing").data["findings"] if each["id"] == "invalid-input-accepted"]
    assert found["sentence"] == "work: succeeds although 'text' is missing"
    assert len(found["evidence"]["frames"]) == 2


def test_a_dry_run_lists_the_calls_and_makes_none(tmp_path: Any) -> None:
    capture = tmp_path / "dry.mcpcap"
    ran = probed("healthy", "--dry-run", "--allow-destructive", "--capture", str(capture)).exits(ExitStatus.OK)
    assert "invalid  'text' is missing" in ran.stderr
    assert "probing 2 of 2 tools" in ran.stderr
    assert b"tools/call" not in capture.read_bytes()


def test_options_of_probe_need_it() -> None:
    assert "need --probe" in inspect("check", "--random", "3", "--", "true").stderr
    assert "this is a file" in inspect("check", "--probe", "some.mcpcap").stderr
