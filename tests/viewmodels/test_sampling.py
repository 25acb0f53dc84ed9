"""A request for a model's answer, in full."""

from typing import Any

import pytest

from inspector.viewmodels.lines import plain, section_lines
from inspector.viewmodels.sampling import MOST_MESSAGES, last_text, sampling_sections

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAYAAAC56t6BAAAAAElFTkSuQmCC"


def shown(params: Any) -> str:
    return "\n".join(plain(line) for section in sampling_sections(params) for line in section_lines(section))


def says(*content: Any, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": content[0] if len(content) == 1 else list(content)}


def test_prompt_messages_and_wishes_are_all_there() -> None:
    found = shown(
        {
            "systemPrompt": "Be brief.",
            "messages": [says({"type": "text", "text": "Why is the\nsea salt?"})],
            "maxTokens": 1000,
            "temperature": 0.25,
            "stopSequences": ["\n\n", "END"],
            "includeContext": "thisServer",
            "metadata": {"k": 1},
            "modelPreferences": {"hints": [{"name": "small"}, {"name": "large"}], "costPriority": 0.5},
            "tools": [{"name": "weigh", "description": "Weighs.", "inputSchema": {"properties": {"what": {}}}}],
            "toolChoice": {"mode": "required"},
        }
    )
    for expected in (
        "System prompt\n  Be brief.",
        "1 user\n    Why is the\n    sea salt?",
        "tokens at most  1,000",
        "models          small, then large",
        "cost matters    0.5 of 1",
        "temperature     0.25",
        'stops at        "\\n\\n", "END"',
        "context         thisServer (this program adds none)",
        "tool choice     required",
        'metadata        {"k":1}',
        "weigh  (what) Weighs.",
    ):
        assert expected in found


def test_blocks_that_are_no_text_are_facts() -> None:
    picture = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
    use = {"type": "tool_use", "id": "t1", "name": "weigh", "input": {"what": "salt"}}
    back = {
        "type": "tool_result",
        "toolUseId": "t1",
        "isError": True,
        "content": [{"type": "text", "text": "no scale"}],
    }
    found = shown({"messages": [says(picture), says(use, role="assistant"), says(back)], "maxTokens": 1})
    assert "2 × 3" in found
    assert "calls a tool" in found
    assert 'input  {"what":"salt"}' in found
    assert "what a tool returned (an error): t1" in found
    assert "no scale" in found


@pytest.mark.parametrize("params", [None, [], {"messages": "x"}, {"messages": [None, {"content": [3]}, {"role": 1}]}])
def test_nonsense_is_shown_as_what_it_is(params: Any) -> None:
    assert "Messages" in shown(params)
    assert "not said, which the specification requires" in shown(params)


def test_a_thousand_messages_are_cut_and_the_cut_is_said() -> None:
    found = shown({"messages": [says({"type": "text", "text": "m"})] * 1000, "maxTokens": 1})
    assert f"and {1000 - MOST_MESSAGES} more" in found


def test_results_within_results_come_to_an_end() -> None:
    block: dict[str, Any] = {"type": "text", "text": "the bottom"}
    for _ in range(50):
        block = {"type": "tool_result", "toolUseId": "t", "content": [block]}
    assert "the bottom" not in shown({"messages": [says(block)], "maxTokens": 1})


def test_nothing_in_the_server_s_words_acts() -> None:
    hostile = "\x1b[31m"
    messages = [says({"type": "text", "text": hostile}, role=hostile)]
    assert "\x1b" not in shown({"systemPrompt": hostile, "messages": messages, "maxTokens": 1})


def test_the_last_text_stands_for_the_whole() -> None:
    messages = [
        says({"type": "text", "text": "first"}),
        says({"type": "image"}),
        says({"type": "text", "text": "last"}),
    ]
    assert last_text({"messages": messages}) == "last"
    assert last_text({"messages": [says({"type": "image"})]}) == ""
