"""Diagnoses of tool schemas that are valid, or nearly, but fail in clients."""

import re
from collections.abc import Iterator
from typing import Any, Final

from inspector.checks.definitions.schemas import WalkBudget, features_of
from inspector.checks.diagnoses.definitions import LIST, flaws_of, is_later_page, tools_seen
from inspector.checks.diagnoses.process import line_like
from inspector.checks.findings import Confidence, Severity
from inspector.checks.registry import Flaw, diagnosis
from inspector.checks.state import CheckMoment
from inspector.protocol import peek

_ERROR, _WARNING, _HINT = Severity.ERROR, Severity.WARNING, Severity.HINT


@diagnosis(
    "schema-root-combinator",
    _WARNING,
    "Combinator or condition at the root of a schema",
    LIST,
    topic="server/tools",
    heavy=True,
    fix="Move it into a property, or split the tool in two: all clients support a plain object at the root.",
)
def schema_root_combinator(case: CheckMoment) -> Iterator[Flaw]:
    """Legal since 2026; the compatibility data records which clients fail."""
    yield from flaws_of(case, "input-root-combinator", "input-root-condition", most=1)


@diagnosis(
    "schema-dialect", _HINT, "Outdated schema dialect", LIST, topic="basic", heavy=True, fix="Use the 2020-12 dialect."
)
def schema_dialect(case: CheckMoment) -> Iterator[Flaw]:
    """Legal: clients must support 2020-12, and may support other dialects (basic, JSON Schema usage).

    `unknown-schema-dialect` reports unknown ones. One finding covers all input schemas.
    """
    budget = WalkBudget()
    inputs = []
    for seen in tools_seen(case):
        for each in seen.traits:
            if "labelled http" in each.sentence:
                continue
            if each.kind == "input-dialect":
                inputs.append((seen, each))
            elif each.kind == "output-dialect":
                fix = _fix_of_label(seen.tool["outputSchema"], budget)
                place = seen.place + each.pointer
                yield Flaw(f"{seen.name}: {each.sentence}", place, fix=fix, trait=each.kind)
    if inputs:
        seen, first = inputs[0]
        others = f", and {len(inputs) - 1} more tools" if len(inputs) > 1 else ""
        fix = _fix_of_label(seen.tool["inputSchema"], budget)
        yield Flaw(f"{seen.name}: {first.sentence}{others}", seen.place + first.pointer, fix=fix, trait=first.kind)


def _fix_of_label(schema: dict[str, Any], budget: WalkBudget) -> str:
    body = {key: value for key, value in schema.items() if key != "$schema"}
    old = [each for each in features_of(body, budget, is_input=True) if each.kind in _OLD]
    return (
        f"Use the 2020-12 dialect: the schema {old[0].sentence}."
        if old
        else "Remove `$schema`: only the label is outdated."
    )


_OLD: Final = ("input-tuple-items", "boolean-bound", "old-keyword", "input-broken")


@diagnosis(
    "keyword-not-in-dialect",
    _WARNING,
    "Keyword is not in the schema's dialect",
    LIST,
    topic="basic",
    heavy=True,
    fix="Use the keyword of the declared dialect.",
)
def keyword_not_in_dialect(case: CheckMoment) -> Iterator[Flaw]:
    """The keyword is ignored, not validated."""
    yield from flaws_of(case, "old-keyword")
    for flaw in flaws_of(case, "old-place", most=1):
        yield Flaw(flaw.sentence, flaw.pointer, severity=_HINT, trait=flaw.trait)


@diagnosis(
    "array-without-items",
    _WARNING,
    "Array without `items`",
    LIST,
    topic="server/tools",
    heavy=True,
    fix='Add "items"; a model cannot know the type of the elements otherwise.',
)
def array_without_items(case: CheckMoment) -> Iterator[Flaw]:
    yield from flaws_of(case, "array-without-items", most=5)


@diagnosis(
    "schema-expansion-limit",
    _WARNING,
    "Schema cannot be expanded",
    LIST,
    topic="basic",
    heavy=True,
    fix="Reduce the references: clients expand them, up to a limit.",
)
def schema_expansion_limit(case: CheckMoment) -> Iterator[Flaw]:
    """Cyclic references, or references that multiply; recursion is a hint."""
    yield from flaws_of(case, "reference-loop", "multiplies")
    for flaw in flaws_of(case, "recursive", most=1):
        yield Flaw(
            flaw.sentence,
            flaw.pointer,
            severity=_HINT,
            trait=flaw.trait,
            fix="Recursive schemas are valid; limit the depth.",
        )


_NAMES_PARAMETERS: Final = re.compile(r"(?i)\b(parameters?|arguments?|args|inputs?|takes|given|specified|provided)\b")
_MIXED_UP: Final = re.compile(r"_parse is not a function|reading '_(def|zod)'|_zod\b")


def _may_be_mixed_up(case: CheckMoment) -> bool:
    """Whether a response is a list, or a failure."""
    value = case.value
    failed = type(value) is dict and ("code" in value or value.get("isError") is True)
    return failed or case.method == "tools/list"


@diagnosis(
    "schema-library-mismatch",
    _WARNING,
    "Schema library does not fit the SDK",
    LIST,
    "error tools/list",
    "error tools/call",
    "answer tools/call",
    topic="server/tools",
    heavy=True,
    wanted=_may_be_mixed_up,
    confidence=Confidence.LIKELY,
    fix="Install one version only of the library that generates schemas (such as zod).",
)
def schema_library_mismatch(case: CheckMoment) -> Iterator[Flaw]:
    """An error indicates it, or all schemas are empty although descriptions mention parameters."""
    said = peek.text(case.value, "message") or peek.text(case.value, "content", 0, "text") or ""
    if _MIXED_UP.search(said[:2000]):
        yield Flaw(f"the schema library fails: {said[:100]}", "/error" if peek.has(case.value, "code") else "/result")
    seen = tools_seen(case) if case.method == "tools/list" else ()
    if len(seen) < 2 or any(peek.mapping(each.tool, "inputSchema", "properties") for each in seen):
        return
    telling = [each for each in seen if _NAMES_PARAMETERS.search((peek.text(each.tool, "description") or "")[:4000])]
    if len(telling) * 2 >= len(seen):
        logged = f"none of {len(seen):,} tools has parameters, but the description of {telling[0].name} mentions some"
        yield Flaw(logged, f"{telling[0].place}/inputSchema")


@diagnosis(
    "contradictory-schema",
    _WARNING,
    "Schema contradicts itself",
    LIST,
    topic="server/tools",
    heavy=True,
    fix="Make the contradicting keywords consistent.",
)
def contradictory_schema(case: CheckMoment) -> Iterator[Flaw]:
    """A required property that is not described, an enum value or default that does not validate."""
    yield from flaws_of(case, "required-unknown", "enum-type", most=5)
    for flaw in flaws_of(case, "default-wrong", most=3):
        yield Flaw(flaw.sentence, flaw.pointer, severity=_HINT, trait=flaw.trait)


@diagnosis(
    "schema-rejected-by-apis",
    _WARNING,
    "Property names or boolean schemas that some APIs reject",
    LIST,
    topic="server/tools",
    heavy=True,
    fix="Use letters, digits, _ . and - only, and objects instead of true.",
)
def schema_rejected_by_apis(case: CheckMoment) -> Iterator[Flaw]:
    """Legal in JSON Schema, but clients pass schemas to more restrictive APIs; see the compatibility data."""
    for flaw in flaws_of(case, "property-name", most=3):
        fix = "Use letters, digits, _ . and - only, and at most 64 characters."
        yield Flaw(flaw.sentence, flaw.pointer, trait=flaw.trait, fix=fix)
    for flaw in flaws_of(case, "boolean-property", most=3):
        yield Flaw(flaw.sentence, flaw.pointer, trait=flaw.trait, fix="Use {} instead of true.")


_ZOD: Final = ("_def", "_zod", "~standard")
_WRITTEN_ELSEWHERE: Final = {"parameters": "OpenAI", "input_schema": "Anthropic", "args_schema": "LangChain"}


@diagnosis(
    "foreign-schema-format",
    _ERROR,
    "Schema is not JSON Schema",
    LIST,
    topic="server/tools",
    heavy=True,
    fix="Return the JSON Schema of the arguments as inputSchema; zod converts with z.toJSONSchema(schema).",
)
def foreign_schema_format(case: CheckMoment) -> Iterator[Flaw]:
    """A zod object that was not converted, or a tool in the format of another API."""
    for seen in tools_seen(case):
        for member in ("inputSchema", "outputSchema"):
            if library := _library_of(seen.tool.get(member)):
                said = f"{seen.name}: {member} is a {library} object that was not converted to JSON Schema"
                yield Flaw(said, f"{seen.place}/{member}")
        if "inputSchema" in seen.tool:
            continue
        name = next((each for each in _WRITTEN_ELSEWHERE if type(seen.tool.get(each)) is dict), "")
        if name:
            whose = _WRITTEN_ELSEWHERE[name]
            said = f"{seen.name}: the schema is called {name!r}, as in {whose}'s API; MCP uses inputSchema"
            yield Flaw(said, f"{seen.place}/{name}")
        elif type(seen.tool.get("function")) is dict:
            inner = peek.text(seen.tool, "function", "name") or seen.name
            said = f"{inner[:80]}: the tool is wrapped in 'function', as in OpenAI's API; MCP uses name and inputSchema"
            yield Flaw(said, f"{seen.place}/function")


def _library_of(schema: Any) -> str:
    """Return the library whose object replaces a schema; "" if none is recognised."""
    if type(schema) is not dict:
        return ""
    inner = [schema, *(each for each in schema.values() if type(each) is dict and "$schema" not in schema)]
    below = schema.get("properties")
    inner += [each for each in below.values() if type(each) is dict] if type(below) is dict else []
    for each in inner[:40]:
        vendor = peek.text(each, "~standard", "vendor") or ""
        if vendor:
            return vendor[:20]
        if any(type(each.get(name)) is dict for name in _ZOD[:2]):
            return "zod"
    definition = schema.get("def")
    if type(definition) is dict and definition.get("type") == schema.get("type") and "properties" not in schema:
        return "zod"
    return ""


@diagnosis(
    "object-without-properties",
    _WARNING,
    "Object schema without properties rejects all values",
    LIST,
    topic="server/tools",
    heavy=True,
    fix="Describe its properties, or remove additionalProperties: clients that validate arguments reject every call.",
)
def object_without_properties(case: CheckMoment) -> Iterator[Flaw]:
    """`additionalProperties: false` without properties, in a nested object."""
    yield from flaws_of(case, "admits-nothing", most=3)


@diagnosis(
    "invalid-keyword-value",
    _WARNING,
    "Invalid value of a JSON Schema keyword",
    LIST,
    topic="server/tools",
    heavy=True,
    fix="Use the types string, number, integer, boolean, array, object and null; some clients drop such a tool.",
)
def invalid_keyword_value(case: CheckMoment) -> Iterator[Flaw]:
    """Unknown types, and enums that are empty or no arrays, in any dialect."""
    yield from flaws_of(case, "input-broken", "output-broken", most=3)
    for flaw in flaws_of(case, "output-enum-empty", most=3):
        yield Flaw(
            flaw.sentence, flaw.pointer, trait=flaw.trait, fix="Correct or remove it: see the clients it breaks."
        )
    for flaw in flaws_of(case, "input-tuple-items", "output-tuple-items", most=3):
        fix = "Use prefixItems, or declare draft-07 in $schema: an undeclared dialect is 2020-12."
        yield Flaw(flaw.sentence, flaw.pointer, trait=flaw.trait, fix=fix)
    for flaw in flaws_of(case, "input-enum-empty", most=3):
        yield Flaw(flaw.sentence, flaw.pointer, trait=flaw.trait, fix="List the values, or remove the enum.")
    for flaw in flaws_of(case, "boolean-required", most=3):
        fix = 'Move it to "required": ["name", …] beside properties.'
        yield Flaw(flaw.sentence, flaw.pointer, trait=flaw.trait, fix=fix)


@diagnosis(
    "pattern-not-ecmascript",
    _ERROR,
    "Pattern is not a regular expression of ECMAScript",
    LIST,
    topic="basic",
    heavy=True,
    fix="Write it in the syntax of ECMAScript with the flag u, or leave it out: (?<name>…), not (?P<name>…).",
)
def pattern_not_ecmascript(case: CheckMoment) -> Iterator[Flaw]:
    """JSON Schema's `pattern` is ECMA-262. Clients compile those of output schemas; input schemas go to model APIs."""
    yield from flaws_of(case, "output-pattern", most=3)
    for flaw in flaws_of(case, "input-pattern", most=3):
        yield Flaw(flaw.sentence, flaw.pointer, severity=_WARNING, trait=flaw.trait)


@diagnosis(
    "pattern-lookaround",
    _HINT,
    "Pattern with lookaround",
    LIST,
    topic="server/tools",
    heavy=True,
    fix="Leave the pattern out of inputSchema and validate in the tool: OpenAI's API reportedly refuses it.",
)
def pattern_lookaround(case: CheckMoment) -> Iterator[Flaw]:
    """Legal; see the compatibility data for the clients that pass it on."""
    yield from flaws_of(case, "lookaround", most=1)


@diagnosis(
    "empty-tool-list",
    _HINT,
    "Tool list is empty",
    LIST,
    topic="server/tools",
    fix="If there should be tools, check the login of a gateway, and filters.",
)
def empty_tool_list(case: CheckMoment) -> Iterator[Flaw]:
    if peek.at(case.value, "tools") == [] and not peek.has(case.value, "nextCursor") and not is_later_page(case):
        said = "the tool list is empty: a model has nothing to call"
        frames: tuple[int, ...] = (case.n,)
        if (logged := line_like(case.state, _NOTHING_TO_LIST)) is not None:
            said, frames = f"the tool list is empty; stderr has: {logged[1].string.strip()[:160]}", (case.n, logged[0])
        yield Flaw(said, "/result/tools", frames, instead=True)


_NOTHING_TO_LIST = re.compile(
    r"(?i)can(?:'t|not) (?:start|connect|load)|(?:failed|unable|error|could not) (?:to |when |while )?"
    r"(?:start|connect|load|initiali[sz]|list|fetch|reach|log ?in|authenticat)|"
    r"\bno (?:mcp )?(?:servers?|tools?|plugins?) (?:is |are |was |were )?(?:enabled|configured|registered|found|loaded)"
)
"""What a gateway or framework logs when there are no tools to list."""
