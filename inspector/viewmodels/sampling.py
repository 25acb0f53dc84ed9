"""What a server asks of a language model, in full: nothing of it may hide from who answers in the model's place.

Blocks are shown as facts: a picture is its type, size and dimensions, a tool's call its name and arguments.
"""

from collections.abc import Iterable
from typing import Any

from inspector.protocol import peek
from inspector.protocol.jsonrpc import encode
from inspector.viewmodels import text
from inspector.viewmodels.lines import Fact, Line, Section, fact, fact_lines, paragraph, span
from inspector.viewmodels.result_blocks import block_of

MOST_MESSAGES = 200
MOST_CHARACTERS = 20_000
"""Of one block: the traffic has all of it."""
_DEEPEST = 3


def sampling_sections(params: Any) -> tuple[Section, ...]:
    """System prompt, messages, and how the model is to answer; sections without content are left out."""
    prompt = peek.text(params, "systemPrompt") or ""
    messages = peek.at(params, "messages")
    found = (
        Section("System prompt", lines=paragraph(prompt, "foreign", limit=MOST_CHARACTERS)),
        Section("Messages", lines=tuple(_messages(messages))),
        Section("How to answer", tuple(_wishes(params))),
        Section("Tools of the model", tuple(_tools(params))),
    )
    return tuple(section for section in found if section.facts or section.lines)


def last_text(params: Any) -> str:
    """The last text among the messages, foreign as it is; "" if there is none."""
    for message in reversed(peek.items(params, "messages")):
        for block in _blocks(peek.at(message, "content")):
            if found := peek.text(block, "text"):
                return found[:1000]
    return ""


def _messages(messages: Any) -> Iterable[Line]:
    if not isinstance(messages, list):
        yield (("there are no messages, which the specification requires", "warning"),)
        return
    for number, message in enumerate(messages[:MOST_MESSAGES], 1):
        role = peek.text(message, "role") or "no role"
        yield ((f"{number} ", "faint"), span(role, "strong", limit=60))
        for block in _blocks(peek.at(message, "content")):
            yield from _indented(_block(block, 0))
    if len(messages) > MOST_MESSAGES:
        yield ((f"and {len(messages) - MOST_MESSAGES} more; the traffic has all of them", "muted"),)


def _blocks(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [content]


def _indented(lines: Iterable[Line]) -> Iterable[Line]:
    return ((("  ", "text"), *line) for line in lines)


def _block(raw: Any, depth: int) -> Iterable[Line]:
    kind = peek.text(raw, "type")
    if kind == "tool_use":
        facts = [fact("name", peek.text(raw, "name") or "not said"), fact("id", peek.text(raw, "id") or "not said")]
        yield (("calls a tool", "accent"),)
        yield from fact_lines([*facts, fact("input", text.decode(encode(peek.at(raw, "input"))))])
    elif kind == "tool_result":
        failed = " (an error)" if peek.flag(raw, "isError") else ""
        yield ((f"what a tool returned{failed}: ", "accent"), span(peek.text(raw, "toolUseId") or "no id", "muted"))
        for inner in _blocks(peek.at(raw, "content")) if depth < _DEEPEST else ():
            yield from _indented(_block(inner, depth + 1))
    elif kind == "text" and peek.text(raw, "text") is not None:
        yield from paragraph(peek.text(raw, "text") or "", "foreign", limit=MOST_CHARACTERS)
    else:
        block = block_of(raw)
        yield block.title
        yield from fact_lines(block.facts)
        yield from paragraph(block.text, "foreign", limit=2000)


def _wishes(params: Any) -> Iterable[Fact]:
    """What the server says about the model and its answer."""
    limit = peek.number(params, "maxTokens")
    missing = Fact("tokens at most", "not said, which the specification requires", "warning")
    yield missing if limit is None else Fact("tokens at most", f"{limit:,.10g}")
    hints = [peek.text(hint, "name") or "?" for hint in peek.items(params, "modelPreferences", "hints")]
    if hints:
        yield fact("models", ", then ".join(hints[:20]))
    for key, name in (("costPriority", "cost"), ("speedPriority", "speed"), ("intelligencePriority", "intelligence")):
        if (weight := peek.number(params, "modelPreferences", key)) is not None:
            yield Fact(f"{name} matters", f"{weight:.3g} of 1")
    if (temperature := peek.number(params, "temperature")) is not None:
        yield Fact("temperature", f"{temperature:.4g}")
    if stops := peek.items(params, "stopSequences"):
        yield fact("stops at", ", ".join(text.decode(encode(stop)) for stop in stops[:50]))
    if context := peek.text(params, "includeContext"):
        yield fact("context", f"{context} (this program adds none)")
    if (choice := peek.at(params, "toolChoice")) is not None:
        yield fact("tool choice", peek.text(choice, "mode") or text.decode(encode(choice)))
    if (metadata := peek.at(params, "metadata")) is not None:
        yield fact("metadata", text.decode(encode(metadata)))


def _tools(params: Any) -> Iterable[Fact]:
    for tool in peek.items(params, "tools")[:100]:
        takes = ", ".join(peek.mapping(tool, "inputSchema", "properties")) or "no arguments"
        described = peek.text(tool, "description") or ""
        yield fact(peek.text(tool, "name") or "no name", f"({takes}) {described}")
