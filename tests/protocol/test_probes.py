"""Probing requests of `doctor`."""

import msgspec
import pytest

from inspector.protocol import probes
from inspector.protocol.frames import Cause
from inspector.protocol.listed_items import LISTS
from inspector.protocol.probes import calls_a_tool, first_requests, later_lists, requests
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.table import newest_of
from inspector.protocol.tracking.catalogue import Items, Listing

_PROMPT = {"name": "greet", "arguments": [{"name": "who", "required": True}]}


def _lists(pages: int, prompts: tuple[object, ...], resources: tuple[object, ...] = ()) -> dict[str, Listing]:
    lists = {kind: Listing(pages=pages, asked=True) for kind in LISTS}
    lists["prompts"] = Listing(Items().and_page(prompts, 1), pages=pages, asked=True)
    lists["resources"] = Listing(Items().and_page(resources, 1), pages=pages, asked=True)
    return lists


def _tried(*capabilities: str, pages: int = 1, prompts: tuple[object, ...] = ()) -> list[tuple[str, object]]:
    declared: dict[str, object] = {name: {} for name in capabilities}
    found = list(requests(newest_of(Era.LEGACY), declared, _lists(pages, prompts), silence_s=3))
    assert all(each.send.cause is Cause.PROBE and each.send.silence_s == 3 and each.what for each in found)
    return [(each.send.method, each.send.params) for each in found]


def _first(
    era: Era,
    *capabilities: str,
    pages: int = 1,
    prompts: tuple[object, ...] = (),
    resources: tuple[object, ...] = (),
    is_alone: bool = True,
) -> list[tuple[str, object]]:
    declared: dict[str, object] = {name: {} for name in capabilities}
    lists = _lists(pages, prompts, resources)
    planned = first_requests(newest_of(era), declared, lists, silence_s=3, ping_s=2, is_alone=is_alone)
    return [(each.send.method, each.send.params) for each in planned]


def test_requests_undeclared_lists_are_requested() -> None:
    methods = [method for method, _ in _tried()]
    assert methods == [probes.METHOD, *(listed.method for listed in LISTS.values())]


def test_requests_tools_calls_no_tool_that_exists() -> None:
    calls = [params for method, params in _tried("tools") if method == "tools/call"]
    assert calls == [{"name": probes.TOOL, "arguments": {}}, {"arguments": {}}]


def test_requests_paged_list_gets_an_unknown_cursor() -> None:
    assert ("tools/list", {"cursor": probes.CURSOR}) in _tried("tools", pages=2)


def test_requests_prompt_with_required_argument_is_requested_without_it() -> None:
    asked = ("prompts/get", {"name": "greet", "arguments": {}})
    assert asked in _tried("prompts", prompts=(_PROMPT,))
    assert asked not in _tried("prompts", prompts=({"name": "greet", "arguments": [{"name": "who"}]},))


def test_first_requests_list_of_several_pages_is_not_repeated() -> None:
    assert ("tools/list", None) in _first(Era.LEGACY, "tools")
    assert ("tools/list", None) not in _first(Era.LEGACY, "tools", pages=2)


def test_first_requests_modern_revision_has_no_ping() -> None:
    assert "ping" in [method for method, _ in _first(Era.LEGACY)]
    assert "ping" not in [method for method, _ in _first(Era.MODERN)]


def test_first_requests_read_the_first_resource_and_a_prompt_without_required_arguments() -> None:
    prompts, resources = (_PROMPT, {"name": "hello"}), ({"uri": "a://1"}, {"uri": "a://2"})
    found = _first(Era.LEGACY, "prompts", "resources", prompts=prompts, resources=resources)
    assert [each for each in found if each[0] in ("resources/read", "prompts/get")] == [
        ("resources/read", {"uri": "a://1"}),
        ("prompts/get", {"name": "hello"}),
    ]


@pytest.mark.parametrize("outdated", [False, True])
def test_later_lists_are_the_declared_ones_without_items_and_those_announced_as_changed(outdated: bool) -> None:
    lists = _lists(1, ({"name": "hello"},))
    lists["prompts"] = msgspec.structs.replace(lists["prompts"], outdated=outdated)
    found = later_lists({"tools": {}, "prompts": {}}, lists, silence_s=3)
    assert [each.send.method for each in found] == ["tools/list", *(["prompts/list"] if outdated else [])]


def test_tests_input_only_a_call_of_an_existing_tool_is_one() -> None:
    assert calls_a_tool("tools/call", {"name": "add"})
    assert not calls_a_tool("tools/call", {"name": probes.TOOL})
    assert not calls_a_tool("tools/call", {"arguments": {}})
    assert not calls_a_tool("tools/list", {"name": "add"})


def test_first_requests_level_of_log_messages_is_set_last_and_only_for_this_client() -> None:
    asked = ("logging/setLevel", {"level": "debug"})
    assert _first(Era.LEGACY, "logging", "tools")[-1] == asked
    assert asked not in _first(Era.LEGACY, "logging", is_alone=False)
    assert asked not in _first(Era.LEGACY, "tools")
    assert asked not in _first(Era.MODERN, "logging")
