"""A user searches a capture: types, corrects, completes and saves a filter, and finds a text."""

from tests.architecture.sources import ROOT
from tests.stories.persons import Person, at_a_replay
from tests.waiting import until

HARBOUR = ROOT / "tests" / "captures" / "harbour.mcpcap"


def tools_in_sight(person: Person) -> list[str]:
    lines = [line.partition("│")[0].split() for line in person.screen.splitlines()]
    return [line[line.index("tools/call") + 1] for line in lines if "tools/call" in line and "→" in "".join(line)]


async def test_a_filter_is_typed_with_its_proposals_and_takes_effect() -> None:
    async with at_a_replay(HARBOUR) as person:
        await person.press("slash")
        await person.types("to", shows=("Tab tool", "name of the called tool"))
        await person.press("tab", *"==", "space", shows="Tab there_is_no_such_tool")
        await person.types("image", shows="Tab image_result")
        await person.press("tab", "enter", shows=("filter tool == image_result", "of 55"))
        assert set(tools_in_sight(person)) == {"image_result"}
        await person.press("f", "c", shows="jsonrpc_error")


async def test_wrong_filter_is_reported_and_the_old_one_kept() -> None:
    async with at_a_replay(HARBOUR) as person:
        await person.press("slash")
        await person.types("t:image_result", shows=('= tool contains "image_result"', "of 55"))
        await person.pastes(" and tol==1")
        await person.sees("unknown field `tol`; did you mean `tool`?")
        assert set(tools_in_sight(person)) == {"image_result"}
        await person.press("enter", shows="unknown field `tol`")


async def test_a_filter_is_saved_under_a_name_and_brought_back() -> None:
    async with at_a_replay(HARBOUR) as person:
        await person.press("slash", *"@bad = is:error", shows=("Enter saves it as @bad", "4 of 55"))
        await person.press("enter", shows=("filter @bad", "4 of 55"))
        await person.press("f", "c", shows="image_result")
        await person.press("slash")
        await person.types("@b", shows="Tab @bad")
        await person.press("tab", "enter", shows="4 of 55")
        failed = ["jsonrpc_e", "there_is_"]
        await until(lambda: [tool[:9] for tool in tools_in_sight(person)] == failed, "the rows of what failed")


async def test_the_chosen_row_is_a_filter_in_the_tree_and_in_the_order_of_the_wire() -> None:
    async with at_a_replay(HARBOUR) as person:
        await person.press("slash")
        await person.types("t:jsonrpc_error", "enter", shows="of 55")
        await person.press("f", "o", shows=('filter tool == "jsonrpc_error"', "2 of 55"))
        await person.press("v", "t", shows=("Wire order  v t", "← tools/call jsonrpc_error"))


async def test_a_text_is_found_and_nothing_is_hidden() -> None:
    async with at_a_replay(HARBOUR) as person:
        await person.press("f", "/")
        await person.types("such", "enter", shows=("find such", "server/discover", "→ tools/call jsonrpc_error", "✓ 2"))
        await person.press("n", shows=("→ tools/call there_is_no_such_tool", "server/discover"))
        await person.press("N", shows=("there_is_no_such_tool", "✓ 2"))
