"""Diagnoses of tool schemas that are valid, or nearly, but fail in clients."""

import re
from collections.abc import Iterator
from typing import Any, Final

from msgspec.structs import replace

from inspector.checks.definitions.schemas import WalkBudget, features_of
from inspector.checks.diagnoses.causes import MIXED_UP, oldest_failure, unwrapped
from inspector.checks.diagnoses.definitions import LIST, is_later_page, one_of_all, tools_seen, violations_of
from inspector.checks.diagnoses.process import tail_of
from inspector.checks.findings import Confidence, Severity
from inspector.checks.foreign_text import elided
from inspector.checks.registry import Violation, diagnoses_of
from inspector.checks.sayings import product_facts
from inspector.checks.state import CheckMoment
from inspector.protocol import peek
from inspector.protocol.jsonrpc import ErrorResponse
from inspector.text import counted, cut

error, warning, hint = diagnoses_of("server/tools")

_WARNING, _HINT = Severity.WARNING, Severity.HINT
_OLD: Final = ("input-tuple-items", "boolean-bound", "old-keyword", "input-broken")
_NAMES_PARAMETERS: Final = re.compile(r"(?i)\b(parameters?|arguments?|args|inputs?|takes|given|specified|provided)\b")
_ZOD: Final = ("_def", "_zod", "~standard")
_WRITTEN_ELSEWHERE: Final = {"parameters": "OpenAI", "input_schema": "Anthropic", "args_schema": "LangChain"}
_OF_APIS = (
    *("untyped-property", "type-and-any-of", "enum-not-string", "enum-twice", "items-union", "nothing-in-union"),
    *("format-of-few", "enum-blank", "properties-of-no-object"),
)
"""Flaws that the APIs of models reject; `products.tsv` has the fixes."""
_API = re.compile(r"the \w+ API \([\d-]+\)(?: in strict mode)?")
_MISSES = re.compile(r"Invalid arguments for tool .{1,99}?(?:Required|received undefined|discriminator .{1,99}) at \w")
"""What the SDK for TypeScript says of a missing argument; without “at”, all arguments are missing."""
_LISTS_MORE = frozenset(("$ref", "allOf", "anyOf", "oneOf", "if", "required", "patternProperties", "propertyNames"))
_NOTHING_TO_LIST = re.compile(
    r"(?i)can(?:'t|not) (?:start|connect|load)|(?:failed|unable|error|could not) (?:to |when |while )?"
    r"(?:start|connect|load|initiali[sz]|list|fetch|reach|log ?in|authenticat)|"
    r"\bno (?!errors|problems|issues|warnings|plugin|sink|exporter|metrics|telemetry|cache)(?:[\w.-]+ ){1,3}"
    r"(?:enabled|configured|registered|found|loaded)\b"
)
"""What a gateway or framework logs when there are no tools to list."""


@warning("Combinator or condition at the root of a schema", LIST, heavy=True)
def schema_root_combinator(case: CheckMoment) -> Iterator[Violation]:
    """Legal since 2026; the compatibility data records which clients fail.

    Fix: Move it into a property, or split the tool in two: all clients support a plain object at the root.
    """
    yield from one_of_all(case, "input-root-combinator", "input-root-condition")


@hint("Outdated schema dialect", LIST, topic="basic", heavy=True)
def schema_dialect(case: CheckMoment) -> Iterator[Violation]:
    """Legal: clients must support 2020-12, and may support other dialects (basic, JSON Schema usage).

    `unknown-schema-dialect` reports unknown ones. One finding covers all input schemas, another all output schemas.

    Fix: Use the 2020-12 dialect.
    """
    for kind, member in (("input-dialect", "inputSchema"), ("output-dialect", "outputSchema")):
        traits = ((seen, each) for seen in tools_seen(case) for each in seen.traits if each.kind == kind)
        if labelled := [each for each in traits if "labelled http" not in each[1].sentence]:
            (seen, first), *more = labelled
            others = f", and {counted(len(more), 'more tool')}" if more else ""
            fix = _fix_of_label(seen.tool[member], WalkBudget())
            sentence = f"{seen.name}: {first.sentence}{others}; some clients that know 2020-12 alone refuse it"
            yield Violation(sentence, seen.place + first.pointer, fix=fix, trait=kind)


def _fix_of_label(schema: dict[str, Any], budget: WalkBudget) -> str:
    body = {key: value for key, value in schema.items() if key != "$schema"}
    old = [each for each in features_of(body, budget, is_input=True) if each.kind in _OLD]
    return (
        f"Use the 2020-12 dialect: the schema {old[0].sentence}."
        if old
        else "Remove `$schema`: only the label is outdated."
    )


@warning("Keyword is not in the schema's dialect", LIST, topic="basic", heavy=True)
def keyword_not_in_dialect(case: CheckMoment) -> Iterator[Violation]:
    """The keyword is ignored, not validated. One finding covers a keyword in all schemas.

    Fix: Use the keyword of the declared dialect.
    """
    found: dict[str, list[Violation]] = {}
    for violation in violations_of(case, "old-keyword"):
        found.setdefault(violation.pointer.rpartition("/")[2], []).append(violation)
    for first, *more in found.values():
        others = f", and {len(more)} more" if more else ""
        yield Violation(first.sentence + others, first.pointer, trait=first.trait)
    yield from one_of_all(case, "old-place", fix="Rename it to $defs, also in each $ref to it.", severity=_HINT)


@warning("Array without `items`", LIST, heavy=True)
def array_without_items(case: CheckMoment) -> Iterator[Violation]:
    """Items of any type are a hint.

    Fix: Add "items"; a model cannot know the type of the elements otherwise.
    """
    yield from one_of_all(case, "array-without-items")
    fix = "Give items a type, unless the elements are really of any type."
    yield from one_of_all(case, "array-of-anything", fix=fix, severity=_HINT)


@warning("Schema cannot be expanded", LIST, topic="basic", heavy=True)
def schema_expansion_limit(case: CheckMoment) -> Iterator[Violation]:
    """Cyclic references, or references that multiply; recursion is a hint.

    Fix: Reduce the references: clients expand them, up to a limit.
    """
    yield from violations_of(case, "reference-loop", "multiplies")
    yield from one_of_all(case, "recursive", fix="Recursive schemas are valid; limit the depth.", severity=_HINT)


def _may_be_mixed_up(case: CheckMoment) -> bool:
    """Whether a response is a list, or a failure."""
    value = case.value
    return (type(value) is dict and ("code" in value or value.get("isError") is True)) or case.method == "tools/list"


@warning(
    "Schema library does not fit the SDK",
    LIST,
    "error tools/list",
    "error tools/call",
    "answer tools/call",
    heavy=True,
    wanted=_may_be_mixed_up,
    confidence=Confidence.LIKELY,
)
def schema_library_mismatch(case: CheckMoment) -> Iterator[Violation]:
    """An error indicates it, or all schemas are empty although descriptions mention parameters.

    Fix: Install one version only of the library that generates schemas (such as zod).
    """
    message = peek.text(case.value, "message") or peek.text(case.value, "content", 0, "text") or ""
    if MIXED_UP.search(message[:2000]):
        failed, place = case.method == "tools/list", "/error" if peek.has(case.value, "code") else "/result"
        words = f"{case.method} fails in the schema library, whose version does not match the SDK: {cut(message, 100)}"
        yield Violation(words, place, severity=Severity.ERROR if failed else None)
    seen = tools_seen(case) if case.method == "tools/list" else ()
    if len(seen) < 2 or any(peek.mapping(each.tool, "inputSchema", "properties") for each in seen):
        return
    telling = [each for each in seen if _NAMES_PARAMETERS.search((peek.text(each.tool, "description") or "")[:4000])]
    if len(telling) * 2 >= len(seen):
        logged = f"none of {len(seen):,} tools has parameters, but the description of {telling[0].name} mentions some"
        yield Violation(logged, f"{telling[0].place}/inputSchema")


@warning("Tool is listed without its arguments", "answer tools/call", "error tools/call", confidence=Confidence.LIKELY)
def arguments_not_listed(case: CheckMoment) -> Iterator[Violation]:
    """The server misses an argument in a call, and inputSchema names none: @modelcontextprotocol/sdk 1.32.2, run.

    Fix: Pass one z.object() as inputSchema: the TypeScript SDK 1 lists unions and refined zod 3 objects as empty.
    """
    name = peek.text(case.asked_params, "name") or ""
    message = peek.text(case.value, "message") or peek.text(case.value, "content", 0, "text") or ""
    known = case.listed_as("tools", name) if _MISSES.search(message[:2000]) else None
    schema = peek.mapping(known.item, "inputSchema") if known is not None else {"required": ()}
    if not peek.mapping(schema, "properties") and not _LISTS_MORE.intersection(schema):
        place = "/error" if isinstance(case.message, ErrorResponse) else "/result"
        yield Violation(f"{name} is listed without arguments, but misses one: {cut(message, 160)}", place)


@warning("Schema contradicts itself", LIST, heavy=True)
def contradictory_schema(case: CheckMoment) -> Iterator[Violation]:
    """A required property that is not described, an enum value or default that does not validate.

    Fix: Make the contradicting keywords consistent.
    """
    for violation in violations_of(case, "required-unknown", most=5):
        yield replace(violation, fix="Describe it in `properties`, or leave it out of `required`.")
    yield from violations_of(case, "enum-type", most=5)
    fix = "Give a default of the declared type, or add its type, such as null."
    yield from one_of_all(case, "default-wrong", fix=fix, severity=_HINT)


@warning("Parts of a schema that some APIs reject", LIST, heavy=True)
def schema_rejected_by_apis(case: CheckMoment) -> Iterator[Violation]:
    """Legal in JSON Schema, but clients pass schemas to more restrictive APIs; see the compatibility data.

    Fix: Use letters, digits, _ . and - only, and objects instead of true.
    """
    for violation in violations_of(case, "property-name", most=3):
        fix = "Use letters, digits, _ . and - only, and at most 64 characters."
        yield Violation(violation.sentence, violation.pointer, trait=violation.trait, fix=fix)
    for kind in _OF_APIS:
        fix = product_facts()[kind]
        named = _API.search(fix)
        for found in one_of_all(case, kind, fix=fix, severity=_HINT):
            yield replace(found, sentence=found.sentence + (f", which {named[0]} rejects" if named else ""))
    for violation in violations_of(case, "boolean-property", most=3):
        yield Violation(violation.sentence, violation.pointer, trait=violation.trait, fix="Use {} instead of true.")


@error("Schema is not JSON Schema", LIST, heavy=True)
def foreign_schema_format(case: CheckMoment) -> Iterator[Violation]:
    """A zod object that was not converted, or a tool in the format of another API.

    Fix: Return the JSON Schema of the arguments as inputSchema; zod converts with z.toJSONSchema(schema).
    """
    for seen in tools_seen(case):
        for member in ("inputSchema", "outputSchema"):
            if library := _library_of(seen.tool.get(member)):
                sentence = f"{seen.name}: {member} is a {library} object that was not converted to JSON Schema"
                yield Violation(sentence, f"{seen.place}/{member}")
        if "inputSchema" in seen.tool:
            continue
        name = next((each for each in _WRITTEN_ELSEWHERE if type(seen.tool.get(each)) is dict), "")
        if name:
            whose = _WRITTEN_ELSEWHERE[name]
            sentence = f"{seen.name}: the schema is called {name!r}, as in {whose}'s API; MCP uses inputSchema"
            yield Violation(sentence, f"{seen.place}/{name}")
        elif type(seen.tool.get("function")) is dict:
            inner = peek.text(seen.tool, "function", "name") or seen.name
            sentence = f"{cut(inner, 80)}: the tool is wrapped in 'function', as in OpenAI's API"
            sentence += "; MCP uses name and inputSchema"
            yield Violation(sentence, f"{seen.place}/function")


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
            return cut(vendor, 20)
        if any(type(each.get(name)) is dict for name in _ZOD[:2]):
            return "zod"
    definition = schema.get("def")
    if type(definition) is dict and definition.get("type") == schema.get("type") and "properties" not in schema:
        return "zod"
    return ""


@warning("Object schema without properties rejects all values", LIST, heavy=True)
def object_without_properties(case: CheckMoment) -> Iterator[Violation]:
    """`additionalProperties: false` without properties, in a nested object.

    Fix: Describe its properties, or remove additionalProperties: clients that validate arguments reject its members.
    """
    yield from violations_of(case, "admits-nothing", most=3)


@warning("Invalid value of a JSON Schema keyword", LIST, heavy=True)
def invalid_keyword_value(case: CheckMoment) -> Iterator[Violation]:
    """Unknown types, and enums that are empty or no arrays, in any dialect.

    Fix: Use the types string, number, integer, boolean, array, object and null; some clients drop such a tool.
    """
    yield from violations_of(case, "input-broken", "output-broken", most=3)
    tuples = "Use prefixItems, or declare draft-07 in $schema: an undeclared dialect is 2020-12."
    for kinds, fix in (
        (("output-enum-empty",), "Correct or remove it: see the clients it breaks."),
        (("input-tuple-items", "output-tuple-items"), tuples),
        (("input-enum-empty",), "List the values, or remove the enum."),
        (("boolean-required",), 'Move it to "required": ["name", …] beside properties.'),
    ):
        yield from one_of_all(case, *kinds, fix=fix)


@error("Pattern is not a regular expression of ECMAScript", LIST, topic="basic", heavy=True)
def pattern_not_ecmascript(case: CheckMoment) -> Iterator[Violation]:
    """JSON Schema's `pattern` is ECMA-262. Clients compile those of output schemas; input schemas go to model APIs.

    Fix: Write it in the syntax of ECMAScript with the flag u, or leave it out: (?<name>…), not (?P<name>…).
    """
    yield from violations_of(case, "output-pattern", most=3)
    for violation in violations_of(case, "input-pattern", most=3):
        yield Violation(violation.sentence, violation.pointer, severity=_WARNING, trait=violation.trait)


@hint("Pattern with lookaround", LIST, heavy=True)
def pattern_lookaround(case: CheckMoment) -> Iterator[Violation]:
    """Legal; see the compatibility data for the clients that pass it on.

    Fix: Leave the pattern out of inputSchema and validate in the tool: OpenAI's API reportedly refuses it.
    """
    yield from one_of_all(case, "lookaround")


@hint("Tool list is empty", LIST)
def empty_tool_list(case: CheckMoment) -> Iterator[Violation]:
    """Fix: If there should be tools, check the login of a gateway, and filters."""
    if peek.at(case.value, "tools") == [] and not peek.has(case.value, "nextCursor") and not is_later_page(case):
        sentence = "the tool list is empty: a model has nothing to call"
        frames: tuple[int, ...] = (case.n,)
        lines = unwrapped(tail_of(case.state))
        if (logged := next((each for each in lines if _NOTHING_TO_LIST.search(each[1][:2000])), None)) is not None:
            words = elided(logged[1].strip(), 160)
            first = oldest_failure(lines)
            if first is not None and first[0] < logged[0] and first[1] != logged[1].strip():
                words = f"{elided(first[1], 120)}; then: {elided(words, 80)}"
            sentence, frames = f"the tool list is empty; stderr has: {words}", (case.n, logged[0])
        yield Violation(sentence, "/result/tools", frames, instead=True)
