"""The marks of rows."""

from inspector.protocol.things import Prompt, Tool
from inspector.viewmodels.lines import plain
from inspector.viewmodels.marks import MARKS
from inspector.viewmodels.offers import Offer, OfferList
from inspector.viewmodels.tools import ToolList


def test_a_mark_is_a_sign_and_a_word() -> None:
    assert {word: said for word, (said, _) in MARKS.items()} == {"new": "+ new", "changed": "◆ changed"}


def test_rows_of_tools_and_of_offers_wear_them() -> None:
    tools = ToolList()
    tools.marks = {"sum": "new"}
    tools.replace([Tool({"name": "sum", "inputSchema": {}}), Tool({"name": "old", "inputSchema": {}})])
    assert [plain(tools.row(index, 36).spans).split("  ")[0] for index in (0, 1)] == ["sum + new", "old"]
    offers = OfferList(("", "", ""))
    offers.marks = {"hail": "changed"}
    offers.replace([Offer(Prompt({"name": "hail"}), "Hail", "", "")])
    assert plain(offers.row(0, 36).spans).startswith("Hail ◆ changed")
