"""Rows and details of resources, templates and prompts; completion of arguments."""

from typing import Any

import msgspec
import pytest

from inspector.checks.findings import Severity
from inspector.present.items import MOST_ICONS, ItemRow, matching_rows, row_spans
from inspector.present.live_checks import JournalFindings
from inspector.present.spans import plain
from inspector.protocol.listed_items import ListedItem, Prompt, Resource, Template, Tool
from inspector.protocol.tracking.subscriptions import Subscriptions
from inspector.protocol.uri_templates import take_apart
from inspector.text import cell_width
from inspector.tui.screens.items.model import (
    COMMON,
    NOT_SUPPORTED,
    ListedRows,
    ResourceRow,
    WatchedRows,
    cause_line,
    claims,
    completion_failed,
    completion_of,
    counts,
    described,
    finding_spans,
    findings_about,
    head_lines,
    preview,
    prompt_counts,
    prompt_facts,
    prompt_markdown,
    prompt_offers,
    prompt_place,
    prompt_schema,
    resource_facts,
    resource_offers,
    resource_place,
    template_schema,
    unknown_members,
    uris_of,
)
from tests.present.tape import Tape
from tests.present.test_live_checks import finding
from tests.protocol.tracking.test_subscriptions import known, subscribed, updated
from tests.protocol.wire import Wire


@pytest.mark.parametrize(
    ("answer", "values", "note"),
    [
        ({"values": ["a"]}, ("a",), "1 value"),
        ({"values": []}, (), "no values"),
        ({"values": ["a", "b"], "total": 7, "hasMore": True}, ("a", "b"), "2 values of 7, more available"),
        ({"values": ["a", "b"], "total": 2}, ("a", "b"), "2 values"),
        ({"values": ["a", 7, None]}, ("a",), "1 value  ▲ 2 not strings"),
        ({"values": "no"}, (), "▲ the result has no completion.values"),
        (None, (), "▲ the result has no completion.values"),
    ],
)
def test_values_come_with_how_many_there_are(answer: Any, values: tuple[str, ...], note: str) -> None:
    found = completion_of({"completion": answer})
    assert found.values == values
    assert plain(found.note) == note
    assert found.supported


def test_oversized_completion_is_shown_with_a_note() -> None:
    found = completion_of({"completion": {"values": [str(number) for number in range(10_000)]}})
    assert len(found.values) == 10_000
    assert "more than the allowed 100" in plain(found.note)


def test_completion_failure_distinguishes_unsupported() -> None:
    assert completion_failed({"code": -32601, "message": "what?"}) is NOT_SUPPORTED
    found = completion_failed({"code": -32602, "message": "\x1b[31mno"})
    assert found.supported
    assert plain(found.note) == "▲ no completion: ␛[31mno"
    assert "no reason given" in plain(completion_failed(None).note)


def offer(title: str, uri: str = "", about: str = "") -> ItemRow:
    raw = {"name": title, "uri": uri, "description": about, "mimeType": "text/plain", "size": 9}
    return ResourceRow(Resource(raw))


OFFERS = [offer("Tide chart", "x://chart.png"), offer("Chart room", about="dry"), offer("Notes", "x://n", "a chart")]


def test_places_are_aligned() -> None:
    rows = ListedRows(("resource", "uri", "type, size"))
    rows.replace(OFFERS)
    lines = [plain(rows.header(80)), *(plain(rows.row(at, 80).spans) for at in range(len(OFFERS)))]
    assert lines[0].index("uri") == 34
    assert {line.index("x://") for line in lines[1:] if "x://" in line} == {34}


def test_a_search_puts_the_nearest_first() -> None:
    assert [each.label for each in matching_rows(OFFERS, "chart")] == ["Chart room", "Tide chart", "Notes"]
    assert [each.label for each in matching_rows(OFFERS, ".PNG")] == ["Tide chart"]
    assert [each.label for each in matching_rows(OFFERS, "ntes")] == ["Notes"]
    assert matching_rows(OFFERS, " ") == OFFERS
    assert matching_rows(OFFERS, "nobody") == []


def test_item_row_has_the_requested_width() -> None:
    for width in (10, 39, 60, 120):
        assert cell_width(plain(row_spans(OFFERS[0], width, right=OFFERS[0].right))) == width
    assert "x://chart.png" in plain(row_spans(OFFERS[0], 80, right=OFFERS[0].right))
    assert plain(row_spans(OFFERS[0], 39, right=OFFERS[0].right)).endswith("text/plain 9 B")


def test_item_row_shows_its_flaw() -> None:
    assert "it has no uri" in plain(row_spans(offer("Lost"), 60))


def test_the_list_shows_what_was_found() -> None:
    rows = ListedRows(("resource", "uri", "type"))
    before = rows.generation
    rows.replace(OFFERS, "notes")
    assert (rows.count, rows.item(0).name) == (1, "Notes")
    assert rows.generation != before
    assert plain(rows.header(80)).startswith("resource")
    assert "Notes" in plain(rows.row(0, 40).spans)


def test_title_and_name_stand_beside_each_other_if_they_differ() -> None:
    assert plain(head_lines(Prompt({"name": "hail", "title": "Hail"}))[0]) == "Hail  hail"
    assert plain(head_lines(Prompt({"name": "hail"}))[0]) == "hail"
    assert plain(head_lines(ListedItem(7))[0]) == "(no name)"


def test_claims_are_shown_whatever_they_are_and_icons_are_facts() -> None:
    raw = {
        "annotations": {"audience": ["user", 7], "priority": 0.5, "lastModified": "2026-01-01", "\x1b[31m": {}},
        "icons": [{"src": "data:image/png;base64," + "A" * 500, "sizes": ["16x16", 3], "theme": "dark"}, None] * 9,
        "_meta": {"a/b": 1},
    }
    facts = {fact.key: fact.value for fact in claims(raw)}
    assert facts["audience"] == "user, 7  (not user or assistant)"
    assert facts["priority"] == "0.5"
    assert "␛[31m" in facts
    assert facts["icons"] == f"{18 - MOST_ICONS} more"
    assert facts["_meta"] == "a/b"
    icon = next(fact for fact in claims(raw) if fact.key == "icon")
    assert icon.value.endswith("16x16 dark theme")
    assert len(icon.value) < 120
    assert claims("no object") == []


def test_unknown_members_are_listed() -> None:
    assert [fact.value for fact in unknown_members({"name": 1, "zeal": 2}, COMMON)] == ["zeal"]
    assert unknown_members({"name": 1}, COMMON) == []


def test_a_description_is_shown_line_by_line_and_safe() -> None:
    assert [plain(line) for line in described(ListedItem({"description": "a\n\x1b[2Jb"}))] == ["a", "␛[2Jb"]


HAIL = {
    "name": "hail",
    "title": "Hail a ship",
    "arguments": [{"name": "ship", "required": True, "description": "Whom"}, {"name": "mood", "title": "Mood"}],
}


def test_prompt_row_has_its_arguments() -> None:
    (offer,) = prompt_offers([Prompt(HAIL)])
    assert (offer.label, offer.place, offer.right) == ("Hail a ship", "ship*, mood", "2 arguments")
    assert plain(prompt_place(Prompt(HAIL))) == "ship*, mood"
    assert plain(prompt_place(Prompt({"name": "bare"}))) == "no arguments"
    assert prompt_counts([offer]) == ("1 prompt", "")
    assert prompt_counts([]) == ("", "")


def test_prompt_schema_has_string_arguments() -> None:
    schema = prompt_schema(Prompt(HAIL))
    assert schema["properties"] == {
        "ship": {"type": "string", "description": "Whom"},
        "mood": {"type": "string", "title": "Mood"},
    }
    assert schema["required"] == ["ship"]


def test_odd_arguments_are_left_out_and_counted() -> None:
    odd = Prompt({"name": "a", "arguments": [{"name": "x"}, {"name": "x"}, 7, {}]})
    assert list(prompt_schema(odd)["properties"]) == ["x"]
    assert [fact.value for fact in prompt_facts(odd)] == ["3 left out: no name, duplicate name, or too many"]
    (fact,) = prompt_facts(Prompt({"name": "a", "arguments": {"x": 1}}))
    assert fact.value == "object instead of array"
    assert prompt_offers([Prompt("no")])[0].flaw == "a string instead of an object"


def test_messages_become_markdown_without_their_data() -> None:
    result = {
        "description": "A\nhail",
        "messages": [
            {"role": "user", "content": {"type": "text", "text": "Ahoy"}},
            {"role": "assistant", "content": {"type": "image", "data": "A" * 400, "mimeType": "image/png"}},
            {"role": "user", "content": {"type": "resource", "resource": {"uri": "x://a", "text": "a ``` b\n"}}},
            {"content": [{"type": "resource_link", "uri": "x://b"}, 7]},
        ],
    }
    assert prompt_markdown(result) == (
        "# A hail\n\n## user\n\nAhoy\n\n## assistant\n\n*(image, image/png, 300 B)*\n\n"
        "## user\n\nx://a\n\n````\na ``` b\n````\n\n"
        "## no role\n\n*(resource_link, x://b)*\n\n*(a block without a type)*\n"
    )
    assert prompt_markdown({"messages": "no"}) == ""


CHART = {"uri": "x://chart", "name": "chart", "title": "Chart", "mimeType": "image/png", "size": 2048}


def test_resources_come_first_and_say_type_and_size() -> None:
    template = {"uriTemplate": "x://{day}", "name": "day"}
    offers = resource_offers([Resource(CHART), Resource({"uri": "x://b"})], [Template(template)])
    assert [(each.label, each.place, each.right) for each in offers] == [
        ("Chart", "x://chart", "image/png 2.0 kB"),
        ("x://b", "x://b", ""),
        ("day", "x://{day}", ""),
    ]
    assert offers[2].sign == "{} "
    assert counts(offers) == ("2 resources", ", 1 template")
    assert counts(offers[:1]) == ("1 resource", "")
    assert counts([]) == ("", "")


def test_unusable_item_stays_with_its_reason() -> None:
    offers = resource_offers([Resource(7), Resource({"name": "a", "size": -1})], [Template({"uriTemplate": "x://{"})])
    assert [each.flaw for each in offers] == ["a number instead of an object", "it has no uri", "cannot be expanded"]
    assert [each.label for each in offers] == ["(no name)", "a", "x://{"]


def test_facts_are_what_the_server_claims() -> None:
    facts = {fact.key: fact.value for fact in resource_facts(Resource(CHART | {"annotations": {"priority": 1}}))}
    assert facts == {"type": "image/png", "size": "2,048 bytes (reported)", "priority": "1"}
    assert resource_facts(Resource({"size": -5}))[0].role == "warning"
    assert plain(resource_place(Resource(CHART))) == "x://chart"
    assert plain(resource_place(Resource({}))) == "(no uri)"


def test_a_template_with_an_odd_name_has_a_note() -> None:
    (fact,) = resource_facts(Template({"uriTemplate": "x://{a-b}"}))
    assert "no variable name" in fact.value


def test_a_template_asks_for_its_variables() -> None:
    schema = template_schema(take_apart("x://{day:3}{?unit,zones*}"))
    assert list(schema["properties"]) == ["day", "unit", "zones"]
    assert schema["required"] == ["day"]
    assert schema["properties"]["zones"]["type"] == "array"
    assert "first 3 characters" in schema["properties"]["day"]["description"]
    assert "omitted from the URI" in schema["properties"]["unit"]["description"]


def test_the_preview_is_the_uri_or_why_there_is_none() -> None:
    assert plain(preview("x://\x1b", "")).endswith("x://␛")
    assert "cannot expand: it is empty" in plain(preview("", "it is empty"))


def test_each_kind_of_thing_has_what_was_found_about_it_worst_first(tape: Tape) -> None:
    found = JournalFindings(tape.journal)
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

    def ids(thing: ListedItem) -> list[str]:
        return [each.id for each in findings_about(found, thing)]

    assert ids(Prompt(prompt)) == ["P1", "P9"]
    assert ids(Prompt(nameless)) == ["P2"]
    assert ids(Template(template)) == ["R2"]
    assert ids(Tool(prompt)) == []
    assert findings_about(None, Prompt(prompt)) == ()


def test_a_check_is_one_line_the_worst_first_and_the_keys_show_the_rest() -> None:
    found = [finding("H1", 3, Severity.HINT), finding("E1", 1), finding("W1", 2, Severity.WARNING), finding("E1", 4)]
    few = [plain(line) for line in finding_spans(found, full=False, more_key="i", evidence_key="E")]
    assert few == ["✗ error E1 something ×2", "▲ warning W1 something", "  i 1 more   E Evidence"]
    full = [plain(line) for line in finding_spans(found, full=True, more_key="i", evidence_key="E")]
    assert full[2:] == ["· hint H1 something", "  E Evidence"]
    assert finding_spans([], full=True, evidence_key="E") == []


def test_foreign_words_in_a_sentence_are_shown_and_do_nothing() -> None:
    hostile = msgspec.structs.replace(finding("E1", 1), sentence="\x1b[2J" + "x" * 1000)
    line = plain(finding_spans([hostile], full=False)[0])
    assert "\x1b" not in line
    assert "␛[2J" in line
    assert len(line) < 200


def test_the_cause_of_a_call_is_what_comes_first_of_its_messages_and_no_hint(tape: Tape) -> None:
    found = JournalFindings(tape.journal)
    found.add(
        [
            finding("empty-result", 8, Severity.HINT),
            finding("tool-failure-unmarked", 8, Severity.WARNING),
            finding("error-object-invalid", 5),
        ]
    )
    assert "tool-failure-unmarked" in plain(cause_line(found, (7, 8)))
    assert cause_line(found, (9, None)) == []
    found.add([finding("request-not-sendable", 9)])
    assert cause_line(found, (9, None)) == [], "the result says it"
    only_hints = JournalFindings(tape.journal)
    only_hints.add([finding("empty-result", 8, Severity.HINT)])
    assert cause_line(only_hints, (7, 8)) == []


RESOURCE = Resource({"uri": "a:b", "name": "b", "title": "Bee", "mimeType": "text/plain"})
TEMPLATE = Template({"uriTemplate": "a:{x}", "name": "t"})


def rows(wire: Wire) -> WatchedRows:
    found = WatchedRows(("resource", "uri", "type"), lambda: known(wire))
    found.replace(resource_offers([RESOURCE], [TEMPLATE]))
    return found


def test_a_row_is_marked_and_stays_in_its_width() -> None:
    wire = subscribed("a:b")
    updated(wire, "a:b")
    for width in (30, 40, 60, 120):
        shown = plain(rows(wire).row(0, width).spans)
        assert shown.endswith("● Subscribed ◆ updated" if width >= 60 else "◆ updated")
        assert shown.startswith("Bee")
        assert cell_width(shown) <= width


def test_narrow_row_keeps_the_name() -> None:
    assert plain(rows(subscribed("a:b")).row(0, 12).spans).startswith("Bee")


def test_without_anything_watched_rows_are_as_they_were() -> None:
    assert plain(rows(Wire()).row(0, 40).spans).split() == ["Bee", "text/plain"]


def test_a_template_is_marked_by_what_it_made() -> None:
    wire = subscribed("a:z", "q:z")
    assert uris_of(TEMPLATE, known(wire)) == ("a:z",)
    assert plain(rows(wire).row(1, 60).spans).endswith("● Subscribed")
    assert "watched" not in plain(rows(wire).row(0, 60).spans)
    assert uris_of(Resource({"name": "lost"}), Subscriptions()) == ()


def test_touch_increases_the_generation() -> None:
    found = rows(Wire())
    before = found.generation
    found.touch()
    assert found.generation > before
