"""Rules for listed tools: names, schemas, annotations, MCP Apps."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from inspector.checks.definitions.confusable import confusable_pairs
from inspector.checks.findings import Confidence, Finding, Severity
from inspector.checks.foreign_text import and_more
from inspector.checks.registry import CHECKS, Violation, rules_of
from inspector.checks.sayings import product_facts
from inspector.checks.state import CheckMoment, is_loopback
from inspector.forms.dialects import dialect_of
from inspector.forms.keywords import schema_faults
from inspector.forms.validate import verdict_on_schema
from inspector.json_pointer import escaped
from inspector.protocol import peek
from inspector.protocol.apps import SCHEME, app_uri
from inspector.protocol.capabilities import APP_TYPE
from inspector.protocol.headers import mirrors
from inspector.protocol.jsonrpc import encode
from inspector.protocol.url_hosts import host_of
from inspector.text import cut, estimate_tokens

error, warning, hint = rules_of("server/tools")

_DESCRIBES = {"description", "$ref", "const"}
_WITH_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_REFUSED = re.compile(r"(?i)(javascript|file|ftp|wss?|vbscript|blob):")
_LISTED = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}

_HINT = Severity.HINT
_LIST = "answer tools/list"
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_NAMED_ELSEWHERE = re.compile(r"[A-Za-z0-9_./-]{1,128}")
_SECRET = re.compile(r"(?i)pass(word|wd|phrase)|secret|api[-_]?key|access[-_]?token|private[-_]?key|credential")
_FIX_PLACE = "Pass it as inputSchema: an SDK may take a schema in another place for annotations."
_SCHEMAS = ("inputSchema", "outputSchema")

_MOST_COMPARED = 400
"""Maximum tools of a page that are compared, and pairs that are reported; `mcp-inspect cost` compares more."""

_BOUND = 'Write the bound itself, "exclusiveMinimum": 0, in place of true beside "minimum": 0 (draft-04, OpenAPI 3.0).'
_MOST_JUDGED = 10_000
"""Maximum objects, in all schemas of a list, that are validated against a metaschema: two seconds."""

_DEEP, _MANY, _LARGE = 40, 2000, 100_000

_MOST_OBJECTS = 200_000
"""Maximum objects in all schemas of a list together."""

_OF_RESOURCE = ("csp", "permissions", "domain", "prefersBorder")
_TOPIC = "https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx"


def tools_of(case: CheckMoment) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield every tool of a page that is an object: place, name, tool. Used by a dozen checks."""
    if case.listed is None:
        case.listed = list(_tools(case))
    for at, each in enumerate(case.listed):
        case.rest(at)
        yield each


def _tools(case: CheckMoment) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for at, tool in enumerate(peek.items(case.value, "tools")):
        case.rest(at)
        if type(tool) is dict:
            yield f"/result/tools/{at}", cut(peek.text(tool, "name") or f"number {at + 1}", 80), tool


@hint("Unknown schema dialect", _LIST, topic="basic", since="2025-11-25")
def unknown_schema_dialect(case: CheckMoment) -> Iterator[Violation]:
    """Other dialects are legal, but few clients support them.

    Fix: Use the 2020-12 dialect.
    """
    for place, name, tool in tools_of(case):
        for member in _SCHEMAS:
            schema = tool.get(member)
            if type(schema) is dict and isinstance(schema.get("$schema"), str) and dialect_of(schema) is None:
                yield Violation(
                    f"{name}: {member} has the dialect {cut(schema['$schema'], 60)!r}", f"{place}/{member}/$schema"
                )


@warning("Tool name is not portable", _LIST, mild_until="2025-06-18", mild=_HINT)
def tool_name_not_portable(case: CheckMoment) -> Iterator[Violation]:
    """Names should have 1 to 128 characters of A-Z a-z 0-9 _ - . (since 2025; other checks cover slashes).

    Fix: Use letters, digits, _ - and . only, and at most 128 characters.
    """
    for place, name, tool in tools_of(case):
        written = peek.text(tool, "name")
        if written is not None and written[:1].isdigit() and _NAME.fullmatch(written):
            sentence = f"the tool name {name!r} begins with a digit; {product_facts()['name-with-digit']}"
            yield Violation(sentence, f"{place}/name", severity=_HINT, fix="Begin the name with a letter.")
        if written is None or _NAME.fullmatch(written):
            continue
        mild = _HINT if _NAMED_ELSEWHERE.fullmatch(written) else None
        if not written:
            yield Violation(f"the name of tool {name!r} is empty", f"{place}/name", severity=Severity.WARNING)
            continue
        why = (
            f"has {len(written)} characters"
            if not 0 < len(written) <= 128
            else "has characters other than A-Za-z0-9_.-"
        )
        yield Violation(f"the tool name {name!r} {why}", f"{place}/name", severity=mild)


@warning("Duplicate tool name", _LIST, mild_until="2025-06-18", mild=_HINT)
def duplicate_tool_name(case: CheckMoment) -> Iterator[Violation]:
    """Judged within a page and across pages. A page that is repeated as a whole is `pagination-incomplete`.

    Fix: Rename or remove one of the tools.
    """
    seen: dict[str, Any] = {}
    more = case.asked is not None and peek.has(case.asked.params, "cursor")
    before = case.state.lists.known["tools"] if more and not is_repeated_page(case) else {}
    for place, name, tool in tools_of(case):
        written = peek.text(tool, "name")
        if written is not None:
            if written in seen or written in before:
                other = seen[written] if written in seen else before[written].item
                sentence = f"the tool {name!r} is listed twice"
                sentence = sentence if other == tool else f"two different tools have the same name, {name!r}"
                yield Violation(sentence, f"{place}/name")
            seen[written] = tool


def is_repeated_page(case: CheckMoment) -> bool:
    """Whether all tools of a page, with equal definitions, are on earlier pages, so that it was sent twice."""
    known = case.state.lists.known["tools"]
    for _, _, tool in tools_of(case):
        there = known.get(peek.text(tool, "name") or "")
        if there is None or there.item != tool:
            return False
    return True


def was_requested_again(case: CheckMoment) -> bool:
    """Whether a page was requested again by its cursor, though the server did not return that cursor again."""
    if case.asked is None:
        return False
    cursor, method = peek.text(case.asked.params, "cursor"), case.asked.method
    return cursor in case.state.lists.fetched.get(method, ()) and cursor != case.state.lists.next_cursor.get(method)


@error("Invalid `x-mcp-header`", _LIST, topic="http", since="2026-07-28")
def mirrored_header_invalid(case: CheckMoment) -> Iterator[Violation]:
    """Clients over HTTP must ignore such a tool.

    Fix: Correct or remove x-mcp-header.
    """
    if not case.state.is_http:
        return
    for place, name, tool in tools_of(case):
        if "inputSchema" in tool and (problem := mirrors(tool["inputSchema"])[1]):
            yield Violation(f"{name}: {problem}; clients must ignore this tool", f"{place}/inputSchema")


@warning("Secret in a mirrored header", _LIST, since="2026-07-28", confidence=Confidence.LIKELY)
def secret_in_mirrored_header(case: CheckMoment) -> Iterator[Violation]:
    """A property whose name suggests a secret is mirrored into a header.

    Fix: Remove x-mcp-header from the property: proxies log headers.
    """
    for place, name, tool in tools_of(case):
        for mirror in mirrors(tool.get("inputSchema"))[0]:
            if _SECRET.search(mirror.path[-1]):
                yield Violation(f"{name}: {cut(mirror.path[-1], 60)!r} is sent in a header", f"{place}/inputSchema")


@error("Invalid or contradicting `annotations`", _LIST, topic="schema", since="2025-03-26")
def annotations_invalid(case: CheckMoment) -> Iterator[Violation]:
    """A JSON Schema among the annotations, if there is none in inputSchema, was given to an SDK in the wrong place.

    Fix: Use booleans, and do not set both readOnlyHint and destructiveHint.
    """
    for place, name, tool in tools_of(case):
        if peek.mapping(tool, "annotations", "properties") and not peek.mapping(tool, "inputSchema", "properties"):
            sentence = f"{name} has a JSON Schema as annotations and none as inputSchema: its arguments are unknown"
            yield Violation(sentence, f"{place}/annotations", fix=_FIX_PLACE)
        if peek.flag(tool, "annotations", "readOnlyHint") and peek.flag(tool, "annotations", "destructiveHint"):
            yield Violation(f"{name} has both readOnlyHint and destructiveHint", f"{place}/annotations", severity=_HINT)


@error("Invalid `taskSupport`", _LIST, topic="basic/utilities/tasks", since="2025-11-25", until="2025-11-25")
def task_support_invalid(case: CheckMoment) -> Iterator[Violation]:
    """TaskSupport needs the capability tasks.requests.tools.call.

    Fix: Use forbidden, optional or required, and declare the tasks capability.
    """
    if case.state.capable("tasks", "requests", "tools", "call"):
        return
    for place, name, tool in tools_of(case):
        if peek.text(tool, "execution", "taskSupport") in ("optional", "required"):
            at = f"{place}/execution/taskSupport"
            yield Violation(f"{name} has taskSupport, but the server declares no tasks", at, severity=_HINT)


@hint("Tool has no description", _LIST)
def tool_description(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Describe what the tool does, and when to use it."""
    for place, name, tool in tools_of(case):
        if not (peek.text(tool, "description") or "").strip():
            yield Violation(f"{name} has no description", f"{place}/description")


@hint("Argument has no description", _LIST)
def argument_description(case: CheckMoment) -> Iterator[Violation]:
    """One finding covers a whole list.

    Fix: Add a description to each property.
    """
    bare: list[tuple[str, str]] = []
    for place, name, tool in tools_of(case):
        for argument, schema in peek.mapping(tool, "inputSchema", "properties").items():
            if type(schema) is dict and not _DESCRIBES & schema.keys() and not _is_described_inside(schema):
                bare.append(
                    (f"{name}: {cut(argument, 60)!r}", f"{place}/inputSchema/properties/{escaped(argument[:200])}")
                )
    if bare:
        more = f", and {len(bare) - 1} more" if len(bare) > 1 else ""
        yield Violation(f"{bare[0][0]} has no description{more}", bare[0][1])


def _is_described_inside(schema: dict[str, Any]) -> bool:
    """Whether an alternative of a schema has a description."""
    return any(peek.has(each, "description") for union in ("anyOf", "oneOf") for each in peek.items(schema, union))


@error(
    "Icon must be rejected by clients",
    *(f"answer {method}" for method in (*_LISTED, "initialize")),
    topic="basic",
    since="2025-11-25",
)
def icon_rejected(case: CheckMoment) -> Iterator[Violation]:
    """Clients must reject icons of some schemes, and should reject those of other hosts.

    Fix: Use an https: or data: URL.
    """
    member = _LISTED.get(case.method, "")
    listed = {f"{member}/{place}": item for place, item in enumerate(peek.items(case.value, member))}
    for place, item in (listed or {"serverInfo": peek.at(case.value, "serverInfo")}).items():
        for at, icon in enumerate(peek.items(item, "icons")):
            src, here = peek.text(icon, "src") or "", f"/result/{place}/icons/{at}/src"
            name = cut(peek.text(item, "name") or place, 80)
            if _REFUSED.match(src):
                mild = Severity.WARNING if src[:5].lower() == "file:" else None  # it is only not shown
                yield Violation(f"{name}: icon at {cut(src, 60)!r}", here, severity=mild)
            elif src and not _WITH_SCHEME.match(src):
                sentence = f"{name}: the icon {cut(src, 60)!r} is not a URL, so no client can load it"
                yield Violation(sentence, here, severity=Severity.WARNING)
            elif _is_doubtful(case, src) and case.state.is_first("icon-rejected"):
                message = f"{name}: icon at {cut(src, 60)!r}, which some clients do not fetch (spec 2025-11-25)"
                yield Violation(message, here, severity=_HINT)


def _is_doubtful(case: CheckMoment, src: str) -> bool:
    """Whether an icon is loaded over plain HTTP from another machine, or from another host than the server's."""
    if not src.startswith(("http://", "https://")) or is_loopback(src):
        return False
    url = case.state.connection.url if case.state.connection is not None else ""
    return src.startswith("http://") or (bool(url) and not is_loopback(url) and host_of(src) != host_of(url))


@error("Invalid JSON Schema", _LIST, topic="basic", mild_until="2025-06-18", mild=_HINT, heavy=True)
def invalid_schema(case: CheckMoment) -> Iterator[Violation]:
    """Validated by the metaschema of the declared dialect, else of the default one.

    Fix: Validate it against the metaschema of its dialect.
    """
    left, fine = _MOST_JUDGED, set[bytes]()
    for place, name, tool in tools_of(case):
        for member in _SCHEMAS:
            if type(schema := tool.get(member)) is not dict or (written := encode(schema)) in fine:
                continue
            if (left := left - _extent(schema, left)[0]) < 0:
                return
            if not (problems := verdict_on_schema(schema).problems):
                fine.add(written)
            for problem in problems[:3]:
                if problem.keyword not in ("$ref", "pattern", "patternProperties"):
                    yield Violation(
                        f"{name}: {member}{problem.pointer} {problem.sentence}",
                        f"{place}/{member}{problem.pointer}",
                        fix=_BOUND if problem.pointer.endswith(("/exclusiveMinimum", "/exclusiveMaximum")) else "",
                    )


@hint("Tools are easily confused", _LIST, heavy=True, confidence=Confidence.LIKELY)
def confusable_tools(case: CheckMoment) -> Iterator[Violation]:
    """A model chooses by names, descriptions and parameters alone.

    Fix: Say in both descriptions when to use which tool, or merge them.
    """
    known = list(tools_of(case))[:_MOST_COMPARED]
    pairs = confusable_pairs([tool for _, _, tool in known], rest=case.rest)
    for pair in pairs[:1]:
        (place, first, _), (_, second, _) = known[pair.first], known[pair.second]
        words = [", ".join(each) for each in pair.apart]
        apart = " and ".join(
            f"{name} has {message}" for name, message in zip((first, second), words, strict=True) if message
        )
        difference = f"; only {apart}" if apart else "; they have the same words"
        others = [f"{known[each.first][1]} and {known[each.second][1]}" for each in pairs[1:]]
        more = and_more(others, "pair", all_of_them=len(known) < _MOST_COMPARED)
        yield Violation(f"{first} and {second} are {pair.likeness:.0%} alike{difference}{more}", place)


@error("Definitions cost more than the budget", confidence=Confidence.LIKELY)
def definitions_over_budget(_: CheckMoment) -> Iterator[Violation]:
    """Never called at a moment: `over_budget` judges the whole list, if a budget is given.

    Fix: Shorten the largest definitions; mcp-inspect cost lists them with their parts.
    """
    yield from ()


def over_budget(tools: Sequence[Any], instructions: str, budget: int, frames: tuple[int, ...] = ()) -> list[Finding]:
    """Return a finding if tool definitions and instructions cost more than `budget` tokens (estimated)."""
    sizes = {cut(peek.text(tool, "name") or "", 80): len(encode(tool)) for tool in tools}
    tokens = estimate_tokens(sum(len(encode(tool)) for tool in tools) + len(instructions.encode("utf-8", "replace")))
    if tokens <= budget:
        return []
    largest = max(sizes, key=lambda name: sizes[name], default="")
    worst = f"; the largest is {largest} with ≈{estimate_tokens(sizes[largest]):,}" if largest else ""
    rule = CHECKS["definitions-over-budget"]
    message = f"definitions cost ≈{tokens:,} tokens, and the budget is {budget:,}{worst}"
    return [Finding(rule.id, rule.severity, rule.confidence, message, frames, fix=rule.fix)]


@warning("Unresolved `$ref`", _LIST, topic="basic", mild_until="2025-11-25", mild=_HINT, heavy=True)
def unresolved_reference(case: CheckMoment) -> Iterator[Violation]:
    """Clients do not fetch external references.

    Fix: Move the referenced schema into $defs.
    """
    for place, name, tool in tools_of(case):
        for member in _SCHEMAS:
            for keyword, fault in schema_faults(tool.get(member)):
                if keyword == "$ref":
                    yield Violation(f"{name}: {member} has a reference that {fault.sentence}", f"{place}/{member}")


@hint("Schema is too large", _LIST, topic="basic", heavy=True)
def schema_too_large(case: CheckMoment) -> Iterator[Violation]:
    """Clients should limit depth, number of subschemas and time; definitions cost tokens in each request.

    Fix: Simplify the schema, or split the tool.
    """
    left = _MOST_OBJECTS
    for place, name, tool in tools_of(case):
        for member in _SCHEMAS:
            if left <= 0 or type(tool.get(member)) is not dict:
                continue
            count, depth, size = _extent(tool[member], left)
            left -= count
            why = f"{depth} levels deep" if depth > _DEEP else f"{count:,} parts large" if count > _MANY else ""
            why = why or (f"{size // 1000} kB large" if size > _LARGE else "")
            if why:
                yield Violation(f"{name}: {member} is {why}", f"{place}/{member}")


def _extent(schema: Any, most: int) -> tuple[int, int, int]:
    """Return number of objects, depth and characters of a schema, approximately, examining at most `most` objects."""
    count = deepest = size = 0
    waiting = [(schema, 1)]
    while waiting and count <= most:
        each, depth = waiting.pop()
        deepest = max(deepest, depth)
        if type(each) is dict:
            count += 1
            size += sum(len(key) + 4 for key in each)
            waiting += [(below, depth + 1) for below in each.values()]
        elif type(each) is list:
            waiting += [(below, depth + 1) for below in each]
        else:
            size += len(each) + 3 if type(each) is str else 5
    return count, deepest, size


# MCP Apps


@error(
    "MCP App resource cannot be shown",
    "answer tools/list",
    "answer resources/read",
    "error resources/read",
    topic=_TOPIC,
)
def app_resource_invalid(case: CheckMoment) -> Iterator[Violation]:
    """The page's URI has the scheme ui:, it can be read, and it has the MIME type of apps.

    Fix: Serve the app at a ui:// URI with the type of MCP Apps.
    """
    if case.method == "tools/list":
        for place, name, tool in tools_of(case):
            uri = app_uri(tool)
            if uri is not None and not uri.startswith(SCHEME):
                yield Violation(f"{name}: its app is at {cut(uri, 60)!r}, not at {SCHEME}…", f"{place}/_meta")
        return
    uri = peek.text(case.asked_params, "uri") or ""
    link = case.state.lists.apps.get(uri)
    if link is None:
        return
    if type(case.value) is dict and "contents" not in case.value:
        message = peek.text(case.value, "message") or ""
        sentence = f"{cut(uri, 60)!r} cannot be read, but a tool names it as its app: {cut(message, 80)}"
        yield Violation(sentence, "/error", frames=(link.frame,))
    for at, content in enumerate(peek.items(case.value, "contents")):
        kind = peek.text(content, "mimeType") or ""
        if kind.replace(" ", "").lower() != APP_TYPE:
            place = f"/result/contents/{at}/mimeType"
            yield Violation(
                f"{cut(uri, 60)!r} has the type {cut(kind, 60)!r} instead of {APP_TYPE}", place, frames=(link.frame,)
            )


@hint("Deprecated `_meta` key of an MCP App", "answer tools/list", topic=_TOPIC)
def app_resource_deprecated(case: CheckMoment) -> Iterator[Violation]:
    """The flat key of _meta is deprecated; servers that send both support older clients.

    Fix: Use "ui": {"resourceUri": …}.
    """
    for place, name, tool in tools_of(case):
        if peek.has(tool, "_meta", "ui/resourceUri") and not peek.has(tool, "_meta", "ui", "resourceUri"):
            yield Violation(f'{name}: _meta["ui/resourceUri"] is deprecated', f"{place}/_meta/ui~1resourceUri")


@hint("Settings of an MCP App are in its tool", "answer tools/list", topic=_TOPIC)
def app_settings_misplaced(case: CheckMoment) -> Iterator[Violation]:
    """`csp`, `permissions`, `domain` and `prefersBorder` are of the resource: a host does not read them in a tool.

    Fix: Move them to _meta.ui of the contents that resources/read returns for the page.
    """
    for place, name, tool in tools_of(case):
        if found := [each for each in _OF_RESOURCE if peek.has(tool, "_meta", "ui", each)]:
            sentence = f"{name}: _meta.ui of a tool has no {' or '.join(found)}: a host reads it in the resource"
            yield Violation(sentence, f"{place}/_meta/ui/{found[0]}")


@error("Result of a tool with an MCP App has no text", "answer tools/call", topic=_TOPIC)
def app_result_without_text(case: CheckMoment) -> Iterator[Violation]:
    """The content is what a model reads, and what clients without apps show.

    Fix: Return the outcome as text in content; some clients show no apps (ext-apps 2026-01-26).
    """
    if not case.state.lists.app_tools:
        return
    name = peek.text(case.asked_params, "name") or ""
    uri = case.state.lists.app_tools.get(name)
    if uri is None or peek.at(case.value, "isError") is True or type(peek.at(case.value, "content")) is not list:
        return
    blocks = peek.items(case.value, "content")
    if not any(peek.text(each, "type") != "text" or (peek.text(each, "text") or "").strip() for each in blocks):
        yield Violation(f"{cut(name, 60)} has the app {cut(uri, 60)!r}, but its content is empty", "/result/content")
