"""Prompts as rows, what is known of one, what its form asks for, and its messages as Markdown to be pasted.

Arguments of a prompt are texts, all of them (specification 2025-06-18, server/prompts).
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from inspector.protocol import peek
from inspector.protocol.things import Content, Prompt, Thing
from inspector.viewmodels import text
from inspector.viewmodels.lines import Fact, Line
from inspector.viewmodels.offers import COMMON, Offer, claims, unknown_members

MOST_ARGUMENTS = 500
_KNOWN = COMMON | {"arguments"}


def prompt_offers(prompts: Sequence[Prompt]) -> list[Offer]:
    """In the server's order."""
    return [_offer(prompt) for prompt in prompts]


def _offer(prompt: Prompt) -> Offer:
    label = text.visible(prompt.title, limit=200) or "(no name)"
    count = len(_named(prompt))
    right = f"{count} argument{'' if count == 1 else 's'}" if count else ""
    return Offer(prompt, label, _signature(prompt), right, prompt.flaw)


def counts(offers: Sequence[Offer]) -> tuple[str, str]:
    """How many there are."""
    return (f"{len(offers):,} prompt{'' if len(offers) == 1 else 's'}" if offers else ""), ""


def _named(prompt: Prompt) -> dict[str, Any]:
    """The arguments that have a name, each once."""
    found: dict[str, Any] = {}
    for each in prompt.arguments[:MOST_ARGUMENTS]:
        name = peek.text(each, "name")
        if name:
            found.setdefault(name, each)
    return found


def _signature(prompt: Prompt) -> str:
    parts = (name + ("*" if peek.flag(each, "required") else "") for name, each in _named(prompt).items())
    return text.visible(", ".join(parts), limit=300)


def prompt_place(thing: Thing) -> Line:
    """Its arguments in one line, the required ones marked."""
    asked = _signature(Prompt(thing.raw))
    return ((asked, "target") if asked else ("no arguments", "muted"),)


def prompt_facts(thing: Thing) -> tuple[Fact, ...]:
    """What the server says of a prompt, and what is odd about its arguments."""
    raw = thing.raw
    facts = claims(raw) + unknown_members(raw, _KNOWN)
    given = peek.at(raw, "arguments")
    if given is not None and not isinstance(given, list):
        facts.append(Fact("arguments", f"{peek.type_name(given)} instead of array", "warning"))
    elif odd := len(peek.items(raw, "arguments")) - len(_named(Prompt(raw))):
        facts.append(Fact("arguments", f"{odd:,} left out: without a name, named twice, or too many", "warning"))
    return tuple(facts)


def prompt_schema(thing: Thing) -> Any:
    """The form: a text for each argument, and more of them for whoever wants to see what the server says to that."""
    named = _named(Prompt(thing.raw))
    return {
        "type": "object",
        "properties": {name: _argument(each) for name, each in named.items()},
        "required": [name for name, each in named.items() if peek.flag(each, "required")],
        "additionalProperties": {"type": "string"},
    }


def _argument(raw: Any) -> Any:
    about = {key: found for key in ("title", "description") if (found := peek.text(raw, key))}
    return {"type": "string", **about}


def prompt_markdown(result: Any) -> str:
    """The messages of a prompts/get result as Markdown: foreign text, for the clipboard and not for a screen."""
    parts: list[str] = []
    if description := peek.text(result, "description"):
        parts.append(f"# {' '.join(description.split())}")
    for message in peek.items(result, "messages"):
        parts.append(f"## {peek.text(message, 'role') or 'no role'}")
        content = peek.at(message, "content")
        parts += (_block(Content(each)) for each in (content if isinstance(content, list) else [content]))
    return "\n\n".join(parts) + "\n" if parts else ""


def _block(content: Content) -> str:
    if content.type == "text" and content.text is not None:
        return content.text
    if content.text is not None:
        return f"{content.uri}\n\n{_fenced(content.text)}"
    return f"*({', '.join(_facts(content))})*"


def _facts(content: Content) -> Iterator[str]:
    """What there is of a block that is no text: never its data."""
    yield content.type or "a block without a type"
    if content.uri:
        yield content.uri
    if content.mime_type:
        yield content.mime_type
    if content.data is not None:
        yield f"{text.human_size(len(content.data) * 3 // 4)}"


def _fenced(foreign: str) -> str:
    longest = max((len(run) for run in re.findall("`+", foreign)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{foreign.rstrip(chr(10))}\n{fence}"
