"""Answers to questions, as forms: what is to be filled in, and what is then sent.

Each kind of question has one form, so that whatever draws a tool's form draws this as well. What was filled in may be
wrong: it is sent as it stands, and testing servers with wrong answers is a use.
"""

from collections.abc import Sequence
from os.path import abspath, expanduser
from pathlib import Path
from typing import Any, assert_never

from inspector.forms.fields import UNSET
from inspector.forms.typed import json_text
from inspector.protocol import peek, questions
from inspector.protocol.questions import Kind, Question, Refusal, Reply, Result, Root
from inspector.viewmodels import text
from inspector.viewmodels.lines import Fact, Section, paragraph

STOP_REASONS = ("endTurn", "stopSequence", "maxTokens", "toolUse")
BY_HAND = "written by hand"
"""The model's name, unless another one is given."""
REJECTED = Refusal(questions.REJECTED, "the person rejected the request")
_MOST = 20_000

ROOTS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "roots": {
            "type": "array",
            "title": "Roots",
            "description": "Paths or file:// URIs of directories: advice to the server, no guard.",
            "items": {
                "type": "object",
                "properties": {
                    "uri": {"type": "string", "title": "Path or URI", "minLength": 1},
                    "name": {"type": "string", "title": "Name"},
                },
                "required": ["uri"],
            },
        }
    },
    "required": ["roots"],
}


def has_form(question: Question) -> bool:
    """Whether there is something to fill in: a link has nothing but yes and no."""
    return question.kind is not Kind.ELICITATION or question.mode != "url"


def answer_schema(question: Question) -> Any:
    """What is to be filled in, as a schema."""
    match question.kind:
        case Kind.ELICITATION:
            return question.schema if isinstance(question.schema, dict) else {"type": "object"}
        case Kind.SAMPLING:
            return _sampling_schema(question.params)
        case Kind.ROOTS:
            return ROOTS_SCHEMA
        case _:
            assert_never(question.kind)


def _sampling_schema(params: Any) -> dict[str, Any]:
    properties: dict[str, Any] = {
        "text": {"type": "string", "title": "Answer", "contentMediaType": "text/markdown"},
        "model": {"type": "string", "title": "Model", "default": BY_HAND},
        "stopReason": {"title": "Stop reason", "enum": list(STOP_REASONS), "default": STOP_REASONS[0]},
    }
    names = [name for tool in peek.items(params, "tools") if (name := peek.text(tool, "name"))]
    if names:
        properties["toolUse"] = {
            "type": "object",
            "title": "Tool to call",
            "properties": {"name": {"enum": names}, "input": {"type": "object"}},
            "required": ["name"],
        }
    return {"type": "object", "properties": properties, "required": ["text", "model"]}


def reply_of(question: Question, filled: object) -> Reply:
    """The answer that says yes, from what was filled in."""
    match question.kind:
        case Kind.ELICITATION if not has_form(question):
            return questions.accepted()
        case Kind.ELICITATION:
            return Result({"action": "accept"} | ({} if filled is UNSET else {"content": filled}))
        case Kind.SAMPLING:
            return _sampled(filled)
        case Kind.ROOTS:
            return questions.rooted(roots_of(filled))
        case _:
            assert_never(question.kind)


def _sampled(filled: object) -> Reply:
    said = peek.text(filled, "text") or ""
    use = peek.mapping(filled, "toolUse")
    blocks: list[Any] = [questions.text_block(said)] if said or not use else []
    if use:
        blocks.append({"type": "tool_use", "id": "call_1", "name": use.get("name"), "input": use.get("input", {})})
    stop = peek.text(filled, "stopReason") or (STOP_REASONS[3] if use else STOP_REASONS[0])
    content = blocks[0] if len(blocks) == 1 else blocks
    return questions.sampled(content, model=peek.text(filled, "model") or BY_HAND, stop_reason=stop)


def no_to(question: Question, *, dismiss: bool = False) -> Reply:
    """The answer that says no, or with `dismiss` neither yes nor no; of sampling and roots both are an error."""
    if question.kind is Kind.ELICITATION:
        return questions.dismissed() if dismiss else questions.declined()
    return REJECTED


def filled_by(question: Question, reply: Reply | None) -> object:
    """What was filled in for an earlier answer to such a question; UNSET if nothing can be taken from it."""
    if not isinstance(reply, Result):
        return UNSET
    if question.kind is Kind.ELICITATION:
        return peek.mapping(reply.value, "content") if peek.has(reply.value, "content") else UNSET
    if question.kind is Kind.ROOTS:
        return {"roots": peek.items(reply.value, "roots")}
    said = peek.text(reply.value, "content", "text")
    filled = {
        "text": said,
        "model": peek.text(reply.value, "model"),
        "stopReason": peek.text(reply.value, "stopReason"),
    }
    return UNSET if said is None else {key: value for key, value in filled.items() if value is not None}


def listed(roots: Sequence[Root]) -> object:
    """Roots as they are filled in."""
    return {"roots": [{"uri": root.uri} | ({"name": root.name} if root.name else {}) for root in roots]}


def roots_of(filled: object) -> tuple[Root, ...]:
    """Roots from what was filled in; a path becomes a file:// URI, and a line without anything is none."""
    rows = peek.items(filled, "roots")
    named = [(peek.text(row, "uri") or "", peek.text(row, "name") or "") for row in rows]
    return tuple(Root(root_uri(uri), name) for uri, name in named if uri)


def root_uri(typed: str) -> str:
    """The URI of what was typed: as it is if it is one, else of the path that it names."""
    if "://" in typed:
        return typed
    return Path(abspath(expanduser(typed))).as_uri()


def answer_section(reply: Reply | None, by: str, why: str) -> Section:
    """What became of a question: what was answered, by whom, or why nobody wants to know any more."""
    match reply:
        case None:
            return Section("Withdrawn", lines=paragraph(why or "nobody waits for an answer", "warning", limit=2000))
        case Refusal():
            facts = (Fact("by", text.visible(by), "strong"), Fact("error", f"{reply.code}", "error"))
            return Section("Refused", facts, paragraph(reply.message, "text", limit=2000))
        case Result():
            lines = paragraph(json_text(reply.value), "foreign", limit=_MOST)
            return Section("Answered", (Fact("by", text.visible(by), "strong"),), lines)
        case _:
            assert_never(reply)


def answer_word(reply: Reply | None) -> str:
    """What was answered, in a word."""
    if reply is None:
        return "withdrawn"
    if isinstance(reply, Refusal):
        return "refused"
    return {"accept": "accepted", "decline": "declined", "cancel": "cancelled"}.get(
        peek.text(reply.value, "action") or "", "answered"
    )
