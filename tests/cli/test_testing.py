"""What comes of cases, told."""

import xml.etree.ElementTree as Xml
from pathlib import Path

import pytest

from inspector.cli.testing import as_junit, chosen_cases
from inspector.errors import UsageError
from inspector.replay.cases.judging import Came, Failure
from inspector.replay.cases.model import Case, Cases
from inspector.replay.cases.running import Ran


def test_junit_has_a_test_for_each_case_whatever_a_server_says() -> None:
    hostile = "\x1b[31m\ud800\x00]]><&"
    ran = [
        Ran(Case("good", "x"), Came({"result": {}}, 1500.0)),
        Ran(Case(hostile, "x"), Came({}, why=hostile), (Failure(hostile), Failure("two"))),
    ]
    suite = Xml.fromstring(as_junit(ran, "f.yaml"))
    assert (suite.get("tests"), suite.get("failures"), suite.get("time")) == ("2", "1", "1.500")
    good, bad = suite
    assert (good.get("name"), good.get("time"), len(good)) == ("good", "1.500", 0)
    assert "]]><&" in (bad[0].get("message") or "")
    assert (bad[0].text or "").endswith("\ntwo")


def test_cases_are_chosen_by_a_part_of_their_name() -> None:
    found = Cases((Case("add", "x"), Case("search", "x")), "")
    assert [each.name for each in chosen_cases(found, ("ear", "zzz"), Path("f"))] == ["search"]
    assert len(chosen_cases(found, (), Path("f"))) == 2
    with pytest.raises(UsageError, match="no case of f has 'zzz' in its name"):
        chosen_cases(found, ("zzz",), Path("f"))
    with pytest.raises(UsageError, match="f: no cases"):
        chosen_cases(Cases((), ""), (), Path("f"))
