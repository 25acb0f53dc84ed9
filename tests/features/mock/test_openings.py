"""Openings of both eras from one capture, and results as either may see them."""

import json
from pathlib import Path

from inspector.features.mock.openings import (
    discover_result,
    fit_error,
    fit_result,
    initialize_result,
    lost_between_eras,
    served_modern,
    settled,
)
from inspector.protocol.jsonrpc import Part
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.openings import SERVER_INFO
from inspector.protocol.revisions.table import dates
from tests.features.mock.making import HANDSHAKE, HELLO, LEGACY, MODERN, answer, meta, request, scripted

DISCOVERED = {
    "resultType": "complete",
    "supportedVersions": [MODERN],
    "capabilities": {"tools": {}, "extensions": {"x/y": {}}},
    "instructions": "Knock first",
    "_meta": {SERVER_INFO: {"name": "modern"}},
}


def test_the_recorded_handshake_comes_as_it_was(tmp_path: Path) -> None:
    script = scripted(tmp_path / "c.mcpcap", *HANDSHAKE)
    assert initialize_result(script, LEGACY) == (json.dumps(HELLO).encode(), "")


def test_known_other_version_is_agreed_and_reported(tmp_path: Path) -> None:
    script, older = scripted(tmp_path / "c.mcpcap", *HANDSHAKE), dates(Era.LEGACY)[0]
    result, word = initialize_result(script, older)
    assert json.loads(result)["protocolVersion"] == older
    assert word == f"recorded in {LEGACY}, and served to a client of {older} as it was recorded"
    assert settled(script, "1999-12-31") == (LEGACY, ""), "an unknown version is answered with the recorded one"


def test_discovery_follows_from_a_handshake(tmp_path: Path) -> None:
    found = json.loads(discover_result(scripted(tmp_path / "c.mcpcap", *HANDSHAKE)))
    assert found["supportedVersions"] == [MODERN]
    assert found["capabilities"] == HELLO["capabilities"]
    assert found["_meta"][SERVER_INFO] == {"name": "made"}
    assert (found["resultType"], found["ttlMs"], found["cacheScope"]) == ("complete", 0, "private")


def test_a_handshake_follows_from_discovery(tmp_path: Path) -> None:
    script = scripted(tmp_path / "c.mcpcap", ">", request(1, "server/discover", meta()), "<", answer(1, DISCOVERED))
    assert json.loads(discover_result(script)) == DISCOVERED
    result, _ = initialize_result(script, LEGACY)
    assert json.loads(result) == {
        "protocolVersion": LEGACY,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "modern"},
        "instructions": "Knock first",
    }
    assert served_modern(script) == (MODERN,)
    assert lost_between_eras(script) == ("extensions, which a handshake does not declare",)


def test_a_result_of_its_own_era_is_the_very_bytes() -> None:
    part = Part(b'{"tools": [ ],"x":1E2}')
    assert fit_result(part, "tools/list", Era.LEGACY, Era.LEGACY) == b'{"tools": [ ],"x":1E2}'


def test_a_result_gets_or_loses_what_the_other_era_needs() -> None:
    there = fit_result(Part(b'{"tools":[]}'), "tools/list", Era.LEGACY, Era.MODERN)
    assert json.loads(there) == {"resultType": "complete", "tools": [], "ttlMs": 0, "cacheScope": "private"}
    assert json.loads(fit_result(Part(there), "tools/list", Era.MODERN, Era.LEGACY)) == {"tools": []}
    plain = fit_result(Part(b'{"content":[]}'), "tools/call", Era.LEGACY, Era.MODERN)
    assert json.loads(plain) == {"resultType": "complete", "content": []}
    listed = Part(b'{"content":[],"structuredContent":[1]}')
    assert json.loads(fit_result(listed, "tools/call", Era.MODERN, Era.LEGACY)) == {"content": []}


def test_a_resource_that_is_not_there_has_the_number_of_the_era() -> None:
    old = Part(b'{"code":-32002,"message":"none"}')
    assert json.loads(fit_error(old, "resources/read", Era.LEGACY, Era.MODERN))["code"] == -32602
    assert fit_error(old, "tools/call", Era.LEGACY, Era.MODERN) == old.raw
