"""Regular expressions take time in proportion to the text, or are listed here with the reason why they may not.

The check is structural and conservative. It finds the forms that can cost more: a repetition in a repetition, two
repetitions of the same characters next to each other, and in a search a repetition that is tried again at each of its
own characters.
"""

import ast
import importlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from tests.architecture.sources import Source, sources

_parser, _kinds = re._parser, re._constants  # type: ignore[attr-defined]
_LONG = 256
"""Repetitions up to this number count as bounded."""
_SAMPLE = frozenset((*map(chr, range(128)), "é", "\u3042"))
_REPEATS = (_kinds.MAX_REPEAT, _kinds.MIN_REPEAT)
_SEARCHES = {"search", "sub", "subn", "split", "findall", "finditer"}
_ANCHORED = {"match", "fullmatch"}
_SINGLE = (_kinds.LITERAL, _kinds.NOT_LITERAL, _kinds.ANY, _kinds.IN)


def _expressions(source: Source) -> Iterator[tuple[str | None, bool]]:
    """Yield the text of each expression, None if it is made while the program runs, and whether it may be searched."""
    assigned = {
        id(each.value): ast.unparse(target)
        for each in ast.walk(source.tree)
        if isinstance(each, ast.Assign | ast.AnnAssign)
        for target in (each.targets[:1] if isinstance(each, ast.Assign) else [each.target])
    }
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        function = ast.unparse(node.func).removeprefix("re.")
        if function != "lazy_pattern" and (
            not ast.unparse(node.func).startswith("re.") or function not in _SEARCHES | _ANCHORED | {"compile"}
        ):
            continue
        name = assigned.get(id(node), "")
        text = _text(source, node.args[0], name)
        searches = function in _SEARCHES
        if function in ("compile", "lazy_pattern"):
            uses = set(re.findall(rf"\b{re.escape(name)}\.(\w+)", source.text)) if name else set()
            searches = not uses or not uses <= _ANCHORED
        yield (text.decode("latin-1") if isinstance(text, bytes) else text), searches


def _text(source: Source, node: ast.expr, name: str) -> str | bytes | None:
    """Return an expression's text; of a computed one, what the module has under its name, or that of its own name."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str | bytes) else None
    module = vars(importlib.import_module(source.module))
    found = module.get(node.id) if isinstance(node, ast.Name) else getattr(module.get(name), "pattern", None)
    return found if isinstance(found, str | bytes) else None


def _characters(item: Any) -> frozenset[str]:
    """Return the characters of the sample that an item may consume."""
    kind, value = item
    if kind is _kinds.LITERAL:
        return frozenset(chr(value))
    if kind is _kinds.NOT_LITERAL:
        return _SAMPLE - {chr(value)}
    if kind is _kinds.ANY:
        return _SAMPLE - {"\n"}
    if kind is _kinds.IN:
        return frozenset(each for each in _SAMPLE if _is_in(each, value))
    if kind is _kinds.BRANCH:
        return frozenset().union(*map(_of_all, value[1]))
    if kind is _kinds.SUBPATTERN:
        return _of_all(value[-1])
    if kind in _REPEATS or kind is _kinds.POSSESSIVE_REPEAT:
        return _of_all(value[2])
    return _SAMPLE if kind is _kinds.GROUPREF else frozenset()


def _of_all(items: Any) -> frozenset[str]:
    return frozenset().union(*map(_characters, items))


def _is_in(character: str, members: Sequence[Any]) -> bool:
    negated, found = False, False
    for kind, value in members:
        if kind is _kinds.NEGATE:
            negated = True
        elif kind is _kinds.LITERAL:
            found |= ord(character) == value
        elif kind is _kinds.RANGE:
            found |= value[0] <= ord(character) <= value[1]
        else:
            name = str(value).rsplit("_", 1)[-1]
            sign = {"DIGIT": "d", "SPACE": "s", "WORD": "w"}[name]
            found |= bool(re.fullmatch(f"\\{sign.upper() if '_NOT_' in str(value) else sign}", character))
    return found is not negated


def _is_long(item: Any) -> bool:
    return item[0] in _REPEATS and item[1][1] > _LONG


def _may_be_long(item: Any) -> bool:
    return _is_long(item) or (item[0] is _kinds.POSSESSIVE_REPEAT and item[1][1] > _LONG)


def _flat(items: Any) -> Iterator[Any]:
    """Yield the items of a sequence, groups opened."""
    for item in items:
        if item[0] is _kinds.SUBPATTERN:
            yield from _flat(item[1][-1])
        else:
            yield item


def _is_needed(item: Any) -> bool:
    """Return whether an item consumes at least one character."""
    return item[0] is not _kinds.AT and _parser.SubPattern(_parser.State(), [item]).getwidth()[0] > 0


def _sequences(items: Any) -> Iterator[list[Any]]:
    """Yield each sequence of items, with those of branches and repetitions."""
    flat = [*_flat(items)]
    yield flat
    for kind, value in flat:
        if kind is _kinds.BRANCH:
            for each in value[1]:
                yield from _sequences(each)
        elif kind in _REPEATS:
            yield from _sequences(value[2])


def faults(text: str, *, searches: bool) -> Iterator[str]:
    """Yield what may make an expression slow."""
    whole = _parser.parse(text)
    for items in _sequences(whole):
        for at, item in enumerate(items):
            if not _is_long(item):
                continue
            own = _characters(item)
            inner = [each for part in _sequences(item[1][2]) for each in part if _is_long(each)]
            if inner and not any(
                _is_needed(each) and all(not _characters(each) & _characters(long) for long in inner)
                for each in _flat(item[1][2])
            ):
                yield "a repetition in a repetition"
            for follower in items[at + 1 :]:
                if _is_long(follower) and _characters(follower) & own:
                    yield "two repetitions of the same characters"
                if _is_needed(follower):
                    break
    if searches and (branches := [*_flat(whole)]):
        first = branches[0]
        heads = [[*_flat(each), *branches[1:]] for each in first[1][1]] if first[0] is _kinds.BRANCH else [branches]
        for items in heads:
            for at, item in enumerate(items):
                if (
                    item[0] in (_kinds.AT, _kinds.ASSERT, _kinds.ASSERT_NOT)
                    and at == 0
                    and item[1] in (_kinds.AT_BEGINNING, _kinds.AT_BEGINNING_STRING)
                ):
                    break
                if _may_be_long(item):
                    if any(map(_is_needed, items[at + 1 :])):
                        yield "a search that begins with a repetition"
                    break
                if _is_needed(item) and not any(
                    _characters(item) & _characters(each) for each in items if _may_be_long(each)
                ):
                    break


def goes_too_far(items: Any) -> bool:
    """Return whether Python 3.11.2 matches too much: it does not go back in a possessive group that fails later.

    Only a repetition, a group or a lookahead has moved on then; a single character has not.
    """
    for kind, value in _flat(items):
        inner = (
            value[1] if kind is _kinds.BRANCH else [value[2]] if kind in (*_REPEATS, _kinds.POSSESSIVE_REPEAT) else []
        )
        if kind is _kinds.POSSESSIVE_REPEAT and any(map(_may_stay_ahead, _alternatives(value[2]))):
            return True
        if any(map(goes_too_far, inner)):
            return True
    return False


def _alternatives(items: Any) -> Iterator[list[Any]]:
    flat = [*_flat(items)]
    if len(flat) == 1 and flat[0][0] is _kinds.BRANCH:
        for each in flat[0][1][1]:
            yield from _alternatives(each)
    else:
        yield flat


def _may_stay_ahead(items: list[Any]) -> bool:
    moves = [at for at, (kind, _) in enumerate(items) if kind not in _SINGLE]
    looks = any(kind in (_kinds.ASSERT, _kinds.ASSERT_NOT) for kind, _ in items)
    return looks or (bool(moves) and any(map(_is_needed, items[moves[0] + 1 :])))


_BOUNDED = "its text is short: one line of stderr, a header, or a title, of at most some kilobytes"
_OWN = "its text is typed by the user, or from a file that the user wrote"
_SEPARATED = "its parts are separated by a character that neither of them matches"
_FORMATTED = "its text is formatted JSON, in which each string ends in its line"
_FALLS_BACK = "where one form fails, the next one takes the same characters, so that none is tried again"
ALLOWED = {
    "inspector/present/json_text.py": (1, _FORMATTED),
    "inspector/protocol/unreadable.py": (1, "it is only matched at one place"),
    "inspector/capture/compare/normal.py": (2, _SEPARATED),
    "inspector/capture/import_/http.py": (1, _FALLS_BACK),
    "inspector/checks/diagnoses/causes.py": (1, _BOUNDED),
    "inspector/checks/diagnoses/process.py": (5, _BOUNDED),
    "inspector/checks/diagnoses/results.py": (1, "a search begins only before a run of backslashes, not within it"),
    "inspector/checks/diagnoses/streams.py": (1, _SEPARATED),
    "inspector/checks/foreign_text.py": (4, _SEPARATED),
    "inspector/checks/rules/logins.py": (1, _SEPARATED),
    "inspector/checks/verdict.py": (1, "its text is the sentence of a finding, of some hundred characters"),
    "inspector/cli/filtering.py": (1, _OWN),
    "inspector/config/settings.py": (1, _OWN),
    "inspector/features/bench/verdicts.py": (1, _OWN),
    "inspector/features/cases/file.py": (1, _OWN),
    "inspector/config/eras.py": (1, _SEPARATED),
    "inspector/features/blame/json_text.py": (1, "its text is valid JSON: each quote begins or ends a string"),
    "inspector/features/cases/model.py": (1, "a search begins only before a run of backslashes, not within it"),
    "inspector/features/share/known.py": (3, _FALLS_BACK),
    "inspector/features/share/line_secrets.py": (9, _SEPARATED),
    "inspector/features/share/prose.py": (1, _SEPARATED),
    "inspector/features/share/redactor.py": (1, _FALLS_BACK),
    "inspector/features/tap/install.py": (1, _OWN),
    "inspector/filters/language/completion.py": (2, _OWN),
    "inspector/forms/patterns.py": (2, "its text is cut to the longest pattern that is used"),
    "inspector/present/blocks.py": (1, _BOUNDED),
    "inspector/protocol/skills.py": (1, _SEPARATED),
    "inspector/protocol/credentials.py": (4, "a search begins only behind a sign that its repetitions do not match"),
    "inspector/protocol/token_shapes.py": (2, _SEPARATED),
    "inspector/present/decodings.py": (1, _SEPARATED),
    "inspector/present/server_log.py": (
        1,
        "it is matched at the beginning of a line, and its names are separated by dots",
    ),
    "inspector/protocol/uri_templates.py": (1, _SEPARATED),
    "inspector/text.py": (1, "it reads 4,096 characters, and ends at a tag"),
}
"""Files with expressions that were looked at: how many, and why these are not slow."""

_LITERAL = "it is an alternative of literal texts, or a class of characters"
MADE_LATER = {
    "inspector/capture/compare/normal.py": (1, _OWN),
    "inspector/checks/definitions/texts.py": (5, _LITERAL),
    "inspector/checks/definitions/tools.py": (1, _LITERAL),
    "inspector/checks/sayings.py": (2, _BOUNDED),
    "inspector/checks/foreign_text.py": (1, "each is matched at one place, at a few hundred places of a text"),
    "inspector/config/eras.py": (1, _LITERAL),
    "inspector/demo/toolkit.py": (1, "the demo's own pattern, and a value that the user types"),
    "inspector/features/probe/comparing.py": (1, _BOUNDED),
    "inspector/features/probe/words.py": (1, "its rows are fixed, and repeat what has an end on its line"),
    "inspector/features/share/prose.py": (3, _LITERAL),
    "inspector/features/watch/watcher.py": (1, _OWN),
    "inspector/forms/keywords.py": (1, "its patterns are fixed, and have no ambiguous repetition"),
    "inspector/present/json_text.py": (4, _FORMATTED),
    "inspector/present/spans.py": (3, "the gap between two letters is short and excludes the next letter"),
    "inspector/protocol/credentials.py": (1, _LITERAL),
    "inspector/text.py": (1, "the caller gives the text, and is listed or checked itself"),
    "inspector/tui/keymap.py": (1, _OWN),
    "inspector/tui/widgets/json_tree/model.py": (1, _FORMATTED),
}
"""Files with expressions whose text is known only while the program runs: how many, and why these are not slow."""


def _suspects(source: Source) -> list[str]:
    known = ((text, searches) for text, searches in _expressions(source) if text is not None)
    return [text for text, searches in known if any(faults(text, searches=searches))]


def test_expressions_that_may_be_slow_are_those_that_were_looked_at() -> None:
    found = {source.path: len(texts) for source in sources("inspector") if (texts := _suspects(source))}
    assert found == {path: count for path, (count, _) in ALLOWED.items()}


def test_no_expression_matches_too_much_with_python_3_11_2() -> None:
    known = ((source.path, text) for source in sources("inspector") for text, _ in _expressions(source) if text)
    assert [each for each in known if goes_too_far(_parser.parse(each[1]))] == []


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        (r"(?:[^-]++|-(?!END))*+-END", True),
        (r"(?:\s|\\+[nrtf])*+:", True),
        (r'(?:[^" ]++|"[^"]*+")++', True),
        (r'(?:,"(?:ab|cd)":\d)*+,"raw"', True),
        (r'"(?:[^"\\]++|\\.)*+"', False),
        (r'(?:[^" ]++|"[^"]*+")+', False),
        (r"(?:\s|true|null)*+", False),
    ],
)
def test_goes_too_far_finds_a_possessive_group_that_fails_after_a_repetition(text: str, is_found: bool) -> None:
    assert goes_too_far(_parser.parse(text)) is is_found


@pytest.mark.parametrize(
    "text",
    [
        r'"(?:[^"\\]++|\\.)*+"',
        r"(a+)+b",
        r"(?:\w|\d+)+x",
        r"\s*/?\s*x",
        r"[^\s]*/node_modules/",
        r"\n\s+at ",
        r"<[^>]*>",
        r"\\+u",
        r"ab[a-z]*X",
    ],
)
def test_faults_finds_an_expression_that_is_tried_again(text: str) -> None:
    assert list(faults(text, searches=True))


@pytest.mark.parametrize(
    "text",
    [
        r"xa+b",
        r"\n[ \t]+at ",
        r"<[^<>]*>",
        r"(?<!\\)[a-z]{2,9}=",
        r"(?:\.[a-z]+)*\Z",
        r"^\s*x",
        r'"[^"\\]*+"',
        r'"(?:[^"\\]|\\.)*+"?',
    ],
)
def test_faults_finds_none_in_an_expression_without_repeated_tries(text: str) -> None:
    assert list(faults(text, searches=text != r'"[^"\\]*+"')) == []


def test_expressions_that_are_made_while_the_program_runs_are_those_that_were_looked_at() -> None:
    found = {
        source.path: count
        for source in sources("inspector")
        if (count := sum(text is None for text, _ in _expressions(source)))
    }
    assert found == {path: count for path, (count, _) in MADE_LATER.items()}
