"""How a tool of the demo asks its client something, in either era, and how it remembers what it was told.

Handshake era: a request of the server's own on the stream of the call; its answer comes in by itself. Stateless era:
the call is answered with questions, nothing is kept, and the client calls again with the answers. A tool is written
once: `ask` returns in the one era and, the first time, ends the call in the other.

What the server wants to find again stands in `requestState`, which went through the client's hands: it is sealed with
a key of this process, for one tool, and what was tampered with is refused (2026-07-28 basic/patterns/mrtr).
"""

import asyncio
import base64
import hashlib
import hmac
import json
import secrets
from typing import Any

from inspector.demo.call import INVALID_PARAMS, MISSING_CAPABILITY, Call, Json, Mishap, Refusal

_KEY = secrets.token_bytes(32)


class InputRequired(Exception):
    """A call is answered with questions, with a state, or with both."""

    def __init__(self, requests: Json, state: str) -> None:
        super().__init__("input required")
        self.requests = requests
        self.state = state

    def as_result(self) -> Json:
        """The result that says so."""
        made: Json = {"resultType": "input_required", "requestState": self.state}
        return made | ({"inputRequests": self.requests} if self.requests else {})


async def ask(call: Call, questions: dict[str, Json], state: Json | None = None) -> dict[str, Json]:
    """The client's answers, by the keys of the questions: `{method, params}` each.

    `state` is what `remembered` will know when the client calls again.

    Raises: InputRequired (stateless era, unless the answers are there), Mishap where the client refused.
    """
    if not call.era.stateless:
        answers = await asyncio.gather(*(_ask_one(call, question) for question in questions.values()))
        return dict(zip(questions, answers, strict=True))
    remembered(call)
    given = call.params.get("inputResponses", {})
    if not isinstance(given, dict):
        raise Refusal(INVALID_PARAMS, "params.inputResponses must be an object")
    if not questions.keys() <= given.keys():
        raise InputRequired(questions, seal(call, state or {}))
    # An answer is used once: a tool that asks again under the same key means the next answer.
    return {key: _object(given.pop(key), questions[key]["method"]) for key in questions}


async def _ask_one(call: Call, question: Json) -> Json:
    """Send a request and wait for its answer; take it back if the call is given up meanwhile."""
    link = call.link
    request_id = f"lamp-{next(link.ids)}"
    waiting = link.waiting[request_id] = asyncio.get_running_loop().create_future()
    try:
        await call.reply({"jsonrpc": "2.0", "id": request_id, **question})
        answer: Json = await waiting
    except asyncio.CancelledError:
        reason = "the call that asked was given up"
        await call.tell("notifications/cancelled", {"requestId": request_id, "reason": reason})
        raise
    finally:
        del link.waiting[request_id]
    if "error" in answer:
        error = answer["error"] if isinstance(answer["error"], dict) else {}
        raise Mishap(f"The client refused {question['method']}: {error.get('message')} ({error.get('code')})")
    return _object(answer.get("result"), question["method"])


def _object(answer: Any, method: str) -> Json:
    if not isinstance(answer, dict):
        raise Mishap(f"The answer to {method} is no object")
    return answer


def remembered(call: Call) -> Json:
    """What a tool gave to `ask` or `again` as its state; empty in the first round. Raises: Refusal."""
    sealed = call.params.get("requestState")
    return {} if sealed is None or not call.era.stateless else _unseal(call, sealed)


def again(call: Call, state: Json) -> InputRequired:
    """Have the client call again without asking it anything. To be raised; stateless era only."""
    return InputRequired({}, seal(call, state))


def seal(call: Call, state: Json) -> str:
    """A state as the client carries it."""
    text = base64.urlsafe_b64encode(json.dumps(state).encode()).decode()
    return f"{text}.{_signature(call, text)}"


def _unseal(call: Call, sealed: object) -> Json:
    text, _, signature = str(sealed).partition(".")
    if not isinstance(sealed, str) or not hmac.compare_digest(signature.encode(), _signature(call, text).encode()):
        raise Refusal(INVALID_PARAMS, "params.requestState is not what this server gave for this tool")
    state: Json = json.loads(base64.urlsafe_b64decode(text))
    return state


def _signature(call: Call, text: str) -> str:
    return hmac.new(_KEY, f"{call.params.get('name')}\n{text}".encode(errors="replace"), hashlib.sha256).hexdigest()


def declares(capabilities: Json, needed: Json) -> bool:
    """Whether a client's capabilities hold what is needed. Elicitation without a mode is the form's."""
    for name, parts in needed.items():
        there = capabilities.get(name)
        if not isinstance(there, dict):
            return False
        if name == "elicitation" and not there:
            there = {"form": {}}
        if not parts.keys() <= there.keys():
            return False
    return True


def demand(capabilities: Json, needed: Json, *, stateless: bool) -> None:
    """Refuse a call whose client can't be asked.

    Raises: Mishap in the handshake era, which has no error for it; Refusal in the stateless one.
    """
    if declares(capabilities, needed):
        return
    named = " and ".join(".".join((name, *parts)) for name, parts in needed.items())
    sentence = f"This tool asks its client, and the client has not declared the capability {named}"
    if stateless:
        raise Refusal(MISSING_CAPABILITY, sentence, {"requiredCapabilities": needed})
    raise Mishap(f"{sentence}.")
