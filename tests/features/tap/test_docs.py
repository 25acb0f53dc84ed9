"""The pages about the tap: rules are valid, the schema is that of the program, and the tests that are named exist."""

import json
import re
from pathlib import Path

from jsonschema import Draft202012Validator

from inspector.documents import read_yaml
from inspector.features.tap.rules import Rule, read_rules
from tests.features.tap.schema import FILE, document

_ROOT = Path(__file__).parents[3]
_PAGE = (_ROOT / "docs/tap.md").read_text()
_GUARANTEES = (_ROOT / "docs/tap-guarantees.md").read_text()


def test_the_schema_is_that_of_the_rules() -> None:
    assert FILE.read_text() == document()


def test_the_rules_in_the_document_are_valid() -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", _PAGE, re.S)
    assert len(blocks) >= 2
    validator = Draft202012Validator(json.loads(FILE.read_text()))
    for block in blocks:
        assert read_rules(block)[1] == []
        validator.validate(read_yaml(block))


def test_the_document_names_every_field_and_action() -> None:
    for name in Rule.__struct_fields__:
        assert f"`{name}`" in _PAGE, name
    for action in ("hold", "log", "edit", "answer", "drop", "delay", "fault", "hide", "override"):
        assert f"`{action}`" in _PAGE, action


def test_the_tests_that_prove_the_guarantees_exist() -> None:
    known = "".join(path.read_text() for path in (_ROOT / "tests/features/tap").glob("test_*.py"))
    known += (_ROOT / "tests/cli/commands/test_tap.py").read_text()
    named = re.findall(r"`(test_\w+)`", _GUARANTEES)
    assert len(named) > 20
    assert [name for name in named if f"def {name}(" not in known] == []
