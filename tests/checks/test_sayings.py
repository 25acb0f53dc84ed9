"""The tables of what programs, SDKs and platforms say."""

import itertools
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.checks.diagnoses import causes
from inspector.checks.diagnoses.causes import known_cause
from inspector.checks.sayings import _SDKS, KINDS, explained, product_facts, sayings, vocabularies
from tests.checks.talks import Talk

CODES = tomllib.loads(Path(__file__).with_name("codes.toml").read_text("utf-8"))
MEETS: dict[str, Callable[[str], Talk]] = {
    "stderr": lambda text: Talk(4, opened=False).ask("initialize").said(*text.split("\n")).exit(1),
    "call": lambda text: _refused(text),
    "body": lambda text: _posted().frame(text.encode()).over().close("no session"),
    "error": lambda text: Talk().ask("tools/list").error(-32603, text).close(),
    "works": lambda text: Talk().said(*text.split("\n")).ask("ping").answer({}).close(),
    "unclear": lambda text: _refused(text),
}


def _refused(text: str) -> Talk:
    return Talk().ask("tools/call", {"name": "read", "arguments": {}}).error(-32000, text).close()


def _posted() -> Talk:
    return Talk(4, opened=False, transport="http").post().ask("initialize").head(503, "text/plain")


@pytest.mark.parametrize(("how", "text"), [(how, text) for how, rows in CODES.items() for text in rows])
def test_meaning_of_a_published_code_comes_first_where_it_is_a_failure(how: str, text: str) -> None:
    first = [each.sentence for each in MEETS[how](text).findings()[:1]]
    assert bool(first) is bool(CODES[how][text]), first
    assert all(re.search(CODES[how][text], each) for each in first), first


@pytest.mark.parametrize("line", ["bash: line 1: foo: command not found", "/srv/a.py: 3: import: no", "ENOSPC: disk"])
def test_a_line_that_is_like_one_of_the_table_is_not_explained(line: str) -> None:
    assert known_cause([(7, line)]) is None


def test_each_row_of_the_tables_has_a_meaning_and_names_groups_that_exist() -> None:
    for path in (_SDKS, causes._TABLE):
        for pattern, means, _ in sayings(path):
            assert means
            assert all(int(each) <= pattern.groups for each in re.findall(r"\{(\d+)\}", means))
            assert means[0] != "=" or means in causes._FUNCTIONS
    assert len(explained("HTTP 400: Parse error: Invalid JSON")) == 2
    assert explained("HTTP 400: Parse error: Invalid JSON-RPC message") == ("", "")
    for pattern, members in itertools.chain(*map(vocabularies, KINDS)):
        assert members, pattern
        assert all(means and "\t" not in fix and means[-1] != "." for means, fix in members.values())


def test_a_quoted_sentence_of_an_sdk_has_its_meaning_and_its_remedy() -> None:
    talk = Talk(4, opened=False, transport="http").post().ask("initialize").head(500)
    talk.frame(b"RuntimeError: Task group is not initialized. Make sure to use run().").over().close("no session")
    found = next(each for each in talk.findings() if each.id == "http-server-error")
    assert found.sentence.endswith("(the session manager was never started)")
    assert "lifespan" in found.fix


def test_each_fact_about_a_product_has_its_product_and_date() -> None:
    assert len(product_facts()) > 10
    for words in product_facts().values():
        assert "{product}" not in words
        assert re.search(r"\b20\d\d-\d\d-\d\d\b|\bsome APIs\b", words), words
        assert words.count("{") == words.count("}")
