"""How a conversation begins, and what was declared."""

from typing import Any

import pytest

from inspector.protocol.revisions.table import ROWS
from tests.checks.both import of_one
from tests.checks.talks import META, Cases, Talk, asked, ids, initialize, initialized, told

_NONE: dict[str, Any] = {"completions": {}}
_EARLY = (
    "request-before-initialized",
    "notification-before-initialized",
    "client-capability-not-declared",
    "list-changed-undeclared",
    "logging-undeclared",
)


def _discover(**more: object) -> Talk:
    result = {"supportedVersions": ["x"], "capabilities": {}} | more
    return Talk(5, opened=False).ask("server/discover").answer(result)


CASES: Cases = {
    "handshake-error-without-versions": (
        lambda: Talk(5).ask("initialize").error(-32601),
        lambda: Talk(5).ask("initialize").error(-32022, data={"supported": [ROWS[-1].date], "requested": "x"}),
    ),
    "unknown-protocol-version": (
        lambda: (
            Talk(opened=False).ask("initialize", initialize(4)).answer(initialized(4) | {"protocolVersion": "2031"})
        ),
        lambda: Talk(opened=False).ask("initialize", initialize(4)).answer(initialized(3)),
    ),
    "request-before-initialized": (
        lambda: Talk(ready=False).demand("roots/list"),
        lambda: Talk(ready=False).demand("ping"),
    ),
    "notification-before-initialized": (
        told("notifications/tools/list_changed", ready=False),
        told("notifications/message", {"level": "info", "data": 1}, ready=False),
    ),
    "discover-not-implemented": (
        lambda: Talk(5).ask("server/discover").error(-32601),
        lambda: Talk(5, opened=False).ask("server/discover").error(-32601),
    ),
    "version-not-listed": (_discover, lambda: Talk(5)),
    "supported-versions-missing": (
        lambda: Talk(5).ask("tools/list").error(-32022, data={"supported": []}),
        lambda: Talk(5).ask("tools/list").error(-32022, data={"supported": ["x"], "requested": ROWS[-1].date}),
    ),
    "required-capabilities-missing": (
        lambda: Talk(5).ask("tools/list").error(-32021, data={"requiredCapabilities": ["roots"]}),
        lambda: Talk(5).ask("tools/list").error(-32021, data={"requiredCapabilities": {"roots": {}}}),
    ),
    "empty-result-has-members": (asked("logging/setLevel", {"level": "debug"}), asked("ping", {"_meta": {}})),
    "opening-repeated": (
        asked("tools/list", {"tools": [], "protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {}}),
        asked("tools/list", {"tools": [], "serverInfo": {}}),
    ),
    "unknown-result-type": (
        asked("tools/call", {"resultType": "task"}, 5),
        asked("tools/call", {"resultType": "task"}, 5, client={"extensions": {META + "tasks": {}}}),
    ),
    "server-info-missing": (asked("tools/list", {"tools": [], "_meta": {}}, 5), asked("tools/list", {"tools": []}, 5)),
    "server-info-invalid": (
        asked("tools/list", {"tools": [], "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "s"}}}, 5),
        asked("tools/list", {"tools": []}, 5),
    ),
    "release-candidate-leftover": (
        lambda: Talk(5).ask("tools/list").error(-32004, data={"supported": ["x"], "requested": ROWS[-1].date}),
        lambda: Talk(5).ask("tools/list").error(-32004),
    ),
    "extension-without-prefix": (
        lambda: _discover(capabilities={"extensions": {"ours": {}}}),
        lambda: _discover(capabilities={"extensions": {"com.example/ours": {}}}),
    ),
    "tasks-capability-obsolete": (
        lambda: _discover(capabilities={"tasks": {}}),
        lambda: _discover(capabilities={"extensions": {}}),
    ),
    "list-changed-undeclared": (
        told("notifications/tools/list_changed", capabilities={"tools": {}}),
        told("notifications/tools/list_changed"),
    ),
    "resource-update-undeclared": (
        told("notifications/resources/updated", {"uri": "a:b"}, capabilities={"resources": {}}),
        told("notifications/resources/updated", {"uri": "a:b"}),
    ),
    "logging-undeclared": (
        told("notifications/message", {"level": "info", "data": 1}, capabilities=_NONE),
        told("notifications/message", {"level": "info", "data": 1}),
    ),
    "list-undeclared": (
        asked("prompts/list", {"prompts": [{"name": "a"}]}, capabilities=_NONE),
        asked("prompts/list", {"prompts": []}, capabilities=_NONE),
    ),
    "skills-unavailable": (
        lambda: Talk(capabilities={"tools": {}, "extensions": {META + "skills": {}}}),
        lambda: Talk(capabilities={"resources": {}, "extensions": {META + "skills": {}}}),
    ),
    "capability-misnamed": (
        lambda: Talk(capabilities={"completion": {}}),
        lambda: Talk(capabilities={"completion": {}, "completions": {}}),
    ),
    "capability-not-implemented": (
        lambda: Talk().ask("tools/list").error(-32601),
        lambda: Talk(capabilities=_NONE).ask("tools/list").error(-32601),
    ),
}


def test_list_changed_undeclared_is_milder_in_early_revisions() -> None:
    early = Talk(1, capabilities={"tools": {}}).tell("notifications/tools/list_changed").findings()
    late = Talk(3, capabilities={"tools": {}}).tell("notifications/tools/list_changed").findings()
    assert [each.severity for each in (*early, *late)] == ["warning", "error"]


def test_the_version_that_was_requested_is_repeated_as_it_was() -> None:
    assert "supported-versions-missing" in ids(
        Talk(5).ask("tools/list").error(-32022, data={"supported": ["x"], "requested": "y"})
    )


def test_server_info_in_the_result_itself_is_one_finding() -> None:
    findings = _discover(serverInfo={"name": "s"}, _meta={}).findings()
    (found,) = of_one(findings, "server-info-missing")
    assert [each.id for each in findings if "serverInfo" in each.sentence] == [found.id]
    assert "has no serverInfo in _meta but in the result itself" in found.sentence


def _before_the_response(capabilities: dict[str, Any]) -> Talk:
    talk = Talk(opened=False).ask("initialize", initialize(4, {}))
    talk = talk.tell("notifications/message", {"level": "info", "data": 1}).tell("notifications/tools/list_changed")
    return talk.demand("roots/list").demand("ping", id_=901).answer(initialized(4, capabilities))


def test_message_before_initialize_response_is_judged_after_it() -> None:
    found = [
        each
        for each in _before_the_response(_NONE).findings()
        if each.id
        in {
            "request-before-initialized",
            "notification-before-initialized",
            "client-capability-not-declared",
            "list-changed-undeclared",
            "logging-undeclared",
        }
    ]
    by_frame = sorted((each.frames[0], each.id, each.known_at) for each in found)
    assert by_frame == [
        (3, "logging-undeclared", 7),
        (4, "list-changed-undeclared", 7),
        (4, "notification-before-initialized", 7),
        (5, "client-capability-not-declared", 7),
        (5, "request-before-initialized", 7),
    ]
    assert {each.revision for each in found} == {ROWS[3].date}


def test_capability_declared_in_the_response_is_no_fault_before_it() -> None:
    found = {each.id for each in _before_the_response({"logging": {}, "tools": {"listChanged": True}}).findings()}
    assert found & set(_EARLY) == set(_EARLY[:3])


def test_without_a_response_only_what_the_client_offered_is_known() -> None:
    talk = Talk(opened=False).ask("initialize", initialize(4, {})).tell("notifications/tools/list_changed")
    found = {each.id for each in talk.demand("roots/list").close("it exited").findings()}
    assert found & set(_EARLY) == set(_EARLY[:3])


def test_each_early_message_is_judged_once() -> None:
    talk = _before_the_response(_NONE).inform("notifications/initialized").ask("ping").answer({})
    found = [each.id for each in talk.findings()]
    assert [found.count(id_) for id_ in _EARLY] == [1] * 5


@pytest.mark.parametrize("row", [4, 5])
def test_skills_that_are_declared_are_listed(row: int) -> None:
    able: dict[str, Any] = {"resources": {}, "extensions": {META + "skills": {}}}
    talks = [
        Talk(row, capabilities=able).ask("skills/list").error(-32601),
        Talk(row, capabilities=able).ask("skills/list").answer({}),
        Talk(row, capabilities=able).ask("skills/list").error(-32603),
        Talk(row, capabilities=able).ask("skills/list").answer({"skills": []}),
        Talk(row, capabilities={"resources": {}}).ask("skills/list").error(-32601),
    ]
    assert ["skills-unavailable" in ids(talk) for talk in talks] == [True, True, False, False, False]


def test_missing_list_of_templates_is_a_hint() -> None:
    (found,) = of_one(Talk().ask("resources/templates/list").error(-32601).findings(), "capability-not-implemented")
    assert found.severity == "hint"
    assert not of_one(
        Talk(capabilities=_NONE).ask("resources/templates/list").error(-32601).findings(), "capability-not-implemented"
    )


def test_discovery_that_names_no_version_is_an_error() -> None:
    (found,) = of_one(_discover(supportedVersions=[]).findings(), "discover-result-invalid")
    assert found.pointer == "/result/supportedVersions"


def test_a_handshake_that_is_refused_for_its_headers_needs_no_versions() -> None:
    assert not of_one(Talk(5).ask("initialize").error(-32020).findings(), "handshake-error-without-versions")


@pytest.mark.parametrize(
    ("capabilities", "code", "found"), [({"logging": {}}, -32601, 1), ({}, -32601, 0), ({"logging": {}}, -32603, 0)]
)
def test_capability_not_implemented_logging_without_its_request(
    capabilities: dict[str, Any], code: int, found: int
) -> None:
    talk = Talk(capabilities=capabilities).ask("logging/setLevel", {"level": "debug"}).error(code)
    assert [each.severity for each in of_one(talk.findings(), "capability-not-implemented")] == ["warning"] * found
