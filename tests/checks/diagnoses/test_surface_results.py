"""Contents against what they say they are."""

import base64
from typing import Any

import pytest

from inspector.checks.diagnoses import surface_results
from tests.checks.both import assert_both, checks_of, of_one
from tests.checks.talks import Cases, Script, asked

_PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(20)).decode()
_ZIP = base64.b64encode(b"PK\x03\x04" + bytes(20)).decode()


def _read(**item: str) -> Script:
    return asked("resources/read", {"contents": [{"uri": "a:b"} | item]}, params={"uri": "a:b"})


CASES: Cases = {
    "S-22": (
        _read(blob=_PNG, mimeType="image/jpeg"),
        _read(blob=_ZIP, mimeType="application/vnd.oasis.opendocument.text"),
    ),
}


def test_each_check_has_a_fault_and_a_near_miss() -> None:
    assert set(CASES) == checks_of(surface_results)


@pytest.mark.parametrize("id_", CASES)
def test_the_fault_is_found_and_the_near_miss_is_not(id_: str) -> None:
    assert_both(CASES, id_)


@pytest.mark.parametrize(("text", "count"), [('{"a": 1}', 0), ("{a: 1}", 1), ("[" * 50_000, 0)])
def test_json_must_be_json_as_far_as_it_can_be_read(text: str, count: int) -> None:
    assert len(of_one(_read(text=text, mimeType="application/json")().findings(), "S-22")) == count


def test_a_resource_in_a_prompt_is_looked_at_as_well() -> None:
    resource: dict[str, Any] = {"uri": "a:b", "mimeType": "image/gif", "blob": _PNG}
    message = {"role": "user", "content": {"type": "resource", "resource": resource}}
    (found,) = of_one(asked("prompts/get", {"messages": [message]})().findings(), "S-22")
    assert found.pointer == "/result/messages/0/content/resource/mimeType"
