"""How a conversation comes about, or does not."""

import pytest

from inspector.checks.diagnoses import opening
from tests.checks.both import assert_both, checks_of
from tests.checks.talks import Cases, Script, Talk, initialize, initialized


def _waited(seconds: float) -> Script:
    return lambda: Talk(opened=False).ask("initialize", initialize(4)).wait(seconds).answer(initialized(4))


def _again(*kinds: str) -> Script:
    def talk() -> Talk:
        begun = Talk().ask("prompts/list").answer({"prompts": [{"name": "a"}]})
        for kind in kinds:
            begun.tell(f"notifications/{kind}/list_changed")
        return begun.ask("prompts/list").answer({"prompts": [{"name": "b"}]})

    return talk


def _probed(*, answered: bool) -> Script:
    def talk() -> Talk:
        begun = Talk(opened=False).ask("server/discover")
        begun = begun.error(-32601) if answered else begun.wait(2)
        return begun.ask("initialize", initialize(4)).answer(initialized(4))

    return talk


CASES: Cases = {
    "L-01": (lambda: Talk().ask("ping").answer({}, "2"), lambda: Talk().ask("ping").answer({}, 2)),
    "L-04": (
        lambda: Talk(opened=False).ask("initialize", initialize(4)).wait(3).close("given up"),
        lambda: Talk(opened=False).ask("initialize", initialize(4)).exit(1),
    ),
    "L-05": (_waited(6), _waited(4)),
    "L-08": (
        lambda: Talk(opened=False).ask("initialize", initialize(4)).answer(initialized(5)),
        lambda: Talk(opened=False).ask("initialize", initialize(4)).answer(initialized(3)),
    ),
    "L-10": (_probed(answered=False), _probed(answered=True)),
    "L-13": (_again(), _again("prompts")),
}


def test_each_check_has_a_fault_and_a_near_miss() -> None:
    assert set(CASES) == checks_of(opening)


@pytest.mark.parametrize("id_", CASES)
def test_the_fault_is_found_and_the_near_miss_is_not(id_: str) -> None:
    assert_both(CASES, id_)
