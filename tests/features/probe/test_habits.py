"""What many tools have in common."""

import pytest

from inspector.checks.rules.inputs import input_finding
from inspector.features.probe.habits import of_many_tools
from inspector.features.probe.leaks import Leaks, leaked, paths_in
from inspector.features.probe.plan import ProbeCall

_TOOLS = ("tax", "vat_credit", "withholding")


def _said(*sentences: str, id_: str = "invalid-input-accepted") -> list[str]:
    found = [input_finding(id_, sentence, (1,), None) for sentence in sentences]
    names = [sentence.partition(": ")[0] for sentence in sentences]
    return [each.sentence for each in of_many_tools(found, names)]


def test_a_finding_that_three_tools_share_is_one_with_their_names() -> None:
    habit = "succeeds although it is called with an argument that the schema does not name"
    (one,) = _said(f"a: {habit} (so do 7 other calls of it)", f"b: {habit}", f"c: {habit} (so does another call)")
    assert one == f"a: {habit} (so do 7 other calls of it), and the same of 2 other tools: b, c"


def test_the_argument_and_its_value_are_no_difference() -> None:
    (one,) = _said(
        *(f"{tool}: the error does not name '{tool}1' if '{tool}1' is a number: got `7`" for tool in "abcdefg")
    )
    assert one.endswith("and the same of 6 other tools: b, c, d, e, …")


def test_an_error_that_quotes_the_tool_and_is_cut_is_the_same_for_all() -> None:
    habit = "rejected although it is called with an argument that the schema does not name, which inputSchema allows"
    python = "Failed: NotesServer._register.<locals>.{0}() got an unexpected keyword argument"
    for form in ("Error executing tool {0}: 1 error for {0}Args", "1 validation error for call[{0}]", python):
        quoted = {tool: form.format(tool) + " x" * 50 for tool in _TOOLS}
        (one,) = _said(*(f"{tool}: {habit}: {quoted[tool][:100]}" for tool in _TOOLS), id_="undeclared-constraint")
        assert one.endswith("and the same of 2 other tools: vat_credit, withholding")


def test_findings_of_two_tools_or_with_other_words_stay_apart() -> None:
    said = (
        "a: succeeds although 'x' is missing",
        "b: succeeds although 'y' is missing",
        "c: succeeds although 'x' is null",
    )
    assert _said(*said) == [*said]


def test_a_folder_within_a_path_is_no_home_directory() -> None:
    assert list(paths_in("cannot open /srv/app/home/me/x, see file:///home/me/y")) == ["/home/me/y"]
    assert list(paths_in("not in PATH=/home/me/bin:/usr/bin")) == ["/home/me/bin"]


@pytest.mark.parametrize(
    ("value", "found"), [("/srv/keys/google.json", 0), ("/9j4AAQ/SkZJRgABAQ", 1), ("c2VjcmV0LXZhbHVl", 1)]
)
def test_the_name_of_a_file_of_credentials_is_no_secret(value: str, found: int) -> None:
    leaks = Leaks({"GOOGLE_APPLICATION_CREDENTIALS": value}, lambda _: True)
    shown = [*leaked(ProbeCall("'a' is null", "a", {}), f"cannot open {value}", leaks, is_error=True)]
    assert len(shown) == found
