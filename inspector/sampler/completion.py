"""A chat completion as the answer to a sampling request. Pure.

What comes from an endpoint is as foreign as what comes from a server: it is read through total look-ups, and what is
no answer is an error that quotes it.
"""

from typing import Any

import msgspec

from inspector.errors import RequestFailed
from inspector.protocol import peek
from inspector.protocol.questions import Result, sampled, text_block
from inspector.sampler.chat import ChatRequest

_REASONS = {"stop": "endTurn", "length": "maxTokens", "tool_calls": "toolUse", "function_call": "toolUse"}
_QUOTED = 200


class Said(msgspec.Struct, frozen=True):
    """What a model answered."""

    result: Result
    left_out: tuple[str, ...] = ()
    """What of the request did not reach the model, a phrase each."""
    tokens_in: int | None = None
    tokens_out: int | None = None
    """As the endpoint counted them; None if it does not say."""


def said_in(completion: Any, request: ChatRequest) -> Said:
    """The answer in a completion. Raises: RequestFailed if there is none."""
    choice = peek.at(completion, "choices", 0)
    message = peek.at(choice, "message")
    if not isinstance(message, dict):
        raise RequestFailed("the model's endpoint answered with JSON that is no chat completion: it has no choices")
    words = _words(message)
    calls = [_use(call, request) for call in peek.items(message, "tool_calls")]
    blocks = [*([text_block(words)] if words or not calls else []), *calls]
    model = peek.text(completion, "model") or peek.text(request.body, "model") or ""
    result = sampled(
        blocks[0] if len(blocks) == 1 else blocks, model=model, stop_reason=_reason(choice, request, calls)
    )
    usage = peek.at(completion, "usage")
    return Said(
        result, request.left_out, peek.integer(usage, "prompt_tokens"), peek.integer(usage, "completion_tokens")
    )


def _words(message: Any) -> str:
    """The text of a message: a string, parts, or the words of a refusal."""
    parts = (peek.text(part, "text") for part in peek.items(message, "content"))
    return peek.text(message, "content") or "".join(filter(None, parts)) or peek.text(message, "refusal") or ""


def _use(call: Any, request: ChatRequest) -> dict[str, Any]:
    """A function that the model wants called, as a tool's use. Raises: RequestFailed for arguments that are none."""
    name = peek.text(call, "function", "name") or ""
    written = peek.text(call, "function", "arguments") or "{}"
    try:
        arguments = msgspec.json.decode(written)
    except (msgspec.DecodeError, RecursionError):
        arguments = None
    if not isinstance(arguments, dict):
        raise RequestFailed(
            f"the model calls {name} with arguments that are no JSON object: {written[:_QUOTED]}",
            hint="Ask it again, or write the answer by hand.",
        )
    return {"type": "tool_use", "id": peek.text(call, "id") or "", "name": request.tools.get(name, name)} | {
        "input": arguments
    }


def _reason(choice: Any, request: ChatRequest, calls: list[Any]) -> str:
    """Why it stopped. That a stop sequence did it, some endpoints say beside; the others can't be told from an end."""
    finish = peek.text(choice, "finish_reason") or ""
    if finish == "stop" and peek.text(choice, "stop_reason") in peek.items(request.body, "stop"):
        return "stopSequence"
    if calls and finish == "stop":
        return "toolUse"
    return _REASONS.get(finish, finish or ("toolUse" if calls else "endTurn"))
