"""The tables of what programs, SDKs and platforms say."""

import re

import pytest

from inspector.checks.diagnoses import causes
from inspector.checks.diagnoses.causes import known_cause
from inspector.checks.sayings import _SDKS, explained, product_facts, sayings
from tests.checks.talks import Talk


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("sh: 2: {jsonrpc:2.0,id:2,method:initialize}: not found", "takes each message for a command"),
        ("/srv/.bin/a-server: line 1: import: command not found", "a shell runs a-server instead of node"),
        ("bash: line 1: cd /srv && npx -y a: No such file or directory", "quoted as one word"),
        ("Error: EMFILE: too many open files, open '/srv/log'", "too many files are open (EMFILE), open '/srv/log'"),
        ("npm WARN npm v10.1.0 is known not to run on Node.js v12.22.9", "npm 10.1.0 does not run on Node.js v12.22.9"),
    ],
)
def test_a_line_of_stderr_is_explained_by_the_table(line: str, words: str) -> None:
    known = known_cause([(7, line)])
    assert known is not None
    assert (known[0], words in known[1], bool(known[2])) == (7, True, True)


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
