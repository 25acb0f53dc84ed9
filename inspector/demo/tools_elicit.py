"""The demo's tools that send server requests: elicitation, sampling, roots.

They are listed for clients that declare the capability.
"""

import asyncio
import json
import secrets
from pathlib import Path
from typing import Any

from inspector.demo.call import URL_REQUIRED, DemoError, DemoFault, DemoRequest, Json, again, ask, remembered
from inspector.demo.toolkit import complaints, result, text, tool

_FORM: Json = {"elicitation": {"form": {}}}
_URL: Json = {"elicitation": {"url": {}}}
_BY_ROAD = "https://gull-rock.invalid/visit?pass="

_FORMS: Json = json.loads(Path(__file__).with_name("forms.json").read_text("utf-8"))
BASIC: Json = _FORMS["basic"]
"""Form fields of the first revision that has forms."""
MORE: Json = _FORMS["more"]
"""Form fields added in later revisions: choices with titles, multiple choice, defaults."""
_DEFAULTS = {"name": "Agnes", "years": 3, "patience": 0.5, "biscuit": "ginger"}
_SECRET: Json = {"password": {"type": "string", "title": "Password of the harbour office"}}
_NESTED: Json = {"ship": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}}

_TIDE_TOOL: Json = {
    "name": "tide_at",
    "description": "The height of the tide, in metres, at an hour of the day",
    "inputSchema": {
        "type": "object",
        "properties": {"hour": {"type": "integer", "minimum": 0, "maximum": 23}},
        "additionalProperties": False,
        "required": ["hour"],
    },
}

_MOST_MESSAGES = 7


def _elicit(call: DemoRequest, message: str, properties: Json, *required: str) -> Json:
    schema: Json = {"type": "object", "properties": properties}
    if required:
        schema["required"] = list(required)
    mode = {"mode": "form"} if call.era.has("elicitation.modes") else {}
    return {"method": "elicitation/create", "params": {**mode, "message": message, "requestedSchema": schema}}


def _given(question: Json, answer: Json) -> Json | None:
    """Return the content; None unless the action is "accept". Raises: Mishap if it does not match the schema."""
    if answer.get("action") != "accept":
        return None
    content = answer.get("content")
    wrong = complaints(question["params"]["requestedSchema"], content)
    if wrong or not isinstance(content, dict):
        raise DemoFault(
            "The content does not match requestedSchema:\n" + "\n".join(f"- {sentence}" for sentence in wrong)
        )
    return content


def _keeper_form(call: DemoRequest, kind: str) -> Json:
    properties = dict(BASIC)
    if call.era.has("elicitation.choices"):
        properties = {name: {**BASIC[name], **_default(name)} for name in BASIC} | MORE
    return properties | {"secret": _SECRET, "nested": _NESTED}.get(kind, {})


def _default(name: str) -> Json:
    return {"default": _DEFAULTS[name]} if name in _DEFAULTS else {}


async def _elicit_form(call: DemoRequest, arguments: Json) -> Json:
    """Send one or several elicitations; with `patience_s` cancel them after that time (handshake era)."""
    properties = _keeper_form(call, arguments.get("form", "allowed"))
    copies = int(arguments.get("copies", 1))
    questions = {
        f"keeper_{n}": _elicit(call, f"Who keeps the light tonight? (keeper {n} of {copies})", properties, "name")
        for n in range(1, copies + 1)
    }
    try:
        async with asyncio.timeout(arguments.get("patience_s") or None):
            answers = await ask(call, questions)
    except TimeoutError:
        raise DemoFault("No response to the elicitation within patience_s.") from None
    kept = [_given(questions[key], answers[key]) for key in questions]
    lines = [f"{content['name']} keeps the light." if content else "Declined." for content in kept]
    return {**result(text("\n".join(lines))), "structuredContent": {"keepers": kept}}


async def _elicit_url(call: DemoRequest, arguments: Json) -> Json:
    """Send a URL elicitation or, in revisions that have it, the error that requires one."""
    name = secrets.token_hex(4)
    named = {} if call.era.stateless else {"elicitationId": name}
    params = {"mode": "url", "message": "Sign the visitors' book on land.", "url": _BY_ROAD + name, **named}
    if arguments.get("how") == "error" and not call.era.stateless and not call.link.visits:
        call.link.visits.append(name)
        raise DemoError(URL_REQUIRED, "Sign the visitors' book first", {"elicitations": [params]})
    if call.link.visits:
        done = call.link.visits.pop()
        await call.tell("notifications/elicitation/complete", {"elicitationId": done})
        return result(text("The book is signed. Welcome!"))
    answer = (await ask(call, {"visit": {"method": "elicitation/create", "params": params}}))["visit"]
    if answer.get("action") != "accept":
        return result(text("Declined: the book is not signed."))
    if not call.era.stateless:
        await call.tell("notifications/elicitation/complete", {"elicitationId": name})
    return result(text("The book is open at your page."))


def _sampling(messages: list[Json], with_tools: bool) -> Json:
    params: Json = {
        "messages": messages,
        "systemPrompt": "You are the oldest gull of the rock. Answer in one sentence, and mention fish.",
        "modelPreferences": {
            "hints": [{"name": "gull-large"}, {"name": "gull"}],
            "costPriority": 0.2,
            "speedPriority": 0.3,
            "intelligencePriority": 0.9,
        },
        "includeContext": "none",
        "temperature": 0.7,
        "maxTokens": 120,
        "stopSequences": ["\n\n"],
        "metadata": {"perch": "north gallery"},
    }
    if with_tools:
        params |= {"tools": [_TIDE_TOOL], "toolChoice": {"mode": "auto"}}
    return {"method": "sampling/createMessage", "params": params}


async def _sampling_request(call: DemoRequest, arguments: Json) -> Json:
    """Send a sampling request; if the model uses the tool, return the tide and send another."""
    with_tools = bool(arguments.get("with_tools"))
    first = {"role": "user", "content": text(arguments.get("question", "Will there be fog tonight?"))}
    messages: list[Json] = remembered(call).get("messages") or [first]
    while len(messages) <= _MOST_MESSAGES:
        members = (await ask(call, {"sage": _sampling(messages, with_tools)}, {"messages": messages}))["sage"]
        blocks = members.get("content")
        blocks = [block for block in (blocks if isinstance(blocks, list) else [blocks]) if isinstance(block, dict)]
        uses = [block for block in blocks if block.get("type") == "tool_use"]
        if not uses:
            words = " ".join(str(block.get("text", f"[{block.get('type')}]")) for block in blocks)
            return result(text(f"The model ({members.get('model')}) responded: {words}"))
        fields = [_tide(use) for use in uses]
        messages = [*messages, {"role": "assistant", "content": blocks}, {"role": "user", "content": fields}]
    raise DemoFault("The model keeps calling the tool and returns no text.")


def _tide(use: Json) -> Json:
    hour: Any = use.get("input", {}).get("hour") if isinstance(use.get("input"), dict) else None
    known = isinstance(hour, int) and not isinstance(hour, bool) and 0 <= hour < 24
    words = f"{abs(hour % 12 - 6) * 0.7:.1f} m" if known else "Invalid hour."
    return {"type": "tool_result", "toolUseId": use.get("id"), "content": [text(words)], "isError": not known}


async def _roots_request(call: DemoRequest, arguments: Json) -> Json:
    answer = (await ask(call, {"roots": {"method": "roots/list"}}))["roots"]
    roots = answer.get("roots")
    if not isinstance(roots, list):
        raise DemoFault("The result of roots/list has no `roots` array.")
    lines = [f"- {root.get('name') or '(no name)'}: {root.get('uri')}" for root in roots if isinstance(root, dict)]
    words = "\n".join([f"{len(roots)} roots", *lines])
    return {**result(text(words)), "structuredContent": {"roots": roots}}


async def _elicit_steps(call: DemoRequest, arguments: Json) -> Json:
    """Send two elicitations, the second one based on the first response; may then ask for more retries."""
    known = remembered(call)
    for name, question in (("dish", _dish), ("guests", _guests)):
        if name not in known:
            asked = question(call, known)
            given = _given(asked, (await ask(call, {name: asked}, known))[name])
            if given is None:
                return result(text("Declined: no supper tonight."))
            known = {**known, name: given[name]}
    looks = known.get("looks", 0)
    if call.era.stateless and looks < arguments.get("simmer", 0):
        raise again(call, {**known, "looks": looks + 1})
    return result(text(f"{known['dish'].capitalize()} for {known['guests']}."))


def _dish(call: DemoRequest, known: Json) -> Json:
    return _elicit(call, "What is for supper?", {"dish": {"type": "string", "enum": ["fish", "soup"]}}, "dish")


def _guests(call: DemoRequest, known: Json) -> Json:
    how_many = {"guests": {"type": "integer", "minimum": 0, "maximum": 12}}
    return _elicit(call, f"How many will eat the {known['dish']}?", how_many, "guests")


LISTED = (
    tool("elicit_form", _elicit_form, lambda arguments: _FORM),
    tool("elicit_steps", _elicit_steps, lambda arguments: _FORM),
    tool("elicit_url", _elicit_url, lambda arguments: _URL),
    tool(
        "sampling_request",
        _sampling_request,
        lambda arguments: {"sampling": {"tools": {}} if arguments.get("with_tools") else {}},
    ),
    tool("roots_request", _roots_request, lambda arguments: {"roots": {}}),
)
