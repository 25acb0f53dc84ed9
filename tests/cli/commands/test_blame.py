"""`mcp-inspect blame`: from a capture to a sentence."""

import json
import sys
from pathlib import Path

import pytest

from inspector.cli.exit_status import ExitStatus
from inspector.transports.http.listener import HttpRequest, HttpResponse, Listener
from tests.cli.running import inspect
from tests.servers.faulty.http._healthy import TOOL, legacy
from tests.servers.faulty.verdicts import hosted
from tests.servers.http_fixtures import json_answer
from tests.servers.streams import answer_to

PLANTED = str(Path(__file__).parents[2] / "features" / "blame" / "planted.py")


def planted(reason: str) -> tuple[str, ...]:
    return ("--", sys.executable, PLANTED, reason)


@pytest.fixture
def failing(tmp_path: Path) -> Path:
    """A session as Codex opens it: it declares no roots, and its requests fail."""
    capture = tmp_path / "fails.mcpcap"
    inspect("list", "tools", "--as", "codex", "--capture", str(capture), *planted("roots"))
    return capture


def test_blame_names_the_member_that_another_client_sends_and_exits_1(failing: Path, tmp_path: Path) -> None:
    ran = inspect(
        "blame", str(failing), "--as", "claude-code", "--pair", str(tmp_path / "pair"), "--json", *planted("roots")
    )
    found = json.loads(ran.stdout)
    assert ran.status == ExitStatus.FINDINGS
    assert [each["label"] for each in found["edits"]] == ["`params.capabilities.roots` of initialize is {}"]
    (message,) = found["messages"]
    assert "roots" not in message["fails"]
    assert "roots" in message["works"]
    assert [Path(each).name for each in found["captures"]] == ["fails.mcpcap", "works.mcpcap", "fails.cases.yaml"]
    cases = found["captures"][2]
    today = inspect("test", cases, "--json", *planted("roots")).exits(ExitStatus.FINDINGS)
    assert json.loads(today.stdout)["failed"] == len(json.loads(today.stdout)["cases"]) > 0
    assert inspect("test", cases, *planted("healthy")).status == ExitStatus.OK


def test_blame_of_two_captures_shows_both_messages(failing: Path, tmp_path: Path) -> None:
    works = tmp_path / "works.mcpcap"
    inspect("list", "tools", "--as", "claude-code", "--capture", str(works), *planted("roots"))
    ran = inspect("blame", str(failing), "--works", str(works), *planted("roots"))
    first, _, what, fails, now_works, marks = ran.stdout.splitlines()[:6]
    assert first.startswith(
        "The server works if `params.capabilities.roots` of initialize is {}: tools/list gives 2 items"
    )
    assert what == "initialize"
    assert fails.strip().startswith("fails  …")
    assert '"roots":{}' in now_works
    assert '"roots":{}' in now_works[marks.index("^") : marks.rindex("^") + 1]
    assert "error list-failed: tools/list was rejected with -32000" in ran.stdout


def test_blame_over_http_of_two_captures_names_the_header(tmp_path: Path) -> None:
    def listed(request: HttpRequest) -> HttpResponse:
        is_refused = any(value == "stale" for name, value in request.headers if name.lower() == "x-cache")
        return HttpResponse(409, (), b"stale") if is_refused else json_answer(answer_to(request, {"tools": [TOOL]}))

    fails, works = tmp_path / "fails.mcpcap", tmp_path / "works.mcpcap"
    with hosted(Listener(legacy(tools_list=listed))) as listener:
        url = f"{listener.url}/mcp"
        inspect("list", "tools", "-H", "X-Cache: stale", "-H", "X-Two: 2", "--capture", str(fails), url)
        inspect("list", "tools", "--capture", str(works), url)
        ran = inspect("blame", str(fails), "--works", str(works), "--json", url)
    assert ran.status == ExitStatus.FINDINGS
    assert [each["label"] for each in json.loads(ran.stdout)["edits"]] == ["the header x-cache of tools/list is absent"]


def test_blame_lists_what_it_does_not_compare(failing: Path, tmp_path: Path) -> None:
    works = tmp_path / "works.mcpcap"
    more = ("-e", "PLANTED_TOKEN=x")
    inspect("list", "tools", "--as", "codex", "--capture", str(works), *more, *planted("roots"), "--loud")
    ran = inspect("blame", str(failing), "--works", str(works), *planted("roots")).exits(ExitStatus.OK)
    assert "only the working side sets PLANTED_TOKEN; a capture holds no values: give it with -e" in ran.stderr
    assert "planted.py roots --loud`); --recorded-commands starts each side with its own" in ran.stderr
    assert "not in a capture: the clock" in ran.stderr


def test_blame_with_the_recorded_commands_names_the_argument(tmp_path: Path) -> None:
    fails, works = tmp_path / "fails.mcpcap", tmp_path / "works.mcpcap"
    inspect("list", "tools", "--capture", str(fails), *planted("flag"), "--strict")
    inspect("list", "tools", "--capture", str(works), *planted("flag"))
    ran = inspect("blame", str(fails), "--works", str(works), "--recorded-commands", *planted("flag"))
    assert ran.stdout.startswith("The server works if the argument --strict is not given: tools/list gives 2 items")


def test_blame_where_both_sides_fail_alike_asks_for_a_side_that_works(failing: Path) -> None:
    ran = inspect("blame", str(failing), *planted("roots")).exits(ExitStatus.OK)
    assert "Both sides fail alike: tools/list gives error -32000" in ran.stdout
    assert "--works or --as" in ran.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("no-such.mcpcap", *planted("roots")), "no such file"),
        ((), "no server to play against"),
        (("--pair", "{here}", *planted("roots")), "fails.mcpcap exists"),
        (("--works", "x.mcpcap", "--as", "codex", *planted("roots")), "both --works and --as"),
    ],
)
def test_blame_with_wrong_words_is_a_usage_error(failing: Path, words: tuple[str, ...], message: str) -> None:
    argv = words if words and words[0].endswith(".mcpcap") else (str(failing), *words)
    argv = tuple(word.format(here=failing.parent) for word in argv)
    inspect("blame", *argv).exits(ExitStatus.USAGE, message)


def test_blame_of_a_client_that_stopped_after_its_opening_asks_for_the_declared_lists(tmp_path: Path) -> None:
    capture = tmp_path / "fails.mcpcap"
    inspect("info", "--as", "codex", "--capture", str(capture), *planted("roots"))
    ran = inspect("blame", str(capture), "--as", "claude-code", "--json", *planted("roots"))
    (edit,) = json.loads(ran.stdout)["edits"]
    assert edit["label"] == "`params.capabilities.roots` of initialize is {}"
