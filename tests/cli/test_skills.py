"""Skills are asked for only where a server says that it has some."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from inspector.cli.headless import Visit
from inspector.cli.skills import demand_skills
from inspector.errors import UsageError
from inspector.protocol.extensions import SKILLS


def visit(capabilities: dict[str, Any]) -> Visit:
    return cast(Visit, SimpleNamespace(opening=SimpleNamespace(capabilities=capabilities)))


def test_a_server_that_declares_none_is_asked_only_if_it_is_to_be_asked_anyway() -> None:
    with pytest.raises(UsageError, match=SKILLS):
        demand_skills(visit({"tools": {}}), anyway=False)
    demand_skills(visit({"tools": {}}), anyway=True)
    demand_skills(visit({"extensions": {SKILLS: {}}}), anyway=False)
