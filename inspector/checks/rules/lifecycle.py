"""Rules for initialization, discovery and declared capabilities."""

import re
from collections.abc import Iterator

import msgspec

from inspector.checks.findings import Confidence, Severity
from inspector.checks.registry import Violation, rules_of
from inspector.checks.state import PREFIX, CheckMoment
from inspector.protocol import peek
from inspector.protocol.capabilities import SKILLS, declares
from inspector.protocol.jsonrpc import ErrorResponse
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.openings import (
    HEADER_MISMATCH,
    METHOD_NOT_FOUND,
    modern_code,
    names_handshake,
    names_stateless,
)
from inspector.protocol.revisions.table import find
from inspector.text import cut

error, warning, hint = rules_of("basic/lifecycle")

_EMPTY = [f"answer {each}" for each in ("logging/setLevel", "ping", "resources/subscribe", "resources/unsubscribe")]
_RESULT_TYPES = ("complete", "input_required")
_NAMES = ("completions", "logging", "prompts", "resources", "tools")
_LISTS = {
    "notifications/tools/list_changed": "tools",
    "notifications/prompts/list_changed": "prompts",
    "notifications/resources/list_changed": "resources",
}
_IMPLEMENTED = {
    "logging/setLevel": (
        ("logging",),
        "Implement it (an empty result is enough), or declare no logging if no log messages are sent.",
    ),
    "resources/subscribe": (("resources", "subscribe"), "Implement it, or declare no subscribe: no update is sent."),
}
"""Methods that a capability promises beside its list: the capability, and what to do."""
_KINDS = {"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources"}
_DATE = re.compile(r"\d{4}-\d\d-\d\d|DRAFT-.*")
_TEMPLATES, _SET_LEVEL = "resources/templates/list", "logging/setLevel"
_SKILLS_AT = "/result/capabilities/extensions/io.modelcontextprotocol~1skills"


class _Notes(msgspec.Struct):
    refused_discover: int = 0
    """Entry of the rejection of `server/discover` by a server whose era is not known; 0 if there is none."""


@hint("Unknown protocol version", "answer initialize", until="2025-11-25")
def unknown_protocol_version(case: CheckMoment) -> Iterator[Violation]:
    """Finds drafts and future versions.

    Fix: Return a published protocol version.
    """
    date = peek.text(case.value, "protocolVersion")
    if date is not None and find(date) is None:
        sentence = f"the server answers initialize with the protocol version {cut(date, 40)!r}"
        if _DATE.fullmatch(date):
            yield Violation(f"{sentence}, which mcp-inspect does not know", "/result/protocolVersion")
            return
        asked = peek.text(case.asked_params, "protocolVersion") or "2025-11-25"
        sentence = (
            f"{sentence}, not a date: expected one such as {cut(asked, 20)}, which was requested; clients disconnect"
        )
        fix = "Use a date as the protocol version; the version of the server belongs in `serverInfo`."
        yield Violation(sentence, "/result/protocolVersion", fix=fix, severity=Severity.ERROR)


@warning("Server request before `notifications/initialized`", "request", until="2025-11-25", belated=True)
def request_before_initialized(case: CheckMoment) -> Iterator[Violation]:
    """Before `notifications/initialized` a server should send no requests but pings.

    Fix: Wait for `notifications/initialized` before sending requests.
    """
    if _is_early(case) and case.method != "ping":
        yield Violation(f"{case.named} was sent before notifications/initialized", "/method")


def _is_early(case: CheckMoment) -> bool:
    """Whether the handshake is in progress: the client has not sent `notifications/initialized`."""
    state = case.state
    return not state.initialized and (state.opening is not None or state.handshake is not None)


@hint("Notification before `notifications/initialized`", "notification", until="2025-11-25", belated=True)
def notification_before_initialized(case: CheckMoment) -> Iterator[Violation]:
    """Only log messages may be sent before `notifications/initialized`.

    Fix: Wait for `notifications/initialized` before sending notifications.
    """
    if _is_early(case) and case.method not in (
        "notifications/message",
        "notifications/progress",
        "notifications/cancelled",
    ):
        yield Violation(f"{case.named} was sent before notifications/initialized", "/method")


@hint(
    "Protocol version in use is not in `supportedVersions`",
    "answer server/discover",
    topic="server/discover",
    since="2026-07-28",
)
def version_not_listed(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Add the version to `supportedVersions`, or reject requests of it with -32022."""
    asked = case.asked
    date = peek.text(asked.params if asked else None, "_meta", PREFIX + "protocolVersion")
    supported = peek.items(case.value, "supportedVersions")
    if date is not None and supported and date not in supported:
        yield Violation(
            f"the server answered a request of {date}, but does not list that version", "/result/supportedVersions"
        )


@error("-32022 error does not list `supported` versions", "error", since="2026-07-28")
def supported_versions_missing(case: CheckMoment) -> Iterator[Violation]:
    """Error -32022 contains `supported` and `requested`.

    Fix: Add `supported` and `requested` to the data of the error.
    """
    if peek.integer(case.value, "code") != -32022:
        return
    named = peek.items(case.value, "data", "supported")
    if not named or not all(isinstance(each, str) for each in named):
        yield Violation("error -32022 without the supported versions", "/error/data/supported")
    requested = peek.text(case.value, "data", "requested")
    sent = peek.text(case.asked_params, "_meta", PREFIX + "protocolVersion")
    if requested is None:
        yield Violation("error -32022 without the requested version", "/error/data/requested")
    elif sent is not None and requested != sent:
        sentence = (
            f"error -32022 gives {cut(requested, 40)!r} as the requested version, but {cut(sent, 40)!r} was requested"
        )
        yield Violation(sentence, "/error/data/requested")


@error("-32021 error lacks `requiredCapabilities`", "error", topic="basic", since="2026-07-28")
def required_capabilities_missing(case: CheckMoment) -> Iterator[Violation]:
    """Error -32021 contains `requiredCapabilities`, an object.

    Fix: Add `requiredCapabilities` to the data of the error.
    """
    if peek.integer(case.value, "code") == -32021:
        if type(peek.at(case.value, "data", "requiredCapabilities")) is not dict:
            yield Violation("error -32021 without the required capabilities", "/error/data/requiredCapabilities")


@warning("Result that should be empty has members", *_EMPTY, topic="schema", until="2025-11-25")
def empty_result_has_members(case: CheckMoment) -> Iterator[Violation]:
    """Clients with the TypeScript SDK refuse it.

    Fix: Return the result {}.
    """
    more = [name for name in peek.mapping(case.value) if name not in ("_meta", "resultType")]
    if more and not case.is_moot:
        found = ", ".join(cut(each, 40) for each in more[:3])
        yield Violation(f"the result of {case.method} should be empty, and has {found}", f"/result/{cut(more[0], 60)}")


@warning("Result repeats that of `initialize`", *(f"answer {method}" for method in _KINDS), until="2025-11-25")
def opening_repeated(case: CheckMoment) -> Iterator[Violation]:
    """Clients that tell results apart by their members take it for the one of `initialize`, such as those with rmcp.

    Fix: Return protocolVersion, capabilities and serverInfo for initialize alone.
    """
    if all(name in peek.mapping(case.value) for name in ("protocolVersion", "capabilities", "serverInfo")):
        sentence = (
            f"the result of {case.method} has protocolVersion, capabilities and serverInfo, as that of initialize"
        )
        yield Violation(sentence, "/result/protocolVersion")


@error("Unknown `resultType`", "answer", topic="basic", since="2026-07-28")
def unknown_result_type(case: CheckMoment) -> Iterator[Violation]:
    """Known types are complete, input_required, and those of a declared extension.

    `task-on-unsupported-method` and `task-result-incomplete` report more details about tasks.

    Fix: Use complete or input_required, or a type of an extension that the client declares.
    """
    word = peek.text(case.value, "resultType")
    if word is None or word in _RESULT_TYPES or case.method == "tasks/get":
        return
    if word == "task" and case.method != "tools/call":
        return
    if word == "task" and case.state.offered(case.asked, "extensions", PREFIX + "tasks"):
        return
    plain = re.sub("[^a-z]", "", word.lower())
    meant = "".join(f"; it is {each}" for each in _RESULT_TYPES if plain.startswith(each.replace("_", "")))
    yield Violation(f"resultType is {cut(word, 60)!r}, which this client has not declared{meant}", "/result/resultType")


@warning("`serverInfo` is missing in `_meta` of a result", "answer", topic="basic", since="2026-07-28")
def server_info_missing(case: CheckMoment) -> Iterator[Violation]:
    """`serverInfo` should be in the `_meta` of each result; reported once per connection.

    Fix: Add `serverInfo` to the `_meta` of each result.
    """
    is_missing = type(case.value) is dict and not peek.has(case.value, "_meta", PREFIX + "serverInfo")
    if is_missing and case.state.is_first("server-info-missing"):
        there = " but in the result itself, as in the release candidate" if peek.has(case.value, "serverInfo") else ""
        yield Violation(f"the result of {case.named} has no serverInfo in _meta{there}", "/result/_meta")


@error("`serverInfo` in `_meta` lacks a name or a version", "answer", topic="schema", since="2026-07-28")
def server_info_invalid(case: CheckMoment) -> Iterator[Violation]:
    """Reported once per connection: it is the same in all results.

    Fix: Return an object with a string `name` and a string `version`.
    """
    if not peek.has(case.value, "_meta", PREFIX + "serverInfo"):
        return
    info = peek.at(case.value, "_meta", PREFIX + "serverInfo")
    wrong = [name for name in ("name", "version") if peek.text(info, name) is None]
    if (wrong or type(info) is not dict) and case.state.is_first("server-info-invalid"):
        what = f"{' and '.join(wrong)} {'are' if len(wrong) > 1 else 'is'} missing or no string"
        message = what if type(info) is dict else f"it is of type {peek.type_name(info)}"
        place = f"/result/_meta/{PREFIX.replace('/', '~1')}serverInfo"
        yield Violation(f"serverInfo of the result of {case.named} is invalid: {message}", place)


@hint("Leftover of a release candidate", "error", topic="server/discover", since="2026-07-28")
def release_candidate_leftover(case: CheckMoment) -> Iterator[Violation]:
    """The release candidate had other numbers for three errors.

    Fix: Update the SDK to the final version of the specification.
    """
    code = peek.integer(case.value, "code")
    if code in (-32001, -32003, -32004) and modern_code(case.value) is not None:
        yield Violation(f"the error code {code} became {modern_code(case.value)} in the final version", "/error/code")


@error("Extension name has no prefix", "answer server/discover", since="2026-07-28")
def extension_without_prefix(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Add a prefix to the name, such as com.example/."""
    for name in peek.mapping(case.value, "capabilities", "extensions"):
        if "/" not in name.strip("/"):
            yield Violation(f"the extension {cut(name, 60)!r} has no prefix", "/result/capabilities/extensions")


@error("`tasks` is not a core capability", "answer server/discover", topic="server/discover", since="2026-07-28")
def tasks_capability_obsolete(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Declare tasks under `extensions`."""
    if peek.has(case.value, "capabilities", "tasks"):
        yield Violation(
            "tasks are an extension in this protocol version, not a capability", "/result/capabilities/tasks"
        )


@warning("`initialize` error does not list supported versions", "error initialize", since="2026-07-28", early=True)
def handshake_error_without_versions(case: CheckMoment) -> Iterator[Violation]:
    """Judged if the server has responded to requests of a stateless protocol version before, and names no other.

    Fix: Return -32022 with "supported" and "requested", so that older clients can report what they need.
    """
    opening = case.state.opening
    if opening is None or opening.era is not Era.MODERN or names_handshake(opening.supported):
        return  # one that also supports handshakes may refuse a second opening
    if peek.integer(case.value, "code") == HEADER_MISMATCH:
        return  # over HTTP the headers, which initialize lacks, are looked at first
    if not peek.items(case.value, "data", "supported"):
        yield Violation("initialize was rejected without the supported versions", "/error/data/supported")


@error(
    "`list_changed` without the `listChanged` capability",
    *(f"notification {method}" for method in _LISTS),
    mild_until="2025-03-26",
    until="2025-11-25",
    belated=True,
)
def list_changed_undeclared(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Declare "listChanged": true."""
    kind = _LISTS[case.method]
    if case.state.opening is not None and not case.state.capable(kind, "listChanged"):
        yield Violation(f"the server sent {case.method}, but does not declare {kind}.listChanged", "/method")


@error(
    "Resource update without the `subscribe` capability",
    "notification notifications/resources/updated",
    topic="server/resources",
    mild_until="2025-03-26",
    belated=True,
)
def resource_update_undeclared(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Declare "subscribe": true."""
    if case.state.opening is not None and not case.state.capable("resources", "subscribe"):
        yield Violation("the server sent a resource update, but does not declare resources.subscribe", "/method")


@error(
    "Log message without the `logging` capability",
    "notification notifications/message",
    topic="server/utilities/logging",
    belated=True,
)
def logging_undeclared(case: CheckMoment) -> Iterator[Violation]:
    """“Servers that emit log message notifications MUST declare the logging capability.”

    Fix: Declare the `logging` capability.
    """
    state = case.state
    if state.opening is not None and state.opening.capabilities and not state.capable("logging"):
        yield Violation("the server sent a log message, but does not declare logging", "/method")


@warning("List without its capability", *(f"answer {method}" for method in _KINDS))
def list_undeclared(case: CheckMoment) -> Iterator[Violation]:
    """A list has items, but its capability is not declared.

    Fix: Declare the capability; clients do not request the list otherwise.
    """
    kind = _KINDS[case.method]
    opening = case.state.opening
    known = opening is not None and (opening.era is Era.LEGACY or bool(opening.supported))
    if known and not case.state.capable(kind) and peek.items(case.value, kind):
        yield Violation(f"{case.method} returns items, but the server does not declare {kind}", f"/result/{kind}")


@error(
    "Capability declared but list method not implemented",
    *(f"error {method}" for method in (*_KINDS, _TEMPLATES, "subscriptions/listen", *_IMPLEMENTED)),
    mild_until="2025-11-25",
)
def capability_not_implemented(case: CheckMoment) -> Iterator[Violation]:
    """A hint for the list of templates, which most clients do without.

    Fix: Implement the method or remove the capability.
    """
    if case.method == _TEMPLATES:
        if peek.integer(case.value, "code") == -32601 and case.state.capable("resources"):
            sentence = f"the server declares resources, but does not implement {_TEMPLATES}: some clients fail then"
            fix = "Return an empty list of resourceTemplates."
            yield Violation(sentence, "/error/code", severity=Severity.HINT, fix=fix)
        return
    if case.method == "subscriptions/listen":
        kinds = [each for each in _KINDS.values() if case.state.capable(each, "listChanged")]
        if peek.integer(case.value, "code") == -32601 and kinds:
            sentence = f"the server declares listChanged of {kinds[0]}, but does not implement subscriptions/listen"
            fix = "Implement it, or declare no listChanged: there is no other way to report a change."
            yield Violation(sentence, "/error/code", severity=Severity.WARNING, fix=fix)
        return
    if case.method in _IMPLEMENTED:
        path, fix = _IMPLEMENTED[case.method]
        if peek.integer(case.value, "code") == -32601 and case.state.capable(*path):
            what = ".".join(path)
            sentence = f"the server declares {what}, but does not implement {case.method}: some clients fail then"
            yield Violation(sentence, "/error/code", severity=Severity.WARNING, fix=fix)
        return
    kind = _KINDS[case.method]
    if peek.integer(case.value, "code") == -32601 and case.state.capable(kind):
        yield Violation(f"the server declares {kind}, but does not implement {case.method}", "/error/code")


@warning("Capability has another name in the protocol", "answer initialize", "answer server/discover")
def capability_misnamed(case: CheckMoment) -> Iterator[Violation]:
    """A name that differs from the right one by number or case only, which is not declared itself.

    Fix: Declare it under the name that the protocol gives it.
    """
    declared = peek.mapping(case.value, "capabilities")
    for name in declared:
        right = next((each for each in _NAMES if each.rstrip("s") == name.lower().rstrip("s")), None)
        if right is not None and right not in declared:
            sentence = (
                f"the server declares the capability {cut(name, 40)!r}; clients look for {right!r} and do without"
            )
            yield Violation(sentence, "/result/capabilities")


@error(
    "Skills capability declared but not usable",
    "answer initialize",
    "answer server/discover",
    "answer skills/list",
    "error skills/list",
    topic="https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx",
)
def skills_unavailable(case: CheckMoment) -> Iterator[Violation]:
    """A server with skills lists them with skills/list, and clients read their files as resources.

    Fix: Implement skills/list and resources/read, or remove the extension.
    """
    if case.method != "skills/list":
        capabilities = peek.mapping(case.value, "capabilities")
        if declares(capabilities, SKILLS) and peek.at(capabilities, "resources") is None:
            fix = 'Declare "resources": {} and implement resources/read.'
            yield Violation(
                "the server declares skills, but not resources, which are needed to read them", _SKILLS_AT, fix=fix
            )
    elif case.state.opening is None or not declares(case.state.opening.capabilities, SKILLS):
        return
    elif isinstance(case.message, ErrorResponse):
        if peek.integer(case.value, "code") == -32601:
            fix = "Implement skills/list or remove the extension."
            yield Violation("the server declares skills, but does not implement skills/list", "/error/code", fix=fix)
    elif type(peek.at(case.value, "skills")) is not list:
        yield Violation("the result of skills/list has no list of skills", "/result/skills")


@error(
    "`server/discover` is not implemented",
    "error server/discover",
    *(f"answer {method}" for method in _KINDS),
    topic="server/discover",
    since="2026-07-28",
    early=True,
    confidence=Confidence.LIKELY,
)
def discover_not_implemented(case: CheckMoment) -> Iterator[Violation]:
    """“Servers MUST implement server/discover”: judged if they list or use a stateless protocol version.

    Fix: Implement server/discover.
    """
    state, notes = case.state, case.state.notes(_Notes)
    if case.method != "server/discover":
        if notes.refused_discover and peek.has(case.value, "resultType"):
            sentence = "the server uses a stateless protocol version, but does not implement server/discover"
            frame, notes.refused_discover = notes.refused_discover, 0
            yield Violation(sentence, frames=(frame,), instead=True)
    elif peek.integer(case.value, "code") == METHOD_NOT_FOUND:
        spoken = state.opening is not None and state.opening.era is Era.MODERN
        if named := names_stateless(case.value):
            yield Violation(f"the server lists {named}, but does not implement server/discover", "/error/code")
        elif spoken:
            yield Violation(
                "the server uses a stateless protocol version, but does not implement server/discover", "/error/code"
            )
        else:
            notes.refused_discover = case.n
