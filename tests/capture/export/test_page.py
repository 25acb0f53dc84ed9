"""The fixed parts of the page: a script that makes no markup and asks for nothing."""

import re

from inspector.capture.export.page import SCRIPT, STYLE


def test_nothing_is_loaded_or_made_markup_of() -> None:
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval|Function\(|setTimeout", SCRIPT)
    assert not re.search(r"fetch|XMLHttp|WebSocket|import|https?:|localStorage|\.src|\.href", SCRIPT)
    assert not re.search(r"url\(|@import|https?:", STYLE)
    assert "</" not in SCRIPT, "it would end itself"
