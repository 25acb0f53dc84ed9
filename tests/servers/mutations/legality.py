"""Whether a mutated message still is what the specification allows."""

import base64
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from tests.servers.mutations.mutants import Mutation, mutated_text, original

HERE = Path(__file__).parent
_RESULTS = {
    "initialize": "InitializeResult",
    "server/discover": "DiscoverResult",
    "ping": "EmptyResult",
    "logging/setLevel": "EmptyResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
    "prompts/list": "ListPromptsResult",
    "prompts/get": "GetPromptResult",
}
_NOTIFICATIONS = {
    "notifications/progress": "ProgressNotification",
    "notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",  # a part of what was asked for
}
_MEANT = (
    # What a value means, which no schema can say.
    r"/id",  # JSON-RPC 2.0, 5: the same value as in the request
    r"/method",  # the notification is another one
    r"/params/progressToken",  # utilities/progress: the token of a request
    r"/result/protocolVersion",  # lifecycle: one of the protocol versions
    r"/result/supportedVersions(/\d+)?",  # versioning: the versions that the server really supports
    r"/result/resultType",  # "complete" or a type that the client knows
)
"""Pointers whose value is the only one that is right."""
_MEDIA_TYPE = re.compile(r"[\w!#$&^.+-]+/[\w!#$&^.+-]+(\s*;.*)?")
_MAGIC = {"image/png": b"\x89PNG", "audio/wav": b"RIFF"}


def is_legal(message: Any, mutation: Mutation, revision: str) -> bool:
    """Return whether the mutated message is allowed: then nothing has to be said of it.

    A member that occurs twice is not (RFC 8259, 4: names should be unique), an order is of no account in an object.
    """
    if mutation.method == "server/discover" and isinstance(message, dict) and "error" in message:
        return True  # whatever a server of the handshake era says to an unknown method: the client sends initialize
    if mutation.kind == "status":  # clients read the body of each success, and JSON-RPC errors have any other status
        status = int(mutation.place)
        is_read = 200 <= status < 300 and status not in (202, 204, 205)
        return (message is not None and is_read) or (isinstance(message, dict) and "error" in message)
    if mutation.kind == "event" and mutation.method.endswith("/acknowledged"):
        if mutation.operator in ("duplicate", "hang up"):  # no rule forbids a second one, a stream may end at any time
            return True
    if mutation.kind == "event" and mutation.method.endswith("/list_changed"):
        # a list that is announced twice is fetched twice, one whose stream ends is fetched again at the next opening,
        # and an event without data is none
        return mutation.operator in (
            "delay",
            "split data",
            "carriage return",
            "duplicate",
            "drop",
            "hang up",
            "rename data",
        )
    if mutation.kind != "member":
        return mutation.operator in ("delay", "blank line", "comment", "carriage return", "split data")
    if mutation.operator == "duplicate" and mutation.place.startswith("/result/supportedVersions/"):
        return True  # a version that is named twice
    if mutation.operator == "reorder" and isinstance(original(message, mutation.place), dict):
        return True
    if mutation.operator == "duplicate" and not re.search(r"/\d+$", mutation.place):
        return False
    changed = json.loads(mutated_text(message, mutation))
    if not _conforms(changed, mutation.method, revision):
        return False
    if any(re.fullmatch(each, mutation.place) for each in _MEANT):
        return False
    return _means_something(message, changed, mutation.method)


def _conforms(message: Any, method: str, revision: str) -> bool:
    name = method.partition(" ")[0]
    if name in _NOTIFICATIONS:
        return _validator(revision, _NOTIFICATIONS[name]).is_valid(message)
    if "error" in message:
        return _validator(revision, "JSONRPCErrorResponse").is_valid(message)
    if not _validator(revision, "JSONRPCResultResponse").is_valid(message):
        return False
    return _validator(revision, _RESULTS[name]).is_valid(message["result"])


def _means_something(message: Any, changed: Any, method: str) -> bool:
    """Return whether schemas, structured results and contents of a mutated response are what they have to be."""
    result, before = changed.get("result", {}), message.get("result", {})
    if method == "tools/list":
        return all(_is_good_tool(each) for each in result["tools"])
    if method == "prompts/list":  # a name is what is asked for
        return all(named["name"] for each in result["prompts"] for named in (each, *each.get("arguments", ())))
    if method == "tools/call say":  # tools: the result conforms to the outputSchema, and has the same JSON as text
        said = result.get("structuredContent")
        texts = [each.get("text") for each in result["content"]]
        return said == before["structuredContent"] and before["content"][0]["text"] in texts
    blocks = [*result.get("content", ()), *result.get("contents", ())]
    return all(_is_good_block(each) for each in blocks if isinstance(each, dict))


def _is_good_tool(tool: Any) -> bool:
    for name in ("inputSchema", "outputSchema"):
        schema = tool.get(name, {})
        try:
            Draft202012Validator.check_schema(schema)
        except SchemaError:
            return False
        if not all(map(_is_sound, _subschemas(schema))) or _dangles(schema):
            return False
    output = tool.get("outputSchema", {"type": "object"})
    return bool(tool["name"]) and (tool["name"] != "say" or Draft202012Validator(output).is_valid({"said": "hi"}))


def _is_sound(schema: Any) -> bool:
    """Return whether a schema can be met, and what it requires or offers by default fits it."""
    if not isinstance(schema, dict):
        return True
    if not set(schema.get("required", ())) <= set(schema.get("properties", {})):
        return False
    if "enum" in schema and "type" in schema and not all(isinstance(each, str) for each in schema["enum"]):
        return False
    return "default" not in schema or Draft202012Validator({**schema, "$defs": {}}).is_valid(schema["default"])


def _subschemas(schema: Any) -> Iterator[Any]:
    yield schema
    if isinstance(schema, dict):
        for key in ("properties", "$defs"):
            for each in schema.get(key, {}).values():
                yield from _subschemas(each)
        for each in (schema.get("items"), *schema.get("anyOf", ())):
            yield from _subschemas(each)


def _dangles(schema: Any) -> bool:
    return any(
        isinstance(each, dict) and "$ref" in each and each["$ref"].rpartition("/")[2] not in schema.get("$defs", {})
        for each in _subschemas(schema)
    )


def _is_good_block(block: Any) -> bool:
    """Return whether a block's MIME type is one, and its data is Base64 of that type."""
    type_ = block.get("mimeType")
    if type_ is not None and not _MEDIA_TYPE.fullmatch(type_):
        return False
    if "data" in block:
        try:
            data = base64.b64decode(block["data"], validate=True)
        except ValueError:
            return False
        whole = block["type"] != "image" or data.endswith(b"IEND\xaeB`\x82")
        return whole and data.startswith(_MAGIC.get(type_, b"?"))
    return _is_good_block(block["resource"]) if "resource" in block else True


@cache
def _validator(revision: str, definition: str) -> Draft202012Validator:
    schema = json.loads((HERE / f"schema-{revision}.json").read_text())
    return Draft202012Validator(schema | {"$ref": f"#/$defs/{definition}"})
