"""Probing requests of `doctor`."""

from inspector.protocol import probes
from inspector.protocol.listed_items import LISTS
from inspector.protocol.probes import requests
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.table import newest_of
from inspector.protocol.tracking.catalogue import Items, Listing

_PROMPT = {"name": "greet", "arguments": [{"name": "who", "required": True}]}


def _tried(era: Era, *capabilities: str, pages: int = 1, prompts: tuple[object, ...] = ()) -> list[tuple[str, object]]:
    lists = {kind: Listing(pages=pages, asked=True) for kind in LISTS}
    lists["prompts"] = Listing(Items().and_page(prompts, 1), pages=pages, asked=True)
    declared: dict[str, object] = {name: {} for name in capabilities}
    found = list(requests(newest_of(era), declared, lists, silence_s=3))
    assert all(each.send.probe and each.send.silence_s == 3 and each.what for each in found)
    return [(each.send.method, each.send.params) for each in found]


def test_what_is_not_declared_is_asked_for_as_a_list_and_nothing_else() -> None:
    methods = [method for method, _ in _tried(Era.LEGACY)]
    assert methods == [probes.METHOD, "ping", *(listed.method for listed in LISTS.values())]


def test_no_tool_that_exists_is_called() -> None:
    calls = [params for method, params in _tried(Era.MODERN, "tools") if method == "tools/call"]
    assert calls == [{"name": probes.TOOL, "arguments": {}}, {"arguments": {}}]


def test_a_list_of_several_pages_is_not_begun_again() -> None:
    assert ("tools/list", None) in _tried(Era.LEGACY, "tools")
    assert ("tools/list", None) not in _tried(Era.LEGACY, "tools", pages=2)
    assert ("tools/list", {"cursor": probes.CURSOR}) in _tried(Era.LEGACY, "tools", pages=2)


def test_a_prompt_is_asked_for_only_where_an_argument_is_missing() -> None:
    asked = ("prompts/get", {"name": "greet", "arguments": {}})
    assert asked in _tried(Era.LEGACY, "prompts", prompts=(_PROMPT,))
    assert asked not in _tried(Era.LEGACY, "prompts", prompts=({"name": "greet", "arguments": [{"name": "who"}]},))


def test_there_is_no_ping_where_there_is_none() -> None:
    assert "ping" not in [method for method, _ in _tried(Era.MODERN)]
