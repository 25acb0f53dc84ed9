"""What an answer proves about the server's era."""

from typing import Any

import pytest

from inspector.protocol.revisions.openings import (
    Opening,
    ProbeVerdict,
    from_discover,
    from_initialize,
    judge_error,
    judge_result,
    modern_code,
)

DATE = "2026-07-28"
DATA = {"supported": [DATE], "requested": "x"}


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ({"code": -32020}, -32020),
        ({"code": -32022, "data": DATA}, -32022),
        ({"code": -32001, "message": "Header mismatch: Mcp-Name"}, -32020),
        ({"code": -32003, "data": {"requiredCapabilities": {}}}, -32021),
        ({"code": -32004, "data": DATA}, -32022),
        ({"code": -32001, "message": "Session not found"}, None),
        ({"code": -32003}, None),
        ({"code": -32004}, None),
        ({"code": -32601}, None),
        ({"code": "x"}, None),
        (None, None),
    ],
)
def test_modern_evidence_has_code_and_shape(error: Any, code: int | None) -> None:
    assert modern_code(error) == code


@pytest.mark.parametrize(
    ("result", "verdict"),
    [
        ({"supportedVersions": [DATE], "capabilities": {}}, ProbeVerdict.MODERN),
        ({"capabilities": {}}, ProbeVerdict.MODERN),
        ({"supportedVersions": ["2025-06-18"]}, ProbeVerdict.LEGACY),
        ({"supportedVersions": ["2099-01-01"]}, ProbeVerdict.INCOMPATIBLE),
        ({}, ProbeVerdict.LEGACY),
        (None, ProbeVerdict.LEGACY),
    ],
)
def test_a_result_of_the_probe_is_judged_by_what_it_names(result: Any, verdict: ProbeVerdict) -> None:
    assert judge_result(DATE, result).verdict is verdict


def test_a_pinned_version_is_tried_even_if_the_server_does_not_name_it() -> None:
    assert judge_result("2099-01-01", {"supportedVersions": [DATE]}, pinned=True).verdict is ProbeVerdict.MODERN
    assert judge_result("2099-01-01", {"supportedVersions": [DATE]}).verdict is ProbeVerdict.AGAIN


@pytest.mark.parametrize(
    ("error", "verdict"),
    [
        ({"code": -32022, "data": {"supported": [DATE], "requested": "x"}}, ProbeVerdict.AGAIN),
        ({"code": -32022, "data": {"supported": ["2024-11-05"], "requested": "x"}}, ProbeVerdict.LEGACY),
        ({"code": -32022, "data": {"supported": ["2099-01-01"], "requested": "x"}}, ProbeVerdict.INCOMPATIBLE),
        ({"code": -32022}, ProbeVerdict.INCOMPATIBLE),
        ({"code": -32021, "data": {"requiredCapabilities": {}}}, ProbeVerdict.MODERN),
        ({"code": -32601}, ProbeVerdict.LEGACY),
        ({"code": -32602}, ProbeVerdict.LEGACY),
        (None, ProbeVerdict.LEGACY),
    ],
)
def test_an_error_to_the_probe_is_judged_by_code_and_shape(error: Any, verdict: ProbeVerdict) -> None:
    assert judge_error("2031-01-01", error).verdict is verdict


def test_an_opening_needs_a_version_and_nothing_else() -> None:
    found = from_initialize(None, {"protocolVersion": "2024-11-05"})
    assert isinstance(found, Opening)
    assert (found.revision.date, found.server, found.capabilities) == ("2024-11-05", {}, {})
    assert from_initialize(None, {"protocolVersion": 1}) == "the result of initialize has no protocolVersion"


def test_the_candidates_server_info_is_found_in_the_body() -> None:
    found = from_discover(DATE, {"supportedVersions": [DATE], "capabilities": {}, "serverInfo": {"name": "rc"}})
    assert isinstance(found, Opening)
    assert found.server == {"name": "rc"}
    assert isinstance(from_discover(DATE, {}), str)
