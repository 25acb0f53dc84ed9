"""Prompts as rows, forms and Markdown."""

from inspector.protocol.things import Prompt
from inspector.viewmodels.lines import plain
from inspector.viewmodels.prompts import (
    counts,
    prompt_facts,
    prompt_markdown,
    prompt_offers,
    prompt_place,
    prompt_schema,
)

HAIL = {
    "name": "hail",
    "title": "Hail a ship",
    "arguments": [{"name": "ship", "required": True, "description": "Whom"}, {"name": "mood", "title": "Mood"}],
}


def test_a_prompt_says_what_it_asks_for() -> None:
    (offer,) = prompt_offers([Prompt(HAIL)])
    assert (offer.label, offer.place, offer.right) == ("Hail a ship", "ship*, mood", "2 arguments")
    assert plain(prompt_place(Prompt(HAIL))) == "ship*, mood"
    assert plain(prompt_place(Prompt({"name": "bare"}))) == "no arguments"
    assert counts([offer]) == ("1 prompt", "")
    assert counts([]) == ("", "")


def test_its_form_asks_for_texts() -> None:
    schema = prompt_schema(Prompt(HAIL))
    assert schema["properties"] == {
        "ship": {"type": "string", "description": "Whom"},
        "mood": {"type": "string", "title": "Mood"},
    }
    assert schema["required"] == ["ship"]


def test_odd_arguments_are_left_out_and_counted() -> None:
    odd = Prompt({"name": "a", "arguments": [{"name": "x"}, {"name": "x"}, 7, {}]})
    assert list(prompt_schema(odd)["properties"]) == ["x"]
    assert [fact.value for fact in prompt_facts(odd)] == ["3 left out: without a name, named twice, or too many"]
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
