"""`mcp-inspect stats`: captures and servers, and each format."""

import csv
import io
import json

import pytest

from tests.captures.record import sample
from tests.cli.running import demo, inspect

_MEMBERS = {
    *("key", "calls", "ok", "tool_errors", "errors", "cancelled", "lost"),
    *("p50_ms", "p95_ms", "p99_ms", "max_ms", "bytes_in", "bytes_out"),
}


def test_a_capture_is_counted() -> None:
    ran = inspect("stats", "--json", str(sample("lighthouse"))).exits(0)
    groups = {group["key"]: group for group in ran.data["groups"]}
    assert set(groups["complex_form"]) >= _MEMBERS
    form = groups["complex_form"]
    assert (form["calls"], form["ok"], form["tool_errors"]) == (3, 2, 1)
    assert groups["long_running"]["cancelled"] == 1
    totals = ran.data["totals"]
    assert totals["calls"] == sum(group["calls"] for group in ran.data["groups"])
    assert totals["bytes_in"] == sum(group["bytes_in"] for group in ran.data["groups"])
    assert "echo" in ran.data["never_called"]
    assert ran.data["slowest"][0]["tool"] == "long_running"


def test_several_captures_add_up() -> None:
    names = ("lighthouse", "evening", "harbour")
    alone = [inspect("stats", "--json", str(sample(name))).data["totals"]["calls"] for name in names]
    ran = inspect("stats", "--json", *(str(sample(name)) for name in names))
    assert ran.data["totals"]["calls"] == sum(alone)
    assert ran.data["sources"] == [f"{name}.mcpcap" for name in names]


def test_a_filter_narrows_and_a_key_groups() -> None:
    path = str(sample("lighthouse"))
    ran = inspect("stats", "--json", "--by", "method", "--where", "tool == complex_form", path)
    assert [(group["key"], group["calls"]) for group in ran.data["groups"]] == [("tools/call", 3)]
    ran = inspect("stats", "--json", "--by", "args.name", "--where", "status == tool-error", path)
    assert sum(group["calls"] for group in ran.data["groups"]) == 2


@pytest.mark.parametrize("name", ["lighthouse", "harbour", "shipyard", "wreck", "stateless", "torn"])
@pytest.mark.parametrize("by", ["tool", "method", "server", "client", "hour", "args.x"])
def test_formats_agree(name: str, by: str) -> None:
    path = str(sample(name))
    data = inspect("stats", "--json", "--by", by, path).data
    rows = list(csv.DictReader(io.StringIO(inspect("stats", "--csv", "--by", by, path).stdout)))
    assert [row["calls"] for row in rows] == [str(group["calls"]) for group in [*data["groups"], data["totals"]]]
    page = inspect("stats", "--md", "--by", by, path).stdout
    assert page.startswith(f"# Statistics: {data['totals']['calls']} ")
    text = inspect("stats", "--by", by, path).stdout
    assert all(group["key"] in text for group in data["groups"])


def test_a_server_is_called_and_counted() -> None:
    ran = inspect("stats", "--json", "--call", 'add={"a": 1, "b": 2}', "--call", "tool_error", *demo()).exits(5)
    assert {group["key"]: (group["ok"], group["tool_errors"]) for group in ran.data["groups"]} == {
        "add": (1, 0),
        "tool_error": (0, 1),
    }
    assert ran.data["totals"]["lists"]["requests"] > 0


def test_calls_that_repeat_are_listed() -> None:
    calls = ["--call", 'add={"a": 1, "b": 2}'] * 3
    (found,) = inspect("stats", "--json", *calls, *demo()).data["repeated"]
    assert (found["tool"], found["arguments"], found["count"]) == ("add", {"a": 1, "b": 2}, 3)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "nothing to count"),
        (("nothing.mcpcap",), "no such file"),
        (("--by", "colour", "x.mcpcap"), "invalid --by"),
        (("--where", "tool ==", "x.mcpcap"), "tool =="),
        (("--json", "--csv", "x.mcpcap"), "exclude each other"),
        (("--call", "add", str(sample("evening"))), "--call needs a server"),
        (("one.mcpcap", "two.mcpcap", "--", "true"), "unexpected argument"),
    ],
)
def test_mistakes_are_usage_errors(words: tuple[str, ...], said: str) -> None:
    assert inspect("stats", *words).exits(2, said).stdout == ""


def test_a_server_that_does_not_start_has_no_statistics() -> None:
    ran = inspect("stats", "--json", "--", "/no/such/program").exits(4)
    assert ran.stdout == ""
    assert json.loads(ran.stderr.rstrip().rpartition("\n")[2])["error"]["code"]
