"""The lock file: equal surfaces yield equal bytes, and other files are rejected with a reason."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from inspector.capture.store.load import load
from inspector.errors import CaptureError, UsageError
from inspector.features.lock.lock_file import (
    ServerDefinitions,
    as_json,
    definitions_of,
    is_lock_file,
    items_of,
    name_of,
    read_lock_file,
    save,
    written,
)
from tests.captures.record import sample
from tests.features.lock.offered import SHOP, shop


def test_lock_file_survives_reading_and_writing(tmp_path: Path) -> None:
    path = tmp_path / "shop.json"
    odd = shop(
        tools=[*SHOP["tools"], {"name": "\ud800", "description": "half \udfff"}], prompts=None, partial=("tools",)
    )
    for surface in (shop(), odd, ServerDefinitions()):
        save(path, surface)
        assert is_lock_file(path)
        assert read_lock_file(path) == (surface, [])
        assert written(read_lock_file(path)[0]) == path.read_bytes()
    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == ["shop.json"], "nothing half written is left"


def test_order_on_the_wire_does_not_matter_and_it_may_be_read_by_others(tmp_path: Path) -> None:
    turned = [dict(reversed(each.items())) for each in reversed(SHOP["tools"])]
    assert written(shop(tools=turned)) == written(shop())
    assert as_json(shop(prompts=None))["prompts"] is None
    save(tmp_path / "a.json", shop())
    assert stat.S_IMODE((tmp_path / "a.json").stat().st_mode) & 0o400
    (tmp_path / "a.json").chmod(0o640)
    save(tmp_path / "a.json", shop())
    assert stat.S_IMODE((tmp_path / "a.json").stat().st_mode) == 0o640


def test_edited_lock_value_is_used_and_reported(tmp_path: Path) -> None:
    path = tmp_path / "shop.json"
    path.write_bytes(written(shop()).replace(b"Buys a thing.", b"Buys all."))
    surface, odd = read_lock_file(path)
    assert surface.lists["tools"][0]["description"] == "Buys all."
    assert "'buy'" in odd[0]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"{}", "no surface"),
        (b'{"format": "mcp-lock", "version": 2}', "version 2"),
        (b'{"format": "mcp-lock"}', "version None"),
    ],
)
def test_invalid_lock_file_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=said):
        read_lock_file(path)


def test_strange_members_harm_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    strange: dict[str, Any] = as_json(shop()) | {
        "server": 7,
        "tools": [1, {}],
        "prompts": "no",
        "partial": [[], "tools"],
    }
    path.write_text(json.dumps(strange | {"later": True}))
    surface, _ = read_lock_file(path)
    assert (surface.server, surface.lists["tools"], surface.partial) == (None, (None, None), ("tools",))
    assert "prompts" not in surface.lists


def test_unwritable_lock_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="can't be written"):
        save(tmp_path / "no" / "a.json", shop())
    (tmp_path / "a.json").mkdir()
    with pytest.raises(UsageError, match="can't be written"):
        save(tmp_path / "a.json", shop())
    with pytest.raises(CaptureError, match="can't be opened"):
        is_lock_file(tmp_path / "none")


def test_the_surface_of_a_recorded_day() -> None:
    journal = load(sample("lighthouse"))
    try:
        surface = definitions_of(journal.conversation)
        count = len(journal.conversation.catalogue.tools)
    finally:
        journal.close()
    assert surface.is_known
    assert name_of(surface)
    names = [tool["name"] for tool in surface.lists["tools"]]
    assert (len(names), names) == (count, sorted(names))
    assert surface.partial == ()


def test_locked_items_are_sorted_without_volatile_members() -> None:
    one: dict[str, Any] = {"uri": "b", "name": "n", "size": 7, "annotations": {"lastModified": "today"}}
    other: dict[str, Any] = {"uri": "a", "name": "n", "annotations": {"lastModified": "today", "priority": 1.0}}
    kept = ({"annotations": {"priority": 1}, "name": "n", "uri": "a"}, {"name": "n", "uri": "b"})
    assert items_of("resources", [one, other]) == items_of("resources", [other, one]) == kept
    assert items_of("tools", ["odd", {"name": "x", "size": 7}]) == ("odd", {"name": "x", "size": 7})
