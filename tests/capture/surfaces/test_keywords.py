"""What a changed keyword does to the values that fit."""

from typing import Any

import pytest

from inspector.capture.surfaces.keywords import Effect, bounds, described, plain_keywords, types, values, words

_N, _W, _E, _U, _NONE = Effect.NARROWER, Effect.WIDER, Effect.EITHER, Effect.UNCLEAR, Effect.NONE


@pytest.mark.parametrize(
    ("before", "after", "effect"),
    [
        ({"type": ["string", "null"]}, {"type": "string"}, _N),
        ({}, {"type": "string"}, _N),
        ({"type": "number"}, {"type": "integer"}, _N),
        ({"type": "string"}, {"type": "number"}, _E),
        ({"enum": ["a", "b"]}, {"enum": ["a"]}, _N),
        ({}, {"enum": ["a"]}, _N),
        ({"const": "a"}, {"enum": ["a", "b"]}, _W),
        ({"enum": ["a", "b"]}, {"enum": ["b", "c"]}, _E),
        ({"minimum": 1}, {"minimum": 2}, _N),
        ({"maxLength": 5}, {"maxLength": 4}, _N),
        ({}, {"maxItems": 4}, _N),
        ({"exclusiveMinimum": True}, {"exclusiveMinimum": 3}, _U),
        ({}, {"pattern": "a"}, _N),
        ({"pattern": "a"}, {"pattern": "b"}, _U),
        ({}, {"uniqueItems": True}, _N),
        ({"not": {}}, {"not": {"type": "string"}}, _U),
        ({}, {"title": "A"}, _NONE),
        ({}, {"description": "new words"}, Effect.WORDS),
        ({"default": 1}, {"default": 2}, _U),
        ({}, {"default": 2}, _NONE),
    ],
)
def test_the_effect_and_that_of_the_way_back(before: Any, after: Any, effect: Effect) -> None:
    def found(old: Any, new: Any) -> list[Effect]:
        return [each.effect for rule in (types, values, bounds, plain_keywords, words) for each in rule("", old, new)]

    back = {_N: _W, _W: _N}.get(effect, effect)
    assert found(before, after) == [effect]
    assert found(after, before) == [_U if "default" in after and "default" not in before else back]
    assert found(before, before) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"enum": ["a", "b"]}, {"enum": ["b", "a"]}),
        ({"type": ["string", "null"]}, {"type": ["null", "string"]}),
        ({}, {"minLength": 0}),
        ({"const": 1}, {"enum": [1.0]}),
    ],
)
def test_what_means_the_same_is_no_change(before: Any, after: Any) -> None:
    assert not [each for rule in (types, values, bounds) for each in rule("", before, after)]


def test_other_blanks_are_no_other_words() -> None:
    assert described("d", "a b", "a\n b ").effect is _NONE
    assert described("d", "a b", "a c").effect is Effect.WORDS
