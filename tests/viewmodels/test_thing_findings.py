"""What was found about one thing of a list, in lines."""

import msgspec

from inspector.checks.findings import Severity
from inspector.protocol.things import Prompt, Template, Thing, Tool
from inspector.viewmodels.found import Found
from inspector.viewmodels.lines import plain
from inspector.viewmodels.thing_findings import cause_line, finding_spans, findings_about
from tests.viewmodels.tape import Tape
from tests.viewmodels.test_found import finding


def test_each_kind_of_thing_has_what_was_found_about_it_worst_first(tape: Tape) -> None:
    found = Found(tape.journal)
    prompt, nameless, template = {"name": "hail"}, {"name": 7}, {"uriTemplate": "x://{a"}
    tape.request(1, "prompts/list")
    prompts = tape.answer(1, {"prompts": [prompt, nameless]})
    tape.request(2, "resources/templates/list")
    templates = tape.answer(2, {"resourceTemplates": [template]})
    found.add(
        [
            finding("P9", prompts, Severity.HINT, "/result/prompts/0"),
            finding("P1", prompts, pointer="/result/prompts/0"),
        ]
    )
    found.add([finding("P2", prompts, pointer="/result/prompts/1/name")])
    found.add([finding("R2", templates, pointer="/result/resourceTemplates/0/uriTemplate")])

    def ids(thing: Thing) -> list[str]:
        return [each.id for each in findings_about(found, thing)]

    assert ids(Prompt(prompt)) == ["P1", "P9"]
    assert ids(Prompt(nameless)) == ["P2"]
    assert ids(Template(template)) == ["R2"]
    assert ids(Tool(prompt)) == []
    assert findings_about(None, Prompt(prompt)) == ()


def test_a_check_is_one_line_the_worst_first_and_the_keys_show_the_rest() -> None:
    found = [finding("H1", 3, Severity.HINT), finding("E1", 1), finding("W1", 2, Severity.WARNING), finding("E1", 4)]
    few = [plain(line) for line in finding_spans(found, full=False, more_key="i", evidence_key="E")]
    assert few == ["✗ error E1 something ×2", "▲ warning W1 something", "  i shows 1 more   E shows the evidence"]
    full = [plain(line) for line in finding_spans(found, full=True, more_key="i", evidence_key="E")]
    assert full[2:] == ["· hint H1 something", "  E shows the evidence"]
    assert finding_spans([], full=True, evidence_key="E") == []


def test_foreign_words_in_a_sentence_are_shown_and_do_nothing() -> None:
    hostile = msgspec.structs.replace(finding("E1", 1), sentence="\x1b[2J" + "x" * 1000)
    line = plain(finding_spans([hostile], full=False)[0])
    assert "\x1b" not in line
    assert "␛[2J" in line
    assert len(line) < 200


def test_the_cause_of_a_call_is_what_comes_first_of_its_messages_and_no_hint(tape: Tape) -> None:
    found = Found(tape.journal)
    found.add([finding("K15", 8, Severity.HINT), finding("L-20", 8, Severity.WARNING), finding("E05", 5)])
    assert "L-20" in plain(cause_line(found, (7, 8)))
    assert cause_line(found, (9, None)) == []
    only_hints = Found(tape.journal)
    only_hints.add([finding("K15", 8, Severity.HINT)])
    assert cause_line(only_hints, (7, 8)) == []
