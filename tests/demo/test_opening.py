"""How the demo is opened, in either era, and how it refuses."""

from typing import Any

import pytest

from inspector.demo import opening
from inspector.demo.call import INVALID_PARAMS, INVALID_REQUEST, META, METHOD_NOT_FOUND, UNSUPPORTED_VERSION
from tests.demo.driving import LEGACY, MODERN, Here, meta, request, stateless
from tests.demo.driving import opening as initialize


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
async def test_initialize_is_answered_in_the_version_that_was_offered(version: str) -> None:
    result = (await Here().ask(initialize(version)))["result"]
    assert result["protocolVersion"] == version
    assert ("completions" in result["capabilities"]) == (version != "2024-11-05")
    assert ("icons" in result["serverInfo"]) == (version == "2025-11-25")
    assert "resultType" not in result


async def test_an_unknown_version_gets_a_counter_offer() -> None:
    assert (await Here().ask(initialize("2031-01-01")))["result"]["protocolVersion"] == LEGACY


async def test_a_second_initialize_is_refused() -> None:
    here = Here()
    await here.ask(initialize())
    assert (await here.ask(initialize()))["error"]["code"] == INVALID_REQUEST


async def test_discovery_names_the_stateless_versions_and_how_long_that_holds() -> None:
    result = (await Here().ask(stateless(1, "server/discover")))["result"]
    assert result["supportedVersions"] == [MODERN]
    assert result["resultType"] == "complete"
    assert result["ttlMs"] > 0
    assert result["cacheScope"] == "public"
    assert result["_meta"][META + "serverInfo"] == opening.IDENTITY


async def test_an_unknown_stateless_version_is_told_which_there_are() -> None:
    answer = await Here().ask(request(1, "tools/list", _meta=meta(protocolVersion="2031-01-01")))
    assert answer["error"]["code"] == UNSUPPORTED_VERSION
    assert answer["error"]["data"] == {"supported": [MODERN], "requested": "2031-01-01"}


@pytest.mark.parametrize(
    "carried",
    [
        {},
        {META + "protocolVersion": 7, META + "clientCapabilities": {}},
        {META + "protocolVersion": MODERN},
        {META + "protocolVersion": MODERN, META + "clientCapabilities": []},
        meta(logLevel="loud"),
        meta(logLevel=["info"]),
    ],
)
async def test_a_stateless_request_without_what_it_must_carry_is_refused(carried: dict[str, Any]) -> None:
    answer = await Here().ask(request(1, "tools/list", _meta=carried))
    assert answer["error"]["code"] == INVALID_PARAMS


async def test_ping_is_answered_before_initialize() -> None:
    assert (await Here().ask(request(1, "ping")))["result"] == {}


async def test_a_legacy_server_knows_no_discovery_and_wants_to_be_initialized() -> None:
    here = Here(modern=False)
    assert (await here.ask(stateless(1, "server/discover")))["error"]["code"] == METHOD_NOT_FOUND
    assert (await here.ask(stateless(2, "tools/list")))["error"]["code"] == INVALID_REQUEST
    await here.ask(initialize())
    assert "resultType" not in (await here.ask(stateless(3, "tools/list")))["result"]


async def test_a_modern_server_answers_initialize_with_the_versions_it_serves() -> None:
    answer = await Here(legacy=False).ask(initialize())
    assert answer["error"]["code"] == UNSUPPORTED_VERSION
    assert answer["error"]["data"] == {"supported": [MODERN], "requested": LEGACY}


async def test_both_eras_are_spoken_on_one_connection() -> None:
    here = Here()
    await here.ask(initialize("2025-03-26"))
    assert "resultType" in (await here.ask(stateless(1, "tools/list")))["result"]
    assert "resultType" not in (await here.ask(request(2, "tools/list")))["result"]
