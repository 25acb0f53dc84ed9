"""The demo's tools that fail, lie and attack."""

import jsonschema
import pytest

from inspector.demo import tools
from inspector.demo.call import INTERNAL_ERROR, INVALID_PARAMS
from tests.demo.driving import Here, stateless


async def test_the_radio_fails_as_a_tool_fails() -> None:
    result = await Here().call("tool_error", harbour="Teal Bay")
    assert result["isError"]
    assert "Teal Bay" in result["content"][0]["text"]


@pytest.mark.parametrize(("how", "code"), [("internal", INTERNAL_ERROR), ("params", INVALID_PARAMS)])
async def test_the_lamp_breaks_as_a_protocol_breaks(how: str, code: int) -> None:
    answer = await Here().ask(stateless(1, "tools/call", name="jsonrpc_error", arguments={"how": how}))
    assert answer["error"]["code"] == code
    assert answer["error"]["data"]


async def test_the_barometer_breaks_its_own_promise() -> None:
    promised = {tool.name: tool.definition for tool in tools.FAULTY}["invalid_output"]["outputSchema"]
    result = await Here().call("invalid_output")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(result["structuredContent"], promised)


async def test_hostile_text_has_escapes_markup_and_turned_text_in_it() -> None:
    listed = str((await Here().ask(stateless(1, "tools/list")))["result"]["tools"])
    called = "".join(block["text"] for block in (await Here().call("hostile_text"))["content"])
    refused = await Here().ask(stateless(1, "tools/call", name="hostile_text", arguments={"as_error": True}))
    for weapon in ("\x1b]52;c;", "\x1b[2J", "[@click=app.quit]", "\u202e", "\x9b31m"):
        assert weapon in called
        assert weapon in listed or repr(weapon)[1:-1] in listed
    assert "\x1b]8;;" in refused["error"]["message"]
