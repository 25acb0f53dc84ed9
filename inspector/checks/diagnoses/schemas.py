"""Diagnoses of tool schemas that are valid, or nearly, and that clients fail on."""

import re
from collections.abc import Iterator
from typing import Any, Final

from inspector.checks.definitions.schemas import WalkBudget, features_of
from inspector.checks.diagnoses.definitions import LIST, flaws_of, is_later_page, tools_seen
from inspector.checks.findings import Confidence, Severity
from inspector.checks.registry import Flaw, diagnosis
from inspector.checks.state import CheckMoment
from inspector.protocol import peek

_ERROR, _WARNING, _HINT = Severity.ERROR, Severity.WARNING, Severity.HINT


@diagnosis(
    "schema-root-combinator",
    _WARNING,
    "alternatives or conditions at the root of a schema",
    LIST,
    topic="server/tools",
    heavy=True,
    fix="Put them into a property, or make two tools of it: a plain object at the root is what every client knows.",
)
def root_is_plain(case: CheckMoment) -> Iterator[Flaw]:
    """Legal since 2026; which clients stumble over it, the packs of hosts tell."""
    yield from flaws_of(case, "input-root-combinator", "input-root-condition", most=1)


@diagnosis("schema-dialect", _HINT, "a schema labelled with an older dialect", LIST, topic="basic", heavy=True)
def label_is_current(case: CheckMoment) -> Iterator[Flaw]:
    """Legal: only 2020-12 must be known to every client, and any other dialect may be named (basic, JSON Schema usage).

    What is labelled with something unknown a rule tells. Of input schemas one flaw stands for all.
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
        others = f", as are those of {len(inputs) - 1} more tools" if len(inputs) > 1 else ""
        fix = _fix_of_label(seen.tool["inputSchema"], budget)
        yield Flaw(f"{seen.name}: {first.sentence}{others}", seen.place + first.pointer, fix=fix, trait=first.kind)


def _fix_of_label(schema: dict[str, Any], budget: WalkBudget) -> str:
    body = {key: value for key, value in schema.items() if key != "$schema"}
    old = [each for each in features_of(body, budget, is_input=True) if each.kind in _OLD]
    return f"Write it in 2020-12: it {old[0].sentence}." if old else "Only the label is old: leave $schema out."


_OLD: Final = ("tuple-items", "boolean-bound", "old-keyword", "input-broken")


@diagnosis(
    "keyword-not-in-dialect",
    _WARNING,
    "a keyword that the schema's dialect does not have",
    LIST,
    topic="basic",
    heavy=True,
)
def keywords_are_of_the_dialect(case: CheckMoment) -> Iterator[Flaw]:
    """It is ignored, and what it asks for is not checked."""
    yield from flaws_of(case, "old-keyword")
    for flaw in flaws_of(case, "old-place", most=1):
        yield Flaw(flaw.sentence, flaw.pointer, severity=_HINT, trait=flaw.trait)


@diagnosis(
    "array-without-items",
    _WARNING,
    "an array that does not say of what",
    LIST,
    topic="server/tools",
    heavy=True,
    fix='Add "items": what a model is not shown it has to guess.',
)
def arrays_say_of_what(case: CheckMoment) -> Iterator[Flaw]:
    """Legal, and a model can't know what to put in."""
    yield from flaws_of(case, "array-without-items", most=5)


@diagnosis(
    "schema-expansion-limit",
    _WARNING,
    "references without an end",
    LIST,
    topic="basic",
    heavy=True,
    fix="Make it smaller: clients write references out, and stop somewhere.",
)
def schemas_can_be_written_out(case: CheckMoment) -> Iterator[Flaw]:
    """References that lead only to each other, or that multiply; recursion is worth knowing."""
    yield from flaws_of(case, "reference-loop", "multiplies")
    for flaw in flaws_of(case, "recursive", most=1):
        yield Flaw(flaw.sentence, flaw.pointer, severity=_HINT, trait=flaw.trait, fix="Fine for a tree; keep it short.")


_NAMES_PARAMETERS: Final = re.compile(r"(?i)\b(parameters?|arguments?|args|inputs?|takes|given|specified|provided)\b")
_MIXED_UP: Final = re.compile(r"_parse is not a function|reading '_(def|zod)'|_zod\b")


def _may_be_mixed_up(case: CheckMoment) -> bool:
    """A list, or a failure."""
    value = case.value
    failed = type(value) is dict and ("code" in value or value.get("isError") is True)
    return failed or case.method == "tools/list"


@diagnosis(
    "schema-library-mismatch",
    _WARNING,
    "schemas that the SDK could not read",
    LIST,
    "error tools/list",
    "error tools/call",
    "answer tools/call",
    topic="server/tools",
    heavy=True,
    wanted=_may_be_mixed_up,
    confidence=Confidence.LIKELY,
    fix="Are two versions of the library that writes schemas (such as zod) installed? Keep one.",
)
def library_fits_the_sdk(case: CheckMoment) -> Iterator[Flaw]:
    """Either an error says so, or all schemas come out empty though descriptions speak of parameters."""
    said = peek.text(case.value, "message") or peek.text(case.value, "content", 0, "text") or ""
    if _MIXED_UP.search(said[:2000]):
        yield Flaw(f"the schema library fails: {said[:100]}", "/error" if peek.has(case.value, "code") else "/result")
    seen = tools_seen(case) if case.method == "tools/list" else ()
    if len(seen) < 2 or any(peek.mapping(each.tool, "inputSchema", "properties") for each in seen):
        return
    telling = [each for each in seen if _NAMES_PARAMETERS.search((peek.text(each.tool, "description") or "")[:4000])]
    if len(telling) * 2 >= len(seen):
        told = f"none of {len(seen):,} tools has parameters, and {telling[0].name}'s description speaks of some"
        yield Flaw(told, f"{telling[0].place}/inputSchema")


@diagnosis(
    "contradictory-schema",
    _WARNING,
    "a schema that contradicts itself",
    LIST,
    topic="server/tools",
    heavy=True,
    fix="Mend it: a model is told two things.",
)
def schemas_agree_with_themselves(case: CheckMoment) -> Iterator[Flaw]:
    """It requires what it does not describe, offers what it does not allow, or proposes what it refuses."""
    yield from flaws_of(case, "required-unknown", "enum-type", most=5)
    for flaw in flaws_of(case, "default-wrong", most=3):
        yield Flaw(flaw.sentence, flaw.pointer, severity=_HINT, trait=flaw.trait)


@diagnosis(
    "schema-rejected-by-apis",
    _WARNING,
    "unusual property names, or schemas that are true or false",
    LIST,
    topic="server/tools",
    heavy=True,
)
def apis_take_it(case: CheckMoment) -> Iterator[Flaw]:
    """Legal in JSON Schema; clients hand schemas on to APIs that take less. The packs of hosts tell which."""
    for flaw in flaws_of(case, "property-name", most=3):
        fix = "Use letters, digits, _ . and - alone, 64 at most."
        yield Flaw(flaw.sentence, flaw.pointer, trait=flaw.trait, fix=fix)
    for flaw in flaws_of(case, "boolean-property", most=3):
        yield Flaw(flaw.sentence, flaw.pointer, trait=flaw.trait, fix="Write {} in place of true.")


_ZOD: Final = ("_def", "_zod", "~standard")
_WRITTEN_ELSEWHERE: Final = {"parameters": "OpenAI", "input_schema": "Anthropic", "args_schema": "LangChain"}


@diagnosis(
    "foreign-schema-format",
    _ERROR,
    "a schema of another library, or in the form of another API",
    LIST,
    topic="server/tools",
    heavy=True,
    fix="Give the JSON Schema of the tool's arguments as inputSchema; zod writes it with z.toJSONSchema(schema).",
)
def schemas_are_of_mcp(case: CheckMoment) -> Iterator[Flaw]:
    """A zod object that was not converted; a tool as a model's API describes it."""
    for seen in tools_seen(case):
        for member in ("inputSchema", "outputSchema"):
            if library := _library_of(seen.tool.get(member)):
                said = f"{seen.name}: {member} is a {library} object, which was not converted to JSON Schema"
                yield Flaw(said, f"{seen.place}/{member}")
        if "inputSchema" in seen.tool:
            continue
        name = next((each for each in _WRITTEN_ELSEWHERE if type(seen.tool.get(each)) is dict), "")
        if name:
            whose = _WRITTEN_ELSEWHERE[name]
            said = f"{seen.name}: the schema is called {name!r}, as in {whose}'s API; MCP has inputSchema"
            yield Flaw(said, f"{seen.place}/{name}")
        elif type(seen.tool.get("function")) is dict:
            inner = peek.text(seen.tool, "function", "name") or seen.name
            said = f"{inner[:80]}: the tool is wrapped in 'function', as in OpenAI's API; MCP has name and inputSchema"
            yield Flaw(said, f"{seen.place}/function")


def _library_of(schema: Any) -> str:
    """The library whose object stands in the place of a schema; "" if it is a schema, or nothing is known of it."""
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
    "an object that nothing can be put into",
    LIST,
    topic="server/tools",
    heavy=True,
    fix="Name its properties, or leave additionalProperties out: clients that check arguments refuse every call.",
)
def objects_admit_something(case: CheckMoment) -> Iterator[Flaw]:
    """`additionalProperties: false` and no properties, of an object that is itself a property."""
    yield from flaws_of(case, "admits-nothing", most=3)


@diagnosis(
    "invalid-keyword-value",
    _WARNING,
    "a value that a keyword of JSON Schema can't have",
    LIST,
    topic="server/tools",
    heavy=True,
    fix="Some clients leave such a tool out. The types are string, number, integer, boolean, array, object and null.",
)
def keywords_have_values(case: CheckMoment) -> Iterator[Flaw]:
    """Types that there are not, enums that are no lists, in whatever dialect."""
    yield from flaws_of(case, "input-broken", "output-broken", most=3)
    for flaw in flaws_of(case, "boolean-required", most=3):
        fix = 'Write "required": ["name", …] beside properties.'
        yield Flaw(flaw.sentence, flaw.pointer, trait=flaw.trait, fix=fix)


@diagnosis(
    "empty-tool-list",
    _HINT,
    "an empty list of tools",
    LIST,
    topic="server/tools",
    fix="If it should have some: a gateway may have failed to log in, or a filter leaves all of them out.",
)
def lists_have_tools(case: CheckMoment) -> Iterator[Flaw]:
    """Legal, and a host shows nothing."""
    if peek.at(case.value, "tools") == [] and not peek.has(case.value, "nextCursor") and not is_later_page(case):
        yield Flaw("the list of tools is empty: there is nothing that a model could call", "/result/tools")
