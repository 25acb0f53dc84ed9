"""`mcp-inspect bench`: from the command line to the reports."""

import json
import xml.etree.ElementTree as Xml
from pathlib import Path

import pytest

from inspector.cli.exit_status import ExitStatus
from tests.cli.running import Ran, inspect, scripted, server

SHORT = ("--era", "legacy", "--concurrency", "1,2", "--calls", "20")


def bench(*words: str, defect: str = "clean") -> Ran:
    return inspect("bench", *SHORT, *words, *server("loaded", defect))


def test_a_report_for_people_has_a_row_for_each_tool_and_level() -> None:
    ran = bench("-t", "fast", "-t", "echo text={n}").exits(ExitStatus.OK)
    rows = [line.split()[:2] for line in ran.stdout.splitlines() if line.startswith(("echo", "fast"))]
    assert rows == [[tool, load] for load in "12" for tool in ("echo", "fast")]
    assert "sustains" in ran.stdout
    assert "no defect found" in ran.stdout
    assert "2 in flight" in ran.stderr


def test_reports_are_written_and_compared_with_a_baseline(tmp_path: Path) -> None:
    base, junit, document, slow = (tmp_path / name for name in ("base.json", "junit.xml", "bench.md", "slow.mcpcap"))
    files = ("-o", str(base), "--junit", str(junit), "--markdown", str(document), "--save", str(slow))
    ran = bench("-t", "fast", "--json", *files).exits(ExitStatus.OK)
    assert ran.data == json.loads(base.read_text())
    assert [level["tools"][0]["name"] for level in ran.data["levels"]] == ["fast", "fast"]
    assert {case.get("name") for case in Xml.parse(junit).getroot()} == {"fast, 1 in flight", "fast, 2 in flight"}
    assert document.read_text().count("| fast |") == 2
    assert inspect("verify", str(slow)).status == ExitStatus.OK
    again = ("-t", "fast", "--against", str(base), "--fail-on")
    assert bench(*again, "p95 > 1000x or errors > 0").status == ExitStatus.OK
    failed = bench(*again, "rate < 1000x and p50 > 0", "--json").exits(ExitStatus.FINDINGS)
    assert len(failed.data["failed"]) == 2
    assert "rate is" in failed.data["failed"][0]
    assert "baseline" in failed.data["failed"][0]


def test_a_capture_gives_the_calls_with_their_weights(tmp_path: Path) -> None:
    capture = tmp_path / "session.mcpcap"
    bench("-t", "fast", "-t", "echo text={n}", "--save", str(capture), "--slowest", "12").exits(ExitStatus.OK)
    ran = bench("--json", str(capture)).exits(ExitStatus.OK)
    assert {tool["name"] for tool in ran.data["alone"]} <= {"fast", "echo"}


@pytest.mark.parametrize(
    ("words", "ours"),
    [
        (("--duration", "3s"), "--for"),
        (("--duration=3s",), "--for"),
        (("-d", "3s"), "--for"),
        (("--connections", "4"), "--concurrency"),
        (("--vus", "4"), "--concurrency"),
        (("-c", "4"), "--concurrency"),
        (("--requests", "100"), "--calls"),
        (("-n", "100"), "--calls"),
        (("--rps", "50"), "--rate"),
        (("--threshold", "p95 > 1s"), "--fail-on"),
        (("--baseline", "base.json"), "--against"),
    ],
)
def test_the_name_that_another_load_tool_has_for_an_option_leads_to_ours(words: tuple[str, ...], ours: str) -> None:
    ran = inspect("bench", *words, "--", "never-started").exits(ExitStatus.USAGE)
    assert f"→ Did you mean '{ours}'? See " in ran.stderr


def test_a_server_with_a_url_is_measured_too(demo_url: str, tmp_path: Path) -> None:
    slow = tmp_path / "slow.mcpcap"
    options = ("--json", "--concurrency", "1,4", "--calls", "12", "--save", str(slow))
    ran = inspect("bench", *options, "-t", "echo text={n}", demo_url).exits(ExitStatus.OK)
    assert [level["tools"][0]["calls"] > 0 for level in ran.data["levels"]] == [True, True]
    assert ran.data["usage"]["rss"]["last"] > 0  # a server of this machine is found by its port
    assert inspect("verify", str(slow)).status == ExitStatus.OK


def test_a_file_of_cases_gives_the_calls(tmp_path: Path) -> None:
    cases = tmp_path / "calls.cases.yaml"
    cases.write_text(
        "mcp-inspect-cases: 1\ncases:\n"
        "- name: one\n  request: tools/call\n  params: {name: fast, arguments: {text: a}}\n"
        "- name: two\n  request: ping\n"
    )
    ran = bench("--json", str(cases)).exits(ExitStatus.OK)
    assert [tool["name"] for tool in ran.data["levels"][0]["tools"]] == ["fast", "ping"]


def test_variables_and_secrets_of_saved_calls_are_resolved_and_masked(tmp_path: Path) -> None:
    calls, slow = tmp_path / "calls.mcp.yaml", tmp_path / "slow.mcpcap"
    calls.write_text(
        "mcp-inspect-cases: 1\nvars: {who: Ada}\ncases:\n"
        "- name: greet\n  request: tools/call\n  params: {name: fast, arguments: {text: '{{who}} ${env:KEY}'}}\n"
        "- name: after\n  request: tools/call\n  uses: [greet]\n  params: {name: fast, arguments: {text: b}}\n"
    )
    words = ("--json", "--save", str(slow), str(calls), *server("loaded", "clean"))
    ran = inspect("bench", *SHORT, *words, env={"KEY": "swordfish"}).exits(ExitStatus.OK)
    assert "'after' uses the result of another call" in ran.stderr
    saved = slow.read_text()
    assert "Ada" in saved
    assert "swordfish" not in saved + ran.stdout


def test_only_read_only_tools_are_called_unless_all_are_allowed() -> None:
    assert "write" not in {tool["name"] for tool in bench("--json").data["alone"]}
    bench("-t", "write").exits(ExitStatus.USAGE, "readOnlyHint")
    allowed = bench("--json", "-t", "write", "--allow-destructive")
    assert [tool["name"] for tool in allowed.data["alone"]] == ["write"]


def test_a_server_without_tools_is_measured_with_its_list() -> None:
    ran = inspect("bench", "--json", *SHORT, *scripted({"tools/list": {"result": {"tools": []}}}))
    assert [tool["name"] for tool in ran.data["alone"]] == ["tools/list"]


def test_a_defect_is_a_finding_and_a_death_a_lost_server() -> None:
    failing = bench("-t", "fast", "--concurrency", "8", "--json", defect="failing").exits(ExitStatus.FINDINGS)
    assert [each["id"] for each in failing.data["verdicts"]] == ["errors-under-load"]
    died = bench("-t", "fast", "--concurrency", "16", defect="dies").exits(ExitStatus.UNREACHABLE)
    assert "exits-under-load" in died.stdout
    assert "Fatal: too many at once" in died.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-t", "nothing"), "lists no tool 'nothing'"),
        (("-t", "a", "-t", "b", "-a", "x=1"), "-a needs exactly one -t"),
        (("-a", "x=1"), "-a needs exactly one -t"),
        (("-t", "'"), "No closing quotation"),
        (("--concurrency", "0"), "invalid --concurrency"),
        (("--concurrency", "many"), "invalid --concurrency"),
        (("--rate", "-1"), "invalid --rate"),
        (("--fail-on", "speed > 1"), "unknown metric 'speed'"),
        (("--fail-on", "p95"), "not a comparison"),
        (("--fail-on", "p95 > 2x"), "--against"),
        (("--against", "missing.json"), "no such file"),
        (("missing.mcpcap",), "no such file"),
        (("one", "two"), "unexpected 'two'"),
    ],
)
def test_bench_of_nothing_measurable_is_a_usage_error(words: tuple[str, ...], said: str) -> None:
    bench(*words).exits(ExitStatus.USAGE, said)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "not JSON"),
        ("[]", "not a report"),
        ('{"levels": []}', "not a report"),
        ('{"mcp-inspect-bench": 99}', "version 99"),
        ('{"mcp-inspect-bench": 1, "levels": [{}]}', "damaged"),
    ],
)
def test_a_baseline_of_another_shape_is_an_error(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "base.json").write_text(content)
    bench("--against", str(tmp_path / "base.json")).exits(ExitStatus.USAGE, said)


def test_a_server_that_cannot_be_started_is_an_error_and_no_report() -> None:
    assert not inspect("bench", "--", "/no/such/server").exits(ExitStatus.UNREACHABLE).stdout
