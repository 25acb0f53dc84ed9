"""What is made of findings: the options, and findings in the order of their entries."""

import io
import json
from pathlib import Path

import pytest

from inspector.capture.load import load
from inspector.checks.findings import Severity
from inspector.cli.exit_status import ExitStatus
from inspector.cli.judging import Wish, conclude, inspected, wish_of
from inspector.cli.output import Output
from inspector.cli.world import World
from inspector.errors import UsageError
from tests.captures.record import sample
from tests.checks.broken import break_check


def _output() -> Output:
    return Output(World(None, {}, io.StringIO(), io.StringIO(), io.StringIO()))


def _options(**more: object) -> dict[str, object]:
    nothing = {"junit": None, "sarif": None, "baseline": None, "write_baseline": False, "hosts": (), "beside": ()}
    return nothing | {"fail_on": "error", "github": False} | more


def test_findings_come_in_the_order_of_their_entries() -> None:
    journal = load(sample("wreck"))
    findings, inspection = inspected(journal)
    journal.close()
    assert inspection.taken == 0 or findings == sorted(findings, key=lambda each: each.frames[0])


@pytest.mark.parametrize(("fails", "status"), [(Severity.ERROR, ExitStatus.FINDINGS), (None, ExitStatus.OK)])
def test_the_exit_status_goes_by_what_fails(fails: Severity | None, status: ExitStatus) -> None:
    journal = load(sample("wreck"))
    assert conclude(_output(), journal, Wish("wreck", fails)) is status
    journal.close()


def test_the_options_are_taken_out_of_all() -> None:
    options = _options(fail_on="never", timeout=3)
    assert wish_of(options, "server", _output()).fails is None
    assert options == {"timeout": 3}


def test_a_baseline_that_is_to_be_written_needs_a_place() -> None:
    with pytest.raises(UsageError, match="not where"):
        wish_of(_options(write_baseline=True), "server", _output())
    assert wish_of(_options(write_baseline=True, baseline=Path("x")), "server", _output()).writes_baseline


@pytest.mark.parametrize("as_json", [True, False])
def test_a_check_that_fails_inside_is_named_and_the_verdict_stands(
    monkeypatch: pytest.MonkeyPatch, *, as_json: bool
) -> None:
    journal = load(sample("lighthouse"))
    before = conclude(_output(), journal, Wish("lighthouse", Severity.ERROR))
    break_check(monkeypatch, "R-01")
    told, narrated = io.StringIO(), io.StringIO()
    output = Output(World(None, {}, io.StringIO(), told, narrated), as_json=as_json)
    assert conclude(output, journal, Wish("lighthouse", Severity.ERROR)) is before
    journal.close()
    assert "! check R-01 failed inside at #" in narrated.getvalue()
    assert "please report it" in narrated.getvalue()
    if as_json:
        found = json.loads(told.getvalue())["set_aside"]
        assert [each["check"] for each in found] == ["R-01"]
        assert found[0]["error"].startswith("KeyError")
