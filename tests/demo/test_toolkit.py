"""What tools of the demo are made of."""

import base64

from inspector.demo.call import Call, Json
from inspector.demo.toolkit import Tool, encode, icons, takes


async def nothing(call: Call, arguments: Json) -> Json:
    return {"content": []}


def test_a_tool_lists_only_what_it_has() -> None:
    plain = Tool("a", "A", "b", nothing, takes())
    assert set(plain.listed()) == {"name", "title", "description", "inputSchema"}
    rich = Tool("a", "A", "b", nothing, takes(), takes(), {"readOnlyHint": True}, "<svg/>")
    assert set(rich.listed()) - set(plain.listed()) == {"outputSchema", "annotations", "icons"}


def test_a_schema_takes_what_it_names_and_nothing_else() -> None:
    schema = takes("a", a={"type": "string"}, b={"type": "number"})
    assert schema["required"] == ["a"]
    assert schema["additionalProperties"] is False
    assert "required" not in takes(a={})


def test_an_icon_carries_its_picture_with_it() -> None:
    (icon,) = icons("<svg/>")
    assert base64.b64decode(icon["src"].partition(",")[2]) == b"<svg/>"
    assert encode(b"\0") == "AA=="
